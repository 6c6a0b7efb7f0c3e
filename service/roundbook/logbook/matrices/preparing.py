"""Preparing a score matrix for logging: names, runs and bounds are checked, its rows stored."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Row

from roundbook.database.tables import matrix
from roundbook.errors import ContentDiffersError, InputError, RevisedMeanwhileError
from roundbook.formats import CompleteMatrix, RunTeams
from roundbook.logbook.lookup import Series, latest_matrix, other_assessments, revisions_by_measure
from roundbook.logbook.matrices.listing import read_sources
from roundbook.logbook.matrices.logged import Remarks
from roundbook.logbook.measures import ensure_measure, near_measure
from roundbook.logbook.names import as_recorded, check_name, check_reason, check_text
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.rounds import check_first, open_round
from roundbook.logbook.runs.recorded_runs import RecordedRuns, new_teams, record_runs
from roundbook.logbook.same_topics import SameTopics, refuse_topic_twice, same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, content_hash, ensure_topics, store_scores
from roundbook.requests.matrices import LoggingRequest, LogRequest

if TYPE_CHECKING:
    from roundbook.logbook.runs.scoring import ComputedMatrices

_Logging = TypeVar("_Logging", bound=LoggingRequest)


class PreparedMatrix(NamedTuple):
    """A score matrix to log, with its series; `latest` is the latest revision of the series.

    `computed_from` has the runs and assessments of computed scores, for the event. `remarks` are
    those on its names, runs, cells and files.
    """

    session: Session
    request: LogRequest
    task_id: int
    series: Series
    same_topics: SameTopics
    scores: CompleteMatrix
    digest: str
    latest: Row[Any] | None
    runs: RecordedRuns
    computed_from: Mapping[str, object]
    remarks: Remarks

    @property
    def is_recorded(self) -> bool:
        """Whether the latest revision has the same scores."""
        return self.latest is not None and self.latest.content_hash == self.digest


def prepare_matrix(
    session: Session,
    request: LogRequest,
    complete: CompleteMatrix,
    teams: RunTeams,
    computed: ComputedMatrices | None = None,
) -> PreparedMatrix:
    """Record the task, round, measure and runs of a score matrix, and check its names and bounds.

    Its scores are not stored. `computed` is what it is one of, if it was computed from runs.
    """
    request = request.model_copy(
        update={"revise": check_reason(request.revise), "tool": check_text("tool", request.tool)}
    )
    connection = session.connection
    task_id, round_id, near_names = open_round(session, request)
    complete, runs_teams = as_recorded(connection, task_id, round_id, complete, teams)
    same = same_topics(connection, task_id)
    refuse_topic_twice(same, request.task, complete.topics)
    recorded = ensure_measure(connection, task_id, request.measure, request.bounds)
    if recorded.bounds is not None:
        _check_bounds(recorded.name, recorded.bounds, complete)
    label = check_name("assessments label", request.assessments)
    series = Series(round_id, recorded.id, label, request.round.strip(), recorded.name)
    # The hash is computed while the server records the runs, when this process would only wait.
    with ThreadPoolExecutor(1) as executor:
        digest = executor.submit(content_hash, complete.topics, complete.runs, complete.scores)
        runs = record_runs(connection, round_id, complete.runs, runs_teams)
        latest = latest_matrix(connection, series)
    tags = dict.fromkeys(complete.runs)
    remarks = Remarks(
        other_measures=recorded.others,
        near_measure=near_measure(recorded.name) if recorded.is_new else None,
        other_assessments=other_assessments(connection, task_id, label),
        near_names=near_names,
        zero_sd=request.zero_sd,
        hidden=list(complete.hidden),
        new_teams=new_teams(connection, round_id, runs_teams, runs.changes),
        unknown_runs=[tag for tag in runs_teams if tag not in tags],
        undescribed_runs=[tag for tag in tags if tag not in runs_teams] if teams else [],
        unread_columns=list(teams.unread),
        topics_without_relevant=computed.without_relevant if computed else [],
        runs_without_lists=computed.without_lists if computed else [],
        lacking_lists=computed.lacking_lists if computed else {},
        lists_end_at=computed.lists_end_at(recorded.name) if computed else None,
    )
    return PreparedMatrix(
        session=session,
        request=request,
        task_id=task_id,
        series=series,
        same_topics=same,
        scores=complete,
        digest=digest.result(),
        latest=latest,
        runs=runs,
        computed_from=computed.computed_from if computed else {},
        remarks=remarks,
    )


def _check_bounds(measure: str, bounds: tuple[float, float], complete: CompleteMatrix) -> None:
    low, high = bounds
    outside = np.argwhere((complete.scores < low) | (complete.scores > high))
    if len(outside):
        topic, run = outside[0]
        name, tag = complete.topics[topic], complete.runs[run]
        raise InputError(
            f"{len(outside)} of {complete.scores.size} scores lie outside the bounds {low:g} to"
            f" {high:g} of {measure}; the first is {complete.scores[topic, run]:g}, of topic"
            f" {name} and run {tag}.",
            measure=measure,
            topic=name,
            run=tag,
        )


def with_seen_revisions(session: Session, request: _Logging) -> _Logging:
    """Return a request to revise with the revisions that were seen: those it names, else the latest.

    They are read before any lock is waited for: of two corrections at once only the first is logged.
    """
    if request.revise is None or request.expected_revisions is not None:
        return request
    return request.model_copy(update={"expected_revisions": latest_revisions(session, request)})


def latest_revisions(session: Session, request: LoggingRequest) -> dict[str, int]:
    """Return the latest revision by measure, in the round and assessments label of a request."""
    rows = revisions_by_measure(session.connection, matrix, request)
    return {row.name: row.revision for row in rows}


def check_revision(prepared: PreparedMatrix) -> None:
    """Refuse a revision without a reason or of unseen scores, and a reason without scores.

    The reason is the request's `revise`, and `expected_revisions` are the revisions that the person
    has seen.
    """
    connection, series, latest = prepared.session.connection, prepared.series, prepared.latest
    reason, seen = prepared.request.revise, prepared.request.expected_revisions
    where = f"{series.measure} ({series.assessments} assessments) of round '{series.round}'"
    if latest is None:
        check_first(connection, series, reason, "further scores", f"Nothing is logged for {where}")
    elif reason is None:
        source = read_sources(connection, [latest.id]).get(latest.id)
        earlier = (
            ", computed from earlier runs or assessments" if source and source.outdated else ""
        )
        withdrawn = "" if latest.withdrawn is None else f", and withdrawn: {latest.withdrawn}"
        raise ContentDiffersError(
            f"Other scores are already logged for {where}{earlier}{withdrawn.rstrip('.')}.",
            way_out="other scores",
            topics=len(prepared.scores.topics),
            runs=len(prepared.scores.runs),
            matrix=latest.id,
        )
    elif seen is not None and seen.get(series.measure, 0) != latest.revision:
        # Of two corrections at once only the first is logged: nobody revises scores they have not
        # seen.
        raise RevisedMeanwhileError(
            f"{latest.logged_by} logged revision {latest.revision} of {series.measure} in round"
            f" '{series.round}' while this correction was under way, so it was not logged.",
            way_out="revised meanwhile",
            matrix=latest.id,
            revision=latest.revision,
        )


def store_matrix(prepared: PreparedMatrix, revision: int) -> LoadedMatrix:
    """Store a score matrix as a revision of its series."""
    connection, request, series = prepared.session.connection, prepared.request, prepared.series
    complete, runs = prepared.scores, prepared.runs
    topic_ids = ensure_topics(connection, series.round_id, complete.topics)
    row = connection.execute(
        matrix.insert()
        .values(
            round_id=series.round_id,
            measure_id=series.measure_id,
            assessments=series.assessments,
            revision=revision,
            reason=request.revise,
            topics=len(complete.topics),
            runs=len(complete.runs),
            content_hash=prepared.digest,
            missing_policy=complete.missing_policy,
            missing_cells=complete.missing_cells,
            dropped_topics=list(complete.dropped_topics),
            files=list(complete.files),
            layout=complete.layout,
            tool=request.tool,
            software=SOFTWARE,
            logged_by=prepared.session.user,
        )
        .returning(matrix)
    ).one()
    store_scores(connection, complete.scores, row.id, topic_ids, runs.ids)
    topics, tags = list(complete.topics), list(complete.runs)
    return LoadedMatrix(
        row, topics, tags, complete.scores, topic_ids, runs.ids, runs.contributed, runs.team_ids
    )
