"""What was understood of a score file before it is logged, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.matrices.logged import LoggedMatrix

_NAMED = 4


def understood(logged: LoggedMatrix, topics: Sequence[str], runs: Sequence[str]) -> dict[str, str]:
    """Return what was understood of a score file, by what it is of."""
    variances = ", ".join(f"{value:.5f} {scale}" for scale, value in logged.variances.items())
    facts = {
        "Measure": f"{logged.measure}, {logged.assessments} assessments",
        "Layout": logged.layout,
        "Topics": f"{logged.topics}: {names(topics)}",
        "Runs": f"{logged.runs}: {names(runs)}",
        "Missing scores": _missing(logged),
        "Variance": variances,
    }
    if logged.status == "unchanged":
        return facts | {"Revision": f"{logged.revision}, with these very scores"}
    replaces = f", in place of {logged.revision - 1}" if logged.revision > 1 else ""
    return facts | {"Revision": f"{logged.revision}{replaces}"}


def near_note(what: str, name: str, near: str | None) -> str | None:
    """Return that something new has nearly the name of another one; None where it has not.

    Parameters
    ----------
    what : str
        What it is, as ``round``.
    """
    return near and f"The {what} {name} is new. Did you mean {near}?"


def names(listed: Sequence[str]) -> str:
    """Return the first names and the last."""
    if len(listed) <= _NAMED + 1:
        return ", ".join(listed)
    return f"{', '.join(listed[:_NAMED])}, … {listed[-1]}"


def _missing(logged: LoggedMatrix) -> str:
    if not logged.missing_cells:
        return "none"
    dropped = len(logged.dropped_topics)
    how = f"{dropped} topics left out" if dropped else "counted as 0"
    return f"{logged.missing_cells}, {how}"
