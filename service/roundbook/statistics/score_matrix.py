"""Types of arrays, and checks of score matrices and parameters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import LARGEST_SCORE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
AnyInts = NDArray[np.integer]
Bools = NDArray[np.bool_]


def as_floats(scores: ArrayLike, statistic: str) -> Floats:
    """Return `scores` as a float array; raise ImpossibleStatisticError unless they are numbers."""
    try:
        return np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ImpossibleStatisticError(
            f"{statistic} needs scores that are numbers ({error})."
        ) from error


def checked_scores(
    scores: ArrayLike, statistic: str, *, least_topics: int = 1, least_runs: int = 1
) -> Floats:
    """Return `scores` as a complete, finite score matrix.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        In the measure's own unit. The memory layout is kept and nothing is copied if avoidable.
    statistic : str
        What the scores are for, as a noun phrase: it begins the error message.
    least_topics, least_runs : int
        The smallest matrix for which `statistic` exists.

    Returns
    -------
    (topics, runs) float array

    Raises
    ------
    ImpossibleStatisticError
        If the scores are not a two-dimensional array of numbers, if one is missing, infinite or
        beyond ±1e100, or if there are too few topics or runs.
    """
    matrix = as_floats(scores, statistic)
    if matrix.ndim != 2:
        raise ImpossibleStatisticError(
            f"{statistic} needs a (topics, runs) matrix, not an array of shape {matrix.shape}."
        )
    topics, runs = matrix.shape
    if topics < least_topics:
        raise ImpossibleStatisticError(
            f"{statistic} needs at least {least_topics} topics, not {topics}."
        )
    if runs < least_runs:
        raise ImpossibleStatisticError(f"{statistic} needs at least {least_runs} runs, not {runs}.")
    # NaN goes through min and max and fails the comparison: two passes check all three conditions.
    if not (matrix.min() >= -LARGEST_SCORE and matrix.max() <= LARGEST_SCORE):
        usable = np.abs(matrix) <= LARGEST_SCORE
        topic, run = np.argwhere(~usable)[0]
        raise ImpossibleStatisticError(
            f"{statistic} needs a finite score in every cell, within ±{LARGEST_SCORE:g}, and"
            f" {int(usable.size - usable.sum())} cell(s) have none: the first is"
            f" {matrix[topic, run]} at topic index {topic}, run index {run}."
        )
    return matrix


def is_whole(number: float, least: float, most: float = math.inf) -> bool:
    """Whether a number is whole and finite, and lies between `least` and `most`."""
    return least <= number <= most and number < math.inf and number == math.floor(number)


def ceiling(number: float) -> int:
    """Return the ceiling of a number computed from decimals.

    Such a number may lie a few bits beside the whole number that is meant.

    Examples
    --------
    >>> math.ceil(0.07 * 100), ceiling(0.07 * 100)
    (8, 7)
    """
    return math.ceil(round(number, 6))


def check_share(share: float, name: str = "A confidence level") -> None:
    """Raise ImpossibleStatisticError unless a level or alpha lies strictly between 0 and 1."""
    if not 0 < share < 1:
        raise ImpossibleStatisticError(f"{name} must be between 0 and 1, not {share}.")


def check_seed(seed: int) -> None:
    """Raise ImpossibleStatisticError unless a seed is a whole number from 0 on."""
    if not is_whole(seed, 0):
        raise ImpossibleStatisticError(f"A seed must be a whole number from 0 on, not {seed}.")
