"""Names: what they may be, their spelling in a record, and slips for recorded ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Literal
from unicodedata import normalize

from sqlalchemy import Column, ColumnElement, Connection, func, select, text

from roundbook.database.table_parts import among
from roundbook.database.tables import round_, run, task, topic
from roundbook.errors import InputError
from roundbook.limits import LONGEST_NAME, LONGEST_TEXT
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session

if TYPE_CHECKING:
    from roundbook.formats import CompleteMatrix, RunTeam

_LEAST_LIKENESS = 0.82


def check_name(noun: str, name: str) -> str:
    """Return a name in NFC, without surrounding space; refuse what cannot be one."""
    name = normalize("NFC", name.strip())
    article = "An" if noun.startswith(tuple("aeiou")) else "A"
    if not name or not name.isprintable() or len(name) > LONGEST_NAME:
        raise InputError(
            f"{article} {noun} needs a printable name of at most {LONGEST_NAME} characters."
        )
    if name.startswith("-"):
        raise InputError(
            f"{article} {noun} needs a name that does not begin with '-', as an option does: not"
            f" '{name}'.",
            name=name,
        )
    return name


def is_named(column: Column[str], name: str) -> ColumnElement[bool]:
    """Return the condition that a column holds a name, however its accents are encoded."""
    name = normalize("NFC", name.strip())
    # Earlier versions recorded names without normalising them.
    return column == name if name.isascii() else func.normalize(column) == name


def check_text(noun: str, text: str | None) -> str | None:
    """Return a free text without surrounding space, None if it is empty; refuse more than a line."""
    if text is not None and (len(text) > LONGEST_TEXT or not text.isprintable()):
        raise InputError(
            f"The {noun} must be one line of at most {LONGEST_TEXT:,} characters, without control"
            " characters."
        )
    return (text and text.strip()) or None


def check_reason(reason: str | None) -> str | None:
    """Return a reason without surrounding space; refuse an empty one."""
    checked = check_text("reason", reason)
    if reason is not None and checked is None:
        raise InputError("The reason given is empty; say in it what changed, and why.")
    return checked


class NearName(Result):
    """A task or round that was just recorded, and the recorded name that may have been meant."""

    kind: Literal["task", "round"]
    name: str
    near: str


def near_recorded(
    session: Session, task_name: str, label: str | None = None, *, is_new: bool = False
) -> list[NearName]:
    """Return a list of the name, if any, that a new task, or a new round of it, may misspell.

    It is empty if none is similar, if there is no such task, or if the name is recorded exactly,
    unless it `is_new`, just recorded.
    """
    kind: Literal["task", "round"] = "task" if label is None else "round"
    name = check_name(kind, task_name if label is None else label)
    if kind == "task":
        names = select(task.c.name).order_by(task.c.id)
    else:
        of_task = select(task.c.id).where(is_named(task.c.name, task_name))
        names = (
            select(round_.c.label).where(round_.c.task_id.in_(of_task)).order_by(round_.c.ordinal)
        )
    recorded = [normalize("NFC", row) for row in session.connection.execute(names).scalars()]
    near = near_name(name, recorded) if is_new or name not in recorded else None
    return [NearName(kind=kind, name=name, near=near)] if near else []


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


def _compared(name: str) -> tuple[str, list[str]]:
    """Return the letters and digits of a name, and its numbers and separate single letters."""
    folded = name.casefold()
    numbering = re.findall(r"[0-9]+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])", folded)
    return re.sub(r"[\W_]+", "", folded), numbering


def as_recorded(
    connection: Connection,
    task_id: int,
    round_id: int,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
) -> tuple[CompleteMatrix, Mapping[str, RunTeam]]:
    """Return scores and a team file with the recorded names of topics and runs.

    New names are in NFC. Two names in the scores that are one recorded name are refused.
    """
    if all(map(str.isascii, (*complete.topics, *complete.runs, *teams))):
        return complete, teams
    of_round = run.c.round_id == round_id
    runs = _spellings(connection, run.c.tag, of_round, [*complete.runs, *teams])
    of_matrix = {tag: runs[tag] for tag in complete.runs}
    named = replace(
        complete,
        topics=tuple(recorded_topics(connection, task_id, complete.topics, "scores")),
        runs=tuple(_distinct("run", of_matrix, "scores")),
    )
    return named, {runs[tag]: replace(facts, run=runs[tag]) for tag, facts in teams.items()}


def recorded_topics(
    connection: Connection, task_id: int, names: Sequence[str], source: str = "files"
) -> list[str]:
    """Return the recorded names of a task's topics; new names are in NFC.

    Two names in the source that are one recorded name are refused.
    """
    of_task = topic.c.task_id == task_id
    return _distinct("topic", _spellings(connection, topic.c.name, of_task, names), source)


def recorded_tags(connection: Connection, round_id: int, tags: Sequence[str]) -> list[str]:
    """Return the recorded tags of a round's runs, as `recorded_topics` does names of topics."""
    of_round = run.c.round_id == round_id
    return _distinct("run", _spellings(connection, run.c.tag, of_round, tags), "files")


def _distinct(noun: str, recorded: Mapping[str, str], source: str) -> list[str]:
    names = list(recorded.values())
    if len(set(names)) < len(names):
        raise InputError(
            f"Two {noun}s of the {source} have one name, with its accents encoded otherwise."
        )
    return names


def known_names(session: Session, task_name: str, label: str) -> dict[str, set[str]]:
    """Return the names of a task's topics and of a round's runs, as ``topic`` and ``run``.

    Empty for a task or round that does not exist.
    """
    of_task = select(task.c.id).where(is_named(task.c.name, task_name))
    of_round = select(round_.c.id).where(
        round_.c.task_id.in_(of_task), is_named(round_.c.label, label)
    )
    named = {
        "topic": select(topic.c.name).where(topic.c.task_id.in_(of_task)),
        "run": select(run.c.tag).where(run.c.round_id.in_(of_round)),
    }
    return {kind: set(session.connection.execute(names).scalars()) for kind, names in named.items()}


def _spellings(
    connection: Connection, column: Column[str], within: ColumnElement[bool], names: Sequence[str]
) -> dict[str, str]:
    """Return the recorded spelling of each name."""
    if all(map(str.isascii, names)):
        return {name: name for name in names}
    normalised = {name: normalize("NFC", name) for name in names}
    # Earlier versions recorded names without normalising them.
    otherwise = select(column).where(within, text(f"{column.name} IS NOT NFC NORMALIZED"))
    recorded = {normalize("NFC", name): name for name in connection.execute(otherwise).scalars()}
    normal = select(column).where(within, among(column, recorded.keys() & set(normalised.values())))
    # If both spellings are recorded, the normalised one is used.
    recorded |= {name: name for name in connection.execute(normal).scalars()}
    return {name: recorded.get(spelled, spelled) for name, spelled in normalised.items()}
