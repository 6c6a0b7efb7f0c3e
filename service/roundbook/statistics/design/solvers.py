"""Topic set size designs solved for any one of topics, power, minD, variance and runs.

The designs are those of :data:`roundbook.statistics.design.table.DESIGNS`, where their formulas are
too. Arguments broadcast, and mean the same in all solvers:

- `topics`: topic set size n, 2 to 10 million.
- `min_d`: smallest difference worth detecting, in the measure's unit, positive; for an interval its
  expected full width.
- `variance`: residual variance of one run, positive: two-way (V_2) for runs on the same topics,
  one-way (V_E) for runs with topics of their own. Paired designs take twice it as the variance of a
  difference, which is its mean over all pairs of runs: give V_E instead of V_2 for the conservative
  published practice, or half the variance of the differences where that is known.
- `alpha`, `beta`: Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above
  ``alpha``. For an interval ``1 - alpha`` is the confidence level, and `beta` is not used.
- `runs`: number of runs m, at least 2: needed for `anova`, `two-way` and `tukey`, refused for the
  others.
- `engine`: ``exact`` for noncentral distributions, ``sakai`` for the approximations behind the
  published spreadsheets. For an interval there is no difference between them.

All raise :class:`~roundbook.errors.ImpossibleStatisticError` if an argument is out of its range, or
if there is no solution.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design.inputs import (
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
from roundbook.statistics.design.reasons import MOST_TOPICS, impossible
from roundbook.statistics.design.search import least_effect, smallest_whole
from roundbook.statistics.design.table import Design, DesignKind, find_design

Quantity = Literal["topics", "power", "min_d", "variance", "runs"]


@dataclass(frozen=True, eq=False)
class SolvedDesign:
    """A grid of designs with all their quantities; all arrays have the grid's shape.

    Attributes
    ----------
    design : str
        One of the names in :data:`roundbook.statistics.design.table.DESIGNS`.
    engine : {'exact', 'sakai'}
    solved_for : {'topics', 'power', 'min_d', 'variance', 'runs'}
        The quantity that was not given.
    topics : int array
    runs : int array or None
        None for a design of two runs.
    min_d, variance, alpha : float array
    beta : float array or None
        The type II error probability allowed, or that of the power solved for; None for a width.
    power : float array or None
        What these topics achieve, at least ``1 - beta``; None for a width.
    width : float array or None
        Expected full width with these topics, at most `min_d`; None for a test.
    """

    design: Design
    engine: Engine
    solved_for: Quantity
    topics: NDArray[np.int64]
    runs: NDArray[np.int64] | None
    min_d: Floats
    variance: Floats
    alpha: Floats
    beta: Floats | None
    power: Floats | None
    width: Floats | None


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
    """Smallest topic set size n >= 2 that a design needs.

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
        2 if runs is None else runs, min_d, variance, alpha, _used_beta(beta, kind)
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
    endless = np.flatnonzero(n > MOST_TOPICS)
    if endless.size:
        _refuse_endless(kind, *(float(axis.flat[endless[0]]) for axis in grid))
    topics = n.reshape(m.shape).astype(np.float64)
    return _completed(design, kind, engine, "topics", (topics, *grid))


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
    """Power that a topic set of this size gives; an interval has none.

    Examples
    --------
    >>> solve_power("anova", 100, 0.1, 0.05, runs=10).power.round(3).tolist()
    0.56
    """
    kind = find_design(design, runs)
    check_engine(engine)
    if kind.miss is None:
        raise ImpossibleStatisticError(
            f"The {kind.title} has no power: solve for topics, minD or variance."
        )
    n, m, difference, residual, level = broadcast_floats(
        topics, 2 if runs is None else runs, min_d, variance, alpha
    )
    _check_topics(n, m)
    check_sizes("A minD", difference)
    check_sizes("A variance", residual)
    check_probabilities("Alpha", level)
    beta = kind.miss(engine, n, m, effect_size(difference, residual), level)
    _refuse_undefined(np.isnan(beta), n, m, engine)
    return _completed(design, kind, engine, "power", (n, m, difference, residual, level, beta))


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

    For very few topics the engine `sakai` may have none: it is not defined there, or gives any minD
    the power asked for.

    Examples
    --------
    >>> solve_min_d("anova", 158, 0.05, runs=10).min_d.round(4).tolist()
    0.0998
    """
    kind = find_design(design, runs)
    check_sizes("A variance", broadcast_floats(variance)[0])
    n, m, residual, level, allowed = broadcast_floats(
        topics, 2 if runs is None else runs, variance, alpha, _used_beta(beta, kind)
    )
    least = _least_difference(kind, engine, n, m, level, allowed) * np.sqrt(residual)
    return _completed(design, kind, engine, "min_d", (n, m, least, residual, level, allowed))


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
    """Largest residual variance for which these topics suffice; see :func:`solve_min_d`.

    Examples
    --------
    >>> solve_variance("anova", 158, 0.1, runs=10).variance.round(4).tolist()
    0.0502
    """
    kind = find_design(design, runs)
    check_sizes("A minD", broadcast_floats(min_d)[0])
    n, m, difference, level, allowed = broadcast_floats(
        topics, 2 if runs is None else runs, min_d, alpha, _used_beta(beta, kind)
    )
    least = _least_difference(kind, engine, n, m, level, allowed)
    with np.errstate(over="ignore", under="ignore"):
        largest = np.square(difference / least)
    return _completed(design, kind, engine, "variance", (n, m, difference, largest, level, allowed))


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
    """Largest of the candidate numbers of runs, each at least 2, for which these topics suffice.

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
        raise ImpossibleStatisticError("A choice of runs needs at least one number of runs.")
    _check_topics(n, listed)
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
        raise impossible(
            "too_few_topics",
            topics=float(n.flat[hopeless[0]]),
            least=float(listed[0]),
            most=float(listed[-1]),
        )
    return _completed(
        design, kind, engine, "runs", (n, chosen, difference, residual, level, allowed)
    )


