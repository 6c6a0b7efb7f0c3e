"""Topic set size designs solved for the number of topics.

The designs are those of :data:`roundbook.statistics.design.table.DESIGNS`, where their formulas are
too. `variance` is always the residual variance of one run, two-way (V_2) for runs on the same
topics, one-way (V_E) for runs with topics of their own. Paired designs take twice it as the
variance of a difference, which is its mean over all pairs of runs: give V_E instead of V_2 for the
conservative published practice, or half the variance of the differences where that is known. For an
interval width, minD stands for the full width, and there is no power and no difference between the
engines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatistic
from roundbook.statistics.design.inputs import (
    MOST_TOPICS,
    Engine,
    Floats,
    broadcast_floats,
    check_counts,
    check_engine,
    check_errors,
    check_probabilities,
    check_sizes,
)
from roundbook.statistics.design.power import effect_size
from roundbook.statistics.design.search import smallest_whole
from roundbook.statistics.design.solved import SolvedDesign, completed, used_beta
from roundbook.statistics.design.table import Design, DesignKind, find_design


def solve_topics(
    design: Design,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    runs: ArrayLike | None = None,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Smallest topic set size n >= 2 that a design needs; numbers broadcast.

    Parameters
    ----------
    design : str
        One of the names in :data:`roundbook.statistics.design.table.DESIGNS`.
    min_d : array_like of float
        In the measure's unit, positive; for a width design the expected full width wanted.
    variance : array_like of float
        Residual variance of the measure, positive: V_2 for runs on the same topics, V_E for runs
        with topics of their own.
    alpha, beta : array_like of float
        Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above ``alpha``. For a
        width design ``1 - alpha`` is the confidence level, and `beta` is not used.
    runs : array_like of int, optional
        Number of runs m, at least 2: needed for `anova`, `two-way` and `tukey`, refused for the
        others.
    engine : {'exact', 'sakai'}
        Noncentral distributions, or the approximations of the published spreadsheets.

    Returns
    -------
    SolvedDesign

    Raises
    ------
    ImpossibleStatistic
        If an argument is out of its range, the power asked for is not above alpha, or a design
        needs more than 10 million topics.

    Notes
    -----
    The exact power rises with n. That of `sakai` may be undefined for the first few topics, and
    for large effects or a large alpha may fall before it rises; so the first n where it is defined
    is tried on its own, and the search, which needs a rise, begins after it. With two or three
    topics it claims too much for a t test: a power of 0.29 for two topics and no effect.

    Examples
    --------
    >>> solve_topics("anova", 0.1, 0.05, runs=[2, 10]).topics.tolist()
    [80, 158]
    >>> solve_topics("tukey", 0.1, 0.05, runs=[2, 10]).topics.tolist()
    [81, 161]
    """
    kind = find_design(design, runs)
    check_engine(engine)
    m, difference, residual, level, allowed = grid = broadcast_floats(
        2 if runs is None else runs, min_d, variance, alpha, used_beta(beta, kind)
    )
    check_counts("A number of runs", m)
    check_sizes("An interval width" if kind.miss is None else "A minD", difference)
    check_sizes("A variance", residual)
    if kind.enough is None:
        check_probabilities("Alpha", level)
        n = _topics_for_width(kind, difference, residual, level)
    else:
        check_errors(level, allowed)
        # Without minD and variance, so that one inversion serves the whole grid of effects.
        enough = kind.enough(*broadcast_floats(2 if runs is None else runs, alpha, beta))
        effect = effect_size(difference, residual)
        n = _topics_for_power(kind, engine, enough / effect, (m, effect, level, allowed))
    topics = n.reshape(m.shape)
    _refuse_endless(kind, topics, grid)
    return completed(design, kind, engine, "topics", (topics.astype(np.float64), *grid))


def anova_topics(
    runs: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Return :func:`solve_topics` of a one-way ANOVA, the design of Sakai, AIRS 2016.

    Examples
    --------
    >>> anova_topics([2, 10], 0.1, 0.05).topics.tolist()
    [80, 158]
    """
    return solve_topics("anova", min_d, variance, alpha, beta, runs=runs, engine=engine)


def _topics_for_power(
    kind: DesignKind, engine: Engine, guess: Floats, grid: tuple[Floats, ...]
) -> NDArray[np.int64]:
    runs, effect, alpha, beta = (axis.ravel() for axis in grid)
    power_of = kind.miss
    assert power_of is not None

    def miss(n: NDArray[np.int64], cells: NDArray[np.intp]) -> Floats:
        return power_of(engine, n.astype(np.float64), runs[cells], effect[cells], alpha[cells])

    def adequate(n: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return miss(n, cells) <= beta[cells]

    def defined(n: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return ~np.isnan(miss(n, cells))

    start, lowest = _start(guess), np.full(runs.shape, 2, dtype=np.int64)
    if engine == "sakai":
        lowest = np.minimum(smallest_whole(defined, lowest, lowest, MOST_TOPICS), MOST_TOPICS)
        first_will_do = adequate(lowest, np.arange(runs.size))
        start = np.where(first_will_do, lowest, np.maximum(start, lowest))
    return smallest_whole(adequate, start, lowest, MOST_TOPICS)


def _topics_for_width(
    kind: DesignKind, width: Floats, variance: Floats, alpha: Floats
) -> NDArray[np.int64]:
    unit_width = kind.unit_width
    assert unit_width is not None
    level = alpha.ravel()
    with np.errstate(over="ignore", under="ignore"):
        wanted = np.clip(width / np.sqrt(variance), 1e-100, 1e100).ravel()

    def adequate(n: NDArray[np.int64], cells: NDArray[np.intp]) -> NDArray[np.bool_]:
        return unit_width(n.astype(np.float64), level[cells]) <= wanted[cells]

    # With many topics the width goes with one over their square root.
    many = np.full(level.shape, float(MOST_TOPICS))
    start = _start(many * np.square(unit_width(many, level) / wanted))
    return smallest_whole(adequate, start, np.full_like(start, 2), MOST_TOPICS)


def _start(guess: Floats) -> NDArray[np.int64]:
    n = np.clip(np.nan_to_num(guess, nan=2.0), 2, MOST_TOPICS)
    return np.ceil(n).astype(np.int64).ravel()


def _refuse_endless(kind: DesignKind, topics: NDArray[np.int64], grid: tuple[Floats, ...]) -> None:
    endless = np.flatnonzero(topics > MOST_TOPICS)
    if not endless.size:
        return
    runs, min_d, variance, alpha, beta = (float(axis.flat[endless[0]]) for axis in grid)
    if kind.miss is None:
        raise ImpossibleStatistic(
            f"An interval of width {min_d:g} with variance {variance:g} (alpha {alpha:g}) would"
            f" take more than {MOST_TOPICS:,} topics: ask for a wider one."
        )
    asked = f"m = {runs:.0f} runs, minD" if kind.takes_runs else "MinD"
    raise ImpossibleStatistic(
        f"{asked} {min_d:g} and variance {variance:g} (alpha {alpha:g}, beta {beta:g}) would take"
        f" more than {MOST_TOPICS:,} topics: ask for a larger minD."
    )
