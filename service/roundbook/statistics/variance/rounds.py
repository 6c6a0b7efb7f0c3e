"""The variances of rounds, stored with their parts or published, ready to be judged together."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.variance.influence import topic_influences
from roundbook.statistics.variance.reasons import NoInterval


@dataclass(frozen=True, eq=False, slots=True)
class RoundVariance:
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
        Squared residuals by topic, as :class:`~roundbook.statistics.variance.parts.VariancePart`.
    runs_part : float or None
        Variance of ln V from which teams took part; None if it is not known.
    """

    variance: float
    weight: float
    runs: int
    topics: NDArray[np.int64]
    by_topic: NDArray[np.float64]
    runs_part: float | None


@dataclass(frozen=True, slots=True)
class PublishedVariance:
    """A variance known by value and size only; its topics are its own.

    Attributes
    ----------
    variance, weight, runs, runs_part
        As of :class:`RoundVariance`.
    topics : int
        Number of topics; 0 if not known.
    topic_variance : float
        Variance of ln V that comes from the choice of topics; NaN if not known.
    reason : str or None
        Why it is not known.
    """

    variance: float
    weight: float
    runs: int
    topics: int
    topic_variance: float
    runs_part: float | None
    reason: NoInterval | None


@dataclass(frozen=True, eq=False)
class RoundArrays:
    """The variances of several rounds as arrays over rounds, and over their stored topics.

    Attributes
    ----------
    variances, weights : (rounds,) float array
    runs, topics : (rounds,) int array
        Numbers of runs and topics.
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

    variances: NDArray[np.float64]
    weights: NDArray[np.float64]
    runs: NDArray[np.int64]
    topics: NDArray[np.int64]
    topic_variances: NDArray[np.float64]
    runs_parts: NDArray[np.float64]
    reasons: tuple[NoInterval | None, ...]
    published: NDArray[np.bool_]
    influences: NDArray[np.float64]
    round_of_topic: NDArray[np.int64]
    topic_ids: NDArray[np.int64]


def round_arrays(rounds: Sequence[RoundVariance | PublishedVariance]) -> RoundArrays:
    """Return the variances of rounds as arrays, with the influences of their topics."""
    stored = [entry for entry in rounds if isinstance(entry, RoundVariance)]
    published = np.array([isinstance(entry, PublishedVariance) for entry in rounds], dtype=bool)
    influences = topic_influences([entry.by_topic for entry in stored])
    topics = np.empty(len(rounds), dtype=np.int64)
    topic_variances = np.empty(len(rounds))
    topics[~published] = influences.sizes
    topic_variances[~published] = influences.variances
    reasons: list[NoInterval | None] = [None] * len(rounds)
    of_stored = iter(influences.reasons)
    for index, entry in enumerate(rounds):
        if isinstance(entry, PublishedVariance):
            topics[index] = entry.topics
            topic_variances[index] = entry.topic_variance
            reasons[index] = entry.reason
        else:
            reasons[index] = next(of_stored)
    return RoundArrays(
        np.array([entry.variance for entry in rounds], dtype=np.float64),
        np.array([entry.weight for entry in rounds], dtype=np.float64),
        np.array([entry.runs for entry in rounds], dtype=np.int64),
        topics,
        topic_variances,
        np.array(
            [math.nan if entry.runs_part is None else entry.runs_part for entry in rounds],
            dtype=np.float64,
        ),
        tuple(reasons),
        published,
        influences.values,
        np.repeat(np.flatnonzero(~published), influences.sizes),
        np.concatenate([entry.topics for entry in stored])
        if stored
        else np.empty(0, dtype=np.int64),
    )
