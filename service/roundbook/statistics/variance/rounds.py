"""The variances of rounds, stored or published, and the influence of topics on their logarithms.

A published variance is known by value and size only; constants of its measure take the place of
influences, in a form that can be pooled.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from roundbook.statistics.score_matrix import Bools, Floats, Ints
from roundbook.statistics.variance.parts import NOTHING_LEFT

_LEAST_TOPICS = 10

Target = Literal["systems", "these runs"]
"""What an interval is of: topics and runs as samples, or topics alone."""

NoInfluence = Literal["fewer_than_3_topics", "no_variance", "one_topic"]
"""Of a stored matrix: too few topics; scores that never vary; all of it borne by one topic."""

NoTopicVariance = Literal["fewer_than_10_topics", "standardised"]
"""Of a published variance: too few topics; one of standardised scores without matrices of the task's
own to take the constants from."""

NoInterval = NoInfluence | NoTopicVariance | Literal["too_uneven"]
"""Further: a single topic or team bears nearly all of the variance."""

NoUpperLimit = NoInterval | Literal["unbounded"]
"""Further: not bounded by so few topics, beside a lower limit that exists."""

NoTest = NoInterval | Literal["one_round", "too_few_topics", "not_separable"]
"""Further: nothing to compare; too few topics for so many rounds; rounds that hold the same scores,
or whose variance no topic changes."""


@dataclass(frozen=True, eq=False, slots=True)
class StoredVariance:
    """The variance of one stored score matrix.

    Attributes
    ----------
    variance : float
        V_E or V_2, in squared units of the score.
    weight : float
        What it counts when pooled, such as its degrees of freedom; positive.
    runs : int
        Number of runs.
    topics : (topics,) int array
        Identities of its topics: equal numbers in two rounds mean the same topic.
    by_topic : (topics,) float array
        Squared residuals by topic, as :class:`~roundbook.statistics.variance.parts.ResidualVariance`.
    runs_part : float or None
        Variance of ln V from which teams took part; None if it is not known.
    """

    variance: float
    weight: float
    runs: int
    topics: Ints
    by_topic: Floats
    runs_part: float | None


@dataclass(frozen=True, slots=True)
class PublishedVariance:
    """A variance known by value and size only; its topics are its own.

    Attributes
    ----------
    variance, weight, runs_part
        As of :class:`StoredVariance`.
    topics : int
        Number of topics.
    topic_variance : float
        Variance of ln V that comes from the choice of topics; NaN if not known.
    reason : str or None
        Why it is not known, one of ``NoTopicVariance``.
    """

    variance: float
    weight: float
    topics: int
    topic_variance: float
    runs_part: float | None
    reason: NoTopicVariance | None


@dataclass(frozen=True, eq=False)
class RoundArrays:
    """The variances of several rounds as arrays over rounds, and over their stored topics.

    Attributes
    ----------
    variances, weights : (rounds,) float array
    topics : (rounds,) int array
        Numbers of topics.
    topic_variances : (rounds,) float array
        Variance of ln V over topics; NaN where there is none.
    runs_parts : (rounds,) float array
        Variance of ln V over runs; NaN where it is not known.
    reasons : tuple of str or None
        Why a round has no `topic_variances`.
    published : (rounds,) bool array
        Rounds without topic influences.
    influences : (stored topics,) float array
        Topic influences of all other rounds, one round after the other.
    round_of_topic : (stored topics,) int array
        Index of the round of each.
    topic_ids : (stored topics,) int array
        Identity of the topic of each.
    """

    variances: Floats
    weights: Floats
    topics: Ints
    topic_variances: Floats
    runs_parts: Floats
    reasons: tuple[NoInterval | None, ...]
    published: Bools
    influences: Floats
    round_of_topic: Ints
    topic_ids: Ints


class TopicInfluences(NamedTuple):
    """Topic influences of several matrices, one after the other.

    `values` are those of each topic on ln V of its matrix; they sum to 0 in each matrix, and are 0
    in one that has no influences. By matrix, `sizes` are the numbers of topics, `variances` the
    sums of the squared influences, which are the variances of ln V over topics (NaN where there are
    none), and `reasons` say why there are none.
    """

    values: Floats
    sizes: Ints
    variances: Floats
    reasons: tuple[NoInfluence | None, ...]


def topic_influences(by_topic: Sequence[Floats]) -> TopicInfluences:
    """Influence of each topic on ln V, from the jackknife that deletes one topic at a time.

    Without topic ``j`` of ``n``, ln V changes by ``L_j = ln(1 - n d_j / ((n - 1) SS))`` and a
    constant, exactly so for one-way and two-way residuals. The influence is
    ``a_j = (mean L - L_j) sqrt((n - 1)/n)``, and ``sum_j a_j^2`` the jackknife variance of ln V.

    Parameters
    ----------
    by_topic : sequence of (topics,) float arrays
        The squared residuals ``d_j`` by topic, an array of at least one topic for each matrix.

    Examples
    --------
    >>> influences = topic_influences([np.array([0.1764, 0.0164, 0.3284, 0.1544, 0.1924])])
    >>> round(float(influences.variances[0]) ** 0.5, 6)
    0.394858
    """
    sizes = np.array([len(values) for values in by_topic], dtype=np.int64)
    if not sizes.size:
        return TopicInfluences(np.empty(0), sizes, np.empty(0), ())
    starts = np.cumsum(sizes) - sizes
    squares = np.concatenate(by_topic)
    totals = np.add.reduceat(squares, starts)
    usable = (sizes >= 3) & (totals > 0)
    # Where a matrix has no influences, divide by 1 in place of 0.
    scale = np.where(usable, sizes / (np.maximum(sizes - 1, 1) * np.where(usable, totals, 1)), 0)
    kept = 1 - squares * np.repeat(scale, sizes)
    one_topic = np.minimum.reduceat(kept, starts) <= NOTHING_LEFT
    has_influences = usable & ~one_topic
    logs = np.log(np.where(np.repeat(has_influences, sizes), kept, 1))
    values = np.repeat(np.add.reduceat(logs, starts) / sizes, sizes) - logs
    values *= np.repeat(np.sqrt((sizes - 1) / sizes), sizes)
    variances = np.add.reduceat(values * values, starts)
    variances[~has_influences] = np.nan
    reasons = np.full(sizes.size, "one_topic", dtype=object)
    reasons[totals <= 0] = "no_variance"
    reasons[sizes < 3] = "fewer_than_3_topics"
    reasons[has_influences] = None
    return TopicInfluences(values, sizes, variances, tuple(reasons.tolist()))


def round_arrays(rounds: Sequence[StoredVariance | PublishedVariance]) -> RoundArrays:
    """Return the variances of rounds as arrays, with the influences of their topics."""
    stored = [entry for entry in rounds if isinstance(entry, StoredVariance)]
    published = np.array([isinstance(entry, PublishedVariance) for entry in rounds], dtype=bool)
    influences = topic_influences([entry.by_topic for entry in stored])
    of_stored = zip(
        influences.sizes.tolist(), influences.variances.tolist(), influences.reasons, strict=True
    )
    facts = [
        (entry.topics, entry.topic_variance, entry.reason)
        if isinstance(entry, PublishedVariance)
        else next(of_stored)
        for entry in rounds
    ]
    return RoundArrays(
        np.array([entry.variance for entry in rounds], dtype=np.float64),
        np.array([entry.weight for entry in rounds], dtype=np.float64),
        np.array([topics for topics, _, _ in facts], dtype=np.int64),
        np.array([variance for _, variance, _ in facts], dtype=np.float64),
        # None becomes NaN.
        np.array([entry.runs_part for entry in rounds], dtype=np.float64),
        tuple(reason for _, _, reason in facts),
        published,
        influences.values,
        np.repeat(np.flatnonzero(~published), influences.sizes),
        np.concatenate([entry.topics for entry in stored])
        if stored
        else np.empty(0, dtype=np.int64),
    )


def mean_topic_variance(arrays: RoundArrays) -> float:
    """Variance of ln V that one topic brings, ``c2 = sum n_k^2 s_Tk^2 / sum n_k``."""
    return float(np.dot(arrays.topics**2, arrays.topic_variances) / arrays.topics.sum())


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


def own_constants(rounds: Sequence[StoredVariance]) -> Constants | None:
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
) -> Constants | NoTopicVariance:
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
    topics: int,
    runs: int,
    constants: Constants | NoTopicVariance,
    *,
    teams: int | None = None,
    weight: float = 1.0,
) -> PublishedVariance:
    """Return a published variance as a round with topics of its own, which can be pooled.

    Its ln V has the variance ``c2/n`` over topics and ``r2/m`` over runs, or ``r2/G`` over teams.

    Parameters
    ----------
    variance : float
        In squared units of the score, positive.
    topics, runs : int
        Its size.
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
    if topics < _LEAST_TOPICS:
        constants = "fewer_than_10_topics"
    if isinstance(constants, str):
        return PublishedVariance(variance, weight, topics, math.nan, None, constants)
    runs_part = None
    if constants.runs_constant is not None:
        runs_part = constants.runs_constant / (teams or runs)
    return PublishedVariance(
        variance, weight, topics, constants.topic_constant / topics, runs_part, None
    )
