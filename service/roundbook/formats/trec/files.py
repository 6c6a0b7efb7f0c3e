"""Reading of the files of runs and of relevance assessments."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

from roundbook.errors import BadFileError
from roundbook.formats.layouts import refuse_other_files
from roundbook.formats.text import SourceText, StoredFile, decoded, read_bytes

_LONGEST_LINE = 2**16


def read_stored(path: Path | str, max_bytes: int, expected: str) -> tuple[StoredFile, SourceText]:
    """Read a UTF-8 text file, gzipped or not, in which a blank is the only white space in a line.

    `expected` is ``a TREC run`` or ``TREC qrels``; a file that looks like the other is refused.
    """
    file, data, unpacked = read_bytes(path, max_bytes)
    stored = StoredFile(file, len(data), hashlib.sha256(data).hexdigest())
    source = decoded(file, unpacked)
    if not source.text.isascii():
        source = SourceText(file, re.sub(r"[^\S\n]", " ", source.text))
    _refuse_long_lines(source)
    refuse_other_files(source, expected, source.first_rows[0][0])
    return stored, source


def _refuse_long_lines(source: SourceText) -> None:
    """Refuse lines that would take many times their size in memory when split into fields."""
    start = 0
    while len(source.text) - start > _LONGEST_LINE:
        stop = source.text.rfind("\n", start, start + _LONGEST_LINE) + 1
        if not stop:
            line = source.text.count("\n", 0, start) + 1
            reason = f"a line has more than {_LONGEST_LINE} characters; end each after its fields"
            raise BadFileError(reason, source.file, line)
        start = stop
