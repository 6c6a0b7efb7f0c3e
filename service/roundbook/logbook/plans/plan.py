"""A plan: a grid of designs, solved, with all that it is from, and which variance that is."""

from __future__ import annotations

from operator import not_
from typing import Any, Literal

from pydantic import ConfigDict, Field, model_validator

from roundbook.logbook.result import Result
from roundbook.logbook.variance_history import Interval, VarianceHistory, VarianceKind
from roundbook.requests.plans import PAIRED, Engine, PlanDesign, Solve, VarianceOf
from roundbook.statistics.design import DESIGNS

VarianceAt = Literal["pooled", "planning", "latest", "given"]


class PlanCell(Result):
    """One design of the grid with all its quantities, by the plan's engine.

    `m` is 2 where the design compares two runs. `topics_exact` and `topics_sakai` are the sizes
    by either engine, the topics given where something else is solved for; `solved_exact` and
    `solved_sakai` are what is solved for by either, None where an engine has no answer. `beside`
    is what is solved for by each of the plan's `alternatives`, None where one has no answer.
    `achieved_power` is None for an interval, and `width`, its expected full width, None for a test.
    """

    # Plans saved earlier have sizes at the upper end of an interval, which are kept as they were.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="allow")

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
    """What stands beside a plan: the same question by another design or variance.

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
    engine, `enough` whether it is at least 1 - beta. A power that does not exist is None; where
    `achieved_power` is, `reason` is ``zero_variance``, ``no_two_way_variance``, or a code of
    `roundbook.statistics.design.reasons` with its `arguments`. Plans saved earlier have a sentence
    in place of the latter.
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
    """What to know of a plan beside its numbers.

    `code` is ``no_two_way_variance`` where a paired design took the one-way variance for want of
    the other; ``no_planning_variance``, for a `reason` that is a code; or ``no_answer``, where
    some `cells` have none by an alternative or the other engine, named in `by`: `reason` is why
    the first has none, a code of `roundbook.statistics.design.reasons` with its `arguments`. Plans
    saved earlier have a sentence in its place.
    """

    code: Literal["no_two_way_variance", "no_planning_variance", "no_answer"]
    by: str | None = None
    cells: int | None = None
    reason: str | None = None
    arguments: dict[str, str | float] = Field(default_factory=dict, exclude_if=not_)


class Plan(Result):
    """A grid of designs solved for one quantity, with all that it is from.

    What was asked stands first, see `roundbook.requests.plans.PlanRequest`. `estimate` is the
    variance history that `variance` was taken from, None where it was given: of which kind and at
    which limit, `variance_kind` and `variance_at` say; `variance_of` says whether that of a paired
    difference is twice the two-way variance (``paired``) or twice the one-way (``conservative``).
    `interval` is the pooled variance's, `variance_planning` the limit that 4 of 5 next rounds stay
    below. `variance` is None where it is what is solved for. `rounds` is the power that each
    earlier round had.
    """

    # The keys that came later have defaults, and those of before are kept: a saved plan is read
    # back by this model.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="allow")

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
    # Of plans saved earlier they are sentences.
    notes: list[PlanNote | str] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _drop_sentences(cls, saved: Any) -> Any:  # noqa: ANN401
        """Drop the sentences that plans were saved with: they follow from the rest."""
        if not isinstance(saved, dict):
            return saved
        return {key: value for key, value in saved.items() if key not in ("warning", "protocol")}


def variance_kind(design: PlanDesign, variance_of: VarianceOf | None) -> VarianceKind:
    """Return which residual variance a design takes: two-way where the runs share topics."""
    shared = DESIGNS[design].shares_topics and variance_of != "conservative"
    return "two-way" if shared else "one-way"


def kind_of(plan: Plan) -> VarianceKind | None:
    """Return which residual variance a plan takes; None for a given one of a paired difference.

    Plans saved before there were two kinds do not say so: from a task they took the one-way.
    """
    if plan.variance_kind is not None:
        return plan.variance_kind
    if plan.design in PAIRED:
        return None if plan.estimate is None else "one-way"
    return variance_kind(plan.design, None)


def variance_at(history: VarianceHistory, kind: VarianceKind, at: VarianceAt) -> float | None:
    """Return a task's variance: pooled, the planning variance, or the latest round's.

    None where it is not known.
    """
    if at == "latest":
        return history.rounds[-1].of_kind(kind).variance
    pooled = history.pooled.of_kind(kind)
    if at == "pooled":
        return pooled.variance
    return None if pooled.next_round is None else pooled.next_round.u80
