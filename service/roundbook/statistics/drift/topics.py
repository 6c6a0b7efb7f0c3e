"""Shift and sd ratio of two rounds on their shared topics, and how both vary with the topics."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.ties import tied_topics

Floats = NDArray[np.float64]
Value = TypeVar("Value")


@dataclass(frozen=True)
class PerStatistic(Generic[Value]):
    """One thing for each of the two statistics of drift."""

    shift: Value
    sd_ratio: Value


@dataclass(frozen=True, eq=False)
class TopicScores:
    """Scores of a round, taken apart by topic.

    Attributes
    ----------
    mean, sd : (topics,) float array
        Standardisation factors: mean and sample sd (ddof 1) over runs, in the measure's unit. `sd`
        is exactly 0 where the runs tie.
    deviations : (topics, runs) float array
        Scores less the topic's mean; exactly 0 where the runs tie.
    """

    mean: Floats
    sd: Floats
    deviations: Floats

    @property
    def spread(self) -> float:
        """Mean of the sds."""
        return float(self.sd.mean())

    def on(self, topics: NDArray[np.bool_]) -> TopicScores:
        """Return the part on some of the topics."""
        return TopicScores(self.mean[topics], self.sd[topics], self.deviations[topics])


def topic_scores(scores: Floats) -> TopicScores:
    """Take a complete, finite (topics, runs) matrix apart; a single run ties with itself."""
    first = scores[:, :1]
    centred = scores - first
    centred[tied_topics(scores)] = 0.0
    offset = centred.mean(axis=1, keepdims=True)
    centred -= offset
    squares = np.einsum("ij,ij->i", centred, centred)
    sd = np.sqrt(squares / max(1, scores.shape[1] - 1))
    return TopicScores((first + offset)[:, 0], sd, centred)


def plain_shift(first: TopicScores, later: TopicScores) -> float:
    """Mean change of the topics' means over the mean first-round sd, ``mean_j d_j / S_A``."""
    return float((later.mean - first.mean).mean() / first.spread)


def shift_parts(first: TopicScores, later: TopicScores) -> Floats:
    """Linearised part of each topic in the shift, ``(d_j - shift sd_Aj) / S_A``; mean 0."""
    moved = later.mean - first.mean
    return np.asarray((moved - plain_shift(first, later) * first.sd) / first.spread)


def log_ratio_parts(first: TopicScores, later: TopicScores) -> Floats:
    """Linearised part of each topic in the log sd ratio, ``sd_Bj / S_B - sd_Aj / S_A``."""
    return np.asarray(later.sd / later.spread - first.sd / first.spread)


def topic_variance(parts: Floats) -> float:
    """Variance over draws of topics, ``sum t^2 / (k (k - 1))``, of parts with the mean 0.

    Of (topics, units) parts it is the sum over units.
    """
    topics = len(parts)
    return float(np.sum(parts**2)) / (topics * (topics - 1))


def as_ratio(log: float) -> float:
    """Return ``exp(log)``, or the largest power of e that a double holds."""
    return math.exp(min(log, 709.0))