def _used_beta(beta: ArrayLike, kind: DesignKind) -> ArrayLike:
    """Return `beta`, or a constant where it has no part in the design, its shape and its checks."""
    return 0.5 if kind.miss is None else beta


def _check_topics(topics: Floats, runs: Floats) -> None:
    check_counts("A topic set size", topics)
    check_counts("A number of runs", runs)
    if (topics > MOST_TOPICS).any():
        raise impossible("topics_out_of_range", value=f"{topics.max():,.0f}")


def _refuse_undefined(
    undefined: NDArray[np.bool_], topics: Floats, runs: Floats, engine: Engine
) -> None:
    """Raise ImpossibleDesignError, naming the first cell, if any is undefined."""
    if undefined.any():
        first = np.flatnonzero(undefined)[0]
        raise impossible(
            "undefined",
            engine=engine,
            topics=float(topics.flat[first]),
            runs=float(runs.flat[first]),
        )


def _refuse_endless(
    kind: DesignKind, runs: float, min_d: float, variance: float, alpha: float, beta: float
) -> None:
    numbers = {"min_d": min_d, "variance": variance, "alpha": alpha}
    if kind.miss is None:
        raise impossible("too_many_topics_for_width", **numbers)
    numbers["beta"] = beta
    if kind.takes_runs:
        raise impossible("too_many_topics", runs=runs, **numbers)
    raise impossible("too_many_topics_for_two_runs", **numbers)


def _completed(
    design: Design,
    kind: DesignKind,
    engine: Engine,
    solved_for: Quantity,
    grid: tuple[Floats, ...],
) -> SolvedDesign:
    """Return the design of `grid`, which is topics, runs, minD, variance, alpha and beta.

    A minD or variance that came out as a number that a double cannot hold is refused.
    """
    n, m, difference, residual, alpha, beta = grid
    check_sizes("The minD solved for", difference)
    check_sizes("The variance solved for", residual)
    power = width = None
    if kind.miss is not None:
        power = np.asarray(1 - kind.miss(engine, n, m, effect_size(difference, residual), alpha))
    if kind.unit_width is not None:
        width = np.asarray(kind.unit_width(n, alpha) * np.sqrt(residual))
    return SolvedDesign(
        design,
        engine,
        solved_for,
        n.astype(np.int64),
        m.astype(np.int64) if kind.takes_runs else None,
        difference,
        residual,
        alpha,
        None if kind.miss is None else beta,
        power,
        width,
    )


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


def _least_difference(
    kind: DesignKind, engine: Engine, topics: Floats, runs: Floats, alpha: Floats, beta: Floats
) -> Floats:
    """Smallest minD, or width, for which the topics suffice, in residual sds."""
    check_engine(engine)
    _check_topics(topics, runs)
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
    _refuse_undefined(np.isinf(effect), n, m, engine)
    trifling = np.flatnonzero(effect == 0)
    if trifling.size:
        power = 1 - float(beta.flat[trifling[0]])
        raise impossible("any_min_d", topics=float(n[trifling[0]]), engine=engine, power=power)
    return np.sqrt(2 * effect).reshape(topics.shape)
