"""Score matrices: logging a round, once, whole, with its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, func, select

from roundbook.database.tables import (
    current_matrix,
    matrix,
    matrix_run,
    matrix_topic,
    measure,
    round_,
    task,
)
from roundbook.errors import (
    BadFileError,
    ContentDiffersError,
    InputError,
    NotRecordedError,
    RevisedMeanwhileError,
    RoundPublishedError,
)
from roundbook.formats import (
    CompleteMatrix,
    RunTeam,
    ScoreMatrix,
    apply_missing_policy,
    read_scores,
    read_teams,
)
from roundbook.logbook.estimates import (
    matrix_statistics,
    read_estimates,
    renew_runs_parts,
    store_estimates,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.factors import fit_and_store, standardising_runs
from roundbook.logbook.impact import Dependent, stale_dependents
from roundbook.logbook.lookup import (
    Series,
    check_name,
    check_reason,
    factor_sets,
    latest_matrix,
    optional_text,
    withdrawn_error,
)
from roundbook.logbook.matrices.logged import Difference, LoggedMatrix, Remarks, Twin
from roundbook.logbook.measures import (
    ensure_measure,
    other_measures,
    parse_measure,
)
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs import RecordedRuns, record_runs
from roundbook.logbook.session import Session
from roundbook.logbook.storing import StoredMatrix, content_hash, store_matrix
from roundbook.requests.matrices import LogRequest
from roundbook.statistics.score_matrix import checked_scores


class _Entry(NamedTuple):
    """A score matrix to log, and where; `latest` is the latest revision there."""

    session: Session
    request: LogRequest
    task_id: int
    series: Series
    scores: CompleteMatrix
    digest: str
    latest: Row[Any] | None
    runs: RecordedRuns


class _Outcome(NamedTuple):
    """What is stored of a score matrix; `remarks` are fields of `Remarks`."""

    matrix: int
    revision: int
    factor_version: int | None
    standardising: str | None
    variances: dict[str, float]
    remarks: dict[str, Any]


def log_files(session: Session, request: LogRequest, *, max_file_bytes: int) -> LoggedMatrix:
    """Read score files and log them; see `log_scores`.

    Raises
    ------
    BadFileError
        When a file cannot be read as scores, with file:line:column.
    """
    scores = read_scores(
        request.files,
        measure=request.measure,
        file_measure=request.file_measure,
        layout=request.layout,
        max_bytes=max_file_bytes,
    )
    complete = apply_missing_policy(scores, request.missing)
    if len(complete.topics) == 1:
        raise BadFileError(
            "the scores of one topic have no residual variance, which needs at least 2 topics",
            complete.files[0],
        )
    teams = read_teams(request.teams, max_bytes=max_file_bytes) if request.teams else {}
    return _log(session, request, complete, teams)


def log_scores(
    session: Session,
    request: LogRequest,
    scores: ScoreMatrix,
    teams: Mapping[str, RunTeam] | None = None,
) -> LoggedMatrix:
    """Log a round's score matrix with its variances and its first factors, all or nothing.

    The same content again is ``unchanged``, whatever the order of its topics and runs. Other
    content, and any content of a published round, needs a reason (`revise`): it becomes a new
    revision with a new factor version, and the old ones stay readable.

    Parameters
    ----------
    scores : ScoreMatrix
        (topics, runs); missing ones are treated as the request says.
    teams : mapping from run tag, optional

    Raises
    ------
    MissingScoresError
        When scores are missing, and the request says to reject that.
    NotRecordedError
        When the task or round is not there, or there is nothing to revise.
    ContentDiffersError
        When other scores are logged already and there is no reason.
    RevisedMeanwhileError
        When the latest revision is another than the expected one.
    RoundPublishedError
        When the round is published and there is no reason.
    WithdrawnError
        When the same scores are logged, and withdrawn.
    InputError
        When a score lies outside the measure's bounds, or the reason to revise is empty.
    ImpossibleStatisticError
        When there is but one topic.
    """
    return _log(session, request, apply_missing_policy(scores, request.missing), teams or {})


def _log(
    session: Session,
    request: LogRequest,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
) -> LoggedMatrix:
    request = request.model_copy(
        update={"revise": check_reason(request.revise), "tool": optional_text("tool", request.tool)}
    )
    connection = session.connection
    task_id, round_id = open_round(
        connection, request.task, request.round, create=request.create, user=session.user
    )
    recorded = ensure_measure(connection, request.measure, request.bounds)
    if recorded.bounds is not None:
        _check_bounds(recorded.name, recorded.bounds, complete)
    label = check_name("assessments label", request.assessments)
    series = Series(round_id, recorded.id, label, request.round.strip(), recorded.name)
    entry = _Entry(
        session,
        request,
        task_id,
        series,
        complete,
        content_hash(complete.topics, complete.runs, complete.scores),
        latest_matrix(connection, series),
        record_runs(connection, round_id, complete.runs, teams),
    )
    unchanged = entry.latest is not None and entry.latest.content_hash == entry.digest
    outcome = _keep(entry) if unchanged else _store(entry, known_teams=bool(teams))
    remarks = outcome.remarks | {
        "other_measures": other_measures(connection, task_id, recorded),
        "zero_sd": request.zero_sd,
    }
    if teams:
        tags = dict.fromkeys(complete.runs)
        remarks["unknown_runs"] = [tag for tag in teams if tag not in tags]
        remarks["undescribed_runs"] = [tag for tag in tags if tag not in teams]
    impact = []
    if entry.latest is not None and not unchanged:
        impact = stale_dependents(connection, entry.latest.id)
    kept = unchanged or not request.dry_run
    return LoggedMatrix(
        matrix=outcome.matrix if kept else None,
        revision=outcome.revision,
        factor_version=outcome.factor_version,
        standardising=outcome.standardising,
        variance=outcome.variances["raw"],
        variances=outcome.variances,
        runs_described=entry.runs.described,
        remarks=Remarks(**remarks),
        impact=impact if kept else [_unnumbered(dependent, outcome.matrix) for dependent in impact],
        status="unchanged" if unchanged else "logged",
        dry_run=request.dry_run,
        task=request.task.strip(),
        round=series.round,
        measure=recorded.name,
        assessments=label,
        layout=complete.layout,
        topics=len(complete.topics),
        runs=len(complete.runs),
        missing_policy=complete.missing_policy,
        missing_cells=complete.missing_cells,
        dropped_topics=list(complete.dropped_topics),
    )


def latest_revision(session: Session, request: LogRequest) -> int:
    """Return the latest revision of what is to be logged, 0 where nothing is logged."""
    revision: int = session.connection.execute(
        select(func.coalesce(func.max(matrix.c.revision), 0))
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .join(measure, measure.c.id == matrix.c.measure_id)
        .where(
            task.c.name == request.task.strip(),
            round_.c.label == request.round.strip(),
            func.lower(measure.c.name) == func.lower(parse_measure(request.measure).name),
            matrix.c.assessments == request.assessments.strip(),
        )
    ).scalar_one()
    return revision


def _check_bounds(measure: str, bounds: tuple[float, float], complete: CompleteMatrix) -> None:
    low, high = bounds
    outside = np.argwhere((complete.scores < low) | (complete.scores > high))
    if len(outside):
        topic, run = outside[0]
        raise InputError(
            f"{len(outside)} of {complete.scores.size} scores lie outside the bounds {low:g} to"
            f" {high:g} of {measure}; the first is {complete.scores[topic, run]:g}, of topic"
            f" {complete.topics[topic]} and run {complete.runs[run]}."
        )


def _keep(entry: _Entry) -> _Outcome:
    """Return what is stored of these scores already, with the runs that became known."""
    connection, series, latest = entry.session.connection, entry.series, entry.latest
    assert latest is not None
    if latest.withdrawn is not None:
        raise withdrawn_error(series, latest)
    renewed = []
    if entry.runs.described:
        renewed = renew_runs_parts(connection, series.round_id)
        record_event(
            connection,
            "runs described",
            who=entry.session.user,
            task_id=entry.task_id,
            round_id=series.round_id,
            matrix_id=latest.id,
            details={"runs": entry.runs.described, "estimates_renewed": len(renewed)},
        )
    sets = [row for row in factor_sets(connection, series) if row.matrix_id == latest.id]
    return _Outcome(
        latest.id,
        latest.revision,
        sets[-1].version if sets else None,
        sets[-1].standardising if sets else None,
        read_estimates(connection, latest.id),
        {"renewed": renewed},
    )


def _store(entry: _Entry, *, known_teams: bool) -> _Outcome:
    """Store scores as the next revision, with their factors and variances."""
    session, request, task_id, series, complete, digest, latest, runs = entry
    connection = session.connection
    _check_revision(connection, request, series, complete, latest)
    # Before the database refuses it in its own words.
    checked_scores(complete.scores, "The residual variance", least_topics=2)
    revision = latest.revision + 1 if latest is not None else 1
    chosen = standardising_runs(runs.contributed) if len(complete.runs) >= 2 else None
    # While the server takes in the scores, this process would wait.
    with ThreadPoolExecutor(1) as beside:
        computing = beside.submit(
            matrix_statistics,
            complete.scores,
            runs.team_ids,
            chosen and chosen.mask,
            request.zero_sd,
        )
        stored = store_matrix(session, request, series, complete, runs, revision, digest)
        computed = computing.result()
    fitted, tied = None, []
    if chosen is not None:
        fitted = fit_and_store(
            connection,
            series,
            stored,
            chosen,
            zero_sd=request.zero_sd,
            user=session.user,
            reason=request.revise,
            factors=computed.factors,
        )
        tied = list(compress(complete.topics, (fitted.factors.sd == 0).tolist()))
    variances = store_estimates(connection, stored, fitted, computed.parts)
    # Of other measures: what this matrix replaces need not be estimated anew.
    renewed = (
        renew_runs_parts(connection, series.round_id) if known_teams and runs.described else []
    )
    record_event(
        connection,
        "matrix logged" if revision == 1 else "matrix revised",
        who=session.user,
        why=request.revise,
        task_id=task_id,
        round_id=series.round_id,
        matrix_id=stored.matrix_id,
        details={
            "measure": series.measure,
            "assessments": series.assessments,
            "revision": revision,
            "topics": len(complete.topics),
            "runs": len(complete.runs),
            **({"estimates_renewed": len(renewed)} if renewed else {}),
        },
    )
    return _Outcome(
        stored.matrix_id,
        revision,
        fitted.version if fitted else None,
        fitted.standardising if fitted else None,
        variances,
        {
            "difference": read_difference(connection, series, stored, latest),
            "same_scores": find_twin(connection, task_id, series, digest),
            "single_run": fitted is None,
            "tied_topics": tied,
            "equal_runs": len(complete.runs) - len(set(map(bytes, complete.scores.T))),
            "renewed": renewed,
        },
    )


def _check_revision(
    connection: Connection,
    request: LogRequest,
    series: Series,
    complete: CompleteMatrix,
    latest: Row[Any] | None,
) -> None:
    """Refuse other scores than those logged without a reason, and a reason without such scores."""
    where = f"{series.measure} ({series.assessments} assessments) of round '{series.round}'"
    if latest is None:
        status = connection.execute(
            select(round_.c.status).where(round_.c.id == series.round_id)
        ).scalar_one()
        if request.revise is None and status == "published":
            raise RoundPublishedError(
                f"Round '{series.round}' is published: it takes further scores only with a reason.",
                way_out="revise with a reason",
            )
        if request.revise is not None and status != "published":
            raise NotRecordedError(
                f"Nothing is logged for {where} yet to revise.", way_out="nothing to revise"
            )
    elif request.revise is None:
        raise ContentDiffersError(
            f"Other scores are already logged for {where}.",
            way_out="other scores",
            topics=len(complete.topics),
            runs=len(complete.runs),
        )
    elif request.expected_revision not in (None, latest.revision):
        # Of two corrections at once, one wins: nobody revises what they have not seen.
        raise RevisedMeanwhileError(
            f"{latest.logged_by} logged revision {latest.revision} of {series.measure} in round"
            f" '{series.round}' while this correction was under way, so it was not logged.",
            way_out="revised meanwhile",
            matrix=latest.id,
        )


def _unnumbered(dependent: Dependent, matrix: int) -> Dependent:
    """Leave out the number that a dry run's matrix had, which is no matrix's."""
    reasons = [
        reason.model_copy(update={"matrix": None}) if reason.matrix == matrix else reason
        for reason in dependent.reasons
    ]
    return dependent.model_copy(update={"reasons": reasons})


def read_difference(
    connection: Connection, series: Series, stored: StoredMatrix, replaced: Row[Any] | None
) -> Difference | None:
    """Return how a matrix differs from the revision before, or from its round's other matrices.

    None where it does not, or nothing is beside it.
    """
    if replaced is not None:
        others = select(matrix.c.id).where(matrix.c.id == replaced.id)
    else:
        others = select(current_matrix.c.id).where(
            current_matrix.c.round_id == series.round_id, current_matrix.c.id != stored.matrix_id
        )
    topics = matrix_topic.c.topic_id, matrix_topic.c.matrix_id, stored.topic_ids
    runs = matrix_run.c.run_id, matrix_run.c.matrix_id, stored.run_ids
    counts = []
    for column, of_matrix, ids in (topics, runs):
        there = set(connection.execute(select(column).where(of_matrix.in_(others))).scalars())
        if not there:
            return None
        own = set(ids.tolist())
        counts += [len(own - there), len(there - own)]
    if not any(counts):
        return None
    return Difference(
        revision=None if replaced is None else replaced.revision,
        new_topics=counts[0],
        lacking_topics=counts[1],
        new_runs=counts[2],
        lacking_runs=counts[3],
    )


def find_twin(connection: Connection, task_id: int, series: Series, digest: str) -> Twin | None:
    """Return the first matrix of another round with the same content, None where there is none."""
    row = connection.execute(
        select(matrix.c.id, round_.c.label)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .where(
            matrix.c.content_hash == digest,
            matrix.c.measure_id == series.measure_id,
            round_.c.task_id == task_id,
            round_.c.id != series.round_id,
        )
        .order_by(matrix.c.id)
        .limit(1)
    ).one_or_none()
    return None if row is None else Twin(round=row.label, matrix=row.id)
