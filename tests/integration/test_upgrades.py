"""A record of every released schema: upgraded whole, answering as it did, and back without trace.

The dumps and the answers of their time are in tests/releases, made by make_release.py there.
"""

from __future__ import annotations

import json
import math
import re
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import psycopg
import pytest
from alembic import command
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, select, text
from tests.databases import database_on, load_release, rows, run_alembic
from tests.factories import (
    Design,
    fit_factor_set,
    list_events,
    list_results,
    log_scores,
    plan_task,
    renew_results,
    save_plan,
    show_plan,
    show_variances,
    verify_record,
)
from tests.releases.campaign import GUESS, PLAN, REPORT
from tests.releases.compare import catalogue, columns, values
from tests.releases.questions import ask

from roundbook.database import tables
from roundbook.database.engine import unit_of_work
from roundbook.database.schema import (
    EXPECTED_REVISION,
    alembic_config,
    current_revision,
    upgrade,
)
from roundbook.database.tables import SCHEMA, metadata
from roundbook.errors import DatabaseError
from roundbook.formats import RunTeam
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.storing import load_matrix

RELEASES = Path(__file__).parents[1] / "releases"
RELEASED = sorted(path.stem for path in RELEASES.glob("*.sql"))
REVISIONS = [
    script.revision
    for script in reversed([*ScriptDirectory.from_config(alembic_config()).walk_revisions()])
]
HEAD = REVISIONS[-1]
UNCOMPRESSED = (
    "score_vector ALTER scores",
    "run_list ALTER documents",
    "run_list ALTER scores",
)
# What an upgrade computes the parts of variances for, which it did not record itself.
COMPLETED = [release for release in RELEASED if release < "0005"]
# What is answered otherwise on purpose, with all below it. Sentences and commands for people may be
# worded anew, as a plan's paragraph, which follows from its numbers; the intervals, tests
# and verdicts of before claimed more than they could know, and tests of drift took in tied topics.
CHANGED = {
    "drift": {
        ".advice",
        ".assumed",
        ".commands",
        ".mean_shift_90",
        ".mean_shift_95",
        ".notes",
        ".reason",
        ".sd_ratio",
        ".sd_ratio_90",
        ".sd_ratio_95",
        ".tests.kendall",
        ".tests.paired_t",
        ".tests.pearson",
        ".verdict",
    },
    "plan": {".renew", ".plan.protocol", ".stale[].why"},
    "variance": {
        ".rounds[].chi_square",
        ".rounds[].interval",
        ".pooled.interval",
        ".pooled.homogeneity",
        ".pooled.warning",
    },
}


def first_and_last(versions):
    """Return versions as parameters, of which a second server takes those two."""
    return [
        pytest.param(version, marks=pytest.mark.one_server if version in versions[1:-1] else ())
        for version in versions
    ]


def slow_but(releases, *always):
    """Return releases as parameters, of which those that are not named run when slow."""
    return [
        pytest.param(release, marks=() if release in always else pytest.mark.slow)
        for release in releases
    ]


class StoppedError(Exception):
    """Stands for whatever stops a migration before its end."""


@pytest.fixture(params=first_and_last(RELEASED))
def release(request):
    return request.param


class Upgraded(NamedTuple):
    """A record as a release left it, upgraded: what it held before, and what was said meanwhile."""

    engine: Engine
    catalogue: list[str]
    columns: dict[str, list[str]]
    values: dict[str, list[str]]
    changes: list[tuple[Any, ...]]
    revisions: tuple[str | None, str]
    messages: list[str]


@pytest.fixture(scope="module")
def records(server):
    """The upgraded records by release, each made when it is first asked for."""
    with ExitStack() as databases:

        @cache
        def record(release):
            engine = databases.enter_context(database_on(server))
            load_release(engine, release)
            assert current_revision(engine) == release
            kept, messages = columns(engine), []
            return Upgraded(
                engine,
                catalogue(engine),
                kept,
                values(engine, kept),
                rows(engine, CHANGES) if release < "0003" else [],
                upgrade(engine, messages.append),
                messages,
            )

        yield record


