"""Agreement of two rankings of the same runs: Kendall's tau, and tau_AP, which weighs the top.

Runs are ranked by their :func:`run_means`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import resampled_means
from roundbook.statistics.score_matrix import Floats, Ints, as_floats, checked_scores
from roundbook.statistics.ties import without_rounding


@dataclass(frozen=True)
class RankAgreement:
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
class PublishedInterval:
    """The interval that papers print with Kendall's tau; its limits may pass -1 and 1."""

    low: float
    high: float


@dataclass(frozen=True)
class TauAp:
    """AP rank correlation of a ranking with a reference.

    Attributes
    ----------
    tau_ap : float or None
        From -1 to 1; None where all runs tie in one of the rankings.
    """

    tau_ap: float | None


def run_means(scores: ArrayLike, weights: Floats | None = None) -> Floats:
    """Mean of each run over the topics, equal where two differ by rounding only.

    Runs of a coarse measure such as P@10 often tie, and a sum of decimals in binary depends on the
    order of its terms: computed plainly, such means differ in their last bits and seem ranked. Here
    means that differ by at most 1e-12 of the largest absolute score are equal. For figures computed
    from means take plain ones.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells.
    weights : (resamples, topics) float array, optional
        From :func:`roundbook.statistics.bootstrap.topic_weights`, for the means in each resample.

    Returns
    -------
    (runs,) float array, or (resamples, runs) with weights

    Raises
    ------
    ImpossibleStatisticError
        If there is no topic or no run, or a cell without a finite score.

    Examples
    --------
    >>> scores = [[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]]
    >>> 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    False
    >>> first, second = run_means(scores)
    >>> bool(first == second)
    True
    """
    matrix = checked_scores(scores, "The mean of a run")
    means = resampled_means(matrix, np.ones((1, len(matrix))) if weights is None else weights)
    means = without_rounding(means, float(np.abs(matrix).max()))
    return np.asarray(means[0] if weights is None else means)


def kendall_tau(scores_a: ArrayLike, scores_b: ArrayLike) -> RankAgreement:
    """Kendall's tau-a and tau-b between two rankings of the same runs by their scores.

    Over the ``P = m (m - 1) / 2`` pairs of runs, with ``C`` in the same order, ``D`` in opposite
    order, and ``T_a``, ``T_b`` tied in either ranking: ``tau_a = (C - D) / P`` and
    ``tau_b = (C - D) / sqrt((P - T_a) (P - T_b))`` (Kendall, Rank Correlation Methods). Scores tie
    only if they are equal to the last bit: take run means from :func:`run_means`.

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
        int(count[0]) for count in pair_counts(first[:, np.newaxis], second[:, np.newaxis])
    )
    runs = first.size
    pairs = runs * (runs - 1) // 2
    _, sizes = np.unique(np.stack([first, second]), axis=1, return_counts=True)
    untied = pairs - tied_a - tied_b + int(np.sum(sizes * (sizes - 1) // 2))
    tau_b: float | None = None
    if pairs not in {tied_a, tied_b}:
        tau_b = difference / math.sqrt((pairs - tied_a) * (pairs - tied_b))
    return RankAgreement(
        difference / pairs,
        tau_b,
        (untied + difference) // 2,
        (untied - difference) // 2,
        tied_a,
        tied_b,
    )


def published_interval(tau: float, runs: int) -> PublishedInterval:
    """Interval ``tau +- 1.96 sqrt(2 (2m + 5) / (9 m (m - 1)))``, as printed in papers.

    The standard error is that of independent rankings without ties, whatever tau is (Sakai, AIRS
    2016, Table 1); the limits may therefore lie outside [-1, 1], where the approximation
    does not hold. Tau is rounded to three places first, to match print. For an interval about the
    agreement measured, see
    :func:`roundbook.statistics.ranking.bootstrap_intervals.bootstrap_tau`.

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
    >>> interval = published_interval(0.978, 14)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.585, 1.371)
    """
    if not -1 <= tau <= 1:
        raise ImpossibleStatisticError(f"Kendall's tau must lie between -1 and 1, not {tau}.")
    if not (2 <= runs < math.inf and runs == math.floor(runs)):
        raise ImpossibleStatisticError(
            f"The interval of Kendall's tau needs a whole number of runs of at least 2, not {runs}."
        )
    half = 1.96 * math.sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))
    rounded = round(float(tau), 3)
    return PublishedInterval(rounded - half, rounded + half)


def tau_ap(reference: ArrayLike, estimate: ArrayLike) -> TauAp:
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

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two runs, the lengths differ, or a score is not finite.

    Examples
    --------
    >>> top, bottom = tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    >>> round(top.tau_ap, 4), round(bottom.tau_ap, 4)
    (0.3333, 0.7778)
    """
    first, second = _checked_rankings(reference, estimate, "The AP rank correlation")
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return TauAp(None)
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
    return TauAp(float(np.clip(shares.sum() / (first.size - 1), -1.0, 1.0)))


def pair_counts(first: Floats, second: Floats) -> tuple[Ints, Ints, Ints]:
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
