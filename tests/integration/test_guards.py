"""What the database itself refuses, whoever connects."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from tests.databases import commit, rows, scalar
from tests.factories import log_scores, record_variance
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.errors import DatabaseError
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session

IMMUTABLE = (
    "topic",
    "measure",
    "matrix",
    "matrix_topic",
    "score_vector",
    "factor_set",
    "factor_set_run",
    "factor",
    "variance_estimate",
    "published_variance",
    "matrix_run",
    "result",
    "result_input",
)


@prepared
def logged(engine):
    done = log_scores(engine, "1", np.eye(3, 2), topics="abc", runs="xy")
    record_variance(
        engine, "t", "1", "P@5", variance=0.1, runs=3, topics=9, source="paper", user="tester"
    )
    return done.matrix


def refused(engine, statement, **values):
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        connection.execute(text(statement), values)
        connection.commit()
    return caught.value.__cause__


def test_what_is_logged_stays(engine, logged, subtests):
    for table in IMMUTABLE:
        column = scalar(
            engine,
            "SELECT column_name FROM information_schema.columns WHERE table_schema ="
            " 'roundbook' AND table_name = :t AND is_identity = 'NO' LIMIT 1",
            t=table,
        )
        for statement in ("DELETE FROM {}", "TRUNCATE {} CASCADE", "UPDATE {} SET {} = {}"):
            with subtests.test(statement, table=table):
                cause = refused(engine, statement.format(f"roundbook.{table}", column, column))
                assert isinstance(cause, DBAPIError)
                assert isinstance(cause.orig, psycopg.errors.RestrictViolation)


def test_a_run_keeps_its_tag(engine, logged):
    refused(engine, "UPDATE roundbook.run SET tag = 'z' WHERE tag = 'x'")
    with unit_of_work(engine) as connection:
        connection.execute(text("UPDATE roundbook.run SET system = 's' WHERE tag = 'x'"))
        record_event(Session(connection, "tester"), "runs changed")
        connection.commit()


INSERT_VECTOR = (
    "INSERT INTO roundbook.score_vector (matrix_id, position, topics, runs, scores)"
    " VALUES (:matrix, :position, :topics, :runs, CAST(:scores AS float8[]))"
)


OTHER_VECTORS = [
    (2, 3, 2, "{1,2,3}"),  # a third vector where there are two runs
    (2, 3, 3, "{1,2,3}"),  # the same, with a false number of runs
    (0, 3, 2, "{1,2,3}"),  # a place that is taken
    (1, 2, 2, "{1,2}"),  # too short
    (1, 4, 2, "{1,2,3,4}"),  # too long
    (1, 3, 2, "{1,2}"),  # shorter than it says
    (1, 3, 2, "{1,2,NULL}"),
    (1, 3, 2, "{1,2,NaN}"),
    (1, 3, 2, "{1,2,Infinity}"),
    (1, 3, 2, "{{1},{2},{3}}"),
    (1, 3, 2, "{}"),
]


def test_no_other_vector_gets_in(engine, logged, subtests):
    for position, topics, runs, scores in OTHER_VECTORS:
        with subtests.test(position=position, topics=topics, runs=runs, scores=scores):
            refused(
                engine,
                INSERT_VECTOR,
                matrix=logged,
                position=position,
                topics=topics,
                runs=runs,
                scores=scores,
            )


def test_half_a_matrix_is_not_committed(engine, logged):
    cause = refused(
        engine,
        "INSERT INTO roundbook.matrix (round_id, measure_id, assessments, revision, reason, topics,"
        " runs, content_hash, missing_policy, missing_cells, dropped_topics, files, layout,"
        " software, logged_by) VALUES (1, 1, 'official', 2, 'test', 3, 2, 'h', 'reject', 0, '{}',"
        " '{}', 'wide', 's', 'me')",
    )
    assert isinstance(cause.orig, psycopg.errors.IntegrityConstraintViolation)
    assert "says 3 topics and 2 runs but has 0 and 0" in str(cause.orig)


def test_factors_belong_to_topics_of_their_matrix(engine, logged):
    with unit_of_work(engine) as connection:
        connection.execute(text("INSERT INTO roundbook.topic (task_id, name) VALUES (1, 'z')"))
        connection.commit()
    refused(
        engine,
        "INSERT INTO roundbook.factor (factor_set_id, matrix_id, topic_id, mean, sd)"
        " SELECT 1, :matrix, id, 0.5, 0.1 FROM roundbook.topic WHERE name = 'z'",
        matrix=logged,
    )


# Rows that nothing but the guard in question refuses.
FACTOR_SET = (
    "INSERT INTO roundbook.factor_set (matrix_id, round_id, measure_id, assessments, version,"
    " standardising, runs, zero_sd, software, fitted_by)"
    " SELECT id, round_id, measure_id, assessments, 2, '{which}', {runs}, 'average', 's', 'me'"
    " FROM roundbook.matrix"
)
FACTORS = (
    "INSERT INTO roundbook.factor (factor_set_id, matrix_id, topic_id, mean, sd)"
    " SELECT max(factor_set.id), matrix_id, topic_id, 0.5, 0.1"
    " FROM roundbook.factor_set JOIN roundbook.matrix_topic USING (matrix_id)"
    " WHERE position < {topics} GROUP BY matrix_id, topic_id"
)
FACTOR_SET_RUNS = (
    "INSERT INTO roundbook.factor_set_run (factor_set_id, matrix_id, run_id)"
    " SELECT max(factor_set.id), matrix_id, run_id"
    " FROM roundbook.factor_set JOIN roundbook.matrix_run USING (matrix_id)"
    " WHERE matrix_run.position < {listed} GROUP BY matrix_id, run_id"
)
RESULT = (
    "INSERT INTO roundbook.result (kind, name, version, request, result, software, saved_by)"
    " VALUES ('plan', 'next', 1, '{}', '{}', 's', 'me')"
)
PUBLISHED = (
    "INSERT INTO roundbook.published_variance (round_id, measure_id, assessments, scale, revision,"
    " reason, topics, runs, variance, source, software, recorded_by)"
    " VALUES (1, 1, 'official', 'raw', {revision}, {reason}, 9, 3, 0.1, 'paper', 's', 'me')"
)
WITHDRAWAL = (
    "INSERT INTO roundbook.withdrawal (matrix_id, number, withdrawn, reason, software, decided_by)"
    " SELECT id, 1, true, 'wrong', 's', 'me' FROM roundbook.matrix"
)


ESTIMATE = {
    "matrix_id": "1",
    "factor_set_id": "(SELECT max(id) FROM roundbook.factor_set)",
    "scale": "'std'",
    "topics": "3",
    "runs": "2",
    "clusters": "2",
    "version": "1",
    "sum_of_squares": "1",
    "dof": "4",
    "variance": "0.25",
    "two_way_sum_of_squares": "1",
    "two_way_dof": "2",
    "topic_ids": "'{1,2,3}'",
    "topic_squares": "'{1,0,0}'",
    "two_way_topic_squares": "'{0,0.5,0.5}'",
    "software": "'s'",
}


def estimate(**values):
    """Return a statement that adds an estimate, by default one by the last factor set."""
    row = ESTIMATE | values
    return (
        f"INSERT INTO roundbook.variance_estimate ({', '.join(row)})"
        f" VALUES ({', '.join(row.values())})"
    )


def factor_set(which="all", runs=2, topics=3, listed=0):
    return (
        FACTOR_SET.format(which=which, runs=runs),
        FACTORS.format(topics=topics),
        FACTOR_SET_RUNS.format(listed=listed),
    )


def test_no_type_or_operator_of_the_writer_s_own_deceives_a_guard(engine, logged):
    commit(engine, "UPDATE roundbook.round SET status = 'published'")
    operator = (
        "CREATE SCHEMA own",
        "CREATE FUNCTION own.never(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT false $$",
        "CREATE OPERATOR own.<> (LEFTARG = text, RIGHTARG = text, FUNCTION = own.never)",
        "SET LOCAL search_path = own, pg_catalog",
    )
    with pytest.raises(DatabaseError, match="round 1 is published and stays so"):
        commit(engine, *operator, "UPDATE roundbook.round SET status = 'draft'")


def test_every_guard_looks_in_the_catalogue_alone(engine):
    paths = rows(
        engine,
        "SELECT proname, proconfig FROM pg_proc"
        " WHERE pronamespace = 'roundbook'::regnamespace"
        " AND prorettype = 'trigger'::regtype",
    )
    assert len(paths) >= 8
    assert {function.proname for function in paths if not function.proconfig} == set()


def test_what_is_checked_early_is_checked_again(engine, logged):
    early = (*factor_set()[:2], "SET CONSTRAINTS ALL IMMEDIATE")
    commit(engine, *early, FACTOR_SET_RUNS.format(listed=2))
    with pytest.raises(DatabaseError, match=r"factor set 3 says that 2 runs .* but 1 do"):
        commit(
            engine,
            *(statement.replace("assessments, 2", "assessments, 3") for statement in early),
            FACTOR_SET_RUNS.format(listed=1),
        )


HALF_FACTOR_SETS = [
    ({"topics": 0}, "has factors of 0 topics, not of 3"),
    ({"topics": 2}, "has factors of 2 topics, not of 3"),
    ({"runs": 3}, "says that 3 runs standardise it, but 2 do"),
    ({"listed": 1}, "says that 2 runs standardise it, but 1 do"),
    ({"which": "chosen"}, "says that 2 runs standardise it, but 0 do"),
    ({"which": "chosen", "listed": 1}, "says that 2 runs standardise it, but 1 do"),
]


def test_half_a_factor_set_is_not_committed(engine, logged, subtests):
    for given, sentence in HALF_FACTOR_SETS:
        with subtests.test(sentence), pytest.raises(DatabaseError, match=sentence):
            commit(engine, *factor_set(**given))


GAPS = [
    (
        "INSERT INTO roundbook.round (task_id, ordinal, label) VALUES (1, 3, '3')",
        "the ordinal of a round follows on",
    ),
    (WITHDRAWAL.replace("id, 1, true", "id, 3, true"), "the number of a withdrawal follows on"),
    (
        FACTOR_SET.format(which="all", runs=2).replace("assessments, 2", "assessments, 3"),
        "the version of a factor_set follows on",
    ),
    (RESULT.replace("'next', 1", "'next', 2"), "the version of a result follows on"),
    (
        PUBLISHED.format(revision=2, reason="'misprint'"),
        "the revision of a published_variance follows on",
    ),
]


def test_a_number_follows_on_the_one_before(engine, logged, subtests):
    for statement, sentence in GAPS:
        parts = (FACTORS.format(topics=3),) if "factor_set (" in statement else ()
        with subtests.test(sentence), pytest.raises(DatabaseError, match=sentence):
            commit(engine, statement, *parts)


def test_a_revision_follows_on_the_one_before(engine, logged):
    with pytest.raises(DatabaseError, match="the revision of a matrix follows on"):
        commit(
            engine,
            "INSERT INTO roundbook.matrix (round_id, measure_id, assessments, revision, reason,"
            " topics, runs, content_hash, missing_policy, missing_cells, dropped_topics, files,"
            " layout, software, logged_by) SELECT round_id, measure_id, assessments, 3, 'r', 3, 2,"
            " 'h', 'reject', 0, '{}', '{}', 'wide', 's', 'me' FROM roundbook.matrix",
        )


TIMES = {
    "task": ("INSERT INTO roundbook.task (name, created_at) VALUES ('other', '{}')",),
    "event": ("INSERT INTO roundbook.event (what, software, at) VALUES ('x', 's', '{}')",),
    "round": ("UPDATE roundbook.round SET held = '{}'",),
    "withdrawal": (
        WITHDRAWAL.replace("decided_by)", "decided_by, decided_at)").replace("'me'", "'me', '{}'"),
    ),
}


@pytest.mark.parametrize("table", TIMES)
def test_times_are_of_years_that_every_program_reads(engine, logged, table):
    for when in ("infinity", "-infinity", "10000-01-01", "0044-03-15 BC"):
        with pytest.raises(DatabaseError, match=rf"check constraint .{table}_"):
            commit(engine, *(statement.format(when) for statement in TIMES[table]))
    commit(engine, *(statement.format("2020-02-29") for statement in TIMES[table]))


@pytest.mark.parametrize(
    "column",
    [
        "sum_of_squares",
        "two_way_sum_of_squares",
        "runs_part",
        "two_way_runs_part",
        "topic_squares",
        "two_way_topic_squares",
        # Filled until schema 0004.
        "chi_square_low",
        "chi_square_high",
        "bootstrap_low",
        "bootstrap_high",
        "level",
    ],
)
def test_an_estimate_is_all_finite(engine, logged, column):
    value = "'{{0,{},0}}'" if column.endswith("topic_squares") else "'{}'"
    for number in ("NaN", "Infinity", "-1"):
        with pytest.raises(DatabaseError, match=r"check constraint .variance_estimate_"):
            commit(engine, *factor_set(), estimate(**{column: value.format(number)}))
    commit(engine, *factor_set(), estimate(**{column: value.format("0.5")}))


OTHER_SIZES = [
    ("clusters", "0"),
    ("clusters", "3"),
    ("version", "0"),
    ("topic_ids", "'{1,2}'"),
    ("topic_ids", "'{1,2,NULL}'"),
    ("topic_squares", "'{1,0}'"),
    ("topic_squares", "'{1,0,NULL}'"),
    ("two_way_topic_squares", "'{0,0,0.5,0.5}'"),
    ("two_way_topic_squares", "'{}'"),
]


def test_an_estimate_is_of_all_topics_and_of_as_many_clusters_as_runs_at_most(
    engine, logged, subtests
):
    for column, value in OTHER_SIZES:
        sentence = rf"check constraint .variance_estimate_{column}"
        with subtests.test(column, value=value), pytest.raises(DatabaseError, match=sentence):
            commit(engine, *factor_set(), estimate(**{column: value}))
    # It always has what its interval needs.
    for column in ("clusters", "version", "topic_ids", "topic_squares"):
        sentence = f'null value in column "{column}"'
        with subtests.test(column), pytest.raises(DatabaseError, match=sentence):
            commit(engine, *factor_set(), estimate(**{column: "NULL"}))


def test_a_result_and_its_request_are_objects(engine, logged):
    for column, values in (("request", "'[]', '{}'"), ("result", "'{}', '[]'")):
        with pytest.raises(DatabaseError, match=f"check constraint .result_{column}"):
            commit(engine, RESULT.replace("'{}', '{}'", values))


@pytest.mark.parametrize("inputs", ["NULL, NULL", "1, 1"])
def test_an_input_of_a_result_is_of_one_origin(engine, logged, inputs):
    commit(engine, RESULT)
    with pytest.raises(DatabaseError, match=r"check constraint .result_input_one_origin"):
        commit(
            engine,
            "INSERT INTO roundbook.result_input (result_id, position, matrix_id, factor_set_id)"
            f" VALUES (1, 0, {inputs})",
        )


OTHER_ESTIMATES = [
    {"version": "3"},
    {"scale": "'std-ab'"},
    {"variance": "0.5"},
    {"sum_of_squares": "2"},
    {"dof": "5"},
    {"two_way_sum_of_squares": "2"},
    {"two_way_dof": "3"},
    {"topic_ids": "'{1,3,2}'"},
    {"topic_squares": "'{0,1,0}'"},
    {"two_way_topic_squares": "'{1,0,0}'"},
    {"two_way_topic_squares": "NULL"},
    {"topics": "2", "topic_ids": "'{1,2}'", "topic_squares": "'{1,0}'"},
]


def test_a_further_estimate_differs_in_its_teams_alone(engine, logged, subtests):
    commit(engine, *factor_set(), estimate())
    further = {"version": "2", "clusters": "1"}
    for otherwise in OTHER_ESTIMATES:
        # Of other topics it has as many squares.
        squares = {"two_way_topic_squares": "'{0,0.5}'"} if "topics" in otherwise else {}
        for role in ("origin", "replica"):
            with (
                subtests.test(role, **otherwise),
                pytest.raises(
                    DatabaseError, match="a further estimate of matrix 1 differs from the"
                ),
            ):
                commit(
                    engine,
                    f"SET LOCAL session_replication_role = {role}",
                    estimate(**further | otherwise | squares),
                )
    commit(engine, estimate(**further, runs_part="0.5", two_way_runs_part="0.25"))
    # Teams that were wrong may make for as many clusters as before, or more.
    commit(engine, estimate(version="3", clusters="2", runs_part="0.5", two_way_runs_part="0.25"))


@pytest.mark.parametrize("reason", ["NULL", "''"])
def test_a_revision_needs_a_reason(engine, logged, reason):
    commit(engine, PUBLISHED.format(revision=1, reason="NULL"))
    with pytest.raises(DatabaseError, match="published_variance_revised_for_a_reason"):
        commit(engine, PUBLISHED.format(revision=2, reason=reason))
    commit(engine, PUBLISHED.format(revision=2, reason="'misprint'"))


@pytest.mark.parametrize("reason", ["NULL", "''"])
def test_a_published_round_takes_a_variance_only_with_a_reason(engine, logged, reason):
    commit(engine, "UPDATE roundbook.round SET status = 'published'")
    with pytest.raises(DatabaseError, match="takes a published variance only with a reason"):
        commit(engine, PUBLISHED.format(revision=1, reason=reason))
    commit(engine, PUBLISHED.format(revision=1, reason="'found later'"))
