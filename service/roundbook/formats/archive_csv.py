"""The CSV dialect of archives: one way to write it, and only that way is read."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.archive import BROKEN, Archive

_CELL = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\n|\Z)')
_TO_QUOTE = re.compile('[",\r\n]')


class Record(NamedTuple):
    """A record of a CSV and the line on which it begins."""

    line: int
    cells: list[str]


def read_records(archive: Archive, name: str) -> Iterator[Record]:
    """Yield the records of a CSV member, the header first."""
    member = f"{archive.file}/{name}"
    first_line, parts, quotes = 1, [], 0
    for line, text in enumerate(_lines(archive, name), 1):
        parts.append(text)
        quotes += text.count('"')
        if quotes % 2:  # within a cell that holds a line break
            continue
        yield Record(first_line, _split("".join(parts), member, first_line))
        first_line, parts, quotes = line + 1, [], 0
    if parts:
        raise BadFileError("a double quote is not closed", member, first_line)


def _lines(archive: Archive, name: str) -> Iterator[str]:
    try:
        with (
            archive.content.open(name) as stream,
            io.TextIOWrapper(stream, encoding="utf-8", newline="\n") as lines,
        ):
            yield from lines
    except UnicodeDecodeError:
        raise BadFileError("this is not UTF-8 text", f"{archive.file}/{name}") from None
    except BROKEN as error:
        raise BadFileError(f"this is damaged ({error})", f"{archive.file}/{name}") from None


def _split(text: str, member: str, line: int) -> list[str]:
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
