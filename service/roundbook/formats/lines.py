"""What line-by-line files share: a score a line, laid out by topic and run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import Block, Location, Scores, refuse_oversize
from roundbook.formats.table import checked_name, checked_names, numbers
from roundbook.formats.text import STANDARD_INPUT
from roundbook.formats.wanted import WantedMeasures, choose_measures

# Only these are taken off a file's name: run tags hold dots themselves (10x20.prf.unipd.it).
_SUFFIXES = frozenset(
    {".gz", ".txt", ".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson", ".out", ".eval",
     ".evals", ".treceval", ".trec_eval", ".ir_measures", ".nev", ".dnev", ".scores", ".results"}
)  # fmt: skip


@dataclass
class Records:
    """Scores of one measure as they stand in a file line by line; columns of equal length.

    `values` may be numbers already.
    """

    file: str
    topics: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    values: list[str] | Scores = field(default_factory=list)
    lines: Sequence[int] = field(default_factory=list)
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


def _coded(
    names: list[str], what: str, records: Records, column: int | None
) -> tuple[tuple[str, ...], np.ndarray[tuple[int], np.dtype[np.int64]]]:
    spellings = list(dict.fromkeys(names))
    fit = checked_names(
        spellings,
        what,
        records.file,
        lambda at: (records.lines[names.index(spellings[at])], column),
    )
    codes = {name: code for code, name in enumerate(dict.fromkeys(fit))}
    of_names = codes
    if fit != spellings:
        of_names = {spelling: codes[name] for spelling, name in zip(spellings, fit, strict=True)}
    return tuple(codes), np.fromiter(map(of_names.__getitem__, names), np.int64, len(names))


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


def blocks_of_lines(
    lines: Iterable[ScoreLine],
    wanted: WantedMeasures,
    file: str,
    *,
    value_column: int | None,
    topic_column: int | None,
) -> dict[str, Block]:
    """Lay out the scores of the wanted measures; lines without a run belong to the file's run.

    Only their values are read as numbers, since other measures may hold text (trec_eval's
    relstring) or nothing defined.

    Returns
    -------
    dict of str to Block
        By the measures that are wanted.
    """
    by_name: dict[str, list[ScoreLine]] = {}
    for line in lines:
        by_name.setdefault(line.measure, []).append(line)
    return {
        measure: replace(
            _block_of_measure(by_name[name], file, value_column, topic_column), measure=name
        )
        for measure, name in choose_measures(by_name, wanted, file).items()
    }


def _block_of_measure(
    lines: list[ScoreLine], file: str, value_column: int | None, topic_column: int | None
) -> Block:
    for line in lines:
        if not line.value:
            raise BadFileError("the score is missing", file, line.line, value_column)
    tag = "" if all(line.run is not None for line in lines) else run_tag_from_name(file)
    records = Records(
        file,
        topics=[line.topic for line in lines],
        runs=[tag if line.run is None else line.run for line in lines],
        values=[line.value for line in lines],
        lines=[line.line for line in lines],
        topic_column=topic_column,
        value_column=value_column,
    )
    return block_from_records(records, whole_runs=True)
