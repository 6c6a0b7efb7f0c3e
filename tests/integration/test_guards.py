"""What the database itself refuses, whoever connects."""

from __future__ import annotations

import numpy as np
import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from service.database.engine import unit_of_work
from service.errors import DatabaseError
from service.formats import ScoreMatrix, settle_missing
from service.logbook.matrices import log_matrix
from service.logbook.published import record_variance

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
)


@pytest.fixture
def logged(engine):
    scores = ScoreMatrix(("a", "b", "c"), ("x", "y"), np.eye(3, 2), None, "wide", ("f",))
    settled = settle_missing(scores, "reject")
    done = log_matrix(engine, "task", "1", "AP", settled, create=True, user="tester")
    record_variance(
        engine, "task", "1", "P@5", variance=0.1, runs=3, topics=9, source="paper", user="tester"
    )
    return done.matrix


def refused(engine, statement, **values):
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        connection.execute(text(statement), values)
        connection.commit()
    return caught.value.__cause__


@pytest.mark.parametrize("table", IMMUTABLE)
@pytest.mark.parametrize(
    "statement", ["DELETE FROM {}", "TRUNCATE {} CASCADE", "UPDATE {} SET {} = {}"]
)
def test_what_is_logged_stays(engine, logged, table, statement):
    column = {"factor": "mean", "factor_set": "zero_sd", "factor_set_run": "run_id"}.get(table)
    with unit_of_work(engine) as connection:
        column = connection.execute(
            text(
                "SELECT column_name FROM information_schema.columns WHERE table_schema ="
                " 'roundbook' AND table_name = :t AND is_identity = 'NO' LIMIT 1"
            ),
            {"t": table},
        ).scalar()
    cause = refused(engine, statement.format(f"roundbook.{table}", column, column))
    assert isinstance(cause, DBAPIError)
    assert isinstance(cause.orig, psycopg.errors.RestrictViolation)


def test_a_run_keeps_its_tag(engine, logged):
    refused(engine, "UPDATE roundbook.run SET tag = 'z' WHERE tag = 'x'")
    with unit_of_work(engine) as connection:
        connection.execute(text("UPDATE roundbook.run SET system = 's' WHERE tag = 'x'"))
        connection.commit()


INSERT_VECTOR = (
    "INSERT INTO roundbook.score_vector (matrix_id, run_id, position, topics, runs, scores)"
    " SELECT :matrix, run.id, :position, :topics, :runs, CAST(:scores AS float8[])"
    " FROM roundbook.run WHERE tag = 'z'"
)


@pytest.mark.parametrize(
    ("position", "topics", "runs", "scores"),
    [
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
    ],
)
def test_no_other_vector_gets_in(engine, logged, position, topics, runs, scores):
    with unit_of_work(engine) as connection:
        connection.execute(text("INSERT INTO roundbook.run (round_id, tag) VALUES (1, 'z')"))
        connection.commit()
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
