"""What line-by-line files share: a score a line, laid out by topic and run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import Block, Location, refuse_oversize
from roundbook.formats.measures import choose_measure
from roundbook.formats.table import checked_name, quick_numbers, score

# Only these are taken off a file's name: run tags hold dots themselves (10x20.prf.unipd.it).
_SUFFIXES = frozenset(
    {".gz", ".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".out", ".eval",
     ".evals", ".treceval", ".trec_eval", ".ir_measures", ".nev", ".dnev", ".scores", ".results"}
)  # fmt: skip


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

    def location(topic: int, run: int) -> Location:
        indices = np.flatnonzero(cell == topic * len(runs) + run)
        if not indices.size:  # this run has no line of the topic, but another has
            indices = np.flatnonzero(at_topic == topic)
        return lines[int(indices[0])], records.value_column

    return Block(file, topics, runs, scores.reshape(len(topics), len(runs)), location, whole_runs)


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


class ScoreLine(NamedTuple):
    """One score of a tool's output; the run is None where only the file's name tells it."""

    line: int
    topic: str
    measure: str
    value: str
    run: str | None = None


def run_tag_from_name(file: str) -> str:
    """Return the run tag a file's name stands for: the name without known suffixes.

    Raises
    ------
    BadFileError
        If nothing, or nothing fit for a name, is left.
    """
    name = Path(file).name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    if not name.strip(". ") or name.lower() in _SUFFIXES:
        raise BadFileError("the run has no tag in the file, and the file's name gives none", file)
    return checked_name(name, "run", file, None, None)


def block_of_lines(
    lines: Iterable[ScoreLine],
    measure: str,
    file_measure: str | None,
    file: str,
    *,
    value_column: int | None,
    topic_column: int | None,
) -> tuple[Block, str]:
    """Lay out the scores of one measure; lines without a run belong to the file's run.

    Only the chosen measure's values are read as numbers, since other measures may hold text
    (trec_eval's relstring) or nothing defined.

    Returns
    -------
    Block
    str
        The measure's name in the file.
    """
    lines = list(lines)
    chosen = choose_measure((line.measure for line in lines), measure, file_measure, file)
    records = Records(file, topic_column=topic_column, value_column=value_column)
    tag: str | None = None
    for line in lines:
        if line.measure != chosen:
            continue
        run = line.run
        if run is None:
            tag = run = tag or run_tag_from_name(file)
        if not line.value:
            raise BadFileError("the score is missing", file, line.line, value_column)
        records.topics.append(line.topic)
        records.runs.append(run)
        records.values.append(line.value)
        records.lines.append(line.line)
    return block_from_records(records, whole_runs=True), chosen
