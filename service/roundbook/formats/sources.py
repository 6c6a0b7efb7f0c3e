"""A file as what readers take: text, or a table where it is a spreadsheet or in Parquet."""

from __future__ import annotations

from pathlib import Path

from roundbook.formats.columns import Table
from roundbook.formats.parquet import read_parquet
from roundbook.formats.text import SourceText, decoded, read_bytes
from roundbook.formats.workbooks import read_workbook


def read_source(path: Path | str, max_bytes: int) -> SourceText | Table:
    """Read a file, whose content tells what it is; see `read_text`.

    Raises
    ------
    BadFileError
        If it cannot be read as such, or a library is missing that reads it.
    """
    file, data = read_bytes(path, max_bytes)
    if data.startswith(b"PK\x03\x04") and b"xl/workbook" in data:
        return read_workbook(data, file, max_bytes)
    if data.startswith(b"PAR1"):
        return read_parquet(data, file, max_bytes)
    return decoded(file, data)
