"""Logging of a round's score matrix, with its statistics."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Row

from roundbook.errors import InputError
from roundbook.formats import CompleteMatrix, RunTeam, ScoreMatrix, apply_missing_policy
from roundbook.logbook.assessments_labels import other_assessments
from roundbook.logbook.estimates import (
    matrix_statistics,
    read_estimates,
    renew_runs_parts,
    store_estimates,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.factors import Fit, factor_sets, standardising_runs, store_factors
from roundbook.logbook.impact import Dependent, stale_dependents
from roundbook.logbook.lookup import (
    Series,
    check_name,
    check_reason,
    check_text,
    latest_matrix,
    withdrawn_error,
)
from roundbook.logbook.matrices.history import revision_changes
from roundbook.logbook.matrices.logged import LoggedMatrix, Remarks
from roundbook.logbook.matrices.revising import (
    check_revision,
    count_beyond_one,
    find_twin,
    read_difference,
    runs_named_as_topics,
    variance_ratio,
)
from roundbook.logbook.matrices.sources import read_sources
from roundbook.logbook.measures import ensure_measure, other_measures
from roundbook.logbook.near_names import near_measure
from roundbook.logbook.recorded_names import as_recorded
from roundbook.logbook.round_fingerprint import find_publication
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs.recorded_runs import RecordedRuns, known_pool, record_runs
from roundbook.logbook.same_topics import refuse_topic_twice
from roundbook.logbook.session import Session
from roundbook.logbook.storing import content_hash, load_matrix, store_matrix
from roundbook.logbook.teams import refittable_factors
from roundbook.requests.matrices import LogRequest
from roundbook.statistics.score_matrix import checked_scores


class _Entry(NamedTuple):
    """A score matrix to log, with its series; `latest` is the latest revision of the series.

    `computed_from` has the runs and assessments of computed scores, for the event.
    """

    session: Session
    request: LogRequest
    task_id: int
    series: Series
    scores: CompleteMatrix
    digest: str
    latest: Row[Any] | None
    runs: RecordedRuns
    computed_from: Mapping[str, object]


class _Outcome(NamedTuple):
    """The rows and variances of a stored score matrix; `remarks` are fields of `Remarks`.

    `fitted` is the row of its factor set, None without factors.
    """

    matrix: Row[Any]
    fitted: Row[Any] | None
    variances: dict[str, float]
    remarks: dict[str, Any]


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
    complete = apply_missing_policy(scores, request.missing)
    (logged,) = with_publication(session, [log_complete(session, request, complete, teams or {})])
    return logged


def with_publication(session: Session, logged: Sequence[LoggedMatrix]) -> list[LoggedMatrix]:
    """Return the matrices logged into a round, with its fingerprints in those that change it."""
    changed = [matrix for matrix in logged if matrix.status == "logged"]
    if not changed:
        return list(logged)
    update = {"publication": find_publication(session, changed[0].task, changed[0].round)}
    return [
        matrix.model_copy(update=update) if matrix.status == "logged" else matrix
        for matrix in logged
    ]


def log_complete(
    session: Session,
    request: LogRequest,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
    computed_from: Mapping[str, object] | None = None,
) -> LoggedMatrix:
    """Log a score matrix without missing scores; see `log_scores`.

    Parameters
    ----------
    computed_from : mapping, optional
        The runs and assessments that the scores were computed from, for the event.
    """
    request = request.model_copy(
        update={"revise": check_reason(request.revise), "tool": check_text("tool", request.tool)}
    )
    connection = session.connection
    task_id, round_id, near_names = open_round(
        session, request.task, request.round, create=request.create
    )
    complete, teams = as_recorded(connection, task_id, round_id, complete, teams)
    refuse_topic_twice(connection, task_id, request.task, complete.topics)
    recorded = ensure_measure(connection, request.measure, request.bounds, task_id)
    if recorded.bounds is not None:
        _check_bounds(recorded.name, recorded.bounds, complete)
    label = check_name("assessments label", request.assessments)
    series = Series(round_id, recorded.id, label, request.round.strip(), recorded.name)
    other_labels = other_assessments(connection, task_id, label)  # before this one is stored
    entry = _Entry(
        session,
        request,
        task_id,
        series,
        complete,
        content_hash(complete.topics, complete.runs, complete.scores),
        latest_matrix(connection, series),
        record_runs(connection, round_id, complete.runs, teams),
        computed_from or {},
    )
    unchanged = entry.latest is not None and entry.latest.content_hash == entry.digest
    outcome = _find_stored(entry) if unchanged else _store(entry, with_teams=bool(teams))
    remarks = outcome.remarks | {
        "other_measures": other_measures(connection, task_id, recorded),
        "near_measure": near_measure(recorded.name) if recorded.is_new else None,
        "other_assessments": other_labels,
        "near_names": near_names,
        "zero_sd": request.zero_sd,
        "hidden": list(complete.hidden),
    }
    if teams:
        tags = dict.fromkeys(complete.runs)
        remarks["unknown_runs"] = [tag for tag in teams if tag not in tags]
        remarks["undescribed_runs"] = [tag for tag in tags if tag not in teams]
        if entry.runs.pool_changed:
            remarks["refittable"] = refittable_factors(connection, round_id)
    impact = []
    if entry.latest is not None and not unchanged:
        impact = stale_dependents(connection, entry.latest.id)
    is_recorded = unchanged or not request.dry_run
    if not is_recorded:
        impact = [_unnumbered(dependent, outcome.matrix.id) for dependent in impact]
    fitted = outcome.fitted
    return LoggedMatrix(
        matrix=outcome.matrix.id if is_recorded else None,
        revision=outcome.matrix.revision,
        factor_version=fitted and fitted.version,
        standardising=fitted and fitted.standardising,
        standardising_runs=fitted and fitted.runs,
        variances=outcome.variances,
        remarks=Remarks(**remarks),
        pool=known_pool(entry.runs.contributed),
        variance=outcome.variances["raw"],
        runs_described=entry.runs.described,
        impact=impact,
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


def _find_stored(entry: _Entry) -> _Outcome:
    """Return the outcome for scores that are logged already; facts on their runs may be new."""
    connection, series, latest = entry.session.connection, entry.series, entry.latest
    assert latest is not None
    if latest.withdrawn is not None:
        raise withdrawn_error(series, latest)
    renewed = []
    if entry.runs.described:
        renewed = renew_runs_parts(connection, series.round_id)
        record_event(
            entry.session,
            "runs described",
            task_id=entry.task_id,
            round_id=series.round_id,
            matrix_id=latest.id,
            details={"runs": entry.runs.described, "estimates_renewed": len(renewed)},
        )
    source = read_sources(connection, [latest.id]).get(latest.id)
    recorded = source and {"upload": source.upload, "assessments_revision": source.revision}
    if recorded and entry.computed_from and recorded != entry.computed_from:
        record_event(
            entry.session,
            "scores computed again",
            task_id=entry.task_id,
            round_id=series.round_id,
            matrix_id=latest.id,
            details=entry.computed_from,
        )
    versions = [row for row in factor_sets(connection, series) if row.matrix_id == latest.id]
    fitted = versions[-1] if versions else None
    return _Outcome(
        latest,
        fitted,
        read_estimates(connection, latest.id),
        {"renewed": renewed, "not_recorded": _not_recorded(entry.request, latest, fitted)},
    )


def _not_recorded(request: LogRequest, latest: Row[Any], fitted: Row[Any] | None) -> list[str]:
    """Return the options that are not recorded, as the same scores are logged with other values."""
    differs = {
        "reason": request.revise is not None,
        "tool": request.tool not in (None, latest.tool),
        "zero_sd": request.zero_sd != LogRequest.model_fields["zero_sd"].default
        and fitted is not None
        and fitted.zero_sd != request.zero_sd,
    }
    return [name for name, differing in differs.items() if differing]


def _store(entry: _Entry, *, with_teams: bool) -> _Outcome:
    """Store scores as the next revision, with their factors and variances."""
    session, request, task_id, series, complete, digest, latest, runs, computed_from = entry
    connection = session.connection
    check_revision(connection, series, complete, latest, request)
    # Checked here, as the database would refuse it with a less helpful message.
    checked_scores(complete.scores, "The residual variance", least_topics=2)
    revision = latest.revision + 1 if latest is not None else 1
    chosen = standardising_runs(runs.contributed) if len(complete.runs) >= 2 else None
    # Computed while the server takes in the scores, when this process would only wait.
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(
            matrix_statistics,
            complete.scores,
            runs.team_ids,
            chosen and chosen.mask,
            request.zero_sd,
        )
        stored = store_matrix(session, request, series, complete, runs, revision, digest)
        computed = future.result()
    fitted, tied = None, []
    if chosen is not None:
        assert computed.factors is not None
        fit = Fit(computed.factors, chosen, request.zero_sd, request.revise)
        fitted = store_factors(session, series, stored, fit)
        tied = list(compress(complete.topics, (computed.factors.sd == 0).tolist()))
    variances = store_estimates(connection, stored, computed, fitted)
    # For the other measures; the estimates that this matrix replaces need no renewal.
    renewed = renew_runs_parts(connection, series.round_id) if with_teams and runs.described else []
    record_event(
        session,
        "matrix logged" if revision == 1 else "matrix revised",
        why=request.revise,
        task_id=task_id,
        round_id=series.round_id,
        matrix_id=stored.row.id,
        details={
            "measure": series.measure,
            "assessments": series.assessments,
            "revision": revision,
            "topics": len(complete.topics),
            "runs": len(complete.runs),
            **computed_from,
            **({"estimates_renewed": len(renewed)} if renewed else {}),
        },
    )
    columns: defaultdict[bytes, list[str]] = defaultdict(list)
    for tag, column in zip(complete.runs, complete.scores.T, strict=True):
        columns[bytes(column)].append(tag)
    alike = [tags for tags in columns.values() if len(tags) > 1]
    changes = None
    if latest is not None:
        changes = revision_changes(load_matrix(connection, latest), complete)
    return _Outcome(
        stored.row,
        fitted,
        variances,
        {
            "difference": read_difference(connection, stored, changes),
            "changes": changes,
            "same_scores": find_twin(connection, task_id, series, digest),
            "variance_ratio": variance_ratio(connection, task_id, series, variances["raw"]),
            "beyond_one": count_beyond_one(series.measure, complete),
            "runs_named_as_topics": runs_named_as_topics(connection, task_id, complete),
            "single_run": fitted is None,
            "tied_topics": tied,
            "equal_runs": sum(map(len, alike)) - len(alike),
            "alike": alike,
            "renewed": renewed,
        },
    )


def _unnumbered(dependent: Dependent, matrix: int) -> Dependent:
    """Return a dependent without the number of a dry run's matrix, which is rolled back."""
    reasons = [
        reason.model_copy(update={"matrix": None}) if reason.matrix == matrix else reason
        for reason in dependent.reasons
    ]
    return dependent.model_copy(update={"reasons": reasons})
