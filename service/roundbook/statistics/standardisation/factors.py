"""Standardisation factors of topics, and scores put on the scales they define."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.ties import tied_topics

Scale = Literal["std", "std-cdf", "std-ab"]
SCALES: tuple[Scale, ...] = ("std", "std-cdf", "std-ab")

ZeroSd = Literal["average", "drop"]
ZERO_SD_POLICIES: tuple[ZeroSd, ...] = ("average", "drop")


@dataclass(frozen=True, eq=False)
class Factors:
    """Standardisation factors of a set of topics.

    Attributes
    ----------
    mean, sd : (topics,) float array
        Mean and sample standard deviation (ddof 1) of the standardising runs' scores, in the
        measure's unit. ``sd`` is exactly 0.0 where all standardising runs tie, as
        :func:`roundbook.statistics.ties.tied_topics` says.
    runs : int
        Number of standardising runs, the same for every topic.
    """

    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    runs: int


def fit_factors(scores: ArrayLike, standardising: ArrayLike | None = None) -> Factors:
    """Standardisation factors of each topic from the standardising runs.

    ``mean_j = sum_i x_ij / m`` and ``sd_j = sqrt(sum_i (x_ij - mean_j)^2 / (m - 1))`` over the
    ``m`` standardising runs ``i`` (Webber, Moffat and Zobel, SIGIR 2008).

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells.
    standardising : (runs,) array_like of bool, optional
        Which runs define the factors; all by default.

    Returns
    -------
    Factors

    Raises
    ------
    ImpossibleStatisticError
        If fewer than two runs are standardising, the mask does not fit the runs, or a cell has no
        finite score.

    Examples
    --------
    >>> factors = fit_factors([[0.1, 0.2, 0.3], [0.1, 0.1, 0.1]])
    >>> factors.sd.round(12).tolist()
    [0.1, 0.0]
    """
    matrix = checked_scores(scores, "A standardisation factor")
    if standardising is not None:
        mask = np.asarray(standardising)
        if mask.dtype != np.bool_ or mask.shape != matrix.shape[1:]:
            raise ImpossibleStatisticError(
                "The standardising runs must be one true or false for each of the"
                f" {matrix.shape[1]} runs, not {mask.dtype} of shape {mask.shape}."
            )
        matrix = matrix[:, mask]
    runs = matrix.shape[1]
    if runs < 2:
        raise ImpossibleStatisticError(
            "The sample standard deviation of a standardisation factor needs at least 2"
            f" standardising runs, and there are {runs}."
        )
    # Deviations from the first run before those from the mean: the rounded mean of equal scores
    # need not equal them, and a tied topic must get an sd of exactly 0 and its very score as mean.
    first = matrix[:, 0]
    centred = matrix - first[:, np.newaxis]
    offset = centred.mean(axis=1)
    centred -= offset[:, np.newaxis]
    variance = np.einsum("ij,ij->i", centred, centred) / (runs - 1)
    variance[tied_topics(matrix)] = 0.0
    return Factors(first + offset, np.sqrt(variance), runs)


def standardise(
    scores: ArrayLike, mean: ArrayLike, sd: ArrayLike, zero_sd: ZeroSd = "average"
) -> NDArray[np.float64]:
    """Standardised scores ``std_ij = (x_ij - mean_j) / sd_j`` (Webber et al., SIGIR 2008).

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        Of any runs, standardising or new, in the measure's unit.
    mean, sd : (topics,) array_like of float
        Standardisation factors of the same topics in the same order; ``sd`` with ddof 1.
    zero_sd : {'average', 'drop'}
        What a topic with ``sd`` 0 gives: 0.0 for every run (also for a new run that differs there,
        which the caller should flag), or a row of NaN, which the caller must leave out.

    Returns
    -------
    (topics, runs) float array
        In units of each topic's sd, in the memory layout of `scores`.

    Raises
    ------
    ImpossibleStatisticError
        If the factors do not fit the topics, a factor is not finite, an sd is negative, a cell has
        no finite score, or the policy is unknown.
    """
    matrix = checked_scores(scores, "Standardisation")
    means = np.asarray(mean, dtype=np.float64)
    sds = np.asarray(sd, dtype=np.float64)
    if means.shape != matrix.shape[:1] or sds.shape != matrix.shape[:1]:
        raise ImpossibleStatisticError(
            f"Standardisation needs one mean and one sd for each of the {len(matrix)} topics:"
            f" the shapes are {means.shape} and {sds.shape}."
        )
    if not (np.isfinite(means).all() and np.isfinite(sds).all() and (sds >= 0).all()):
        raise ImpossibleStatisticError(
            "Standardisation needs finite means, and finite sds that are not negative."
        )
    if zero_sd not in ZERO_SD_POLICIES:
        raise ImpossibleStatisticError(
            f"There is no zero-sd policy {zero_sd!r}: use {' or '.join(ZERO_SD_POLICIES)}."
        )
    tied = sds == 0
    std = matrix - means[:, np.newaxis]
    std /= np.where(tied, 1.0, sds)[:, np.newaxis]
    std[tied] = 0.0 if zero_sd == "average" else np.nan
    return std


def std_cdf(std: ArrayLike) -> NDArray[np.float64]:
    """Standardised scores on std-CDF: ``Phi(std)``, the normal CDF (Webber et al., SIGIR 2008).

    Parameters
    ----------
    std : (topics, runs) array_like of float
        Standardised scores; NaN stays NaN.

    Returns
    -------
    (topics, runs) float array in [0, 1]
    """
    # No other scale needs SciPy, which takes longer to import than most commands take.
    from scipy.special import ndtr  # noqa: PLC0415

    return np.asarray(ndtr(np.asarray(std, dtype=np.float64)))


def std_ab(std: ArrayLike, a: float = 0.15, b: float = 0.5) -> NDArray[np.float64]:
    """Standardised scores on std-AB: ``a * std + b``, clipped (Sakai, ICTIR 2016).

    Parameters
    ----------
    std : (topics, runs) array_like of float
        Standardised scores; NaN stays NaN.
    a, b : float
        Slope per sd and the score of an average run.

    Returns
    -------
    (topics, runs) float array in [0, 1]
    """
    scaled = np.multiply(std, a, dtype=np.float64)
    scaled += b
    return np.asarray(np.clip(scaled, 0.0, 1.0, out=scaled))


def scale_scores(
    scores: ArrayLike,
    mean: ArrayLike,
    sd: ArrayLike,
    scale: Scale,
    *,
    zero_sd: ZeroSd = "average",
    a: float = 0.15,
    b: float = 0.5,
) -> NDArray[np.float64]:
    """Scores on one of the standardised scales, from raw scores and standardisation factors.

    Parameters
    ----------
    scores, mean, sd, zero_sd
        As for :func:`standardise`.
    scale : {'std', 'std-cdf', 'std-ab'}
        One of ``SCALES``.
    a, b : float
        As for :func:`std_ab`; without effect on the other scales.

    Returns
    -------
    (topics, runs) float array
        A topic with sd 0 gives 0.0, Phi(0) = .5 or `b` under 'average', NaN under 'drop'.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`standardise`, or if the scale is unknown.
    """
    if scale not in SCALES:
        raise ImpossibleStatisticError(
            f"There is no scale {scale!r}: use one of {', '.join(SCALES)}."
        )
    std = standardise(scores, mean, sd, zero_sd)
    if scale == "std-cdf":
        return std_cdf(std)
    if scale == "std-ab":
        return std_ab(std, a, b)
    return std
