"""Reading of score files in any layout: one score matrix for each measure, from all files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path

from roundbook.errors import BadFileError, InputError
from roundbook.formats.columns import Table, TextTable
from roundbook.formats.layouts import detect_layout
from roundbook.formats.long import read_long
from roundbook.formats.matrix import (
    Block,
    FilePart,
    HiddenCells,
    ScoreMatrix,
    files_shown,
    merged,
    refuse_means,
)
from roundbook.formats.measures import MeasureSelection
from roundbook.formats.parquet import read_parquet
from roundbook.formats.table import readable
from roundbook.formats.text import decoded, read_bytes, shown_path
from roundbook.formats.tools import TOOLS, read_output
from roundbook.formats.wide import read_wide
from roundbook.formats.workbooks import read_workbook
from roundbook.limits import LARGEST_FILE
from roundbook.measure_names import measure_key

_TABLES = {"wide": read_wide, "long": read_long}
# For tests, which compare what requests name and documents describe with what can be read.
LAYOUTS = (*_TABLES, *TOOLS)


def read_scores(
    paths: Sequence[Path | str],
    *,
    measure: str,
    file_measure: str | None = None,
    layout: str = "auto",
    max_bytes: int = LARGEST_FILE,
) -> ScoreMatrix:
    """Read the scores of one measure; arguments and errors are those of `read_measures`."""
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
    max_bytes: int = LARGEST_FILE,
) -> list[ScoreMatrix]:
    """Read the scores of several measures from one or several files of one layout, each file once.

    Several files are merged: other runs, other topics, or both. A topic that is absent from a
    run's file is a missing cell. A file may lack some of the measures if other files have them for
    the same runs. Files may be gzipped.

    Parameters
    ----------
    measures : sequence of str
        Their names in the record; empty for all that the files name, without counts by topic
        (num_ret). In files that name measures any spelling of a measure counts, in any case
        (``map`` for AP), and two in one file are refused.
    file_measure : str, optional
        The exact name of a single measure in the files, if it differs.
    layout : str
        One of `LAYOUTS`, or ``auto``, which decides by content and refuses to guess.
    max_bytes : int
        Largest file that is read, also after decompression.

    Returns
    -------
    list of ScoreMatrix
        In the order of `measures`, or in that of the files.

    Raises
    ------
    AmbiguousLayoutError
        If the layout is ``auto`` and cannot be decided.
    BadFileError
        If a file cannot be read as scores; the message names the position. Also if a run has
        scores of a measure, and none of one that is read.
    InputError
        If no file is given.
    """
    if not paths:
        raise InputError("no score file was given")
    selection = MeasureSelection(tuple(measures), file_measure)
    first: tuple[str, str] | None = None  # file and layout
    hidden: list[HiddenCells] = []
    by_measure: dict[str, list[Block]] = {measure: [] for measure in measures}
    for path in paths:
        table = read_table(path, max_bytes)
        kind = detect_layout(table, selection) if layout == "auto" else layout
        first = first or (table.file, kind)
        if kind != first[1]:
            raise _disagreement("layout", kind, first[1], table.file, first[0])
        if table.hidden is not None:
            hidden.append(table.hidden)
        for measure, block in _blocks(table, kind, selection).items():
            # A measure that was not named by the user may be spelled differently in each file.
            key = measure if measures else measure_key(measure)
            blocks = by_measure.setdefault(key, [])
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
        refuse_means(topics, scores, blocks)
        files = tuple(block.file for block in blocks)
        matrices.append(
            ScoreMatrix(
                topics,
                runs,
                scores,
                blocks[0].measure,
                first[1],
                files,
                parts=tuple(FilePart(block.file, block.topics, block.runs) for block in blocks),
                hidden=tuple(hidden),
            )
        )
    _refuse_partial_runs(matrices, by_measure)
    return matrices


def read_table(path: Path | str, max_bytes: int) -> Table:
    """Return a file as a table, its type detected from its content."""
    file, _, data = read_bytes(path, max_bytes)
    if data.startswith(b"PK\x03\x04") and b"xl/workbook" in data:
        return read_workbook(data, file, max_bytes)
    if data.startswith(b"PAR1"):
        return read_parquet(data, file, max_bytes)
    return TextTable(decoded(file, data))


def _blocks(table: Table, kind: str, selection: MeasureSelection) -> dict[str, Block]:
    """Return a file's scores, read as of one of `LAYOUTS`, by measure."""
    if kind in _TABLES:
        return _TABLES[kind](table, selection)
    if not isinstance(table, TextTable):
        reason = f"{kind} is a layout of text, and this is a table"
        raise BadFileError(
            reason, table.file, way_out="one of two layouts", first="wide", second="long"
        )
    return read_output(table.source, kind, selection)


def _disagreement(
    subject: str, value: str | None, first: str | None, file: str, first_file: str
) -> BadFileError:
    return BadFileError(
        f"the {subject} is {value}, but that of {first_file} is {first}; "
        "files read together must agree",
        file,
    )


def _refuse_partial_runs(
    matrices: Sequence[ScoreMatrix], by_measure: Mapping[str, Sequence[Block]]
) -> None:
    """Refuse runs with scores of one measure and none of another: a file was probably forgotten."""
    first, *others = matrices
    for matrix in others:
        for has, lacks in ((first, matrix), (matrix, first)):
            scored = set(lacks.runs)
            run = next((run for run in has.runs if run not in scored), None)
            if run is not None:
                files = [part.file for part in has.parts if run in part.runs]
                raise _partial_run(
                    run, has.measure, lacks.measure, files, way_out="name the measures"
                )
    runs_read = set(first.runs)
    for block in chain.from_iterable(by_measure.values()):
        for run, measure in block.other_runs.items():
            if run not in runs_read:
                raise _partial_run(
                    run, measure, first.measure, [block.file], way_out="run without the measure"
                )


def _partial_run(
    run: str, measure: str | None, lacking: str | None, files: Sequence[str], *, way_out: str
) -> BadFileError:
    return BadFileError(
        f"the run {readable(run)} has scores of {readable(str(measure))} in these files, and none"
        f" of {readable(str(lacking))}",
        files_shown(files),
        way_out=way_out,
    )
