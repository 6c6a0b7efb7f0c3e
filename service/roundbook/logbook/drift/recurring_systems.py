"""Recurring systems, which ran in both rounds and link them even without shared topics."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from roundbook.logbook.drift.assessment import RoundCounts
from roundbook.logbook.drift.compared_rounds import ComparedRound
from roundbook.logbook.result import Result
from roundbook.statistics.drift.recurring_systems import StandardisingRuns, recurring_drift
from roundbook.statistics.standardisation.factors import ZeroSd, standardise


class RecurringSystem(Result):
    """A system of both rounds: its mean standardised score (std) by the factors of each round.

    Several runs of a system in a round count by their mean.
    """

    system: str
    runs_from: list[str]
    runs_to: list[str]
    mean_from: float
    mean_to: float
    difference: float


class RecurringSystems(Result):
    """The changes of recurring systems' standardised means, in sds of each topic's runs.

    Means are over all topics of a round, shared or not, and intervals are t intervals over systems.
    `against_others` is the mean difference less that of the other standardising runs, None where a
    round has no others. `standardising` counts the standardising runs, `of_recurring` those of
    these systems. `why` is a code; see
    `roundbook.statistics.drift.recurring_systems.RecurringDrift`. `tied_round` is a round in which
    no topic has an sd above 0: then the `count` systems that ran in both rounds are not listed.
    """

    # The defaults are for reports saved before these keys existed.

    verdict: str
    why: str | None = None
    count: int | None = None
    tied_round: str | None = None
    mean_difference: float | None
    mean_difference_95: tuple[float, float] | None
    mean_difference_90: tuple[float, float] | None
    against_others: float | None = None
    against_others_95: tuple[float, float] | None = None
    against_others_90: tuple[float, float] | None = None
    standardising: RoundCounts | None = None
    of_recurring: RoundCounts | None = None
    margin: float
    systems: list[RecurringSystem]


def compare_recurring_systems(
    first: ComparedRound, later: ComparedRound, margin: float
) -> RecurringSystems | None:
    """Compare the systems that ran in both rounds; None where there are none.

    Parameters
    ----------
    margin : float
        Largest mean difference that does not matter, in sds.
    """
    runs_first, runs_later = _runs_by_system(first), _runs_by_system(later)
    names = [name for name in runs_first if name in runs_later]
    if not names:
        return None
    # Without an sd above 0 every run would have the standardised score 0, whatever its scores.
    tied = next((entry for entry in (first, later) if not (entry.sd > 0).any()), None)
    if tied is not None:
        return RecurringSystems(
            verdict="unbridged",
            count=len(names),
            tied_round=tied.fitted.round,
            mean_difference=None,
            mean_difference_95=None,
            mean_difference_90=None,
            margin=margin,
            systems=[],
        )
    means: list[list[float]] = []
    standardising: list[StandardisingRuns] = []
    for entry, runs in ((first, runs_first), (later, runs_later)):
        policy: ZeroSd = "drop" if entry.fitted.zero_sd == "drop" else "average"
        by_topic = standardise(entry.scores, entry.mean, entry.sd, policy)
        std = by_topic[~np.isnan(by_topic[:, 0])].mean(axis=0)
        means.append([float(std[runs[name]].mean()) for name in names])
        recurring = np.zeros(std.size, dtype=bool)
        recurring[[index for name in names for index in runs[name]]] = True
        standardising.append(
            StandardisingRuns(
                int((entry.standardising & recurring).sum()), std[entry.standardising & ~recurring]
            )
        )
    drift = recurring_drift(means[0], means[1], *standardising, margin=margin)
    systems = [
        RecurringSystem(
            system=name,
            runs_from=[first.runs[run] for run in runs_first[name]],
            runs_to=[later.runs[run] for run in runs_later[name]],
            mean_from=mean_from,
            mean_to=mean_to,
            difference=mean_to - mean_from,
        )
        for name, mean_from, mean_to in zip(names, *means, strict=True)
    ]
    return RecurringSystems(
        **vars(drift) | {"systems": systems},
        count=len(names),
        standardising=_counts(entry.standardising.sum() for entry in (first, later)),
        of_recurring=_counts(runs.recurring for runs in standardising),
    )


def _counts(numbers: Iterable[int]) -> RoundCounts:
    from_, to = map(int, numbers)
    return RoundCounts(from_=from_, to=to)


def _runs_by_system(entry: ComparedRound) -> dict[str, list[int]]:
    runs: dict[str, list[int]] = {}
    for index, system in enumerate(entry.systems):
        if system is not None:
            runs.setdefault(system, []).append(index)
    return runs
