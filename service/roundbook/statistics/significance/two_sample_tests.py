"""Welch's t test and the Brown-Forsythe test on many pairs of samples, and Holm's method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from roundbook.statistics.score_matrix import Bools, Floats
from roundbook.statistics.ties import centred_rows

NoOutcome = Literal[
    "fewer than 2 values for Welch's test",
    "fewer than 2 values for the Brown-Forsythe test",
    "no spread in either sample",
    "deviations do not vary",
    "fewer than 2 topics",
    "same difference on every topic",
    "no difference on any topic",
    "fewer than 3 topics",
    "one side is constant",
]


@dataclass(frozen=True)
class Outcome:
    """The outcome of a two-sided test.

    Attributes
    ----------
    statistic : float or None
        None where the test does not exist.
    dof : float or None
        Degrees of freedom, of the denominator in an F statistic; None also for tests without.
    p_value : float or None
    reason : str or None
        Code of why there is no outcome, a `NoOutcome`; None if there is one. Reports of earlier
        versions have a sentence there.
    """

    statistic: float | None = None
    dof: float | None = None
    p_value: float | None = None
    reason: str | None = None


def welch_tests(first: Floats, second: Floats) -> tuple[Outcome, ...]:
    """Welch's t test of each row of `first` against the same row of `second`.

    ``t = (mean_2 - mean_1) / sqrt(v_1/n_1 + v_2/n_2)`` with sample variances ``v`` (ddof 1), on
    ``(v_1/n_1 + v_2/n_2)^2 / ((v_1/n_1)^2 / (n_1 - 1) + (v_2/n_2)^2 / (n_2 - 1))`` degrees of
    freedom (Welch, Biometrika 1947). Positive where the second sample has the larger mean.

    Parameters
    ----------
    first, second : (rows, n_1) and (rows, n_2) float array
        Finite; not checked.

    Returns
    -------
    tuple of Outcome, one a row
        Without outcome where a sample has fewer than two values, or neither has any spread.

    Examples
    --------
    >>> welch = welch_tests(np.array([[1.0, 2.0, 3.0]]), np.array([[2.0, 4.0, 6.0]]))[0]
    >>> round(welch.statistic, 3), round(welch.dof, 3)
    (1.549, 2.941)
    """
    rows, (n, m) = len(first), (first.shape[1], second.shape[1])
    if min(n, m) < 2:
        return (Outcome(reason="fewer than 2 values for Welch's test"),) * rows
    # Both samples from the same origin and in units of their largest deviation, in which neither
    # squares nor fourth powers leave the range of a double.
    start = first[:, :1]
    unit = _largest(first - start, second - start)
    mean_1, ss_1 = _moments((first - start) / unit)
    mean_2, ss_2 = _moments((second - start) / unit)
    error_1, error_2 = ss_1 / (n - 1) / n, ss_2 / (m - 1) / m
    error = error_1 + error_2
    spread = error > 0
    safe = np.where(spread, error, 1.0)
    statistic = (mean_2 - mean_1) / np.sqrt(safe)
    dof = 1 / np.where(
        spread, (error_1 / safe) ** 2 / (n - 1) + (error_2 / safe) ** 2 / (m - 1), 1.0
    )
    p = 2 * scipy.special.stdtr(dof, -np.abs(statistic))
    return _outcomes(statistic, dof, p, spread, "no spread in either sample")


def brown_forsythe_tests(first: Floats, second: Floats) -> tuple[Outcome, ...]:
    """Brown-Forsythe test that each row of both arrays has the same spread.

    The F statistic, on 1 and ``n_1 + n_2 - 2`` degrees of freedom, of a one-way ANOVA of the
    absolute deviations from each sample's median (Brown and Forsythe, JASA 1974).

    Parameters
    ----------
    first, second : (rows, n_1) and (rows, n_2) float array
        Finite; not checked.

    Returns
    -------
    tuple of Outcome, one a row
        Without outcome where a sample has fewer than two values, or where the deviations do not
        vary within either sample, as in samples of two or without spread.

    Examples
    --------
    >>> wide, narrow = np.array([[1.0, 5.0, 9.0]]), np.array([[4.0, 5.0, 6.0]])
    >>> round(brown_forsythe_tests(wide, narrow)[0].p_value, 3)
    0.219
    """
    rows, (n, m) = len(first), (first.shape[1], second.shape[1])
    if min(n, m) < 2:
        return (Outcome(reason="fewer than 2 values for the Brown-Forsythe test"),) * rows
    deviation_1 = np.abs(first - np.median(first, axis=1, keepdims=True))
    deviation_2 = np.abs(second - np.median(second, axis=1, keepdims=True))
    unit = _largest(deviation_1, deviation_2)
    (mean_1, ss_1), (mean_2, ss_2) = _moments(deviation_1 / unit), _moments(deviation_2 / unit)
    within = ss_1 + ss_2
    # Two values lie equally far from their median but for its rounding.
    rounding = 4 * np.finfo(np.float64).eps * _largest(first, second) / unit
    varies = within > (n + m) * (rounding[:, 0] ** 2)
    dof = n + m - 2
    with np.errstate(over="ignore"):
        between = (mean_2 - mean_1) ** 2 * (n * m / (n + m))
        statistic = between / np.where(varies, within / dof, 1.0)
    return _outcomes(
        statistic,
        np.full(rows, float(dof)),
        np.asarray(scipy.special.fdtrc(1, dof, statistic)),
        varies,
        "deviations do not vary",
    )


def holm_adjusted(p_values: Sequence[float | None]) -> tuple[float | None, ...]:
    """P values adjusted so that the chance of any false rejection stays at the level (Holm 1979).

    With the k p values in ascending order, the r-th becomes the largest of ``(k - q + 1) p_q`` over
    ``q <= r``, and at most 1. None, where a test has no outcome, stays and does not count.

    Examples
    --------
    >>> holm_adjusted([0.5, None, 0.125, 0.25])
    (0.5, None, 0.375, 0.5)
    """
    tested = np.array([p is not None for p in p_values], dtype=bool)
    p = np.array([p for p in p_values if p is not None], dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = np.arange(p.size, 0, -1) * p[order]
    adjusted = np.full(tested.size, None, dtype=object)
    adjusted[np.flatnonzero(tested)[order]] = np.minimum(np.maximum.accumulate(steps), 1)
    return tuple(adjusted.tolist())


def _largest(first: Floats, second: Floats) -> Floats:
    largest = np.maximum(np.abs(first).max(axis=1), np.abs(second).max(axis=1))[:, np.newaxis]
    return np.asarray(np.where(largest > 0, largest, 1.0))


def _moments(values: Floats) -> tuple[Floats, Floats]:
    means, centred = centred_rows(values)
    return means, np.einsum("ij,ij->i", centred, centred)


def _outcomes(
    statistic: Floats, dof: Floats, p_value: Floats, exists: Bools, reason: NoOutcome
) -> tuple[Outcome, ...]:
    return tuple(
        Outcome(*outcome) if has_outcome else Outcome(reason=reason)
        for *outcome, has_outcome in zip(
            statistic.tolist(), dof.tolist(), p_value.tolist(), exists.tolist(), strict=True
        )
    )
