"""A saved study beside the scores that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor_set, result_input
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.studies import find_study
from roundbook.logbook.studies.study import Study
from roundbook.logbook.verifying.differences import Facts, same
from roundbook.requests.studies import StudyRequest

_MOST_SECONDS = 60


def study_differences(
    connection: Connection, saved: Row[Any], read: Study, request: StudyRequest
) -> Iterator[Facts]:
    """Yield what of a saved study is not what its scores give.

    One that takes at most a minute is computed again by its seed; of others the inputs are checked.
    """
    inputs = connection.execute(
        select(
            result_input.c.matrix_id, factor_set.c.matrix_id.label("fitted"), factor_set.c.version
        )
        .outerjoin(factor_set, factor_set.c.id == result_input.c.factor_set_id)
        .where(result_input.c.result_id == saved.id)
    ).all()
    if len(inputs) != 1:
        yield {"what": "inputs", "recorded": 1, "computed": len(inputs)}
        return
    computed = {
        "matrix": inputs[0].matrix_id or inputs[0].fitted,
        "factor_version": inputs[0].version,
    }
    wrong = False
    for what, value in computed.items():
        if getattr(read, what) != value:
            wrong = True
            yield {"what": what, "recorded": getattr(read, what), "computed": value}
    kind = find_study(read.study)
    if wrong or kind.seconds(read) > _MOST_SECONDS:
        return
    again = kind.compute(Session(connection), request, Work(), read)
    yield from _unlike(read.model_dump(mode="json"), again.model_dump(mode="json"), "study")


def _unlike(recorded: Any, computed: Any, what: str) -> Iterator[Facts]:  # noqa: ANN401
    """Yield the first figure that differs of each part."""
    if isinstance(recorded, dict) and isinstance(computed, dict):
        for name in recorded.keys() - {"software"}:
            yield from _unlike(recorded[name], computed.get(name), name)
    elif isinstance(recorded, list) and isinstance(computed, list):
        if len(recorded) != len(computed):
            yield {"what": what, "recorded": len(recorded), "computed": len(computed)}
            return
        for one, other in zip(recorded, computed, strict=True):
            differs = next(_unlike(one, other, what), None)
            if differs is not None:
                yield differs
                return
    elif not same(recorded, computed):
        yield {"what": what, "recorded": recorded, "computed": computed}
