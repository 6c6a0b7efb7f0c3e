"""Drift: whether an earlier round's standardisation factors still hold for a later round."""

from __future__ import annotations

import math

from pydantic import Field
from sqlalchemy import Connection, Engine, select

from service.database.engine import unit_of_work
from service.database.tables import factor_set, round_
from service.errors import InputError, NotRecorded
from service.logbook.factors import LoadedFactors, load_factors
from service.logbook.lookup import (
    Series,
    choose_assessments,
    find_factor_set,
    find_round,
    find_task,
)
from service.logbook.measures import find_measure
from service.logbook.result import SOFTWARE, Result
from service.statistics.drift import Drift, factor_drift


class TopicDrift(Result):
    """A shared topic's factors in both rounds.

    `shift` is (mean_to - mean_from) / sd_from and `sd_ratio` sd_to / sd_from; None where an sd
    of 0 leaves them undefined.
    """

    topic: str
    mean_from: float
    sd_from: float
    mean_to: float
    sd_to: float
    shift: float | None
    sd_ratio: float | None


class DriftReport(Result):
    """Whether the factors of the round `from` hold in the round `to`.

    Shifts are in units of the first round's sds; the sd ratio is a geometric mean over topics.
    Intervals are (low, high) by t over topics, at 95% and, for the verdict, 90%.
    """

    task: str
    measure: str
    assessments: str
    from_round: str = Field(serialization_alias="from")
    to_round: str = Field(serialization_alias="to")
    from_version: int
    to_version: int
    shared_topics: int
    verdict: str
    reason: str
    advice: str
    mean_shift: float | None
    mean_shift_95: tuple[float, float] | None
    mean_shift_90: tuple[float, float] | None
    sd_ratio: float | None
    sd_ratio_95: tuple[float, float] | None
    sd_ratio_90: tuple[float, float] | None
    margin: float
    sd_ratio_margin: float
    undefined_shifts: int
    undefined_sd_ratios: int
    software: str
    topics: list[TopicDrift]

    def headline(self) -> str:
        """Return the verdict in one sentence."""
        first, later = f"'{self.from_round}'", f"'{self.to_round}'"
        verdicts = {
            "held": f"HELD: the factors of round {first} still hold in round {later}.",
            "aged": f"AGED: the factors of round {first} no longer hold in round {later}.",
            "undecided": f"UNDECIDED: whether the factors of round {first} still hold in round"
            f" {later} cannot be told from their shared topics.",
            "unbridged": f"UNBRIDGED: rounds {first} and {later} have no usable shared topic.",
        }
        return verdicts[self.verdict]


def report_drift(
    engine: Engine,
    task: str,
    measure: str,
    *,
    from_round: str | None = None,
    to_round: str | None = None,
    margin: float = 0.2,
    sd_ratio_margin: float = 1.25,
    assessments: str | None = None,
) -> DriftReport:
    """Compare the latest factors of two rounds on the topics they share.

    Parameters
    ----------
    from_round, to_round : str, optional
        Default: the first and the latest round that have factors.
    margin : float
        Largest mean shift, in sds of the round `from`, under which its factors hold.
    sd_ratio_margin : float
        Largest geometric mean sd ratio, or its inverse, under which they hold.

    Raises
    ------
    NotRecorded
        When a round or its factors are not there, or only one round has any.
    InputError
        When both rounds are the same.
    """
    with unit_of_work(engine) as connection:
        task_id = find_task(connection, task)
        measure_id, measure = find_measure(connection, task_id, task, measure)
        label = choose_assessments(connection, task_id, measure_id, measure, assessments)
        for named in filter(None, (from_round, to_round)):
            find_round(connection, task_id, task, named)
        first, last = _rounds(connection, task_id, task, measure_id, measure, label)
        ends = []
        for chosen in (from_round or first, to_round or last):
            round_id = find_round(connection, task_id, task, chosen)
            series = Series(round_id, measure_id, label, chosen.strip(), measure)
            ends.append((series, load_factors(connection, find_factor_set(connection, series))))
    (series_from, old), (series_to, new) = ends
    if series_from.round_id == series_to.round_id:
        raise InputError(
            f"Drift compares two rounds, and '{series_from.round}' is both; name others with"
            " --from and --to."
        )
    place = {name: index for index, name in enumerate(new.topics)}
    shared = [(index, place[name]) for index, name in enumerate(old.topics) if name in place]
    before, after = [pair[0] for pair in shared], [pair[1] for pair in shared]
    drift = factor_drift(
        old.mean[before],
        old.sd[before],
        new.mean[after],
        new.sd[after],
        margin=margin,
        sd_ratio_margin=sd_ratio_margin,
    )
    return _report(task, series_from, series_to, old, new, before, drift)


