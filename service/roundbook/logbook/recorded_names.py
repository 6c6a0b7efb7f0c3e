"""Recorded spellings of names in files, which may differ in the encoding of accents or in case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING
from unicodedata import normalize

from sqlalchemy import ColumnElement, Connection, Table, select, text

from roundbook.database.tables import round_, run, task, team, topic
from roundbook.errors import InputError
from roundbook.logbook.lookup import is_named
from roundbook.logbook.session import Session

if TYPE_CHECKING:
    from roundbook.formats import CompleteMatrix, RunTeam


def as_recorded(
    connection: Connection,
    task_id: int,
    round_id: int,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
) -> tuple[CompleteMatrix, Mapping[str, RunTeam]]:
    """Return scores and a team file with the recorded names of topics and runs.

    New names are in NFC.

    Raises
    ------
    InputError
        When two names in the scores are the same recorded name.
    """
    if all(map(str.isascii, (*complete.topics, *complete.runs, *teams))):
        return complete, teams
    topics = recorded_topics(connection, task_id, complete.topics)
    runs = recorded_tags(connection, round_id, [*complete.runs, *teams])
    for noun, names, spelled in (("topic", complete.topics, topics), ("run", complete.runs, runs)):
        if len({spelled[name] for name in names}) < len(names):
            raise InputError(
                f"Two {noun}s of the scores have one name, with its accents encoded otherwise."
            )
    named = replace(
        complete,
        topics=tuple(topics[name] for name in complete.topics),
        runs=tuple(runs[name] for name in complete.runs),
    )
    return named, {runs[tag]: replace(facts, run=runs[tag]) for tag, facts in teams.items()}


def recorded_topics(
    connection: Connection, task_id: int, names: Sequence[str]
) -> Mapping[str, str]:
    """Return, by name, the recorded name of a task's topic; new names are in NFC."""
    return _spellings(connection, topic, topic.c.task_id == task_id, names)


def recorded_tags(connection: Connection, round_id: int, tags: Sequence[str]) -> Mapping[str, str]:
    """Return, by tag, the recorded tag of a round's run; new tags are in NFC."""
    return _spellings(connection, run, run.c.round_id == round_id, tags)


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
    connection: Connection, table: Table, within: ColumnElement[bool], names: Sequence[str]
) -> dict[str, str]:
    """Return the recorded spelling of each name."""
    if all(map(str.isascii, names)):
        return {name: name for name in names}
    column = table.c.tag if table is run else table.c.name
    normalised = {name: normalize("NFC", name) for name in names}
    # Earlier versions recorded names without normalising them.
    otherwise = select(column).where(within, text(f"{column.name} IS NOT NFC NORMALIZED"))
    recorded = {normalize("NFC", name): name for name in connection.execute(otherwise).scalars()}
    normal = select(column).where(within, column.in_(recorded.keys() & set(normalised.values())))
    # If both spellings are recorded, the normalised one is used.
    recorded |= {name: name for name in connection.execute(normal).scalars()}
    return {name: recorded.get(spelled, spelled) for name, spelled in normalised.items()}


def teams_as_recorded(
    connection: Connection, teams: Mapping[str, RunTeam]
) -> Mapping[str, RunTeam]:
    """Return a team file with the recorded names of teams; a new team keeps its first spelling."""
    recorded = {_folded(name): name for name in connection.execute(_TEAMS).scalars()}
    return {
        tag: facts
        if facts.team is None
        else replace(facts, team=recorded.setdefault(_folded(facts.team), facts.team))
        for tag, facts in teams.items()
    }


# Of names that differ in case only, the first recorded is used.
_TEAMS = select(team.c.name).order_by(team.c.id.desc())


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
