"""Score matrices from files: the matrix, the blocks of single files, and their merging."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.table import Location, Scores, quoted

# Ten thousand topics by two thousand runs and more. Lines that all differ in topic and run would
# otherwise need a matrix of their number squared.
MAX_CELLS = 25_000_000

SUMMARY_TOPIC = "all"
MEANS = frozenset({SUMMARY_TOPIC, "mean", "average", "amean"})
# Tolerance: printed means have few decimals, and the scores were rounded too.
_ROUNDING = 1e-3
# The same where the name is not that of a mean, as a share of the run's largest score.
_CLOSE_ROUNDING = 1e-4


@dataclass(frozen=True)
class HiddenCells:
    """The hidden parts of a workbook, which are read all the same.

    `sheet` is the name of the sheet if it is hidden; `rows` and `columns` count the hidden ones.
    """

    file: str
    sheet: str | None
    rows: int
    columns: int


class FilePart(NamedTuple):
    """The topics and runs of a file."""

    file: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """The scores of runs on topics by one measure, with missing cells.

    Attributes
    ----------
    topics, runs : tuple of str
        In order of first appearance in the files.
    scores : (topics, runs) float64 array
        NaN where a run has no score for a topic; the transpose of a C-contiguous
        (runs, topics) buffer, since scores are stored run by run.
    measure : str or None
        The measure's name in the files; None if they name none.
    layout : str
        One of `LAYOUTS`.
    files : tuple of str
        The files as the user named them.
    parts : tuple of FilePart
        The topics and runs of each file.
    hidden : tuple of HiddenCells
    """

    topics: tuple[str, ...]
    runs: tuple[str, ...]
    scores: Scores
    measure: str | None
    layout: str
    files: tuple[str, ...]
    parts: tuple[FilePart, ...] = field(default=(), kw_only=True)
    hidden: tuple[HiddenCells, ...] = field(default=(), kw_only=True)


def files_shown(files: Sequence[str]) -> str:
    """Return the first file's name and the number of further files, as text."""
    return files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more"


@dataclass(frozen=True)
class Block:
    """The scores of one file.

    Attributes
    ----------
    scores : (topics, runs) float array
        NaN where missing.
    location : callable
        From topic and run index to the score's line and column.
    whole_runs : bool
        Whether a run lies in one file, so that a second file with it is an error.
    measure : str or None
        The measure's name in the file; None if it names none.
    other_runs : mapping of str to str
        The runs of the file that have scores of other measures only, and one of these measures.
    """

    file: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    scores: Scores
    location: Callable[[int, int], Location]
    whole_runs: bool = False
    measure: str | None = None
    other_runs: Mapping[str, str] = field(default_factory=dict)


def refuse_oversize(topics: int, runs: int, file: str) -> None:
    """Refuse a matrix that would not fit in memory."""
    if topics * runs > MAX_CELLS:
        raise BadFileError(
            f"{topics} topics by {runs} runs are more than {MAX_CELLS} cells; "
            "check that the topic and run columns are what they seem",
            file,
        )


def merged(blocks: Sequence[Block]) -> tuple[tuple[str, ...], tuple[str, ...], Scores]:
    """Merge the scores of several files; refuse two scores of a run on a topic.

    Returns
    -------
    topics, runs : tuple of str
        In order of first appearance.
    scores : (topics, runs) float array
        NaN where no file has a score; the transpose of a C-contiguous buffer.
    """
    if len(blocks) == 1:
        (block,) = blocks
        # -0 and 0 are the same score, and must hash alike
        return block.topics, block.runs, (np.ascontiguousarray(block.scores.T) + 0.0).T
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
    topics: dict[str, int] = {}
    runs: dict[str, int] = {}
    for block in blocks:
        for topic in block.topics:
            topics.setdefault(topic, len(topics))
        for run in block.runs:
            runs.setdefault(run, len(runs))
    refuse_oversize(len(topics), len(runs), files_shown([block.file for block in blocks]))
    by_run = np.full((len(runs), len(topics)), np.nan)
    for number, block in enumerate(blocks):
        rows, columns = map(runs.__getitem__, block.runs), map(topics.__getitem__, block.topics)
        cells = np.ix_(list(rows), list(columns))
        before, new = by_run[cells], block.scores.T
        clash = ~np.isnan(before) & ~np.isnan(new)
        if clash.any():
            raise _scored_twice(blocks[:number], block, *np.argwhere(clash.T)[0].tolist())
        by_run[cells] = np.where(np.isnan(new), before, new)
    by_run += 0.0
    return tuple(topics), tuple(runs), by_run.T


