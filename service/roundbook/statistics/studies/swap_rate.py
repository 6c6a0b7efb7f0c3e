"""Swap rate: how often a difference between two runs reverses on other topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import resampled_means
from roundbook.statistics.score_matrix import Floats, Ints, check_share
from roundbook.statistics.studies.common import (
    CACHED_CELLS,
    Mapped,
    Piece,
    Progress,
    check_trials,
    drawn_pieces,
    pairs,
    study_scores,
    tolerance,
)
from roundbook.statistics.t_interval import t_limits
from roundbook.statistics.variance.residual import residual_variance

BINS = 21
WIDTH = 0.01
WIDTH_IN_SDS = 0.05
_OUTCOMES = 3
# A difference of .03 in bins of .01 belongs to the bin that begins there.
_EDGE = 1e-9


@dataclass(frozen=True)
class SwapBin:
    """The comparisons whose difference on the first topics is of one size.

    Attributes
    ----------
    low : float
        The smallest difference of this bin; the last has no largest.
    count, swaps, ties : int
        Comparisons; those whose sign on the other topics is the opposite; those without difference
        on either topics.
    rate : float or None
        ``swaps / count``; None without comparisons.
    """

    low: float
    count: int
    swaps: int
    ties: int
    rate: float | None


@dataclass(frozen=True)
class SwapsBySize:
    """Swaps by the size of the difference, and how large it must be.

    Attributes
    ----------
    bins : tuple of SwapBin
        21 of one width.
    needed_difference : float or None
        Where the first bin begins that has, as all later ones with comparisons, a rate of at most
        `level`; None without such a bin.
    sensitivity : float or None
        Share of the comparisons that differ by as much; None without needed difference.
    """

    bins: tuple[SwapBin, ...]
    needed_difference: float | None
    sensitivity: float | None


@dataclass(frozen=True)
class SwapRate(SwapsBySize):
    """The swap rate, with bins in the unit of the scores and in sds.

    Attributes
    ----------
    overall : float
        Swaps of all comparisons; free of the scale's width.
    overall_low, overall_high : float or None
        95% limits of what infinitely many trials on these topics would give, by how the pieces of
        the trials differ; None of a single piece. They do not cover other topics.
    ties : float
        Comparisons without difference on either topics, of all.
    sd : float or None
        The unit of `in_sds`, the square root of the residual variance; None where that is 0.
    in_sds : SwapsBySize or None
        The same by differences in these units.
    comparisons : int
        Pairs of runs times trials.
    topics, runs : int
        Size of the matrix.
    topics_each : int
        How many topics each side of a comparison has, which the rates are about.
    with_replacement, trials, level, seed
        The input.
    """

    overall: float
    overall_low: float | None
    overall_high: float | None
    ties: float
    sd: float | None
    in_sds: SwapsBySize | None
    comparisons: int
    topics: int
    runs: int
    topics_each: int
    with_replacement: bool
    trials: int
    level: float
    seed: int


def swap_rate(
    scores: ArrayLike,
    *,
    trials: int = 1_000,
    level: float = 0.05,
    seed: int = 0,
    topics_each: int | None = None,
    with_replacement: bool = False,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> SwapRate:
    """Swap rate of all pairs of runs between disjoint halves of the topics.

    In each trial the topics are shuffled; the first h are Q, the next h Q' (Voorhees and Buckley,
    SIGIR 2002, without their extrapolation). With a pair's mean differences d on Q and d' on Q', it
    swaps if ``d d' < 0`` and ties if either is 0, up to
    :func:`roundbook.statistics.studies.common.tolerance`; a tie is no swap. Comparisons are binned
    by ``|d|``, once in the unit of the scores (width .01, the last bin from .20) and once in units
    of ``sqrt(V_E)`` of this matrix (width .05, the last from 1). Trials and pairs depend on each
    other: there is no binomial interval for a rate.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        On any one scale; at least four topics and two runs, no missing cells.
    trials, seed, progress, mapped
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.
    level : float
        Largest rate that the needed difference may have, in (0, 1).
    topics_each : int, optional
        h; ``topics // 2`` by default, and no more. Not with `with_replacement`.
    with_replacement : bool
        Take for Q and Q' two samples of all n topics, drawn with replacement (Sakai, SIGIR 2006).
        They overlap, so that the rates are lower: never compare them with those of halves.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than four topics or two runs, a cell has no finite score, all runs tie on
        every topic, or trials, level, seed or `topics_each` are out of range.

    Examples
    --------
    >>> swaps = swap_rate([[0.7, 0.5], [0.3, 0.1], [0.4, 0.2], [0.9, 0.7]])
    >>> swaps.overall, swaps.needed_difference, swaps.bins[20].count
    (0.0, 0.2, 1000)
    """
    matrix = study_scores(scores, "The swap rate", least_topics=4)
    check_trials(trials, seed)
    check_share(level, "The level of a swap rate")
    topics, runs = matrix.shape
    if with_replacement and topics_each is not None:
        raise ImpossibleStatisticError(
            "Samples with replacement are of all topics: their number is nothing to choose."
        )
    half = None if with_replacement else topics_each or topics // 2
    if half is not None and not 1 <= half <= topics // 2:
        raise ImpossibleStatisticError(
            f"Two disjoint halves of {topics} topics have 1 to {topics // 2} each, not {half}."
        )
    sd = math.sqrt(residual_variance(matrix))
    sd = sd if sd > tolerance(matrix) else 0.0
    counts = np.zeros((BINS, BINS, _OUTCOMES), dtype=np.int64)
    rates = []
    count = partial(_count_piece, matrix, half, sd)
    for piece_counts in drawn_pieces(count, seed, trials, progress, mapped):
        counts += piece_counts
        rates.append(piece_counts[..., 1].sum() / piece_counts.sum())
    by_size = swaps_by_size(counts.sum(axis=1), WIDTH, level)
    comparisons = int(counts.sum())
    overall = int(counts[..., 1].sum()) / comparisons
    low, high = _limits(overall, np.array(rates))
    return SwapRate(
        **vars(by_size),
        overall=overall,
        overall_low=low,
        overall_high=high,
        ties=int(counts[..., 2].sum()) / comparisons,
        sd=sd or None,
        in_sds=swaps_by_size(counts.sum(axis=0), WIDTH_IN_SDS, level) if sd else None,
        comparisons=comparisons,
        topics=topics,
        runs=runs,
        topics_each=half or topics,
        with_replacement=with_replacement,
        trials=trials,
        level=level,
        seed=seed,
    )


def _count_piece(scores: Floats, half: int | None, sd: float, piece: Piece) -> Ints:
    """Count the swaps between halves of so many topics, or between samples with replacement."""
    generator, trials = piece
    topics = len(scores)
    if half is None:
        samples = generator.multinomial(topics, np.full(topics, 1 / topics), (2, trials))
        first, second = samples.astype(np.float64)
    else:
        order = np.argsort(generator.random((trials, topics)), axis=1)
        first, second = np.zeros((2, trials, topics))
        np.put_along_axis(first, order[:, :half], topics / half, axis=1)
        np.put_along_axis(second, order[:, half : 2 * half], topics / half, axis=1)
    return count_swaps(scores, first, second, sd)


def count_swaps(scores: Floats, first: Floats, second: Floats, sd: float = 0.0) -> Ints:
    """Return counts of comparisons by the size of the difference and by outcome.

    Parameters
    ----------
    first, second : (trials, topics) float array
        How much each topic counts in Q and in Q'; rows sum to `topics`.
    sd : float
        The other unit of the differences; 0 puts all into the first of its bins.

    Returns
    -------
    (21, 21, 3) int array
        Bins in the unit of the scores, bins in sds, and outcomes: neither, swap, tie.
    """
    # Runs first, so that the runs of a pair are rows to be subtracted.
    first_means, second_means = (
        np.ascontiguousarray(resampled_means(scores, weights).T) for weights in (first, second)
    )
    first_run, second_run = pairs(len(first_means))
    slack = tolerance(scores)
    counts = np.zeros(BINS * BINS * _OUTCOMES, dtype=np.int64)
    chunk = max(1, CACHED_CELLS // 4 // len(first))
    for start in range(0, first_run.size, chunk):
        left, right = first_run[start : start + chunk], second_run[start : start + chunk]
        difference = first_means[left]
        difference -= first_means[right]
        second_difference = second_means[left]
        second_difference -= second_means[right]
        swapped = difference * second_difference < 0
        size = np.abs(difference, out=difference)
        tied = np.minimum(size, np.abs(second_difference, out=second_difference)) < slack
        size[size < slack] = 0.0
        codes = difference_bins(size, WIDTH)
        codes *= BINS
        if sd:
            codes += difference_bins(size, WIDTH_IN_SDS * sd)
        codes *= _OUTCOMES
        codes += swapped & ~tied
        codes += tied
        codes += tied
        counts += np.bincount(codes.ravel(), minlength=counts.size)
    return counts.reshape(BINS, BINS, _OUTCOMES)


def swaps_by_size(counts: Ints, width: float, level: float) -> SwapsBySize:
    """Return the rates of the bins, and the difference from which on none exceeds a level.

    `counts` are (21, 3): bins of a width, and outcomes: neither, swap, tie.
    """
    bins = tuple(
        SwapBin(
            # The decimal that is meant, 0.15, and not 0.15000000000000002.
            round(number * width, 9),
            (count := int(outcomes.sum())),
            int(outcomes[1]),
            int(outcomes[2]),
            int(outcomes[1]) / count if count else None,
        )
        for number, outcomes in enumerate(counts)
    )
    needed: int | None = None
    for number in reversed(range(BINS)):
        rate = bins[number].rate
        if rate is not None:
            if rate > level:
                break
            needed = number
    if needed is None:
        return SwapsBySize(bins, None, None)
    return SwapsBySize(bins, bins[needed].low, int(counts[needed:].sum()) / int(counts.sum()))


def _limits(overall: float, rates: Floats) -> tuple[float, float] | tuple[None, None]:
    if rates.size < 2:
        return None, None
    error = float(rates.std(ddof=1)) / math.sqrt(rates.size)
    low, high = t_limits(overall, error, rates.size - 1, 0.95)
    return max(0.0, low), min(1.0, high)


def difference_bins(size: Floats, width: float) -> NDArray[np.int16]:
    """Return the bin of each difference, given without its sign."""
    bins = size * (1 / width)
    bins += _EDGE
    return np.minimum(bins, BINS - 1, out=bins).astype(np.int16)
