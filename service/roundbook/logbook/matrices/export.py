"""Export of a score matrix in layouts that other tools read."""

from __future__ import annotations

from unicodedata import normalize

from pydantic import Field

from roundbook.errors import InputError, NotRecordedError
from roundbook.formats.text import shown_path
from roundbook.formats.writing import (
    RUN_FILE_SUFFIX,
    run_file_names,
    table_file,
    write_long,
    write_trec_eval,
    write_wide,
)
from roundbook.logbook.atomic_files import write_directory, write_file
from roundbook.logbook.lookup import find_logged
from roundbook.logbook.matrices.listing import Scores, Status, find_matrix
from roundbook.logbook.pseudonyms import draft_pseudonyms
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.requests.matrices import ExportMatrix


class ExportedMatrix(Scores):
    """An exported matrix: its `content` if no `output` was named, else the `files` written.

    `file_type` is csv, xlsx, parquet or, for trec_eval's layout, text. `status` is the matrix's,
    with its `reason`; `replaced_by` is the next revision, `latest_matrix` the latest.
    """

    revision: int
    status: Status = Field(alias="standing")
    reason: str | None
    replaced_by: int | None
    latest_matrix: int
    latest_revision: int
    layout: str
    file_type: str
    anonymous: bool
    topics: int
    runs: int
    output: str | None
    files: list[str]
    content: str | None


def export_matrix(session: Session, request: ExportMatrix) -> ExportedMatrix:
    """Return or write a score matrix, in a form that reads back as the same scores.

    Runs are chosen by tag or, in an anonymous export, by pseudonym. An existing file is replaced
    only with `force`.

    Raises
    ------
    NotRecordedError
        When there is no such matrix or run.
    WithdrawnError
        When the request names it by round and measure, and it is withdrawn.
    InputError
        When the layout cannot hold the names, the output exists, or the library that writes such a
        file is missing.
    """
    connection, layout, output = session.connection, request.layout, request.output
    number = request.matrix
    if number is None:
        task, round_label, measure = request.task or "", request.round or "", request.measure or ""
        _, logged = find_logged(connection, task, round_label, measure, request.assessments)
        number = logged.id
    row = find_matrix(connection, number)
    loaded = load_matrix(connection, row)
    runs, scores = loaded.runs, loaded.scores
    if request.anonymous:
        runs, scores = draft_pseudonyms(connection, row.round_id).hide(runs, scores)
    if request.runs:
        # Earlier versions recorded names without normalising them.
        columns = {normalize("NFC", name): column for column, name in enumerate(runs)}
        chosen = dict.fromkeys(name.strip() for name in request.runs)
        for name in chosen:
            if name not in columns:
                raise NotRecordedError(
                    f"Matrix {row.id} has no run '{name}'.",
                    way_out="no such pseudonym" if request.anonymous else "no such run",
                    matrix=row.id,
                    run=name,
                )
        kept = [columns[name] for name in chosen]
        runs, scores = [runs[column] for column in kept], scores[:, kept]
    write = _write_run_files if layout == "trec_eval" else _write_table
    content, files = write(request, loaded._replace(runs=runs, scores=scores))
    exported = {
        "matrix": row.id,
        "latest_matrix": row.newest_id,
        "latest_revision": row.newest,
        "reason": row.why,
        "layout": layout,
        "file_type": "text" if layout == "trec_eval" else table_file(output),
        "anonymous": request.anonymous,
        "runs": len(runs),
        "output": None if output is None else shown_path(output),
        "files": files,
        "content": content,
    }
    return ExportedMatrix(**{**row._mapping, **exported})


def _write_table(request: ExportMatrix, chosen: LoadedMatrix) -> tuple[str | None, list[str]]:
    """Return the text of a wide or long table, or None and the file written."""
    output = request.output
    if request.layout == "wide":
        table = write_wide(chosen.topics, chosen.runs, chosen.scores, output)
    else:
        table = write_long(chosen.topics, chosen.runs, chosen.scores, chosen.row.measure, output)
    if output is None:
        return str(table), []
    write_file(output, table, force=request.force)
    return None, [shown_path(output)]


def _write_run_files(request: ExportMatrix, chosen: LoadedMatrix) -> tuple[str | None, list[str]]:
    """Return one run in trec_eval's layout as text, or None and the files written, one a run."""
    output, kind, runs = request.output, table_file(request.output), chosen.runs
    if output is None and len(runs) > 1:
        raise InputError(
            f"trec_eval's output is a file a run, and these are {len(runs)} runs.",
            way_out="file a run",
            runs=len(runs),
        )
    if output is not None and kind != "csv":
        raise InputError(
            f"{shown_path(output)}: trec_eval's output is a directory of text files, and no {kind} file.",
            way_out="other layout",
            layout="long",
        )
    names = run_file_names(runs)
    contents = {
        names[run]: write_trec_eval(chosen.topics, run, column, chosen.row.measure)
        for run, column in zip(runs, chosen.scores.T, strict=True)
    }
    if output is None:
        (content,) = contents.values()
        return content, []
    write_directory(output, contents, suffix=RUN_FILE_SUFFIX, force=request.force)
    return None, [shown_path(output / name) for name in contents]
