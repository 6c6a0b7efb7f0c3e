"""Generalisability theory: variance components, and the reliability of a topic set's ranking."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import scipy

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.score_matrix import check_share, is_whole
from roundbook.statistics.t_interval import Interval
from roundbook.statistics.variance.residual import TwoWayVariance

Component = Literal["system", "topic"]
# Decimal scores that are sums of a run's and a topic's share leave a residual of rounding only: its
# mean square is about the square of a double's precision.
_ROUNDING = 1e-28

NoReliability = Literal["no_residual", "target_not_reached"]
TopicsInterval = tuple[int | None, int | None]


@dataclass(frozen=True)
class VarianceComponents:
    """Variance components of a score matrix whose runs and topics are both taken for samples.

    Attributes
    ----------
    system, topic, residual : float
        Variance between systems, between topics, and the rest, which holds their interaction and
        any error (score unit squared); none negative.
    negative : tuple of {'system', 'topic'}
        The components whose estimate was negative and set to 0: the data show nothing of them.
    two_way : TwoWayVariance
        The input.
    """

    system: float
    topic: float
    residual: float
    negative: tuple[Component, ...]
    two_way: TwoWayVariance


def variance_components(two_way: TwoWayVariance) -> VarianceComponents:
    """Variance components from the mean squares of a two-way analysis of variance.

    With ``m`` runs and ``n`` topics, equating mean squares with their expectations:
    ``residual = MS_residual``, ``system = (MS_system - MS_residual) / n`` and
    ``topic = (MS_topic - MS_residual) / m``; negative ones are set to 0 (Brennan, Generalizability
    Theory, 2001, p x i design; Urbano, Marrero and Martín, SIGIR 2013).

    Examples
    --------
    >>> from roundbook.statistics.variance.residual import two_way_variance
    >>> parts = variance_components(two_way_variance([[0.5, 0.75], [0.25, 0.75], [0.0, 0.0]]))
    >>> round(parts.system, 4), round(parts.topic, 4), round(parts.residual, 4)
    (0.0208, 0.0938, 0.0312)
    """
    system = (two_way.system_mean_square - two_way.variance) / two_way.topics
    topic = (two_way.topic_mean_square - two_way.variance) / two_way.runs
    estimates: dict[Component, float] = {"system": system, "topic": topic}
    negative = tuple(name for name, estimate in estimates.items() if estimate < 0)
    return VarianceComponents(
        max(system, 0.0), max(topic, 0.0), two_way.variance, negative, two_way
    )


@dataclass(frozen=True)
class Generalisability:
    """Reliability of system scores averaged over a number of topics.

    Attributes
    ----------
    topics : int
        The number of topics averaged over.
    level : float
        The input.
    e_rho_squared : float or None
        Of differences between systems (relative decisions); None where it is 0 / 0.
    e_rho_squared_interval : (float, float) or None
    phi : float or None
        Of the mean scores themselves (absolute decisions); None where it is 0 / 0.
    phi_interval : (float, float) or None
    reason : {'no_residual'} or None
        Why a value is None: runs and topics explain every score. None if no value is.
    """

    topics: int
    level: float
    e_rho_squared: float | None
    e_rho_squared_interval: Interval | None
    phi: float | None
    phi_interval: Interval | None
    reason: NoReliability | None = None


@dataclass(frozen=True)
class ReliableTopics:
    """Topics needed for a target E-rho-squared and a target Phi.

    Attributes
    ----------
    e_rho_squared_topics, phi_topics : int or None
        Smallest numbers with a reliability of at least `target`; None where none is enough.
    e_rho_squared_topics_interval, phi_topics_interval : (int or None, int or None) or None
        Numbers at the upper and at the lower limit of the reliability; a limit is None where no
        number up to 10 million is enough, the interval where it cannot be known.
    reason : {'no_residual', 'target_not_reached'} or None
        Why a value is None: runs and topics explain every score, or systems differ so little that
        no number of topics is enough, or not at all. None if no value is.
    """

    e_rho_squared_topics: int | None
    e_rho_squared_topics_interval: TopicsInterval | None
    phi_topics: int | None
    phi_topics_interval: TopicsInterval | None
    reason: NoReliability | None


def generalisability(
    components: VarianceComponents, topics: int | None = None, level: float = 0.95
) -> Generalisability:
    """E-rho-squared and Phi of mean scores over `topics` topics, with intervals.

    ``E-rho^2 = system / (system + residual / topics)`` and
    ``Phi = system / (system + (topic + residual) / topics)`` (Brennan, Generalizability Theory,
    2001; Urbano, Marrero and Martín, SIGIR 2013). For the topics logged, and no negative component,
    E-rho-squared is Cronbach's alpha. The intervals are those of :func:`signal_limits`; for other
    numbers of topics they follow from these by the same formulae.

    Parameters
    ----------
    topics : int, optional
        At least 1; by default as many as the components were estimated from.
    level : float
        Confidence level of the two-sided intervals, in (0, 1).

    Returns
    -------
    Generalisability
        Without intervals, and with the reason, where the residual is 0.

    Raises
    ------
    ImpossibleStatisticError
        If `topics` or the level is out of range.

    Examples
    --------
    >>> from roundbook.statistics.variance.residual import two_way_variance
    >>> scores = [[0.5, 0.7, 0.9], [0.2, 0.3, 0.2], [0.4, 0.4, 0.8], [0.1, 0.4, 0.7]]
    >>> here = generalisability(variance_components(two_way_variance(scores)))
    >>> round(here.e_rho_squared, 4), round(here.phi, 4)
    (0.8288, 0.6571)
    >>> [round(limit, 4) for limit in here.e_rho_squared_interval]
    [0.0, 0.9956]
    """
    number = components.two_way.topics if topics is None else topics
    if not is_whole(number, 1):
        raise ImpossibleStatisticError(
            f"Reliability needs a whole number of topics of at least 1, not {number}."
        )
    signals = _signal_intervals(components.two_way, level)
    relative, absolute = (
        _reliability(components.system, noise, number) for noise in _noises(components)
    )
    if signals is None:
        return Generalisability(number, level, relative, None, absolute, None, "no_residual")
    of_relative, of_absolute = (
        (number * low / (1 + number * low), number * high / (1 + number * high))
        for low, high in signals
    )
    return Generalisability(number, level, relative, of_relative, absolute, of_absolute)


def reliable_topics(
    components: VarianceComponents, target: float = 0.95, level: float = 0.95
) -> ReliableTopics:
    """Smallest numbers of topics whose E-rho-squared and Phi reach a target.

    The smallest ``n`` with ``system / (system + noise / n) >= target``: the ceiling of
    ``target noise / ((1 - target) system)`` with ``noise`` the residual for E-rho-squared, topic
    plus residual for Phi (Urbano, Marrero and Martín, SIGIR 2013). The intervals solve for the
    limits of :func:`signal_limits`.

    Parameters
    ----------
    target : float
        The reliability to reach, in (0, 1).
    level : float
        Confidence level of the two-sided intervals, in (0, 1).

    Raises
    ------
    ImpossibleStatisticError
        If the target or the level is not between 0 and 1.

    Examples
    --------
    >>> from roundbook.statistics.variance.residual import two_way_variance
    >>> scores = [[0.5, 0.7, 0.9], [0.2, 0.3, 0.2], [0.4, 0.4, 0.8], [0.1, 0.4, 0.7]]
    >>> needed = reliable_topics(variance_components(two_way_variance(scores)))
    >>> needed.e_rho_squared_topics, needed.phi_topics, needed.e_rho_squared_topics_interval
    (16, 40, (1, None))
    """
    if not 0 < target < 1:
        raise ImpossibleStatisticError(
            f"A wanted reliability must be between 0 and 1, not {target}."
        )
    signals = _signal_intervals(components.two_way, level)
    relative, absolute = (
        _smallest(components.system, noise, target) for noise in _noises(components)
    )
    if signals is None:
        endless = None in (relative, absolute)
        reason: NoReliability = "target_not_reached" if endless else "no_residual"
        return ReliableTopics(relative, None, absolute, None, reason)
    of_relative, of_absolute = (
        (_smallest(high, 1.0, target), _smallest(low, 1.0, target)) for low, high in signals
    )
    endless = None in (relative, absolute, *of_relative, *of_absolute)
    return ReliableTopics(
        relative, of_relative, absolute, of_absolute, "target_not_reached" if endless else None
    )


def _reliability(signal: float, noise: float, topics: int) -> float | None:
    """``signal / (signal + noise / topics)``, None for 0 / 0; unchecked."""
    if signal == 0:
        return None if noise == 0 else 0.0
    return signal / (signal + noise / topics)


def _noises(components: VarianceComponents) -> Interval:
    """Return the error variances of one topic for relative and absolute decisions."""
    return components.residual, components.topic + components.residual


def signal_limits(two_way: TwoWayVariance, probability: float) -> Interval | None:
    """Return a limit of system variance over relative, and one over absolute, error variance.

    With ``F(p; a, b)`` the quantile of F, ``x = MS_system / MS_residual``,
    ``y = MS_topic / MS_residual``, ``m`` runs, ``n`` topics, ``a = m - 1``, ``b = n - 1``,
    ``F1 = F(p; a, inf)``, ``F2 = F(p; a, a b)`` and ``F3 = F(p; a, b)``:

    - system / residual: ``(x / F2 - 1) / n``, exact for independent normal effects of one residual
      variance on all topics (Feldt, Psychometrika 30, 1965);
    - system / (topic + residual): ``m (x - F2) (x - F1 + F2) / (n x (a F1 + F3 y))``, an
      approximation (Arteaga, Jeyaratnam and Franklin, Comm. Statist. 11, 1982; Brennan 2001),
      whose interval is wider than its level requires where topics differ far more than all else
      and runs are many.

    Parameters
    ----------
    probability : float
        ``1 - a/2`` for the lower limits of a two-sided interval, ``a/2`` for the upper ones.

    Returns
    -------
    (float, float) or None
        For one topic; 0 where the limit would be negative. None if the residual is 0, or so small
        that it is rounding.
    """
    largest = max(two_way.system_mean_square, two_way.topic_mean_square)
    if two_way.variance <= _ROUNDING * largest:
        return None
    m, n = two_way.runs, two_way.topics
    x = two_way.system_mean_square / two_way.variance
    y = two_way.topic_mean_square / two_way.variance
    limiting = float(scipy.special.chdtri(m - 1, 1 - probability)) / (m - 1)
    residual = float(scipy.special.fdtri(m - 1, (m - 1) * (n - 1), probability))
    topic = float(scipy.special.fdtri(m - 1, n - 1, probability))
    # Below its larger root the second formula may turn positive again: both limits are 0 there.
    if x <= residual:
        return 0.0, 0.0
    relative = (x / residual - 1) / n
    numerator = (x - residual) * (x - limiting + residual)
    absolute = m * numerator / (n * x * ((m - 1) * limiting + topic * y))
    return relative, absolute


def _signal_intervals(two_way: TwoWayVariance, level: float) -> tuple[Interval, Interval] | None:
    """Return both intervals from the limits of :func:`signal_limits`; None without a residual."""
    check_share(level)
    tail = (1 - level) / 2
    low, high = (signal_limits(two_way, probability) for probability in (1 - tail, tail))
    return None if low is None or high is None else ((low[0], high[0]), (low[1], high[1]))


def _smallest(signal: float, noise: float, target: float) -> int | None:
    if target * noise > MOST_TOPICS * (1 - target) * signal or signal == 0:
        return None
    quotient = target * noise / (1 - target) / signal

    def enough(topics: int) -> bool:
        reached = _reliability(signal, noise, topics)
        return reached is not None and reached >= target

    # The ceiling of a rounded quotient may be off by one; the reliability itself decides.
    topics = max(1, math.ceil(quotient) - 1)
    while not enough(topics):
        topics += 1
    return topics
