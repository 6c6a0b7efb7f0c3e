"""Scores and values that are equal, or equal but for the rounding of arithmetic."""

from __future__ import annotations

import math

import numpy as np

from roundbook.statistics.score_matrix import Bools, Floats

# Scores that a program rounds or averages differ in their last digits where they are meant to be
# equal: a topic whose scores span less than this share of the largest of them bears no difference.
_ROUNDING = 1e-12
_DIGITS = 11


def tied_topics(scores: Floats) -> Bools:
    """Return the mask of topics on which all runs tie.

    A topic ties if ``max_i x_ij - min_i x_ij <= 1e-12 max_i |x_ij|``. Of (topics, runs) scores of
    one run at least, finite and not checked.

    Examples
    --------
    >>> tied_topics(np.array([[0.1, 0.2], [0.3, 0.1 + 0.2], [0.0, 0.0]])).tolist()
    [False, True, True]
    """
    high, low = scores.max(axis=1), scores.min(axis=1)
    return np.asarray(high - low <= _ROUNDING * np.maximum(high, -low))


def centred_rows(values: Floats) -> tuple[Floats, Floats]:
    """Return the mean of each row and the deviations from it; 0 for a row of one value.

    Of (rows, columns) values, of one column at least.
    """
    # From the first value before the mean: the rounded mean of equal values need not equal them.
    deviations = values - values[:, :1]
    offset = deviations.mean(axis=1)
    deviations -= offset[:, np.newaxis]
    return values[:, 0] + offset, deviations


def without_rounding(values: Floats, largest: float) -> Floats:
    """Round values to 11 digits, counted from the largest value there could be.

    A sum of decimals in binary depends on the order of its terms, so that values that should tie
    differ in their last bits and seem ranked. `largest` is not below the largest absolute value.

    Examples
    --------
    >>> first, second = without_rounding(np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]), 1.0)
    >>> bool(first == second)
    True
    """
    # Below 1e-280 the power of ten to round by would leave the range of a double.
    if largest < 1e-280:
        return values
    return np.asarray(np.round(values, _DIGITS - math.ceil(math.log10(largest))))
