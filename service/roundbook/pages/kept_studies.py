"""Studies that pages have shown, kept for their charts' files, and for whoever looks again."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from roundbook.logbook.kinds import find_kind
from roundbook.logbook.saving import ComputedResult, compute_result
from roundbook.logbook.session import Session
from roundbook.logbook.studies.study import Study
from roundbook.requests.studies import StudyRequest

_MOST = 16
_KEPT: OrderedDict[tuple[str, str], ComputedResult] = OrderedDict()
_LOCK = Lock()


def run_kept_study(session: Session, request: StudyRequest) -> Study:
    """Compute a study, or return the one kept if what it rests on is the same today.

    Raises
    ------
    RoundbookError
        As `run_study`.
    """
    # Two services in one process may have records of their own.
    key = (str(session.connection.engine.url), request.model_dump_json())
    kept = _KEPT.get(key)
    if kept is None or kept.inputs != find_kind("study").inputs(
        session.connection, kept.asked, kept.result
    ):
        kept = compute_result(session, "study", request)
    with _LOCK:
        _KEPT[key] = kept
        _KEPT.move_to_end(key)
        while len(_KEPT) > _MOST:
            _KEPT.popitem(last=False)
    assert isinstance(kept.result, Study)
    return kept.result
