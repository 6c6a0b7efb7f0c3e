"""Tests of single pairs of runs: the paired bootstrap, and the paired t test with Holm's method."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy
from numpy.typing import ArrayLike

from roundbook.statistics.bootstrap import topic_weights
from roundbook.statistics.score_matrix import Floats, ceiling, check_share
from roundbook.statistics.significance import holm_adjusted
from roundbook.statistics.studies.common import (
    MOST_BYTES,
    Mapped,
    Progress,
    check_trials,
    pairs,
    study_scores,
    tolerance,
)

_STUDY = "Discriminative power"
# Statistics that are equal in truth differ by rounding, relative to their size.
_RELATIVE = 1e-10
# A resample whose spread is a smaller share of its sum of squares holds one value only.
_NO_SPREAD = 1e-12


@dataclass(frozen=True, eq=False)
class BootstrapTest:
    """The paired bootstrap test of every pair of runs, not adjusted over pairs.

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
    """

    asl: Floats
    share: float
    needed: Floats
    needed_most: float | None
    needed_median: float | None


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
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.
    progress, mapped : callable
        Called with the pairs computed so far and their total; maps a function over spans of them.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`roundbook.statistics.studies.tukey.tukey_test`.

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
    estimated = needed[~np.isnan(needed)]
    return BootstrapTest(
        asl,
        float((asl < alpha).mean()),
        needed,
        float(estimated.max()) if estimated.size else None,
        float(np.median(estimated)) if estimated.size else None,
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
    draw : callable
        Gives the same resamples at each call, `trials` in all: chunks of how often each topic was
        drawn, each a (resamples, topics) float array.

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
    computed = 0
    for span_asl, span_needed in mapped(
        partial(_bootstrap_span, scores, draw, trials, alpha), spans
    ):
        span = slice(computed, computed + span_asl.size)
        asl[span], needed[span] = span_asl, span_needed
        computed += span_asl.size
        progress(computed, number)
    return asl, needed


def _bootstrap_span(
    scores: Floats, draw: Callable[[], Iterable[Floats]], trials: int, alpha: float, span: slice
) -> tuple[Floats, Floats]:
    """Return the ASL and the estimated difference of some of all pairs."""
    topics, runs = scores.shape
    rank = max(1, ceiling(alpha * trials))
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
    drawn = 0
    for weights in draw():
        part = slice(drawn, drawn + len(weights))
        means[:, part] = centred @ weights.T / topics
        ratios[:, part] = centred**2 @ weights.T
        drawn += len(weights)
    np.abs(means, out=means)
    sums = topics * means**2
    about_mean = ratios - sums
    # A sample without spread has an infinite ratio, or none where its mean is 0.
    has_spread = about_mean > _NO_SPREAD * ratios
    ratios.fill(np.inf)
    np.divide(sums, about_mean, out=ratios, where=has_spread)
    ratios[means <= slack] = 0.0
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


@dataclass(frozen=True, eq=False)
class PairedTTest:
    """The paired t test of every pair of runs, alone and among all pairs.

    Attributes
    ----------
    p_values, holm : (pairs,) float array
        Two-sided; alone, and adjusted over all pairs by Holm's method. 1 for identical runs.
    share, holm_share : float
        Of the pairs with such a p value below alpha.
    """

    p_values: Floats
    holm: Floats
    share: float
    holm_share: float


def paired_t_tests(scores: ArrayLike, *, alpha: float = 0.05) -> PairedTTest:
    """Paired t test of every pair of runs, two-sided with n - 1 dof, and Holm's method over pairs.

    Parameters
    ----------
    scores, alpha
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.

    Returns
    -------
    PairedTTest
        Pairs that differ by the same on every topic have p value 0, identical ones 1.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`roundbook.statistics.studies.tukey.tukey_test`.

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
        p_values[span] = 2 * scipy.special.stdtr(topics - 1, -t)
    holm = np.array(holm_adjusted(p_values.tolist()), dtype=np.float64)
    return PairedTTest(
        p_values, holm, float((p_values < alpha).mean()), float((holm < alpha).mean())
    )
