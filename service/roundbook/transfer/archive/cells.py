"""The CSV of archives, its records and its cells: one way to write, and only that way is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from functools import cache, partial
from math import isfinite
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Uuid, types
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from roundbook.errors import BadFileError

_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\n|\Z)')
_TO_QUOTE = re.compile('[",\r\n]')


def split_record(text: str, member: str, line: int) -> list[str]:
    """Return the cells of a record, which must be written as `write_record` writes it."""
    if not text.endswith("\n"):
        raise BadFileError("the last line does not end", member, line)
    if '"' not in text and "\r" not in text:
        return text[:-1].split(",")
    cells = [
        match[2] if match[1] is None else match[1].replace('""', '"')
        for match in _CELL.finditer(text)
        if match.start() < len(text)
    ]
    if write_record(cells) != text:
        raise BadFileError("the quotes of this row are not as an archive has them", member, line)
    return cells


def write_record(cells: Iterable[str]) -> str:
    """Return a CSV record as text; only cells that would otherwise be misread are quoted."""
    return (
        ",".join(
            '"' + cell.replace('"', '""') + '"' if _TO_QUOTE.search(cell) else cell
            for cell in cells
        )
        + "\n"
    )


class _Codec(NamedTuple):
    """How a column's values are cells, and what a Table Schema calls its type."""

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    type: dict[str, str]


def write_cell(column: Column[Any], value: object) -> str:
    """Return a value as the text of a cell; null is the empty cell."""
    if value is None and column.nullable:
        return ""
    text = codec(column).write(value)
    # In a nullable column a backslash marks an empty text, and one that begins with a backslash.
    if column.nullable and isinstance(value, str) and (not text or text.startswith("\\")):
        return "\\" + text
    return text


def read_cell(column: Column[Any], cell: str) -> object:
    """Return the value that `write_cell` wrote.

    Raises
    ------
    ValueError
        When `write_cell` would write the value otherwise.
    """
    if cell == "" and column.nullable:
        return None
    marked = column.nullable and isinstance(column.type, types.Text) and cell.startswith("\\")
    try:
        value = codec(column).read(cell[1:] if marked else cell)
        same = write_cell(column, value) == cell
    except (ValueError, OverflowError, RecursionError):
        same = False
    if not same:
        raise ValueError(cell)
    return value


@cache  # asked for of every cell
def codec(column: Column[Any]) -> _Codec:
    """Return the codec of a column, by its type."""
    if isinstance(column.type, ARRAY) and isinstance(column.type.item_type, types.Integer):
        return _CODECS[ARRAY]._replace(read=partial(_read_list, kind=int))
    return next(known for kind, known in _CODECS.items() if isinstance(column.type, kind))


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


_CODECS: dict[type, _Codec] = {
    types.Integer: _Codec(str, int, {"type": "integer"}),
    types.Double: _Codec(repr, _read_double, {"type": "number"}),
    types.Text: _Codec(str, str, {"type": "string"}),
    types.Boolean: _Codec(
        lambda value: "true" if value else "false", lambda cell: cell == "true", {"type": "boolean"}
    ),
    types.DateTime: _Codec(_write_moment, datetime.fromisoformat, {"type": "datetime"}),
    types.Date: _Codec(date.isoformat, date.fromisoformat, {"type": "date"}),
    Uuid: _Codec(str, UUID, {"type": "string", "format": "uuid"}),
    ARRAY: _Codec(_write_json, partial(_read_list, kind=str), {"type": "array"}),
    JSONB: _Codec(_write_json, json.loads, {"type": "object"}),
}


def single_precision(values: npt.NDArray[np.float32]) -> str:
    """Return single-precision numbers as text, each the shortest that reads back equal."""
    return " ".join(values.astype(str).tolist())
