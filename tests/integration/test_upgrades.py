"""A record of every released schema: upgraded whole, answering as it did, and back without trace.

The dumps and the answers of their time are in tests/releases, made by make_release.py there.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from uuid import uuid4

import numpy as np
import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import event, text

from service.database.engine import make_engine, unit_of_work
from service.database.schema import (
    alembic_config,
    current_revision,
    expected_revision,
    upgrade,
)
from service.database.tables import SCHEMA, metadata
from service.errors import DatabaseError
from service.formats import ScoreMatrix, settle_missing
from service.logbook.events import list_events
from service.logbook.matrices.logging import log_matrix
from service.logbook.variances import show_variances
from tests.releases.compare import catalogue, columns, values
from tests.releases.questions import ask

RELEASES = Path(__file__).parents[1] / "releases"
RELEASED = sorted(path.stem for path in RELEASES.glob("*.sql"))
REVISIONS = [
    script.revision
    for script in reversed([*ScriptDirectory.from_config(alembic_config()).walk_revisions()])
]
HEAD = REVISIONS[-1]
# Sentences and commands for people may be worded anew; what they say is compared by its numbers.
WORDING = {"drift": {"reason", "advice"}, "plan": {"renew"}}


class Interrupted(Exception):
    """Stands for whatever stops a migration before its end."""


def run_alembic(engine, do, *arguments):
    with unit_of_work(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        do(config, *arguments)


def load(address, release):
    dump = (RELEASES / f"{release}.sql").read_text(encoding="utf-8")
    with psycopg.connect(
        address.set(drivername="postgresql").render_as_string(hide_password=False)
    ) as connection:
        connection.execute(dump)


@pytest.fixture
def bare(bare_database):
    engine = make_engine(bare_database)
    yield engine
    engine.dispose()


@pytest.fixture(params=RELEASED)
def release(request):
    return request.param


@pytest.fixture
def old(bare_database, bare, release):
    """An engine on a record as that release left it."""
    load(bare_database, release)
    assert current_revision(bare) == release
    return bare


@pytest.fixture(scope="module")
def fresh(server):
    """The catalogue of each revision in a database that never had another one, and of none."""
    administrator = make_engine(server).execution_options(isolation_level="AUTOCOMMIT")
    found = {}
    for revision in REVISIONS:
        name = f"fresh_{uuid4().hex}"
        with administrator.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
        engine = make_engine(server.set(database=name))
        try:
            found["bare"] = catalogue(engine)
            run_alembic(engine, command.upgrade, revision)
            found[revision] = catalogue(engine)
        finally:
            engine.dispose()
        with administrator.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    administrator.dispose()
    return found


def test_every_released_schema_has_its_dump():
    assert expected_revision() == HEAD
    assert set(REVISIONS[:-1]) <= set(RELEASED) <= set(REVISIONS), (
        "make a dump of the current schema before the next migration: see make_release.py"
    )


def test_the_dumps_are_small_and_say_that_they_are_simulated(release):
    dump = (RELEASES / f"{release}.sql").read_text(encoding="utf-8")
    assert len(dump) < 150_000
    assert "All data is simulated" in dump[:300]


def tables_in(lines):
    """What the code can describe: columns in any order, constraints and indexes of its tables."""
    names = [rf"{SCHEMA}\.{table.name}" for table in metadata.sorted_tables]
    ours = re.compile(rf"(column|constraint|index .* ON) ({'|'.join(names)}) (?!.* TRIGGER )")
    return {re.sub(r"^(column \S+) \d+", r"\1", line) for line in lines if ours.match(line)}


def test_the_code_describes_the_migrated_tables(bare, fresh):
    # `alembic check` compares neither CHECK constraints nor defaults.
    with bare.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        metadata.create_all(connection)
        connection.execute(
            text("ALTER TABLE roundbook.score_vector ALTER COLUMN scores SET STORAGE EXTERNAL")
        )
    described = tables_in(catalogue(bare))
    assert len(described) > 100
    assert described == tables_in(fresh[HEAD])


def test_an_upgrade_keeps_every_value(old, fresh, release):
    before = columns(old)
    recorded = values(old, before)
    assert all(recorded.values()), "a table without rows shows nothing"
    assert catalogue(old) == fresh[release]
    assert upgrade(old) == (release, HEAD)
    assert values(old, before) == recorded
    assert catalogue(old) == fresh[HEAD]
    run_alembic(old, command.check)


def test_answers_stay_what_they_were(old, release):
    upgrade(old)
    asked = json.loads((RELEASES / f"{release}.json").read_text(encoding="utf-8"))
    assert len(asked) > 20
    changed = []
    for each in asked:
        answer = ask(old, each["question"], each["arguments"])
        where = f"{each['question']} {each['arguments']}"
        then = {
            key: value
            for key, value in each["answer"].items()
            if key not in WORDING.get(each["question"], ())
        }
        changed += [f"{where}: {line}" for line in differences(then, answer)]
    assert changed == []


def differences(then, now, path=""):
    """What `now` says otherwise than `then`; it may say more."""
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            if key not in now:
                yield f"{path}.{key} is gone"
            else:
                yield from differences(value, now[key], f"{path}.{key}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, f"{path}[{number}]")
    elif type(then) is float and type(now) is float:
        if not math.isclose(then, now, rel_tol=1e-12, abs_tol=1e-12):
            yield f"{path} was {then!r}, is {now!r}"
    elif then != now:
        yield f"{path} was {then!r}, is {now!r}"


def refused(engine, *statements):
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
        connection.commit()
    return caught.value.__cause__.orig


@pytest.mark.parametrize("role", ["origin", "replica"])
def test_what_was_logged_before_the_upgrade_is_guarded_after_it(old, role):
    upgrade(old)
    recorded = columns(old)
    before = values(old, recorded)
    for table, names in recorded.items():
        key = names[0]
        for change in (
            f"UPDATE roundbook.{table} SET {key} = {'DEFAULT' if key == 'id' else key}",
            f"DELETE FROM roundbook.{table}",
            f"TRUNCATE roundbook.{table} CASCADE",
        ):
            problem = refused(old, f"SET session_replication_role = {role}", change)
            assert isinstance(problem, psycopg.errors.RestrictViolation), change
    assert values(old, recorded) == before


# What the record of before tells, with the time that each was recorded at.
TOLD = """
SELECT created_at AS at, NULL AS who, 'task created' AS what, name AS task, NULL AS round,
       NULL::bigint AS matrix, NULL AS why, NULL AS software
