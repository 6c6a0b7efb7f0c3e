"""Incremental topics: when the topics judged so far have the power to find a difference."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design import design_curve, solve_topics, solve_variance
from roundbook.statistics.score_matrix import Floats, check_share, is_whole
from roundbook.statistics.studies.common import (
    Mapped,
    Progress,
    check_trials,
    drawn_pieces,
    study_scores,
    tolerance,
)
from roundbook.statistics.studies.stopping import Stopping, draw_stops, pair_sds
from roundbook.statistics.variance.residual import residual_variance

_STUDY = "A study of incremental topics"
# Of the sds of pairs, which of them counts for a hard pair.
HARD = 0.95


@dataclass(frozen=True)
class JudgingPlan:
    """The difference to find, and the steps at which the topics are checked to be enough.

    Attributes
    ----------
    difference : float
        Between the means of two runs, in the unit of the scores; positive.
    alpha, beta : float
        Error probabilities of the two-sided test, ``1 - beta`` above alpha.
    start : int
        Topics before the first look, at least 2.
    step : int
        At least 1. The last look has all topics, however many are left for it.
    confidence : float
        Of the upper limit that the sure rule goes by: one-sided, in (0, 1).
    """

    difference: float
    alpha: float = 0.05
    beta: float = 0.20
    start: int = 10
    step: int = 1
    confidence: float = 0.80


@dataclass(frozen=True)
class PlannedSpread:
    """A spread of differences between two runs, and the topics planned by it.

    Attributes
    ----------
    spread : {'median', 'q95', 'max', 'rms', 'sqrt_2_v_e'}
        Of the sds of all pairs their median, 95th percentile, largest and root mean square, which is
        ``sqrt(2 V_2)`` and what paired plans take by default; or ``sqrt(2 V_E)``, which conservative
        plans take and which holds the hardness of topics too.
    sd : float
        In the unit of the scores.
    topics : int or None
        Smallest number with the power asked for; None where the sd is 0.
    """

    spread: str
    sd: float
    topics: int | None


@dataclass(frozen=True)
class StoppingRule:
    """The performance of a stopping rule over random pairs of runs and orders of topics.

    The rule stops at the first number of topics whose power is enough by the sd of these topics.

    Attributes
    ----------
    confidence : float or None
        Of the upper limit of the sd that the rule goes by; None for the sd itself.
    stopped : float
        Share of the draws that stop within the topics there are.
    median : int or None
        Topics at which half of the draws have stopped; None if fewer than half stop.
    at_start : float
        Share that stops with the first topics already.
    too_early : float
        Share that stops with topics which are not enough by the pair's sd over all topics.
    """

    confidence: float | None
    stopped: float
    median: int | None
    at_start: float
    too_early: float


@dataclass(frozen=True)
class Step:
    """The first topics of the matrix, in its order, and what they suffice for.

    Attributes
    ----------
    topics : int
        How many they are.
    largest_sd : float
        Largest sd of a pair for which they are enough.
    hard_sd : float
        95th percentile of the sds of all pairs on these topics.
    power : float
        To find the difference between two runs of that sd.
    enough, enough_surely : float
        Share of the pairs that vary for which they are enough, by their sds on these topics, and by
        the upper limits of these.
    stopped, stopped_surely : float
        Share of the random draws that have stopped, by the one rule and the other.
    """

    topics: int
    largest_sd: float
    hard_sd: float
    power: float
    enough: float
    enough_surely: float
    stopped: float
    stopped_surely: float


@dataclass(frozen=True)
class IncrementalTopics:
    """When the topics judged so far have the power to find a difference between two runs.

    Attributes
    ----------
    pairs, alike : int
        All pairs, and those that differ by the same on every topic, or on none: these need no
        topics, count in the spreads and not in the shares.
    spreads : tuple of PlannedSpread
    enough_by_sd : float
        Share of the pairs that vary for which all topics are enough, by their sds over all of them.
    rules : tuple of StoppingRule
        By the sd, and by its upper limit.
    steps : tuple of Step
    topics, runs : int
        Size of the matrix.
    difference, alpha, beta, start, step, confidence, trials, seed
        The input.
    """

    pairs: int
    alike: int
    spreads: tuple[PlannedSpread, ...]
    enough_by_sd: float
    rules: tuple[StoppingRule, ...]
    steps: tuple[Step, ...]
    topics: int
    runs: int
    difference: float
    alpha: float
    beta: float
    start: int
    step: int
    confidence: float
    trials: int
    seed: int


def incremental_topics(
    scores: ArrayLike,
    plan: JudgingPlan,
    *,
    trials: int = 10_000,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> IncrementalTopics:
    """Plan topics by the spread of all pairs of runs, and try stopping once the power suffices.

    With the differences ``z_j = x_ji - x_jk`` of a pair, ``s`` their sd (ddof 1) over n topics, the
    topics are enough if the paired t test finds the difference at alpha with a power of at least
    ``1 - beta``, its noncentral t having ``n - 1`` degrees of freedom and ``ncp = difference sqrt(n) /
    s``. The incremental rule judges `start` topics, then `step` at a time, and stops when they are
    enough by the s of the topics so far (Webber, Moffat and Zobel, CIKM 2008). As it stops where s
    happens to be small, it is optimistic; the sure rule takes the upper limit ``s sqrt((n - 1) /
    chi2)`` instead, with the ``1 - confidence`` quantile of chi-square at ``n - 1``. Each pair is
    for itself: nothing adjusts for many pairs.

    The root mean square of s over all pairs is ``sqrt(2 V_2)``, V_2 the two-way residual variance.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        On any one scale; at least two topics and two runs, no missing cells.
    plan : JudgingPlan
        Its `start` at most the topics there are.
    trials : int
        Random draws of a pair that varies and an order of the topics, up to a million.
    seed, progress, mapped
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or runs, a cell has no finite score, no pair varies over
        the topics, or another argument is out of range.

    Examples
    --------
    >>> toy = [[0.7, 0.5], [0.3, 0.1], [0.2, 0.0], [0.6, 0.2], [0.4, 0.4]]
    >>> study = incremental_topics(toy, JudgingPlan(0.2, start=3))
    >>> [(spread.spread, round(spread.sd, 3), spread.topics) for spread in study.spreads][0]
    ('median', 0.141, 7)
    >>> [(step.topics, round(step.power, 2)) for step in study.steps[1:]]
    [(4, 0.75), (5, 0.66)]
    """
    matrix = study_scores(scores, _STUDY)
    topics, runs = matrix.shape
    check_trials(trials, seed)
    check_share(plan.confidence, "A confidence")
    start, step, difference = plan.start, plan.step, plan.difference
    if not is_whole(start, 2, topics):
        raise ImpossibleStatisticError(
            f"{_STUDY} of a matrix of {topics} topics begins with 2 to {topics}, not {start}."
        )
    if not is_whole(step, 1):
        raise ImpossibleStatisticError(f"{_STUDY} goes in steps of at least 1, not {step}.")
    sizes = np.unique(np.append(np.arange(start, topics, step), topics))
    largest = np.sqrt(
        2 * solve_variance("paired-t", sizes, difference, plan.alpha, plan.beta).variance
    )
    surely = largest * np.sqrt(scipy.special.chdtri(sizes - 1, plan.confidence) / (sizes - 1))
    limits = np.stack([largest, surely])
    slack = tolerance(matrix)
    # The means of runs have no part in the spread, and without them sums of squares keep it.
    centred = matrix - matrix.mean(axis=0)
    sds = np.empty(0)
    hard: list[float] = []
    counts: list[list[int]] = []
    for sds, by_rule in zip(pair_sds(centred, sizes), limits.T, strict=True):
        hard.append(float(np.quantile(sds, HARD)))
        counts.append([int((sds <= limit).sum()) for limit in by_rule])
    varying = np.flatnonzero(sds > slack)
    if not varying.size:
        raise ImpossibleStatisticError(
            f"{_STUDY} needs runs whose difference varies over the topics, and no pair does."
        )
    alike = sds.size - varying.size
    stopping = Stopping(centred, sds, varying, sizes, limits)
    stops, early = np.zeros((2, sizes.size + 1), dtype=np.int64), np.zeros(2, dtype=np.int64)
    draw = partial(draw_stops, stopping)
    for piece_stops, piece_early in drawn_pieces(draw, seed, trials, progress, mapped):
        stops += piece_stops
        early += piece_early
    stopped = np.cumsum(stops[:, :-1], axis=1) / trials
    power = design_curve(
        "paired-t", sizes, difference, np.square(np.maximum(hard, slack)) / 2, plan.alpha
    )
    return IncrementalTopics(
        pairs=sds.size,
        alike=alike,
        spreads=_spreads(matrix, sds, slack, plan),
        enough_by_sd=float((sds[varying] <= largest[-1]).mean()),
        rules=tuple(
            StoppingRule(
                level,
                float(share[-1]),
                int(sizes[np.searchsorted(share, 0.5)]) if share[-1] >= 0.5 else None,
                float(share[0]),
                int(too_early) / trials,
            )
            for level, share, too_early in zip((None, plan.confidence), stopped, early, strict=True)
        ),
        steps=tuple(
            Step(
                int(size),
                float(largest[number]),
                hard[number],
                float(power[number]),
                *((count - alike) / varying.size for count in counts[number]),
                *stopped[:, number].tolist(),
            )
            for number, size in enumerate(sizes)
        ),
        topics=topics,
        runs=runs,
        **vars(plan),
        trials=trials,
        seed=seed,
    )


def _spreads(
    matrix: Floats, sds: Floats, slack: float, plan: JudgingPlan
) -> tuple[PlannedSpread, ...]:
    spreads = {
        "median": float(np.median(sds)),
        "q95": float(np.quantile(sds, HARD)),
        "max": float(sds.max()),
        "rms": math.sqrt(float(np.square(sds).mean())),
        "sqrt_2_v_e": math.sqrt(2 * residual_variance(matrix)),
    }
    return tuple(
        PlannedSpread(
            name,
            sd,
            int(
                solve_topics("paired-t", plan.difference, sd * sd / 2, plan.alpha, plan.beta).topics
            )
            if sd > slack
            else None,
        )
        for name, sd in spreads.items()
    )
