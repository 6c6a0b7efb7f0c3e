"""Shift and sd ratio of two rounds on their shared topics, with their crossed jackknife.

The jackknife estimates how they would vary with other systems and other topics.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from roundbook.statistics.score_matrix import Bools, Floats, Ints
from roundbook.statistics.t_interval import Interval, t_limits
from roundbook.statistics.ties import tied_topics

Value = TypeVar("Value")

# Smaller variances of statistics of order 1 are rounding.
ROUNDING_VARIANCE = 1e-20
# A topic's variance without a unit is rounding below this share of its sum of squares with it.
_ROUNDING_SHARE = 1e-12


@dataclass(frozen=True)
class PerStatistic(Generic[Value]):
    """One value for each of the two statistics of drift."""

    shift: Value
    sd_ratio: Value


@dataclass(frozen=True, eq=False)
class ScoresByTopic:
    """Scores of a round as topic means, sds and deviations.

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

    @cached_property
    def spread(self) -> float:
        """Mean of the sds."""
        return float(self.sd.mean())

    def on(self, topics: Bools) -> ScoresByTopic:
        """Return the same for some of the topics."""
        return ScoresByTopic(self.mean[topics], self.sd[topics], self.deviations[topics])


@dataclass(frozen=True)
class VarianceParts:
    """Variance of a statistic over draws of topics and of units.

    Attributes
    ----------
    topics, runs : float
        From the draw of topics, ``V_T``, and of units, ``V_R``.
    both : float
        Interaction of topics and units, ``V_I``, which both count.
    total : float
        ``max(V_T + V_R - V_I, V_T, V_R)``.
    dof_runs : float
        Degrees of freedom of `runs`, at least 1.
    dof : float or None
        Satterthwaite's of `total`; None if `total` is only rounding.
    """

    topics: float
    runs: float
    both: float
    total: float
    dof_runs: float
    dof: float | None

    def apart(self) -> tuple[float, float, float]:
        """Return ``V_T - I`` and ``V_R - I``, the variances of topics and of units alone, and I.

        ``I = min(V_I, V_T, V_R)`` is what they share, so that none is negative.
        """
        both = min(self.both, self.topics, self.runs)
        return self.topics - both, self.runs - both, both


@dataclass(frozen=True)
class CrossedEstimate:
    """A statistic of drift with its variance over topics and units.

    Attributes
    ----------
    corrected : float
        The shift, in mean first-round sds, or the natural logarithm of the sd ratio; less its
        jackknife bias over units.
    variance : VarianceParts
    """

    corrected: float
    variance: VarianceParts

    def interval(self, level: float) -> Interval:
        """Two-sided t interval around the corrected estimate; a point if nothing varies."""
        return interval_around(self.corrected, self.variance.total, self.variance.dof, level)


def scores_by_topic(scores: Floats) -> ScoresByTopic:
    """Return a complete, finite (topics, runs) matrix by topic; a single run ties with itself."""
    first = scores[:, :1]
    centred = scores - first
    centred[tied_topics(scores)] = 0.0
    offset = centred.mean(axis=1, keepdims=True)
    centred -= offset
    squares = np.einsum("ij,ij->i", centred, centred)
    sd = np.sqrt(squares / max(1, scores.shape[1] - 1))
    return ScoresByTopic((first + offset)[:, 0], sd, centred)


def plain_shift(first: ScoresByTopic, later: ScoresByTopic) -> float:
    """Mean change of the topics' means over the mean first-round sd, ``mean_j d_j / S_A``."""
    return float((later.mean - first.mean).mean() / first.spread)


def shift_parts(first: ScoresByTopic, later: ScoresByTopic) -> Floats:
    """Linearised part of each topic in the shift, ``(d_j - shift sd_Aj) / S_A``; mean 0."""
    moved = later.mean - first.mean
    return np.asarray((moved - plain_shift(first, later) * first.sd) / first.spread)


def log_ratio_parts(first: ScoresByTopic, later: ScoresByTopic) -> Floats:
    """Linearised part of each topic in the log sd ratio, ``sd_Bj / S_B - sd_Aj / S_A``."""
    return np.asarray(later.sd / later.spread - first.sd / first.spread)


