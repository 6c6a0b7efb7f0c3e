"""Wide files: one topic a row, one run a column, one measure a file."""

from __future__ import annotations

import numpy as np

from roundbook.errors import BadFileError
from roundbook.formats.matrix import Block, Scores, refuse_oversize, without_summary
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    checked_name,
    header_key,
    is_number,
    quick_numbers,
    score,
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
        numbers = quick_numbers(fields[1:])
        if numbers is None:
            cells = enumerate(fields[1:], 2)
            numbers = np.array([score(cell, source.file, line, column) for column, cell in cells])
        scores.append(numbers)
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
    first = header_key(header[0])
    if first in ANY_RUN_HEADER:
        raise BadFileError(
            f"the first column is called {header[0].strip()!r}, but a wide file has "
            "one topic a row and one run a column; transpose it",
            file,
            line,
            1,
        )
    if first not in ANY_TOPIC_HEADER and all(is_number(cell) for cell in header[1:]):
        raise BadFileError(
            "the first line looks like scores; name the runs in a header, "
            "with 'topic' over the first column",
            file,
            line,
        )
    if len(header) == 2 and header_key(header[1]) in ANY_VALUE_HEADER:
        raise BadFileError(
            f"the column {header[1].strip()!r} names no run; put the run's tag there",
            file,
            line,
            2,
        )
    columns: dict[str, int] = {}
    for column, cell in enumerate(header[1:], 2):
        if header_key(cell) in ANY_TOPIC_HEADER:
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
