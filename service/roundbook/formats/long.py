"""Long files: one score a row, its topic, run and measure in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from roundbook.errors import BadFileError
from roundbook.formats.lines import Records, block_from_records
from roundbook.formats.matrix import SUMMARY_TOPIC, Block, without_summary
from roundbook.formats.measures import canonical_measure, choose_measure
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TOPIC_HEADER,
    MEASURE_HEADERS,
    RUN_HEADERS,
    TOPIC_HEADERS,
    VALUE_HEADERS,
    named_column,
    table_rows,
)
from roundbook.formats.text import SourceText


@dataclass(frozen=True)
class _Columns:
    topic: int
    run: int
    measure: int | None
    value: int
    measure_name: str | None


def read_long(
    source: SourceText, measure: str, file_measure: str | None
) -> tuple[Block, str | None]:
    """Read one long CSV or TSV file.

    Rows of the topic ``all`` are summaries and left out, wherever they stand. A file without a
    column of scores by name, but with one column a measure, is read too.

    Parameters
    ----------
    source : SourceText
    measure, file_measure : str, str or None
        As in `read_scores`.

    Returns
    -------
    Block
    str or None
        The measure's name in the file.

    Raises
    ------
    BadFileError
        If columns are missing or could be confused, or a row does not fit.
    """
    rows = list(table_rows(source))
    head_line, header = rows[0]
    columns = _columns(header, measure, file_measure, source.file, head_line)
    chosen = columns.measure_name
    at = columns.measure
    if at is not None:
        chosen = choose_measure(
            (fields[at].strip() for _, fields in rows[1:]), measure, file_measure, source.file
        )
    elif chosen is None and file_measure is not None:
        raise BadFileError(
            "the file names no measure", source.file, head_line, way_out="no measure in the file"
        )
    records = Records(
        source.file,
        topic_column=columns.topic + 1,
        run_column=columns.run + 1,
        value_column=columns.value + 1,
    )
    for line, fields in rows[1:]:
        topic = fields[columns.topic].strip()
        if (at is None or fields[at].strip() == chosen) and topic.lower() != SUMMARY_TOPIC:
            records.topics.append(topic)
            records.runs.append(fields[columns.run].strip())
            records.values.append(fields[columns.value])
            records.lines.append(line)
    if not records.lines:
        raise BadFileError("there are no scores of single topics", source.file)
    return without_summary(block_from_records(records, whole_runs=False)), chosen


def _columns(
    header: Sequence[str], measure: str, file_measure: str | None, file: str, line: int
) -> _Columns:
    topic = named_column(header, TOPIC_HEADERS, file, line)
    run = named_column(header, RUN_HEADERS, file, line)
    value = named_column(header, VALUE_HEADERS, file, line)
    if topic is None or run is None:
        raise BadFileError(
            f"a long file needs a column {'topic' if topic is None else 'run'!r}", file, line
        )
    if value is not None:
        return _Columns(topic, run, named_column(header, MEASURE_HEADERS, file, line), value, None)
    name = _measure_column(header, measure, file_measure, file, line)
    return _Columns(topic, run, None, [cell.strip() for cell in header].index(name), name)


def _measure_column(
    header: Sequence[str], measure: str, file_measure: str | None, file: str, line: int
) -> str:
    known = ANY_TOPIC_HEADER | ANY_RUN_HEADER
    names = [cell.strip() for cell in header if cell.strip().lower() not in known]
    try:
        chosen = choose_measure(names, measure, file_measure, file)
    except BadFileError:
        raise BadFileError(
            "a long file needs a column 'value' or 'score', or one named like the measure "
            f"{file_measure or measure}",
            file,
            line,
        ) from None
    if names.count(chosen) > 1:
        raise BadFileError(f"two columns are called {chosen!r}; keep one", file, line)
    return chosen


def has_measure_column(header: Sequence[str], measure: str, file_measure: str | None) -> bool:
    """Tell whether one of the header's cells is the measure's name."""
    if file_measure is not None:
        return file_measure in [cell.strip() for cell in header]
    return canonical_measure(measure) in [canonical_measure(cell.strip()) for cell in header]
