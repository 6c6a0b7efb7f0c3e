"""Wide files: a row for each topic, a column for each run, one measure a file."""

from __future__ import annotations

from roundbook.errors import BadFileError
from roundbook.formats.columns import Table
from roundbook.formats.matrix import Block, refuse_oversize, without_summary
from roundbook.formats.measures import MeasureSelection
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    checked_names,
    first_repeated,
    has_decimal_comma,
    is_number,
    quoted,
)


def read_wide(table: Table, selection: MeasureSelection) -> dict[str, Block]:
    """Read a wide table, of the one selected measure; an empty cell is a missing score."""
    measure = selection.only(table.file)
    file, lines = table.file, table.line_numbers()
    runs = _run_tags(table)
    cells = table.texts(0)
    if (
        table.keys[0] not in ANY_TOPIC_HEADER
        and any("." in cell or "," in cell for cell in cells)
        and all(is_number(cell) or has_decimal_comma(cell) for cell in cells)
    ):
        reason = (
            f"the first column, called {quoted(table.header[0].strip())}, holds numbers with"
            " decimals, which look like scores; put a column of topics before it, or if these are"
            " topics, head it 'topic'"
        )
        raise BadFileError(reason, file, lines[0], 1)
    topics = checked_names(cells, "topic", file, lambda row: (lines[row], 1))
    if (again := first_repeated(topics)) is not None:
        topic = topics[again]
        reason = f"topic {topic} already has a row on line {lines[topics.index(topic)]}; keep one"
        raise BadFileError(reason, file, lines[again], 1)
    refuse_oversize(len(topics), len(runs), file)
    block = Block(
        file, tuple(topics), tuple(runs), table.scores(), lambda topic, run: (lines[topic], run + 2)
    )
    return {measure: without_summary(block)}


def _run_tags(table: Table) -> list[str]:
    header, keys, file, line = table.header, table.keys, table.file, table.header_line
    if keys[0] in ANY_RUN_HEADER:
        reason = (
            f"the first column is called {header[0].strip()!r}, but a wide file has "
            "one topic a row and one run a column; transpose it"
        )
        raise BadFileError(reason, file, line, 1)
    if keys[0] not in ANY_TOPIC_HEADER and all(
        is_number(cell) or has_decimal_comma(cell) for cell in header[1:]
    ):
        raise BadFileError(
            "the first line looks like scores; name the runs in a header, "
            "with 'topic' over the first column",
            file,
            line,
        )
    if len(header) == 2 and keys[1] in ANY_VALUE_HEADER:
        reason = f"the column {header[1].strip()!r} names no run; put the run's tag there"
        raise BadFileError(reason, file, line, 2)
    if not ANY_TOPIC_HEADER.isdisjoint(keys[1:]):
        at = next(at for at, key in enumerate(keys) if at and key in ANY_TOPIC_HEADER)
        reason = (
            f"the column {header[at].strip()!r} must be the first of a wide file; "
            "take out what stands before it"
        )
        raise BadFileError(reason, file, line, at + 1)
    runs = checked_names(header[1:], "run", file, lambda at: (line, at + 2))
    if (again := first_repeated(runs)) is not None:
        reason = f"the run {runs[again]} already has column {runs.index(runs[again]) + 2}; keep one"
        raise BadFileError(reason, file, line, again + 2)
    return runs
