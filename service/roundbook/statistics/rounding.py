"""Values made equal wherever only the rounding of arithmetic tells them apart."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

_DIGITS = 11


def without_rounding(values: NDArray[np.float64], largest: float) -> NDArray[np.float64]:
    """Round values to 11 digits, counted from the largest value there could be.

    A sum of decimals in binary depends on the order of its terms, so that what ties in truth
    differs in its last bits and seems ranked.

    Parameters
    ----------
    values : float array
    largest : float
        Not below the largest absolute value.

    Examples
    --------
    >>> 0.1 + 0.2 + 0.3 == 0.3 + 0.2 + 0.1
    False
    >>> first, second = without_rounding(np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1]), 1.0)
    >>> bool(first == second)
    True
    """
    # Below 1e-280 the power of ten to round by would leave the range of a double.
    if largest < 1e-280:
        return values
    return np.asarray(np.round(values, _DIGITS - math.ceil(math.log10(largest))))
