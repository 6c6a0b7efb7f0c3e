"""Scores of single files by topic and run, freed of summaries and put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import Scores

# Ten thousand topics by two thousand runs and room to spare. A list of scores that all differ
# in topic and run would otherwise ask for its length squared.
MAX_CELLS = 25_000_000

SUMMARY_TOPIC = "all"
MEANS = frozenset({SUMMARY_TOPIC, "mean", "average", "amean"})
# Means are printed with few decimals, of scores that were rounded themselves.
_ROUNDING = 1e-3

Place = tuple[int, int | None]


@dataclass(frozen=True)
class Block:
    """The scores of one file.

    Attributes
    ----------
    scores : (topics, runs) float array
        NaN where missing.
    place : callable
        Topic and run index to the score's line and column.
    whole_runs : bool
        Whether the layout has one run a file, so that a second file of a run is a mistake.
    """

    file: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    scores: Scores
    place: Callable[[int, int], Place]
    whole_runs: bool = False


def refuse_oversize(topics: int, runs: int, file: str) -> None:
    """Refuse a matrix that would not fit in memory."""
    if topics * runs > MAX_CELLS:
        raise BadFileError(
            f"{topics} topics by {runs} runs are more than {MAX_CELLS} cells; "
            "check that the topic and run columns are what they seem",
            file,
        )


def merged(blocks: Sequence[Block]) -> tuple[tuple[str, ...], tuple[str, ...], Scores]:
    """Put the scores of several files together.

    Returns
    -------
    topics, runs : tuple of str
        In order of first appearance.
    scores : (topics, runs) float array
        NaN where no file has a score; transposed from a C-contiguous buffer.

    Raises
    ------
    BadFileError
        If two files score the same run on the same topic, or each claims the whole run.
    """
    files: dict[str, str] = {}
    for block in blocks:
        for run in block.runs if block.whole_runs else ():
            if run in files:
                raise BadFileError(
                    f"the run tag {run} was already read from {files[run]}; "
                    "a run's scores belong in one file",
                    block.file,
                )
            files[run] = block.file
    topics = dict(zip(dict.fromkeys(chain(*(block.topics for block in blocks))), count()))
    runs = dict(zip(dict.fromkeys(chain(*(block.runs for block in blocks))), count()))
    refuse_oversize(len(topics), len(runs), blocks[-1].file)
    by_run = np.full((len(runs), len(topics)), np.nan)
    for number, block in enumerate(blocks):
        cells = np.ix_([runs[name] for name in block.runs], [topics[name] for name in block.topics])
        before, new = by_run[cells], block.scores.T
        clash = ~np.isnan(before) & ~np.isnan(new)
        if clash.any():
            topic, run = np.argwhere(clash.T)[0].tolist()
            raise _scored_twice(blocks[:number], block, topic, run)
        by_run[cells] = np.where(np.isnan(new), before, new)
    by_run += 0.0  # -0 and 0 are one score, and must hash alike
    return tuple(topics), tuple(runs), by_run.T


def _scored_twice(earlier: Sequence[Block], block: Block, topic: int, run: int) -> BadFileError:
    name, tag = block.topics[topic], block.runs[run]
    first = ""
    for other in earlier:
        if name in other.topics and tag in other.runs:
            t, r = other.topics.index(name), other.runs.index(tag)
            if not np.isnan(other.scores[t, r]):
                line, column = other.place(t, r)
                first = ":".join(str(x) for x in (other.file, line, column) if x is not None)
                break
    return BadFileError(
        f"topic {name} of run {tag} already has a score at {first}; keep one",
        block.file,
        *block.place(topic, run),
    )


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
