"""A score matrix out of the record, in layouts that other tools read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from roundbook.errors import InputError, NotRecordedError
from roundbook.formats.text import shown_path
from roundbook.formats.writing import (
    RUN_FILE_SUFFIX,
    ExportLayout,
    run_file_names,
    write_long,
    write_trec_eval,
    write_wide,
)
from roundbook.logbook.matrices.listing import Standing
from roundbook.logbook.pseudonyms import draft_pseudonyms
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.standings import read_standing, standing_words
from roundbook.logbook.storing import load_matrix
from roundbook.logbook.whole_files import write_directory, write_file


class ExportedMatrix(Result):
    """What was exported: `content` where no `output` is named, else the `files` written there.

    `notes` say what a reader of the scores should know, such as that they are withdrawn.
    """

    matrix: int
    task: str
    round: str
    measure: str
    assessments: str
    revision: int
    standing: Standing
    layout: ExportLayout
    anonymous: bool
    topics: int
    runs: int
    output: str | None
    files: list[str]
    content: str | None
    notes: list[str]


class _Scores(NamedTuple):
    topics: Sequence[str]
    runs: Sequence[str]
    scores: npt.NDArray[np.float64]
    measure: str


def export_matrix(
    session: Session,
    matrix: int,
    *,
    layout: ExportLayout = "wide",
    output: Path | None = None,
    runs: Sequence[str] = (),
    force: bool = False,
    anonymous: bool = False,
) -> ExportedMatrix:
    """Return or write a score matrix; what is written reads back as the same scores.

    Parameters
    ----------
    output : path, optional
        The file to write; for trec_eval the directory, with a file a run.
    runs : sequence of str
        Only these, by tag or, if anonymous, by pseudonym.
    force : bool
        Replace the file, or the files of an earlier export in the directory.
    anonymous : bool
        Name runs by their pseudonyms.

    Raises
    ------
    NotRecordedError
        When there is no such matrix or run.
    InputError
        When the layout cannot hold the names, or there is something of the output's name.
    """
    connection = session.connection
    row = read_standing(connection, matrix)
    loaded = load_matrix(connection, row)
    found = _Scores(loaded.topics, loaded.runs, loaded.scores, row.measure)
    if anonymous:
        pseudonyms = draft_pseudonyms(connection, row.round_id)
        order = pseudonyms.order(found.runs)
        found = found._replace(
            runs=[pseudonyms.runs[found.runs[index]] for index in order],
            scores=found.scores[:, order],
        )
    if runs:
        shown = f"{matrix} --anonymous" if anonymous else str(matrix)
        found = _only(found, runs, matrix, f"roundbook matrix show {shown}")
    if layout == "trec_eval" and output is None and len(found.runs) > 1:
        raise InputError(
            f"trec_eval's output is a file a run, and these are {len(found.runs)} runs: name a"
            " directory with --output, or one run with --run."
        )
    contents = _contents(found, layout)
    content = None
    if output is None:
        (content,) = contents.values()
        files = []
    elif layout == "trec_eval":
        write_directory(output, contents, suffix=RUN_FILE_SUFFIX, force=force)
        files = [shown_path(output / name) for name in contents]
    else:
        write_file(output, contents[""], force=force)
        files = [shown_path(output)]
    words = standing_words(row)
    return ExportedMatrix(
        matrix=matrix,
        task=row.task,
        round=row.round,
        measure=row.measure,
        assessments=row.assessments,
        revision=row.revision,
        standing=row.standing,
        layout=layout,
        anonymous=anonymous,
        topics=len(found.topics),
        runs=len(found.runs),
        output=None if output is None else shown_path(output),
        files=files,
        content=content,
        notes=[f"Matrix {matrix} (revision {row.revision}) is {words}."] if words else [],
    )


def _only(found: _Scores, runs: Sequence[str], matrix: int, lists: str) -> _Scores:
    place = {name: index for index, name in enumerate(found.runs)}
    wanted = list(dict.fromkeys(name.strip() for name in runs))
    for name in wanted:
        if name not in place:
            raise NotRecordedError(
                f"Matrix {matrix} has no run '{name}'; '{lists}' lists those it has."
            )
    return found._replace(runs=wanted, scores=found.scores[:, [place[name] for name in wanted]])


def _contents(found: _Scores, layout: ExportLayout) -> dict[str, str]:
    """Return the text of each file by its name; that of a single file has none."""
    if layout == "wide":
        return {"": write_wide(found.topics, found.runs, found.scores)}
    if layout == "long":
        return {"": write_long(found.topics, found.runs, found.scores, found.measure)}
    names = run_file_names(found.runs)
    return {
        names[run]: write_trec_eval(found.topics, run, scores, found.measure)
        for run, scores in zip(found.runs, found.scores.T, strict=True)
    }
