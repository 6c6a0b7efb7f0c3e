"""Topic set size designs solved for minD or the variance; for callers to import from `design`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from service.errors import ImpossibleStatistic
from service.statistics.design_input import (
    Engine,
    Floats,
    broadcast_floats,
    check_engine,
    check_errors,
    check_probabilities,
    check_sizes,
)
from service.statistics.design_table import Design, DesignKind, find_design
from service.statistics.effect_search import least_effect
from service.statistics.solved_design import (
    SolvedDesign,
    check_topics,
    completed,
    refuse_undefined,
    used_beta,
)


def solve_min_d(
    design: Design,
    topics: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    runs: ArrayLike | None = None,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Smallest minD, or width, for which these topics suffice.

    Arguments as for :func:`service.statistics.design.solve_topics`.

    Raises
    ------
    ImpossibleStatistic
        As `solve_topics`, or if there is no such minD, as the engine `sakai` may find for
        very few topics: it is not defined there, or gives any minD the power asked for.

    Examples
    --------
    >>> solve_min_d("anova", 158, 0.05, runs=10).min_d.round(4).tolist()
    0.0998
    """
    kind = find_design(design, runs)
    check_sizes("A variance", broadcast_floats(variance)[0])
    n, m, residual, level, allowed = broadcast_floats(
        topics, 2 if runs is None else runs, variance, alpha, used_beta(beta, kind)
    )
    least = _least_difference(kind, engine, n, m, level, allowed) * np.sqrt(residual)
    return completed(design, kind, engine, "min_d", (n, m, least, residual, level, allowed))


def solve_variance(
    design: Design,
    topics: ArrayLike,
    min_d: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    runs: ArrayLike | None = None,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Largest residual variance for which these topics suffice.

    Arguments as for :func:`service.statistics.design.solve_topics`.

    Raises
    ------
    ImpossibleStatistic
        As :func:`solve_min_d`.

    Examples
    --------
    >>> solve_variance("anova", 158, 0.1, runs=10).variance.round(4).tolist()
    0.0502
    """
    kind = find_design(design, runs)
    check_sizes("A minD", broadcast_floats(min_d)[0])
    n, m, difference, level, allowed = broadcast_floats(
        topics, 2 if runs is None else runs, min_d, alpha, used_beta(beta, kind)
    )
    least = _least_difference(kind, engine, n, m, level, allowed)
    with np.errstate(over="ignore", under="ignore"):
        largest = np.square(difference / least)
    return completed(design, kind, engine, "variance", (n, m, difference, largest, level, allowed))


def _least_difference(
    kind: DesignKind, engine: Engine, topics: Floats, runs: Floats, alpha: Floats, beta: Floats
) -> Floats:
    """Smallest minD, or width, for which the topics suffice, in residual sds."""
    check_engine(engine)
    check_topics(topics, runs)
    if kind.unit_width is not None:
        check_probabilities("Alpha", alpha)
        # A touch more, so that rounding on the way back does not cost a topic.
        return kind.unit_width(topics, alpha) * (1 + 1e-12)
    assert kind.miss is not None
    check_errors(alpha, beta)
    n, m, level = topics.ravel(), runs.ravel(), alpha.ravel()
    power_of = kind.miss

    def miss(effect: Floats, cells: NDArray[np.intp]) -> Floats:
        return power_of(engine, n[cells], m[cells], effect, level[cells])

    # The effect if the variance were known and there were two runs.
    shift = np.maximum(-ndtri(alpha / 2) - ndtri(beta), 0.1)
    effect = least_effect(miss, beta.ravel(), (shift * shift / topics).ravel())
    refuse_undefined(np.isinf(effect), n, m, engine)
    trifling = np.flatnonzero(effect == 0)
    if trifling.size:
        raise ImpossibleStatistic(
            f"With {n[trifling[0]]:.0f} topics the engine {engine} gives any minD, however small,"
            f" a power of {1 - beta.flat[trifling[0]]:g}: ask for more power."
        )
    return np.sqrt(2 * effect).reshape(topics.shape)
