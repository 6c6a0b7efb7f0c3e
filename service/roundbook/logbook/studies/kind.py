"""Studies as saved results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row

from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.input_rows import (
    factors_today,
    matrices_today,
    qrels_today,
    uploads_today,
    with_other_ids,
)
from roundbook.logbook.kinds import Kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input
from roundbook.logbook.studies.studies import STUDIES, find_study, run_study
from roundbook.logbook.studies.study import Study
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.studies import StudyRequest


def _request(**saved: Any) -> StudyRequest:  # noqa: ANN401
    return STUDIES[saved["study"]].request(**saved)


def _compute(session: Session, request: StudyRequest) -> Study:
    if request.files:
        raise InputError("A study of files rests on nothing in the record: it cannot be saved.")
    return run_study(session, request)


def _asked(request: StudyRequest, study: Study) -> StudyRequest:
    """Name the assessments, even where they are the only ones: others may come."""
    names = ("round", "measure", "assessments")
    return request.model_copy(update={name: getattr(study, name) for name in names})


def _inputs(connection: Connection, asked: StudyRequest, study: Study) -> list[Input]:
    return _today(connection, find_task(connection, study.task or ""), asked)


def _today(connection: Connection, task_id: int, request: StudyRequest) -> list[Input]:
    rows: list[Input] = []
    rounds = set(request.rounds)
    for origin in request.rests_on:
        if origin in _OF_RUNS:
            rows += _OF_RUNS[origin](connection, task_id)
        else:
            named = request.task or "", request.measure
            try:
                measure_id, _ = find_measure(connection, task_id, *named)
            except NotRecordedError:
                if rows:  # the scores are computed from runs, and none are logged
                    continue
                raise
            scored = _OF_SCORES[origin](connection, task_id, measure_id)
            rows += scored
            if not request.rounds:
                rounds |= {row.round for row in scored}
    of_round = [
        row
        for row in rows
        if row.round in rounds
        and (row.assessments == request.assessments or row.origin == "run_upload")
    ]
    if not request.by_teams:
        return [row._replace(known={}) for row in of_round]
    return with_other_ids(connection, task_id, of_round) if request.shares_topics else of_round


_OF_SCORES = {"matrix": matrices_today, "factor_set": factors_today}
_OF_RUNS = {"run_upload": uploads_today, "qrels": qrels_today}


def _renewable(_: Sequence[Change], today: Sequence[Input]) -> bool:
    return bool(today)


def _left_out(_: Mapping[str, Any]) -> list[str]:
    return []


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    figure = STUDIES[stored["study"]].figure
    return {
        **{name: stored.get(name) for name in ("study", "measure", "round", "assessments")},
        "scales": {scale["scale"]: scale[figure] for scale in stored["scales"]},
    }


def _read(stored: object, what: str) -> Result:
    name = read_result(Study, stored, what).study
    return read_result(find_study(name).result, stored, what)


def _differences(
    connection: Connection, saved: Row[Any], read: Study
) -> Iterator[Facts | NotComputed]:
    from roundbook.logbook.studies.verifying import study_differences  # noqa: PLC0415

    request = _request(**saved.request)
    today = _today(connection, saved.task_id, request)
    return study_differences(connection, saved, read, request, today)


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
