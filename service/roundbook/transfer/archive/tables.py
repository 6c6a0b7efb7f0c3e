"""The record's tables as an archive has them: members, columns, cells, numbers for ids.

All of it follows from the tables themselves. Rows are numbered 1, 2, ... within the archive, in
the order in which they were recorded, and these numbers take the place of ids.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from math import isfinite
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, ColumnElement, Table, Uuid, collate, or_, select, true, tuple_, types
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.schema import sort_tables

from roundbook.database import run_tables, tables
from roundbook.database.tables import metadata
from roundbook.formats.archive import VERSION

README = "README.txt"
# Recorded where an archive is read in; it belongs to that database and is not passed on.
IMPORTED = "archive imported"

# A score matrix has a member of its own in the place of its rows in these.
SCORES = (tables.matrix_topic, tables.matrix_run, tables.score_vector)
# So has an upload of runs.
LISTS = (run_tables.run_list,)
# What several tasks may have in common. They are numbered by name: in another database they may
# have been recorded in another order.
SHARED = (tables.team, tables.measure)
# The results are JSON with numbers of rows in it.
RESULTS = frozenset({tables.result.c.result})
_MATRIX_KEYS = ("matrix", "from_matrix", "to_matrix", "factors_of")

# What is computed from the scores where an archive is read, and so not carried.
_COMPUTED = {
    tables.variance_estimate: {"topic_ids", "topic_squares", "two_way_topic_squares"},
}
# By version of the format, the tables and the columns that archives before it had not yet.
_NEW_TABLES = {
    3: {tables.topic_alias},
    4: {
        run_tables.run_upload,
        run_tables.uploaded_run,
        run_tables.document_names,
        run_tables.qrels,
        run_tables.judgment_list,
    },
}
_NEW_COLUMNS = {
    2: {
        tables.variance_estimate: {"version", "clusters", "runs_part", "two_way_runs_part"},
        tables.published_variance: {"teams"},
    },
    3: {tables.event: {"database_user"}, tables.measure: {"spellings"}},
    4: {tables.result_input: {"run_upload_id", "qrels_id"}},
}

# In the order in which they can be inserted: what a result names before the result, the names of
# topics and runs before the scores, and these and the factors before the variances.
IN_ORDER: Sequence[Table] = sort_tables(
    metadata.tables.values(),
    extra_dependencies=[
        (tables.variance_estimate, tables.result),
        (tables.published_variance, tables.result),
        (tables.factor, tables.result),
        (tables.run, tables.matrix_topic),
        (tables.matrix_topic, tables.matrix_run),
        (tables.matrix_topic, tables.score_vector),
        (tables.score_vector, tables.variance_estimate),
        (tables.matrix_run, tables.variance_estimate),
        (tables.factor, tables.variance_estimate),
        (tables.factor_set_run, tables.variance_estimate),
    ],
)
TABLES = tuple(table for table in IN_ORDER if table not in (*SCORES, *LISTS, *tables.TOKEN_TABLES))

# By table: the numbers of its ids, or the ids of its numbers.
Numbers = Mapping[str, Mapping[int, int]]


def tables_of(version: int) -> set[Table]:
    """Return the tables that an archive of a version has, but for earlier forms of results."""
    later = (new for since, new in _NEW_TABLES.items() if version < since)
    return set(TABLES).difference(*later)


def table_member(table: Table) -> str:
    """Return the name of a table's member."""
    return f"{table.name}.csv"


def scores_member(number: int) -> str:
    """Return the name of the member that holds the scores of a matrix."""
    return f"scores/{number:06d}.csv"


def lists_member(number: int) -> str:
    """Return the name of the member that holds what the runs of an upload retrieved."""
    return f"lists/{number:06d}.csv"


def columns_of(table: Table, version: int = VERSION) -> list[Column[Any]]:
    """Return the columns of a table that an archive of a version has."""
    later = (new.get(table, set()) for since, new in _NEW_COLUMNS.items() if version < since)
    left_out = _COMPUTED.get(table, set()).union(*later)
    return [column for column in table.columns if column.name not in left_out]


def has_id(table: Table) -> bool:
    """Return whether the rows of a table are numbered, so that others can refer to them."""
    return "id" in table.columns


def refers_to(column: Column[Any]) -> Table | None:
    """Return the table whose ids stand in a column, None where none do.

    A key of several columns carries the ids of one table through another.
    """
    for key in column.foreign_keys:
        if key.column.name == "id":
            return key.column.table
        return refers_to(key.column)
    return None


def in_order(table: Table) -> list[ColumnElement[Any]]:
    """Return by what the rows of a table are ordered in an archive."""
    if table in SHARED:
        return [collate(table.c.name, "C")]
    return [
        collate(key, "C") if isinstance(key.type, types.Text) else key for key in table.primary_key
    ]


