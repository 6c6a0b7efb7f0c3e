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

_LEAST_LIKENESS = 0.82


class NearName(Result):
    """A task or round that was just recorded, and the recorded name that may have been meant."""

    kind: Literal["task", "round"]
    name: str
    near: str


def near_recorded(session: Session, task_name: str, label: str | None = None) -> str | None:
    """Return the task whose name, or the round whose label, a new one may be a misspelling of.

    None if none is similar, if it exists exactly, or if there is no such task.
    """
    name, recorded = _with_recorded(session, task_name, label)
    return None if name in recorded else near_name(name, recorded)


def near_names_of_new(session: Session, task_name: str, label: str | None = None) -> list[NearName]:
    """Return a list of the name, if any, that a task or round just recorded may misspell."""
    name, recorded = _with_recorded(session, task_name, label)
    near = near_name(name, recorded)
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
    return name, [normalize("NFC", row) for row in session.connection.execute(names).scalars()]


def near_name(name: str, recorded: Iterable[str]) -> str | None:
    """Return the recorded name that a new name is most likely a misspelling of, or None.

    ``roud4`` is near ``round4``. Names that differ in digits, in separate single letters or in a
    last letter are different names, since rounds are numbered so: ``round5`` and ``round-b`` are
    not near ``round4`` and ``round-a``.
    """
    letters, numbering = _compared(name)
    likeness: dict[str, float] = {}
    for candidate in recorded:
        its_letters, its_numbering = _compared(candidate)
        if candidate != name and its_numbering == numbering:
            # Two swapped letters are a misspelling even in a short name.
            swapped = sorted(its_letters) == sorted(letters)
            ratio = SequenceMatcher(None, letters, its_letters).ratio()
            likeness[candidate] = 1.0 if swapped else ratio
    best = max(likeness, key=likeness.__getitem__, default=None)
    if best is None or likeness[best] < _LEAST_LIKENESS:
        return None
    its_letters, _ = _compared(best)
    differs_in_last = len(its_letters) == len(letters) and its_letters[:-1] == letters[:-1]
    return None if differs_in_last and its_letters != letters else best


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
    numbering = re.findall(r"[0-9]+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])", folded)
    return re.sub(r"[\W_]+", "", folded), numbering
