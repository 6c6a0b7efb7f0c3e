"""Variance components of scores: systems, topics, and the residual."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.residual import TwoWayVariance

Component = Literal["system", "topic"]


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
    Theory, 2001, p x i design; Urbano, Marrero and Martin, SIGIR 2013).

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two topics or runs, or a mean square is negative or not finite.

    Examples
    --------
    >>> from roundbook.statistics.variance.residual import two_way_variance
    >>> parts = variance_components(two_way_variance([[0.5, 0.75], [0.25, 0.75], [0.0, 0.0]]))
    >>> round(parts.system, 4), round(parts.topic, 4), round(parts.residual, 4)
    (0.0208, 0.0938, 0.0312)
    """
    if not (two_way.topics >= 2 and two_way.runs >= 2):
        raise ImpossibleStatisticError(
            "Variance components need at least 2 topics and 2 runs, not"
            f" {two_way.topics} and {two_way.runs}."
        )
    squares = (two_way.system_mean_square, two_way.topic_mean_square, two_way.variance)
    for square in squares:
        if not (square >= 0 and math.isfinite(square)):
            raise ImpossibleStatisticError(
                f"Variance components need mean squares that are finite and not negative,"
                f" not {square}."
            )
    system = (two_way.system_mean_square - two_way.variance) / two_way.topics
    topic = (two_way.topic_mean_square - two_way.variance) / two_way.runs
    estimates: dict[Component, float] = {"system": system, "topic": topic}
    negative = tuple(name for name, estimate in estimates.items() if estimate < 0)
    return VarianceComponents(
        max(system, 0.0), max(topic, 0.0), two_way.variance, negative, two_way
    )