@pytest.fixture
def upgraded(records, release):
    """The record of a release, upgraded, which the test changes nothing of."""
    return records(release)


@pytest.fixture
def copied(server, upgraded):
    """An engine on an upgraded record of the test's own."""
    upgraded.engine.dispose()  # or the database could not be copied
    template = upgraded.engine.url.database
    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as engine:
        yield engine


@pytest.fixture(scope="module")
def fresh(server):
    """The catalogue of each revision, where nothing was recorded before, and of none."""
    with database_on(server) as engine:
        catalogues = {"bare": catalogue(engine)}
        for revision in REVISIONS:
            run_alembic(engine, command.upgrade, revision)
            catalogues[revision] = catalogue(engine)
    return catalogues


def test_every_released_schema_has_its_dump():
    assert EXPECTED_REVISION == HEAD
    assert set(REVISIONS[:-1]) <= set(RELEASED) <= set(REVISIONS), (
        "make a dump of the current schema before the next migration: see make_release.py"
    )


def test_the_dumps_are_small_and_say_that_they_are_simulated(release):
    dump = (RELEASES / f"{release}.sql").read_text(encoding="utf-8")
    assert len(dump) < 200_000
    assert "All data is simulated" in dump[:300]


def tables_in(lines):
    """What the code can describe: columns in any order, constraints and indexes of its tables."""
    names = [rf"{SCHEMA}\.{table.name}" for table in metadata.sorted_tables]
    ours = re.compile(rf"(column|constraint|index .* ON) ({'|'.join(names)}) (?!.* TRIGGER )")
    return {re.sub(r"^(column \S+) \d+", r"\1", line) for line in lines if ours.match(line)}


@pytest.mark.long
def test_the_code_describes_the_migrated_tables(bare, fresh):
    # `alembic check` compares neither CHECK constraints nor defaults.
    with bare.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}"))
        metadata.create_all(connection)
        for stored in UNCOMPRESSED:
            connection.execute(text(f"ALTER TABLE roundbook.{stored} SET STORAGE EXTERNAL"))
    described = tables_in(catalogue(bare))
    assert len(described) > 100
    assert described == tables_in(fresh[HEAD])


@pytest.mark.long
def test_an_upgrade_keeps_every_value(upgraded, fresh, release):
    assert all(upgraded.values.values()), "a table without rows shows nothing"
    assert upgraded.catalogue == fresh[release]
    assert upgraded.revisions == (release, HEAD)
    assert values(upgraded.engine, upgraded.columns) == upgraded.values
    assert catalogue(upgraded.engine) == fresh[HEAD]
    run_alembic(upgraded.engine, command.check)


@pytest.mark.long
def test_answers_stay_what_they_were(upgraded, release):
    assert changed_answers(upgraded.engine, release, CHANGED) == []


def changed_answers(engine, release, meant):
    """Return what a record answers otherwise than that release did, save what it is meant to."""
    asked = json.loads((RELEASES / f"{release}.json").read_text(encoding="utf-8"))
    assert len(asked) > 20
    return [
        f"{question['question']} {question['arguments']}: {line}"
        for question in asked
        for line in differences(
            question["answer"],
            ask(engine, question["question"], question["arguments"]),
            meant.get(question["question"], set()),
        )
    ]


def differences(then, now, meant, path=""):
    """What `now` says otherwise than `then`, save what it is `meant` to; it may say more."""
    if re.sub(r"\[\d+\]", "[]", path) in meant:
        return
    if isinstance(then, dict) and isinstance(now, dict):
        for key, value in then.items():
            yield from differences(value, now.get(key, "gone"), meant, f"{path}.{key}")
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True)):
            yield from differences(one, other, meant, f"{path}[{number}]")
    elif type(then) is float and type(now) is float:
        if not math.isclose(then, now, rel_tol=1e-12, abs_tol=1e-12):
            yield f"{path} was {then!r}, is {now!r}"
    elif then != now:
        yield f"{path} was {then!r}, is {now!r}"


