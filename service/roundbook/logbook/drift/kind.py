"""Drift reports as saved results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row

from roundbook.logbook.input_rows import factors_today, with_other_ids
from roundbook.logbook.kinds import Kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.drift import DriftRequest

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport


def _compute(session: Session, request: DriftRequest) -> DriftReport:
    # SciPy takes a third of a second, which a list of reports is spared.
    from roundbook.logbook.drift.report import report_drift  # noqa: PLC0415

    return report_drift(session, request)


def _asked(request: DriftRequest, report: DriftReport) -> DriftRequest:
    """Name the rounds and the assessments: others may come."""
    return request.model_copy(
        update={
            "task": report.task,
            "measure": report.measure,
            "from_round": report.from_round,
            "to_round": report.to_round,
            "assessments": report.assessments,
        }
    )


def _inputs(connection: Connection, asked: DriftRequest, report: DriftReport) -> list[Input]:
    today = _today(connection, find_task(connection, report.task), asked)
    inputs = {row.round: row for row in today}
    compared = [inputs[report.from_round], inputs[report.to_round]]
    if report.verdict != "unbridged":
        return compared
    # Without shared topics it rests on no run.
    kept = ("collection", "other_ids")
    return [
        row._replace(known={name: row.known[name] for name in kept if name in row.known})
        for row in compared
    ]


def _today(connection: Connection, task_id: int, request: DriftRequest) -> list[Input]:
    measure_id, _ = find_measure(connection, task_id, request.task, request.measure)
    compared = [
        row
        for row in factors_today(connection, task_id, measure_id)
        if row.assessments == request.assessments
        and row.round in (request.from_round, request.to_round)
    ]
    return with_other_ids(connection, task_id, compared)


def _renewable(changes: Sequence[Change], _: Sequence[Input]) -> bool:
    return not any(change.code in ("withdrawn", "gone") for change in changes)


def _left_out(_: Mapping[str, Any]) -> list[str]:
    return []


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    names = ("measure", "assessments", "from", "to", "verdict", "shift", "mean_shift", "sd_ratio")
    brief = {name: stored.get(name) for name in names}
    # The verdict rests on these, where there are any; reports of earlier versions lack them.
    like = stored.get("systems_like_these") or {}
    if like.get("shift") is not None and like.get("sd_ratio") is not None:
        brief |= {name: like[name] for name in ("shift", "sd_ratio")}
    return brief


def _read(stored: object, what: str) -> Result:
    from roundbook.logbook.drift.report import DriftReport  # noqa: PLC0415

    return read_result(DriftReport, stored, what)


def _differences(
    connection: Connection, saved: Row[Any], read: DriftReport
) -> Iterator[Facts | NotComputed]:
    from roundbook.logbook.drift.verifying import report_differences  # noqa: PLC0415

    return report_differences(connection, saved, read, DriftRequest(**saved.request))


KIND = Kind(
    title="drift report",
    request=DriftRequest,
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
