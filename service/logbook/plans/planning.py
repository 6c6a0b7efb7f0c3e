"""Planning: how many topics the next round needs, or what a number of topics is good for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from service.errors import ImpossibleStatistic
from service.logbook.plans.design import (
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
from service.logbook.plans.plan import Plan, PlanCell
from service.logbook.plans.protocol import protocol
from service.logbook.plans.rounds import round_powers
from service.logbook.pooling import PoolBy
from service.logbook.result import SOFTWARE
from service.statistics.design import SolvedDesign
from service.statistics.design_input import Engine

if TYPE_CHECKING:
    from sqlalchemy import Engine as DatabaseEngine

    from service.logbook.variances import VarianceHistory, VarianceScale


def plan(
    variance: float | None, design: Design, *, estimate: VarianceHistory | None = None
) -> Plan:
    """Solve a grid of topic set size designs; by default, for the smallest adequate size.

    Parameters
    ----------
    variance : float or None
        The residual variance expected of the next round, in squared units of the score; None
        where it is what is solved for.
    estimate : VarianceHistory, optional
        Where `variance` comes from.

    Raises
    ------
    InputError
        When the parts of the design contradict each other.
    ImpossibleStatistic
        Naming the input for which there is no solution.
    """
    check_design(design, has_variance=variance is not None)
    cells = grid_of(design, variance)
    interval = estimate.pooled.interval if estimate else None
    solved = solve_cells(design, cells, design.engine)
    chosen = [Tried(value, None) for value in solution(design, solved)]
    other: Engine = "sakai" if design.engine == "exact" else "exact"
    if design.solve == "topics":
        # A size by one engine only is no answer: both stand beside, always.
        second = solution(design, solve_cells(design, cells, other))
        beside = [Tried(value, None) for value in second]
    else:
        beside = try_cells(design, cells, other)
    upper: list[Tried] = []
    if interval is not None:
        wider = cells._replace(variance=np.full(cells.m.size, interval.high))
        upper = try_cells(design, wider, design.engine)
    found = Plan(
        **design.model_dump(),
        variance=variance,
        scale=estimate.scale if estimate else None,
        estimate=estimate,
        interval=interval,
        variance_upper=interval.high if interval else None,
        warning=estimate.pooled.warning if estimate else None,
        software=SOFTWARE,
        cells=_cells(design, cells, solved, {design.engine: chosen, other: beside}, upper),
        rounds=round_powers(design, estimate.rounds) if estimate else [],
        notes=[
            *missing(beside, f"By the engine {other}"),
            *missing(upper, "At the upper end of the variance's interval"),
        ],
    )
    return found.model_copy(update={"protocol": protocol(found)})


def _cells(
    design: Design,
    cells: Cells,
    solved: SolvedDesign,
    engines: dict[Engine, list[Tried]],
    upper: list[Tried],
) -> list[PlanCell]:
    found = []
    for cell in range(cells.m.size):
        exact, sakai = engines["exact"][cell].value, engines["sakai"][cell].value
        high = upper[cell].value if upper else None
        topics = int(solved.topics[cell])
        sizes: dict[str, Any] = {"topics_exact": topics, "topics_sakai": topics}
        if design.solve == "topics":
            sizes = {"topics_exact": exact, "topics_sakai": sakai, "topics_upper": high}
        found.append(
            PlanCell(
                m=2 if solved.runs is None else int(solved.runs[cell]),
                min_d=float(solved.min_d[cell]),
                topics=topics,
                achieved_power=None if solved.power is None else float(solved.power[cell]),
                variance=float(solved.variance[cell]),
                width=None if solved.width is None else float(solved.width[cell]),
                solved_exact=exact,
                solved_sakai=sakai,
                solved_upper=high,
                **sizes,
            )
        )
    return found


def plan_task(
    engine: DatabaseEngine,
    task: str,
    measure: str,
    design: Design,
    *,
    scale: VarianceScale = "raw",
    assessments: str | Sequence[str] | None = None,
    pool_by: PoolBy = "dof",
) -> Plan:
    """Plan the next round of a task from its pooled variance; see `plan`.

    Raises
    ------
    NotRecorded
        When the task has no variance of this measure on this scale.
    ImpossibleStatistic
        When that variance is 0, from which no topic set size follows.
    """
    from service.logbook.variances import show_variances  # noqa: PLC0415

    check_design(design, has_variance=True)
    history = show_variances(
        engine, task, measure, scale=scale, assessments=assessments, pool_by=pool_by
    )
    if history.pooled.variance == 0:
        rounds = ", ".join(history.pooled.rounds)
        raise ImpossibleStatistic(
            f"No plan follows from task '{history.task}': the pooled variance of {history.measure}"
            f" on the {history.scale} scale is 0, since in its rounds ({rounds}) every run scores"
            " the same on all topics; plan from another measure, or give a --variance."
        )
    return plan(history.pooled.variance, design, estimate=history)
