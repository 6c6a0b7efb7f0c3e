"""Score files in: which layout each has, and one score matrix from all of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roundbook.errors import AmbiguousLayoutError, BadFileError, InputError
from roundbook.formats.ir_measures import read_ir_measures
from roundbook.formats.long import has_measure_column, read_long
from roundbook.formats.matrix import SUMMARY_TOPIC, Block, ScoreMatrix, merged
from roundbook.formats.measures import is_measure_like
from roundbook.formats.ntcireval import looks_like_ntcireval, read_ntcireval
from roundbook.formats.table import (
    ANY_RUN_HEADER,
    ANY_TEAM_HEADER,
    ANY_TOPIC_HEADER,
    ANY_VALUE_HEADER,
    delimiter_of,
    header_key,
    is_number,
    split_fields,
)
from roundbook.formats.text import DEFAULT_MAX_BYTES, SourceText, fields_of, read_text
from roundbook.formats.trec_eval import read_trec_eval
from roundbook.formats.wide import read_wide

LAYOUTS = ("wide", "long", "trec_eval", "ir_measures", "ntcireval")
_WITH_MEASURES = {
    "long": read_long,
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
    if isinstance(paths, (str, Path)):
        paths = [paths]
    if not paths:
        raise InputError("no score file was given")
    if layout not in ("auto", *LAYOUTS):
        raise InputError(f"there is no layout {layout!r}; choose auto or {', '.join(LAYOUTS)}")
    blocks: list[Block] = []
    files: list[str] = []
    kinds: list[tuple[str, str | None]] = []
    for path in paths:
        source = read_text(path, max_bytes)
        kind = detect_layout(source, measure, file_measure) if layout == "auto" else layout
        name: str | None = None
        if kind != "wide":
            block, name = _WITH_MEASURES[kind](source, measure, file_measure)
        elif file_measure is None:
            block = read_wide(source)
        else:
            raise BadFileError(
                "a wide file names no measure", source.file, way_out="no measure in the file"
            )
        blocks.append(block)
        files.append(source.file)
        kinds.append((kind, name))
        for what, first, other in zip(("layout", "measure"), kinds[0], kinds[-1], strict=True):
            if first != other:
                raise BadFileError(
                    f"the {what} is {other}, but that of {files[0]} is {first}; "
                    "files read together must agree",
                    source.file,
                )
    topics, runs, scores = merged(blocks)
    return ScoreMatrix(
        topics=topics,
        runs=runs,
        scores=scores,
        measure=kinds[0][1],
        layout=kinds[0][0],
        files=tuple(files),
    )


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
    if first.startswith(("[", "<")):
        raise _no_layout(source)
    line, text = source.rows[0]
    delimiter = delimiter_of(text)
    header = [text] if delimiter is None else split_fields(text, delimiter, source.file, line)
    keys = set(map(header_key, header))
    _refuse_other_file(source, header_key(header[0]), keys)
    tabular = header_key(header[0]) in ANY_TOPIC_HEADER | ANY_RUN_HEADER | {""}
    if not tabular or first.split()[:2] == ["runid", SUMMARY_TOPIC]:
        layout = _tool_layout(source, header, {measure, file_measure} - {None, ""})
        if layout is not None:
            return layout
    if len(header) < 2:
        raise _no_layout(source)
    if keys & ANY_TOPIC_HEADER and keys & ANY_RUN_HEADER:
        return _long_or_wide(source, header, measure, file_measure)
    return "wide"


def _tool_layout(
    source: SourceText, header: Sequence[str], measures: set[str | None]
) -> str | None:
    first = source.rows[0][1]
    fields = fields_of(first)
    if all(looks_like_ntcireval(text) for _, text in source.rows[:2]):
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


def _long_or_wide(
    source: SourceText, header: list[str], measure: str, file_measure: str | None
) -> str:
    keys = [header_key(cell) for cell in header]
    if ANY_VALUE_HEADER & set(keys):
        return "long"
    # No column of scores by name: a column a measure, or a wide file with a run called "run".
    at = next(i for i, key in enumerate(keys) if key in ANY_RUN_HEADER)
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
        "a wide or a long file",
        source.file,
        way_out="one of two layouts",
        first="wide",
        second="long",
    )


def _no_layout(source: SourceText) -> BadFileError:
    return AmbiguousLayoutError(
        "the content fits none of the layouts", source.file, way_out="no layout"
    )


def _refuse_other_file(source: SourceText, first: str, keys: set[str]) -> None:
    """Refuse a team file, TREC qrels and a TREC run, which lie beside scores and hold none."""
    if (
        first in ANY_RUN_HEADER | ANY_TEAM_HEADER
        and keys & ANY_RUN_HEADER
        and keys & ANY_TEAM_HEADER
        and not keys & ANY_TOPIC_HEADER
    ):
        raise BadFileError(
            "this looks like a team file, and not like scores", source.file, way_out="team file"
        )
    _, texts = zip(*source.rows[:2], strict=True)
    kinds = set(map(_other_kind, texts))
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        raise BadFileError(
            f"this looks like {kind}, and not like scores; Roundbook takes scores a topic, as"
            " trec_eval -q prints them",
            source.file,
        )


def _other_kind(text: str) -> str | None:
    """Return what a line is of, where it can be of TREC qrels or of a TREC run."""
    fields = fields_of(text)
    if len(fields) == 6 and fields[1].upper() == "Q0" and is_number(fields[4]):
        return "a TREC run"
    if len(fields) != 4 or not fields[1].isdecimal() or not fields[3].lstrip("-").isdecimal():
        return None
    # With tabs it might be a row of a wide file, were it not for the document's name.
    return "TREC qrels" if "\t" not in text or not is_number(fields[2]) else None
