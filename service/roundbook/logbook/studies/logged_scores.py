"""The logged scores of a round beside those that a study computes from its runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roundbook.errors import InputError, NotRecordedError, WithdrawnError
from roundbook.logbook.result import Result
from roundbook.logbook.runs.comparing import compare_scores
from roundbook.logbook.session import Session
from roundbook.requests.run_scores import CompareScores


class LoggedBeside(Result):
    """How many of the logged scores, `cells` of `matrix`, the runs do not give.

    `different` of them differ by more than 0.0001, the `largest` difference whatever its sign.
    """

    matrix: int
    revision: int
    cells: int
    different: int
    largest: float


def logged_beside(
    session: Session | None, about: Mapping[str, Any], measure: str
) -> LoggedBeside | None:
    """Return how the logged scores differ from what the runs give; None where none are logged.

    Parameters
    ----------
    session : Session or None
        None of files, beside which no scores are logged.
    about : mapping
        Fields of a `Study`: its task, round and assessments.
    """
    if session is None:
        return None
    named = {name: about[name] for name in ("task", "round", "assessments")}
    try:
        compared = compare_scores(session, CompareScores(**named, measure=measure, limit=0))
    except (NotRecordedError, WithdrawnError, InputError):
        return None
    if compared.largest is None:
        return None
    return LoggedBeside(**{name: getattr(compared, name) for name in LoggedBeside.model_fields})