def _rounds(
    connection: Connection, task_id: int, task: str, measure_id: int, measure: str, label: str
) -> tuple[str, str]:
    rounds = (
        connection.execute(
            select(round_.c.label)
            .where(
                round_.c.task_id == task_id,
                select(factor_set.c.id)
                .where(
                    factor_set.c.round_id == round_.c.id,
                    factor_set.c.measure_id == measure_id,
                    factor_set.c.assessments == label,
                )
                .exists(),
            )
            .order_by(round_.c.ordinal)
        )
        .scalars()
        .all()
    )
    if len(rounds) < 2:
        have = f"only round '{rounds[0]}' has" if rounds else "no round has"
        raise NotRecorded(
            f"Drift compares the factors of two rounds, and {have} {measure} factors ({label}"
            f" assessments) in task '{task}'; log another round of at least two runs."
        )
    return rounds[0], rounds[-1]


def _report(
    task: str,
    series_from: Series,
    series_to: Series,
    old: LoadedFactors,
    new: LoadedFactors,
    shared: list[int],
    drift: Drift,
) -> DriftReport:
    return DriftReport(
        task=task,
        measure=series_from.measure,
        assessments=series_from.assessments,
        from_round=series_from.round,
        to_round=series_to.round,
        from_version=old.row.version,
        to_version=new.row.version,
        shared_topics=drift.topics,
        verdict=drift.verdict,
        reason=_reason(drift),
        advice=_ADVICE[drift.verdict],
        mean_shift=drift.mean_shift,
        mean_shift_95=drift.mean_shift_95,
        mean_shift_90=drift.mean_shift_90,
        sd_ratio=drift.sd_ratio,
        sd_ratio_95=_finite(drift.sd_ratio_95),
        sd_ratio_90=_finite(drift.sd_ratio_90),
        margin=drift.margin,
        sd_ratio_margin=drift.sd_ratio_margin,
        undefined_shifts=drift.topics - drift.shift_topics,
        undefined_sd_ratios=drift.topics - drift.sd_ratio_topics,
        software=SOFTWARE,
        topics=[
            TopicDrift(
                topic=old.topics[index],
                mean_from=float(drift.mean_from[row]),
                sd_from=float(drift.sd_from[row]),
                mean_to=float(drift.mean_to[row]),
                sd_to=float(drift.sd_to[row]),
                shift=float(drift.shifts[row]) if drift.shift_defined[row] else None,
                sd_ratio=float(drift.sd_ratios[row]) if drift.sd_ratio_defined[row] else None,
            )
            for row, index in enumerate(shared)
        ],
    )


_ADVICE = {
    "held": "Keep the first factors: scores standardised by either version may be compared.",
    "aged": "Refit: standardise the later round by its own factors, and restate what is compared"
    " with earlier rounds.",
    "undecided": "Neither keep nor refit on this evidence: more shared topics would narrow the"
    " intervals.",
    "unbridged": "Standardise each round by its own factors, and let some topics return next"
    " round.",
}


def _reason(drift: Drift) -> str:
    if drift.mean_shift is None:
        if drift.topics == 0:
            return "The two rounds share no topic, so no shift exists."
        return (
            f"None of {drift.topics} shared topics has a first-round sd above 0: no shift exists."
        )
    if drift.mean_shift_95 is None or drift.mean_shift_90 is None:
        return (
            f"Only one shared topic is usable (shift {drift.mean_shift:+.3f} first-round sds):"
            " no interval exists."
        )
    said = (
        f"Over {drift.shift_topics} shared topics the mean shift is {drift.mean_shift:+.3f}"
        f" first-round sds, 95% interval {_interval(drift.mean_shift_95)}, 90%"
        f" {_interval(drift.mean_shift_90)}, margin +-{drift.margin:g}"
    )
    if drift.sd_ratio is None or drift.sd_ratio_95 is None or drift.sd_ratio_90 is None:
        return f"{said}; too few topics have an sd above 0 in both rounds to compare sds."
    return (
        f"{said}; the sd ratio is {drift.sd_ratio:.3f}, 95% interval"
        f" {_interval(drift.sd_ratio_95)}, 90% {_interval(drift.sd_ratio_90)}, margin"
        f" {1 / drift.sd_ratio_margin:.3g} to {drift.sd_ratio_margin:g}."
    )


def _interval(ends: tuple[float, float]) -> str:
    return f"[{ends[0]:.3f}, {ends[1]:.3f}]"


def _finite(interval: tuple[float, float] | None) -> tuple[float, float] | None:
    # Two topics can spread so far that an end exceeds every float: then it is not known.
    if interval is None or not all(map(math.isfinite, interval)):
        return None
    return interval