FROM roundbook.task
UNION ALL
SELECT round.created_at, NULL, 'round created', name, label, NULL, NULL, NULL
FROM roundbook.round JOIN roundbook.task ON task.id = task_id
UNION ALL
SELECT logged_at, logged_by, CASE revision WHEN 1 THEN 'matrix logged' ELSE 'matrix revised' END,
       name, label, matrix.id, reason, software
FROM roundbook.matrix JOIN roundbook.round ON round.id = round_id
JOIN roundbook.task ON task.id = task_id
UNION ALL
SELECT recorded_at, recorded_by, 'variance recorded', name, label, NULL, reason, software
FROM roundbook.published_variance JOIN roundbook.round ON round.id = round_id
JOIN roundbook.task ON task.id = task_id
"""


def test_events_tell_of_what_was_recorded_before_events_were_kept(old, release):
    if release >= "0003":
        return
    with unit_of_work(old) as connection:
        told = [tuple(row) for row in connection.execute(text(TOLD))]
    upgrade(old)
    events = list_events(old).events
    later = [each for each in events if each.what in ("factors fitted", "plan saved")]
    names = ("at", "who", "what", "task", "round", "matrix", "why", "software")
    found = [tuple(getattr(each, name) for name in names) for each in events if each not in later]
    assert sorted(found, key=str) == sorted(told, key=str)
    assert [each.at for each in events] == sorted(each.at for each in events)
    assert {each.details["told_from"] for each in events} == {"the record, before events were kept"}
    # What is made in one go is told in order; the factors of a logging are part of it.
    assert [(each.what, each.round) for each in events[:4]] == [
        ("task created", None),
        ("round created", "2023"),
        ("matrix logged", "2023"),
        ("matrix revised", "2023"),
    ]
    expected = {"0001": []}.get(
        release,
        [
            ("plan saved", "web", None, "Before the third round", {"plan": "next web"}),
            ("factors fitted", "web", "2023", "Baselines only", {"version": 3, "runs": 4}),
            ("plan saved", "web", None, None, {"plan": "next web", "version": 2}),
            ("plan saved", None, None, None, {"plan": "a guess", "version": 1}),
        ],
    )
    assert [(each.what, each.task, each.round, each.why) for each in later] == [
        row[:4] for row in expected
    ]
    for each, (*_, details) in zip(later, expected, strict=True):
        assert details.items() <= each.details.items()
        assert each.who == "simulated"


def test_the_campaign_goes_on_after_the_upgrade(old):
    upgrade(old)
    recorded = columns(old)
    before = values(old, recorded)
    scores = np.random.default_rng(4).uniform(size=(8, 5)).round(4)

    def log(label, **options):
        topics, runs = map(str, range(1, 9)), (f"{label}-run{run}" for run in range(5))
        matrix = ScoreMatrix(tuple(topics), tuple(runs), scores, None, "wide", ("later",))
        settled = settle_missing(matrix, "reject")
        return log_matrix(
            old, "web", label, "nDCG@10", settled, create=True, user="tester", **options
        )

    new, revised = log("2026"), log("2023", revise="Judged again")
    assert (new.status, new.revision, new.factor_version) == ("logged", 1, 1)
    assert (revised.status, revised.revision) == ("logged", 3)
    history = show_variances(old, "web", "nDCG@10", assessments="official")
    assert [each.round for each in history.rounds] == ["2023", "2024", "2025", "2026"]
    assert history.rounds[0].variance == history.rounds[3].variance == new.variance
    after = values(old, recorded)
    for table, rows in before.items():
        assert set(rows) <= set(after[table]), table
    assert len(after["matrix"]) == len(before["matrix"]) + 2


def without_versions(engine):
    return [line for line in catalogue(engine) if "roundbook.alembic_version" not in line]


def test_a_downgrade_leaves_no_trace(old, fresh, release):
    kept = columns(old)
    recorded = values(old, kept)
    upgrade(old)
    for revision in reversed(REVISIONS[:-1]):
        run_alembic(old, command.downgrade, "-1")
        assert current_revision(old) == revision
        assert catalogue(old) == fresh[revision]
        if revision >= release:
            assert values(old, kept) == recorded
    run_alembic(old, command.downgrade, "base")
    assert without_versions(old) == sorted([*fresh["bare"], "schema roundbook"])
    upgrade(old)
    assert catalogue(old) == fresh[HEAD]


@pytest.mark.parametrize("broken", REVISIONS)
def test_a_migration_that_fails_leaves_the_old_schema_whole(bare, bare_database, fresh, broken):
    place = REVISIONS.index(broken)
    before = REVISIONS[place - 1] if place else None
    if before in RELEASED:
        load(bare_database, before)
    elif before:
        run_alembic(bare, command.upgrade, before)
    recorded = values(bare, columns(bare))

    # The last thing that a migration does is to write down its revision.
    def fail(connection, cursor, statement, *_):
        if "roundbook.alembic_version" in statement and f"'{broken}'" in statement:
            raise Interrupted

    event.listen(bare, "before_cursor_execute", fail)
    with pytest.raises(Interrupted):
        upgrade(bare)
    event.remove(bare, "before_cursor_execute", fail)
    assert current_revision(bare) == before
    with unit_of_work(bare) as connection:
        locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = ("
        locks += "SELECT oid FROM pg_database WHERE datname = current_database())"
        assert connection.execute(text(locks)).scalar() == 0
    if before:
        assert catalogue(bare) == fresh[before]
        assert values(bare, columns(bare)) == recorded
    else:
        assert without_versions(bare) == sorted([*fresh["bare"], "schema roundbook"])
    assert upgrade(bare) == (before, HEAD)
    assert catalogue(bare) == fresh[HEAD]
