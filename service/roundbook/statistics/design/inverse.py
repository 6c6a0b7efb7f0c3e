"""What a given number of topics is good for: designs solved for power, minD, variance or runs.

:mod:`roundbook.statistics.design.topics` says which variance a design takes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.statistics.design.inputs import (
    Engine,
    Floats,
    broadcast_floats,
    check_engine,
    check_errors,
    check_probabilities,
    check_sizes,
)
from roundbook.statistics.design.power import effect_size
from roundbook.statistics.design.search import least_effect
from roundbook.statistics.design.solved import (
    SolvedDesign,
    check_topics,
    completed,
    refuse_undefined,
    used_beta,
)
from roundbook.statistics.design.table import Design, DesignKind, find_design


def solve_power(
    design: Design,
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    *,
    runs: ArrayLike | None = None,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Power that a topic set of this size gives.

    Arguments as for :func:`roundbook.statistics.design.topics.solve_topics`.

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, there are more than 10 million topics, the design is an
        interval width, or the engine `sakai` is not defined with so few topics.

    Examples
    --------
    >>> solve_power("anova", 100, 0.1, 0.05, runs=10).power.round(3).tolist()
    0.56
    """
    kind = find_design(design, runs)
    check_engine(engine)
    if kind.miss is None:
        raise ImpossibleStatistic(
            f"The {kind.title} has no power: solve for topics, minD or variance."
        )
    n, m, difference, residual, level = broadcast_floats(
        topics, 2 if runs is None else runs, min_d, variance, alpha
    )
    check_topics(n, m)
    check_sizes("A minD", difference)
    check_sizes("A variance", residual)
    check_probabilities("Alpha", level)
    beta = kind.miss(engine, n, m, effect_size(difference, residual), level)
    refuse_undefined(np.isnan(beta), n, m, engine)
    return completed(design, kind, engine, "power", (n, m, difference, residual, level, beta))


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

    Arguments as for :func:`roundbook.statistics.design.topics.solve_topics`.

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

    Arguments as for :func:`roundbook.statistics.design.topics.solve_topics`.

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


def solve_runs(
    candidates: ArrayLike,
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    design: Design = "anova",
    engine: Engine = "exact",
) -> SolvedDesign:
    """Largest number of runs on a list for which these topics suffice.

    Parameters
    ----------
    candidates : (k,) array_like of int
        The numbers of runs to choose from, each at least 2.
    topics, min_d, variance, alpha, beta, engine
        As for :func:`roundbook.statistics.design.topics.solve_topics`.
    design : {'anova', 'two-way', 'tukey'}

    Returns
    -------
    SolvedDesign

    Raises
    ------
    ImpossibleStatistic
        As `solve_topics`, or if none of the candidates will do.

    Examples
    --------
    >>> int(solve_runs([2, 5, 10, 20], 158, 0.1, 0.05).runs)
    10
    """
    kind = find_design(design, candidates)
    check_engine(engine)
    assert kind.miss is not None
    n, difference, residual, level, allowed = broadcast_floats(topics, min_d, variance, alpha, beta)
    listed = np.unique(broadcast_floats(candidates)[0])
    if not listed.size:
        raise ImpossibleStatistic("A choice of runs needs at least one number of runs.")
    check_topics(n, listed)
    check_sizes("A minD", difference)
    check_sizes("A variance", residual)
    check_errors(level, allowed)
    effect = effect_size(difference, residual)
    chosen = np.zeros(n.shape)
    for m in listed:
        miss = kind.miss(engine, n, np.full(n.shape, m), effect, level)
        chosen[miss <= allowed] = m
    hopeless = np.flatnonzero(chosen == 0)
    if hopeless.size:
        raise ImpossibleStatistic(
            f"{n.flat[hopeless[0]]:.0f} topics do not suffice for any of the numbers of runs"
            f" listed, from {listed[0]:.0f} to {listed[-1]:.0f}: use more topics or a larger minD."
        )
    return completed(
        design, kind, engine, "runs", (n, chosen, difference, residual, level, allowed)
    )


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
    assert kind.enough is not None
    check_errors(alpha, beta)
    n, m, level = topics.ravel(), runs.ravel(), alpha.ravel()
    power_of = kind.miss

    def miss(effect: Floats, cells: NDArray[np.intp]) -> Floats:
        return power_of(engine, n[cells], m[cells], effect, level[cells])

    start = kind.enough(m, level, beta.ravel()) / n
    effect = least_effect(miss, beta.ravel(), np.nan_to_num(np.maximum(start, 1e-9), nan=1.0))
    refuse_undefined(np.isinf(effect), n, m, engine)
    trifling = np.flatnonzero(effect == 0)
    if trifling.size:
        raise ImpossibleStatistic(
            f"With {n[trifling[0]]:.0f} topics the engine {engine} gives any minD, however small,"
            f" a power of {1 - beta.flat[trifling[0]]:g}: ask for more power."
        )
    return np.sqrt(2 * effect).reshape(topics.shape)
