"""Long files: one score a row, with topic, run and measure in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from unicodedata import normalize

from roundbook.errors import BadFileError
from roundbook.formats.columns import Table
from roundbook.formats.lines import Records, block_from_records
from roundbook.formats.matrix import MEANS, SUMMARY_TOPIC, Block, without_summary
from roundbook.formats.measures import MeasureSelection, choose_measures
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    MEASURE_HEADERS,
    PYTERRIER_RUN_HEADERS,
    RUN_HEADERS,
    TOPIC_HEADERS,
    VALUE_HEADERS,
)


def read_long(table: Table, selection: MeasureSelection) -> dict[str, Block]:
    """Read a long table.

    Rows of the topic ``all`` are summaries and left out, wherever they are. A file with one column
    for each measure, in place of a column of scores, is read too.

    Returns
    -------
    dict of str to Block
        By measure.

    Raises
    ------
    BadFileError
        If columns are missing or ambiguous, or a row is invalid.
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
        whole = len(rows) == len(lines)
        records = Records(
            file,
            topics=topics if whole else [topics[row] for row in rows],
            runs=runs if whole else [runs[row] for row in rows],
            values=table.numbers(column, rows),
            lines=lines if whole else [lines[row] for row in rows],
            topic_column=topic + 1,
            run_column=run + 1,
            value_column=column + 1,
        )
        runs_read.update(records.runs)
        block = without_summary(block_from_records(records, whole_runs=False), topic + 1)
        blocks[measure] = replace(block, measure=file_name)
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
