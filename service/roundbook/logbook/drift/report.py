"""The drift report on two rounds, and the ageing curve over all rounds after one."""

from __future__ import annotations

from collections.abc import Sequence
from operator import not_

from pydantic import ConfigDict, Field

from roundbook.errors import InputError, NotRecordedError
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
    RoundPair,
    fitted_round,
    load_rounds,
    pair_rounds,
    rounds_with_factors,
    withdrawn_scores,
)
from roundbook.logbook.drift.evidence import (
    Consequence,
    DriftTests,
    RecurringSystems,
    TopicDrift,
    compare_recurring_systems,
    compare_scores,
    compare_topics,
)
from roundbook.logbook.held_order import OutOfOrder, rounds_out_of_order
from roundbook.logbook.lookup import TaskSeries, find_task_series
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session
from roundbook.logbook.withdrawals import WithdrawnMatrix
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.statistics.drift.any_topics import FactorComparison, compare_factors


class DriftReport(Assessment):
    """A drift report: whether the factors of the round `from` hold in the round `to`.

    The assessment is by all standardising runs; `recurring` is by the units in both rounds only,
    None with fewer than 10. It is `backwards` if `from` is recorded after `to`; `out_of_order` has
    both rounds if their dates contradict that order. `latest_not_held_last` has the round `to`, if it
    was taken as the latest recorded one, and another that was held after it. `margin_from` is the
    origin of the margin of the shift. `tests` are None without a shared topic, `consequence` if no
    shared topic can be standardised by both rounds' factors, and `recurring_systems` without a
    system in both.
    `no_shared_topics`, which compares all topics of the two rounds, is None if a shared topic is
    usable. The topic set sizes are for `m` runs and `min_d`. `undefined_shifts` and
    `undefined_sd_ratios` count shared topics without a shift or sd ratio.
    """

    # Saved reports are read back by this model: new keys need defaults, and keys of earlier
    # versions, such as the intervals over topics only, are kept.
    model_config = ConfigDict(extra="allow")

    recurring: Assessment | None = None
    task: str
    measure: str
    assessments: str
    from_round: str = Field(alias="from")
    to_round: str = Field(alias="to")
    from_matrix: int
    from_revision: int
    from_version: int
    to_matrix: int
    to_revision: int
    to_version: int
    from_collection: str | None
    to_collection: str | None
    backwards: bool = False
    out_of_order: OutOfOrder | None = Field(default=None, exclude_if=not_)
    latest_not_held_last: OutOfOrder | None = Field(default=None, exclude_if=not_)
    standardising_from: StandardisingRuns | None = None
    standardising_to: StandardisingRuns | None = None
    shared_topics: int
    shift_unit: ShiftUnit = "sd_from"
    margin: float
    margin_from: MarginFrom | None = None
    sd_ratio_margin: float
    m: int
    min_d: float
    undefined_shifts: int
    undefined_sd_ratios: int
    consequence: Consequence | None
    tests: DriftTests | None
    recurring_systems: RecurringSystems | None = Field(alias="revived")
    no_shared_topics: FactorComparison | None = Field(alias="unbridged")
    software: str
    withdrawn: list[WithdrawnMatrix]
    topics: list[TopicDrift]


def report_drift(session: Session, request: DriftRequest) -> DriftReport:
    """Compare the latest factors of two rounds on the topics they share.

    By default these are the first and the latest round with factors.

    Raises
    ------
    NotRecordedError
        When a round or its factors do not exist, or only one round has factors.
    InputError
        When both rounds are the same.
    """
    connection = session.connection
    series = find_task_series(connection, request.task, request.measure, request.assessments)
    fitted = rounds_with_factors(connection, series)
    chosen = [
        default if label is None else fitted_round(connection, series, fitted, label)
        for label, default in ((request.from_round, fitted[0]), (request.to_round, fitted[-1]))
    ]
    if chosen[0] == chosen[1]:
        raise InputError(
            f"Drift compares two rounds, and '{chosen[0].round}' is both.",
            way_out="name two rounds",
            round=chosen[0].round,
        )
    pair = pair_rounds(*load_rounds(connection, series.task_id, chosen))
    withdrawn = withdrawn_scores(connection, series)
    report = compare_rounds(pair, series, request, withdrawn)
    of_latest = {pair.round: pair for pair in rounds_out_of_order(fitted)}.get(report.to_round)
    if request.to_round is not None or of_latest is None or report.out_of_order is not None:
        return report
    return report.model_copy(update={"latest_not_held_last": of_latest})


def compare_rounds(
    pair: RoundPair,
    series: TaskSeries,
    request: DriftRequest,
    withdrawn: Sequence[WithdrawnMatrix] = (),
) -> DriftReport:
    """Return the drift report on two loaded rounds; see `report_drift`."""
    first, later = pair.first, pair.later
    margin, margin_from = choose_margin(request)
    drift, whole, recurring = assess_pair(pair, request)
    usable = whole.verdict != "unbridged"
    tests, topics = compare_topics(pair, drift)
    return DriftReport(
        **dict(whole),
        recurring=recurring,
        task=series.task,
        measure=series.measure,
        assessments=series.assessments,
        **first.fitted.as_compared("from"),
        **later.fitted.as_compared("to"),
        backwards=first.fitted.ordinal > later.fitted.ordinal,
        out_of_order=next(iter(rounds_out_of_order([first.fitted, later.fitted])), None),
        standardising_from=standardising_runs(first),
        standardising_to=standardising_runs(later),
        shared_topics=len(pair.shared_first),
        margin=margin,
        margin_from=margin_from,
        sd_ratio_margin=request.sd_ratio_margin,
        m=request.m,
        min_d=request.detected,
        undefined_shifts=len(pair.shared_first) - drift.topics_used,
        undefined_sd_ratios=len(pair.shared_first) - int((drift.sd_ratios > 0).sum()),
        consequence=compare_scores(pair, request.m, request.detected) if usable else None,
        tests=tests,
        recurring_systems=compare_recurring_systems(first, later, margin),
        no_shared_topics=(
            None if usable else compare_factors(first.mean, first.sd, later.mean, later.sd)
        ),
        software=SOFTWARE,
        withdrawn=list(withdrawn),
        topics=topics,
    )


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
    from_round: str = Field(alias="from")
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
    fitted = rounds_with_factors(connection, series)
    start = fitted[0]
    if request.from_round is not None:
        start = fitted_round(connection, series, fitted, request.from_round)
    if start == fitted[-1]:
        raise NotRecordedError(
            f"No round after '{start.round}' has {series.measure} factors, so there is no curve.",
            way_out="name an earlier round",
            round=start.round,
            measure=series.measure,
        )
    chosen = fitted[fitted.index(start) :]
    rounds = load_rounds(connection, series.task_id, chosen)
    first = next(rounds)
    compared = []
    for later in rounds:
        pair = pair_rounds(first, later)
        compared.append(
            LaterRound(
                **dict(assess_pair(pair, request).whole),
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
        withdrawn=withdrawn_scores(connection, series),
        rounds=compared,
        out_of_order=rounds_out_of_order(chosen),
    )
