"""Similar recorded names, to catch typing errors in new names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Literal
from unicodedata import normalize

from sqlalchemy import select

from roundbook.database.tables import round_, task
from roundbook.logbook.lookup import check_name, is_named
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.measure_names import FAMILIES, is_known_measure

_LEAST_ALIKE = 0.82


class NearName(Result):
    """A task or round that was just made, and the recorded one that may have been meant."""

    kind: Literal["task", "round"]
    name: str
    near: str


def near_recorded(session: Session, task_name: str, label: str | None = None) -> str | None:
    """Return the task whose name, or the round whose label, a new one may be a misspelling of.

    None if none is similar, if it exists exactly, or if there is no such task.
    """
    name, known = _with_recorded(session, task_name, label)
    return None if name in known else near_name(name, known)


def near_made(session: Session, task_name: str, label: str | None = None) -> list[NearName]:
    """Return the one near name, if any, of a task, or of a round of it, that was just made."""
    name, known = _with_recorded(session, task_name, label)
    near = near_name(name, known)
    kind: Literal["task", "round"] = "task" if label is None else "round"
    return [NearName(kind=kind, name=name, near=near)] if near else []


def _with_recorded(session: Session, task_name: str, label: str | None) -> tuple[str, list[str]]:
    """Return the name of a task, or of a round of it, and the recorded ones of its kind."""
    if label is None:
        name, names = check_name("task", task_name), select(task.c.name).order_by(task.c.id)
    else:
        name = check_name("round", label)
        of_task = select(task.c.id).where(is_named(task.c.name, task_name))
        names = (
            select(round_.c.label).where(round_.c.task_id.in_(of_task)).order_by(round_.c.ordinal)
        )
    return name, [normalize("NFC", other) for other in session.connection.execute(names).scalars()]


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a new one is most likely a misspelling of, or None.

    ``roud4`` is near ``round4``. Names that differ in digits, in separate single letters or in a
    last letter are different names, since rounds are numbered so: ``round5`` and ``round-b`` are
    not near ``round4`` and ``round-a``.
    """
    wanted, counted_by = _compared(name)
    likeness: dict[str, float] = {}
    for other in known:
        there, other_counted_by = _compared(other)
        if other != name and other_counted_by == counted_by:
            # Two swapped letters are a misspelling even in a short name.
            swapped = sorted(there) == sorted(wanted)
            likeness[other] = 1.0 if swapped else SequenceMatcher(None, wanted, there).ratio()
    best = max(likeness, key=likeness.__getitem__, default=None)
    if best is None or likeness[best] < _LEAST_ALIKE:
        return None
    there, _ = _compared(best)
    if len(there) == len(wanted) and there[:-1] == wanted[:-1] and there != wanted:
        return None
    return best


def near_measure(name: str) -> str | None:
    """Return the known measure that a name is most likely a misspelling of, or None.

    Parameters
    ----------
    name : str
        A canonical name; its parameters and cutoff stay as they are.
    """
    if is_known_measure(name):
        return None
    family = re.split(r"[(@]", name, maxsplit=1)[0]
    near = near_name(family, FAMILIES)
    return None if near is None else near + name.removeprefix(family)


def _compared(name: str) -> tuple[str, list[str]]:
    """Return the letters and digits of a name, and its numbers and separate single letters."""
    folded = name.casefold()
    counted_by = re.findall(r"[0-9]+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])", folded)
    return re.sub(r"[\W_]+", "", folded), counted_by
