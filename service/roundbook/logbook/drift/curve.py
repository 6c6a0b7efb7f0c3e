"""The ageing curve: every later round's factors against those of one earlier round."""

from __future__ import annotations

from operator import not_

from pydantic import AliasChoices, Field
from sqlalchemy import Connection

from roundbook.errors import NotRecordedError
from roundbook.logbook.drift.assessment import (
    Assessment,
    MarginFrom,
    ShiftUnit,
    StandardisingRuns,
    assess_pair,
    choose_margin,
    standardising_runs,
)
from roundbook.logbook.drift.compared_rounds import (
    FittedRound,
    fitted_round,
    load_rounds,
    pair_rounds,
    rounds_with_factors,
)
from roundbook.logbook.held_order import OutOfOrder, rounds_out_of_order
from roundbook.logbook.lookup import TaskSeries, find_task_series
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.logbook.withdrawals import TaskScores, WithdrawnMatrix, read_withdrawn
from roundbook.requests.drift import CurveRequest


class LaterRound(Assessment):
    """A later round compared with the earlier one; the fields are those of a `DriftReport`."""

    round: str
    matrix: int
    revision: int
    version: int
    collection: str | None
    standardising: StandardisingRuns
    shared_topics: int


class DriftCurve(Result):
    """The drift of the factors of the round `from` in every later round, in the task's order.

    `out_of_order` are those of its rounds whose dates contradict that order.
    """

    task: str
    measure: str
    assessments: str
    from_round: str = Field(
        validation_alias=AliasChoices("from_round", "from"), serialization_alias="from"
    )
    from_matrix: int
    from_revision: int
    from_version: int
    from_collection: str | None
    standardising: StandardisingRuns
    shift_unit: ShiftUnit = "sd_from"
    margin: float
    margin_from: MarginFrom
    sd_ratio_margin: float
    software: str
    withdrawn: list[WithdrawnMatrix]
    rounds: list[LaterRound]
    out_of_order: list[OutOfOrder] = Field(default_factory=list, exclude_if=not_)


def trace_drift(session: Session, request: CurveRequest) -> DriftCurve:
    """Compare a round's latest factors with those of every later round that has factors.

    Each score matrix is read once; the number of other queries does not grow with the rounds.

    Raises
    ------
    NotRecordedError
        When the round or its factors do not exist, or no later round has factors.
    """
    margin, margin_from = choose_margin(request)
    connection = session.connection
    series = find_task_series(connection, request.task, request.measure, request.assessments)
    chosen = _choose_rounds(connection, series, request.from_round)
    rounds = load_rounds(connection, series.task_id, chosen)
    first = next(rounds)
    compared = []
    for later in rounds:
        pair = pair_rounds(first, later)
        compared.append(
            LaterRound(
                **dict(assess_pair(pair, margin, request.sd_ratio_margin).whole),
                **later.fitted._asdict() | {"standardising": standardising_runs(later)},
                shared_topics=len(pair.shared_first),
            )
        )
    return DriftCurve(
        task=series.task,
        measure=series.measure,
        assessments=series.assessments,
        **first.fitted.as_compared("from"),
        standardising=standardising_runs(first),
        margin=margin,
        margin_from=margin_from,
        sd_ratio_margin=request.sd_ratio_margin,
        software=SOFTWARE,
        withdrawn=read_withdrawn(
            connection, TaskScores(series.task_id, [series.measure_id], [series.assessments])
        ),
        rounds=compared,
        out_of_order=rounds_out_of_order(chosen),
    )


def _choose_rounds(
    connection: Connection, series: TaskSeries, from_round: str | None
) -> list[FittedRound]:
    """Return the earlier round and those after it, which have factors."""
    fitted = rounds_with_factors(connection, series)
    first = fitted[0]
    if from_round is not None:
        first = fitted_round(connection, series, fitted, from_round)
    if first == fitted[-1]:
        raise NotRecordedError(
            f"No round after '{first.round}' has {series.measure} factors, so there is no curve.",
            way_out="name an earlier round",
            round=first.round,
            measure=series.measure,
        )
    return fitted[fitted.index(first) :]
