"""Standardisation factors of topics, and scores put on the scales they define."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, assert_never, get_args

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import Bools, Floats, checked_scores
from roundbook.statistics.ties import centred_rows, tied_topics

Scale = Literal["std", "std-cdf", "std-ab"]
SCALES: tuple[Scale, ...] = get_args(Scale)

# A and B of std-AB unless others are given, as Sakai (ICTIR 2016) proposes.
SLOPE, CENTRE = 0.15, 0.5

ZeroSd = Literal["average", "drop"]
ZERO_SD_POLICIES: tuple[ZeroSd, ...] = get_args(ZeroSd)


@dataclass(frozen=True, eq=False)
class Factors:
    """Standardisation factors of a set of topics.

    Attributes
    ----------
    mean, sd : (topics,) float array
        Mean and sample standard deviation (ddof 1) of the standardising runs' scores, in the
        measure's unit. ``sd`` is exactly 0.0 where all standardising runs tie, see
        :func:`roundbook.statistics.ties.tied_topics`.
    runs : int
        Number of standardising runs, the same for every topic.
    """

    mean: Floats
    sd: Floats
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
    mean, centred = centred_rows(matrix)
    variance = np.einsum("ij,ij->i", centred, centred) / (runs - 1)
    variance[tied_topics(matrix)] = 0.0
    return Factors(mean, np.sqrt(variance), runs)


def standardise(
    scores: ArrayLike, mean: ArrayLike, sd: ArrayLike, zero_sd: ZeroSd = "average"
) -> Floats:
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
    _check_policy(zero_sd)
    tied = sds == 0
    std = matrix - means[:, np.newaxis]
    std /= np.where(tied, 1.0, sds)[:, np.newaxis]
    std[tied] = 0.0 if zero_sd == "average" else np.nan
    return std


def usable_topics(sd: Floats, zero_sd: str) -> Bools:
    """Return the mask of topics that count on a standardised scale, by the policy on sd 0."""
    return sd > 0 if zero_sd == "drop" else np.ones(sd.size, dtype=bool)


def std_cdf(std: ArrayLike) -> Floats:
    """Standardised scores on std-CDF: ``Phi(std)``, the normal CDF (Webber et al., SIGIR 2008).

    Of (topics, runs) standardised scores, in [0, 1]; NaN stays NaN.
    """
    # No other scale needs SciPy, which takes longer to import than most commands take.
    from scipy.special import ndtr  # noqa: PLC0415

    return np.asarray(ndtr(np.asarray(std, dtype=np.float64)))


def std_ab(std: ArrayLike, a: float = SLOPE, b: float = CENTRE) -> Floats:
    """Standardised scores on std-AB: ``a * std + b``, clipped (Sakai, ICTIR 2016).

    Of (topics, runs) standardised scores, in [0, 1], with the slope `a` per sd and the score `b` of
    an average run; NaN stays NaN.
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
    a: float = SLOPE,
    b: float = CENTRE,
) -> Floats:
    """Scores on one of the standardised scales, from raw scores and standardisation factors.

    Parameters
    ----------
    scores, mean, sd
        As for :func:`standardise`.
    scale : {'std', 'std-cdf', 'std-ab'}
        One of ``SCALES``.
    a, b : float
        As for :func:`std_ab`; without effect on the other scales.

    Returns
    -------
    (topics, runs) float array
        A topic with sd 0 gives 0.0, Phi(0) = .5 or `b`.

    Raises
    ------
    ImpossibleStatisticError
        As :func:`standardise`, or if the scale is unknown.
    """
    if scale not in SCALES:
        raise ImpossibleStatisticError(
            f"There is no scale {scale!r}: use one of {', '.join(SCALES)}."
        )
    return rescale(standardise(scores, mean, sd), scale, a, b)


def scores_on_scale(
    scores: Floats,
    mean: Floats,
    sd: Floats,
    scale: Any,  # noqa: ANN401 - recorded as text
    zero_sd: str,
) -> Floats:
    """Scores on any scale, on a standardised one without the topics that the policy drops.

    Arguments are those of :func:`standardise` and :func:`scale_scores`; raw scores stay as they
    are.
    """
    if scale == "raw":
        return scores
    kept = usable_topics(sd, zero_sd)
    return scale_scores(scores[kept], mean[kept], sd[kept], scale)


def rescale(std: Floats, scale: Scale, a: float = SLOPE, b: float = CENTRE) -> Floats:
    """Standardised scores on one of the standardised scales; `a` and `b` as for `std_ab`."""
    match scale:
        case "std":
            return std
        case "std-cdf":
            return std_cdf(std)
        case "std-ab":
            return std_ab(std, a, b)
        case _:
            assert_never(scale)


def e_std(
    scores: ArrayLike, standardising_scores: ArrayLike, zero_sd: ZeroSd | None = None
) -> Floats:
    """Standardised scores on E-std (Urbano, Lima and Hanjalic, SIGIR 2019).

    ``y_ij = F_j(x_ij)`` with ``F_j(x) = #{k : s_kj <= x} / m``, the empirical distribution function
    of the scores ``s_kj`` of the ``m`` standardising runs ``k`` on topic ``j``. A tie counts as
    reached: equal scores get equal ``y``, the best standardising run always gets 1, and the worst
    the share of those that tie with it, ``1 / m`` if none does. 0 is for a run below all of them.
    This is ``ecdf`` of R, and what the authors' own code computes.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        Of any runs, standardising or new, in the measure's unit.
    standardising_scores : (topics, standardising runs) array_like of float
        Same topics in the same order; at least two runs.
    zero_sd : {'average', 'drop'}, optional
        What a topic gives on which all standardising runs tie: 0.5 for every run, where the other
        scales put an average run, or a row of NaN, which the caller must leave out. By default
        the formula as it stands: 1 for every run that reaches the tie, and 0 below it.

    Returns
    -------
    (topics, runs) float array in [0, 1]

    Raises
    ------
    ImpossibleStatisticError
        If the topics differ in number, there are fewer than two standardising runs, a cell has no
        finite score, or the policy is unknown.

    Examples
    --------
    >>> e_std([[0.2, 0.3, 0.05]], [[0.1, 0.2, 0.2, 0.4]]).tolist()
    [[0.75, 0.75, 0.0]]
    """
    matrix = checked_scores(scores, "E-std")
    reference = checked_scores(standardising_scores, "E-std", least_runs=2)
    if len(matrix) != len(reference):
        raise ImpossibleStatisticError(
            f"E-std needs the standardising runs' scores on the same topics: there are"
            f" {len(matrix)} topics of scores and {len(reference)} of standardising scores."
        )
    if zero_sd is not None:
        _check_policy(zero_sd)
    ordered = np.sort(reference, axis=1)
    shares = np.empty(matrix.shape)
    for topic, row in enumerate(ordered):
        shares[topic] = np.searchsorted(row, matrix[topic], side="right") / row.size
    if zero_sd is not None:
        shares[tied_topics(reference)] = 0.5 if zero_sd == "average" else np.nan
    return shares


def _check_policy(zero_sd: str) -> None:
    if zero_sd not in ZERO_SD_POLICIES:
        raise ImpossibleStatisticError(
            f"There is no zero-sd policy {zero_sd!r}: use {' or '.join(ZERO_SD_POLICIES)}."
        )
