"""Wide files: one topic a row, one run a column, one measure a file."""

from __future__ import annotations

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.cells import checked_name, is_number, quick_numbers, score
from roundbook.formats.blocks import Block, refuse_oversize, without_summary
from roundbook.formats.table import (
    RUN_WORDS,
    TOPIC_WORDS,
    VALUE_WORDS,
    any_of,
    header_word,
    table_rows,
)
from roundbook.formats.text import SourceText


def read_wide(source: SourceText) -> Block:
    """Read one wide CSV or TSV file; an empty cell is a missing score.

    Parameters
    ----------
    source : SourceText

    Returns
    -------
    Block

    Raises
    ------
    BadFileError
        If the file is not a rectangle of scores under run tags beside topics.
    """
    rows = table_rows(source)
    head_line, header = next(rows)
    runs = _run_tags(header, source.file, head_line)
    topics: dict[str, int] = {}
    scores: list[Scores] = []
    for line, fields in rows:
        topic = checked_name(fields[0], "topic", source.file, line, 1)
        if topic in topics:
            raise BadFileError(
                f"topic {topic} already has a row on line {topics[topic]}; keep one",
                source.file,
                line,
                1,
            )
        topics[topic] = line
        scores.append(_row_scores(fields[1:], source.file, line))
    refuse_oversize(len(topics), len(runs), source.file)
    lines = list(topics.values())
    return without_summary(
        Block(
            source.file,
            tuple(topics),
            runs,
            np.vstack(scores),
            lambda topic, run: (lines[topic], run + 2),
        )
    )


def _run_tags(header: list[str], file: str, line: int) -> tuple[str, ...]:
    first = header_word(header[0])
    if first in any_of(RUN_WORDS):
        raise BadFileError(
            f"the first column is called {header[0].strip()!r}, but a wide file has "
            "one topic a row and one run a column; transpose it",
            file,
            line,
            1,
        )
    if first not in any_of(TOPIC_WORDS) and all(is_number(cell) for cell in header[1:]):
        raise BadFileError(
            "the first line looks like scores; name the runs in a header, "
            "with 'topic' over the first column",
            file,
            line,
        )
    if len(header) == 2 and header_word(header[1]) in any_of(VALUE_WORDS):
        raise BadFileError(
            f"the column {header[1].strip()!r} names no run; put the run's tag there",
            file,
            line,
            2,
        )
    columns: dict[str, int] = {}
    for column, cell in enumerate(header[1:], 2):
        if header_word(cell) in any_of(TOPIC_WORDS):
            raise BadFileError(
                f"the column {cell.strip()!r} must be the first of a wide file; "
                "take out what stands before it",
                file,
                line,
                column,
            )
        run = checked_name(cell, "run", file, line, column)
        if run in columns:
            raise BadFileError(
                f"the run {run} already has column {columns[run]}; keep one", file, line, column
            )
        columns[run] = column
    return tuple(columns)


def _row_scores(cells: list[str], file: str, line: int) -> Scores:
    quick = quick_numbers(cells)
    if quick is not None:
        return quick
    return np.array([score(cell, file, line, column) for column, cell in enumerate(cells, 2)])
