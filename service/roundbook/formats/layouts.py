"""Detection of a score file's layout from its content."""

from __future__ import annotations

from collections.abc import Sequence

from roundbook.errors import AmbiguousLayoutError, BadFileError
from roundbook.formats.columns import Table, TextTable
from roundbook.formats.matrix import SUMMARY_TOPIC
from roundbook.formats.measures import MeasureSelection
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TEAM_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    has_decimal_comma,
    is_number,
)
from roundbook.formats.text import SourceText, fields_of
from roundbook.formats.tools import looks_like_ntcireval
from roundbook.measure_names import is_measure_like, measure_key


def detect_layout(table: Table, selection: MeasureSelection) -> str:
    """Return the one of ``LAYOUTS`` of `reader` that a file's content fits.

    trec_eval writes ``measure topic value`` and ir_measures ``topic measure value``. Which of
    the two columns holds measures is decided by the tools' names of measures and the selected
    ones; if both columns do, or neither, the file is refused.

    Raises
    ------
    AmbiguousLayoutError
        If the content fits more than one layout, or none.
    BadFileError
        If the content is that of another file of an evaluation, which holds no scores.
    """
    if isinstance(table, TextTable):
        source = table.source
        first = source.first_rows[0][1].lstrip()
        if first.startswith("{"):
            return "ir_measures"
        if first.startswith(("[", "<")):
            raise _no_layout(source.file)
        refuse_other_files(source, "scores")
        has_heading = table.keys[0] in ANY_TOPIC_HEADER | ANY_RUN_HEADER | {""}
        if not has_heading or first.split(maxsplit=2)[:2] == ["runid", SUMMARY_TOPIC]:
            names = {*selection.measures, selection.file_measure} - {None, ""}
            layout = _tool_layout(source, table.header, names)
            if layout is not None:
                return layout
    _refuse_other_table(table)
    keys = table.keys
    if len(keys) < 2:
        raise _no_layout(table.file)
    if table.is_pyterrier:
        return "long"
    if ANY_TOPIC_HEADER.isdisjoint(keys) or ANY_RUN_HEADER.isdisjoint(keys):
        return "wide"
    return _long_or_wide(table, selection)


def refuse_other_files(source: SourceText, expected: str, line: int | None = None) -> None:
    """Refuse a file whose first lines look like a TREC run or qrels, unless that is expected."""
    kinds = set()
    for _, text in source.first_rows:
        fields = fields_of(text)
        kind = None
        if len(fields) == 6 and fields[1].upper() == "Q0" and is_number(fields[4]):
            kind = "a TREC run"
        elif len(fields) == 4 and is_number(fields[1]) and fields[3].lstrip("-").isdecimal():
            # With tabs and a number for the document it may be a row of a wide file.
            kind = "TREC qrels" if "\t" not in text or not is_number(fields[2]) else None
        kinds.add(kind)
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind not in (None, expected):
        raise BadFileError(
            f"this looks like {kind}, and not like {expected}",
            source.file,
            line,
            way_out="log as runs" if kind == "a TREC run" else "log as assessments",
        )


def _tool_layout(
    source: SourceText, header: Sequence[str], measures: set[str | None]
) -> str | None:
    first = source.first_rows[0][1]
    fields = fields_of(first)
    if all(looks_like_ntcireval(text) for _, text in source.first_rows):
        return "ntcireval"
    if len(fields) == 2 and is_measure_like(fields[0]) and is_number(fields[1]):
        return "ir_measures"
    if len(fields) != 3:
        return None
    name, topic, value = fields
    has_value = is_number(value) or SUMMARY_TOPIC in (name, topic) or name.startswith("relstring")
    if not has_value:
        return None
    rows = [fields for fields in (fields_of(text) for _, text in source.rows) if len(fields) == 3]
    in_first, in_second = (
        any(name in measures or is_measure_like(name) for name in {fields[at] for fields in rows})
        for at in (0, 1)
    )
    if in_first != in_second:
        return "trec_eval" if in_first else "ir_measures"
    if not in_first and len(header) > 1 and "\t" not in first:
        return None  # a CSV header with blanks in it
    columns = "both the first and the second" if in_first else "neither the first nor the second"
    raise AmbiguousLayoutError(
        f"{columns} column holds known measures, so this may be trec_eval output "
        "(measure topic value) or ir_measures output (topic measure value)",
        source.file,
        way_out="one of two layouts",
        first="trec_eval",
        second="ir_measures",
    )


def _long_or_wide(table: Table, selection: MeasureSelection) -> str:
    keys = table.keys
    if not ANY_VALUE_HEADER.isdisjoint(keys):
        return "long"
    # No column named for scores: one column a measure, or a wide file with a run called "run".
    at = next(i for i, key in enumerate(keys) if key in ANY_RUN_HEADER)
    first = next(iter(table.texts(at)), "0")
    if not is_number(first) and not has_decimal_comma(first):
        return "long"
    if at == 0 or not _has_measure_column(table.header, selection):
        return "wide"
    raise AmbiguousLayoutError(
        f"the column {table.header[at].strip()!r} may be a run or hold run tags, so this may be "
        "a wide or a long file",
        table.file,
        way_out="one of two layouts",
        first="wide",
        second="long",
    )


def _has_measure_column(header: Sequence[str], selection: MeasureSelection) -> bool:
    """Return whether a cell of the header names a selected measure."""
    cells = [cell.strip() for cell in header]
    if selection.file_measure is not None:
        return selection.file_measure in cells
    if not selection.measures:
        return any(map(is_measure_like, cells))
    identities = set(map(measure_key, selection.measures))
    return not identities.isdisjoint(map(measure_key, cells))


def _no_layout(file: str) -> BadFileError:
    return AmbiguousLayoutError("the content fits none of the layouts", file, way_out="no layout")


def _refuse_other_table(table: Table) -> None:
    """Refuse a team file and PyTerrier's table of means, which often lie beside score files."""
    first, keys = table.keys[0], table.keys
    if (
        first in ANY_RUN_HEADER | ANY_TEAM_HEADER
        and not ANY_RUN_HEADER.isdisjoint(keys)
        and not ANY_TEAM_HEADER.isdisjoint(keys)
        and ANY_TOPIC_HEADER.isdisjoint(keys)
    ):
        raise BadFileError(
            "this looks like a team file, and not like scores", table.file, way_out="team file"
        )
    names = table.header[keys.index("name") + 1 :] if "name" in keys[:2] else []
    if names and all(is_measure_like(name.strip()) for name in names):
        raise BadFileError(
            "this looks like PyTerrier's means over topics; Roundbook takes scores a topic, as"
            " pt.Experiment gives them with perquery=True",
            table.file,
        )
