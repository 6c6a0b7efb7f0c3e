"""The topic bootstrap of the agreement between two rankings of the same runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import check_resampling, percentile_interval, topic_weights
from roundbook.statistics.ranking.agreement import pair_counts, run_means
from roundbook.statistics.score_matrix import Floats, checked_scores


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


def bootstrap_tau(
    scores_a: ArrayLike,
    scores_b: ArrayLike,
    *,
    resamples: int = 2_000,
    level: float = 0.95,
    seed: int = 0,
    progress: Callable[[int], object] = lambda _: None,
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
        Called with the number of resamples computed so far.

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
        progress(computed)
    resampled = np.concatenate(chunks)
    low, high = percentile_interval(resampled, level) if resampled.size else (None, None)
    return TauInterval(
        low,
        high,
        float(whole[0]) if whole.size else None,
        resamples - resampled.size,
    )


def _correlations(scores_a: Floats, scores_b: Floats, weights: Floats) -> Floats:
    """Tau-b in the resamples that have one."""
    first, second = (
        np.ascontiguousarray(run_means(scores, weights).T) for scores in (scores_a, scores_b)
    )
    difference, tied_a, tied_b = pair_counts(first, second)
    pairs = first.shape[0] * (first.shape[0] - 1) // 2
    untied = (pairs - tied_a) * (pairs - tied_b)
    return np.asarray(difference[untied > 0] / np.sqrt(untied[untied > 0]))
