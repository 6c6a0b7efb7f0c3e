"""How many topics a wanted reliability takes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design import MOST_TOPICS
from roundbook.statistics.generalisability.reliability import (
    WITHOUT_RESIDUAL,
    noises,
    reliability,
    signal_limits,
)
from roundbook.statistics.generalisability.variance_components import VarianceComponents
from roundbook.statistics.score_matrix import check_level

TopicsInterval = tuple[int | None, int | None]


@dataclass(frozen=True)
class ReliableTopics:
    """Topics needed for a wanted E-rho-squared and for a wanted Phi.

    Attributes
    ----------
    e_rho_squared_topics, phi_topics : int or None
        Smallest numbers with a reliability of at least `target`; None where none is enough.
    e_rho_squared_interval, phi_interval : (int or None, int or None) or None
        Numbers at the upper and at the lower limit of the reliability; a limit is None where no
        number up to 10 million is enough, the interval where it cannot be known.
    reason : str or None
        Why something is None, where something is.
    components, target, level
        The input.
    """

    e_rho_squared_topics: int | None
    e_rho_squared_interval: TopicsInterval | None
    phi_topics: int | None
    phi_interval: TopicsInterval | None
    reason: str | None
    components: VarianceComponents
    target: float
    level: float


def reliable_topics(
    components: VarianceComponents, target: float = 0.95, level: float = 0.95
) -> ReliableTopics:
    """Smallest numbers of topics whose E-rho-squared and Phi reach a target.

    The smallest ``n`` with ``system / (system + noise / n) >= target``: the ceiling of
    ``target noise / ((1 - target) system)`` with ``noise`` the residual for E-rho-squared, topic
    plus residual for Phi (Urbano, Marrero and Martin, SIGIR 2013). The intervals solve for the
    limits of :func:`roundbook.statistics.generalisability.reliability.signal_limits`.

    Parameters
    ----------
    components : VarianceComponents
        From :func:`roundbook.statistics.generalisability.variance_components.variance_components`.
    target : float
        Wanted reliability, in (0, 1).
    level : float
        Confidence level of the two-sided intervals, in (0, 1).

    Returns
    -------
    ReliableTopics

    Raises
    ------
    ImpossibleStatisticError
        If the target or the level is not between 0 and 1.

    Examples
    --------
    >>> from roundbook.statistics.variance.residual import two_way_variance
    >>> from roundbook.statistics.generalisability.variance_components import variance_components
    >>> scores = [[0.5, 0.7, 0.9], [0.2, 0.3, 0.2], [0.4, 0.4, 0.8], [0.1, 0.4, 0.7]]
    >>> needed = reliable_topics(variance_components(two_way_variance(scores)))
    >>> needed.e_rho_squared_topics, needed.phi_topics, needed.e_rho_squared_interval
    (16, 40, (1, None))
    """
    check_level(level)
    if not 0 < target < 1:
        raise ImpossibleStatisticError(
            f"A wanted reliability must be between 0 and 1, not {target}."
        )
    tail = (1 - level) / 2
    low, high = (signal_limits(components.two_way, p) for p in (1 - tail, tail))
    relative, absolute = (
        _smallest(components.system, noise, target) for noise in noises(components)
    )
    if low is None or high is None:
        reason = WITHOUT_RESIDUAL if relative and absolute else _ENDLESS
        return ReliableTopics(relative, None, absolute, None, reason, components, target, level)
    relative_interval, absolute_interval = (
        (_smallest(upper, 1.0, target), _smallest(lower, 1.0, target))
        for lower, upper in zip(low, high, strict=True)
    )
    known = (relative, absolute, *relative_interval, *absolute_interval)
    return ReliableTopics(
        relative,
        relative_interval,
        absolute,
        absolute_interval,
        _ENDLESS if None in known else None,
        components,
        target,
        level,
    )


_ENDLESS = (
    "Where a number of topics is missing, systems may not differ at all, or so little that"
    f" {MOST_TOPICS:,} topics would not be enough."
)


def _smallest(signal: float, noise: float, target: float) -> int | None:
    if target * noise > MOST_TOPICS * (1 - target) * signal or signal == 0:
        return None
    wanted = target * noise / (1 - target) / signal

    def enough(topics: int) -> bool:
        reached = reliability(signal, noise, topics)
        return reached is not None and reached >= target

    # The ceiling of a rounded quotient may be off by one; the reliability itself decides.
    topics = max(1, math.ceil(wanted) - 1)
    while not enough(topics):
        topics += 1
    return topics
