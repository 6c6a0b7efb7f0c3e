"""What a topic set is designed for, and its grid of cells solved for any one quantity."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import ConfigDict

from roundbook.errors import ImpossibleStatisticError, InputError
from roundbook.logbook.result import Result
from roundbook.statistics.design import (
    DESIGNS,
    SolvedDesign,
    solve_min_d,
    solve_power,
    solve_runs,
    solve_topics,
    solve_variance,
)
from roundbook.statistics.design import Design as DesignName
from roundbook.statistics.design.inputs import Engine, Floats, check_probabilities

Solve = Literal["topics", "power", "min-d", "variance", "m"]

# In a solved design, the quantity solved for.
_SOLVED = {
    "topics": "topics",
    "power": "power",
    "min-d": "min_d",
    "variance": "variance",
    "m": "runs",
}


class Design(Result):
    """What a topic set is designed for, and which one quantity to solve for.

    `m` are numbers of runs to be compared, each at least 2, for the designs that compare several;
    the others compare two. `min_d` are the smallest differences worth detecting (of several runs
    between the best and the worst), or for an interval its full width; `topics` are topic set
    sizes.
    What is solved for is left out, but `m`: solved for, it is chosen from those listed. `alpha`
    and `beta` are the Type I and Type II error rates; `beta` has no part in an interval's width
    or in solving for power.
    """

    # What is no number is refused with the other impossible inputs, in one sentence.
    model_config = ConfigDict(frozen=True, allow_inf_nan=True)

    m: tuple[int, ...] = ()
    min_d: tuple[float, ...] = ()
    topics: tuple[int, ...] = ()
    alpha: float = 0.05
    beta: float = 0.20
    engine: Engine = "exact"
    design: DesignName = "anova"
    solve: Solve = "topics"


class Cells(NamedTuple):
    """The cells of a grid, arrays of one length; what is solved for is NaN."""

    m: Floats
    min_d: Floats
    topics: Floats
    variance: Floats

    def part(self, start: int, stop: int) -> Cells:
        """Return some of them."""
        return Cells(*(each[start:stop] for each in self))


class Tried(NamedTuple):
    """A cell's solution, or why there is none."""

    value: float | None
    reason: str | None


def is_test(design: Design) -> bool:
    """Return whether this is a test, which has power, and not an interval, which has a width."""
    return DESIGNS[design.design].miss is not None


def contradiction(design: Design, *, has_variance: bool) -> str | None:
    """Return what in a design does not go together, in a sentence, or None."""
    title, solve = DESIGNS[design.design].title, design.solve
    takes_runs = DESIGNS[design.design].takes_runs
    wants_variance = solve != "variance"
    found = (
        (
            solve == "m" and not takes_runs,
            f"the {title} compares two runs: m is nothing to solve for",
        ),
        (solve == "power" and not is_test(design), f"the {title} has no power to solve for"),
        (bool(design.m) and not takes_runs, f"the {title} compares two runs: leave out m"),
        (not design.m and takes_runs, f"the {title} needs m, the number of runs"),
        (
            bool(design.topics) and solve == "topics",
            "topics are what is solved for: leave them out, or solve for power, min-d, variance"
            " or m",
        ),
        (not design.topics and solve != "topics", f"solving for {solve} needs topics"),
        (bool(design.min_d) and solve == "min-d", "min-d is what is solved for: leave it out"),
        (not design.min_d and solve != "min-d", f"solving for {solve} needs min-d"),
        (has_variance and not wants_variance, "the variance is what is solved for: leave it out"),
        (not has_variance and wants_variance, f"solving for {solve} needs a variance"),
    )
    return next((sentence for wrong, sentence in found if wrong), None)


def check_design(design: Design, *, has_variance: bool) -> None:
    """Raise InputError if a design's parts contradict each other.

    A beta that is no probability is refused here, since not every solver reads it.
    """
    wrong = contradiction(design, has_variance=has_variance)
    if wrong:
        raise InputError(f"This is no plan: {wrong}.")
    check_probabilities("Beta", np.array([design.beta]))


def grid_of(design: Design, variance: float | None) -> Cells:
    """Return every cell of a design, m outermost, then minD, then topics.

    Raises
    ------
    ImpossibleStatisticError
        When a number is larger than any design can hold.
    """
    try:
        axes = [
            np.asarray(values or (np.nan,), dtype=np.float64)
            for values in (design.m if design.solve != "m" else (), design.min_d, design.topics)
        ]
    except OverflowError:
        raise ImpossibleStatisticError("No design has that many runs or topics.") from None
    m, min_d, topics = (axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))
    return Cells(m, min_d, topics, np.full(m.size, np.nan if variance is None else variance))


def solve_cells(design: Design, cells: Cells, engine: Engine) -> SolvedDesign:
    """Solve every cell for what `design.solve` names; the arrays are as long as the grid.

    Raises
    ------
    ImpossibleStatisticError
        Naming the first input for which there is no solution.
    """
    name, alpha, beta = design.design, design.alpha, design.beta
    runs = cells.m if DESIGNS[name].takes_runs else None
    match design.solve:
        case "topics":
            return solve_topics(
                name, cells.min_d, cells.variance, alpha, beta, runs=runs, engine=engine
            )
        case "power":
            return solve_power(
                name, cells.topics, cells.min_d, cells.variance, alpha, runs=runs, engine=engine
            )
        case "min-d":
            return solve_min_d(
                name, cells.topics, cells.variance, alpha, beta, runs=runs, engine=engine
            )
        case "variance":
            return solve_variance(
                name, cells.topics, cells.min_d, alpha, beta, runs=runs, engine=engine
            )
        case "m":
            return solve_runs(
                _candidates(design),
                cells.topics,
                cells.min_d,
                cells.variance,
                alpha,
                beta,
                design=name,
                engine=engine,
            )


def _candidates(design: Design) -> Floats:
    try:
        return np.asarray(design.m, dtype=np.float64)
    except OverflowError:
        raise ImpossibleStatisticError("No design has that many runs.") from None


def solution(design: Design, solved: SolvedDesign) -> list[float]:
    """Return what was solved for, cell by cell."""
    return [float(value) for value in getattr(solved, _SOLVED[design.solve])]


def try_cells(design: Design, cells: Cells, engine: Engine) -> list[Tried]:
    """Solve every cell, those that have no solution with the reason.

    A grid with such cells is halved until they are alone, so that few of them cost little.
    """
    try:
        return [
            Tried(value, None) for value in solution(design, solve_cells(design, cells, engine))
        ]
    except ImpossibleStatisticError as error:
        size = cells.m.size
        if size == 1:
            return [Tried(None, str(error))]
    return try_cells(design, cells.part(0, size // 2), engine) + try_cells(
        design, cells.part(size // 2, size), engine
    )


def missing(tried: Sequence[Tried], where: str) -> list[str]:
    """Return a sentence for the cells without a solution, quoting the first reason; [] for none."""
    reasons = [each.reason for each in tried if each.reason]
    if not reasons:
        return []
    return [f"{where}, {len(reasons)} of {len(tried)} cells have no answer: {reasons[0]}"]
