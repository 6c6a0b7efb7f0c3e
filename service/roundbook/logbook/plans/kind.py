"""Plans as saved results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.logbook.input_rows import CurrentInputs
from roundbook.logbook.kinds import Kind, imported, reading
from roundbook.logbook.measures import measure_among
from roundbook.logbook.staleness import Input
from roundbook.requests.plans import PlanRequest

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan


def _saved_request(request: PlanRequest, plan: Plan) -> PlanRequest:
    """Return the request with the assessments named, as later ones may be added."""
    history = plan.estimate
    if history is None:
        return request
    labels = tuple(history.mixed or [history.assessments])
    fields = request.model_dump(exclude_defaults=True)
    if plan.variance_of is not None:
        fields["variance_of"] = plan.variance_of
    return PlanRequest(
        **fields | {"assessments": labels, "task": history.task, "measure": history.measure}
    )


def _inputs(today: list[Input], plan: Plan) -> list[Input]:
    """Return the inputs of a plan: its rounds, and withdrawn ones that count again."""
    assert plan.estimate is not None
    rounds = {row.round for row in plan.estimate.rounds}
    rounds |= {matrix.round for matrix in plan.estimate.withdrawn}
    return [row for row in today if row.round in rounds]


def _today(current: CurrentInputs, request: PlanRequest) -> list[Input]:
    measure = measure_among(current.measures, request.task or "", request.measure or "")
    return current.with_other_ids(current.variances(measure.id, request.assessments, request.scale))


def _left_out(stored: Mapping[str, Any]) -> list[str]:
    return [matrix["round"] for matrix in (stored.get("estimate") or {}).get("withdrawn", ())]


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    sizes = [cell["topics"] for cell in stored.get("cells", ())]
    return {
        "measure": (stored.get("estimate") or {}).get("measure"),
        **{name: stored.get(name) for name in ("scale", "design", "solve", "engine")},
        "fewest_topics": min(sizes, default=None),
        "most_topics": max(sizes, default=None),
    }


KIND = Kind(
    title="plan",
    request=PlanRequest,
    compute=imported("plans.planning:plan_topics"),
    saved_request=_saved_request,
    inputs=_inputs,
    today=_today,
    brief=_brief,
    read=reading("plans.plan:Plan"),
    differences=imported("plans.verifying:plan_differences"),
    left_out=_left_out,
)
