"""Names of a file as the record has them: however their accents are encoded, whatever their capitals."""

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
    """Return scores and a team file with the names of topics and runs as they are recorded.

    A name that is new is in NFC.

    Raises
    ------
    InputError
        When two names of the scores are one.
    """
    if all(map(str.isascii, (*complete.topics, *complete.runs, *teams))):
        return complete, teams
    topics = recorded_topics(connection, task_id, complete.topics)
    runs = recorded_tags(connection, round_id, [*complete.runs, *teams])
    for what, names, spelled in (("topic", complete.topics, topics), ("run", complete.runs, runs)):
        if len({spelled[name] for name in names}) < len(names):
            raise InputError(
                f"Two {what}s of the scores have one name, with its accents encoded otherwise."
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
    """Return by name how a task's topic of that name is recorded; what is new is in NFC."""
    return _spellings(connection, topic, topic.c.task_id == task_id, names)


def recorded_tags(connection: Connection, round_id: int, tags: Sequence[str]) -> Mapping[str, str]:
    """Return by tag how a round's run of that tag is recorded; what is new is in NFC."""
    return _spellings(connection, run, run.c.round_id == round_id, tags)


def known_names(session: Session, task_name: str, label: str) -> dict[str, set[str]]:
    """Return the names of a task's topics and of a round's runs, as ``topic`` and ``run``.

    Of a task or round that is not there, there are none.
    """
    of_task = select(task.c.id).where(is_named(task.c.name, task_name))
    of_round = select(round_.c.id).where(
        round_.c.task_id.in_(of_task), is_named(round_.c.label, label)
    )
    named = {
        "topic": select(topic.c.name).where(topic.c.task_id.in_(of_task)),
        "run": select(run.c.tag).where(run.c.round_id.in_(of_round)),
    }
    return {what: set(session.connection.execute(names).scalars()) for what, names in named.items()}


def _spellings(
    connection: Connection, table: Table, within: ColumnElement[bool], names: Sequence[str]
) -> dict[str, str]:
    """Return by name how it is recorded."""
    if all(map(str.isascii, names)):
        return {name: name for name in names}
    column = table.c.tag if table is run else table.c.name
    wanted = {name: normalize("NFC", name) for name in names}
    # Names were not always normalised when they were recorded.
    otherwise = select(column).where(within, text(f"{column.name} IS NOT NFC NORMALIZED"))
    recorded = {normalize("NFC", name): name for name in connection.execute(otherwise).scalars()}
    normal = select(column).where(within, column.in_(recorded.keys() & set(wanted.values())))
    # Where both spellings are there, the normal one goes on.
    recorded |= {name: name for name in connection.execute(normal).scalars()}
    return {name: recorded.get(spelled, spelled) for name, spelled in wanted.items()}


def teams_as_recorded(
    connection: Connection, teams: Mapping[str, RunTeam]
) -> Mapping[str, RunTeam]:
    """Return a team file with the names of teams as they are recorded, or as they first come."""
    known = {_folded(name): name for name in connection.execute(_TEAMS).scalars()}
    return {
        tag: facts
        if facts.team is None
        else replace(facts, team=known.setdefault(_folded(facts.team), facts.team))
        for tag, facts in teams.items()
    }


# The first of two that differ in capitals alone goes on.
_TEAMS = select(team.c.name).order_by(team.c.id.desc())


def _folded(name: str) -> str:
    return normalize("NFC", name).casefold()