ESTIMATES = """
SELECT round.label, measure.name AS measure, matrix.assessments, matrix.revision, scale,
       factor_set.version AS factor_version, estimate.topics, estimate.runs, clusters,
       sum_of_squares, dof, variance, two_way_sum_of_squares, two_way_dof, runs_part,
       two_way_runs_part, topic_squares, two_way_topic_squares,
       ARRAY(SELECT topic.name FROM unnest(topic_ids) WITH ORDINALITY AS listed (topic_id, place)
             JOIN roundbook.topic ON topic.id = listed.topic_id ORDER BY place) AS topic_names
FROM roundbook.variance_estimate AS estimate
JOIN roundbook.matrix ON matrix.id = estimate.matrix_id
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
WHERE estimate.version = 1 AND task.name = :task
"""


def first_estimates(engine, task="web"):
    """Return the first version of every estimate of a task, by what it is of."""
    estimates = rows(engine, ESTIMATES, task=task)
    return {row[:6]: dict(list(row._mapping.items())[6:]) for row in estimates}


def assert_equal_estimates(estimates, expected):
    """Compare estimates to the last digits, which depend on the order of a sum."""
    assert estimates.keys() == expected.keys()
    for key, estimate in estimates.items():
        for name, value in estimate.items():
            if isinstance(value, float) or name.endswith("squares"):
                other = pytest.approx(expected[key][name], rel=1e-12, abs=1e-14)
                assert value == other, (key, name)
            else:
                assert value == expected[key][name], (key, name)


RUNS = """
SELECT run.tag, team.name AS team, type, contributed_to_pool, system
FROM roundbook.matrix_run JOIN roundbook.run ON run.id = run_id
LEFT JOIN roundbook.team ON team.id = team_id
WHERE matrix_id = :matrix
"""
MATRICES = """
SELECT matrix.id, round.label, measure.name AS measure, matrix.assessments, matrix.revision
FROM roundbook.matrix JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.measure ON measure.id = matrix.measure_id ORDER BY matrix.id
"""
CHOSEN = """
SELECT matrix_id, ARRAY(SELECT tag FROM roundbook.factor_set_run JOIN roundbook.run
                        ON run.id = run_id WHERE factor_set_id = factor_set.id) AS runs
FROM roundbook.factor_set WHERE standardising = 'chosen'
"""


def log_again(engine, task):
    """Log every score matrix of a record once more, as another task, and fit its factors."""
    with unit_of_work(engine) as connection:
        logged = connection.execute(text(MATRICES)).all()
        chosen = connection.execute(text(CHOSEN)).all()
        loaded_matrices = []
        for row in logged:
            matrix = connection.execute(select(tables.matrix).filter_by(id=row.id)).one()
            runs = connection.execute(text(RUNS), {"matrix": row.id}).all()
            loaded_matrices.append((row, load_matrix(connection, matrix), runs))
    for row, loaded, runs in loaded_matrices:
        teams = {
            run.tag: RunTeam(*run) for run in runs if any(fact is not None for fact in run[1:])
        }
        log_scores(
            engine,
            row.label,
            loaded.scores,
            row.measure,
            task=task,
            topics=loaded.topics,
            runs=loaded.runs,
            assessments=row.assessments,
            teams=teams or None,
            revise="again" if row.revision > 1 else None,
        )
        for _, tags in (fitted_run for fitted_run in chosen if fitted_run.matrix_id == row.id):
            fit_factor_set(
                engine, task, row.label, row.measure, runs=tags, reason="again", user="tester"
            )


