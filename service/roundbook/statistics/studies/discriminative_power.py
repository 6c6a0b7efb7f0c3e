"""Discriminative power: how many pairs of runs a round's scores tell apart, and which.

Three tests of all pairs: the randomised Tukey HSD test, whose error rate holds for all pairs at
once, the paired bootstrap test, each pair for itself, and the paired t test with Holm's method.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from roundbook.statistics.bootstrap import topic_weights
from roundbook.statistics.significance.two_sample_tests import holm_adjusted
from roundbook.statistics.studies.common import (
    CACHED_CELLS,
    MOST_BYTES,
    Floats,
    Mapped,
    Piece,
    Progress,
    check_share,
    check_trials,
    pair_differences,
    pairs,
    pieces,
    study_scores,
    tolerance,
)

_STUDY = "Discriminative power"
# Statistics that are equal in truth differ by rounding, relative to their size.
_RELATIVE = 1e-10
# A resample whose spread is a smaller share of its sum of squares holds one value only.
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class TukeyTest:
    """The randomised Tukey HSD test of all pairs of runs.

    Attributes
    ----------
    differences : (pairs,) float array
        Mean of the first run minus mean of the second, in the unit of the scores.
    p_values : (pairs,) float array
        In steps of 1 / trials; 0 says less than that.
    significant : (pairs,) bool array
        Which p values are below alpha.
    share : float
        Of the pairs that are significant: the discriminative power.
    critical_difference : float or None
        Pairs whose means differ by more are significant. None with so few trials that no pair can
        be.
    trials, alpha, seed, plus_one
        The input.
    """

    differences: Floats
    p_values: Floats
    significant: NDArray[np.bool_]
    share: float
    critical_difference: float | None
    trials: int
    alpha: float
    seed: int
    plus_one: bool


@dataclass(frozen=True, eq=False)
class BootstrapTest:
    """The paired bootstrap test of every pair of runs for itself.

    Attributes
    ----------
    asl : (pairs,) float array
        Achieved significance levels, in steps of 1 / trials; 1 for identical runs.
    share : float
        Of the pairs with an ASL below alpha.
    needed : (pairs,) float array
        Estimated difference of the means that is significant at alpha, in the unit of the scores;
        NaN for pairs that differ by the same on every topic, or on none.
    needed_most, needed_median : float or None
        Largest and median of them; None where no pair has one.
    trials, alpha, seed
        The input.
    """

    asl: Floats
    share: float
    needed: Floats
    needed_most: float | None
    needed_median: float | None
    trials: int
    alpha: float
    seed: int


@dataclass(frozen=True, eq=False)
class PairedTTest:
    """The paired t test of every pair of runs, alone and among all pairs.

    Attributes
    ----------
    p_values, holm : (pairs,) float array
        Two-sided; alone, and adjusted over all pairs by Holm's method. 1 for identical runs.
    share, holm_share : float
        Of the pairs with such a p value below alpha.
    alpha
        The input.
    """

    p_values: Floats
    holm: Floats
    share: float
    holm_share: float
    alpha: float


def tukey_test(
    scores: ArrayLike,
    *,
    trials: int = 10_000,
    alpha: float = 0.05,
    seed: int = 0,
    plus_one: bool = False,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> TukeyTest:
    """Randomised Tukey HSD test of all pairs of runs (Carterette, TOIS 2012).

    In each trial the scores of every topic are permuted over the runs, each topic for itself, and
    ``d*`` is the largest mean of a run minus the smallest. ``p = #{d* >= |mean_i - mean_k|} / B``,
    where means closer than :func:`roundbook.statistics.studies.common.tolerance` are equal. The
    chance that any pair is significant though no runs differ is alpha. The critical difference is
    the ``ceil(alpha B)``-th largest ``d*``.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        On any one scale; at least two topics and two runs, no missing cells.
    trials : int
        B, up to a million.
    alpha : float
        In (0, 1); `significant` is strictly below.
    seed : int
        Not negative.
    plus_one : bool
        Whether the p value counts the matrix itself as a trial: ``(count + 1) / (B + 1)``.
    progress : callable
        Told how many trials of how many are done.
    mapped : callable
        Does the work of the trials, a piece at a time, as `map` does.

    Returns
    -------
    TukeyTest

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or runs, a cell has no finite score, all runs tie on
        every topic, or trials, alpha or seed are out of range.

    Examples
    --------
    >>> test = tukey_test([[0.7, 0.5], [0.3, 0.1], [0.4, 0.2], [0.9, 0.6]], trials=1000)
    >>> test.differences.round(3).tolist(), bool(0.1 < test.p_values[0] < 0.15)
    ([0.225], True)
    """
    matrix = study_scores(scores, _STUDY)
    check_trials(trials, seed)
    check_share(alpha, "Alpha")
    largest = np.empty(trials)
    done = 0
    for some in mapped(partial(largest_differences, matrix), pieces(seed, trials)):
        largest[done : done + some.size] = some
        done += some.size
        progress(done, trials)
    differences = pair_differences(matrix.mean(axis=0))
    reached = count_reaching(differences, largest, tolerance(matrix))
    # Rounded first: the product of a decimal alpha lands a few bits beside a whole number.
    rank = math.ceil(round(alpha * (trials + plus_one) - plus_one, 6))
    significant = reached < rank
    return TukeyTest(
        differences,
        (reached + plus_one) / (trials + plus_one),
        significant,
        float(significant.mean()),
        float(np.partition(largest, -rank)[-rank]) if rank >= 1 else None,
        trials,
        alpha,
        seed,
        plus_one,
    )


def share_limits(test: TukeyTest) -> tuple[float, float]:
    """Limits of the share of significant pairs that other draws of the permutations would give.

    Of B trials the rank of the critical difference is ``alpha B``, give or take ``1.96 sqrt(B alpha
    (1 - alpha))``: a pair with so many more or fewer trials above it might be on either side with
    another seed. They say how exact the permutations are, and nothing of other topics.

    Parameters
    ----------
    test : TukeyTest

    Returns
    -------
    low, high : float
        In about 95% of cases the share of infinitely many trials is between them.

    Examples
    --------
    >>> toy = [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1], [0.4, 0.4, 0.3]]
    >>> [round(limit, 2) for limit in share_limits(tukey_test(toy, trials=200))]
    [0.0, 0.33]
    """
    margin = 1.96 * math.sqrt(test.alpha * (1 - test.alpha) / test.trials)
    low, high = ((test.p_values < test.alpha + by).mean() for by in (-margin, margin))
    return float(low), float(high)


def largest_differences(scores: Floats, piece: Piece) -> Floats:
    """Permute each topic's scores over the runs; return the largest difference of two run means.

    Parameters
    ----------
    scores : (topics, runs) float array
    piece : (numpy.random.Generator, int)
        And how many trials.

    Returns
    -------
    (trials,) float array
    """
    generator, trials = piece
    topics, runs = scores.shape
    # The order of random numbers is a random permutation. Each carries its run in its last bits,
    # so that sorting the numbers themselves, which is quicker than finding their order, tells it.
    run = np.arange(runs, dtype=np.uint64)
    run_bits = np.uint64((1 << (runs - 1).bit_length()) - 1)
    sums = np.zeros((trials, runs))
    block = max(1, CACHED_CELLS // (trials * runs))
    for start in range(0, topics, block):
        rows = scores[start : start + block]
        keys = generator.integers(2**64, size=(len(rows), trials, runs), dtype=np.uint64)
        keys &= ~run_bits
        keys |= run
        keys.sort(axis=2)
        keys &= run_bits
        for row, permuted in zip(rows, keys.view(np.int64), strict=True):
            sums += row.take(permuted)
    return np.asarray((sums.max(axis=1) - sums.min(axis=1)) / topics)


def count_reaching(differences: Floats, largest: Floats, slack: float) -> NDArray[np.int64]:
    """Count for each pair the trials whose largest difference is not below the pair's.

    Parameters
    ----------
    differences : (pairs,) float array
    largest : (trials,) float array
    slack : float
        By how much equal means may differ.

    Returns
    -------
    (pairs,) int array
    """
    below = np.searchsorted(np.sort(largest), np.abs(differences) - slack, side="left")
    return np.asarray(largest.size - below)


def asl_curve(p_values: Floats, most: int = 200) -> Floats:
    """P values in descending order, the curve that papers draw, thinned to at most `most` of them.

    The nearer the curve is to the origin, the more pairs are told apart.

    Parameters
    ----------
    p_values : (pairs,) float array
    most : int
        With more pairs the values are at evenly spaced ranks, of which the first and the last are.

    Returns
    -------
    (min(pairs, most),) float array
    """
    falling = np.sort(p_values)[::-1]
    if falling.size <= most:
        return falling
    return np.asarray(falling[np.linspace(0, falling.size - 1, most).round().astype(int)])


def bootstrap_test(
    scores: ArrayLike,
    *,
    trials: int = 1_000,
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> BootstrapTest:
    """Paired bootstrap test of every pair of runs (Sakai, SIGIR 2006); not adjusted over pairs.

    With the differences ``z`` of a pair, their mean and sd (ddof 1), ``t = |mean| / (sd / sqrt
    n)``. The same B samples of n topics, drawn with replacement, serve all pairs: each gives a
    ``t*`` of ``w = z - mean``. ``ASL = #{t* >= t} / B``. A sample without spread has ``t* = 0``
    where its mean is 0, else infinity, which counts. The estimated difference is the ``|mean of
    w|`` of the first sample that has the ``ceil(alpha B)``-th largest ``t*``.

    Parameters
    ----------
    scores, trials, alpha, seed
        As for :func:`tukey_test`.
    progress : callable
        Told how many pairs of how many are done.
    mapped : callable
        Does the work of the pairs, a piece at a time, as `map` does.

    Returns
    -------
    BootstrapTest

    Raises
    ------
    ImpossibleStatisticError
        As :func:`tukey_test`.

    Examples
    --------
    >>> toy = [[0.7, 0.5], [0.3, 0.1], [0.2, 0.0], [0.6, 0.2], [0.4, 0.4]]
    >>> test = bootstrap_test(toy)
    >>> test.share, test.needed_most == test.needed_median
    (1.0, True)
    """
    matrix = study_scores(scores, _STUDY)
    check_trials(trials, seed)
    check_share(alpha, "Alpha")
    draw = partial(topic_weights, len(matrix), trials, seed)
    asl, needed = bootstrap_pairs(matrix, draw, trials, alpha, progress, mapped)
    some = needed[~np.isnan(needed)]
    return BootstrapTest(
        asl,
        float((asl < alpha).mean()),
        needed,
        float(some.max()) if some.size else None,
        float(np.median(some)) if some.size else None,
        trials,
        alpha,
        seed,
    )


def bootstrap_pairs(
    scores: Floats,
    draw: Callable[[], Iterable[Floats]],
    trials: int,
    alpha: float,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> tuple[Floats, Floats]:
    """Achieved significance level and estimated difference of every pair, from given resamples.

    Parameters
    ----------
    scores : (topics, runs) float array
    draw : callable
        Gives the same resamples at each call: chunks of how often each topic was drawn, each a
        (resamples, topics) float array.
    trials : int
        Resamples in all.
    alpha : float
    progress : callable
        Told how many pairs of how many are done.
    mapped : callable
        Does the work of the pairs, a piece at a time, as `map` does.

    Returns
    -------
    asl, needed : (pairs,) float array
        See :class:`BootstrapTest`.
    """
    topics, runs = scores.shape
    number = runs * (runs - 1) // 2
    # Some ten arrays of this size are there at a time.
    chunk = max(1, MOST_BYTES // (8 * max(trials, topics)) // 10)
    spans = (slice(start, min(start + chunk, number)) for start in range(0, number, chunk))
    asl, needed = np.empty((2, number))
    done = 0
    for some, of_some in mapped(partial(_bootstrap_span, scores, draw, trials, alpha), spans):
        span = slice(done, done + some.size)
        asl[span], needed[span] = some, of_some
        done += some.size
        progress(done, number)
    return asl, needed


def _bootstrap_span(
    scores: Floats,
    draw: Callable[[], Iterable[Floats]],
    trials: int,
    alpha: float,
    span: slice,
) -> tuple[Floats, Floats]:
    """Return the ASL and the estimated difference of some of all pairs."""
    topics, runs = scores.shape
    rank = math.ceil(round(alpha * trials, 6))
    slack = tolerance(scores)
    first, second = (of_pairs[span] for of_pairs in pairs(runs))
    # Topics last, as a pair's differences are gone through together.
    differences = (scores[:, first] - scores[:, second]).T
    mean = differences.mean(axis=1)
    centred = differences - mean[:, np.newaxis]
    centred[np.abs(centred).max(axis=1) <= slack] = 0.0
    square = np.einsum("pj,pj->p", centred, centred)
    # The ratios n mean^2 / sum of squares rank as t does, and t as a sample's t*.
    means = np.empty((len(mean), trials))
    ratios = np.empty_like(means)
    done = 0
    for weights in draw():
        part = slice(done, done + len(weights))
        means[:, part] = centred @ weights.T / topics
        ratios[:, part] = centred**2 @ weights.T
        done += len(weights)
    np.abs(means, out=means)
    _divide(topics * means**2, ratios, means <= slack, out=ratios)
    spread = square > 0
    mean[np.abs(mean) <= slack] = 0.0
    observed = np.full(len(mean), np.inf)
    np.divide(topics * mean**2, square, out=observed, where=spread)
    reached = (ratios >= observed[:, np.newaxis] * (1 - _RELATIVE)).sum(axis=1)
    asl = np.where(~spread & (mean == 0), 1.0, reached / trials)
    limit = np.partition(ratios, trials - rank, axis=1)[:, trials - rank]
    tied = (ratios >= limit[:, np.newaxis] * (1 - _RELATIVE)) & (
        ratios <= limit[:, np.newaxis] * (1 + _RELATIVE)
    )
    at_limit = means[np.arange(len(mean)), tied.argmax(axis=1)]
    return asl, np.where(spread, at_limit, np.nan)


def _divide(sums: Floats, squares: Floats, no_mean: NDArray[np.bool_], *, out: Floats) -> None:
    """Divide n mean^2 by the sum of squares about the mean, infinite where a sample has no spread.

    `squares` is the sum of squares about 0.
    """
    about_mean = squares - sums
    no_spread = about_mean <= _NO_SPREAD * squares
    out.fill(np.inf)
    np.divide(sums, about_mean, out=out, where=~no_spread)
    out[no_mean] = 0.0


def paired_t_tests(scores: ArrayLike, *, alpha: float = 0.05) -> PairedTTest:
    """Paired t test of every pair of runs, two-sided with n - 1 dof, and Holm's method over pairs.

    Parameters
    ----------
    scores, alpha
        As for :func:`tukey_test`.

    Returns
    -------
    PairedTTest
        Pairs that differ by the same on every topic have p value 0, identical ones 1.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`tukey_test`.

    Examples
    --------
    >>> test = paired_t_tests([[0.7, 0.5], [0.3, 0.1], [0.4, 0.2], [0.9, 0.6]])
    >>> test.p_values.round(4).tolist()
    [0.0029]
    """
    matrix = study_scores(scores, _STUDY)
    check_share(alpha, "Alpha")
    topics, runs = matrix.shape
    first, second = pairs(runs)
    slack = tolerance(matrix)
    p_values = np.empty(first.size)
    chunk = max(1, MOST_BYTES // (8 * topics) // 8)
    for start in range(0, first.size, chunk):
        span = slice(start, start + chunk)
        differences = matrix[:, first[span]] - matrix[:, second[span]]
        mean = differences.mean(axis=0)
        centred = differences - mean
        sd = np.sqrt(np.einsum("jp,jp->p", centred, centred) / (topics - 1))
        sd[np.abs(centred).max(axis=0) <= slack] = 0.0
        t = np.where(np.abs(mean) <= slack, 0.0, np.inf)
        np.divide(np.abs(mean), sd / math.sqrt(topics), out=t, where=sd > 0)
        p_values[span] = 2 * stdtr(topics - 1, -t)
    holm = np.array(holm_adjusted(p_values.tolist()), dtype=np.float64)
    return PairedTTest(
        p_values, holm, float((p_values < alpha).mean()), float((holm < alpha).mean()), alpha
    )
