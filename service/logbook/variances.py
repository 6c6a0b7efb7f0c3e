"""Variances: each round's residual variance, over all rounds and pooled."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import Connection, Engine, Row, select, text

from service.database.engine import unit_of_work
from service.database.tables import published_variance
from service.errors import AlreadyRecorded, ImpossibleStatistic, InputError, NotRecorded
from service.logbook.lookup import (
    DEFAULT_ASSESSMENTS,
    Series,
    check_name,
    choose_assessments,
    current_matrix,
    find_task,
)
from service.logbook.measures import ensure_measure, find_measure
from service.logbook.result import SOFTWARE, Result
from service.logbook.rounds import open_round
from service.statistics.variance import pool_variances

VarianceScale = Literal["raw", "std-ab", "std-cdf"]


class RoundVariance(Result):
    """One round's residual variance.

    `origin` is ``matrix`` (computed here from `matrix`, `revision` and, on a standardised
    scale, `factor_version`) or ``published`` (recorded from `source`, no matrix here).
    """

    round: str
    ordinal: int
    runs: int
    topics: int
    variance: float
    dof: int
    sum_of_squares: float
    origin: str
    source: str | None
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str


class Pooled(Result):
    """The variance pooled over rounds: sum(dof * variance) / sum(dof)."""

    variance: float
    dof: int
    rounds: list[str]
    max_min_ratio: float | None


class VarianceHistory(Result):
    """A measure's variance in each round, and pooled."""

    task: str
    measure: str
    scale: str
    assessments: str
    rounds: list[RoundVariance]
    pooled: Pooled


class RecordedVariance(Result):
    """A published variance that was recorded; `status` is ``recorded`` or ``unchanged``."""

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
    source: str
    status: str
    notes: list[str]


def show_variances(
    engine: Engine,
    task: str,
    measure: str,
    *,
    scale: VarianceScale = "raw",
    assessments: str | None = None,
) -> VarianceHistory:
    """Return a measure's variance over all rounds and pooled; no score is read.

    A round with a logged matrix counts by its latest revision (and that one's latest factors);
    a round without one by its published estimate, if there is any on this scale.

    Raises
    ------
    NotRecorded
        When the task or measure is not there, or has no variance on this scale.
    """
    with unit_of_work(engine) as connection:
        task_id = find_task(connection, task)
        measure_id, measure = find_measure(connection, task_id, task, measure)
        label = choose_assessments(connection, task_id, measure_id, measure, assessments)
        rows = connection.execute(
            text(_HISTORY),
            {"task": task_id, "measure": measure_id, "assessments": label, "scale": scale},
        ).all()
    if not rows:
        raise NotRecorded(
            f"Task '{task}' has no variance of {measure} on the scale {scale} ({label}"
            " assessments)."
        )
    rounds = [RoundVariance.model_validate(dict(row._mapping)) for row in rows]
    return VarianceHistory(
        task=task,
        measure=measure,
        scale=scale,
        assessments=label,
        rounds=rounds,
        pooled=_pool(rounds),
    )


# The current matrix of each round first; a published estimate where there is none. On the raw
# scale there is one estimate a matrix, else the one by its latest factors.
_HISTORY = """
SELECT DISTINCT ON (round.ordinal) round.label AS round, round.ordinal, found.*
FROM roundbook.round
CROSS JOIN LATERAL (
    SELECT 1 AS rank, estimate.runs, estimate.topics, estimate.variance, estimate.dof,
           estimate.sum_of_squares, 'matrix' AS origin, NULL AS source, current.id AS matrix,
           current.revision, factor_set.version AS factor_version, estimate.software
    FROM (
        SELECT matrix.id, matrix.revision FROM roundbook.matrix
        WHERE matrix.round_id = round.id AND matrix.measure_id = :measure
          AND matrix.assessments = :assessments
        ORDER BY matrix.revision DESC LIMIT 1
    ) AS current
    JOIN roundbook.variance_estimate AS estimate
      ON estimate.matrix_id = current.id AND estimate.scale = :scale
    LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
    UNION ALL
    SELECT 2, runs, topics, variance, runs::bigint * (topics - 1),
           variance * runs * (topics - 1), 'published', source, NULL, revision, NULL, software
    FROM roundbook.published_variance
    WHERE round_id = round.id AND measure_id = :measure AND assessments = :assessments
      AND scale = :scale
) AS found
WHERE round.task_id = :task
ORDER BY round.ordinal, found.rank, found.factor_version DESC, found.revision DESC
"""


