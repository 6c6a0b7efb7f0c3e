"""Which topics all runs tie on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Scores that a program rounds or averages differ in their last digits where they are meant to be
# equal: a topic whose scores span less than this share of the largest of them bears no difference.
_ROUNDING = 1e-12


def tied_topics(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which topics all runs tie on.

    A topic ties if ``max_i x_ij - min_i x_ij <= 1e-12 max_i |x_ij|``.

    Parameters
    ----------
    scores : (topics, runs) float array
        At least one run; finite, not checked.

    Returns
    -------
    (topics,) bool array

    Examples
    --------
    >>> tied_topics(np.array([[0.1, 0.2], [0.3, 0.1 + 0.2], [0.0, 0.0]])).tolist()
    [False, True, True]
    """
    high, low = scores.max(axis=1), scores.min(axis=1)
    return np.asarray(high - low <= _ROUNDING * np.maximum(high, -low))
