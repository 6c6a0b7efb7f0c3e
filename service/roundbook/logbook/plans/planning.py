"""Planning: how many topics the next round needs, or what a number of topics can detect."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from roundbook.errors import ImpossibleDesignError, ImpossibleStatisticError, NotRecordedError
from roundbook.logbook.interval_reasons import no_planning_variance, other_scales
from roundbook.logbook.plans.design import (
    Cells,
    Solution,
    grid_cells,
    round_powers,
    solve_cells,
    try_cells,
)
from roundbook.logbook.plans.plan import (
    Alternative,
    Plan,
    PlanCell,
    PlanNote,
    VarianceAt,
    variance_at,
    variance_kind,
)
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.variance_history import VarianceHistory, VarianceKind
from roundbook.requests.plans import PAIRED, PlanDesign, PlanRequest, VarianceOf
from roundbook.requests.variances import VarianceRequest
from roundbook.statistics.design import DESIGNS, ENGINES, SolvedDesign
from roundbook.statistics.design.inputs import way_out

if TYPE_CHECKING:
    from roundbook.logbook.session import Session

_REQUEST_FIELDS = {"m", "min_d", "topics", "alpha", "beta", "engine", "design", "solve"}


def plan_topics(session: Session | None, request: PlanRequest) -> Plan:
    """Solve a grid of topic set size designs; only a plan from a task needs a session.

    Raises
    ------
    NotRecordedError
        When the task has no variance of this measure and scale, or not of the kind needed.
    ImpossibleStatisticError
        Naming the input without a solution; or when the task's variance is 0, which gives no topic
        set size.
    """
    if request.task is None:
        return _solve(request, request.variance)
    # A plan from a given variance needs no database modules.
    from roundbook.logbook.variances import show_variances  # noqa: PLC0415

    assert session is not None
    fields = {name: getattr(request, name) for name in VarianceRequest.model_fields}
    return plan_from_history(request, show_variances(session, VarianceRequest(**fields)))


def plan_from_history(request: PlanRequest, history: VarianceHistory) -> Plan:
    """Solve a grid of topic set size designs by a task's variances; see `plan_topics`."""
    no_two_way = history.pooled.two_way_variance is None
    variance_of, notes = request.variance_of, []
    if request.design in PAIRED and variance_of is None:
        variance_of = "conservative" if no_two_way else "paired"
    if variance_of == "conservative" and no_two_way:
        notes.append(PlanNote(code="no_two_way_variance"))
    kind = variance_kind(request.design, variance_of)
    at, variance = _variance(request, history, kind)
    pooled, planning = history.pooled.of_kind(kind), variance_at(history, kind, "planning")
    if planning is None and pooled.variance:
        reason = pooled.interval_reason or "unbounded"
        notes.append(PlanNote(code="no_planning_variance", reason=reason))
    if at == "latest":
        latest = history.rounds[-1].round
        notes += [
            PlanNote(code="latest_not_held_last", out_of_order=pair)
            for pair in history.out_of_order
            if pair.round == latest
        ]
    plan = _solve(
        request,
        variance,
        _alternatives(history, request.design, variance_of, at),
        notes,
        scale=history.scale,
        estimate=history,
        interval=pooled.interval,
        variance_kind=kind,
        variance_of=variance_of,
        variance_at=at,
        variance_planning=planning,
    )
    # Only after solving, which refuses numbers that no design can have.
    return plan.model_copy(update={"rounds": round_powers(request, history.rounds, kind)})


def _variance(
    request: PlanRequest, history: VarianceHistory, kind: VarianceKind
) -> tuple[VarianceAt, float]:
    """Return which of a task's variances a request plans with, and that variance.

    Raises
    ------
    ImpossibleStatisticError
        When the variance is 0.
    NotRecordedError
        When there is no two-way variance, or no planning variance.
    """
    if not isinstance(request.variance_at, str):
        return "given", request.variance_at
    at = request.variance_at
    variance = variance_at(history, kind, at)
    measure, pooled = history.measure, history.pooled.of_kind(kind)
    if variance:
        return at, variance
    if variance == 0:
        where = f"its rounds ({', '.join(pooled.rounds)})"
        if at == "latest":
            where = f"its latest round ({history.rounds[-1].round})"
        name, cause = "variance", "every run scores the same on all topics"
        if kind == "two-way":
            name, cause = "two-way variance", "runs differ by the same amount on all topics"
        raise ImpossibleStatisticError(
            f"No plan follows from task '{history.task}': the {at} {name} of {measure} on the"
            f" {history.scale} scale is 0, since in {where} {cause}.",
            way_out="plan from another variance",
            task=history.task,
            measure=measure,
            scale=history.scale,
        )
    if kind == "two-way" and pooled.variance is None:
        raise NotRecordedError(
            f"No round of task '{history.task}' has a two-way variance of {measure}, which the"
            f" design {request.design} takes: log a score matrix of two runs or more.",
            way_out="plan conservatively" if request.design in PAIRED else "plan by anova",
            task=history.task,
            measure=measure,
        )
    if at == "latest":
        raise NotRecordedError(
            f"The latest round, '{history.rounds[-1].round}', has no two-way variance of"
            f" {measure}.",
            way_out="plan from the pooled variance",
            task=history.task,
            round=history.rounds[-1].round,
            measure=measure,
        )
    # Without an upper limit of the rounds' own, few topics or a variance of 0 are the reason.
    bounded = pooled.interval is not None and pooled.interval.high is not None
    scale = history.other_scale(kind) if bounded else None
    ratios = scale.ratios if scale is not None else {}
    reason = other_scales(ratios) if ratios else no_planning_variance(pooled)
    raise NotRecordedError(
        f"The rounds of task '{history.task}' do not tell the planning variance of {measure}:"
        f" {reason}.",
        way_out="look at the scores" if ratios else "plan from the pooled variance or a value",
        task=history.task,
        measure=measure,
    )


