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

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design.distributions import Engine
from roundbook.statistics.design.inputs import (
    Grid,
    broadcast_floats,
    check_counts,
    check_sizes,
    checked_grid,
    find_design,
    impossible,
    refuse_undefined,
)
from roundbook.statistics.design.search import least_difference, topics_for_power, topics_for_width
from roundbook.statistics.design.table import DESIGNS, Design
from roundbook.statistics.score_matrix import Floats, Ints


@dataclass(frozen=True, eq=False)
class SolvedDesign:
    """A grid of designs with all their quantities; all arrays have the grid's shape.

    Attributes
    ----------
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

    topics: Ints
    runs: Ints | None
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

    Arguments, and what is raised, are those of :mod:`roundbook.statistics.design.solvers`.

    Notes
    -----
    The exact power rises with n. That of `sakai` may be undefined for the first few topics, and
    for large effects or a large alpha may fall before it rises; so the first n where it is defined
    is tried on its own, and the search, which needs a rise, begins after it. With two or three
    topics it overstates the power of a t test: 0.29 for two topics and no effect.

    Examples
    --------
    >>> solve_topics("anova", 0.1, 0.05, runs=[2, 10]).topics.tolist()
    [80, 158]
    >>> solve_topics("tukey", 0.1, 0.05, runs=[2, 10]).topics.tolist()
    [81, 161]
    """
    grid = checked_grid(
        design, engine, runs, min_d=min_d, variance=variance, alpha=alpha, beta=beta
    )
    kind = grid.kind
    if kind.enough is None:
        n = topics_for_width(grid)
    else:
        # Without minD and variance, so that one inversion serves the whole grid of effects.
        enough = kind.enough(*broadcast_floats(2 if runs is None else runs, alpha, beta))
        n = topics_for_power(grid, enough)
    endless = np.flatnonzero(n > MOST_TOPICS)
    if endless.size:
        code, names = "too_many_topics_for_two_runs", ["min_d", "variance", "alpha", "beta"]
        if kind.takes_runs:
            code, names = "too_many_topics", ["runs", *names]
        elif kind.miss is None:
            code, names = "too_many_topics_for_width", names[:-1]
        raise impossible(code, **grid.cell(endless[0], *names))
    topics = n.reshape(grid.runs.shape).astype(np.float64)
    return _completed(grid._replace(topics=topics))


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
    """Power of a topic set of this size; an interval has none.

    Arguments, and what is raised, are those of :mod:`roundbook.statistics.design.solvers`.

    Examples
    --------
    >>> solve_power("anova", 100, 0.1, 0.05, runs=10).power.round(3).tolist()
    0.56
    """
    kind = find_design(design, runs)
    if kind.miss is None:
        raise ImpossibleStatisticError(
            f"The {kind.title} has no power: solve for topics, minD or variance."
        )
    grid = checked_grid(
        design, engine, runs, topics=topics, min_d=min_d, variance=variance, alpha=alpha
    )
    beta = grid.miss()
    refuse_undefined(np.isnan(beta), grid)
    return _completed(grid._replace(beta=beta), np.asarray(1 - beta))


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

    Arguments, and what is raised, are those of :mod:`roundbook.statistics.design.solvers`.

    For very few topics the engine `sakai` may have no solution: it is not defined there, or gives
    any minD the power asked for.

    Examples
    --------
    >>> solve_min_d("anova", 158, 0.05, runs=10).min_d.round(4).tolist()
    0.0998
    """
    grid = checked_grid(
        design, engine, runs, topics=topics, variance=variance, alpha=alpha, beta=beta
    )
    return _completed(grid._replace(min_d=least_difference(grid) * np.sqrt(grid.variance)))


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

    Arguments, and what is raised, are those of :mod:`roundbook.statistics.design.solvers`.

    Examples
    --------
    >>> solve_variance("anova", 158, 0.1, runs=10).variance.round(4).tolist()
    0.0502
    """
    grid = checked_grid(design, engine, runs, topics=topics, min_d=min_d, alpha=alpha, beta=beta)
    least = least_difference(grid)
    with np.errstate(over="ignore", under="ignore"):
        largest = np.square(grid.min_d / least)
    return _completed(grid._replace(variance=largest))


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

    Arguments, and what is raised, are those of :mod:`roundbook.statistics.design.solvers`.

    Examples
    --------
    >>> int(solve_runs([2, 5, 10, 20], 158, 0.1, 0.05).runs)
    10
    """
    grid = checked_grid(
        design, engine, 2, topics=topics, min_d=min_d, variance=variance, alpha=alpha, beta=beta
    )
    listed = np.unique(broadcast_floats(candidates)[0])
    if not listed.size:
        raise ImpossibleStatisticError("A choice of runs needs at least one number of runs.")
    check_counts("A number of runs", listed)
    chosen = np.zeros(grid.topics.shape)
    for m in listed:
        miss = grid._replace(runs=np.full(chosen.shape, m)).miss()
        chosen[miss <= grid.beta] = m
    hopeless = np.flatnonzero(chosen == 0)
    if hopeless.size:
        facts = grid.cell(hopeless[0], "topics")
        raise impossible("too_few_topics", **facts, least=float(listed[0]), most=float(listed[-1]))
    return _completed(grid._replace(runs=chosen))


def design_curve(
    design: Design,
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    *,
    runs: ArrayLike = 2,
    engine: Engine = "exact",
) -> Floats:
    """Return the power of a design, or its expected full width, by number of topics.

    Arguments are those of the solvers, but not checked. A power is NaN where the engine is not
    defined.

    Examples
    --------
    >>> design_curve("anova", [50, 158], 0.1, 0.05, runs=10).round(3).tolist()
    [0.276, 0.802]
    """
    quantities = broadcast_floats(topics, runs, min_d, variance, alpha, np.nan)
    return _achieved(Grid(DESIGNS[design], engine, *quantities))


def _completed(grid: Grid, achieved: Floats | None = None) -> SolvedDesign:
    """Return solved designs; refuse a minD or variance beyond the range of a double.

    What they achieve is computed unless it is known.
    """
    check_sizes("The minD solved for", grid.min_d)
    check_sizes("The variance solved for", grid.variance)
    if achieved is None:
        achieved = _achieved(grid)
    tests = grid.kind.miss is not None
    return SolvedDesign(
        grid.topics.astype(np.int64),
        grid.runs.astype(np.int64) if grid.kind.takes_runs else None,
        grid.min_d,
        grid.variance,
        grid.alpha,
        grid.beta if tests else None,
        achieved if tests else None,
        None if tests else achieved,
    )


def _achieved(grid: Grid) -> Floats:
    """Return the power of tests, or the expected full width of intervals."""
    unit_width = grid.kind.unit_width
    if unit_width is None:
        return np.asarray(1 - grid.miss())
    return np.asarray(unit_width(grid.topics, grid.alpha) * np.sqrt(grid.variance))