def topic_variance(parts: Floats) -> float:
    """Variance over draws of topics, ``sum t^2 / (k (k - 1))``, of parts with the mean 0.

    Of (topics, units) parts it is the sum over units.
    """
    topics = len(parts)
    return float(np.sum(parts**2)) / (topics * (topics - 1))


def interval_around(centre: float, variance: float, dof: float | None, level: float) -> Interval:
    """Two-sided t interval of an estimate with this variance, or the point if that is rounding."""
    if variance <= ROUNDING_VARIANCE or dof is None:
        return centre, centre
    return t_limits(centre, math.sqrt(variance), dof, level)


def as_ratio(log: float) -> float:
    """Return ``exp(log)``, or the largest power of e that a double holds."""
    return math.exp(min(log, 709.0))


def drift_jackknife(
    first: ScoresByTopic, later: ScoresByTopic, units_first: Ints, units_later: Ints
) -> PerStatistic[CrossedEstimate] | None:
    """Estimate shift and log sd ratio with their variance over draws of units and topics.

    Each unit is left out of the first round, of the later one and of both, so that the covariance
    between the rounds of a unit in both narrows the interval. A unit that would leave fewer than
    two runs stays in.

    Parameters
    ----------
    first, later : ScoresByTopic
        On the same topics, at least 2, all with a positive sd in the first round.
    units_first, units_later : (runs of the round,) int array
        Unit of each run, at least 2 in each round; equal numbers are the same unit.

    Returns
    -------
    PerStatistic of CrossedEstimate, or None
        None if the rounds, or what one unit leaves of them, do not spread on any topic.
    """
    _, label = np.unique(np.concatenate([units_first, units_later]), return_inverse=True)
    units = int(label.max()) + 1
    # Means are taken relative to the first round's, which keeps digits if the rounds hardly differ.
    moved = float((later.mean - first.mean).mean())
    a = _drawn(first, label[: units_first.size], units, 0.0)
    b = _drawn(later, label[units_first.size :], units, moved)
    if not (a.without.spread.min() > 0 and b.without.spread.min() > 0):
        return None
    shift = plain_shift(first, later)
    shift_cells = (b.mean_parts - a.mean_parts - shift * a.sd_parts) / first.spread
    log_ratio_cells = b.sd_parts / later.spread - a.sd_parts / first.spread
    return PerStatistic(
        _crossed(
            lambda before, after: (after.mean - before.mean) / before.spread,
            a,
            b,
            shift_parts(first, later),
            shift_cells,
        ),
        _crossed(
            lambda before, after: np.log(after.spread / before.spread),
            a,
            b,
            log_ratio_parts(first, later),
            log_ratio_cells,
        ),
    )


@dataclass(frozen=True, eq=False)
class _Level:
    """Mean score and mean sd of a round over its topics, in arrays of one shape."""

    mean: Floats
    spread: Floats


@dataclass(frozen=True, eq=False)
class _Draw:
    """The units of one round as a sample, in arrays over the units of both rounds.

    Attributes
    ----------
    share : (units,) float array
        Of the round's runs; 0 for a unit that is not in it.
    inflation : float
        From squared deviations of units to their variance, ``G / (G - 1)`` for equal units.
    whole : _Level
        Of all runs.
    without : _Level
        Of what each unit leaves; of all runs if it is not in the round or leaves fewer than two.
    mean_parts, sd_parts : (topics, units) float array
        Linearised part of each unit in the mean and the sd of each topic, times the root of
        `inflation`.
    """

    share: Floats
    inflation: float
    whole: _Level
    without: _Level
    mean_parts: Floats
    sd_parts: Floats


