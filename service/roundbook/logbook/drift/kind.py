"""Drift reports as saved results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.logbook.input_rows import CurrentInputs
from roundbook.logbook.kinds import Kind, imported, reading
from roundbook.logbook.measures import measure_among
from roundbook.logbook.staleness import Input
from roundbook.requests.drift import DriftRequest

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport


def _saved_request(request: DriftRequest, report: DriftReport) -> DriftRequest:
    """Return the request with the defaults replaced by the rounds and assessments compared."""
    names = ("task", "measure", "from_round", "to_round", "assessments")
    return request.model_copy(update={name: getattr(report, name) for name in names})


def _inputs(today: list[Input], report: DriftReport) -> list[Input]:
    inputs = {row.round: row for row in today}
    # A round that was withdrawn or renamed since is missing: the report is then computed again.
    compared = [inputs[label] for label in (report.from_round, report.to_round) if label in inputs]
    if report.verdict != "unbridged":
        return compared
    # Without shared topics it does not depend on the facts on runs.
    return [
        row._replace(
            known={name: fact for name, fact in row.known.items() if not name.startswith("runs")}
        )
        for row in compared
    ]


def _today(current: CurrentInputs, request: DriftRequest) -> list[Input]:
    measure = measure_among(current.measures, request.task, request.measure)
    compared = [
        row
        for row in current.of_rounds("factor_set", measure.id)
        if row.assessments == request.assessments
        and row.round in (request.from_round, request.to_round)
    ]
    return current.with_other_ids(compared)


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    names = ("measure", "assessments", "from", "to", "verdict", "shift", "mean_shift", "sd_ratio")
    brief = {name: stored.get(name) for name in names}
    # The verdict is by these figures, if there are any; reports of earlier versions lack them.
    estimates = stored.get("systems_like_these") or {}
    if estimates.get("shift") is not None and estimates.get("sd_ratio") is not None:
        brief |= {name: estimates[name] for name in ("shift", "sd_ratio")}
    return brief


KIND = Kind(
    title="drift report",
    request=DriftRequest,
    compute=imported("drift.report:report_drift"),
    saved_request=_saved_request,
    inputs=_inputs,
    today=_today,
    brief=_brief,
    read=reading("drift.report:DriftReport"),
    differences=imported("drift.verifying:report_differences"),
    renewable=lambda today: len(today) == 2,
    in_event=("from", "to", "verdict"),
    beside=("margin_from",),  # a default that was named is the same
)
