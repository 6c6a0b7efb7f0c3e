"""The AP rank correlation, which asks for agreement at the top before agreement at the bottom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.statistics.ranking.agreement import checked_rankings, order_at


@dataclass(frozen=True)
class TauAp:
    """AP rank correlation of a ranking with a reference.

    Attributes
    ----------
    tau_ap : float or None
        From -1 to 1; None where all runs tie in one of the rankings.
    reason : str or None
        Why it is None, where it is.
    runs : int
        Number of runs m.
    """

    tau_ap: float | None
    reason: str | None
    runs: int


def tau_ap(reference: ArrayLike, estimate: ArrayLike) -> TauAp:
    """AP rank correlation of the ranking by `estimate` with the ranking by `reference`.

    ``tau_AP = 2 / (m - 1) sum_{r=2..m} C(r) / (r - 1) - 1`` where ``C(r)`` counts the runs that the
    estimate puts above its run at rank ``r`` and the reference puts above it too (Yilmaz, Aslam and
    Robertson, SIGIR 2008). The ranks are those of the estimate: swapping the two rankings changes
    the coefficient.

    Ties in the estimate: the mean over all orders in which its tied runs could have been put, which
    is tau_AP,a of Urbano and Marrero (ICTIR 2017). Ties in the reference: such a pair counts half,
    neither right nor wrong, so that a ranking that breaks them does not reach 1.

    Parameters
    ----------
    reference : (runs,) array_like of float
        One score a run, of the ranking taken for true; higher is better.
    estimate : (runs,) array_like of float
        The same runs in the same order, of the ranking that is judged.

    Returns
    -------
    TauAp

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two runs, the lengths differ, or a score is not finite.

    Examples
    --------
    >>> top, bottom = tau_ap([4, 3, 2, 1], [3, 4, 2, 1]), tau_ap([4, 3, 2, 1], [4, 3, 1, 2])
    >>> round(top.tau_ap, 4), round(bottom.tau_ap, 4)
    (0.3333, 0.7778)
    """
    truth, judged = checked_rankings(reference, estimate, "The AP rank correlation")
    value: float | None = float(ap_correlations(truth[:, np.newaxis], judged[:, np.newaxis])[0])
    reason: str | None = None
    if all_tied(truth[:, np.newaxis])[0] or all_tied(judged[:, np.newaxis])[0]:
        value = None
        reason = "All runs tie in one of the rankings: there is no order to agree on."
    return TauAp(value, reason, truth.size)


def all_tied(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    """In which resamples all runs tie; (runs, resamples) to (resamples,)."""
    return np.asarray((scores == scores[0]).all(axis=0))


def ap_correlations(
    reference: NDArray[np.float64], estimate: NDArray[np.float64]
) -> NDArray[np.float64]:
    """tau_AP of every resample, 0 where all tie; (runs, resamples) arrays, unchecked."""
    runs = reference.shape[0]
    above = np.zeros(reference.shape, dtype=np.int64)
    tied = np.ones(reference.shape, dtype=np.int64)
    agreed = np.zeros(reference.shape, dtype=np.int64)
    for distance in range(1, runs):
        truth = order_at(reference, distance)
        judged = order_at(estimate, distance)
        # Where the later run of the pair is above the earlier one, the pair is the earlier one's.
        above[:-distance] += judged > 0
        above[distance:] += judged < 0
        agreed[:-distance] += np.where(judged > 0, truth, 0)
        agreed[distance:] -= np.where(judged < 0, truth, 0)
        tied[:-distance] += judged == 0
        tied[distance:] += judged == 0
    # A run among `tied` runs below `above` others may have any rank from above + 1 to above + tied.
    # Pairs within the tie cancel, and 1 / (rank - 1) averages to a difference of harmonic sums.
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, runs + 1))])
    least = np.maximum(above, 1)
    mean = (harmonic[above + tied - 1] - harmonic[least - 1]) / tied
    shares = np.where(tied == 1, agreed / least, agreed * mean)
    return np.asarray(np.clip(shares.sum(axis=0) / (runs - 1), -1.0, 1.0))
