"""Cells of an archive: each value has one spelling, and only that is read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.database.run_tables import judgment_list
from roundbook.database.tables import (
    TOKEN_TABLES,
    event,
    factor,
    factor_set,
    factor_set_run,
    matrix,
    metadata,
    result_input,
    round_,
    run,
    task,
)
from roundbook.transfer.archive.cells import read_cell, write_cell
from roundbook.transfer.archive.tables import (
    IN_ORDER,
    LISTS,
    SCORES,
    TABLES,
    refers_to,
    renumber,
)

TEXT = st.text(st.characters(codec="utf-8"))
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=-9, minutes=30))]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=8,
)
VALUES = [
    (task.c.name, TEXT),
    (task.c.title, st.none() | TEXT),
    (task.c.title, TEXT.map("\\".__add__)),
    (task.c.created_at, MOMENTS.filter(lambda at: 1 < at.year < 9999)),
    (round_.c.held, st.none() | st.dates()),
    (round_.c.pseudonym_key, st.uuids()),
    (run.c.contributed_to_pool, st.none() | st.booleans()),
    (factor.c.sd, st.floats(allow_nan=False, allow_infinity=False)),
    (matrix.c.topics, st.integers()),
    (matrix.c.files, st.lists(TEXT)),
    (judgment_list.c.grades, st.lists(st.integers())),
    (event.c.details, st.dictionaries(TEXT, JSON)),
]


@pytest.mark.long
@pytest.mark.parametrize(("column", "values"), VALUES, ids=str)
def test_a_value_reads_back(column, values):
    @given(values)
    def reads_back(value):
        cell = write_cell(column, value)
        again = read_cell(column, cell)
        assert again == value
        assert type(again) is type(value)
        assert write_cell(column, again) == cell

    reads_back()


@pytest.mark.parametrize(
    ("column", "value", "cell"),
    [
        (task.c.title, None, ""),
        (task.c.title, "", "\\"),
        (task.c.title, "\\", "\\\\"),
        (task.c.title, "a\\b", "a\\b"),
        (task.c.name, "", ""),
        (task.c.name, "\\", "\\"),
        (factor.c.mean, -0.0, "-0.0"),
        (factor.c.mean, 1e22, "1e+22"),
        (run.c.contributed_to_pool, False, "false"),
        (event.c.details, {"b": 1, "a": ["é", None]}, '{"a":["é",null],"b":1}'),
    ],
)
def test_how_values_are_written(column, value, cell):
    assert write_cell(column, value) == cell
    assert read_cell(column, cell) == value


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (task.c.title, "\\a"),
        (matrix.c.topics, ""),
        (matrix.c.topics, "1.0"),
        (matrix.c.topics, "+1"),
        (matrix.c.topics, " 1"),
        (matrix.c.topics, "-0"),
        (factor.c.mean, "0.50"),
        (factor.c.mean, "1"),
        (factor.c.mean, "nan"),
        (factor.c.mean, "-inf"),
        (factor.c.mean, "1e400"),
        (run.c.contributed_to_pool, "True"),
        (run.c.contributed_to_pool, "0"),
        (round_.c.held, "20260131"),
        (round_.c.held, "2026-W05-6"),
        (task.c.created_at, "2026-01-31T00:00:00Z"),
        (matrix.c.files, '"a"'),
        (matrix.c.files, "[null]"),
        (judgment_list.c.grades, "[1.0]"),
        (judgment_list.c.grades, "[true]"),
        (judgment_list.c.grades, '["1"]'),
        (event.c.details, "{}\n"),
        (event.c.details, '{"a":1.50}'),
        (event.c.details, '{"b":1,"a":1}'),
        (event.c.details, '{"a":Infinity}'),
    ],
)
def test_no_other_spelling_is_read(column, cell):
    with pytest.raises(ValueError, match=r"^"):
        read_cell(column, cell)


def test_every_table_and_every_column_has_its_place():
    assert {*TABLES, *SCORES, *LISTS, *TOKEN_TABLES} == set(metadata.tables.values())
    for table in TABLES:
        for column in table.columns:
            cell = "" if column.nullable else write_cell(column, _sample(column))
            assert write_cell(column, read_cell(column, cell)) == cell


def _sample(column):
    kind = type(column.type).__name__
    return {
        "BigInteger": 1,
        "Integer": 1,
        "Double": 0.1,
        "Text": "a",
        "Boolean": True,
        "DateTime": datetime(2026, 1, 31, tzinfo=UTC),
        "Uuid": "00000000-0000-0000-0000-000000000000",
        "ARRAY": [],
        "JSONB": {},
    }[kind]


def test_ids_are_followed_through_keys_of_several_columns():
    assert refers_to(factor_set.c.round_id).name == "round"
    assert refers_to(factor_set.c.assessments) is None
    assert refers_to(factor_set_run.c.run_id).name == "run"
    assert refers_to(factor.c.topic_id).name == "topic"
    assert refers_to(matrix.c.topics) is None
    for table in TABLES:
        for column in table.columns:
            assert column.name.endswith("_id") == (refers_to(column) is not None), column


def test_what_is_referred_to_comes_first():
    names = [table.name for table in IN_ORDER]
    for table in IN_ORDER:
        for column in table.columns:
            other = refers_to(column)
            if other is not None:
                assert names.index(other.name) < names.index(table.name)
    for first, later in (
        ("variance_estimate", "result_input"),
        ("published_variance", "result_input"),
        ("run", "matrix_topic"),
        ("topic", "matrix_topic"),
        ("score_vector", "factor_set_run"),
        ("matrix_topic", "factor"),
    ):
        assert names.index(first) < names.index(later)
    assert result_input in TABLES


def test_the_numbers_in_a_result():
    numbers = {"matrix": {1: 7, 2: 8}, "variance_estimate": {1: 9}, "published_variance": {1: 10}}
    result = {
        "from_matrix": 1,
        "to_matrix": 2,
        "matrix": None,
        "factors_of": 2,
        "runs": 1,
        "estimate": {"rounds": [
            {"origin": "matrix", "estimate": 1, "matrix": 1, "revision": 1},
            {"origin": "published", "estimate": 1, "matrix": None, "revision": 2},
        ]},
        "withdrawn": [{"matrix": 2, "reason": "matrix 1"}],
    }  # fmt: skip
    assert renumber(result, numbers) == {
        "from_matrix": 7,
        "to_matrix": 8,
        "matrix": None,
        "factors_of": 8,
        "runs": 1,
        "estimate": {"rounds": [
            {"origin": "matrix", "estimate": 9, "matrix": 7, "revision": 1},
            {"origin": "published", "estimate": 10, "matrix": None, "revision": 2},
        ]},
        "withdrawn": [{"matrix": 8, "reason": "matrix 1"}],
    }  # fmt: skip
    with pytest.raises(KeyError):
        renumber({"matrix": 3}, numbers)
