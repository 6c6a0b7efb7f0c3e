"""A saved study beside the scores that it was computed from."""

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
    """Yield what of a saved study is not what its scores give.

    One that takes at most a minute is computed again by its seed; of others the inputs are checked.
    Where nothing of the rounds has changed since, all of it is; else it takes from the study what
    was known of the runs then.

    Parameters
    ----------
    today : sequence of Input
        What it would be computed from today.
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
    # A study that an earlier version saved lacks what later ones say.
    as_saved = read.model_dump(mode="json", exclude_unset=True)
    yield from unlike(as_saved, again.model_dump(mode="json"))
    if not unchanged:
        yield from kind.known_then(connection, saved, read)


def _assessed_rounds(read: Study, request: StudyRequest) -> list[tuple[str, Any]]:
    """Return the rounds whose runs and assessments a study is of, with what names these."""
    if read.round is not None:
        return [(read.round, read)] if "qrels" in request.rests_on else []
    rounds = [(one.round, getattr(one, "reassessed", None)) for one in getattr(read, "rounds", ())]
    return [(label, anew) for label, anew in rounds if anew is not None]
