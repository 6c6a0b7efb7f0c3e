"""The score-vector codec: a score matrix in and out of PostgreSQL by binary COPY.

In a binary COPY stream every row whose float8[] has the same length takes the same number of
bytes, so the stream of one matrix is an array of fixed records. NumPy reads and writes it as
one structured dtype, with no Python loop over runs or scores.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection

from roundbook.database.copying import copy_in, copy_out

SIGNATURE = b"PGCOPY\n\xff\r\n\x00" + bytes(8)  # no flags, no header extension
TRAILER = b"\xff\xff"
_FLOAT8_OID = 701
# Large enough to make the overhead of a call negligible, small enough to stay in cache.
_BLOCK_BYTES = 4 * 2**20

_INTEGER_FIELDS = (("matrix_id", ">i8"), ("position", ">i4"), ("topics", ">i4"), ("runs", ">i4"))
_WRITE = (
    "COPY roundbook.score_vector (matrix_id, position, topics, runs, scores)"
    " FROM STDIN (FORMAT binary)"
)
_READ = (
    "COPY (SELECT matrix_id, position, topics, runs, scores FROM roundbook.score_vector"
    " WHERE matrix_id = %s ORDER BY position) TO STDOUT (FORMAT binary)"
)


def _row(topics: int) -> np.dtype[np.void]:
    fields: list[tuple[str, object]] = [("fields", ">i2")]
    for name, kind in _INTEGER_FIELDS:
        fields += [(f"{name}_bytes", ">i4"), (name, kind)]
    fields += [
        ("scores_bytes", ">i4"),
        ("dimensions", ">i4"),
        ("has_null", ">i4"),
        ("element_oid", ">i4"),
        ("length", ">i4"),
        ("lower_bound", ">i4"),
        ("scores", [("bytes", ">i4"), ("value", ">f8")], (topics,)),  # type: ignore[list-item]
    ]
    return np.dtype(fields)


def encode(scores: npt.NDArray[np.float64], matrix_id: int) -> Iterator[bytes]:
    """Yield the binary COPY stream of ``score_vector`` for one matrix, block by block.

    Parameters
    ----------
    scores : (topics, runs) float array, finite

    Raises
    ------
    ValueError
        When a score is NaN or infinite.
    """
    topics, runs = scores.shape
    if not np.isfinite(scores).all():
        raise ValueError("NaN and infinity are no scores")
    row = _row(topics)
    per_block = max(1, min(runs, _BLOCK_BYTES // row.itemsize))
    block = np.zeros(per_block, row)
    block["fields"] = len(_INTEGER_FIELDS) + 1
    for name, kind in _INTEGER_FIELDS:
        block[f"{name}_bytes"] = np.dtype(kind).itemsize
    block["scores_bytes"] = 20 + 12 * topics
    block["dimensions"] = 1
    block["element_oid"] = _FLOAT8_OID
    block["length"] = topics
    block["lower_bound"] = 1
    block["scores"]["bytes"] = 8
    block["matrix_id"] = matrix_id
    block["topics"] = topics
    block["runs"] = runs
    yield SIGNATURE
    for start in range(0, runs, per_block):
        stop = min(start + per_block, runs)
        part = block[: stop - start]
        part["position"] = np.arange(start, stop)
        part["scores"]["value"] = scores[:, start:stop].T
        yield part.tobytes()
    yield TRAILER


def decode(stream: bytes, topics: int) -> npt.NDArray[np.float64]:
    """Return the scores in a stream that `encode` made or PostgreSQL sends.

    Parameters
    ----------
    topics : int
        The length of every vector in it.

    Returns
    -------
    (topics, runs) float array
        The transpose of a C-contiguous array, as every score matrix here.

    Raises
    ------
    ValueError
        When the stream is not of that shape.
    """
    row = _row(topics)
    size = len(stream) - len(SIGNATURE) - len(TRAILER)
    if size < 0 or size % row.itemsize or not stream.startswith(SIGNATURE):
        raise ValueError(f"the stream holds no vectors of {topics} scores")
    rows = np.frombuffer(stream, row, size // row.itemsize, len(SIGNATURE))
    if (rows["length"] != topics).any() or (rows["element_oid"] != _FLOAT8_OID).any():
        raise ValueError(f"the stream holds no vectors of {topics} scores")
    return np.ascontiguousarray(rows["scores"]["value"], dtype=np.float64).T


def write_vectors(connection: Connection, scores: npt.NDArray[np.float64], matrix_id: int) -> None:
    """Store a score matrix, `scores` (topics, runs), one row for each run."""
    copy_in(connection, _WRITE, encode(scores, matrix_id))


def read_vectors(connection: Connection, matrix_id: int, topics: int) -> npt.NDArray[np.float64]:
    """Return a stored score matrix, (topics, runs), runs in the order they were logged."""
    return decode(copy_out(connection, _READ, matrix_id), topics)