def _scored_twice(earlier: Sequence[Block], block: Block, topic: int, run: int) -> BadFileError:
    name, tag = block.topics[topic], block.runs[run]
    first = ""
    for scored in earlier:
        if name in scored.topics and tag in scored.runs:
            t, r = scored.topics.index(name), scored.runs.index(tag)
            if not np.isnan(scored.scores[t, r]):
                line, column = scored.location(t, r)
                first = ":".join(
                    str(part) for part in (scored.file, line, column) if part is not None
                )
                break
    reason = f"topic {name} of run {tag} already has a score at {first}; keep one"
    if block.measure is None:  # as in wide files
        reason += ", or if the files are of different measures, log them one by one"
    return BadFileError(
        reason,
        block.file,
        *block.location(topic, run),
    )


def without_summary(block: Block, topic_column: int | None = 1) -> Block:
    """Return a block without the row of means below the topics of a file.

    A last row ``all`` is left out unchecked. ``mean``, ``average`` and ``amean`` are left out if
    they hold the means of the rows above, with missing scores ignored or counted as 0. Any other
    row of such a name may be a topic, and is refused.

    Parameters
    ----------
    topic_column : int or None
        The column of topics, for error messages.
    """
    names = [*map(str.lower, block.topics)]
    if MEANS.isdisjoint(names):
        return block
    at, last = min(names.index(name) for name in MEANS if name in names), len(names) - 1
    name, (line, _) = block.topics[at], block.location(at, 0)
    if at != last:
        reason = (
            f"the row {name!r} looks like a summary among the topics; remove it or rename the topic"
        )
        raise BadFileError(reason, block.file, line, topic_column)
    if at == 0:
        raise BadFileError("there are no scores of single topics", block.file, line)
    tolerance = _ROUNDING * np.maximum(1.0, np.abs(block.scores[-1]))
    if name.lower() != SUMMARY_TOPIC and not _is_mean(block.scores, tolerance):
        reason = (
            f"the last row is called {name!r} but is not the mean of the rows above; "
            "remove it or rename the topic"
        )
        raise BadFileError(reason, block.file, line, topic_column)
    return replace(block, topics=block.topics[:last], scores=block.scores[:last])


def refuse_means(topics: Sequence[str], scores: Scores, blocks: Sequence[Block]) -> None:
    """Refuse a last topic whose scores are the means of the topics before it, whatever its name.

    A topic's score may equal the mean by chance. So that counts only below three topics or more,
    and only if the means of two runs or more differ from every other score of the run.
    """
    if len(topics) < 4:
        return
    for part in (scores[:, :1], scores):  # the first run alone clears most matrices
        tolerance = _CLOSE_ROUNDING * np.abs(np.nan_to_num(part)).max(axis=0)
        if not _is_mean(part, tolerance):
            return
    found_above = (np.abs(scores[:-1] - scores[-1]) <= tolerance).any(axis=0)
    if (~found_above).sum() < 2:
        return
    name = topics[-1]
    block = next(block for block in blocks if name in block.topics)
    raise BadFileError(
        f"the last topic, {quoted(name)}, has the means of the topics before it as scores; take it"
        " out, or if it is a topic, put it before another",
        block.file,
        block.location(block.topics.index(name), 0)[0],
    )


def _is_mean(scores: Scores, tolerance: Scores) -> bool:
    above, last = scores[:-1], scores[-1]
    scored = np.maximum(1, (~np.isnan(above)).sum(axis=0))
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.nansum(above, axis=0)
        return any(
            bool((np.abs(total / count - last) <= tolerance).all())
            for count in (scored, len(above))
        )
