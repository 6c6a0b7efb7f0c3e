"""Verification of saved studies against the scores they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import result_input
from roundbook.errors import RoundbookError
from roundbook.logbook.input_rows import CurrentInputs, saved_inputs
from roundbook.logbook.session import Session, Work
from roundbook.logbook.staleness import BESIDE_SCORES, Input
from roundbook.logbook.studies.kind import KIND
from roundbook.logbook.studies.studies import find_study
from roundbook.logbook.studies.study import MatrixRead, Study
from roundbook.logbook.verifying.differences import Facts, NotComputed, differing, unlike
from roundbook.logbook.verifying.saved_results import changed_since
from roundbook.requests.studies import StudyRequest

_MOST_SECONDS = 60


def study_differences(
    connection: Connection, saved: Row[Any], study: Study, request: StudyRequest
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved study and the same computed from its scores.

    A study of at most a minute is computed again with its seed; of others only the inputs are
    checked. If the rounds have not changed since it was saved, all of it is computed; otherwise the
    facts on the runs at that time are taken from the study.
    """
    stored = saved_inputs(connection, [saved.id])[saved.id]
    positions = select(result_input.c.position).where(result_input.c.result_id == saved.id)
    listed = connection.execute(positions).scalars().all()
    if sorted(listed) != [*range(len(stored))]:
        yield {"what": "inputs", "recorded": 1 + max(listed), "computed": len(stored)}
        return
    differences = list(_input_differences(study, request, stored))
    if differences:
        yield from differences
        return
    kind = find_study(study.study)
    if kind.seconds(study) > _MOST_SECONDS:
        yield NotComputed("long")
        return
    today = KIND.today(CurrentInputs(connection, saved.task_id), request)
    rounds = {row.round for row in today}
    unchanged = today == stored and rounds.isdisjoint(changed_since(connection, saved))
    try:
        again = kind.compute(Session(connection), request, Work(), None if unchanged else study)
    except RoundbookError as error:
        yield {"what": "study", "reason": error}
        return
    computed = again.model_dump(mode="json", by_alias=True)
    yield from unlike(saved.result, computed)
    if not unchanged:
        yield from kind.other_differences(connection, saved, study)


def _input_differences(
    study: Study, request: StudyRequest, stored: Sequence[Input]
) -> Iterator[Facts]:
    """Yield the differences between a study's fields on its inputs and the inputs."""
    scored = [row for row in stored if row.origin not in BESIDE_SCORES]
    if len(scored) != len(study.matrices):
        yield {"what": "inputs", "recorded": len(study.matrices), "computed": len(scored)}
        return
    computed = sorted((MatrixRead(row.matrix, row.version) for row in scored), key=str)
    for pairs in zip(sorted(study.matrices, key=str), computed, strict=True):
        yield from differing(zip(MatrixRead._fields, *pairs, strict=True))
    numbers = {(row.round, str(row.origin)): row.revision for row in stored}
    for label, of_round in _assessed_rounds(study, request):
        yield from differing(
            (field, getattr(of_round, field), numbers.get((label, origin)))
            for origin, field in (("run_upload", "upload"), ("qrels", "revision"))
        )


def _assessed_rounds(study: Study, request: StudyRequest) -> list[tuple[str, Any]]:
    """Return the rounds whose runs and assessments a study uses, with the models that name them."""
    if study.round is not None:
        return [(study.round, study)] if "qrels" in request.rests_on else []
    return [
        (entry.round, entry.reassessed)
        for entry in getattr(study, "rounds", ())
        if getattr(entry, "reassessed", None) is not None
    ]
