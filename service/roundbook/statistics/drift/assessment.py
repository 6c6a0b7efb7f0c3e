"""Drift between two rounds that share topics: its size, and whether the factors hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import SD_RATIO_MARGIN, SHIFT_MARGIN
from roundbook.statistics.drift.jackknife import (
    CrossedEstimate,
    PerStatistic,
    ScoresByTopic,
    VarianceParts,
    as_ratio,
    drift_jackknife,
    interval_around,
    log_ratio_parts,
    plain_shift,
    scores_by_topic,
    shift_parts,
    topic_variance,
)
from roundbook.statistics.drift.verdict import (
    Judgement,
    Needed,
    NoInterval,
    Size,
    judge,
    needed_for_sd_ratio,
    needed_for_shift,
    no_judgement,
)
from roundbook.statistics.score_matrix import Floats, Ints, checked_scores
from roundbook.statistics.t_interval import Interval

LEAST_TOPICS = 5
LEAST_UNITS = 5
LEAST_RECURRING = 10


@dataclass(frozen=True)
class TheseRuns:
    """Intervals for these very runs on topics like these; None where there is none.

    The runs are fixed and the topics a sample: the intervals do not cover other systems.
    """

    shift_95: Interval | None = None
    sd_ratio_95: Interval | None = None


@dataclass(frozen=True)
class SystemsLikeThese:
    """Estimates and intervals for the population of systems and topics; None where there is none.

    The estimates are corrected for their jackknife bias, which changes them by a few hundredths.
    """

    shift: float | None = None
    shift_90: Interval | None = None
    shift_95: Interval | None = None
    sd_ratio: float | None = None
    sd_ratio_90: Interval | None = None
    sd_ratio_95: Interval | None = None


@dataclass(frozen=True, eq=False)
class DriftAssessment(Judgement):
    """The drift of the factors of shared topics from one round to another, with the verdict.

    Attributes
    ----------
    shift : float or None
        Mean change of the topics' means over the mean of their first-round sds; None if no
        topic has one.
    mean_shift, median_shift : float or None
        Mean and median over topics of each topic's shift in its own first-round sd.
    sd_ratio : float or None
        Mean sd of the later round over that of the first.
    sd_ratio_geometric : float or None
        Geometric mean of the topics' ratios that are not 0; None without one.
    these_runs : TheseRuns
    systems_like_these : SystemsLikeThese
        What the verdict rests on.
    units_from, units_to, units_shared : int
        Units of runs in each round and in both.
    topics_used : int
        Shared topics with an sd in the first round: all statistics are over these.
    tied_from, tied_to : int
        Shared topics that all runs of the round tie on.
    variance_parts : PerStatistic of VarianceParts or None
        For the sd ratio, of its natural logarithm.
    needed : PerStatistic of Needed or None
        The sizes that would decide the verdict.
    shifts, sd_ratios : (topics,) float array
        Per shared topic; NaN where its sd in the first round is 0.
    """

    shift: float | None
    mean_shift: float | None
    median_shift: float | None
    sd_ratio: float | None
    sd_ratio_geometric: float | None
    these_runs: TheseRuns
    systems_like_these: SystemsLikeThese
    units_from: int
    units_to: int
    units_shared: int
    topics_used: int
    tied_from: int
    tied_to: int
    variance_parts: PerStatistic[VarianceParts | None]
    needed: PerStatistic[Needed | None]
    shifts: Floats
    sd_ratios: Floats


def assess_drift(
    scores_from: ArrayLike,
    scores_to: ArrayLike,
    units_from: ArrayLike | None = None,
    units_to: ArrayLike | None = None,
    *,
    margin: float = SHIFT_MARGIN,
    sd_ratio_margin: float = SD_RATIO_MARGIN,
) -> DriftAssessment:
    """Assess whether the factors of one round still hold in another, on their shared topics.

    Over the topics with an sd in the first round, ``shift = mean_j (mean_Bj - mean_Aj) / S_A`` and
    ``sd ratio = S_B / S_A`` with ``S`` the mean sd. Their intervals are those of a jackknife that
    leaves out units, crossed with topics (:mod:`roundbook.statistics.drift.jackknife`); the verdict
    (:func:`roundbook.statistics.drift.verdict.judge`) asks for equivalence within the margins. With
    fewer than 5 topics or units there is no interval.

    Parameters
    ----------
    scores_from, scores_to : (topics, runs of the round) array_like of float
        Scores of the standardising runs on the shared topics, in the same order; no missing cells.
    units_from, units_to : (runs of the round,) array_like of int, optional
        Unit of each run; equal numbers are the same unit in both rounds. By default every run is
        one, and none is in both.
    margin : float
        Largest shift that does not matter, in mean first-round sds.
    sd_ratio_margin : float
        Largest ratio of sds that does not matter, above 1.

    Raises
    ------
    ImpossibleStatisticError
        If the rounds differ in topics, a cell has no finite score, the units do not fit the runs,
        or a margin is out of range.
    """
    if not 0 < margin < math.inf:
        raise ImpossibleStatisticError(f"The margin of the shift must be positive, not {margin}.")
    if not 1 < sd_ratio_margin < math.inf:
        raise ImpossibleStatisticError(
            f"The margin of the sd ratio must exceed 1, not {sd_ratio_margin}."
        )
    all_from, all_to = _checked_topics(scores_from, scores_to)
    labels_from, labels_to = _checked_units(all_from, all_to, units_from, units_to)
    distinct_from, distinct_to = set(labels_from.tolist()), set(labels_to.tolist())
    used = all_from.sd > 0
    first, later = all_from.on(used), all_to.on(used)
    size = Size(1.0, len(distinct_from), len(distinct_to), int(used.sum()))

    shifts, ratios = np.full(used.shape, np.nan), np.full(used.shape, np.nan)
    np.divide(all_to.mean - all_from.mean, all_from.sd, out=shifts, where=used)
    np.divide(all_to.sd, all_from.sd, out=ratios, where=used)
    compared = ratios[ratios > 0]
    shift = mean_shift = median_shift = sd_ratio = None
    if size.topics:
        shift, sd_ratio = plain_shift(first, later), later.spread / first.spread
        mean_shift, median_shift = float(shifts[used].mean()), float(np.median(shifts[used]))
    estimates = _estimates(first, later, labels_from, labels_to, size)
    systems = SystemsLikeThese()
    parts: PerStatistic[VarianceParts | None] = PerStatistic(None, None)
    needed: PerStatistic[Needed | None] = PerStatistic(None, None)
    if isinstance(estimates, str):
        judgement = no_judgement(estimates)
    else:
        assert mean_shift is not None
        judgement = judge(estimates, mean_shift, margin, sd_ratio_margin)
        of_shift, log_ratio = estimates.shift, estimates.sd_ratio
        systems = SystemsLikeThese(
            of_shift.corrected,
            of_shift.interval(0.90),
            of_shift.interval(0.95),
            as_ratio(log_ratio.corrected),
            _as_ratios(log_ratio.interval(0.90)),
            _as_ratios(log_ratio.interval(0.95)),
        )
        parts = PerStatistic(of_shift.variance, log_ratio.variance)
        needed = PerStatistic(
            needed_for_shift(of_shift, margin, size),
            needed_for_sd_ratio(log_ratio, sd_ratio_margin, size),
        )
    return DriftAssessment(
        shift=shift,
        mean_shift=mean_shift,
        median_shift=median_shift,
        sd_ratio=sd_ratio,
        sd_ratio_geometric=math.exp(np.log(compared).mean()) if compared.size else None,
        these_runs=_these_runs(first, later),
        systems_like_these=systems,
        units_from=size.units_from,
        units_to=size.units_to,
        units_shared=len(distinct_from & distinct_to),
        topics_used=size.topics,
        tied_from=used.size - size.topics,
        tied_to=int((all_to.sd == 0).sum()),
        variance_parts=parts,
        **vars(judgement),
        needed=needed,
        shifts=shifts,
        sd_ratios=ratios,
    )


def assess_recurring(
    scores_from: ArrayLike,
    scores_to: ArrayLike,
    units_from: ArrayLike,
    units_to: ArrayLike,
    *,
    margin: float = SHIFT_MARGIN,
    sd_ratio_margin: float = SD_RATIO_MARGIN,
) -> DriftAssessment | None:
    """Assess drift on the runs of units in both rounds only, by :func:`assess_drift`.

    This is a different question from that of all runs, as returning units are no random sample.

    Parameters and errors are those of :func:`assess_drift`. None with fewer than 10 units in both
    rounds.
    """
    labels_from, labels_to = np.asarray(units_from), np.asarray(units_to)
    shared = np.intersect1d(labels_from, labels_to)
    if shared.size < LEAST_RECURRING:
        return None
    again_from, again_to = np.isin(labels_from, shared), np.isin(labels_to, shared)
    return assess_drift(
        np.asarray(scores_from)[:, again_from],
        np.asarray(scores_to)[:, again_to],
        labels_from[again_from],
        labels_to[again_to],
        margin=margin,
        sd_ratio_margin=sd_ratio_margin,
    )


def _estimates(
    first: ScoresByTopic, later: ScoresByTopic, labels_from: Ints, labels_to: Ints, size: Size
) -> PerStatistic[CrossedEstimate] | NoInterval:
    """Return the estimates for systems and topics like these, or the reason why there are none."""
    wanting: dict[NoInterval, bool] = {
        "no shared topic with spread": not size.topics,
        "fewer than 5 topics": size.topics < LEAST_TOPICS,
        "fewer than 5 units in the first round": size.units_from < LEAST_UNITS,
        "fewer than 5 units in the later round": size.units_to < LEAST_UNITS,
        "no spread in the later round": not later.sd.any(),
    }
    for reason, holds in wanting.items():
        if holds:
            return reason
    with np.errstate(over="ignore", invalid="ignore"):
        estimates = drift_jackknife(first, later, labels_from, labels_to)
    if estimates is None:
        return "one unit bears all spread"
    variances = estimates.shift.variance.total, estimates.sd_ratio.variance.total
    return estimates if all(map(math.isfinite, variances)) else "scores too far apart"


def _these_runs(first: ScoresByTopic, later: ScoresByTopic) -> TheseRuns:
    topics = first.mean.size
    if topics < LEAST_TOPICS:
        return TheseRuns()
    variance = topic_variance(shift_parts(first, later))
    shift_95 = interval_around(plain_shift(first, later), variance, topics - 1, 0.95)
    if later.spread == 0:
        return TheseRuns(shift_95)
    variance = topic_variance(log_ratio_parts(first, later))
    log_95 = interval_around(math.log(later.spread / first.spread), variance, topics - 1, 0.95)
    return TheseRuns(shift_95, _as_ratios(log_95))


def _as_ratios(interval: Interval) -> Interval:
    return as_ratio(interval[0]), as_ratio(interval[1])


def _checked_topics(
    scores_from: ArrayLike, scores_to: ArrayLike
) -> tuple[ScoresByTopic, ScoresByTopic]:
    rounds = np.asarray(scores_from), np.asarray(scores_to)
    if rounds[0].shape[:1] != rounds[1].shape[:1]:
        raise ImpossibleStatisticError(
            "Drift needs both rounds' scores on the same topics, and the arrays have the shapes"
            f" {rounds[0].shape} and {rounds[1].shape}."
        )
    # Rounds without a shared topic are no error: they get no verdict.
    first, later = (
        scores.astype(np.float64) if scores.shape[:1] == (0,) else checked_scores(scores, "Drift")
        for scores in rounds
    )
    return scores_by_topic(first), scores_by_topic(later)


def _checked_units(
    first: ScoresByTopic,
    later: ScoresByTopic,
    units_from: ArrayLike | None,
    units_to: ArrayLike | None,
) -> tuple[Ints, Ints]:
    runs_from, runs_to = first.deviations.shape[1], later.deviations.shape[1]
    if units_from is None and units_to is None:
        return np.arange(runs_from), np.arange(runs_from, runs_from + runs_to)
    labels_from, labels_to = np.asarray(units_from), np.asarray(units_to)
    if labels_from.shape != (runs_from,) or labels_to.shape != (runs_to,):
        raise ImpossibleStatisticError(
            f"Drift needs one unit for each of the {runs_from} and {runs_to} runs, and the units"
            f" have the shapes {labels_from.shape} and {labels_to.shape}."
        )
    return labels_from, labels_to
