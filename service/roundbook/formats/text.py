"""Files as text with numbered lines."""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import BinaryIO
from unicodedata import normalize

from roundbook.errors import BadFileError

_CHUNK = 2**20
_GZIP = b"\x1f\x8b"
_NOT_TEXT = {
    b"PK\x03\x04": "is a zip archive or a spreadsheet (ods); save the sheet as CSV or xlsx",
    b"PK\x05\x06": "is an empty zip archive; give the file inside it",
    b"\xd0\xcf\x11\xe0": "is an old Office document (xls) or has a password; save it as CSV or xlsx",
    b"BZh": "is compressed with bzip2; decompress it, or compress it with gzip",
    b"\xfd7zXZ\x00": "is compressed with xz; decompress it, or compress it with gzip",
    b"\x28\xb5\x2f\xfd": "is compressed with zstd; decompress it, or compress it with gzip",
    b"%PDF-": "is a PDF; save the scores as CSV",
    # UTF-32 first: in little endian its mark begins with that of UTF-16.
    b"\xff\xfe\x00\x00": "the file is UTF-32 text; save it as UTF-8",
    b"\x00\x00\xfe\xff": "the file is UTF-32 text; save it as UTF-8",
    b"\xff\xfe": "the file is UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "the file is UTF-16 text; save it as UTF-8",
}
# The line that tells Excel how columns are separated, as in sep=;
_SEPARATOR_LINE = re.compile(r'\A"?sep=[,;\t]"?(?=\n)', re.IGNORECASE)


@dataclass(frozen=True)
class SourceText:
    """The text of a file.

    Attributes
    ----------
    file : str
        The file as the user named it.
    text : str
        Its lines end in a line feed; at least one is not blank.
    """

    file: str
    text: str

    @cached_property
    def rows(self) -> list[tuple[int, str]]:
        """The lines that are not blank, each with its 1-based line number in the file."""
        # Not splitlines(): that also splits at form feeds and Unicode separators inside names.
        return [row for row in enumerate(self.text.split("\n"), 1) if row[1].strip()]

    @cached_property
    def first_rows(self) -> list[tuple[int, str]]:
        """The first two lines that are not blank, or the only one."""
        rows: list[tuple[int, str]] = []
        start = number = 0
        while len(rows) < 2 and start < len(self.text):
            stop = self.text.find("\n", start)
            line = self.text[start : stop if stop >= 0 else None]
            start += len(line) + 1
            number += 1
            if line.strip():
                rows.append((number, line))
        return rows


@dataclass(frozen=True)
class StoredFile:
    """A file that was read: its name as the user gave it, its size and its hash as stored."""

    file: str
    size: int
    sha256: str


# The temporary directory of uploaded files, which messages to the client must not show.
_SENT_TO: ContextVar[str] = ContextVar("_SENT_TO", default="")


@contextmanager
def sent_to(directory: Path | str) -> Iterator[None]:
    """Within the block, name a directory's files without the directory in errors and the record."""
    token = _SENT_TO.set(f"{os.fspath(directory)}/")
    try:
        yield
    finally:
        _SENT_TO.reset(token)


# The path that means standard input, and its name in messages.
_STANDARD_INPUT = "-"
STANDARD_INPUT = "standard input"


def shown_path(path: Path | str) -> str:
    """Return the path as text that can be printed and stored, whatever its bytes."""
    if os.fspath(path) == _STANDARD_INPUT:
        return STANDARD_INPUT
    text = os.fspath(path).removeprefix(_SENT_TO.get())
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(mark if mark.isprintable() else ascii(mark)[1:-1] for mark in text)


def read_bytes(path: Path | str, max_bytes: int) -> tuple[str, bytes, bytes]:
    """Return a file's name, its bytes as stored, and its bytes decompressed if gzipped.

    Parameters
    ----------
    path : path
        ``-`` is standard input.
    max_bytes : int
        Neither the file nor what it decompresses to may be larger.
    """
    file = shown_path(path)
    try:
        if file == STANDARD_INPUT:
            stored = _limited(sys.stdin.buffer, "is larger", file, max_bytes)
        else:
            mode = Path(path).stat().st_mode
            if stat.S_ISDIR(mode):
                raise BadFileError("is a directory; give the files in it", file)
            if not stat.S_ISREG(mode):
                # Opening a pipe without a writer would wait for ever.
                reason = "is a pipe or a device; save its content to a file first"
                raise BadFileError(reason, file)
            with Path(path).open("rb") as stream:
                stored = _limited(stream, "is larger", file, max_bytes)
    except BadFileError:
        raise
    except FileNotFoundError:
        reason = "there is no such file"
    except PermissionError:
        reason = "the file may not be read; check its permissions"
    except (OSError, ValueError) as error:
        reason = f"the file cannot be read ({getattr(error, 'strerror', None) or error})"
    else:
        is_packed = stored.startswith(_GZIP)
        return file, stored, _decompressed(stored, file, max_bytes) if is_packed else stored
    raise BadFileError(reason, file)


def decoded(file: str, data: bytes) -> SourceText:
    """Return bytes as text in NFC, so that names are equal however their accents are encoded."""
    for magic, reason in _NOT_TEXT.items():
        if data.startswith(magic):
            raise BadFileError(reason, file)
    nul = data.find(b"\x00")
    if nul >= 0:
        reason = f"the file is not text: NUL byte at byte offset {nul}; save it as UTF-8 text"
        raise BadFileError(reason, file, _line_at(data, nul))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # The codec counts from after the byte order mark.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise BadFileError(
            f"the text is not UTF-8: byte 0x{data[offset]:02x} at byte offset {offset}; "
            "save the file as UTF-8",
            file,
            _line_at(data, offset),
        ) from None
    if not text.isascii():
        text = normalize("NFC", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Left empty, not out: errors name lines of the file.
    text = _SEPARATOR_LINE.sub("", text)
    if not text or text.isspace():
        raise BadFileError("the file is empty", file)
    return SourceText(file, text)


def fields_of(text: str) -> list[str]:
    """Return the fields of a line, separated by tabs if it has any, else by white space."""
    return [field.strip() for field in text.split("\t")] if "\t" in text else text.split()


def _limited(stream: BinaryIO | gzip.GzipFile, excess: str, file: str, max_bytes: int) -> bytes:
    # Read one byte beyond the limit to see that it is exceeded; a bomb is never unpacked whole.
    chunks: list[bytes] = []
    left = max_bytes + 1
    while left > 0 and (chunk := stream.read(min(_CHUNK, left))):
        chunks.append(chunk)
        left -= len(chunk)
    if not left:
        raise BadFileError(
            f"the file {excess} than {max_bytes} bytes; "
            "raise ROUNDBOOK_MAX_FILE_BYTES if it should be read",
            file,
        )
    return b"".join(chunks)


def _decompressed(data: bytes, file: str, max_bytes: int) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            unpacked = _limited(stream, "decompresses to more", file, max_bytes)
    except (OSError, EOFError, zlib.error):
        raise BadFileError(
            "the gzip file is broken or cut short; compress or copy it again", file
        ) from None
    if unpacked.startswith(_GZIP):
        raise BadFileError("the file is gzipped twice; decompress it once", file)
    return unpacked


def _line_at(data: bytes, offset: int) -> int:
    before = data[:offset]
    # Every CR, and every LF that does not follow one.
    return 1 + before.count(b"\r") + before.count(b"\n") - before.count(b"\r\n")
