"""The curve of a design: its power, or an interval's expected width, by number of topics."""

from __future__ import annotations

import numpy as np

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design.inputs import broadcast_floats
from roundbook.statistics.design.power import Engine, effect_size
from roundbook.statistics.design.table import DESIGNS, Design
from roundbook.statistics.score_matrix import Floats


def power_curve(
    design: Design,
    topics: Floats,
    min_d: float,
    variance: float,
    alpha: float,
    *,
    runs: float = 2,
    engine: Engine = "exact",
) -> Floats:
    """Return the power of a design by number of topics, NaN where the engine is not defined.

    `topics` are (sizes,) whole numbers of at least 2; all else is as for
    :mod:`roundbook.statistics.design.solvers`.

    Raises
    ------
    ImpossibleStatisticError
        For an interval, which has no power.

    Examples
    --------
    >>> power_curve("anova", np.array([50.0, 158.0]), 0.1, 0.05, 0.05, runs=10).round(3).tolist()
    [0.276, 0.802]
    """
    kind = DESIGNS[design]
    if kind.miss is None:
        raise ImpossibleStatisticError(f"The {kind.title} has no power.")
    n, m, difference, residual, level = broadcast_floats(topics, runs, min_d, variance, alpha)
    return np.asarray(1 - kind.miss(engine, n, m, effect_size(difference, residual), level))


def width_curve(design: Design, topics: Floats, variance: float, alpha: float) -> Floats:
    """Return the expected full width of an interval, in the measure's unit, by number of topics.

    Raises
    ------
    ImpossibleStatisticError
        For a test, which has no width.
    """
    kind = DESIGNS[design]
    if kind.unit_width is None:
        raise ImpossibleStatisticError(f"The {kind.title} has no width.")
    n, residual, level = broadcast_floats(topics, variance, alpha)
    return np.asarray(kind.unit_width(n, level) * np.sqrt(residual))
