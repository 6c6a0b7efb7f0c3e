"""The record's tables in archives: members, columns, rows, and row numbers for ids.

All of it is derived from the tables' definitions. Rows are numbered 1, 2, ... within the archive,
in the order in which they were recorded, and these numbers replace the ids.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Column, ColumnElement, Table, collate, or_, select, true, tuple_, types
from sqlalchemy.schema import sort_tables

from roundbook.database import run_tables, tables
from roundbook.database.tables import metadata
from roundbook.transfer.archive.earlier import EARLIER, EARLIER_RESULTS

# The version of the format that is written; every earlier one is read.
VERSION = 4
README = "README.txt"
# The event of an import; it belongs to the importing database and is not exported.
IMPORTED = "archive imported"

# A score matrix has a member of its own in place of its rows in these tables.
SCORES = (tables.matrix_topic, tables.matrix_run, tables.score_vector)
# An upload of runs has one in place of its rows in this table.
LISTS = (run_tables.run_list,)
# Tables whose rows several tasks may share. These are numbered by name, as another database may
# have recorded them in another order.
SHARED = (tables.team, tables.measure)
# Columns of JSON in which row numbers occur.
RESULTS = EARLIER_RESULTS | {tables.result.c.result}

# Columns that an import computes from the scores, and that archives leave out.
_COMPUTED = {tables.variance_estimate: {"topic_ids", "topic_squares", "two_way_topic_squares"}}
# The tables and columns that each version of the format added.
_NEW_TABLES = {
    3: {tables.topic_alias, tables.result, tables.result_input},
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

# The tables in an order in which they can be inserted: the inputs of results before the results,
# topics and runs before the scores, and scores and factors before the variances.
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

# By table, from ids to row numbers or from row numbers to ids.
Numbers = Mapping[str, Mapping[int, int]]


def tables_of(version: int) -> set[Table]:
    """Return the tables in archives of a version."""
    later = (new for since, new in _NEW_TABLES.items() if version < since)
    return set(TABLES).difference(*later) | set(EARLIER if version < 3 else ())


def table_member(table: Table) -> str:
    """Return the name of a table's member."""
    return f"{table.name}.csv"


def scores_member(number: int) -> str:
    """Return the name of the member that holds the scores of a matrix."""
    return f"scores/{number:06d}.csv"


def lists_member(number: int) -> str:
    """Return the name of the member with the ranked lists of an upload of runs."""
    return f"lists/{number:06d}.csv"


def columns_of(table: Table, version: int = VERSION) -> list[Column[Any]]:
    """Return the columns of a table in archives of a version."""
    later = (new.get(table, set()) for since, new in _NEW_COLUMNS.items() if version < since)
    left_out = _COMPUTED.get(table, set()).union(*later)
    return [column for column in table.columns if column.name not in left_out]


def has_id(table: Table) -> bool:
    """Return whether a table's rows are numbered, so that other rows can refer to them."""
    return "id" in table.columns


@cache  # asked for of every cell
def refers_to(column: Column[Any]) -> Table | None:
    """Return the table whose ids a column holds, None if it holds no ids.

    With a foreign key of several columns, these may be the ids of a table further on.
    """
    for key in column.foreign_keys:
        if key.column.name == "id":
            return key.column.table
        return refers_to(key.column)
    return None


def in_order(table: Table) -> list[ColumnElement[Any]]:
    """Return the columns by which the rows of a table are ordered in an archive."""
    if table in SHARED:
        return [collate(table.c.name, "C")]
    return [
        collate(key, "C") if isinstance(key.type, types.Text) else key for key in table.primary_key
    ]


def rows_of(table: Table, tasks: Sequence[int] | None) -> ColumnElement[bool]:
    """Return the condition on a table's rows to belong to these tasks; None for the whole record.

    A row belongs to the row that its first foreign key refers to, and so in the end to a task. A
    shared row belongs to all tasks that use it.
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


def map_ids(column: Column[Any], value: object, numbers: Numbers) -> object:
    """Return a column's value with ids, also those in saved results, replaced as by `renumber`."""
    table = column.table if column.name == "id" else refers_to(column)
    if table is not None and isinstance(value, int):
        return numbers[table.name][value]
    return renumber(value, numbers) if column in RESULTS else value


def renumber(result: object, numbers: Numbers) -> object:
    """Return a saved result with its ids of matrices and estimates replaced by `numbers`.

    Raises
    ------
    KeyError
        When `numbers` lacks one of them.
    """
    if isinstance(result, list):
        return [renumber(part, numbers) for part in result]
    if not isinstance(result, dict):
        return result
    renumbered: dict[str, object] = {}
    for key, value in result.items():
        table = _table_named(key, result)
        if table is not None and isinstance(value, int):
            renumbered[key] = numbers[table][value]
        else:
            renumbered[key] = renumber(value, numbers)
    return renumbered


def _table_named(key: str, result: Mapping[str, object]) -> str | None:
    """Return the table of whose row a key of a saved result holds the id, None if it holds none."""
    if key in ("matrix", "factors_of") or key.endswith("_matrix"):
        return "matrix"
    if key == "estimate":
        return "variance_estimate" if result.get("origin") == "matrix" else "published_variance"
    return None
