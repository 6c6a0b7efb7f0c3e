"""Score files in: one call from paths to one score matrix."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from roundbook.errors import BadFileError, InputError
from roundbook.formats.detect import LAYOUTS, detect_layout
from roundbook.formats.grid import Block, merged
from roundbook.formats.ir_measures import read_ir_measures
from roundbook.formats.long import read_long
from roundbook.formats.matrix import ScoreMatrix
from roundbook.formats.ntcireval import read_ntcireval
from roundbook.formats.text import DEFAULT_MAX_BYTES, SourceText, read_text
from roundbook.formats.trec_eval import read_trec_eval
from roundbook.formats.wide import read_wide

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
    found: list[tuple[str, str | None]] = []
    for path in paths:
        source = read_text(path, max_bytes)
        kind = detect_layout(source, measure, file_measure) if layout == "auto" else layout
        block, name = _parsed(source, kind, measure, file_measure)
        _refuse_other_kind(found, (kind, name), blocks, source.file)
        blocks.append(block)
        found.append((kind, name))
    topics, runs, scores = merged(blocks)
    return ScoreMatrix(
        topics=topics,
        runs=runs,
        scores=scores,
        measure=found[0][1],
        layout=found[0][0],
        files=tuple(block.file for block in blocks),
    )


def _parsed(
    source: SourceText, layout: str, measure: str, file_measure: str | None
) -> tuple[Block, str | None]:
    if layout == "wide":
        if file_measure is not None:
            raise BadFileError(
                "a wide file names no measure; leave out --file-measure", source.file
            )
        return read_wide(source), None
    return _WITH_MEASURES[layout](source, measure, file_measure)


def _refuse_other_kind(
    found: Sequence[tuple[str, str | None]],
    new: tuple[str, str | None],
    blocks: Sequence[Block],
    file: str,
) -> None:
    if not found or found[0] == new:
        return
    what, (first, other) = (
        ("layout", (found[0][0], new[0]))
        if found[0][0] != new[0]
        else ("measure", (found[0][1], new[1]))
    )
    raise BadFileError(
        f"the {what} is {other}, but that of {blocks[0].file} is {first}; "
        "files read together must agree",
        file,
    )