def rows_of(table: Table, tasks: Sequence[int] | None) -> ColumnElement[bool]:
    """Return which rows of a table belong to these tasks; to the whole record where None.

    A row belongs to what its first foreign key refers to, and so in the end to a task. What
    tasks share belongs to those that use it.
    """
    if tasks is None:
        return _not_imported(table)
    if table is tables.task:
        return table.c.id.in_(tasks)
    if table is tables.result:  # a name's versions are one history, even those of no task
        named = tuple_(table.c.kind, table.c.name)
        return named.in_(select(table.c.kind, table.c.name).where(table.c.task_id.in_(tasks)))
    if table in SHARED:
        return or_(
            *(
                table.c.id.in_(select(column).where(rows_of(user, tasks)))
                for user in TABLES
                for column in user.columns
                if any(key.column is table.c.id for key in column.foreign_keys)
            )
        )
    owner = next(column for column in table.columns if column.foreign_keys)
    parent = refers_to(owner)
    assert parent is not None
    return owner.in_(select(parent.c.id).where(rows_of(parent, tasks))) & _not_imported(table)


def _not_imported(table: Table) -> ColumnElement[bool]:
    return table.c.what != IMPORTED if table is tables.event else true()


class _Codec(NamedTuple):
    write: Callable[[Any], str]
    read: Callable[[str], Any]


def write_cell(column: Column[Any], value: object) -> str:
    """Return a value as text; what is null as no text at all."""
    if value is None and column.nullable:
        return ""
    text = _codec(column).write(value)
    # Where there may be nothing, a text that looks like it is told apart by a mark.
    if column.nullable and isinstance(value, str) and (not text or text.startswith("\\")):
        return "\\" + text
    return text


def read_cell(column: Column[Any], cell: str) -> object:
    """Return the value that `write_cell` wrote.

    Raises
    ------
    ValueError
        When it would not have been written so.
    """
    if cell == "" and column.nullable:
        return None
    marked = column.nullable and isinstance(column.type, types.Text) and cell.startswith("\\")
    try:
        value = _codec(column).read(cell[1:] if marked else cell)
        same = write_cell(column, value) == cell
    except (ValueError, OverflowError, RecursionError):
        same = False
    if not same:
        raise ValueError(cell)
    return value


def _codec(column: Column[Any]) -> _Codec:
    if isinstance(column.type, ARRAY) and isinstance(column.type.item_type, types.Integer):
        return _Codec(_write_json, partial(_read_list, kind=int))
    for kind, codec in _CODECS:
        if isinstance(column.type, kind):
            return codec
    raise TypeError(f"{column} has a type that no archive holds yet")


def _write_json(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def _read_list(cell: str, kind: type) -> list[Any]:
    value = json.loads(cell)
    if not isinstance(value, list) or any(type(part) is not kind for part in value):
        raise ValueError(cell)
    return value


def _read_double(cell: str) -> float:
    value = float(cell)
    if not isfinite(value):
        raise ValueError(cell)
    return value


def _write_moment(value: datetime) -> str:
    return value.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


_CODECS: tuple[tuple[type, _Codec], ...] = (
    (types.Integer, _Codec(str, int)),
    (types.Double, _Codec(repr, _read_double)),
    (types.Text, _Codec(str, str)),
    (
        types.Boolean,
        _Codec(lambda value: "true" if value else "false", lambda cell: cell == "true"),
    ),
    (types.DateTime, _Codec(_write_moment, datetime.fromisoformat)),
    (types.Date, _Codec(date.isoformat, date.fromisoformat)),
    (Uuid, _Codec(str, UUID)),
    (ARRAY, _Codec(_write_json, partial(_read_list, kind=str))),
    (JSONB, _Codec(_write_json, json.loads)),
)


def single_precision(values: npt.NDArray[np.float32]) -> str:
    """Return numbers of single precision as text: of each the shortest that reads back as it."""
    return " ".join(values.astype(str).tolist())


def renumber(result: object, numbers: Numbers) -> object:
    """Return a saved result with other numbers for matrices and estimates.

    Raises
    ------
    KeyError
        When it names one that `numbers` has not.
    """
    if isinstance(result, list):
        return [renumber(part, numbers) for part in result]
    if not isinstance(result, dict):
        return result
    return {key: _renumbered(key, value, result, numbers) for key, value in result.items()}


def _renumbered(key: str, value: object, around: dict[str, Any], numbers: Numbers) -> object:
    if isinstance(value, int) and not isinstance(value, bool):
        if key in _MATRIX_KEYS:
            return numbers["matrix"][value]
        if key == "estimate":
            computed = around.get("origin") == "matrix"
            return numbers["variance_estimate" if computed else "published_variance"][value]
    return renumber(value, numbers)
