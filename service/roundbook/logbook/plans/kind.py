"""Plans as saved results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row

from roundbook.logbook.input_rows import estimate_input, estimates_today, with_other_ids
from roundbook.logbook.kinds import Kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.plans import PlanRequest

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan


def _compute(session: Session, request: PlanRequest) -> Plan:
    # SciPy takes a third of a second, which a list of plans is spared.
    from roundbook.logbook.plans.planning import plan_topics  # noqa: PLC0415

    return plan_topics(session, request)


def _asked(request: PlanRequest, plan: Plan) -> PlanRequest:
    """Name the assessments, even where they are the only ones: others may come."""
    history = plan.estimate
    if history is None:
        return request
    labels = tuple(history.mixed or [history.assessments])
    given = request.model_dump(exclude_defaults=True)
    if plan.variance_of is not None:
        given["variance_of"] = plan.variance_of
    return PlanRequest(
        **given | {"assessments": labels, "task": history.task, "measure": history.measure}
    )


def _inputs(connection: Connection, _: PlanRequest, plan: Plan) -> list[Input]:
    if plan.estimate is None:
        return []
    inputs = list(map(estimate_input, plan.estimate.rounds))
    return with_other_ids(connection, find_task(connection, plan.estimate.task), inputs)


def _today(connection: Connection, task_id: int, request: PlanRequest) -> list[Input]:
    measure_id, _ = find_measure(connection, task_id, request.task or "", request.measure or "")
    counting = estimates_today(connection, task_id, measure_id, request.scale)
    # Of several assessments, a round counts by the first of them that it has.
    by_round = {
        row.ordinal: row
        for label in reversed(request.assessments)
        for row in counting
        if row.assessments == label
    }
    counted = [by_round[ordinal] for ordinal in sorted(by_round)]
    return with_other_ids(connection, task_id, counted)


def _renewable(_: Sequence[Change], today: Sequence[Input]) -> bool:
    return bool(today)


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


def _read(stored: object, what: str) -> Result:
    from roundbook.logbook.plans.plan import Plan  # noqa: PLC0415

    return read_result(Plan, stored, what)


def _differences(
    connection: Connection, saved: Row[Any], read: Plan
) -> Iterator[Facts | NotComputed]:
    from roundbook.logbook.plans.verifying import plan_differences  # noqa: PLC0415

    return plan_differences(connection, saved, read, PlanRequest(**saved.request))


KIND = Kind(
    title="plan",
    request=PlanRequest,
    compute=_compute,
    asked=_asked,
    inputs=_inputs,
    today=_today,
    renewable=_renewable,
    left_out=_left_out,
    brief=_brief,
    read=_read,
    differences=_differences,
)
