"""Common parts of the readers of files with one score a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import (
    MEANS,
    Block,
    Location,
    Scores,
    refuse_oversize,
    without_summary,
)
from roundbook.formats.measures import MeasureSelection, choose_measures
from roundbook.formats.table import checked_name, numbered_names, numbers
from roundbook.formats.text import STANDARD_INPUT

# Only these suffixes are removed from a file's name: run tags hold dots (10x20.prf.unipd.it).
_SUFFIXES = frozenset(
    {".gz", ".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".out", ".eval",
     ".evals", ".treceval", ".trec_eval", ".ir_measures", ".nev", ".dnev", ".scores", ".results"}
)  # fmt: skip


@dataclass(frozen=True)
class Records:
    """The lines of a file with scores of one measure, as columns of equal length.

    `values` are texts, or numbers that are parsed already.
    """

    file: str
    topics: list[str]
    runs: list[str]
    values: list[str] | Scores
    lines: Sequence[int]
    topic_column: int | None = None
    run_column: int | None = None
    value_column: int | None = None


def block_from_records(records: Records, *, whole_runs: bool) -> Block:
    """Return scores given line by line as a block of topics by runs, in order of first appearance.

    Raises
    ------
    BadFileError
        If a name or score is invalid, or a topic and run come twice.
    """
    file, lines = records.file, records.lines
    topics, at_topic = numbered_names(
        records.topics, "topic", file, lambda at: (lines[at], records.topic_column)
    )
    runs, at_run = numbered_names(
        records.runs, "run", file, lambda at: (lines[at], records.run_column)
    )
    refuse_oversize(len(topics), len(runs), file)
    cell = at_topic * len(runs) + at_run
    filled = np.zeros(len(topics) * len(runs), dtype=bool)
    filled[cell] = True
    if filled.sum() < len(cell):
        order = np.argsort(cell, kind="stable")
        again = np.flatnonzero(np.diff(cell[order]) == 0)
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
    values = records.values
    if isinstance(values, list):
        values = numbers(values, file, lambda at: (lines[at], records.value_column))
    scores = np.full(len(topics) * len(runs), np.nan)
    scores[cell] = values

    def location(topic: int, run: int) -> Location:
        indices = np.flatnonzero(cell == topic * len(runs) + run)
        if not indices.size:  # this run has no line of the topic, but another has
            indices = np.flatnonzero(at_topic == topic)
        return lines[int(indices[0])], records.value_column

    return Block(file, topics, runs, scores.reshape(len(topics), len(runs)), location, whole_runs)


class ScoreLine(NamedTuple):
    """One score of a tool's output; the run is None if only the file's name gives it."""

    line: int
    topic: str
    measure: str
    value: str
    run: str | None = None


class ToolLines(NamedTuple):
    """The scores of a tool's output, with the columns of topics and values for error messages."""

    lines: list[ScoreLine]
    topic_column: int | None = None
    value_column: int | None = None


def _run_tag(file: str) -> str:
    """Return the run tag from a file's name: the name without known suffixes.

    Raises
    ------
    BadFileError
        If nothing, or no valid name, is left.
    """
    if file == STANDARD_INPUT:
        raise BadFileError(
            "the scores name no run, and standard input has no file name to take the tag from;"
            " give a file called by the tag",
            file,
        )
    name = Path(file).name
    while Path(name).suffix.lower() in _SUFFIXES:
        name = Path(name).stem
    if not name.strip(". ") or name.lower() in _SUFFIXES:
        raise BadFileError("the run has no tag in the file, and the file's name gives none", file)
    return checked_name(name, "run", file, None, None)


def blocks_of_lines(output: ToolLines, selection: MeasureSelection, file: str) -> dict[str, Block]:
    """Return a block for each selected measure; a run without a tag gets it from the file's name.

    Only the values of these measures are read as numbers: others may be text (trec_eval's
    relstring) or undefined.
    """
    by_name: dict[str, list[ScoreLine]] = {}
    for line in output.lines:
        by_name.setdefault(line.measure, []).append(line)
    chosen = choose_measures(by_name, selection, file)
    runs_read = {line.run for name in chosen.values() for line in by_name[name]}
    other_runs: dict[str, str] = {}
    for line in output.lines:
        if line.run not in runs_read and line.run is not None and line.topic.lower() not in MEANS:
            other_runs.setdefault(line.run, line.measure)
    blocks = {}
    for measure, name in chosen.items():
        lines = by_name[name]
        for line in lines:
            if not line.value:
                raise BadFileError("the score is missing", file, line.line, output.value_column)
        tag = "" if all(line.run is not None for line in lines) else _run_tag(file)
        records = Records(
            file,
            topics=[line.topic for line in lines],
            runs=[tag if line.run is None else line.run for line in lines],
            values=[line.value for line in lines],
            lines=[line.line for line in lines],
            topic_column=output.topic_column,
            value_column=output.value_column,
        )
        block = without_summary(block_from_records(records, whole_runs=True), output.topic_column)
        blocks[measure] = replace(block, measure=name, other_runs=other_runs)
    return blocks
