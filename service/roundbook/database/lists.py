"""The codec of ranked lists: runs' documents in and out of PostgreSQL by binary COPY.

Lists differ in length, and so do the rows of the stream: Python goes through the rows one by one,
and NumPy converts the arrays within them.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from roundbook.database.copying import copy_in, copy_out
from roundbook.database.vectors import SIGNATURE, TRAILER

_INT4_OID, _FLOAT4_OID = 23, 700
_BLOCK_BYTES = 2**20

_KEYS = struct.Struct(">hiqiqiq")  # fields; upload, run and topic, each behind its length
_ARRAY = struct.Struct(">iiiiii")  # bytes; dimensions, has NULL, type, length, lower bound
_INTEGERS = np.dtype([("bytes", ">i4"), ("value", ">i4")])
_REALS = np.dtype([("bytes", ">i4"), ("value", ">f4")])

_WRITE = (
    "COPY roundbook.run_list (run_upload_id, run_id, topic_id, documents, scores)"
    " FROM STDIN (FORMAT binary)"
)
_READ = (
    "COPY (SELECT run_upload_id, run_id, topic_id, documents{scores} FROM roundbook.run_list"
    " WHERE run_upload_id = %s ORDER BY run_id, topic_id) TO STDOUT (FORMAT binary)"
)


class StoredList(NamedTuple):
    """The ranked list of a run for a topic: document numbers by rank, and their scores."""

    run_id: int
    topic_id: int
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32] | None


def encode_lists(lists: Iterable[StoredList], upload_id: int) -> Iterator[bytes]:
    """Yield the binary COPY stream of ``run_list`` for an upload, block by block."""
    parts, size = [SIGNATURE], 0
    for stored in lists:
        assert stored.scores is not None
        parts += (
            _KEYS.pack(5, 8, upload_id, 8, stored.run_id, 8, stored.topic_id),
            *_array(stored.documents, _INTEGERS, _INT4_OID),
            *_array(stored.scores, _REALS, _FLOAT4_OID),
        )
        size += 16 * len(stored.documents)
        if size > _BLOCK_BYTES:
            yield b"".join(parts)
            parts, size = [], 0
    yield b"".join((*parts, TRAILER))


def _array(values: npt.NDArray[np.generic], kind: np.dtype[np.void], oid: int) -> tuple[bytes, ...]:
    elements = np.empty(len(values), kind)
    elements["bytes"] = 4
    elements["value"] = values
    return _ARRAY.pack(20 + 8 * len(values), 1, 0, oid, len(values), 1), elements.tobytes()


def decode_lists(stream: bytes) -> Iterator[StoredList]:
    """Yield the lists of a stream from PostgreSQL, with scores if the stream has them.

    Raises
    ------
    ValueError
        When the stream is not of that form.
    """
    if not stream.startswith(SIGNATURE):
        raise ValueError("the stream holds no lists")
    at = len(SIGNATURE)
    while stream[at : at + 2] != TRAILER:
        fields, _, _, _, run_id, _, topic_id = _KEYS.unpack_from(stream, at)
        if fields not in (4, 5):
            raise ValueError("the stream holds no lists")
        at += _KEYS.size
        documents, at = _elements(stream, at, _INTEGERS, _INT4_OID)
        scores = None
        if fields == 5:
            scores, at = _elements(stream, at, _REALS, _FLOAT4_OID)
        yield StoredList(
            run_id,
            topic_id,
            documents.astype(np.int32),
            None if scores is None else scores.astype(np.float32),
        )


def _elements(
    stream: bytes, at: int, kind: np.dtype[np.void], oid: int
) -> tuple[npt.NDArray[np.generic], int]:
    size, dimensions, has_null, element, length, _ = _ARRAY.unpack_from(stream, at)
    if (dimensions, has_null, element, size) != (1, 0, oid, 20 + 8 * length):
        raise ValueError("the stream holds no lists")
    at += _ARRAY.size
    return np.frombuffer(stream, kind, length, at)["value"], at + 8 * length


def write_lists(connection: Connection, lists: Iterable[StoredList], upload_id: int) -> None:
    """Store the lists of an upload, one row for each run and topic."""
    copy_in(connection, _WRITE, encode_lists(lists, upload_id))


def read_lists(
    connection: Connection, upload_id: int, *, scores: bool = True
) -> Iterator[StoredList]:
    """Yield the stored lists of an upload, by run and topic in the order of their ids."""
    statement = _READ.format(scores=", scores" if scores else "")
    yield from decode_lists(copy_out(connection, statement, upload_id))
