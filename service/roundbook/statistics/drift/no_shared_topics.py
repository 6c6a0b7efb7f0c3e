"""Two rounds side by side that share no topic: no evidence on drift of their factors.

Other topics may be harder or easier for every system alike. A difference between the rounds'
topics, however significant, therefore cannot tell topics that changed from systems that changed,
and nothing here may be read as a verdict on the standardisation factors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import LARGEST_SCORE
from roundbook.statistics.significance.two_sample_tests import (
    Outcome,
    brown_forsythe_tests,
    welch_tests,
)
from roundbook.statistics.t_interval import t_interval


@dataclass(frozen=True)
class Spread:
    """Distribution of one factor over a round's topics.

    Attributes
    ----------
    topics : int
    mean : float
    sd : float or None
        Sample sd (ddof 1); None with one topic.
    least, lower_quartile, median, upper_quartile, largest : float
        Quantiles, linearly interpolated.
    """

    topics: int
    mean: float
    sd: float | None
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    largest: float


@dataclass(frozen=True)
class Comparison:
    """One factor over the topics of two rounds, and tests that they look alike.

    Attributes
    ----------
    earlier, later : Spread
    welch : Outcome
        Of the later topics' mean against the earlier topics'.
    brown_forsythe : Outcome
        Of their spread.
    """

    earlier: Spread
    later: Spread
    welch: Outcome
    brown_forsythe: Outcome


@dataclass(frozen=True)
class FactorComparison:
    """Factors of two rounds that share no topic; no evidence on whether factors hold.

    Attributes
    ----------
    means, sds : Comparison
        Of the topics' mean scores, and of the sds of scores on a topic.
    """

    means: Comparison
    sds: Comparison


def compare_factors(
    mean_from: ArrayLike, sd_from: ArrayLike, mean_to: ArrayLike, sd_to: ArrayLike
) -> FactorComparison:
    """Compare the distributions of factors over the topics of two rounds that share none.

    Welch's t test and the Brown-Forsythe test with topics as the sample, beside the quantiles. This
    says whether the rounds' topics look alike, and no more: it is no evidence on drift of factors.

    Parameters
    ----------
    mean_from, sd_from : (topics of the earlier round,) array_like of float
        Factors of all its topics, in the measure's unit; sds with ddof 1.
    mean_to, sd_to : (topics of the later round,) array_like of float
        Those of the later round.

    Returns
    -------
    FactorComparison
        A test that does not exist, as with a single topic, has a reason in place of numbers.

    Raises
    ------
    ImpossibleStatisticError
        If a round has no topic, its means and sds differ in number or are not finite, or an sd is
        negative.

    Examples
    --------
    >>> means = compare_factors([0.2, 0.3, 0.7], [0.1, 0.1, 0.2], [0.4, 0.8], [0.2, 0.2]).means
    >>> means.earlier.median, round(means.welch.p_value, 2)
    (0.3, 0.51)
    """
    before = _checked_factors("earlier", mean_from, sd_from)
    after = _checked_factors("later", mean_to, sd_to)
    return FactorComparison(_compare(before[0], after[0]), _compare(before[1], after[1]))


def _compare(first: NDArray[np.float64], second: NDArray[np.float64]) -> Comparison:
    rows = first[np.newaxis], second[np.newaxis]
    return Comparison(
        _spread(first), _spread(second), welch_tests(*rows)[0], brown_forsythe_tests(*rows)[0]
    )


def _spread(values: NDArray[np.float64]) -> Spread:
    centre = t_interval(values).mean
    assert centre is not None
    sd = float(np.std(values - values[0], ddof=1)) if values.size > 1 else None
    quantiles = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return Spread(values.size, centre, sd, *quantiles)


def _checked_factors(
    name: str, mean: ArrayLike, sd: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    means, sds = np.asarray(mean, dtype=np.float64), np.asarray(sd, dtype=np.float64)
    if means.ndim != 1 or means.shape != sds.shape or not means.size:
        raise ImpossibleStatisticError(
            f"A comparison of rounds needs one mean and one sd for each topic of the {name}"
            f" round, and at least one topic: the shapes are {means.shape} and {sds.shape}."
        )
    usable = (np.abs(means) <= LARGEST_SCORE) & (sds <= LARGEST_SCORE) & (sds >= 0)
    if not usable.all():
        raise ImpossibleStatisticError(
            f"A comparison of rounds needs finite factors, and the {name} round has one that is"
            " not, or a negative sd."
        )
    return means, sds
