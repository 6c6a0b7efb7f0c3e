"""Studies as saved results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.input_rows import CurrentInputs
from roundbook.logbook.kinds import Kind, imported
from roundbook.logbook.measures import measure_among
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import BESIDE_SCORES, Input
from roundbook.logbook.studies.studies import find_entry, find_study, run_study
from roundbook.requests.studies import StudyRequest

if TYPE_CHECKING:
    from roundbook.logbook.studies.study import Study


def _request(**saved: Any) -> StudyRequest:  # noqa: ANN401
    return find_entry(str(saved.get("study", ""))).request(**saved)


def _compute(session: Session, request: StudyRequest) -> Study:
    if request.files:
        raise InputError("A study of files rests on nothing in the record: it cannot be saved.")
    return run_study(session, request)


def _saved_request(request: StudyRequest, study: Study) -> StudyRequest:
    """Return the request with the assessments named, as later ones may be added."""
    names = ("round", "measure", "assessments")
    return request.model_copy(update={name: getattr(study, name) for name in names})


def _today(current: CurrentInputs, request: StudyRequest) -> list[Input]:
    rows: list[Input] = []
    rounds = set(request.rounds)
    for origin in request.rests_on:
        if origin in BESIDE_SCORES:
            rows += current.of_rounds(origin)
            continue
        try:
            measure = measure_among(current.measures, request.task or "", request.measure)
        except NotRecordedError:
            if rows:  # the scores are computed from runs, and none are logged
                continue
            raise
        scored = current.of_rounds(origin, measure.id)
        rows += scored
        if not request.rounds:
            rounds |= {row.round for row in scored}
    of_round = [
        row
        for row in rows
        if row.round in rounds
        and (row.assessments == request.assessments or row.origin == "run_upload")
    ]
    if not request.by_teams:  # it depends on the scores alone
        return [row._replace(known={}) for row in of_round]
    return current.with_other_ids(of_round) if request.shares_topics else of_round


def _brief(stored: Mapping[str, Any]) -> dict[str, Any]:
    figure = find_entry(stored["study"]).figure
    return {
        **{name: stored.get(name) for name in ("study", "measure", "round", "assessments")},
        "scales": {scale["scale"]: scale[figure] for scale in stored["scales"]},
    }


def _read(stored: object, description: str) -> Result:
    from roundbook.logbook.studies.study import Study  # noqa: PLC0415  # it needs NumPy

    name = read_result(Study, stored, description).study
    return read_result(find_study(name).result, stored, description)


KIND = Kind(
    title="study",
    request=_request,
    compute=_compute,
    saved_request=_saved_request,
    today=_today,
    brief=_brief,
    read=_read,
    differences=imported("studies.verifying:study_differences"),
)
