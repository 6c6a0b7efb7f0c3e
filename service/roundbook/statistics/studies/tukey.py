"""The randomised Tukey HSD test of all pairs of runs, at one error rate for all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import Bools, Floats, Ints, ceiling, check_share
from roundbook.statistics.studies.common import (
    CACHED_CELLS,
    Mapped,
    Piece,
    Progress,
    check_trials,
    drawn_pieces,
    pair_differences,
    study_scores,
    tolerance,
)

_STUDY = "Discriminative power"
_MOST_OF_CURVE = 200


@dataclass(frozen=True, eq=False)
class TukeyTest:
    """The randomised Tukey HSD test of all pairs of runs.

    Attributes
    ----------
    differences : (pairs,) float array
        Mean of the first run minus mean of the second, in the unit of the scores.
    p_values : (pairs,) float array
        In steps of 1 / trials; 0 means less than one step.
    significant : (pairs,) bool array
        Which p values are below alpha.
    share : float
        Of the pairs that are significant: the discriminative power.
    critical_difference : float or None
        Pairs whose means differ by more are significant. None with so few trials that no pair can
        be.
    trials, alpha
        The input.
    """

    differences: Floats
    p_values: Floats
    significant: Bools
    share: float
    critical_difference: float | None
    trials: int
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
    chance that any pair is significant is alpha if the runs are exchangeable; if their means alone
    are equal, it is larger where some scatter more than others or many are near-copies. The
    critical difference is the ``ceil(alpha B)``-th largest ``d*``.

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
    progress, mapped : callable
        Called with the trials computed so far and their total; maps a function over pieces of them.

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
    permute = partial(largest_differences, matrix)
    largest = np.concatenate([*drawn_pieces(permute, seed, trials, progress, mapped)])
    differences = pair_differences(matrix.mean(axis=0))
    reached = count_reaching(differences, largest, tolerance(matrix))
    rank = ceiling(alpha * (trials + plus_one) - plus_one)
    significant = reached < rank
    return TukeyTest(
        differences,
        (reached + plus_one) / (trials + plus_one),
        significant,
        float(significant.mean()),
        float(np.partition(largest, -rank)[-rank]) if rank >= 1 else None,
        trials,
        alpha,
    )


def share_limits(test: TukeyTest) -> tuple[float, float]:
    """Limits of the share of significant pairs that other draws of the permutations would give.

    Of B trials the rank of the critical difference is ``alpha B``, give or take ``1.96 sqrt(B alpha
    (1 - alpha))``: a pair with so many more or fewer trials above it might be on either side with
    another seed. They reflect the number of trials alone, and do not cover other topics.

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

    (topics, runs) scores give one difference for each trial of the piece.
    """
    generator, trials = piece
    topics, runs = scores.shape
    # The order of random numbers is a random permutation. Each number has its run in its last bits,
    # so that sorting the numbers gives it, which is quicker than an argsort.
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


def count_reaching(differences: Floats, largest: Floats, slack: float) -> Ints:
    """Count for each of (pairs,) differences the trials whose largest one is not below it.

    Equal means may differ by `slack`.
    """
    below = np.searchsorted(np.sort(largest), np.abs(differences) - slack, side="left")
    return np.asarray(largest.size - below)


def asl_curve(p_values: Floats) -> Floats:
    """P values in descending order, the curve that papers draw, thinned to at most 200 of them.

    The nearer the curve is to the origin, the more pairs differ significantly. With more than 200
    pairs the values are those at evenly spaced ranks, the first and the last included.
    """
    falling = np.sort(p_values)[::-1]
    if falling.size <= _MOST_OF_CURVE:
        return falling
    ranks = np.linspace(0, falling.size - 1, _MOST_OF_CURVE).round().astype(int)
    return np.asarray(falling[ranks])
