"""Agreement of two rankings of the same runs: Kendall's tau, its intervals, and tau_AP.

tau_AP weighs the top. Runs are ranked by their means
(:func:`roundbook.statistics.ties.run_means`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import check_resampling, percentile_interval, topic_weights
from roundbook.statistics.score_matrix import Floats, Ints, as_floats, checked_scores, is_whole
from roundbook.statistics.ties import run_means


@dataclass(frozen=True)
class KendallTau:
    """Kendall's tau between two rankings of the same runs.

    Attributes
    ----------
    tau_a : float
        ``(concordant - discordant) / (m (m - 1) / 2)``.
    tau_b : float or None
        The same, corrected for ties; None where all runs tie in one of the rankings.
    concordant, discordant : int
        Pairs of runs in the same and in opposite order.
    tied_a, tied_b : int
        Pairs of runs that tie in the first and in the second ranking.
    """

    tau_a: float
    tau_b: float | None
    concordant: int
    discordant: int
    tied_a: int
    tied_b: int


@dataclass(frozen=True)
class TauInterval:
    """The middle share of Kendall's tau-b over resampled topic sets.

    Attributes
    ----------
    low, high : float or None
        Its limits; None where tau-b is defined in no resample.
    tau : float or None
        Of the rankings by all topics; None where all runs tie in one of them.
    undefined : int
        Resamples in which all runs tie in one of the rankings; they are left out.
    """

    low: float | None
    high: float | None
    tau: float | None
    undefined: int


def kendall_tau(scores_a: ArrayLike, scores_b: ArrayLike) -> KendallTau:
    """Kendall's tau-a and tau-b between two rankings of the same runs by their scores.

    Over the ``P = m (m - 1) / 2`` pairs of runs, with ``C`` in the same order, ``D`` in opposite
    order, and ``T_a``, ``T_b`` tied in either ranking: ``tau_a = (C - D) / P`` and
    ``tau_b = (C - D) / sqrt((P - T_a) (P - T_b))`` (Kendall, Rank Correlation Methods). Scores tie
    only if they are equal to the last bit: take run means from :func:`roundbook.statistics.ties.run_means`.

    Parameters
    ----------
    scores_a, scores_b : (runs,) array_like of float
        One score a run, its mean over topics as a rule; the runs in the same order.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two runs, the lengths differ, or a score is not finite.

    Examples
    --------
    >>> tau = kendall_tau([0.4, 0.3, 0.2, 0.1], [0.5, 0.5, 0.1, 0.2])
    >>> round(tau.tau_a, 4), round(tau.tau_b, 4)
    (0.5, 0.5477)
    """
    first, second = _checked_rankings(scores_a, scores_b, "Kendall's tau")
    difference, tied_a, tied_b = (
        int(count[0]) for count in _pair_counts(first[:, np.newaxis], second[:, np.newaxis])
    )
    runs = first.size
    pairs = runs * (runs - 1) // 2
    _, sizes = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    untied = pairs - tied_a - tied_b + int(np.sum(sizes * (sizes - 1) // 2))
    tau_b: float | None = None
    if pairs not in {tied_a, tied_b}:
        tau_b = float(tau_b_of_pairs(difference, pairs - tied_a, pairs - tied_b))
    return KendallTau(
        difference / pairs,
        tau_b,
        (untied + difference) // 2,
        (untied - difference) // 2,
        tied_a,
        tied_b,
    )


def tau_b_of_pairs(difference: ArrayLike, untied_a: ArrayLike, untied_b: ArrayLike) -> Floats:
    """Kendall's tau-b by counts of pairs of runs: ``(C - D) / sqrt((P - T_a) (P - T_b))``.

    Parameters
    ----------
    difference : (...) array_like
        Concordant less discordant pairs, ``C - D``.
    untied_a, untied_b : (...) array_like of int
        Pairs that do not tie in the first and in the second ranking.

    Returns
    -------
    (...) float array
        0 where all pairs tie in one of the rankings, and tau-b is not defined.
    """
    untied = np.multiply(untied_a, untied_b, dtype=np.float64)
    return np.asarray(np.divide(difference, np.sqrt(np.maximum(untied, 1))))


def published_interval(tau: float, runs: int) -> tuple[float, float]:
    """Interval ``tau +- 1.96 sqrt(2 (2m + 5) / (9 m (m - 1)))``, as printed in papers.

    The standard error is that of independent rankings without ties, whatever tau is (Sakai, AIRS
    2016, Table 1); the limits may therefore lie outside [-1, 1], where the approximation
    does not hold. Tau is rounded to three places first, to match print. For an interval about the
    agreement measured, see :func:`bootstrap_tau`.

    Parameters
    ----------
    tau : float
        In [-1, 1].
    runs : int
        Number of runs m, at least 2.

    Raises
    ------
    ImpossibleStatisticError
        If tau or the number of runs is out of range.

    Examples
    --------
    >>> low, high = published_interval(0.978, 14)
    >>> round(low, 3), round(high, 3)
    (0.585, 1.371)
    """
    if not -1 <= tau <= 1:
        raise ImpossibleStatisticError(f"Kendall's tau must lie between -1 and 1, not {tau}.")
    if not is_whole(runs, 2):
        raise ImpossibleStatisticError(
            f"The interval of Kendall's tau needs a whole number of runs of at least 2, not {runs}."
        )
    half = 1.96 * math.sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))
    rounded = round(float(tau), 3)
    return rounded - half, rounded + half


def tau_ap(reference: ArrayLike, estimate: ArrayLike) -> float | None:
    """AP rank correlation of the ranking by `estimate` with the ranking by `reference`.

    ``tau_AP = 2 / (m - 1) sum_{r=2..m} C(r) / (r - 1) - 1`` where ``C(r)`` counts the runs that the
    estimate puts above its run at rank ``r`` and the reference puts above it too (Yilmaz, Aslam and
    Robertson, SIGIR 2008). The ranks are those of the estimate: swapping the two rankings changes
    the coefficient.

    Ties in the estimate: the mean over all orders in which its tied runs could have been put, which
    is tau_AP,a of Urbano and Marrero (ICTIR 2017). Ties in the reference: such a pair counts half,
    neither right nor wrong, so that a ranking that breaks them does not reach 1.

    Parameters
    ----------
    reference : (runs,) array_like of float
        One score a run, of the ranking taken for true; higher is better.
    estimate : (runs,) array_like of float
        The same runs in the same order, of the ranking that is judged.

    Returns
    -------
    float or None
        From -1 to 1; None where all runs tie in one of the rankings.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two runs, the lengths differ, or a score is not finite.

    Examples
    --------
    >>> top, bottom = tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    >>> round(top, 4), round(bottom, 4)
    (0.3333, 0.7778)
    """
    first, second = _checked_rankings(reference, estimate, "The AP rank correlation")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    above, agreed = np.zeros((2, first.size), dtype=np.int64)
    tied = np.ones(first.size, dtype=np.int64)
    for distance in range(1, first.size):
        truth, judged = _order_at(first, distance), _order_at(second, distance)
        # Where the later run of the pair is above the earlier one, the pair is the earlier one's.
        above[:-distance] += judged > 0
        above[distance:] += judged < 0
        agreed[:-distance] += np.where(judged > 0, truth, 0)
        agreed[distance:] -= np.where(judged < 0, truth, 0)
        tied[:-distance] += judged == 0
        tied[distance:] += judged == 0
    # A run among `tied` runs below `above` others may have any rank from above + 1 to above + tied.
    # Pairs within the tie cancel, and 1 / (rank - 1) averages to a difference of harmonic sums.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, first.size + 1))])
    least = np.maximum(above, 1)
    mean = (harmonic[above + tied - 1] - harmonic[least - 1]) / tied
    shares = np.where(tied == 1, agreed / least, agreed * mean)
    return float(np.clip(shares.sum() / (first.size - 1), -1.0, 1.0))


def bootstrap_tau(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    resamples: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], object] = lambda *_: None,
) -> TauInterval:
    """Resample topics for the middle share of the agreement of two rankings of runs.

    Each resample draws ``n`` topics with replacement, the same ones from both matrices, ranks the
    runs by their means in either, and correlates the rankings anew; the limits are quantiles of
    these, linearly interpolated (Efron and Tibshirani 1993, ch. 13). Rankings by resampled topics
    are noisier than those by all, so `tau` may lie above `high`. It is no confidence interval: the
    correlation over endless topics may lie above it, and does where that is 1 and runs are many.

    Parameters
    ----------
    scores_a, scores_b : (topics, runs) array_like of float
        Scores of the same runs on the same topics, in the same order: raw and standardised, say, or
        by two versions of the factors.
    resamples : int
        From ``2 / (1 - level)`` to a million.
    level : float
        The share of the resamples between the limits, in (0, 1).
    seed : int
        Not negative; one seed draws the same topics every time.
    progress : callable
        Called with the resamples computed so far and their total.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or two runs, the shapes differ, a cell has no finite
        score, or resamples, level or seed are out of range.

    Examples
    --------
    >>> raw = [[0.9, 0.1, 0.4], [0.8, 0.2, 0.5], [0.7, 0.1, 0.3]]
    >>> interval = bootstrap_tau(raw, raw)
    >>> interval.tau, interval.low, interval.high
    (1.0, 1.0, 1.0)
    """
    name = "The bootstrap of a rank correlation"
    first = checked_scores(scores_a, name, least_topics=2, least_runs=2)
    second = checked_scores(scores_b, name, least_topics=2, least_runs=2)
    if first.shape != second.shape:
        raise ImpossibleStatisticError(
            f"{name} needs two matrices of the same topics and runs: the shapes are {first.shape}"
            f" and {second.shape}."
        )
    check_resampling(resamples, level, seed)
    whole = _correlations(first, second, np.ones((1, len(first))))
    chunks, computed = [], 0
    for weights in topic_weights(len(first), resamples, seed):
        chunks.append(_correlations(first, second, weights))
        computed += len(weights)
        progress(computed, resamples)
    resampled = np.concatenate(chunks)
    low, high = percentile_interval(resampled, level) if resampled.size else (None, None)
    return TauInterval(
        low, high, float(whole[0]) if whole.size else None, resamples - resampled.size
    )


def _correlations(scores_a: Floats, scores_b: Floats, weights: Floats) -> Floats:
    """Tau-b in the resamples that have one."""
    first, second = (
        np.ascontiguousarray(run_means(scores, weights).T) for scores in (scores_a, scores_b)
    )
    difference, tied_a, tied_b = _pair_counts(first, second)
    pairs = first.shape[0] * (first.shape[0] - 1) // 2
    taus = tau_b_of_pairs(difference, pairs - tied_a, pairs - tied_b)
    return np.asarray(taus[np.maximum(tied_a, tied_b) < pairs])


def _pair_counts(first: Floats, second: Floats) -> tuple[Ints, Ints, Ints]:
    """Concordant less discordant pairs, and pairs tied in each; (runs, resamples), unchecked."""
    difference, tied_a, tied_b = np.zeros((3, first.shape[1]), dtype=np.int64)
    # All pairs at one distance at a time, for all resamples: no (runs, runs) array for each.
    for distance in range(1, first.shape[0]):
        order_a = _order_at(first, distance)
        order_b = _order_at(second, distance)
        difference += (order_a * order_b).sum(axis=0)
        tied_a += (order_a == 0).sum(axis=0)
        tied_b += (order_b == 0).sum(axis=0)
    return difference, tied_a, tied_b


def _order_at(scores: Floats, distance: int) -> NDArray[np.int8]:
    """Sign of each run's score less that of the run `distance` before it; along axis 0."""
    later, earlier = scores[distance:], scores[:-distance]
    return np.asarray((later > earlier).view(np.int8) - (later < earlier).view(np.int8))


def _checked_rankings(
    scores_a: ArrayLike, scores_b: ArrayLike, statistic: str
) -> tuple[Floats, Floats]:
    """Return two vectors of run scores as float arrays of one length, at least 2."""
    first, second = as_floats(scores_a, statistic), as_floats(scores_b, statistic)
    if first.ndim != 1 or first.shape != second.shape:
        raise ImpossibleStatisticError(
            f"{statistic} needs two scores for each run: the shapes are {first.shape} and"
            f" {second.shape}."
        )
    if first.size < 2:
        raise ImpossibleStatisticError(
            f"{statistic} needs at least 2 runs, and there are {first.size}."
        )
    for scores in (first, second):
        for run in np.flatnonzero(~np.isfinite(scores)):
            raise ImpossibleStatisticError(
                f"{statistic} needs finite scores, not {scores[run]} at run index {run}."
            )
    return first, second