@pytest.mark.long
@pytest.mark.parametrize("release", slow_but(COMPLETED, "0001", "0004"))
def test_an_upgrade_completes_the_estimates_as_if_logged_today(copied):
    completed = first_estimates(copied)
    log_again(copied, "again")
    assert len(completed) >= 18
    assert_equal_estimates(first_estimates(copied, "again"), completed)


@pytest.mark.long
def test_an_upgrade_says_how_far_it_is(upgraded, release):
    count = len(upgraded.values["matrix"]) if release in COMPLETED else 0
    assert upgraded.messages == [
        f"Computing the variance parts of matrix {number} of {count} ..."
        for number in range(1, count + 1)
    ]
    again = []
    upgrade(upgraded.engine, again.append)
    assert again == []


def refused(engine, *statements):
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        for statement in statements:
            connection.execute(text(statement))
        connection.commit()
    return caught.value.__cause__.orig


@pytest.mark.long
@pytest.mark.parametrize("role", ["origin", "replica"])
def test_what_was_logged_before_the_upgrade_is_guarded_after_it(upgraded, role):
    engine = upgraded.engine
    recorded = columns(engine)
    before = values(engine, recorded)
    for table, names in recorded.items():
        key = names[0]
        for change in (
            f"UPDATE roundbook.{table} SET {key} = {'DEFAULT' if key == 'id' else key}",
            f"DELETE FROM roundbook.{table}",
            f"TRUNCATE roundbook.{table} CASCADE",
        ):
            if change == "DELETE FROM roundbook.topic_alias":
                continue  # an alias is taken back where it was wrong
            problem = refused(engine, f"SET session_replication_role = {role}", change)
            assert isinstance(problem, psycopg.errors.RestrictViolation), change
    assert values(engine, recorded) == before


