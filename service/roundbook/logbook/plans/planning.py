"""Planning: how many topics the next round needs, or what a number of topics is good for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.logbook.plans.design import (
    Cells,
    Design,
    Tried,
    check_design,
    grid_of,
    missing,
    solution,
    solve_cells,
    try_cells,
)
from roundbook.logbook.plans.plan import Alternative, Plan, PlanCell
from roundbook.logbook.plans.protocol import protocol
from roundbook.logbook.plans.refusals import no_planning_variance, no_variance, zero_variance
from roundbook.logbook.plans.rounds import round_powers
from roundbook.logbook.plans.variance import (
    PAIRED,
    VarianceAt,
    VarianceKind,
    VarianceOf,
    pooled_interval,
    variance_kind,
    warning,
)
from roundbook.logbook.plans.variance import variance_at as read_at
from roundbook.logbook.pooling import PoolBy
from roundbook.logbook.result import SOFTWARE
from roundbook.statistics.design import DESIGNS, SolvedDesign
from roundbook.statistics.design import Design as DesignName
from roundbook.statistics.design.inputs import Engine

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.variances import VarianceHistory, VarianceScale


def plan(variance: float | None, design: Design) -> Plan:
    """Solve a grid of topic set size designs; by default, for the smallest adequate size.

    Parameters
    ----------
    variance : float or None
        The residual variance expected of the next round, in squared units of the score: within
        runs, or for two-way and Tukey designs the two-way one; None where it is what is solved
        for.

    Raises
    ------
    InputError
        When the parts of the design contradict each other.
    ImpossibleStatisticError
        Naming the input for which there is no solution.
    """
    check_design(design, has_variance=variance is not None)
    return _plan(design, variance, [], scale=None, estimate=None)


def _plan(
    design: Design,
    variance: float | None,
    alternatives: list[Alternative],
    **basis: Any,  # noqa: ANN401
) -> Plan:
    cells = grid_of(design, variance)
    solved = solve_cells(design, cells, design.engine)
    chosen = [Tried(value, None) for value in solution(design, solved)]
    other: Engine = "sakai" if design.engine == "exact" else "exact"
    if design.solve == "topics":
        # A size by one engine only is no answer: both stand beside, always.
        second = solution(design, solve_cells(design, cells, other))
        beside = [Tried(value, None) for value in second]
    else:
        beside = try_cells(design, cells, other)
    by_name = {
        alternative.name: try_cells(
            design.model_copy(update={"design": alternative.design}),
            cells._replace(variance=np.full(cells.m.size, alternative.variance)),
            design.engine,
        )
        for alternative in alternatives
    }
    result = Plan(
        **design.model_dump(),
        variance=variance,
        alternatives=alternatives,
        software=SOFTWARE,
        cells=_cells(design, cells, solved, {design.engine: chosen, other: beside}, by_name),
        **basis,
    )
    notes = [
        *missing(beside, f"By the engine {other}"),
        *(
            note
            for alternative in alternatives
            for note in missing(by_name[alternative.name], _ALTERNATIVE[alternative.name])
        ),
    ]
    result = result.model_copy(update={"notes": [*result.notes, *notes]})
    return result.model_copy(update={"protocol": protocol(result)})


# Where an alternative has no answer for some cells.
_ALTERNATIVE = {
    "planning": "At the planning variance",
    "pooled": "At the pooled variance",
    "paired": "By twice the two-way variance",
    "conservative": "By twice the one-way variance",
    "anova": "By one-way ANOVA",
    "tukey": "By Tukey's HSD",
}


def _cells(
    design: Design,
    cells: Cells,
    solved: SolvedDesign,
    engines: dict[Engine, list[Tried]],
    beside: dict[str, list[Tried]],
) -> list[PlanCell]:
    results = []
    for cell in range(cells.m.size):
        exact, sakai = engines["exact"][cell].value, engines["sakai"][cell].value
        topics = int(solved.topics[cell])
        sizes: dict[str, Any] = {"topics_exact": topics, "topics_sakai": topics}
        if design.solve == "topics":
            sizes = {"topics_exact": exact, "topics_sakai": sakai}
        results.append(
            PlanCell(
                m=2 if solved.runs is None else int(solved.runs[cell]),
                min_d=float(solved.min_d[cell]),
                topics=topics,
                achieved_power=None if solved.power is None else float(solved.power[cell]),
                variance=float(solved.variance[cell]),
                width=None if solved.width is None else float(solved.width[cell]),
                solved_exact=exact,
                solved_sakai=sakai,
                beside={name: tried[cell].value for name, tried in beside.items()},
                **sizes,
            )
        )
    return results


def plan_task(
    session: Session,
    task: str,
    measure: str,
    design: Design,
    *,
    scale: VarianceScale = "raw",
    assessments: str | Sequence[str] | None = None,
    pool_by: PoolBy = "dof",
    variance_of: VarianceOf | None = None,
    variance_at: VarianceAt | float = "pooled",
) -> Plan:
    """Plan the next round of a task from the variances of its rounds; see `plan`.

    Parameters
    ----------
    variance_of : 'paired' or 'conservative', optional
        Of a paired difference: twice the two-way variance, or twice the one-way. Default: paired
        where the task has score matrices, else conservative.
    variance_at : 'pooled', 'planning', 'latest' or float
        The variance pooled over the rounds, the limit that 4 of 5 next rounds stay below, the
        latest round's, or a value.

    Raises
    ------
    NotRecordedError
        When the task has no variance of this measure on this scale, or not of the kind needed.
    InputError
        When `variance_of` is given for another design than a paired one.
    ImpossibleStatisticError
        When that variance is 0, from which no topic set size follows.
    """
    from roundbook.logbook.variances import show_variances  # noqa: PLC0415

    check_design(design, has_variance=True)
    if variance_of is not None and design.design not in PAIRED:
        raise InputError(
            "What the variance of a paired difference is taken as, paired or conservative, goes"
            f" with the designs {' and '.join(PAIRED)}, not with {design.design}."
        )
    history = show_variances(
        session, task, measure, scale=scale, assessments=assessments, pool_by=pool_by
    )
    notes = []
    if design.design in PAIRED and variance_of is None:
        variance_of = "paired" if history.pooled.two_way_variance is not None else "conservative"
        if variance_of == "conservative":
            notes.append(
                "No round has a two-way variance, so the variance of a difference is taken as"
                " twice the one-way one (conservative): a score matrix of two runs or more gives"
                " smaller sizes."
            )
    kind = variance_kind(design.design, variance_of)
    at: VarianceAt = variance_at if isinstance(variance_at, str) else "given"
    variance = read_at(history, kind, at) if isinstance(variance_at, str) else variance_at
    if variance is None:
        raise NotRecordedError(no_variance(history, design, kind, at))
    if variance == 0 and at != "given":
        raise ImpossibleStatisticError(zero_variance(history, kind, at))
    planning = read_at(history, kind, "planning")
    if planning is None and read_at(history, kind, "pooled"):
        notes.append(
            f"There is no planning variance: {no_planning_variance(history.pooled, kind)}."
        )
    return _plan(
        design,
        variance,
        _alternatives(history, design, variance_of, at),
        scale=history.scale,
        estimate=history,
        interval=pooled_interval(history.pooled, kind),
        variance_kind=kind,
        variance_of=variance_of,
        variance_at=at,
        variance_planning=planning,
        warning=warning(history, kind),
        rounds=round_powers(design, history.rounds, kind),
        notes=notes,
    )


def _alternatives(
    history: VarianceHistory, design: Design, variance_of: VarianceOf | None, at: VarianceAt
) -> list[Alternative]:
    """Return what stands beside a plan of a task, as far as its variances are known."""
    kind = variance_kind(design.design, variance_of)
    wanted: list[tuple[str, DesignName, VarianceKind, VarianceAt]] = [
        (name, design.design, kind, name) for name in ("pooled", "planning") if name != at
    ]
    # A given variance is of one kind alone.
    limit: VarianceAt = "pooled" if at == "given" else at
    if variance_of is not None:
        other: VarianceOf = "conservative" if variance_of == "paired" else "paired"
        wanted.append((other, design.design, variance_kind(design.design, other), limit))
    if DESIGNS[design.design].takes_runs:
        wanted += [
            (name, name, variance_kind(name, None), limit)
            for name in ("tukey", "anova")
            if name != design.design
        ]
    return [
        Alternative(
            name=name, design=by, variance_kind=of_kind, variance_at=where, variance=variance
        )
        for name, by, of_kind, where in wanted
        if (variance := read_at(history, of_kind, where))
    ]
