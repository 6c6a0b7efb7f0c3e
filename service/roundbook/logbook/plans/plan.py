"""A plan: a grid of designs, solved, with all it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, SerializeAsAny

from roundbook.logbook.plans.design import Design
from roundbook.logbook.plans.rounds import RoundPower
from roundbook.logbook.plans.variance import VarianceAt, VarianceKind, VarianceOf
from roundbook.logbook.pooling import Interval
from roundbook.logbook.result import Result, read_result
from roundbook.statistics.design import Design as DesignName

if TYPE_CHECKING:
    from sqlalchemy import Row

    from roundbook.logbook.variances import VarianceHistory
else:
    # That module loads SQLAlchemy, a third of a second that a plan from a given variance is
    # spared: the model is only fetched to read one back from what was saved.
    def _read_history(value: object) -> object:
        if isinstance(value, dict):
            from roundbook.logbook.variances import VarianceHistory  # noqa: PLC0415

            return VarianceHistory.model_validate(value)
        return value

    VarianceHistory = Annotated[SerializeAsAny[Result], BeforeValidator(_read_history)]


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
    design: DesignName
    variance_kind: VarianceKind
    variance_at: VarianceAt
    variance: float


class Plan(Design):
    """A grid of designs solved for one quantity, with all it rests on.

    `estimate` is the variance history that `variance` was taken from, None where it was given:
    of which kind and at which limit, `variance_kind` and `variance_at` say; `variance_of` says
    whether that of a paired difference is twice the two-way variance (``paired``) or twice the
    one-way (``conservative``). `interval` is the pooled variance's, `variance_planning` the limit
    that 4 of 5 next rounds stay below, `warning` that the rounds disagree about it. `variance` is
    None where it is what is solved for. `rounds` is the power that each earlier round had,
    `protocol` the plan in a paragraph for an overview paper.
    """

    # The keys that came later have defaults: a saved plan is read back by this model.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, extra="allow")

    variance: float | None
    scale: str | None
    estimate: VarianceHistory | None
    interval: Interval | None = None
    variance_kind: VarianceKind | None = None
    variance_of: VarianceOf | None = None
    variance_at: VarianceAt | None = None
    variance_planning: float | None = None
    alternatives: list[Alternative] = Field(default_factory=list)
    warning: str | None = None
    software: str
    cells: list[PlanCell]
    rounds: list[RoundPower] = Field(default_factory=list)
    notes: list[str] = Field(default_factory=list)
    protocol: str = ""


def read_plan(row: Row[Any]) -> Plan:
    """Read a saved plan back, from a row with its `name`, `version` and `result`.

    Raises
    ------
    RecordError
        When it was not Roundbook that saved it.
    """
    return read_result(Plan, row.result, f"Plan '{row.name}', version {row.version},")
