"""Studies as saved results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row

from roundbook.errors import InputError
from roundbook.logbook.input_rows import factors_today, matrices_today
from roundbook.logbook.kinds import Kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input
from roundbook.requests.studies import DiscriminativePowerRequest, StudyRequest, SwapRateRequest

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import Study

_REQUESTS: dict[str, type[StudyRequest]] = {
    "discriminative-power": DiscriminativePowerRequest,
    "swap-rate": SwapRateRequest,
}


def _request(**saved: Any) -> StudyRequest:  # noqa: ANN401
    return _REQUESTS[saved["study"]](**saved)


def _compute(session: Session, request: StudyRequest) -> Study:
    # SciPy takes a third of a second, which a list of studies is spared.
    from roundbook.logbook.studies.studies import run_study  # noqa: PLC0415

    if request.files:
        raise InputError("A study of files rests on nothing in the record: it cannot be saved.")
    return run_study(session, request)


def _asked(request: StudyRequest, study: Study) -> StudyRequest:
    """Name the assessments, even where they are the only ones: others may come."""
    names = ("round", "measure", "assessments")
    return request.model_copy(update={name: getattr(study, name) for name in names})


def _inputs(connection: Connection, study: Study) -> list[Input]:
    task_id = find_task(connection, study.task or "")
    measure_id, _ = find_measure(connection, task_id, study.task or "", study.measure)
    read = matrices_today if study.factor_version is None else factors_today
    return _of_round(read(connection, task_id, measure_id), study.round, study.assessments)


def _today(connection: Connection, task_id: int, request: StudyRequest) -> list[Input]:
    measure_id, _ = find_measure(connection, task_id, request.task or "", request.measure)
    read = matrices_today if set(request.scales) == {"raw"} else factors_today
    return _of_round(read(connection, task_id, measure_id), request.round, request.assessments)


def _of_round(rows: Sequence[Input], label: str | None, assessments: str | None) -> list[Input]:
    # What is known of the runs has no part in these studies.
    return [
        row._replace(known={})
        for row in rows
        if (row.round, row.assessments) == (label, assessments)
    ]


def _renewable(_: Sequence[Change], today: Sequence[Input]) -> bool:
    return bool(today)


def _left_out(_: Mapping[str, Any]) -> list[str]:
    return []


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    figure = "share" if stored["study"] == "discriminative-power" else "overall"
    return {
        **{name: stored.get(name) for name in ("study", "measure", "round", "assessments")},
        "scales": {scale["scale"]: scale[figure] for scale in stored["scales"]},
    }


def _read(stored: object, what: str) -> Result:
    from roundbook.logbook.studies.studies import find_study  # noqa: PLC0415
    from roundbook.logbook.studies.study import Study  # noqa: PLC0415

    name = read_result(Study, stored, what).study
    return read_result(find_study(name).result, stored, what)


def _differences(connection: Connection, saved: Row[Any], read: Study) -> Iterator[dict[str, Any]]:
    from roundbook.logbook.studies.verifying import study_differences  # noqa: PLC0415

    return study_differences(connection, saved, read, _request(**saved.request))


KIND = Kind(
    title="study",
    request=_request,
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
