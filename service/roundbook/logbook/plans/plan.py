"""The model of a plan: a solved grid of designs, with its inputs and its variance."""

from __future__ import annotations

from operator import not_
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from roundbook.logbook.held_order import OutOfOrder
from roundbook.logbook.result import Result
from roundbook.logbook.variance_history import Interval, VarianceHistory, VarianceKind
from roundbook.requests.plans import PAIRED, Engine, PlanDesign, Solve, VarianceOf
from roundbook.statistics.design import DESIGNS

VarianceAt = Literal["pooled", "planning", "latest", "given"]


class PlanCell(Result):
    """One design of the grid with all its quantities, by the plan's engine.

    `m` is 2 if the design compares two runs. `topics_exact` and `topics_sakai` are the sizes by
    each engine, or the given topics if another quantity is solved for; `solved_exact` and
    `solved_sakai` are the quantity solved for by each engine, None if it has no solution. `beside`
    is that quantity by each of the plan's `alternatives`, None without a solution. `achieved_power`
    is None for an interval; `width`, the expected full width of an interval, is None for a test.
    """

    # Earlier plans have sizes at the upper end of an interval as well, which are kept as saved.
    model_config = ConfigDict(extra="allow")

    m: int
    min_d: float
    topics: int
    achieved_power: float | None
    variance: float
    topics_sakai: int
    topics_exact: int
    width: float | None = None
    solved_sakai: float | None = None
    solved_exact: float | None = None
    beside: dict[str, float | None] = Field(default_factory=dict)


class Alternative(Result):
    """An alternative to a plan: the same question by another design or variance.

    `name` is its key in each cell's `beside`: ``planning`` or ``pooled`` (the variance at another
    limit), ``paired`` or ``conservative`` (another variance of a difference), ``anova`` or
    ``tukey`` (another design).
    """

    name: str
    design: PlanDesign
    variance_kind: VarianceKind
    variance_at: VarianceAt
    variance: float


class RoundPower(Result):
    """The power of a round for `m` runs and a difference `min_d`, by its topics and variance.

    `variance` is of the kind that the plan's design takes. `achieved_power` is by the plan's
    engine, `enough` whether it is at least 1 - beta. A power that does not exist is None. The
    `reason` is ``zero_variance``, ``no_two_way_variance``, or a code of
    `roundbook.statistics.design.inputs` with its `arguments`; earlier plans have a sentence in
    place of such a code.
    """

    round: str
    topics: int
    variance: float | None
    m: int
    min_d: float
    achieved_power: float | None
    power_exact: float | None
    power_sakai: float | None
    enough: bool | None
    reason: str | None
    arguments: dict[str, str | float] = Field(default_factory=dict, exclude_if=not_)


class PlanNote(Result):
    """A note on a plan.

    `code` is ``no_two_way_variance`` if a paired design takes the one-way variance and there is no
    two-way one; ``no_planning_variance``, with the code of the `reason`; or ``no_answer`` if some
    `cells` have no solution by an alternative or the other engine, named in `by`; where `by` is
    None, they have none at all and are left out. The `reason` is that of the first such cell, a
    code of `roundbook.statistics.design.inputs` with its `arguments`; earlier plans have a sentence
    in its place. ``latest_not_held_last`` is of a plan by the latest round's variance, if another
    was held after it: `out_of_order` are both.
    """

    code: Literal[
        "no_two_way_variance", "no_planning_variance", "no_answer", "latest_not_held_last"
    ]
    by: str | None = None
    cells: int | None = None
    reason: str | None = None
    arguments: dict[str, str | float] = Field(default_factory=dict, exclude_if=not_)
    out_of_order: OutOfOrder | None = Field(default=None, exclude_if=not_)


class Plan(Result):
    """A grid of designs solved for one quantity, with its inputs.

    The fields of the request come first, see `roundbook.requests.plans.PlanRequest`. `estimate` is
    the variance history that `variance` was taken from, None if it was given. `variance_kind` is
    the kind of variance and `variance_at` the limit taken; `variance_of` is whether the variance of
    a paired difference is twice the two-way (``paired``) or twice the one-way variance
    (``conservative``). `interval` is that of the pooled variance, `variance_planning` the limit
    that about 4 of 5 next rounds stay below. `variance` is None if it is solved for. `rounds` has
    the power of each earlier round.
    """

    # Saved plans are read back by this model: later keys have defaults, and former keys are kept.
    model_config = ConfigDict(extra="allow")

    m: tuple[int, ...]
    min_d: tuple[float, ...]
    topics: tuple[int, ...]
    alpha: float
    beta: float
    engine: Engine
    design: PlanDesign
    solve: Solve
    variance: float | None
    scale: str | None = None
    estimate: VarianceHistory | None = None
    interval: Interval | None = None
    variance_kind: VarianceKind | None = None
    variance_of: VarianceOf | None = None
    variance_at: VarianceAt | None = None
    variance_planning: float | None = None
    alternatives: list[Alternative] = Field(default_factory=list)
    software: str
    cells: list[PlanCell]
    rounds: list[RoundPower] = Field(default_factory=list)
    # In plans saved by earlier versions these are sentences.
    notes: list[PlanNote | str] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _drop_sentences(cls, saved: Any) -> Any:  # noqa: ANN401
        """Drop the sentences of earlier plans, which follow from the other fields."""
        if not isinstance(saved, dict):
            return saved
        return {key: value for key, value in saved.items() if key not in ("warning", "protocol")}


def variance_kind(design: PlanDesign, variance_of: VarianceOf | None) -> VarianceKind:
    """Return the kind of residual variance of a design: two-way if the runs share their topics."""
    shared = DESIGNS[design].shares_topics and variance_of != "conservative"
    return "two-way" if shared else "one-way"


def plan_variance_kind(plan: Plan) -> VarianceKind:
    """Return the kind of residual variance of a plan.

    A variance given for a paired difference may be of either kind, and counts as the one-way one.
    Plans saved before there were two kinds do not name it: from a task they took the one-way.
    """
    if plan.variance_kind is not None:
        return plan.variance_kind
    return "one-way" if plan.design in PAIRED else variance_kind(plan.design, None)


def variance_at(history: VarianceHistory, kind: VarianceKind, at: VarianceAt) -> float | None:
    """Return a task's pooled variance, planning variance or latest round's variance.

    None if it is not known.
    """
    if at == "latest":
        return history.rounds[-1].of_kind(kind).variance
    pooled = history.pooled.of_kind(kind)
    return pooled.variance if at == "pooled" else pooled.planning_variance
