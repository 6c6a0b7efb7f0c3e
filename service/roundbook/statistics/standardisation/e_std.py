"""Scores standardised by the empirical distribution of the standardising runs' scores."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.standardisation.factors import ZERO_SD_POLICIES, ZeroSd
from roundbook.statistics.ties import tied_topics


def e_std(
    scores: ArrayLike, standardising_scores: ArrayLike, zero_sd: ZeroSd | None = None
) -> NDArray[np.float64]:
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
    if zero_sd is not None and zero_sd not in ZERO_SD_POLICIES:
        raise ImpossibleStatisticError(
            f"There is no zero-sd policy {zero_sd!r}: use {' or '.join(ZERO_SD_POLICIES)}."
        )
    ordered = np.sort(reference, axis=1)
    shares = np.empty(matrix.shape)
    for topic, row in enumerate(ordered):
        shares[topic] = np.searchsorted(row, matrix[topic], side="right") / row.size
    if zero_sd is not None:
        shares[tied_topics(reference)] = 0.5 if zero_sd == "average" else np.nan
    return shares
