"""The checksum at the end of a backup: a hash of all bytes before it.

pg_restore does not notice a changed byte in the definitions of tables, constraints and functions,
which are plain text in a dump, and it ignores bytes after the dump's end.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from pathlib import Path
from typing import IO

from roundbook.errors import InputError

_MARK = b"\nRoundbook backup, BLAKE2b "
_DIGEST_BYTES = 32
_ENDING_BYTES = len(_MARK) + 2 * _DIGEST_BYTES + 1
_BLOCK_BYTES = 2**20


def append_checksum(file: Path) -> None:
    """Append the checksum, and flush the file to disk."""
    with file.open("r+b") as stream:
        digest = _digest(stream, file.stat().st_size)
        stream.write(_MARK + digest + b"\n")
        stream.flush()
        os.fsync(stream.fileno())


def has_checksum(file: Path) -> bool:
    """Return whether the file ends with a checksum, right or wrong.

    Raises
    ------
    OSError
    """
    with file.open("rb") as stream:
        stream.seek(max(file.stat().st_size - _ENDING_BYTES, 0))
        return _split(stream.read())[0]


def check_checksum(file: Path) -> None:
    """Raise InputError unless the file is a complete, unchanged backup."""
    try:
        with file.open("rb") as stream:
            size = file.stat().st_size - _ENDING_BYTES
            stream.seek(max(size, 0))
            mark, digest = _split(stream.read())
            stream.seek(0)
            unchanged = mark and _digest(stream, size) == digest
    except OSError as error:
        raise InputError(f"{file}: this file cannot be read: {error.strerror}.") from error
    if not mark:
        raise InputError(
            f"{file}: this is no backup, or not all of one: it does not end as every backup does.",
            way_out="name a saved backup",
        )
    if not unchanged:
        raise InputError(
            f"{file}: this backup is damaged: its bytes are not those that were written. Restore"
            " another."
        )


def _split(ending: bytes) -> tuple[bool, bytes]:
    """Return whether a file's ending is a checksum, and the digest in it."""
    complete = len(ending) == _ENDING_BYTES and ending.startswith(_MARK) and ending.endswith(b"\n")
    return complete, ending[len(_MARK) : -1]


def _digest(stream: IO[bytes], size: int) -> bytes:
    """Return the hash of the first `size` bytes of a stream, in hexadecimal digits."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    while size > 0 and (block := stream.read(min(size, _BLOCK_BYTES))):
        digest.update(block)
        size -= len(block)
    return digest.hexdigest().encode()
