"""Holm's adjustment of p values for the number of tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def holm_adjusted(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """P values adjusted so that the chance of any false rejection stays at the level (Holm 1979).

    With the k p values in ascending order, the r-th becomes the largest of ``(k - q + 1) p_q`` over
    ``q <= r``, and at most 1.

    Parameters
    ----------
    p_values : sequence of float or None
        None where a test has no outcome; such tests do not count.

    Returns
    -------
    tuple of float or None
        In the given order.

    Examples
    --------
    >>> holm_adjusted([0.5, None, 0.125, 0.25])
    (0.5, None, 0.375, 0.5)
    """
    places = [place for place, p in enumerate(p_values) if p is not None]
    p = np.array([p for p in p_values if p is not None], dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted: list[float | None] = [None] * len(p_values)
    for rank, value in zip(
        order.tolist(), np.minimum(np.maximum.accumulate(steps), 1).tolist(), strict=True
    ):
        adjusted[places[rank]] = value
    return tuple(adjusted)
