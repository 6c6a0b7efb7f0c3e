"""The score matrices of an archive, checked against what the record says of them."""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.formats.archive import Archive
from roundbook.formats.archive_csv import Record, read_records
from roundbook.logbook.storing import content_hash

# What is computed from scores comes out the same but for the last digits, whatever adds it up;
# where scores hardly differ it is rounding alone, of the last digits of the largest.
SAME, ROUNDING = 1e-9, 1e-12


class ReadMatrix(NamedTuple):
    """Scores (topics, runs) in the order they were logged."""

    topics: list[str]
    runs: list[str]
    scores: npt.NDArray[np.float64]


def read_matrix(archive: Archive, member: str, topics: int, runs: int, digest: str) -> ReadMatrix:
    """Return a matrix of an archive.

    Parameters
    ----------
    topics, runs : int
        How many there are.
    digest : str
        The `content_hash` that it was logged with.

    Raises
    ------
    BadFileError
        When these are other scores, or a score is not written as an archive writes it.
    """
    place = f"{archive.file}/{member}"
    records = read_records(archive, member)
    header = next(records, None)
    if header is None or header.cells[0] != "topic" or len(header.cells) != runs + 1:
        raise BadFileError(f"the header must be topic and the tags of {runs} runs", place, 1)
    tags, names, rows = header.cells[1:], [], []
    for record in records:
        names.append(record.cells[0])
        rows.append(_scores(record, runs, place))
    if not len(rows) == topics == archive.manifest.members[member].rows:
        raise BadFileError(f"there are the scores of {len(rows)} topics, not of {topics}", place)
    # As every score matrix here: transposed from runs by topics.
    scores = np.ascontiguousarray(np.array(rows).reshape(topics, runs).T).T
    if content_hash(names, tags, scores) != digest:
        raise BadFileError(
            "these are not the scores that were logged: their hash is another", place
        )
    return ReadMatrix(names, tags, scores)


def _scores(record: Record, runs: int, place: str) -> npt.NDArray[np.float64]:
    cells = record.cells[1:]
    if len(cells) != runs:
        raise BadFileError(f"expected {runs} scores, found {len(cells)}", place, record.line)
    try:
        values = np.array([float(cell) for cell in cells])
    except ValueError:
        values = np.empty(0)
    if not np.isfinite(values).all() or [repr(value) for value in values.tolist()] != cells:
        position, cell = next(each for each in enumerate(cells, 2) if not _is_score(each[1]))
        shown = repr(cell if len(cell) <= 40 else cell[:39] + "…")
        reason = f"{shown} is not how an archive writes a score"
        raise BadFileError(reason, place, record.line, position)
    return values


def _is_score(cell: str) -> bool:
    try:
        value = float(cell)
    except ValueError:
        return False
    return isfinite(value) and repr(value) == cell
