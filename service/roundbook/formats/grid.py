"""Scores of single files laid out by topic and run, and put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.cells import checked_name, quick_numbers, score
from roundbook.formats.matrix import Scores

# Ten thousand topics by two thousand runs and room to spare. A list of scores that all differ
# in topic and run would otherwise ask for its length squared.
MAX_CELLS = 25_000_000

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


@dataclass
class Records:
    """Scores of one measure as they stand in a file line by line; columns of equal length."""

    file: str
    topics: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    topic_column: int | None = None
    run_column: int | None = None
    value_column: int | None = None


def refuse_oversize(topics: int, runs: int, file: str) -> None:
    """Refuse a matrix that would not fit in memory."""
    if topics * runs > MAX_CELLS:
        raise BadFileError(
            f"{topics} topics by {runs} runs are more than {MAX_CELLS} cells; "
            "check that the topic and run columns are what they seem",
            file,
        )


def block_from_records(records: Records, *, whole_runs: bool) -> Block:
    """Lay out line-by-line scores by topic and run, in order of first appearance.

    Raises
    ------
    BadFileError
        If a name or a score is unfit, or a topic and run come twice.
    """
    file, lines = records.file, records.lines
    topics, at_topic = _coded(records.topics, "topic", records, records.topic_column)
    runs, at_run = _coded(records.runs, "run", records, records.run_column)
    refuse_oversize(len(topics), len(runs), file)
    cell = at_topic * len(runs) + at_run
    order = np.argsort(cell, kind="stable")
    again = np.flatnonzero(np.diff(cell[order]) == 0)
    if again.size:
        second = int(order[again + 1].min())
        first = int(np.flatnonzero(cell == cell[second])[0])
        raise BadFileError(
            f"topic {records.topics[second]} of run {records.runs[second]} "
            f"already has a score on line {lines[first]}"
            + ("; give one file a run" if whole_runs else "; keep one"),
            file,
            lines[second],
            records.topic_column,
        )
    values = quick_numbers(records.values)
    if values is None:
        column = records.value_column
        values = np.array(
            [
                score(text, file, line, column)
                for text, line in zip(records.values, lines, strict=True)
            ]
        )
    scores = np.full(len(topics) * len(runs), np.nan)
    scores[cell] = values

    def place(topic: int, run: int) -> Place:
        found = np.flatnonzero(cell == topic * len(runs) + run)
        if not found.size:  # this run has no line of the topic, but another has
            found = np.flatnonzero(at_topic == topic)
        return lines[int(found[0])], records.value_column

    return Block(file, topics, runs, scores.reshape(len(topics), len(runs)), place, whole_runs)


def _coded(
    names: list[str], what: str, records: Records, column: int | None
) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    codes: dict[str, int] = {}
    coded = np.empty(len(names), dtype=np.int64)
    for index, name in enumerate(names):
        code = codes.get(name)
        if code is None:
            checked_name(name, what, records.file, records.lines[index], column)
            code = codes[name] = len(codes)
        coded[index] = code
    return tuple(codes), coded


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
    _refuse_run_twice(blocks)
    topics = _positions(name for block in blocks for name in block.topics)
    runs = _positions(name for block in blocks for name in block.runs)
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


def _positions(names: Iterable[str]) -> dict[str, int]:
    return {name: index for index, name in enumerate(dict.fromkeys(names))}


def _refuse_run_twice(blocks: Sequence[Block]) -> None:
    seen: dict[str, str] = {}
    for block in blocks:
        for run in block.runs if block.whole_runs else ():
            if run in seen:
                raise BadFileError(
                    f"the run tag {run} was already read from {seen[run]}; "
                    "a run's scores belong in one file",
                    block.file,
                )
            seen[run] = block.file


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
