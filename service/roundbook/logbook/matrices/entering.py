"""A score matrix on its way into the record: its names and runs, its checks, and the remarks."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeVar

import numpy as np
from sqlalchemy import Connection, Row, func, select

from roundbook.database.table_parts import among
from roundbook.database.tables import (
    current_matrix,
    matrix,
    matrix_run,
    matrix_topic,
    measure,
    round_,
    run,
    task,
    topic,
)
from roundbook.errors import ContentDiffersError, InputError, RevisedMeanwhileError
from roundbook.formats import CompleteMatrix, RunTeam
from roundbook.logbook.estimates import ratio_to_other_rounds
from roundbook.logbook.lookup import Series, latest_matrix, other_assessments, revisions_by_measure
from roundbook.logbook.matrices.history import Changes, revision_changes
from roundbook.logbook.matrices.listing import read_sources
from roundbook.logbook.matrices.logged import MatrixDifference, Remarks, Twin
from roundbook.logbook.measures import RecordedMeasure, ensure_measure, near_measure
from roundbook.logbook.names import as_recorded, check_name, check_reason, check_text
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.rounds import check_first, open_round
from roundbook.logbook.runs.recorded_runs import RecordedRuns, record_runs
from roundbook.logbook.same_topics import refuse_topic_twice, same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.storing import (
    LoadedMatrix,
    content_hash,
    ensure_topics,
    load_matrix,
    store_scores,
)
from roundbook.measure_names import WITHIN_ONE
from roundbook.requests.matrices import LoggingRequest, LogRequest

_Logging = TypeVar("_Logging", bound=LoggingRequest)


class Entry(NamedTuple):
    """A score matrix to log, with its series; `latest` is the latest revision of the series.

    `computed_from` has the runs and assessments of computed scores, for the event. `remarks` are
    those on its names, runs and cells.
    """

    session: Session
    request: LogRequest
    task_id: int
    series: Series
    measure: RecordedMeasure
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


def enter_matrix(
    session: Session,
    request: LogRequest,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
    computed_from: Mapping[str, object],
) -> Entry:
    """Record the task, round, measure and runs of a score matrix, and check its names and bounds.

    Its scores are not stored.
    """
    request = request.model_copy(
        update={"revise": check_reason(request.revise), "tool": check_text("tool", request.tool)}
    )
    connection = session.connection
    task_id, round_id, near_names = open_round(session, request)
    complete, teams = as_recorded(connection, task_id, round_id, complete, teams)
    refuse_topic_twice(connection, task_id, request.task, complete.topics)
    recorded = ensure_measure(connection, task_id, request.measure, request.bounds)
    if recorded.bounds is not None:
        _check_bounds(recorded.name, recorded.bounds, complete)
    label = check_name("assessments label", request.assessments)
    series = Series(round_id, recorded.id, label, request.round.strip(), recorded.name)
    runs = record_runs(connection, round_id, complete.runs, teams)
    tags = dict.fromkeys(complete.runs)
    remarks = Remarks(
        other_measures=recorded.others,
        near_measure=near_measure(recorded.name) if recorded.is_new else None,
        other_assessments=other_assessments(connection, task_id, label),
        near_names=near_names,
        zero_sd=request.zero_sd,
        hidden=list(complete.hidden),
        unknown_runs=[tag for tag in teams if tag not in tags],
        undescribed_runs=[tag for tag in tags if tag not in teams] if teams else [],
    )
    return Entry(
        session,
        request,
        task_id,
        series,
        recorded,
        complete,
        content_hash(complete.topics, complete.runs, complete.scores),
        latest_matrix(connection, series),
        runs,
        computed_from,
        remarks,
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


def check_revision(entry: Entry) -> None:
    """Refuse a revision without a reason or of unseen scores, and a reason without scores.

    The reason is the request's `revise`, and `expected_revisions` are the revisions that the person
    has seen.
    """
    connection, series, latest = entry.session.connection, entry.series, entry.latest
    reason, seen = entry.request.revise, entry.request.expected_revisions
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
            topics=len(entry.scores.topics),
            runs=len(entry.scores.runs),
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


def store_matrix(entry: Entry, revision: int) -> LoadedMatrix:
    """Store a score matrix as a revision of its series."""
    connection, request, series = entry.session.connection, entry.request, entry.series
    complete, runs = entry.scores, entry.runs
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
            content_hash=entry.digest,
            missing_policy=complete.missing_policy,
            missing_cells=complete.missing_cells,
            dropped_topics=list(complete.dropped_topics),
            files=list(complete.files),
            layout=complete.layout,
            tool=request.tool,
            software=SOFTWARE,
            logged_by=entry.session.user,
        )
        .returning(matrix)
    ).one()
    store_scores(connection, complete.scores, row.id, topic_ids, runs.ids)
    topics, tags = list(complete.topics), list(complete.runs)
    return LoadedMatrix(row, topics, tags, complete.scores, topic_ids, *runs[:3])


def comparison_remarks(entry: Entry, stored: LoadedMatrix, variance: float) -> dict[str, Any]:
    """Return the remarks from comparing stored scores with others, and with their names."""
    connection, series, complete = entry.session.connection, entry.series, entry.scores
    columns: defaultdict[bytes, list[str]] = defaultdict(list)
    for tag, column in zip(complete.runs, complete.scores.T, strict=True):
        columns[bytes(column)].append(tag)
    alike = [tags for tags in columns.values() if len(tags) > 1]
    beyond = (complete.scores < 0) | (complete.scores > 1)
    other_names = list(set(complete.runs) - set(complete.topics))
    named = select(topic.c.name).where(
        topic.c.task_id == entry.task_id, among(topic.c.name, other_names)
    )
    named_as_topics = connection.execute(named).scalars().all()
    half = len(complete.runs) / 2
    if len(named_as_topics) > half:
        named_as_topics = _of_current_matrices(connection, entry.task_id, named_as_topics)
    changes = None
    if entry.latest is not None:
        changes = revision_changes(load_matrix(connection, entry.latest), complete)
    of_rounds = _topics_of_rounds(connection, entry.task_id, stored)
    return {
        "difference": _difference(connection, stored, changes, of_rounds),
        "changes": changes,
        "same_scores": _twin(entry),
        "variance_ratio": ratio_to_other_rounds(connection, entry.task_id, series, variance),
        "beyond_one": int(beyond.sum()) if entry.measure.family in WITHIN_ONE else 0,
        "runs_named_as_topics": len(named_as_topics) if len(named_as_topics) > half else 0,
        "zeros_apart": _zeros_apart(connection, entry.task_id, complete.topics),
        "no_shared_topics": _rounds_without_its_topics(
            connection, entry.task_id, stored, of_rounds
        ),
        "equal_runs": sum(map(len, alike)) - len(alike),
        "alike": alike,
    }


def _topics_of_rounds(
    connection: Connection, task_id: int, stored: LoadedMatrix
) -> dict[int, set[int]]:
    """Return the ids of the topics of a task's current matrices beside one, by the id of the round.

    Where its own round has others, only of these: other rounds are asked about for a new round
    alone. Rounds that declare another document collection are left out: they share no topics with it.
    """
    in_round = round_.c.id == stored.row.round_id
    others = select(current_matrix.c.id).where(
        current_matrix.c.round_id == stored.row.round_id, current_matrix.c.id != stored.row.id
    )
    own = select(round_.c.collection).where(in_round).scalar_subquery()
    same_collection = func.lower(round_.c.collection) == func.lower(own)
    rows = connection.execute(
        select(current_matrix.c.round_id, func.array_agg(matrix_topic.c.topic_id.distinct()))
        .join(matrix_topic, matrix_topic.c.matrix_id == current_matrix.c.id)
        .join(round_, round_.c.id == current_matrix.c.round_id)
        .where(
            round_.c.task_id == task_id,
            current_matrix.c.id != stored.row.id,
            in_round | (~others.exists() & func.coalesce(same_collection, True)),
        )
        .group_by(current_matrix.c.round_id)
    )
    return {round_id: set(topics) for round_id, topics in rows}


def _rounds_without_its_topics(
    connection: Connection, task_id: int, stored: LoadedMatrix, others: Mapping[int, set[int]]
) -> int:
    """Return the number of a task's other rounds if these share topics, and none with a new round.

    It is 0 unless each of them shares a topic with another of them. `others` are their topics.
    """
    own = set(stored.topic_ids.tolist())
    is_new = stored.row.round_id not in others
    if len(others) < 2 or not is_new or not own.isdisjoint(set().union(*others.values())):
        return 0
    same = same_topics(connection, task_id).ids
    own, *of_rounds = ({same.get(id_, id_) for id_ in ids} for ids in (own, *others.values()))
    rounds = Counter(chain.from_iterable(of_rounds))
    shared = {id_ for id_, number in rounds.items() if number > 1}
    apart = own.isdisjoint(rounds) and all(not shared.isdisjoint(ids) for ids in of_rounds)
    return len(others) if apart else 0


def _zeros_apart(connection: Connection, task_id: int, topics: Sequence[str]) -> dict[str, str]:
    """Return the topics that differ from another of the task by leading zeros alone, with its name."""
    numbers = {name.lstrip("0"): name for name in topics}
    own, number = set(topics), func.ltrim(topic.c.name, "0", type_=topic.c.name.type)
    alike = select(topic.c.name).where(topic.c.task_id == task_id, among(number, numbers))
    others = [name for name in connection.execute(alike).scalars() if name not in own]
    if not others:
        return {}
    same = same_topics(connection, task_id)
    apart = {
        numbers[other.lstrip("0")]: other
        for other in _of_current_matrices(connection, task_id, others)
    }
    return {name: other for name, other in apart.items() if same.name(name) != same.name(other)}


def _of_current_matrices(
    connection: Connection, task_id: int, names: Sequence[str]
) -> Sequence[str]:
    """Return the names of a task's topics that are of a current matrix, in the order recorded.

    Those of superseded and withdrawn ones alone may be the slips that were corrected.
    """
    of_matrices = (
        select(matrix_topic.c.topic_id)
        .join(current_matrix, current_matrix.c.id == matrix_topic.c.matrix_id)
        .join(round_, round_.c.id == current_matrix.c.round_id)
        .where(round_.c.task_id == task_id)
    )
    current = select(topic.c.name).where(
        topic.c.task_id == task_id, among(topic.c.name, names), topic.c.id.in_(of_matrices)
    )
    return connection.execute(current.order_by(topic.c.id)).scalars().all()


def _difference(
    connection: Connection,
    stored: LoadedMatrix,
    changes: Changes | None,
    of_rounds: Mapping[int, set[int]],
) -> MatrixDifference | None:
    """Return the difference from the revision before or, of a first one, from the round's matrices.

    None if there is no difference or no other matrix. `changes` are those from the revision before,
    and `of_rounds` are the topics of other matrices by round.
    """
    if changes is not None:
        names = [
            changes.topics_added,
            changes.topics_removed,
            changes.runs_added,
            changes.runs_removed,
        ]
    elif stored.row.round_id not in of_rounds:
        return None
    else:
        others = select(current_matrix.c.id).where(
            current_matrix.c.round_id == stored.row.round_id, current_matrix.c.id != stored.row.id
        )
        topics = dict(zip(stored.topic_ids.tolist(), stored.topics, strict=True))
        runs = dict(zip(stored.run_ids.tolist(), stored.runs, strict=True))
        names = []
        for own, named, of_matrix, id_of in (
            (topics, (topic.c.id, topic.c.name), matrix_topic.c.matrix_id, matrix_topic.c.topic_id),
            (runs, (run.c.id, run.c.tag), matrix_run.c.matrix_id, matrix_run.c.run_id),
        ):
            ids = select(id_of).where(of_matrix.in_(others))
            rows = connection.execute(select(*named).where(named[0].in_(ids)).order_by(named[0]))
            of_others = {row[0]: row[1] for row in rows}
            names += [
                [name for key, name in own.items() if key not in of_others],
                [name for key, name in of_others.items() if key not in own],
            ]
    if not any(names):
        return None
    new_topics, lacking_topics, new_runs, lacking_runs = names
    return MatrixDifference(
        revision=None if changes is None else stored.row.revision - 1,
        new_topics=len(new_topics),
        lacking_topics=len(lacking_topics),
        new_runs=len(new_runs),
        lacking_runs=len(lacking_runs),
        new_topic_names=new_topics,
        lacking_topic_names=lacking_topics,
        new_run_names=new_runs,
        lacking_run_names=lacking_runs,
    )


def _twin(entry: Entry) -> Twin | None:
    """Return the first matrix of another round or measure with the same content, or None.

    It is of another task where the entry's own has none, and its user may see all tasks.
    """
    series, elsewhere = entry.series, round_.c.task_id != entry.task_id
    beside = ~elsewhere & (
        (matrix.c.measure_id == series.measure_id) != (round_.c.id == series.round_id)
    )
    row = entry.session.connection.execute(
        select(matrix.c.id, round_.c.label, measure.c.name, task.c.name.label("task"), elsewhere)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .join(measure, measure.c.id == matrix.c.measure_id)
        .where(
            matrix.c.content_hash == entry.digest,
            beside if entry.session.only_task else beside | elsewhere,
        )
        .order_by(elsewhere, matrix.c.id)
        .limit(1)
    ).one_or_none()
    if row is None:
        return None
    task_name = row.task if row[-1] else None
    return Twin(round=row.label, measure=row.name, matrix=row.id, task=task_name)
