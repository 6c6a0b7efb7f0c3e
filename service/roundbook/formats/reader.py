"""Score files in: which layout each has, and one score matrix a measure from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roundbook.errors import AmbiguousLayoutError, BadFileError, InputError
from roundbook.formats.columns import Table, TextTable
from roundbook.formats.ir_measures import read_ir_measures
from roundbook.formats.long import has_measure_column, is_pyterrier, read_long
from roundbook.formats.matrix import (
    SUMMARY_TOPIC,
    Block,
    FilePart,
    HiddenCells,
    ScoreMatrix,
    files_shown,
    merged,
)
from roundbook.formats.ntcireval import looks_like_ntcireval, read_ntcireval
from roundbook.formats.sources import read_source
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TEAM_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    has_decimal_comma,
    is_number,
)
from roundbook.formats.text import DEFAULT_MAX_BYTES, SourceText, fields_of, shown_path
from roundbook.formats.trec.files import kind_of_line
from roundbook.formats.trec_eval import read_trec_eval
from roundbook.formats.wanted import WantedMeasures
from roundbook.formats.wide import read_wide
from roundbook.measure_names import is_measure_like, measure_key

LAYOUTS = ("wide", "long", "trec_eval", "ir_measures", "ntcireval")
_OF_TOOLS = {
    "trec_eval": read_trec_eval,
    "ir_measures": read_ir_measures,
    "ntcireval": read_ntcireval,
}


def read_scores(
    paths: Sequence[Path | str],
    *,
    measure: str,
    file_measure: str | None = None,
    layout: str = "auto",
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> ScoreMatrix:
    """Read the scores of one measure from one or several files of one layout.

    Several files are put together: other runs, other topics, or both. A topic that is absent
    from a run's file is a missing cell. Gzipped files are read as they are.

    Parameters
    ----------
    paths : sequence of paths
    measure : str
        The measure's name in the record. Where the files name measures, it is looked for as it
        is, then in any case, then by the names the tools have for it (``map`` for AP).
    file_measure : str, optional
        The measure's exact name in the files, where that is another.
    layout : {'auto', 'wide', 'long', 'trec_eval', 'ir_measures', 'ntcireval'}
        ``auto`` decides by content and refuses to guess.
    max_bytes : int
        Largest file that is read, also after decompression.

    Returns
    -------
    ScoreMatrix

    Raises
    ------
    AmbiguousLayoutError
        If the layout is ``auto`` and cannot be told.
    BadFileError
        If a file cannot be read as scores; the message names the place.
    InputError
        If no file is given, or the layout is unknown.
    """
    (matrix,) = read_measures(
        paths, (measure,), file_measure=file_measure, layout=layout, max_bytes=max_bytes
    )
    return matrix


def read_measures(
    paths: Sequence[Path | str],
    measures: Sequence[str],
    *,
    file_measure: str | None = None,
    layout: str = "auto",
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> list[ScoreMatrix]:
    """Read the scores of several measures from files that are read once; see `read_scores`.

    A file may lack some of the measures where other files have them of the same runs.

    Parameters
    ----------
    measures : sequence of str
        Their names in the record; none for all that the files name, without what tools count
        per topic (num_ret).

    Returns
    -------
    list of ScoreMatrix
        In the order of `measures`, or in that of the files.

    Raises
    ------
    AmbiguousLayoutError, BadFileError, InputError
        As `read_scores`; also if a run has scores of one measure and none of another.
    """
    if isinstance(paths, (str, Path)):
        paths = [paths]
    if not paths:
        raise InputError("no score file was given")
    if layout not in ("auto", *LAYOUTS):
        raise InputError(f"there is no layout {layout!r}; choose auto or {', '.join(LAYOUTS)}")
    wanted = WantedMeasures(tuple(measures), file_measure)
    first: tuple[str, str] | None = None  # file and layout
    hidden: list[HiddenCells] = []
    by_measure: dict[str, list[Block]] = {measure: [] for measure in measures}
    for path in paths:
        source = read_source(path, max_bytes)
        if layout == "auto":
            kind, source = detect_layout(source, wanted)
        else:
            kind = layout
        first = first or (source.file, kind)
        if kind != first[1]:
            raise _disagreement("layout", kind, first[1], source.file, first[0])
        if isinstance(source, Table) and source.hidden is not None:
            hidden.append(source.hidden)
        for measure, block in _blocks(source, kind, wanted).items():
            # A measure that was not asked for by name may be spelt otherwise in every file.
            same = measure if measures else measure_key(measure)
            blocks = by_measure.setdefault(same, [])
            blocks.append(block)
            if measures and block.measure != blocks[0].measure:
                raise _disagreement(
                    "measure", block.measure, blocks[0].measure, block.file, blocks[0].file
                )
    assert first is not None
    matrices = []
    for measure, blocks in by_measure.items():
        if not blocks:
            raise BadFileError(
                f"no file holds the measure {measure}",
                files_shown([shown_path(path) for path in paths]),
                way_out="name the measures",
            )
        topics, runs, scores = merged(blocks)
        files = tuple(block.file for block in blocks)
        matrices.append(
            ScoreMatrix(
                topics,
                runs,
                scores,
                blocks[0].measure,
                first[1],
                files,
                parts=tuple(
                    FilePart(block.file, block.topics, block.runs)
                    for block in blocks
                    if len(blocks) > 1
                ),
                hidden=tuple(hidden),
            )
        )
    _refuse_partial_runs(matrices)
    return matrices


def _blocks(source: SourceText | Table, kind: str, wanted: WantedMeasures) -> dict[str, Block]:
    if kind in _OF_TOOLS:
        if isinstance(source, Table):
            raise BadFileError(
                f"{kind} is a layout of text, and this is a table",
                source.file,
                way_out="one of two layouts",
                first="wide",
                second="long",
            )
        return _OF_TOOLS[kind](source, wanted)
    table = source if isinstance(source, Table) else TextTable(source)
    if kind == "long":
        return read_long(table, wanted)
    if wanted.file_measure is not None:
        raise BadFileError(
            "a wide file names no measure", table.file, way_out="no measure in the file"
        )
    return {wanted.only(table.file): read_wide(table)}


def _disagreement(
    what: str, other: str | None, first: str | None, file: str, first_file: str
) -> BadFileError:
    return BadFileError(
        f"the {what} is {other}, but that of {first_file} is {first}; "
        "files read together must agree",
        file,
    )


def _refuse_partial_runs(matrices: Sequence[ScoreMatrix]) -> None:
    """Refuse runs that have scores of one measure and none of another: a file was forgotten."""
    first, *others = matrices
    for other in others:
        for has, lacks in ((first, other), (other, first)):
            there = set(lacks.runs)
            run = next((run for run in has.runs if run not in there), None)
            if run is not None:
                raise BadFileError(
                    f"the run {run} has scores of {has.measure} in these files, and none of"
                    f" {lacks.measure}",
                    files_shown([part.file for part in has.parts if run in part.runs] or has.files),
                    way_out="name the measures",
                )


def detect_layout(
    source: SourceText | Table, wanted: WantedMeasures
) -> tuple[str, SourceText | Table]:
    """Return the one layout the content fits, and the content as what its reader takes.

    trec_eval writes ``measure topic value`` and ir_measures ``topic measure value``. Which of
    the two columns holds measures is told by the names the tools use and the measure asked
    for; if both columns do, or neither, the file is refused.

    Parameters
    ----------
    source : SourceText or Table
    wanted : WantedMeasures

    Returns
    -------
    str
        One of `LAYOUTS`.
    SourceText or Table

    Raises
    ------
    AmbiguousLayoutError
        If the content fits more than one layout, or none.
    BadFileError
        If the content is that of another file of an evaluation, which holds no scores.
    """
    if isinstance(source, SourceText):
        first = source.first_rows[0][1].lstrip()
        if first.startswith("{"):
            return "ir_measures", source
        if first.startswith(("[", "<")):
            raise _no_layout(source.file)
        _refuse_other_text(source)
        table: Table = TextTable(source)
        has_heading = table.keys[0] in ANY_TOPIC_HEADER | ANY_RUN_HEADER | {""}
        if not has_heading or first.split(maxsplit=2)[:2] == ["runid", SUMMARY_TOPIC]:
            names = {*wanted.measures, wanted.file_measure} - {None, ""}
            layout = _tool_layout(source, table.header, names)
            if layout is not None:
                return layout, source
    else:
        table = source
    _refuse_other_table(table)
    keys = table.keys
    if len(keys) < 2:
        raise _no_layout(table.file)
    if is_pyterrier(table):
        return "long", table
    if ANY_TOPIC_HEADER.isdisjoint(keys) or ANY_RUN_HEADER.isdisjoint(keys):
        return "wide", table
    return _long_or_wide(table, wanted), table


def _tool_layout(
    source: SourceText, header: Sequence[str], measures: set[str | None]
) -> str | None:
    first = source.first_rows[0][1]
    fields = fields_of(first)
    if all(looks_like_ntcireval(text) for _, text in source.first_rows):
        return "ntcireval"
    if len(fields) == 2 and is_measure_like(fields[0]) and is_number(fields[1]):
        return "ir_measures"
    if len(fields) != 3 or not _holds_value(fields):
        return None
    in_first, in_second = _measures_in(source, measures)
    if in_first != in_second:
        return "trec_eval" if in_first else "ir_measures"
    if not in_first and len(header) > 1 and "\t" not in first:
        return None  # a CSV header with blanks in it
    which = "both the first and the second" if in_first else "neither the first nor the second"
    raise AmbiguousLayoutError(
        f"{which} column holds known measures, so this may be trec_eval output "
        "(measure topic value) or ir_measures output (topic measure value)",
        source.file,
        way_out="one of two layouts",
        first="trec_eval",
        second="ir_measures",
    )


def _holds_value(fields: Sequence[str]) -> bool:
    name, topic, value = fields
    return is_number(value) or SUMMARY_TOPIC in (name, topic) or name.startswith("relstring")


def _measures_in(source: SourceText, measures: set[str | None]) -> tuple[bool, bool]:
    rows = [fields for fields in (fields_of(text) for _, text in source.rows) if len(fields) == 3]

    def is_measure(name: str) -> bool:
        return name in measures or is_measure_like(name)

    return (
        any(is_measure(name) for name in {fields[0] for fields in rows}),
        any(is_measure(name) for name in {fields[1] for fields in rows}),
    )


def _long_or_wide(table: Table, wanted: WantedMeasures) -> str:
    keys = table.keys
    if not ANY_VALUE_HEADER.isdisjoint(keys):
        return "long"
    # No column of scores by name: a column a measure, or a wide file with a run called "run".
    at = next(i for i, key in enumerate(keys) if key in ANY_RUN_HEADER)
    first = next(iter(table.texts(at)), "0")
    if not is_number(first) and not has_decimal_comma(first):
        return "long"
    if at == 0 or not has_measure_column(table.header, wanted):
        return "wide"
    raise AmbiguousLayoutError(
        f"the column {table.header[at].strip()!r} may be a run or hold run tags, so this may be "
        "a wide or a long file",
        table.file,
        way_out="one of two layouts",
        first="wide",
        second="long",
    )


def _no_layout(file: str) -> BadFileError:
    return AmbiguousLayoutError("the content fits none of the layouts", file, way_out="no layout")


def _refuse_other_table(table: Table) -> None:
    """Refuse a team file and PyTerrier's means, which lie beside scores and hold none."""
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


def _refuse_other_text(source: SourceText) -> None:
    """Refuse TREC qrels and a TREC run."""
    kinds = {kind_of_line(text) for _, text in source.first_rows}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        raise BadFileError(
            f"this looks like {kind}, and not like scores; Roundbook takes scores a topic, as"
            " trec_eval -q prints them",
            source.file,
        )
