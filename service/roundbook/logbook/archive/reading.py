"""The rows of an archive's tables, with the ids of a database in the place of its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Column, Table

from roundbook.errors import BadFileError
from roundbook.formats.archive import Archive
from roundbook.formats.archive_csv import Record, read_records
from roundbook.logbook.archive.tables import (
    RESULTS,
    Numbers,
    columns_of,
    read_cell,
    refers_to,
    renumber,
    table_member,
)


def table_rows(archive: Archive, table: Table, ids: Numbers) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as values by column, without the column of their own numbers.

    Parameters
    ----------
    ids
        By table, the ids of the rows that these may refer to.

    Raises
    ------
    BadFileError
        When a cell is not as an archive has it, or refers to what is not there.
    """
    member = table_member(table)
    place = f"{archive.file}/{member}"
    records = read_records(archive, member)
    columns = columns_of(table, archive.manifest.version)
    names = [column.name for column in columns]
    header = next(records, None)
    if header is None or header.cells != names:
        raise BadFileError(f"the header must be {','.join(names)}", place, 1)
    count = 0
    for count, record in enumerate(records, 1):
        yield _row(columns, record, count, ids, place)
    if count != archive.manifest.members[member].rows:
        raise BadFileError(f"there are {count} rows, and the manifest says otherwise", place)


def _row(
    columns: Sequence[Column[Any]], record: Record, number: int, ids: Numbers, place: str
) -> dict[str, Any]:
    if len(record.cells) != len(columns):
        raise BadFileError(
            f"expected {len(columns)} cells as in the header, found {len(record.cells)}",
            place,
            record.line,
        )
    row = {}
    for position, (column, cell) in enumerate(zip(columns, record.cells, strict=True), 1):
        try:
            value = read_cell(column, cell)
            if column.name != "id":
                row[column.name] = _in_ids(column, value, ids)
            elif value != number:
                raise BadFileError(
                    f"row {number} is numbered {value}", place, record.line, position
                )
        except KeyError as error:
            reason = f"{column.name} names number {error}, which is not there"
            raise BadFileError(reason, place, record.line, position) from None
        except ValueError as error:
            if isinstance(error, BadFileError):
                raise
            shown = repr(cell if len(cell) <= 40 else cell[:39] + "…")
            reason = f"{shown} is not how an archive writes {column.name}"
            raise BadFileError(reason, place, record.line, position) from None
    return row


def _in_ids(column: Column[Any], value: Any, ids: Numbers) -> Any:  # noqa: ANN401
    other = refers_to(column)
    if other is not None and value is not None:
        return ids[other.name][value]
    return renumber(value, ids) if column in RESULTS else value
