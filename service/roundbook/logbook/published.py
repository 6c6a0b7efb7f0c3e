"""Recording of variances that were published without their score matrix."""

from __future__ import annotations

from collections.abc import Mapping
from operator import not_
from typing import Any

from pydantic import Field
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import published_variance
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    RevisedMeanwhileError,
)
from roundbook.logbook.estimates import beside_other_rounds
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_by_input
from roundbook.logbook.lookup import Series, latest_matrix, revisions_by_measure
from roundbook.logbook.measures import ensure_measure, measure_named
from roundbook.logbook.names import NearName, check_name, check_reason, check_text
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import check_first, open_round
from roundbook.logbook.session import Session
from roundbook.logbook.variance_history import largest_within_one
from roundbook.measure_names import is_within_one
from roundbook.requests.variances import RecordVarianceRequest


class RecordedVariance(Result):
    """A published variance that was recorded; `status` is ``recorded`` or ``unchanged``.

    With `dry_run` it is what would have been done. `impact` lists the saved results that rest on
    the former revision and are stale.
    `matrix` is the round's current score matrix, whose variance is used instead, None without one.
    `other_measures` are the task's other measures if this one is new to the record, or to the task
    and not a known one; `near_names` are the task and round that are new to the record, if they may
    be misspelt. `variance_ratio` is that of a raw variance to the median of the measure's other
    rounds, if they are far apart.
    """

    task: str
    round: str
    measure: str
    scale: str
    assessments: str
    revision: int
    variance: float
    runs: int
    topics: int
    dof: int
    teams: int | None
    source: str
    status: str
    dry_run: bool
    impact: list[Dependent]
    matrix: int | None
    other_measures: list[str]
    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)
    variance_ratio: float | None = Field(None, exclude_if=not_)


def latest_variance_revision(session: Session, request: RecordVarianceRequest) -> int:
    """Return the latest revision of the recorded variance that a request revises, 0 without one."""
    of_scale = published_variance.c.scale == request.scale
    rows = revisions_by_measure(session.connection, published_variance, request, of_scale)
    row = measure_named(rows, request.measure)
    return 0 if row is None else int(row.revision)


def record_variance(session: Session, request: RecordVarianceRequest) -> RecordedVariance:
    """Record a variance that was published without its score matrix.

    It is the within-run residual variance V_E, dof = runs * (topics - 1). The same value again is
    ``unchanged``; a different value, and any value in a published round, needs a reason (`revise`).

    Raises
    ------
    InputError
        When there is no source, or the variance is larger than one of scores from 0 to 1 can be.
    NotRecordedError
        When the task or round does not exist, or there is nothing to revise.
    AlreadyRecordedError
        When a different value is recorded and no reason is given.
    RevisedMeanwhileError
        When somebody else revised it in the meantime.
    RoundPublishedError
        When the round is published and no reason is given.
    """
    reason = check_reason(request.revise)
    if reason is not None and request.expected_revision is None:
        # Before any lock is waited for: of two corrections at once only the first is recorded.
        seen = latest_variance_revision(session, request)
        request = request.model_copy(update={"expected_revision": seen})
    source = check_text("source", request.source)
    if source is None:
        raise InputError("A published variance needs its source: name the paper and table.")
    facts = request.model_dump(include={"variance", "runs", "topics", "teams"}) | {"source": source}
    connection = session.connection
    task_id, round_id, near = open_round(session, request)
    measure = ensure_measure(connection, task_id, request.measure)
    largest = largest_within_one(request.topics)
    within_one = request.scale != "raw" or is_within_one(measure.name)
    if within_one and request.variance > largest:
        raise InputError(
            f"{measure.name} lies between 0 and 1 on the scale {request.scale}, where a variance over"
            f" {request.topics:,} topics is {largest:.4f} at most, not {request.variance:g}. Of"
            " scores in percent it is 10,000 times as large.",
            measure=measure.name,
            scale=request.scale,
            topics=request.topics,
            variance=request.variance,
        )
    label = check_name("assessments label", request.assessments)
    identity = {
        "round_id": round_id,
        "measure_id": measure.id,
        "assessments": label,
        "scale": request.scale,
    }
    current = connection.execute(
        select(published_variance)
        .filter_by(**identity)
        .order_by(published_variance.c.revision.desc())
        .limit(1)
    ).one_or_none()
    unchanged = current is not None and all(
        getattr(current, name) == value for name, value in facts.items()
    )
    series = Series(round_id, measure.id, label, request.round, measure.name)
    logged = latest_matrix(connection, series)
    revision = current.revision if current is not None else 0
    impact = []
    if not unchanged:
        _check_revision(connection, request, series, current)
        revision += 1
        columns = identity | facts | {"revision": revision, "reason": reason}
        _insert_revision(session, task_id, measure.name, columns)
        if current is not None:
            impact = stale_by_input(connection, task_id, "published_variance", [current.id])
    return RecordedVariance(
        task=request.task.strip(),
        round=request.round.strip(),
        measure=measure.name,
        scale=request.scale,
        assessments=label,
        revision=revision,
        **facts,
        dof=request.runs * (request.topics - 1),
        status="unchanged" if unchanged else "recorded",
        dry_run=request.dry_run,
        impact=impact,
        matrix=None if logged is None or logged.withdrawn is not None else logged.id,
        other_measures=measure.others,
        near_names=near,
        variance_ratio=beside_other_rounds(connection, task_id, series, request.variance).ratio
        if request.scale == "raw"
        else None,
    )


def _insert_revision(
    session: Session, task_id: int, measure: str, columns: Mapping[str, Any]
) -> None:
    """Insert a revision of a published variance, with these columns, and record the event."""
    session.connection.execute(
        published_variance.insert().values(**columns, software=SOFTWARE, recorded_by=session.user)
    )
    noted = ("assessments", "scale", "revision", "variance", "source")
    record_event(
        session,
        "variance recorded",
        why=columns["reason"],
        task_id=task_id,
        round_id=columns["round_id"],
        details={"measure": measure} | {name: columns[name] for name in noted},
    )


def _check_revision(
    connection: Connection, request: RecordVarianceRequest, series: Series, current: Row[Any] | None
) -> None:
    """Refuse a revision without a reason, and a reason without a value to revise."""
    where = f"{series.measure} in round '{request.round}'"
    if current is None:
        missing = f"No variance is recorded for {where}"
        check_first(connection, series, request.revise, "a further variance", missing)
    elif request.revise is None:
        raise AlreadyRecordedError(
            f"A variance of {current.variance:g} ({current.source}) is recorded already for"
            f" {where}.",
            way_out="correct a variance",
            round=request.round,
            measure=series.measure,
            variance=current.variance,
        )
    elif request.expected_revision not in (None, current.revision):
        raise RevisedMeanwhileError(
            f"{current.recorded_by} recorded revision {current.revision} of the variance of"
            f" {where}, {current.variance:g}, while this correction was under way, so it was not"
            " recorded.",
            way_out="variance revised meanwhile",
            task=request.task,
            round=request.round,
            measure=series.measure,
            variance=current.variance,
            revision=current.revision,
        )
