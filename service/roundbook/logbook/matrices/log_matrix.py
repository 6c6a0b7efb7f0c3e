"""Logging of a round's score matrices, with their statistics, all in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Row, select

from roundbook.database.tables import published_variance
from roundbook.errors import BadFileError, InputError
from roundbook.formats import (
    CompleteMatrix,
    RunTeam,
    RunTeams,
    ScoreMatrix,
    apply_missing_policy,
    read_measures,
    read_teams,
)
from roundbook.logbook.estimates import (
    matrix_statistics,
    read_estimates,
    renew_runs_parts,
    store_estimates,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.factors import latest_factors, standardising_runs, store_factors
from roundbook.logbook.impact import Dependent, Reason, stale_by_input, stale_dependents
from roundbook.logbook.lookup import of_series, withdrawn_error
from roundbook.logbook.matrices.listing import read_sources
from roundbook.logbook.matrices.logged import LoggedMatrices, LoggedMatrix
from roundbook.logbook.matrices.preparing import (
    PreparedMatrix,
    check_revision,
    prepare_matrix,
    store_matrix,
    with_seen_revisions,
)
from roundbook.logbook.matrices.remarks import comparison_remarks
from roundbook.logbook.round_fingerprint import find_publication
from roundbook.logbook.runs.recorded_runs import known_pool, pool_changed
from roundbook.logbook.runs.scoring import score_round
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change
from roundbook.logbook.teams import refittable_factors
from roundbook.requests.matrices import LogFilesRequest, LoggingRequest, LogRequest
from roundbook.statistics.score_matrix import checked_scores

_Cause = TypeVar("_Cause", Reason, Change)


class _Outcome(NamedTuple):
    """The row and variances of a stored score matrix, with the remarks from storing it.

    `fitted` is the row of its factor set, None without factors, and `impact` what is stale by it.
    """

    matrix: Row[Any]
    fitted: Row[Any] | None
    variances: dict[str, float]
    remarks: dict[str, Any]
    impact: list[Dependent]


def log_files(session: Session, request: LogFilesRequest) -> LoggedMatrices:
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
    request = with_seen_revisions(session, request)
    max_bytes = session.work.max_file_bytes
    shared = {name: getattr(request, name) for name in LoggingRequest.model_fields}
    computed = score_round(session, request) if request.from_runs else None
    read = computed.matrices if computed else _read_files(request, max_bytes)
    teams = read_teams(request.teams, max_bytes=max_bytes) if request.teams else RunTeams()
    by_measure: dict[str, LoggedMatrix] = {}
    for index, scores in enumerate(read):
        complete = replace(scores, hidden=(*scores.hidden, *teams.hidden))
        measure = request.measures[index] if request.measures else str(complete.measure)
        if computed and request.tool is None:
            shared["tool"] = computed.tools[index]
        asked = LogRequest(**shared, measure=measure)
        logged = _log(prepare_matrix(session, asked, complete, teams, computed))
        if logged.measure in by_measure:
            raise InputError(
                f"'{measure}' and another name given are both {logged.measure}.",
                measure=logged.measure,
            )
        by_measure[logged.measure] = logged
    matrices = []
    for logged in _with_publication(session, list(by_measure.values())):
        # What is logged together is no misspelling of each other.
        others = [name for name in logged.remarks.other_measures if name not in by_measure]
        remarks = logged.remarks.model_copy(update={"other_measures": others})
        matrices.append(logged.model_copy(update={"remarks": remarks}))
    return LoggedMatrices(
        task=matrices[0].task,
        round=matrices[0].round,
        dry_run=request.dry_run,
        matrices=matrices,
    )


def _read_files(request: LogFilesRequest, max_bytes: int) -> list[CompleteMatrix]:
    matrices = [
        apply_missing_policy(scores, request.missing)
        for scores in read_measures(
            request.files,
            request.measures,
            file_measure=request.file_measure,
            layout=request.layout,
            max_bytes=max_bytes,
        )
    ]
    for complete in matrices:
        if len(complete.topics) == 1:
            raise BadFileError(
                "the scores of one topic have no residual variance, which needs at least 2 topics",
                complete.files[0],
            )
    return matrices


def log_scores(
    session: Session,
    request: LogRequest,
    scores: ScoreMatrix,
    teams: Mapping[str, RunTeam] | None = None,
) -> LoggedMatrix:
    """Log a round's score matrix with its variances and its first factors.

    The same content again is ``unchanged``, whatever the order of its topics and runs. Different
    content, and any content of a published round, needs a reason (`revise`): it becomes a new
    revision with a new factor version, and the old ones stay readable.

    Parameters
    ----------
    scores : ScoreMatrix
        (topics, runs); missing scores are treated by the policy of the request.
    teams : mapping from run tag, optional

    Raises
    ------
    MissingScoresError
        When scores are missing, and the policy is ``reject``.
    NotRecordedError
        When the task or round does not exist, or there is nothing to revise.
    ContentDiffersError
        When other scores are logged already and there is no reason.
    RevisedMeanwhileError
        When the latest revision is not the expected one.
    RoundPublishedError
        When the round is published and there is no reason.
    WithdrawnError
        When the same scores are logged already, and withdrawn.
    InputError
        When a score lies outside the measure's bounds, or the reason to revise is empty.
    ImpossibleStatisticError
        When there is only one topic.
    """
    request = with_seen_revisions(session, request)
    complete = apply_missing_policy(scores, request.missing)
    logged = _log(prepare_matrix(session, request, complete, RunTeams(teams or {})))
    return _with_publication(session, [logged])[0]


def _with_publication(session: Session, logged: Sequence[LoggedMatrix]) -> list[LoggedMatrix]:
    """Return the matrices logged into a round, with its fingerprints in those that change it."""
    if all(matrix.status == "unchanged" for matrix in logged):
        return list(logged)
    update = {"publication": find_publication(session, logged[0].task, logged[0].round)}
    return [
        matrix.model_copy(update=update) if matrix.status == "logged" else matrix
        for matrix in logged
    ]


def _log(prepared: PreparedMatrix) -> LoggedMatrix:
    """Log a prepared score matrix; see `log_scores`."""
    outcome = _find_stored(prepared) if prepared.is_recorded else _store(prepared)
    request, complete, fitted = prepared.request, prepared.scores, outcome.fitted
    remarks, pool = outcome.remarks, known_pool(prepared.runs.contributed)
    if pool_changed(prepared.runs.changes):
        remarks["refittable"] = refittable_factors(
            prepared.session.connection, prepared.series.round_id
        )
    return LoggedMatrix(
        matrix=outcome.matrix.id if prepared.is_recorded or not request.dry_run else None,
        revision=outcome.matrix.revision,
        factor_version=fitted and fitted.version,
        standardising=fitted and fitted.standardising,
        standardising_runs=fitted and fitted.runs,
        variances=outcome.variances,
        remarks=prepared.remarks.model_copy(update=remarks),
        pool=pool,
        pool_unknown=prepared.runs.contributed.count(None) if pool == "partly known" else 0,
        variance=outcome.variances["raw"],
        runs_described=prepared.runs.described,
        impact=outcome.impact,
        status="unchanged" if prepared.is_recorded else "logged",
        dry_run=request.dry_run,
        task=request.task.strip(),
        round=prepared.series.round,
        measure=prepared.series.measure,
        assessments=prepared.series.assessments,
        layout=complete.layout,
        topics=len(complete.topics),
        runs=len(complete.runs),
        missing_policy=complete.missing_policy,
        missing_cells=complete.missing_cells,
        dropped_topics=list(complete.dropped_topics),
    )


def _find_stored(prepared: PreparedMatrix) -> _Outcome:
    """Return the outcome for scores that are logged already; facts on their runs may be new."""
    connection, series, latest = prepared.session.connection, prepared.series, prepared.latest
    assert latest is not None
    if latest.withdrawn is not None:
        raise withdrawn_error(series, latest, again=True)
    record = partial(
        record_event,
        prepared.session,
        task_id=prepared.task_id,
        round_id=series.round_id,
        matrix_id=latest.id,
    )
    renewed = []
    if prepared.runs.described:
        renewed = renew_runs_parts(connection, series.round_id)
        details = {"runs": prepared.runs.described, "estimates_renewed": len(renewed)}
        record("runs described", details=details)
    source = read_sources(connection, [latest.id]).get(latest.id)
    recorded = source and {"upload": source.upload, "assessments_revision": source.revision}
    if recorded and prepared.computed_from and recorded != prepared.computed_from:
        record("scores computed again", details=prepared.computed_from)
    request, fitted = prepared.request, latest_factors(connection, latest.id)
    # The options given that differ from those with which the same scores are logged.
    differs = {
        "reason": request.revise is not None,
        "tool": request.tool not in (None, latest.tool),
        "zero_sd": fitted is not None
        and request.zero_sd not in (LogRequest.model_fields["zero_sd"].default, fitted.zero_sd),
    }
    not_recorded = [name for name, differing in differs.items() if differing]
    remarks = {"renewed": renewed, "not_recorded": not_recorded}
    return _Outcome(latest, fitted, read_estimates(connection, latest.id), remarks, [])


def _store(prepared: PreparedMatrix) -> _Outcome:
    """Store scores as the next revision, with their factors and variances."""
    session, request, series, complete = (
        prepared.session,
        prepared.request,
        prepared.series,
        prepared.scores,
    )
    connection, latest, runs = session.connection, prepared.latest, prepared.runs
    check_revision(prepared)
    # Checked here, as the database would refuse it with a less helpful message.
    checked_scores(complete.scores, "The residual variance", least_topics=2)
    revision = latest.revision + 1 if latest is not None else 1
    chosen = standardising_runs(runs.contributed) if len(complete.runs) >= 2 else None
    # Computed while the server takes in the scores, when this process would only wait.
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(
            matrix_statistics, complete.scores, runs.team_ids, chosen, request.zero_sd
        )
        stored = store_matrix(prepared, revision)
        computed = future.result()
    fitted, tied, standardising_before = None, [], None
    if (fit := computed.fit) is not None:
        before = latest and latest_factors(connection, latest.id)
        if before is not None and before.standardising != fit.standardising.kind:
            standardising_before = before.standardising
        fitted = store_factors(session, series, stored, fit, request.revise)
        tied = list(compress(complete.topics, (fit.factors.sd == 0).tolist()))
    variances = store_estimates(connection, stored, computed, fitted)
    # For the other measures; the estimates that this matrix replaces need no renewal.
    renewed = renew_runs_parts(connection, series.round_id) if runs.changes else []
    record_event(
        session,
        "matrix logged" if revision == 1 else "matrix revised",
        why=request.revise,
        task_id=prepared.task_id,
        round_id=series.round_id,
        matrix_id=stored.row.id,
        details={
            "measure": series.measure,
            "assessments": series.assessments,
            "revision": revision,
            "topics": len(complete.topics),
            "runs": len(complete.runs),
            **prepared.computed_from,
            **({"estimates_renewed": len(renewed)} if renewed else {}),
        },
    )
    remarks = {
        "single_run": fitted is None,
        "tied_topics": tied,
        "standardising_before": standardising_before,
        "renewed": renewed,
        **vars(comparison_remarks(prepared, stored, variances["raw"])),
    }
    if latest is not None:
        impact = stale_dependents(connection, latest.id)
    else:
        # The first scores of a series take the place of a published variance.
        replaced = of_series(published_variance, series)
        ids = connection.execute(select(published_variance.c.id).where(replaced)).scalars().all()
        impact = (
            stale_by_input(connection, prepared.task_id, "published_variance", ids) if ids else []
        )
    if request.dry_run:
        impact = [_unnumbered(dependent, stored.row.id) for dependent in impact]
    return _Outcome(stored.row, fitted, variances, remarks, impact)


def _unnumbered(dependent: Dependent, matrix: int) -> Dependent:
    """Return a dependent without the number of a dry run's matrix, which is rolled back."""

    def unnumbered(cause: _Cause) -> _Cause:
        return cause.model_copy(update={"matrix": None}) if cause.matrix == matrix else cause

    entry, reasons = dependent.entry, list(map(unnumbered, dependent.reasons))
    if entry is not None:
        entry = entry.model_copy(update={"changes": list(map(unnumbered, entry.changes))})
    return dependent.model_copy(update={"reasons": reasons, "entry": entry})
