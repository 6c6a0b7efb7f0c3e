"""Rows that sum up the others, and so are not topics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.grid import Block
from roundbook.formats.matrix import Scores

SUMMARY_TOPIC = "all"
MEANS = frozenset({SUMMARY_TOPIC, "mean", "average", "amean"})
# Means are printed with few decimals, of scores that were rounded themselves.
_ROUNDING = 1e-3


def without_summary(block: Block) -> Block:
    """Leave out the row of means below the topics of a wide or long file.

    ``all`` in the last row is left out as it is. ``mean``, ``average`` and ``amean`` are left
    out if they do hold the means of the rows above, missing scores ignored or counted as 0.
    Any other such row could be a topic or not, and is refused.

    Raises
    ------
    BadFileError
        If a topic has such a name and cannot be shown to be a row of means, or is the only one.
    """
    suspects = [i for i, name in enumerate(block.topics) if name.lower() in MEANS]
    if not suspects:
        return block
    at, last = suspects[0], len(block.topics) - 1
    name, (line, _) = block.topics[at], block.place(at, 0)
    if at != last:
        raise BadFileError(
            f"the row {name!r} looks like a summary among the topics; "
            "remove it or rename the topic",
            block.file,
            line,
            1,
        )
    if at == 0:
        raise BadFileError("there are no scores of single topics", block.file, line)
    if name.lower() != SUMMARY_TOPIC and not _is_mean(block.scores):
        raise BadFileError(
            f"the last row is called {name!r} but is not the mean of the rows above; "
            "remove it or rename the topic",
            block.file,
            line,
            1,
        )
    return replace(block, topics=block.topics[:last], scores=block.scores[:last])


def _is_mean(scores: Scores) -> bool:
    above, last = scores[:-1], scores[-1]
    tolerance = _ROUNDING * np.maximum(1.0, np.abs(last))
    scored = np.maximum(1, (~np.isnan(above)).sum(axis=0))
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.nansum(above, axis=0)
        return any(
            bool((np.abs(total / count - last) <= tolerance).all())
            for count in (scored, len(above))
        )
