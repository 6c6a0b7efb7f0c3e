"""Logging of several measures' score matrices from files or runs, in one transaction."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from roundbook.database.run_tables import DEPTH
from roundbook.errors import BadFileError, InputError
from roundbook.formats import (
    CompleteMatrix,
    RunTeams,
    apply_missing_policy,
    read_measures,
    read_teams,
)
from roundbook.logbook.matrices.log_matrix import log_complete, with_publication
from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
from roundbook.logbook.runs.scoring import ComputedMatrices, score_round
from roundbook.logbook.session import Session
from roundbook.requests.matrices import LogFilesRequest, LoggingRequest, LogRequest


def log_files(session: Session, request: LogFilesRequest, *, max_file_bytes: int) -> LoggedMatrices:
    """Read score files, or compute scores from runs, and log a matrix for each measure.

    See `log_scores`.

    Raises
    ------
    NotRecordedError
        When scores are to be computed, and the round has no runs or no assessments.
    BadFileError
        When a file cannot be read as scores, with file:line:column.
    InputError
        When two of the given names mean the same measure.
    """
    shared = {name: getattr(request, name) for name in LoggingRequest.model_fields}
    computed = score_round(session, request) if request.from_runs else None
    read = computed.matrices if computed else _read_files(request, max_file_bytes)
    teams = read_teams(request.teams, max_bytes=max_file_bytes) if request.teams else RunTeams()
    by_measure: dict[str, LoggedMatrix] = {}
    for index, scores in enumerate(read):
        complete = replace(scores, hidden=(*scores.hidden, *teams.hidden))
        measure = request.measures[index] if request.measures else str(complete.measure)
        entry = LogRequest(**shared, measure=measure)
        if computed and request.tool is None:
            entry = entry.model_copy(update={"tool": computed.tools[index]})
        logged = log_complete(session, entry, complete, teams, computed and computed.computed_from)
        if logged.measure in by_measure:
            raise InputError(f"'{measure}' and another name given are both {logged.measure}.")
        by_measure[logged.measure] = logged
    first, *_ = by_measure.values()
    return LoggedMatrices(
        task=first.task,
        round=first.round,
        dry_run=request.dry_run,
        matrices=[
            _with_remarks(logged, by_measure.keys(), computed)
            for logged in with_publication(session, list(by_measure.values()))
        ],
    )


def _read_files(request: LogFilesRequest, max_file_bytes: int) -> list[CompleteMatrix]:
    matrices = [
        apply_missing_policy(scores, request.missing)
        for scores in read_measures(
            request.files,
            request.measures,
            file_measure=request.file_measure,
            layout=request.layout,
            max_bytes=max_file_bytes,
        )
    ]
    for complete in matrices:
        if len(complete.topics) == 1:
            raise BadFileError(
                "the scores of one topic have no residual variance, which needs at least 2 topics",
                complete.files[0],
            )
    return matrices


def _with_remarks(
    logged: LoggedMatrix, measures: Collection[str], computed: ComputedMatrices | None
) -> LoggedMatrix:
    """Return a logged matrix, with remarks that take the `measures` logged together into account.

    None of these is suggested as the measure that the matrix's own may be a misspelling of.
    """
    others = [name for name in logged.remarks.other_measures if name not in measures]
    update: dict[str, object] = {"other_measures": others}
    if computed:
        update["topics_without_relevant"] = computed.without_relevant
        _, at, cutoff = logged.measure.rpartition("@")
        deepest_rank = min(int(cutoff), DEPTH) if at and cutoff.isdecimal() else DEPTH
        if computed.depth < deepest_rank:
            update["lists_end_at"] = computed.depth
    return logged.model_copy(update={"remarks": logged.remarks.model_copy(update=update)})
