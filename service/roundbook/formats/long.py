"""Long files: one score a row, with topic, run and measure in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unicodedata import normalize

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.columns import Table
from roundbook.formats.matrix import (
    MEANS,
    SUMMARY_TOPIC,
    Block,
    refuse_oversize,
    without_summary,
)
from roundbook.formats.measures import MeasureSelection, choose_measures
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    MEASURE_HEADERS,
    PYTERRIER_RUN_HEADERS,
    RUN_HEADERS,
    TOPIC_HEADERS,
    VALUE_HEADERS,
    Location,
    Scores,
    numbered_names,
)


def read_long(table: Table, selection: MeasureSelection) -> dict[str, Block]:
    """Read a long table, by measure.

    Rows of the topic ``all`` are summaries and left out, wherever they are. A file with one column
    for each measure, in place of a column of scores, is read too.
    """
    file, header, line = table.file, table.header, table.header_line
    topic, value, run = map(table.named_column, (TOPIC_HEADERS, VALUE_HEADERS, RUN_HEADERS))
    if run is None and table.is_pyterrier:
        run = table.named_column(PYTERRIER_RUN_HEADERS)
    if topic is None or run is None:
        raise BadFileError(
            f"a long file needs a column {'topic' if topic is None else 'run'!r}", file, line
        )
    at = table.named_column(MEASURE_HEADERS)
    lines = table.line_numbers()
    # By measure: its name in the file, its column of scores, its rows.
    parts: dict[str, tuple[str | None, int, Sequence[int]]]
    names: list[str] | None = None  # the measure of each row, if a column holds it
    if value is None:
        cells = [cell.strip() for cell in header]
        chosen = _measure_columns(cells, selection, file, line)
        all_rows = range(len(lines))
        parts = {measure: (name, cells.index(name), all_rows) for measure, name in chosen.items()}
    elif at is None:
        parts = {selection.only(file): (None, value, range(len(lines)))}
    else:
        names = [*map(str.strip, table.texts(at))]
        by_name: dict[str, list[int]] = {name: [] for name in dict.fromkeys(names)}
        for row, name in enumerate(names):
            by_name[name].append(row)
        chosen = choose_measures(by_name, selection, file)
        parts = {measure: (name, value, by_name[name]) for measure, name in chosen.items()}
    topics, runs = ([*map(str.strip, table.texts(column))] for column in (topic, run))
    has_summaries = SUMMARY_TOPIC in map(str.lower, topics)
    runs_read: set[str] = set()
    blocks = {}
    for measure, (file_name, column, of_measure) in parts.items():
        rows = of_measure
        if has_summaries:
            rows = [row for row in of_measure if topics[row].lower() != SUMMARY_TOPIC]
        if not rows:
            raise BadFileError("there are no scores of single topics", file)
        scored_runs = [runs[row] for row in rows]
        runs_read.update(scored_runs)
        blocks[measure] = block_of_lines(
            file,
            topics=[topics[row] for row in rows],
            runs=scored_runs,
            scores=table.numbers(column, rows),
            lines=[lines[row] for row in rows],
            topic_column=topic + 1,
            run_column=run + 1,
            score_column=column + 1,
            measure=file_name,
            whole_runs=False,
        )
    other_runs: dict[str, str] = {}
    for row, name in enumerate(names or ()):
        if runs[row] not in runs_read and runs[row] and topics[row].lower() not in MEANS:
            other_runs.setdefault(normalize("NFC", runs[row]), name)
    return {measure: replace(block, other_runs=other_runs) for measure, block in blocks.items()}


def _measure_columns(
    cells: Sequence[str], selection: MeasureSelection, file: str, line: int
) -> dict[str, str]:
    names = [cell for cell in cells if cell.lower() not in ANY_TOPIC_HEADER | ANY_RUN_HEADER]
    try:
        chosen = choose_measures(names, selection, file)
    except BadFileError as error:
        spelt_twice = error.way_out is not None and error.way_out.code == "several measures"
        if not selection.measures or spelt_twice:
            raise
        raise BadFileError(
            "a long file needs a column 'value' or 'score', or one named like the measure"
            f" {selection}",
            file,
            line,
        ) from None
    for name in chosen.values():
        if names.count(name) > 1:
            raise BadFileError(f"two columns are called {name!r}; keep one", file, line)
    return chosen


def block_of_lines(
    file: str,
    *,
    topics: list[str],
    runs: list[str],
    scores: Scores,
    lines: Sequence[int],
    topic_column: int | None,
    run_column: int | None,
    score_column: int | None,
    measure: str | None,
    whole_runs: bool,
) -> Block:
    """Return scores given line by line as a block, in order of first appearance, without means.

    Parameters
    ----------
    topics, runs, scores, lines : sequences of equal length
        Those of each score.
    topic_column, run_column, score_column : int or None
        Their columns in the file, for error messages.
    measure, whole_runs
        See `Block`.
    """
    names, at_topic = numbered_names(topics, "topic", file, lambda at: (lines[at], topic_column))
    tags, at_run = numbered_names(runs, "run", file, lambda at: (lines[at], run_column))
    refuse_oversize(len(names), len(tags), file)
    cell = at_topic * len(tags) + at_run
    filled = np.zeros(len(names) * len(tags), dtype=bool)
    filled[cell] = True
    if filled.sum() < len(cell):
        order = np.argsort(cell, kind="stable")
        again = np.flatnonzero(np.diff(cell[order]) == 0)
        second = int(order[again + 1].min())
        first = int(np.flatnonzero(cell == cell[second])[0])
        reason = (
            f"topic {topics[second]} of run {runs[second]} already has a score on line"
            f" {lines[first]}; {'give one file a run' if whole_runs else 'keep one'}"
        )
        raise BadFileError(reason, file, lines[second], topic_column)
    matrix = np.full(len(names) * len(tags), np.nan)
    matrix[cell] = scores

    def location(topic: int, run: int) -> Location:
        indices = np.flatnonzero(cell == topic * len(tags) + run)
        if not indices.size:  # this run has no line of the topic, but another has
            indices = np.flatnonzero(at_topic == topic)
        return lines[int(indices[0])], score_column

    block = Block(
        file, names, tags, matrix.reshape(len(names), len(tags)), location, whole_runs, measure
    )
    return without_summary(block, topic_column)
