"""Variances that were published without their score matrix."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import published_variance, round_
from roundbook.errors import (
    AlreadyRecordedError,
    ImpossibleStatisticError,
    InputError,
    NotRecordedError,
    RoundPublishedError,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import (
    DEFAULT_ASSESSMENTS,
    Series,
    check_name,
    check_reason,
    check_text,
    latest_matrix,
)
from roundbook.logbook.measures import ensure_measure, notes_on_new
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import open_round
from roundbook.logbook.session import Session
from roundbook.logbook.variances import VarianceScale


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
    teams: int | None
    source: str
    status: str
    notes: list[str]


def record_variance(
    session: Session,
    task: str,
    round_label: str,
    measure: str,
    *,
    variance: float,
    runs: int,
    topics: int,
    source: str,
    teams: int | None = None,
    scale: VarianceScale = "raw",
    assessments: str = DEFAULT_ASSESSMENTS,
    revise: str | None = None,
    create: bool = False,
) -> RecordedVariance:
    """Record a variance that was published without its score matrix.

    The same again is ``unchanged``.

    Parameters
    ----------
    variance : float
        The within-run residual variance V_E, dof = runs * (topics - 1).
    source : str
        Where it is published.
    teams : int, optional
        How many teams the runs are of, where that is published: its interval rests on it.
    revise : str, optional
        The reason why another value replaces the one recorded, or why a published round takes one.

    Raises
    ------
    InputError
        When a number cannot be one of a variance estimate.
    NotRecordedError
        When the task or round is not there, or there is nothing to revise.
    AlreadyRecordedError
        When another value is recorded and `revise` is not given.
    RoundPublishedError
        When the round is published and `revise` is not given.
    """
    _check_published(variance, runs, topics, teams)
    revise = check_reason("--revise", revise)
    check_text("source", source)
    source = source.strip()
    if not source:
        raise InputError("A published variance needs its source: name the paper and table.")
    facts = {
        "variance": variance,
        "runs": runs,
        "topics": topics,
        "teams": teams,
        "source": source,
    }
    connection = session.connection
    task_id, round_id = open_round(connection, task, round_label, create=create, user=session.user)
    recorded_measure = ensure_measure(connection, measure)
    measure_id, measure = recorded_measure.id, recorded_measure.name
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
    notes = notes_on_new(connection, task_id, recorded_measure)
    logged = latest_matrix(connection, Series(round_id, measure_id, label, round_label, measure))
    if logged is not None and logged.withdrawn is None:
        notes.append(
            "This round has a logged score matrix; variances are taken from that, not from"
            " what is published."
        )
    revision = current.revision if current is not None else 0
    if not unchanged:
        published = connection.execute(
            select(round_.c.status == "published").where(round_.c.id == round_id)
        ).scalar_one()
        _check_revision(measure, round_label, current, revise, published=published)
        revision += 1
        connection.execute(
            published_variance.insert().values(
                **identity,
                **facts,
                revision=revision,
                reason=revise,
                software=SOFTWARE,
                recorded_by=session.user,
            )
        )
        record_event(
            connection,
            "variance recorded",
            who=session.user,
            why=revise,
            task_id=task_id,
            round_id=round_id,
            details={
                "measure": measure,
                "assessments": label,
                "scale": scale,
                "revision": revision,
                "variance": variance,
                "source": source,
            },
        )
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
        teams=teams,
        source=source,
        status="unchanged" if unchanged else "recorded",
        notes=notes,
    )


def _check_published(variance: float, runs: int, topics: int, teams: int | None) -> None:
    if not 1e-100 <= variance <= 1e100:
        raise InputError(
            f"A variance is a number above 0, and within what scores can have (1e-100 to 1e100),"
            f" not {variance:g}."
        )
    if topics < 2 or runs < 1:
        raise ImpossibleStatisticError(
            f"A residual variance needs at least 2 topics and 1 run, not {topics} and {runs}."
        )
    if max(topics, runs) >= 2**31:
        raise InputError("No round has that many topics or runs.")
    if teams is not None and not 1 <= teams <= runs:
        raise InputError(f"{runs} runs are of 1 to {runs} teams, not of {teams}.")


def _current_published(connection: Connection, identity: dict[str, object]) -> Row[Any] | None:
    return connection.execute(
        select(published_variance)
        .filter_by(**identity)
        .order_by(published_variance.c.revision.desc())
        .limit(1)
    ).one_or_none()


def _check_revision(
    measure: str,
    round_label: str,
    current: Row[Any] | None,
    revise: str | None,
    *,
    published: bool,
) -> None:
    where = f"{measure} in round '{round_label}'"
    reasoned = revise is not None
    if current is not None and not reasoned:
        raise AlreadyRecordedError(
            f"A variance of {current.variance:g} ({current.source}) is recorded already for"
            f" {where}. If the new one corrects it, add --revise 'REASON'."
        )
    if current is None and published and not reasoned:
        raise RoundPublishedError(
            f"Round '{round_label}' is published: it takes a further variance only with a reason;"
            " add --revise 'REASON'."
        )
    if current is None and revise is not None and not published:
        raise NotRecordedError(
            f"No variance is recorded for {where} yet to revise; leave out --revise."
        )