# What was recorded before there were events, with the time of each.
CHANGES = """
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


@pytest.mark.parametrize("release", ["0001", "0002"])
def test_events_tell_of_what_was_recorded_before_events_were_kept(upgraded, release):
    events = list_events(upgraded.engine).events
    later = [entry for entry in events if entry.what in ("factors fitted", "plan saved")]
    names = ("at", "who", "what", "task", "round", "matrix", "why", "software")
    earlier = [
        tuple(getattr(entry, name) for name in names) for entry in events if entry not in later
    ]
    assert sorted(earlier, key=str) == sorted(upgraded.changes, key=str)
    assert [entry.at for entry in events] == sorted(entry.at for entry in events)
    assert {entry.details["told_from"] for entry in events} == {
        "the record, before events were kept"
    }
    # What is made in one go is told in order; the factors of a logging are part of it.
    assert [(entry.what, entry.round) for entry in events[:4]] == [
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
    assert [(entry.what, entry.task, entry.round, entry.why) for entry in later] == [
        row[:4] for row in expected
    ]
    for entry, (*_, details) in zip(later, expected, strict=True):
        assert details.items() <= entry.details.items()
        assert entry.who == "simulated"


@pytest.mark.long
def test_the_campaign_goes_on_after_the_upgrade(copied):
    recorded = columns(copied)
    before = values(copied, recorded)
    scores = np.random.default_rng(4).uniform(size=(8, 5)).round(4)

    def log(label, **options):
        names = {"topics": map(str, range(1, 9)), "runs": (f"{label}-run{run}" for run in range(5))}
        return log_scores(copied, label, scores, "nDCG@10", task="web", **names, **options)

    new, revised = log("2026"), log("2023", revise="Judged again")
    assert (new.status, new.revision, new.factor_version) == ("logged", 1, 1)
    assert (revised.status, revised.revision) == ("logged", 3)
    history = show_variances(copied, "web", "nDCG@10", assessments="official")
    assert [row.round for row in history.rounds] == ["2023", "2024", "2025", "2026"]
    assert history.rounds[0].variance == history.rounds[3].variance == new.variance
    after = values(copied, recorded)
    for table, lines in before.items():
        assert set(lines) <= set(after[table]), table
    assert len(after["matrix"]) == len(before["matrix"]) + 2


@pytest.mark.long
def test_what_was_recorded_is_verified(upgraded):
    verified = verify_record(upgraded.engine)
    assert (verified.status, verified.differences) == ("verified", [])
    counts = {name: len(lines) for name, lines in upgraded.values.items()}
    assert verified.matrices == counts["matrix"]
    assert verified.factor_sets == counts["factor_set"]
    saved = ("result", "plan", "drift_report")
    assert verified.results == sum(counts.get(table, 0) for table in saved)


REQUESTS = {
    ("plan", "next web", 1): PLAN,
    ("plan", "next web", 2): PLAN,
    ("plan", "a guess", 1): GUESS,
    ("drift", "web/drift-1", 1): REPORT.model_copy(
        update={"from_round": "2023", "to_round": "2025"}
    ),
}


def requests_in(engine):
    """Return the requests of saved results, read as what is asked today."""
    saved = rows(engine, "SELECT kind, name, version, request FROM roundbook.result")
    return {key[:3]: find_kind(key[0]).request(**key[3]) for key in saved}


def changes_in(engine):
    """Return the codes of what made saved results stale."""
    stale = list_results(engine, stale=True).results
    return {entry.name: [change.code for change in entry.changes] for entry in stale}


KEPT = {"0001": (), "0002": ("plan",)}
_LATE_TEAMS = {"web/drift-1": ["team"], "next web": ["estimated"]}
# A report of before its units were random is by an earlier rule.
STALE = {
    "0003": {"web/drift-1": ["rule"]},
    "0004": {"web/drift-1": ["rule"]},
    "0005": _LATE_TEAMS,
    "0006": _LATE_TEAMS,
    "0007": _LATE_TEAMS,
    "0008": _LATE_TEAMS,
    "0009": _LATE_TEAMS,
}


@pytest.mark.long
def test_what_was_saved_has_its_request_and_is_stale_as_it_was(upgraded, release):
    kinds = KEPT.get(release, ("plan", "drift"))
    assert requests_in(upgraded.engine) == {
        key: asked for key, asked in REQUESTS.items() if key[0] in kinds
    }
    assert changes_in(upgraded.engine) == STALE.get(release, {})


@pytest.mark.long
@pytest.mark.parametrize("release", first_and_last(RELEASED[1:]))
def test_what_was_saved_is_renewed_as_its_next_version(copied, release):
    # What is computed today of an earlier plan says more than it said then.
    assert_renewable(copied, unchanged="saved" if release in COMPLETED else "unchanged")


def sizes(engine, name, version):
    cells = show_plan(engine, name, version=version).plan.cells
    return [(cell.m, cell.min_d, cell.topics) for cell in cells]


def assert_renewable(engine, *, unchanged):
    """Renew all that the campaign saved; what stood before still does, and verifies.

    `unchanged` is the status of a plan that is renewed though it is not stale.
    """
    recorded = columns(engine)
    before, stale = values(engine, recorded), changes_in(engine)
    renewal = renew_results(engine, task="web", user="tester")
    assert (renewal.left, changes_in(engine)) == ([], {})
    assert {outcome.after.name for outcome in renewal.renewed} == set(stale)
    for outcome in renewal.renewed:
        assert (outcome.status, outcome.after.version) == ("saved", outcome.before.version + 1)
    for name, saved in {"next web": 2, "a guess": 1}.items():
        if name not in stale:
            (outcome,) = renew_results(engine, name=name, user="tester").renewed
            version = saved + (unchanged == "saved")
            assert (outcome.status, outcome.after.version) == (unchanged, version)
        assert sizes(engine, name, None) == sizes(engine, name, saved)
    after = values(engine, recorded)
    for table, lines in before.items():
        assert set(lines) <= set(after[table]), table
    assert verify_record(engine).differences == []


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("release", ["0005"])
def test_a_downgrade_keeps_what_was_renewed(copied, upgraded, fresh, release):
    renew_results(copied, task="web", user="tester")
    run_alembic(copied, command.downgrade, release)
    assert catalogue(copied) == fresh[release]
    kept = values(copied, upgraded.columns)
    for table in ("plan", "plan_estimate", "drift_report"):
        assert set(upgraded.values[table]) < set(kept[table])
    numbers = rows(copied, "SELECT number FROM roundbook.drift_report ORDER BY id")
    assert numbers == [(1,), (2,)]
    upgrade(copied)
    assert {entry.name for entry in list_results(copied, kind="drift").results} == {
        "web/drift-1",
        "web/drift-2",
    }


def without_versions(engine):
    return [line for line in catalogue(engine) if "roundbook.alembic_version" not in line]


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("release", slow_but(RELEASED, "0001", "0003", "0005"))
def test_a_downgrade_leaves_no_trace(copied, upgraded, fresh, release):
    for revision in reversed(REVISIONS[:-1]):
        run_alembic(copied, command.downgrade, "-1")
        assert current_revision(copied) == revision
        assert catalogue(copied) == fresh[revision]
        if revision >= release:
            assert values(copied, upgraded.columns) == upgraded.values
    run_alembic(copied, command.downgrade, "base")
    assert without_versions(copied) == sorted([*fresh["bare"], "schema roundbook"])
    upgrade(copied)
    assert catalogue(copied) == fresh[HEAD]


@pytest.mark.one_server
@pytest.mark.long
def test_a_downgrade_leaves_the_first_version_of_an_estimate(bare, fresh):
    """A further version differs in its interval alone, which the older schema does not have."""
    upgrade(bare)
    scores = np.random.default_rng(5).uniform(size=(8, 5)).round(4)
    log_scores(bare, "1", scores)
    first = first_estimates(bare, "t")
    log_scores(bare, "1", scores, teams=[f"Team {run < 2}" for run in range(5)])
    planned = plan_task(bare, "t", "AP", Design(m=(5,), min_d=(0.1,)))
    save_plan(bare, "next", planned, user="tester")
    by_team = show_variances(bare, "t", "AP").rounds
    assert [row.estimate_version for row in by_team] == [2]
    run_alembic(bare, command.downgrade, "0004")
    assert catalogue(bare) == fresh["0004"]
    with unit_of_work(bare) as connection:
        count = "SELECT count(*) FROM roundbook.variance_estimate"
        rests_on = "SELECT variance_estimate_id FROM roundbook.plan_estimate"
        assert connection.execute(text(count)).scalar_one() == 3
        assert connection.execute(text(rests_on)).scalar_one() == 1
    upgrade(bare)
    again = first_estimates(bare, "t")
    assert again.keys() == first.keys()
    (row,) = show_variances(bare, "t", "AP").rounds
    assert (row.estimate_version, row.clusters) == (1, 2)
    assert row.interval == by_team[0].interval
    assert show_plan(bare, "next").plan == planned


@pytest.mark.long
@pytest.mark.parametrize("broken", first_and_last(REVISIONS))
def test_a_migration_that_fails_leaves_the_old_schema_whole(bare, fresh, broken):
    index = REVISIONS.index(broken)
    before = REVISIONS[index - 1] if index else None
    if before in RELEASED:
        load_release(bare, before)
    elif before:
        run_alembic(bare, command.upgrade, before)
    recorded = values(bare, columns(bare))

    # The last thing that a migration does is to write down its revision.
    def fail(connection, cursor, statement, *_):
        if "roundbook.alembic_version" in statement and f"'{broken}'" in statement:
            raise StoppedError

    event.listen(bare, "before_cursor_execute", fail)
    with pytest.raises(StoppedError):
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
