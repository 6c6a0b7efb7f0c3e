"""One entry to the topic set size designs, solved for any one of their quantities.

The designs are those of :data:`service.statistics.design_table.DESIGNS`. `variance` is always the
residual variance of one run; paired designs take twice that as the variance of a difference (a
caller who knows the variance of differences gives half of it). For an interval width, minD stands
for the full width, and there is no power and no difference between the engines.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from service.errors import ImpossibleStatistic
from service.statistics.anova_power import MISS, effect_size
from service.statistics.design_input import (
    Engine,
    broadcast_floats,
    check_engine,
    check_errors,
    check_probabilities,
    check_sizes,
)
from service.statistics.design_inverse import solve_min_d, solve_variance
from service.statistics.design_table import DESIGNS, Design, find_design
from service.statistics.solved_design import (
    SolvedDesign,
    check_topics,
    completed,
    refuse_undefined,
    used_beta,
)
from service.statistics.t_topics import paired_t_topics, two_sample_t_topics
from service.statistics.topic_set_size import anova_topics
from service.statistics.width_topics import paired_width_topics, two_sample_width_topics

__all__ = [
    "DESIGNS",
    "Design",
    "SolvedDesign",
    "solve_min_d",
    "solve_power",
    "solve_runs",
    "solve_topics",
    "solve_variance",
]


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
    """Smallest topic set size that a design needs; numbers broadcast.

    Parameters
    ----------
    design : {'anova', 'paired-t', 'two-sample-t', 'paired-width', 'two-sample-width'}
    min_d : array_like of float
        In the measure's unit, positive; for a width design the expected full width wanted.
    variance : array_like of float
        Residual variance of the measure, positive.
    alpha, beta : array_like of float
        Type I and II error probabilities, in [1e-30, 1), with ``1 - beta`` above ``alpha``. For a
        width design ``1 - alpha`` is the confidence level, and `beta` is not used.
    runs : array_like of int, optional
        Number of runs m, at least 2: needed for `anova`, refused for the others.
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

    Examples
    --------
    >>> solve_topics("anova", 0.1, 0.05, runs=[2, 10]).topics.tolist()
    [80, 158]
    """
    kind = find_design(design, runs)
    check_engine(engine)
    m = 2 if runs is None else runs
    match design:
        case "anova":
            n = anova_topics(m, min_d, variance, alpha, beta, engine=engine).topics
        case "paired-t":
            n = paired_t_topics(min_d, variance, alpha, beta, engine=engine).topics
        case "two-sample-t":
            n = two_sample_t_topics(min_d, variance, alpha, beta, engine=engine).topics
        case "paired-width":
            n = paired_width_topics(min_d, variance, alpha).topics
        case "two-sample-width":
            n = two_sample_width_topics(min_d, variance, alpha).topics
    grid = broadcast_floats(n, m, min_d, variance, alpha, used_beta(beta, kind))
    return completed(design, kind, engine, "topics", grid)


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
    """Power that a topic set of this size gives; arguments as for :func:`solve_topics`.

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


def solve_runs(
    candidates: ArrayLike,
    topics: ArrayLike,
    min_d: ArrayLike,
    variance: ArrayLike,
    alpha: ArrayLike = 0.05,
    beta: ArrayLike = 0.2,
    *,
    engine: Engine = "exact",
) -> SolvedDesign:
    """Largest number of runs on a list for which these topics suffice, in a one-way ANOVA.

    Parameters
    ----------
    candidates : (k,) array_like of int
        The numbers of runs to choose from, each at least 2.
    topics, min_d, variance, alpha, beta, engine
        As for :func:`solve_topics`.

    Returns
    -------
    SolvedDesign

    Raises
    ------
    ImpossibleStatistic
        As :func:`solve_topics`, or if none of the candidates will do.

    Examples
    --------
    >>> int(solve_runs([2, 5, 10, 20], 158, 0.1, 0.05).runs)
    10
    """
    kind = find_design("anova", candidates)
    check_engine(engine)
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
        miss = MISS[engine](n, np.full(n.shape, m), effect, level)
        chosen[miss <= allowed] = m
    hopeless = np.flatnonzero(chosen == 0)
    if hopeless.size:
        raise ImpossibleStatistic(
            f"{n.flat[hopeless[0]]:.0f} topics do not suffice for any of the numbers of runs"
            f" listed, from {listed[0]:.0f} to {listed[-1]:.0f}: use more topics or a larger minD."
        )
    return completed(
        "anova", kind, engine, "runs", (n, chosen, difference, residual, level, allowed)
    )