def record_variance(
    engine: Engine,
    task: str,
    round_label: str,
    measure: str,
    *,
    variance: float,
    runs: int,
    topics: int,
    source: str,
    scale: VarianceScale = "raw",
    assessments: str = DEFAULT_ASSESSMENTS,
    revise: str | None = None,
    create: bool = False,
    user: str,
) -> RecordedVariance:
    """Record a variance that was published without its score matrix.

    The same again is ``unchanged``.

    Parameters
    ----------
    variance : float
        The within-run residual variance V_E, dof = runs * (topics - 1).
    source : str
        Where it is published.
    revise : str, optional
        The reason why another value replaces the one recorded.

    Raises
    ------
    InputError
        When a number cannot be one of a variance estimate.
    NotRecorded
        When the task or round is not there, or there is nothing to revise.
    AlreadyRecorded
        When another value is recorded and `revise` is not given.
    """
    _check_published(variance, runs, topics)
    source = source.strip()
    if not source:
        raise InputError("A published variance needs its source: name the paper and table.")
    facts = {"variance": variance, "runs": runs, "topics": topics, "source": source}
    with unit_of_work(engine) as connection:
        _, round_id = open_round(connection, task, round_label, create=create)
        measure_id, measure, _ = ensure_measure(connection, measure)
        label = check_name("assessments label", assessments)
        identity = {
            "round_id": round_id,
            "measure_id": measure_id,
            "assessments": label,
            "scale": scale,
        }
        current = _current_published(connection, identity)
        unchanged = current is not None and all(
            getattr(current, name) == value for name, value in facts.items()
        )
        notes = []
        if current_matrix(connection, Series(round_id, measure_id, label, round_label, measure)):
            notes.append(
                "This round has a logged score matrix; variances are taken from that, not from"
                " what is published."
            )
        revision = current.revision if current is not None else 0
        if not unchanged:
            _check_revision(measure, round_label, current, revise)
            revision += 1
            connection.execute(
                published_variance.insert().values(
                    **identity,
                    **facts,
                    revision=revision,
                    reason=revise,
                    software=SOFTWARE,
                    recorded_by=user,
                )
            )
            connection.commit()
    return RecordedVariance(
        task=task.strip(),
        round=round_label.strip(),
        measure=measure,
        scale=scale,
        assessments=label,
        revision=revision,
        variance=variance,
        runs=runs,
        topics=topics,
        dof=runs * (topics - 1),
        source=source,
        status="unchanged" if unchanged else "recorded",
        notes=notes,
    )


def _pool(rounds: list[RoundVariance]) -> Pooled:
    pooled = pool_variances([each.variance for each in rounds], [each.dof for each in rounds])
    return Pooled(
        variance=pooled.variance,
        dof=pooled.dof,
        rounds=[each.round for each in rounds],
        max_min_ratio=pooled.max_min_ratio,
    )


def _check_published(variance: float, runs: int, topics: int) -> None:
    if not 0 < variance < float("inf"):
        raise InputError(f"A variance is a finite number above 0, not {variance}.")
    if topics < 2 or runs < 1:
        raise ImpossibleStatistic(
            f"A residual variance needs at least 2 topics and 1 run, not {topics} and {runs}."
        )
    if max(topics, runs) >= 2**31:
        raise InputError("No round has that many topics or runs.")


def _current_published(connection: Connection, identity: dict[str, object]) -> Row[Any] | None:
    return connection.execute(
        select(published_variance)
        .filter_by(**identity)
        .order_by(published_variance.c.revision.desc())
        .limit(1)
    ).one_or_none()


def _check_revision(
    measure: str, round_label: str, current: Row[Any] | None, revise: str | None
) -> None:
    where = f"{measure} in round '{round_label}'"
    if current is not None and not (revise and revise.strip()):
        raise AlreadyRecorded(
            f"A variance of {current.variance:g} ({current.source}) is recorded already for"
            f" {where}. If the new one corrects it, add --revise 'REASON'."
        )
    if current is None and revise is not None:
        raise NotRecorded(f"No variance is recorded for {where} yet to revise; leave out --revise.")
