"""Published variances, known by value and size only, in a form that can be pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from roundbook.statistics.variance.homogeneity import mean_topic_variance
from roundbook.statistics.variance.rounds import (
    NoInterval,
    PublishedVariance,
    Refusal,
    RoundVariance,
    round_arrays,
)

_LEAST_TOPICS = 10


@dataclass(frozen=True)
class Constants:
    """Constants of the variance of ln V: ``topic_constant / topics + runs_constant / runs``.

    Attributes
    ----------
    topic_constant : float
        c2, what one topic brings.
    runs_constant : float or None
        r2, what one run brings; None where it is not known.
    source : str
        ``own matrices``, or ``default for AP`` and the like.
    """

    topic_constant: float
    runs_constant: float | None
    source: str


# Medians over 69 public score matrices: 25 of AP, 21 of nDCG and Q, 17 of P@k, 6 of ERR. Any other
# measure gets about the largest of them.
_OTHER = Constants(2.0, 0.15, "default for other measures")
_DEFAULTS = {
    family: constants
    for families, constants in {
        ("ap", "map"): Constants(1.3, 0.15, "default for AP"),
        ("ndcg", "msndcg", "q", "q-measure"): Constants(0.9, 0.10, "default for nDCG and Q"),
        ("p", "precision"): Constants(0.45, 0.10, "default for P@k"),
        ("err", "nerr"): Constants(1.3, 0.10, "default for ERR"),
    }.items()
    for family in families
}


def own_constants(rounds: Sequence[RoundVariance]) -> Constants | None:
    """Constants from a task's own matrices of the same measure, scale and kind of variance.

    ``c2 = sum n_k^2 s_Tk^2 / sum n_k`` and ``r2 = mean m_k r_k``, over the matrices whose variance
    has an interval and, for r2, whose runs' part is known.

    None if no matrix has an interval.
    """
    arrays = round_arrays(rounds)
    usable = [entry for entry, reason in zip(rounds, arrays.reasons, strict=True) if reason is None]
    if not usable:
        return None
    runs_parts = [entry.runs * entry.runs_part for entry in usable if entry.runs_part is not None]
    return Constants(
        mean_topic_variance(round_arrays(usable)),
        float(np.mean(runs_parts)) if runs_parts else None,
        "own matrices",
    )


def constants_for(
    family: str, own: Constants | None = None, *, standardised: bool = False
) -> Constants | Refusal:
    """Constants for a published variance, or why there are none.

    Parameters
    ----------
    family : str
        The measure's name without cutoff and parameters, such as ``nDCG``, in any case.
    own : Constants, optional
        From the task's own matrices; preferred. Without, a variance of standardised scores has
        none, for the defaults were measured on raw scores.

    Examples
    --------
    >>> constants_for("nDCG").source
    'default for nDCG and Q'
    >>> constants_for("nDCG", standardised=True)
    'standardised'
    """
    if own is not None:
        return own
    if standardised:
        return "standardised"
    return _DEFAULTS.get(family.casefold(), _OTHER)


def published_variance(
    variance: float,
    topics: int | None,
    runs: int | None,
    constants: Constants | Refusal,
    *,
    teams: int | None = None,
    weight: float = 1.0,
) -> PublishedVariance:
    """Return a published variance as a round with topics of its own, which can be pooled.

    Its ln V has the variance ``c2/n`` over topics and ``r2/m`` over runs, or ``r2/G`` over teams.

    Parameters
    ----------
    variance : float
        In squared units of the score.
    topics, runs : int or None
        Its size; None if not given, or if the value is of several rounds.
    constants : Constants or str
        From :func:`constants_for`.
    teams : int, optional
        Number of teams that the runs are of.
    weight : float
        What it counts when pooled; positive.

    Returns
    -------
    PublishedVariance
        With a reason instead of the variance of ln V, where it cannot be known.
    """
    reason: NoInterval
    if not topics or not runs:
        reason = "unknown_size"
    elif topics < _LEAST_TOPICS:
        reason = "fewer_than_10_topics"
    elif isinstance(constants, str):
        reason = constants
    elif variance <= 0:
        reason = "no_variance"
    else:
        runs_part = None
        if constants.runs_constant is not None:
            runs_part = constants.runs_constant / (teams or runs)
        topic_variance = constants.topic_constant / topics
        return PublishedVariance(variance, weight, runs, topics, topic_variance, runs_part, None)
    return PublishedVariance(variance, weight, runs or 0, topics or 0, math.nan, None, reason)