def _alternatives(
    history: VarianceHistory, design: PlanDesign, variance_of: VarianceOf | None, at: VarianceAt
) -> list[Alternative]:
    """Return the alternatives to a plan from a task's variances, as far as these are recorded."""
    kind = variance_kind(design, variance_of)
    limits: tuple[VarianceAt, ...] = ("pooled", "planning")
    candidates: list[tuple[str, PlanDesign, VarianceKind, VarianceAt]] = [
        (limit, design, kind, limit) for limit in limits if limit != at
    ]
    # A given variance has only one kind; its alternatives take the pooled variances.
    limit = "pooled" if at == "given" else at
    if variance_of is not None:
        opposite: VarianceOf = "conservative" if variance_of == "paired" else "paired"
        candidates.append((opposite, design, variance_kind(design, opposite), limit))
    if DESIGNS[design].takes_runs:
        designs: tuple[PlanDesign, ...] = ("tukey", "anova")
        candidates += [(by, by, variance_kind(by, None), limit) for by in designs if by != design]
    return [
        Alternative(
            name=name, design=by, variance_kind=of_kind, variance_at=limit, variance=variance
        )
        for name, by, of_kind, limit in candidates
        if (variance := variance_at(history, of_kind, limit))
    ]


def _solve(
    request: PlanRequest,
    variance: float | None,
    alternatives: Sequence[Alternative] = (),
    notes: Sequence[PlanNote] = (),
    **basis: Any,  # noqa: ANN401
) -> Plan:
    """Return the plan, solved by both engines and by the alternatives.

    Cells without an answer are left out, with a note, unless none has one.
    """
    grid = grid_cells(request, variance)
    try:
        solved, solutions = _solutions(request, grid)
    except ImpossibleDesignError:
        grid, left_out = _answered(request, grid)
        if left_out is None:
            raise
        notes = [*notes, left_out]
        solved, solutions = _solutions(request, grid)
    for alternative in alternatives:
        solutions[alternative.name] = try_cells(
            request.model_copy(update={"design": alternative.design}),
            grid._replace(variance=np.full(grid.m.size, alternative.variance)),
            request.engine,
        )
    without = {name: [cell for cell in cells if cell.reason] for name, cells in solutions.items()}
    no_answer = [_no_answer(name, cells) for name, cells in without.items() if cells]
    return Plan(
        **request.model_dump(include=_REQUEST_FIELDS),
        variance=variance,
        alternatives=list(alternatives),
        software=SOFTWARE,
        cells=[_cell(request, solved, cell, solutions) for cell in range(grid.m.size)],
        notes=[*notes, *no_answer],
        **basis,
    )


def _solutions(request: PlanRequest, grid: Cells) -> tuple[SolvedDesign, dict[str, list[Solution]]]:
    """Return the design solved by the plan's engine, and the solutions by both engines.

    Raises
    ------
    ImpossibleDesignError
        When a cell has no answer by the plan's engine or, for topic set sizes, by either engine.
    """
    solutions: dict[str, list[Solution]] = {}
    solved, solutions[request.engine] = solve_cells(request, grid, request.engine)
    (second,) = (engine for engine in ENGINES if engine != request.engine)
    if request.solve == "topics":
        # Sizes must exist by both engines, as a plan always shows both.
        _, solutions[second] = solve_cells(request, grid, second)
    else:
        solutions[second] = try_cells(request, grid, second)
    return solved, solutions


def _answered(request: PlanRequest, grid: Cells) -> tuple[Cells, PlanNote | None]:
    """Return the cells of a grid that have an answer, and a note on the others.

    There is no note if none has one, or if one has a number that no design can have.
    """
    engines = ENGINES if request.solve == "topics" else (request.engine,)
    by_engine = [try_cells(request, grid, engine) for engine in engines]
    reasons = [
        next((cell for cell in cells if cell.reason), None)
        for cells in zip(*by_engine, strict=True)
    ]
    kept = [index for index, cell in enumerate(reasons) if cell is None]
    unsolved = [cell for cell in reasons if cell is not None]
    slips = any(way_out(cell.reason or "") is None for cell in unsolved)
    note = _no_answer(None, unsolved) if kept and not slips else None
    return Cells(*(axis[kept] for axis in grid)), note


def _no_answer(by: str | None, unsolved: Sequence[Solution]) -> PlanNote:
    """Return the note on the cells without an answer; `by` is None for those left out."""
    first = unsolved[0]
    return PlanNote(
        code="no_answer",
        by=by,
        cells=len(unsolved),
        reason=first.reason,
        arguments=dict(first.arguments),
    )


def _cell(
    request: PlanRequest, solved: SolvedDesign, cell: int, solutions: dict[str, list[Solution]]
) -> PlanCell:
    """Return one cell of a plan, with the solutions by both engines and the alternatives."""
    values = {name: cells[cell].value for name, cells in solutions.items()}
    exact, sakai = values.pop("exact"), values.pop("sakai")
    topics = int(solved.topics[cell])
    sizes: dict[str, Any] = {"topics_exact": topics, "topics_sakai": topics}
    if request.solve == "topics":
        sizes = {"topics_exact": exact, "topics_sakai": sakai}
    return PlanCell(
        m=2 if solved.runs is None else int(solved.runs[cell]),
        min_d=float(solved.min_d[cell]),
        topics=topics,
        achieved_power=None if solved.power is None else float(solved.power[cell]),
        variance=float(solved.variance[cell]),
        width=None if solved.width is None else float(solved.width[cell]),
        solved_exact=exact,
        solved_sakai=sakai,
        beside=values,
        **sizes,
    )
