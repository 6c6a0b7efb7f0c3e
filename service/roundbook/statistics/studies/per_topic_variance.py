"""Per-topic variance: whether runs would rank alike if the documents of each list varied.

Average precision varies on one and the same topic with the documents that happen to be in the
collection. The lists of all runs are drawn again and again
(:mod:`roundbook.statistics.studies.resampled_precision`), and what becomes of the ranking and of
the significant pairs is counted (Yang, Zhang and Song, SIGIR 2018). Each list is drawn for itself,
while systems that search another collection would all see the same other documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from roundbook.statistics.score_matrix import Floats, ceiling, check_share
from roundbook.statistics.studies.common import (
    MOST_BYTES,
    PIECE,
    Mapped,
    Progress,
    check_trials,
    drawn_pieces,
    pairs,
    study_scores,
)
from roundbook.statistics.studies.drawn_rounds import AssessedLists, Drawing, Redrawing, draw_rounds
from roundbook.statistics.studies.single_pairs import paired_t_tests
from roundbook.statistics.studies.swap_rate import BINS, WIDTH

_STUDY = "Per-topic variance"
# As Yang, Zhang and Song draw, as far as they say.
PUBLISHED = Redrawing()
_ROUNDING = 1e-9


@dataclass(frozen=True)
class ErrorBin:
    """The comparisons whose simulated difference is of one size.

    Attributes
    ----------
    low : float
        The smallest difference of this bin; the last has no largest.
    count, errors : int
        Comparisons; those in which the other run is ahead than really.
    rate : float or None
        ``errors / count``; None without comparisons.
    """

    low: float
    count: int
    errors: int
    rate: float | None


@dataclass(frozen=True, eq=False)
class PerTopicVariance:
    """The variation of a round's average precision when its documents are drawn again.

    Attributes
    ----------
    scores : (topics, runs) float array
        Average precision of the lists as they are.
    means, sds : (topics, runs) float array
        Mean and sd (ddof 0) over the draws; 0 for lists without relevant documents.
    run_sds : (runs,) float array
        Sd (ddof 0) over the draws of the run means.
    taus : (trials,) float array
        Kendall's tau-b between the real run means and those of each draw; 0 if these all tie.
    krcc : float
        Mean of `taus`.
    error_rate : float
        Share of all comparisons in which the other run of a pair is ahead than really.
    bins : tuple of ErrorBin
        21 of width .01, by the simulated difference.
    rates : (pairs,) float array
        Significant draw rates: share of the draws in which the paired t test is significant.
    mean_rate : float
    never, always : float
        Shares of the pairs with a rate below alpha, and above 1 - alpha.
    significant : float
        Share of the pairs that differ significantly as they are, by the same test.
    largest_difference : float
        Between two real run means.
    needed : (pairs,) float array or None
        Difference of the means in the draw with the ceil(alpha trials)-th largest t (ED). None if
        that does not fit into memory.
    needed_most, needed_median : float or None
    needed_trials : int
        The first so many draws are what `needed` is of: all as a rule, fewer if the many largest t
        of all pairs would not fit into memory.
    topics_without_relevant, lists_without_relevant : int
        Topics without a relevant document, and lists that retrieve none: their average precision is
        0 in every draw.
    """

    scores: Floats
    means: Floats
    sds: Floats
    run_sds: Floats
    taus: Floats
    krcc: float
    error_rate: float
    bins: tuple[ErrorBin, ...]
    rates: Floats
    mean_rate: float
    never: float
    always: float
    significant: float
    largest_difference: float
    needed: Floats | None
    needed_most: float | None
    needed_median: float | None
    needed_trials: int
    topics_without_relevant: int
    lists_without_relevant: int


def per_topic_variance(
    lists: AssessedLists,
    how: Redrawing = PUBLISHED,
    *,
    trials: int = 1_000,
    seed: int = 0,
    mapped: Mapped = map,
    progress: Progress = lambda *_: None,
) -> PerTopicVariance:
    """Draw the lists of all runs again, each for itself, and compare the run means.

    Of each pair the real difference d and that of a draw d* are compared. An error is ``d d* < 0``;
    differences within :func:`roundbook.statistics.studies.common.tolerance` are 0. The t of a draw
    is that of the paired t test with n - 1 degrees of freedom, ``|d*| / (s / sqrt n)``, s the sd
    (ddof 1) over topics of the pair's differences.

    Parameters
    ----------
    lists : AssessedLists
        Of at least two runs and two topics; with finite scores for the model KDE.
    how : Redrawing
    trials : int
        B, up to a million.
    seed, progress, mapped
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or runs, all runs tie on every topic, or a number is out
        of range.

    Examples
    --------
    Two runs on two topics with one relevant document each, which the first has at rank 1 and the
    second at rank 2 of two:

    >>> lists = AssessedLists(
    ...     lengths=np.full((2, 2), 2),
    ...     relevant=np.array([1, 1]),
    ...     run=np.array([0, 0, 1, 1]),
    ...     topic=np.array([0, 1, 0, 1]),
    ...     rank=np.array([1, 1, 2, 2]),
    ... )
    >>> variance = per_topic_variance(lists, trials=2_000)
    >>> variance.scores.tolist()
    [[1.0, 0.5], [1.0, 0.5]]
    >>> round(float(variance.means[0, 0]), 1)
    0.6
    """
    check_trials(trials, seed)
    check_share(how.alpha, "Alpha")
    lists = lists.cut(how.depth)
    scores = study_scores(lists.average_precision(), _STUDY)
    topics, runs = scores.shape
    first, _ = pairs(runs)
    # The values kept for a pair; two pieces of trials need memory besides.
    most_kept = MOST_BYTES // 2 // (8 * first.size) - 2 * PIECE
    needed_trials = min(trials, max(0, math.floor(most_kept / how.alpha)))
    needed_rank = ceiling(how.alpha * needed_trials)
    largest = np.empty((0, 0), dtype=np.complex64)
    if needed_rank:
        largest = np.full((first.size, PIECE + needed_rank), -1.0, dtype=np.complex64)

    drawing = Drawing(lists, scores, how, needed_rank > 0)
    sums = np.zeros((2, topics, runs))
    run_sums = np.zeros((2, runs))
    reached, bins = np.zeros(first.size, dtype=np.int64), np.zeros((2, BINS), dtype=np.int64)
    taus: list[Floats] = []
    drawn = 0
    for piece in drawn_pieces(partial(draw_rounds, drawing), seed, trials, progress, mapped):
        sums += piece.sums
        run_sums += piece.run_sums
        reached += piece.significant
        bins += piece.bins
        taus.append(piece.taus)
        counted = min(piece.taus.size, needed_trials - drawn)
        if counted > 0:
            largest[:, :PIECE] = -1.0
            largest[:, :counted] = piece.tests[:counted].T
            largest.partition(PIECE, axis=1)
        drawn += piece.taus.size

    shift, square = sums / trials
    run_shift, run_square = run_sums / trials
    rates = reached / trials
    needed = np.abs(largest[:, PIECE].imag).astype(np.float64) if needed_rank else None
    has_relevant = np.zeros(scores.shape, dtype=bool)
    has_relevant[lists.topic, lists.run] = True
    krcc = np.concatenate(taus)
    return PerTopicVariance(
        scores=scores,
        means=scores + shift,
        sds=np.sqrt(np.maximum(square - shift**2, 0)),
        run_sds=np.sqrt(np.maximum(run_square - run_shift**2, 0)),
        taus=krcc,
        krcc=float(krcc.mean()),
        error_rate=int(bins[1].sum()) / (trials * first.size),
        bins=tuple(
            ErrorBin(round(number * WIDTH, 9), count, errors, errors / count if count else None)
            for number, (count, errors) in enumerate(bins.T.tolist())
        ),
        rates=rates,
        mean_rate=float(rates.mean()),
        never=float((rates < how.alpha - _ROUNDING).mean()),
        always=float((rates > 1 - how.alpha + _ROUNDING).mean()),
        significant=paired_t_tests(scores, alpha=how.alpha).share,
        largest_difference=float(np.ptp(scores.mean(axis=0))),
        needed=needed,
        needed_most=None if needed is None else float(needed.max()),
        needed_median=None if needed is None else float(np.median(needed)),
        needed_trials=needed_trials,
        topics_without_relevant=int((lists.relevant == 0).sum()),
        lists_without_relevant=int((~has_relevant).sum()),
    )
