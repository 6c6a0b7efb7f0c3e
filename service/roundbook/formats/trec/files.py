"""The files that runs and relevance assessments come in, and what a line of them is."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.table import is_number
from roundbook.formats.text import SourceText, decoded, fields_of, stored_bytes, unpacked

_LONGEST_LINE = 2**16


class StoredFile(NamedTuple):
    """A file as it was read: its name as the user gave it, its bytes counted and hashed as stored."""

    file: str
    size: int
    sha256: str


def read_stored(path: Path | str, max_bytes: int) -> tuple[StoredFile, SourceText]:
    """Read a UTF-8 text file, gzipped or not, in which a blank is the only white space in a line.

    Raises
    ------
    BadFileError
        As `roundbook.formats.text.read_text`.
    """
    file, data = stored_bytes(path, max_bytes)
    stored = StoredFile(file, len(data), hashlib.sha256(data).hexdigest())
    source = decoded(file, unpacked(file, data, max_bytes))
    if not source.text.isascii():
        source = SourceText(file, re.sub(r"[^\S\n]", " ", source.text))
    _refuse_long_lines(source)
    return stored, source


def _refuse_long_lines(source: SourceText) -> None:
    """Refuse what takes many times its size in memory when it is split into fields."""
    start = 0
    while len(source.text) - start > _LONGEST_LINE:
        stop = source.text.rfind("\n", start, start + _LONGEST_LINE) + 1
        if not stop:
            line = source.text.count("\n", 0, start) + 1
            reason = f"a line has more than {_LONGEST_LINE} characters; end each after its fields"
            raise BadFileError(reason, source.file, line)
        start = stop


def kind_of_line(text: str) -> str | None:
    """Return what a line is of, where it can be of TREC qrels or of a TREC run."""
    fields = fields_of(text)
    if len(fields) == 6 and fields[1].upper() == "Q0" and is_number(fields[4]):
        return "a TREC run"
    if len(fields) != 4 or not is_number(fields[1]) or not fields[3].lstrip("-").isdecimal():
        return None
    # With tabs it might be a row of a wide file, were it not for the document's name.
    return "TREC qrels" if "\t" not in text or not is_number(fields[2]) else None


def refuse_kind(source: SourceText, kind: str, wanted: str, way_out: str) -> None:
    """Refuse a file whose first lines are of another kind, which has a command of its own.

    Raises
    ------
    BadFileError
        If they are.
    """
    if all(kind_of_line(text) == kind for _, text in source.first_rows):
        line = source.first_rows[0][0]
        raise BadFileError(
            f"this looks like {kind}, and not like {wanted}", source.file, line, way_out=way_out
        )
