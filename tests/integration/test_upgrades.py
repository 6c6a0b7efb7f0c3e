"""A record of every released schema: upgraded whole, answering as it did, and back without trace.

The dumps and the answers of their time are in tests/releases, made by make_release.py there.
"""

from __future__ import annotations

import json
import math
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
from service.errors import DatabaseError
from service.formats import ScoreMatrix, settle_missing
from service.logbook.matrices import log_matrix
from service.logbook.variances import show_variances
from tests.releases.campaign import ask
from tests.releases.compare import catalogue, columns, values

RELEASES = Path(__file__).parents[1] / "releases"
RELEASED = sorted(path.stem for path in RELEASES.glob("*.sql"))
REVISIONS = [
    script.revision
    for script in reversed([*ScriptDirectory.from_config(alembic_config()).walk_revisions()])
]
HEAD = REVISIONS[-1]
# Sentences for people may be worded anew; what they say is compared by its numbers.
WORDING = {"drift": {"reason", "advice"}}


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
    left = [line for line in catalogue(old) if "roundbook.alembic_version" not in line]
    assert left == sorted([*fresh["bare"], "schema roundbook"])
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
    if before:
        assert catalogue(bare) == fresh[before]
    assert values(bare, columns(bare)) == recorded
    assert upgrade(bare) == (before, HEAD)
    assert catalogue(bare) == fresh[HEAD]
    assert values(bare, columns(bare)).keys() >= recorded.keys()
