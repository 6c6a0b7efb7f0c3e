"""Grids of topic set size designs, solved for one quantity, and the power of past rounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from roundbook.errors import ImpossibleDesignError
from roundbook.logbook.plans.plan import RoundPower
from roundbook.logbook.variance_history import RoundVariance, VarianceKind
from roundbook.requests.plans import INTERVALS, PlanRequest
from roundbook.statistics.design import (
    DESIGNS,
    ENGINES,
    Engine,
    SolvedDesign,
    solve_min_d,
    solve_power,
    solve_runs,
    solve_topics,
    solve_variance,
)
from roundbook.statistics.score_matrix import Floats

# The attribute of a solved design with the quantity solved for, where it has another name.
_SOLVED = {"min-d": "min_d", "m": "runs"}


class Cells(NamedTuple):
    """The cells of a grid as arrays of one length; the quantity to solve for is NaN."""

    m: Floats
    min_d: Floats
    topics: Floats
    variance: Floats


class Solution(NamedTuple):
    """The solution of a cell, or the reason why there is none: a code with its arguments."""

    value: float | None
    reason: str | None = None
    arguments: Mapping[str, str | float] = {}


def grid_cells(request: PlanRequest, variance: float | None) -> Cells:
    """Return the cells of a design's grid, with m outermost, then minD, then topics."""
    unknown = (np.nan,)
    runs, *axes = (
        np.asarray(values or unknown, dtype=np.float64)
        for values in (request.m, request.min_d, request.topics)
    )
    runs = np.asarray(unknown) if request.solve == "m" else runs
    m, min_d, topics = (axis.ravel() for axis in np.meshgrid(runs, *axes, indexing="ij"))
    return Cells(m, min_d, topics, np.full(m.size, np.nan if variance is None else variance))


def solve_cells(
    request: PlanRequest, cells: Cells, engine: Engine
) -> tuple[SolvedDesign, list[Solution]]:
    """Solve every cell for the requested quantity; return the design and the cells' solutions.

    Raises
    ------
    ImpossibleStatisticError
        Naming the first input without a solution.
    """
    name, alpha, beta = request.design, request.alpha, request.beta
    m, min_d, topics, variance = cells
    runs = m if DESIGNS[name].takes_runs else None
    match request.solve:
        case "topics":
            solved = solve_topics(name, min_d, variance, alpha, beta, runs=runs, engine=engine)
        case "power":
            solved = solve_power(name, topics, min_d, variance, alpha, runs=runs, engine=engine)
        case "min-d":
            solved = solve_min_d(name, topics, variance, alpha, beta, runs=runs, engine=engine)
        case "variance":
            solved = solve_variance(name, topics, min_d, alpha, beta, runs=runs, engine=engine)
        case "m":
            choice = np.asarray(request.m, dtype=np.float64)
            solved = solve_runs(
                choice, topics, min_d, variance, alpha, beta, design=name, engine=engine
            )
    values = getattr(solved, _SOLVED.get(request.solve, request.solve))
    return solved, [Solution(float(value)) for value in values]


def try_cells(request: PlanRequest, cells: Cells, engine: Engine) -> list[Solution]:
    """Return the solution of every cell, or the reason where there is none.

    A grid with unsolvable cells is halved until these are isolated, which is cheap if they are few.
    """
    try:
        return solve_cells(request, cells, engine)[1]
    except ImpossibleDesignError as error:
        if cells.m.size == 1:
            return [Solution(None, error.code, error.arguments)]
    halves = zip(*(np.array_split(axis, 2) for axis in cells), strict=True)
    return [cell for half in halves for cell in try_cells(request, Cells(*half), engine)]


def round_powers(
    request: PlanRequest, rounds: Sequence[RoundVariance], kind: VarianceKind
) -> list[RoundPower]:
    """Return the power of past rounds, for each m and minD of a design.

    The list is empty for an interval, which has no power, and if minD is solved for. A round
    without the kind of residual variance that the design takes has no power.
    """
    if request.design in INTERVALS or not (request.min_d and rounds):
        return []
    grid = list(product(rounds, request.m or (2,), request.min_d))
    variances = [row.of_kind(kind).variance for row, *_ in grid]
    facts = [
        (m, min_d, row.topics, variance or 0.0)
        for (row, m, min_d), variance in zip(grid, variances, strict=True)
    ]
    cells = Cells(*np.array(facts, dtype=np.float64).T)
    for_power = request.model_copy(update={"solve": "power"})
    powers = {engine: try_cells(for_power, cells, engine) for engine in ENGINES}
    results = []
    for cell, (row, m, min_d) in enumerate(grid):
        power, variance = powers[request.engine][cell], variances[cell]
        no_variance = {0.0: "zero_variance", None: "no_two_way_variance"}.get(variance)
        results.append(
            RoundPower(
                round=row.round,
                topics=row.topics,
                variance=variance,
                m=m,
                min_d=min_d,
                achieved_power=power.value,
                power_exact=powers["exact"][cell].value,
                power_sakai=powers["sakai"][cell].value,
                enough=None if power.value is None else power.value >= 1 - request.beta,
                reason=no_variance or power.reason,
                arguments={} if no_variance else dict(power.arguments),
            )
        )
    return results
