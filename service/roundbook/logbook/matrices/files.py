"""Score files: read once, and a score matrix logged for each of their measures, or for none."""

from __future__ import annotations

from collections.abc import Collection

from roundbook.errors import BadFileError, InputError
from roundbook.formats import apply_missing_policy, read_measures, read_teams
from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
from roundbook.logbook.matrices.logging import log_complete
from roundbook.logbook.session import Session
from roundbook.requests.matrices import LogFilesRequest, LoggingRequest, LogRequest


def log_files(session: Session, request: LogFilesRequest, *, max_file_bytes: int) -> LoggedMatrices:
    """Read score files and log a matrix for each measure wanted; see `log_scores`.

    Raises
    ------
    BadFileError
        When a file cannot be read as scores, with file:line:column.
    InputError
        When two of the names given are of one measure.
    """
    read = read_measures(
        request.files,
        request.measures,
        file_measure=request.file_measure,
        layout=request.layout,
        max_bytes=max_file_bytes,
    )
    teams = read_teams(request.teams, max_bytes=max_file_bytes) if request.teams else {}
    shared = {name: getattr(request, name) for name in LoggingRequest.model_fields}
    by_measure: dict[str, LoggedMatrix] = {}
    for index, scores in enumerate(read):
        complete = apply_missing_policy(scores, request.missing)
        if len(complete.topics) == 1:
            raise BadFileError(
                "the scores of one topic have no residual variance, which needs at least 2 topics",
                complete.files[0],
            )
        measure = request.measures[index] if request.measures else str(scores.measure)
        logged = log_complete(session, LogRequest(**shared, measure=measure), complete, teams)
        if logged.measure in by_measure:
            raise InputError(f"'{measure}' and another name given are both {logged.measure}.")
        by_measure[logged.measure] = logged
    first, *_ = by_measure.values()
    return LoggedMatrices(
        task=first.task,
        round=first.round,
        dry_run=request.dry_run,
        matrices=[_without_others(logged, by_measure.keys()) for logged in by_measure.values()],
    )


def _without_others(logged: LoggedMatrix, together: Collection[str]) -> LoggedMatrix:
    """Return what was logged without the remark that measures which came with it are others."""
    others = [name for name in logged.remarks.other_measures if name not in together]
    remarks = logged.remarks.model_copy(update={"other_measures": others})
    return logged.model_copy(update={"remarks": remarks})