def _drawn(scores: ScoresByTopic, label: Ints, units: int, mean: float) -> _Draw:
    runs = label.size
    members = np.bincount(label, minlength=units)
    share = members / runs
    second, third = float(np.sum(share**2)), float(np.sum(share**3))
    inflation = second / (second - 2 * third + second**2)
    squares = scores.deviations**2
    unit_sums = _sums_by_unit(scores.deviations, label, units)
    unit_squares = _sums_by_unit(squares, label, units)

    remaining = runs - members
    left_out = (members > 0) & (remaining >= 2)
    divisor = np.where(left_out, remaining, 2.0)
    total = squares.sum(axis=1, keepdims=True)
    variance = (total - unit_squares - unit_sums**2 / divisor) / (divisor - 1)
    variance[variance <= _ROUNDING_SHARE * total] = 0.0
    without = _Level(
        np.where(left_out, mean - (unit_sums / divisor).mean(axis=0), mean),
        np.where(left_out, np.sqrt(variance).mean(axis=0), scores.spread),
    )

    weight = math.sqrt(inflation) / runs
    twice_sd = np.where(scores.sd > 0, 2 * scores.sd, np.inf)[:, np.newaxis]
    sd_parts = (unit_squares - total * share) / twice_sd
    whole = _Level(np.asarray(mean), np.asarray(scores.spread))
    return _Draw(share, inflation, whole, without, weight * unit_sums, weight * sd_parts)


def _sums_by_unit(values: Floats, label: Ints, units: int) -> Floats:
    # Not a product with a matrix of memberships: on a busy machine its threads wait for each other.
    order = np.argsort(label, kind="stable")
    present, start = np.unique(label[order], return_index=True)
    sums = np.zeros((values.shape[0], units))
    sums[:, present] = np.add.reduceat(values[:, order], start, axis=1)
    return sums


def _crossed(
    statistic: Callable[[_Level, _Level], Floats], a: _Draw, b: _Draw, topics: Floats, cells: Floats
) -> CrossedEstimate:
    """Estimate one statistic from its parts by topic and its cells of topics and units."""
    plain = statistic(a.whole, b.whole)
    without_a, without_b = statistic(a.without, b.whole), statistic(a.whole, b.without)
    without_both = statistic(a.without, b.without)
    effect_a, effect_b = (1 - a.share) * (plain - without_a), (1 - b.share) * (plain - without_b)
    # In this order it is exactly 0 for a unit of one round only.
    crossing = (without_a - without_both) + (without_b - plain)
    crossing *= np.sqrt((1 - a.share) * (1 - b.share))
    both = np.sqrt(a.share * b.share)
    centred_a = math.sqrt(a.inflation) * (effect_a - a.share * effect_a.sum())
    centred_b = math.sqrt(b.inflation) * (effect_b - b.share * effect_b.sum())
    centred_both = (a.inflation * b.inflation) ** 0.25 * (crossing - both * crossing.sum())

    runs = float(np.sum((centred_a + centred_b + centred_both) ** 2))
    by_topic = topic_variance(topics)
    interaction = topic_variance(cells - cells.mean(axis=0))
    total = max(by_topic + runs - interaction, by_topic, runs)
    dof_runs = _dof_of_units(a.share, b.share, centred_a, centred_b)
    dof = None
    if total > ROUNDING_VARIANCE:
        # By shares of the total: the square of a very large one leaves the range of a float.
        shares = by_topic / total, runs / total
        dof = 1 / (shares[0] ** 2 / (topics.size - 1) + shares[1] ** 2 / dof_runs)
    corrected = plain + effect_a.sum() + effect_b.sum() + crossing.sum()
    parts = VarianceParts(by_topic, runs, interaction, total, dof_runs, dof)
    return CrossedEstimate(float(corrected), parts)


def _dof_of_units(share_a: Floats, share_b: Floats, a: Floats, b: Floats) -> float:
    """Degrees of freedom of the variance over units: fewer, the more unequal the units are."""
    weight = np.sum(a**2) * share_a**2 / np.sum(share_a**2)
    weight += np.sum(b**2) * share_b**2 / np.sum(share_b**2)
    product = share_a * share_b
    recurring = bool(product.any())
    if recurring:
        weight += 2 * np.sum(a * b) * product / product.sum()
        weight = np.maximum(weight, 0.0)
    total = float(weight.sum())
    if total == 0:
        return 1.0
    shares = weight / total
    return max(1.0, 1 / float(np.dot(shares, shares)) - (1 if recurring else 2))
