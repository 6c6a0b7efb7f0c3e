"""Verification of saved studies against the scores they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import result_input, round_
from roundbook.errors import RoundbookError
from roundbook.logbook.drift.known_then import changed_since
from roundbook.logbook.input_rows import saved_inputs
from roundbook.logbook.session import Session, Work
from roundbook.logbook.staleness import Input
from roundbook.logbook.studies.studies import find_study
from roundbook.logbook.studies.study import Study
from roundbook.logbook.verifying.differences import Facts, NotComputed, unlike
from roundbook.requests.studies import StudyRequest

_MOST_SECONDS = 60


def study_differences(
    connection: Connection,
    saved: Row[Any],
    read: Study,
    request: StudyRequest,
    today: Sequence[Input],
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved study and the same computed from its scores.

    A study of at most a minute is computed again with its seed; of others only the inputs are
    checked. If the rounds have not changed since, all of it is computed; otherwise the facts on the
    runs at that time are taken from the study.

    Parameters
    ----------
    today : sequence of Input
        The inputs it would have today.
    """
    stored = saved_inputs(connection, [saved.id])[saved.id]
    positions = select(result_input.c.position).where(result_input.c.result_id == saved.id)
    listed = connection.execute(positions).scalars().all()
    if sorted(listed) != [*range(len(stored))]:
        yield {"what": "inputs", "recorded": 1 + max(listed), "computed": len(stored)}
        return
    scored = [row for row in stored if row.origin in ("matrix", "factor_set")]
    if len(scored) != len(read.matrices):
        yield {"what": "inputs", "recorded": len(read.matrices), "computed": len(scored)}
        return
    computed = sorted(((row.matrix, row.version) for row in scored), key=str)
    wrong = False
    for recorded_pair, computed_pair in zip(sorted(read.matrices, key=str), computed, strict=True):
        for field, recorded, value in zip(
            ("matrix", "factor_version"), recorded_pair, computed_pair, strict=True
        ):
            if recorded != value:
                wrong = True
                yield {"what": field, "recorded": recorded, "computed": value}
    assessed: dict[tuple[str, str], int] = {(row.round, row.origin): row.revision for row in stored}
    for label, of_round in _assessed_rounds(read, request):
        for origin, field in (("run_upload", "upload"), ("qrels", "revision")):
            recorded, number = getattr(of_round, field), assessed.get((label, origin))
            if recorded != number:
                wrong = True
                yield {"what": field, "recorded": recorded, "computed": number}
    if wrong:
        return
    kind = find_study(read.study)
    if kind.seconds(read) > _MOST_SECONDS:
        yield NotComputed("long")
        return
    rounds = select(round_.c.id).where(
        round_.c.task_id == saved.task_id, round_.c.label.in_([row.round for row in today])
    )
    unchanged = list(today) == stored and not changed_since(
        connection, saved, connection.execute(rounds).scalars().all()
    )
    try:
        again = kind.compute(Session(connection), request, Work(), None if unchanged else read)
    except RoundbookError as error:
        yield {"what": "study", "reason": str(error).rstrip(".")}
        return
    # A study saved by an earlier version lacks later fields.
    as_saved = read.model_dump(mode="json", exclude_unset=True)
    yield from unlike(as_saved, again.model_dump(mode="json"), noise=kind.noise(read))
    if not unchanged:
        yield from kind.known_then(connection, saved, read)


def _assessed_rounds(read: Study, request: StudyRequest) -> list[tuple[str, Any]]:
    """Return the rounds whose runs and assessments a study uses, with the models that name them."""
    if read.round is not None:
        return [(read.round, read)] if "qrels" in request.rests_on else []
    rounds = [(one.round, getattr(one, "reassessed", None)) for one in getattr(read, "rounds", ())]
    return [(label, anew) for label, anew in rounds if anew is not None]
