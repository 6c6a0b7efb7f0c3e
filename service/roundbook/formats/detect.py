"""Which layout a file has, from its content and never from its name."""

from __future__ import annotations

from collections.abc import Sequence

from roundbook.errors import AmbiguousLayoutError, BadFileError
from roundbook.formats.cells import is_number
from roundbook.formats.lines import fields_of
from roundbook.formats.long import has_measure_column
from roundbook.formats.measures import is_measure_like
from roundbook.formats.ntcireval import looks_like_ntcireval
from roundbook.formats.other_files import refuse_other_file
from roundbook.formats.summary import SUMMARY_TOPIC
from roundbook.formats.table import (
    RUN_WORDS,
    TOPIC_WORDS,
    VALUE_WORDS,
    any_of,
    delimiter_of,
    header_word,
    split_fields,
)
from roundbook.formats.text import SourceText

LAYOUTS = ("wide", "long", "trec_eval", "ir_measures", "ntcireval")


def detect_layout(source: SourceText, measure: str, file_measure: str | None) -> str:
    """Return the one layout the content fits.

    trec_eval writes ``measure topic value`` and ir_measures ``topic measure value``. Which of
    the two columns holds measures is told by the names the tools use and the measure asked
    for; if both columns do, or neither, the file is refused.

    Parameters
    ----------
    source : SourceText
    measure, file_measure : str, str or None
        As in `read_scores`.

    Returns
    -------
    str
        One of `LAYOUTS`.

    Raises
    ------
    AmbiguousLayoutError
        If the content fits more than one layout, or none.
    BadFileError
        If the content is that of another file of an evaluation, which holds no scores.
    """
    first = source.rows[0][1].lstrip()
    if first.startswith("{"):
        return "ir_measures"
    header = [] if first.startswith(("[", "<")) else _header(source)
    if not header:
        raise _no_layout(source)
    refuse_other_file(source, header)
    tabular = header_word(header[0]) in any_of(TOPIC_WORDS) | any_of(RUN_WORDS) | {""}
    if not tabular or first.split()[:2] == ["runid", SUMMARY_TOPIC]:
        found = _tool_layout(source, header, {measure, file_measure} - {None, ""})
        if found is not None:
            return found
    if len(header) < 2:
        raise _no_layout(source)
    words = {header_word(cell) for cell in header}
    if words & any_of(TOPIC_WORDS) and words & any_of(RUN_WORDS):
        return _long_or_wide(source, header, measure, file_measure)
    return "wide"


def _header(source: SourceText) -> list[str]:
    line, first = source.rows[0]
    delimiter = delimiter_of(first)
    if delimiter is None:
        return [first]
    return split_fields(first, delimiter, source.file, line)


def _tool_layout(source: SourceText, header: Sequence[str], asked: set[str | None]) -> str | None:
    first = source.rows[0][1]
    fields = fields_of(first)
    if all(looks_like_ntcireval(text) for _, text in source.rows[:2]):
        return "ntcireval"
    if len(fields) == 2 and is_measure_like(fields[0]) and is_number(fields[1]):
        return "ir_measures"
    if len(fields) != 3 or not _holds_value(fields):
        return None
    in_first, in_second = _measures_in(source, asked)
    if in_first != in_second:
        return "trec_eval" if in_first else "ir_measures"
    if not in_first and len(header) > 1 and "\t" not in first:
        return None  # a CSV header with blanks in it
    which = "both the first and the second" if in_first else "neither the first nor the second"
    raise AmbiguousLayoutError(
        f"{which} column holds known measures, so this may be trec_eval output "
        "(measure topic value) or ir_measures output (topic measure value); "
        "choose with --layout trec_eval or --layout ir_measures",
        source.file,
    )


def _holds_value(fields: Sequence[str]) -> bool:
    name, topic, value = fields
    return is_number(value) or SUMMARY_TOPIC in (name, topic) or name.startswith("relstring")


def _measures_in(source: SourceText, asked: set[str | None]) -> tuple[bool, bool]:
    rows = [fields for fields in (fields_of(text) for _, text in source.rows) if len(fields) == 3]

    def is_measure(name: str) -> bool:
        return name in asked or is_measure_like(name)

    return (
        any(is_measure(name) for name in {fields[0] for fields in rows}),
        any(is_measure(name) for name in {fields[1] for fields in rows}),
    )


def _long_or_wide(
    source: SourceText, header: list[str], measure: str, file_measure: str | None
) -> str:
    spelt = [header_word(cell) for cell in header]
    if any_of(VALUE_WORDS) & set(spelt):
        return "long"
    # No column of scores by name: a column a measure, or a wide file with a run called "run".
    at = next(i for i, word in enumerate(spelt) if word in any_of(RUN_WORDS))
    delimiter = delimiter_of(source.rows[0][1]) or ","
    numeric = True
    for line, text in source.rows[1:2]:
        cells = split_fields(text, delimiter, source.file, line)
        numeric = len(cells) > at and is_number(cells[at])
    if not numeric:
        return "long"
    if at == 0 or not has_measure_column(header, measure, file_measure):
        return "wide"
    raise AmbiguousLayoutError(
        f"the column {header[at].strip()!r} may be a run or hold run tags, so this may be "
        "a wide or a long file; choose with --layout wide or --layout long",
        source.file,
    )


def _no_layout(source: SourceText) -> BadFileError:
    return AmbiguousLayoutError(
        "the content fits none of the layouts; if it should, choose one with --layout "
        + ", ".join(LAYOUTS),
        source.file,
    )
