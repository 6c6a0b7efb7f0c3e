"""Teams and measures of an archive, matched with the record's by name or else recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, Text, cast, column, func, select
from sqlalchemy.dialects.postgresql import ARRAY, insert

from roundbook.database.tables import measure
from roundbook.errors import AlreadyRecordedError, BadFileError, InputError
from roundbook.logbook.measures import measure_named, parse_measure
from roundbook.transfer.archive.cells import write_cell

_IDENTITY = ("family", "cutoff", "parameters", "lower_bound", "upper_bound")


def ensure_shared(
    connection: Connection, table: Table, rows: Sequence[dict[str, Any]], file: str
) -> dict[int, int]:
    """Record the teams or measures that are new, and return the ids of all by number.

    Names are compared without case; the spelling recorded first stays. A measure gets its
    canonical name, or the name of the record's measure that it is a spelling of, unless another
    measure of the archive has that name.

    Raises
    ------
    AlreadyRecordedError
        When a different measure has the same name.
    BadFileError
        When a name is in the archive twice, or the names are not in order.
    """
    if not rows:
        return {}
    names = [row["name"] for row in rows]
    if names != sorted(names):
        raise BadFileError("the names are not in the order of code points", file)
    if table is measure:
        rows = _canonical(connection, rows, file)
        names = [row["name"] for row in rows]
    recorded = _recorded(connection, table, names)
    missing = [row for row, match in zip(rows, recorded, strict=True) if match.id is None]
    if missing:
        # Another session may be recording one of them at the same time.
        connection.execute(insert(table).on_conflict_do_nothing(), missing)
        recorded = _recorded(connection, table, names)
    if len({match.id for match in recorded}) < len(rows):
        raise BadFileError("a name is there twice, but for capitals", file)
    if table is measure:
        for row, match in zip(rows, recorded, strict=True):
            _refuse_different(row, match)
            if new := [name for name in row["spellings"] if name not in match.spellings]:
                connection.execute(
                    measure.update()
                    .where(measure.c.id == match.id)
                    .values(spellings=[*match.spellings, *new])
                )
    return {number: match.id for number, match in enumerate(recorded, 1)}


def _canonical(
    connection: Connection, rows: Sequence[dict[str, Any]], file: str
) -> list[dict[str, Any]]:
    """Return the measures of an archive under their names in the record."""
    measures = connection.execute(select(measure)).all()
    taken = {row["name"].lower() for row in rows}
    renamed = []
    for row in rows:
        try:
            identity = parse_measure(row["name"])._asdict()
        except InputError as error:
            raise BadFileError(str(error).removesuffix("."), file) from None
        if recorded := measure_named(measures, row["name"]):
            identity = {name: getattr(recorded, name) for name in identity}
        name, own = identity["name"].lower(), row["name"].lower()
        is_renamed = name != own and name not in taken
        taken.add(name)
        renamed.append({"spellings": []} | row | (identity if is_renamed else {}))
    return renamed


def _recorded(connection: Connection, table: Table, names: list[str]) -> list[Row[Any]]:
    listed = (
        func.unnest(cast(names, ARRAY(Text)))
        .table_valued(column("name", Text), with_ordinality="position", name="listed")
        .render_derived()
    )
    return list(
        connection.execute(
            select(table)
            .select_from(
                listed.outerjoin(table, func.lower(table.c.name) == func.lower(listed.c.name))
            )
            .order_by(listed.c.position)
        )
    )


def _refuse_different(row: dict[str, Any], recorded: Row[Any]) -> None:
    for name in _IDENTITY:
        there = write_cell(measure.c[name], getattr(recorded, name))
        here = write_cell(measure.c[name], row[name])
        if there.lower() != here.lower():
            raise AlreadyRecordedError(
                f"The measure {row['name']} is another one in the record: its"
                f" {name.replace('_', ' ')} is {there or 'unknown'} there and {here or 'unknown'}"
                " in the archive. Import the archive into another database.",
                measure=row["name"],
            )
