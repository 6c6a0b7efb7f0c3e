"""Runs of a round, with their teams, types and systems."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import team
from roundbook.errors import AlreadyRecordedError, InputError
from roundbook.logbook.lookup import read_round
from roundbook.logbook.result import Result

if TYPE_CHECKING:
    from roundbook.formats import RunTeam

Fact = Literal["team", "type", "contributed_to_pool", "system"]
_FACTS: tuple[Fact, ...] = get_args(Fact)
Pool = Literal[
    "unknown",  # of no run is it known whether it contributed
    "partly known",  # of some runs only
    "part",  # some runs contributed, at least two, and some did not
    "all",  # all runs contributed
    "too few",  # fewer than two did
]


class RunChange(Result):
    """A changed fact on a run, before and after; None is unknown."""

    run: str
    fact: Fact
    was: str | bool | None
    now: str | bool | None


class RecordedRuns(NamedTuple):
    """Runs of a round: ids, contributions to the pool, and teams (None: unknown).

    `described` is the number of runs that are new or have new facts; `changes` are these facts.
    """

    ids: npt.NDArray[np.int64]
    contributed: list[bool | None]
    team_ids: list[int | None]
    described: int
    changes: list[RunChange]


def known_pool(contributed: Sequence[bool | None]) -> Pool:
    """Return how far the pool is known, by whether each run contributed (None: unknown)."""
    if None in contributed:
        return "unknown" if set(contributed) == {None} else "partly known"
    number = sum(map(bool, contributed))
    if number < 2:
        return "too few"
    return "all" if number == len(contributed) else "part"


def pool_changed(changes: Sequence[RunChange]) -> bool:
    """Return whether contributions to the pool are among the changed facts."""
    return any(change.fact == "contributed_to_pool" for change in changes)


def new_teams(
    connection: Connection,
    round_id: int,
    teams: Mapping[str, RunTeam],
    changes: Sequence[RunChange],
) -> list[str]:
    """Return the teams that a team file brings into a task by its `changes` to a round's runs.

    It is empty unless the task had most of the file's teams before: new ones may then be mistyped.
    """
    given = {change.run: change.now for change in changes if change.fact == "team"}
    if not given:
        return []
    values = {"round": round_id, "changed": list(given)}
    before = set(connection.execute(text(_TEAMS_BEFORE), values).scalars())
    names = dict.fromkeys(str(name) for name in given.values() if name is not None)
    new = [name for name in names if name not in before]
    of_file = {run.team.casefold() for run in teams.values() if run.team is not None}
    return new if 2 * len(new) < len(of_file) else []


# The teams of a task's runs, without those that have changed their team.
_TEAMS_BEFORE = """
SELECT DISTINCT team.name
FROM roundbook.round AS own
JOIN roundbook.round ON round.task_id = own.task_id
JOIN roundbook.run ON run.round_id = round.id
JOIN roundbook.team ON team.id = run.team_id
WHERE own.id = :round AND (round.id <> own.id OR run.tag <> ALL (CAST(:changed AS text[])))
"""


def runs_of_round(connection: Connection, round_id: int) -> Sequence[Row[Any]]:
    """Return the runs of a round in the order recorded.

    A row has the ``tag``, whether the run is in a score matrix (``scored``), whether it is in one
    that counts (``counts``), and whether it has lists (``listed``).
    """
    return connection.execute(text(_RUNS_OF_ROUND), {"round": round_id}).all()


_RUNS_OF_ROUND = """
SELECT tag,
       id IN (
           SELECT run_id FROM roundbook.matrix_run
           JOIN roundbook.matrix ON matrix.id = matrix_run.matrix_id
           WHERE matrix.round_id = :round
       ) AS scored,
       id IN (
           SELECT run_id FROM roundbook.matrix_run
           JOIN roundbook.current_matrix ON current_matrix.id = matrix_run.matrix_id
           WHERE current_matrix.round_id = :round
       ) AS counts,
       id IN (SELECT run_id FROM roundbook.uploaded_run) AS listed
FROM roundbook.run
WHERE round_id = :round
ORDER BY id
"""


def record_runs(
    connection: Connection, round_id: int, tags: Sequence[str], teams: Mapping[str, RunTeam]
) -> RecordedRuns:
    """Record the runs of a round with the facts of a team file, and return them.

    Unknown facts on a run are filled in; known ones never change.

    Raises
    ------
    InputError
        When the team file names no run of the matrix.
    AlreadyRecordedError
        When the team file contradicts the record, naming the first such run.
    """
    values = {"round": round_id, "tags": list(tags)}
    described = connection.execute(
        text(
            "INSERT INTO roundbook.run (round_id, tag) SELECT :round, unnest(CAST(:tags AS text[]))"
            " ON CONFLICT DO NOTHING"
        ),
        values,
    ).rowcount
    changes: list[RunChange] = []
    if teams:
        teams = {tag: teams[tag] for tag in tags if tag in teams}
        if not teams:
            raise InputError(
                "The team file names none of the runs in the score files; its first column must"
                " hold the run tags."
            )
        changes, _ = describe_runs(connection, round_id, teams)
        described = max(described, len({change.run for change in changes}))
    rows = connection.execute(
        text(
            "SELECT run.id, run.contributed_to_pool, run.team_id"
            " FROM unnest(CAST(:tags AS text[])) WITH ORDINALITY AS listed (tag, number)"
            " JOIN roundbook.run ON run.round_id = :round AND run.tag = listed.tag ORDER BY number"
        ),
        values,
    ).all()
    ids, contributed, team_ids = map(list, zip(*rows, strict=True))
    numbers = np.array(ids, dtype=np.int64)
    return RecordedRuns(numbers, contributed, team_ids, described, changes)


def describe_runs(
    connection: Connection,
    round_id: int,
    teams: Mapping[str, RunTeam],
    *,
    correct: Collection[str] = (),
) -> tuple[list[RunChange], dict[int, int | None]]:
    """Record the facts of a team file on recorded runs of a round.

    Return the changes, and the former team ids by run id.

    Unknown facts are filled in. Known ones change only where they are among those to `correct`, and
    then become unknown where the file leaves a cell empty.

    Raises
    ------
    AlreadyRecordedError
        When the team file contradicts the record on a fact that is not to be corrected.
    """
    recorded_team = _record_teams(
        connection, [run.team for run in teams.values() if run.team is not None]
    )
    rows = connection.execute(
        text(
            "SELECT run.id, run.tag, run.team_id, team.name AS team, run.type,"
            " run.contributed_to_pool, run.system"
            " FROM roundbook.run LEFT JOIN roundbook.team ON team.id = run.team_id"
            " WHERE run.round_id = :round AND run.tag = ANY (CAST(:tags AS text[])) ORDER BY run.id"
        ),
        {"round": round_id, "tags": list(teams)},
    ).all()
    changes: list[RunChange] = []
    clashes: list[RunChange] = []
    new: dict[int, dict[str, object]] = {}
    for row in rows:
        facts: dict[str, object] = {"id": row.id, "team_id": row.team_id}
        for fact in _FACTS:
            was, value = getattr(row, fact), getattr(teams[row.tag], fact)
            of_team = recorded_team[value] if fact == "team" and value is not None else None
            if of_team is not None:
                value = of_team.name
            now = value if value is not None or fact in correct else was
            facts[fact] = now
            if now != was:
                change = RunChange(run=row.tag, fact=fact, was=was, now=now)
                changes.append(change)
                if was is not None and fact not in correct:
                    clashes.append(change)
                if fact == "team":
                    facts["team_id"] = of_team and of_team.id
                new[row.id] = facts
    if clashes:
        raise _contradiction(connection, round_id, clashes)
    if new:
        _update_runs(connection, list(new.values()))
    return changes, {row.id: row.team_id for row in rows if row.id in new}


def _record_teams(connection: Connection, names: Sequence[str]) -> dict[str, Row[Any]]:
    """Record teams, and return the id and recorded name of each.

    Neither case nor the encoding of accents counts, and a new team keeps its first spelling.
    """

    def folded(name: str) -> str:
        return normalize("NFC", name).casefold()

    # Of names that differ in case only, the first recorded is used.
    known = connection.execute(select(team.c.name).order_by(team.c.id.desc())).scalars()
    recorded = {folded(name): name for name in known}
    spelled = {name: recorded.setdefault(folded(name), name) for name in names}
    values = {"names": sorted(set(spelled.values()))}
    connection.execute(
        text(
            "INSERT INTO roundbook.team (name) SELECT DISTINCT ON (lower(name)) name"
            " FROM unnest(CAST(:names AS text[])) AS listed (name)"
            " ORDER BY lower(name) ON CONFLICT DO NOTHING"
        ),
        values,
    )
    rows = connection.execute(
        text(
            "SELECT listed.name AS spelled, team.id, team.name"
            " FROM unnest(CAST(:names AS text[])) AS listed (name)"
            " JOIN roundbook.team ON lower(team.name) = lower(listed.name)"
        ),
        values,
    )
    by_name = {row.spelled: row for row in rows}
    return {name: by_name[spelling] for name, spelling in spelled.items()}


def _update_runs(connection: Connection, facts: Sequence[dict[str, object]]) -> None:
    """Update the facts of runs by their ids."""
    columns = ("id", "team_id", "type", "contributed_to_pool", "system")
    connection.execute(
        text(
            "UPDATE roundbook.run SET team_id = new_facts.team_id, type = new_facts.type,"
            " contributed_to_pool = new_facts.contributed_to_pool, system = new_facts.system"
            " FROM unnest(CAST(:id AS bigint[]), CAST(:team_id AS bigint[]),"
            " CAST(:type AS text[]), CAST(:contributed_to_pool AS boolean[]),"
            " CAST(:system AS text[]))"
            " AS new_facts (id, team_id, type, contributed_to_pool, system)"
            " WHERE run.id = new_facts.id"
        ),
        {column: [of_run[column] for of_run in facts] for column in columns},
    )


def _contradiction(
    connection: Connection, round_id: int, clashes: Sequence[RunChange]
) -> AlreadyRecordedError:
    row = read_round(connection, round_id)
    first, more = clashes[0], len({clash.run for clash in clashes}) - 1
    others = f" and {more} more" if more else ""
    was, now = (
        ("no", "yes")[value] if isinstance(value, bool) else value
        for value in (first.was, first.now)
    )
    return AlreadyRecordedError(
        f"The team file contradicts the record on run '{first.run}'{others}: {first.fact} is"
        f" '{was}' there and '{now}' in the file. Nothing was written;"
        " check first that the file is of this round.",
        way_out="correct the teams",
        task=row.task,
        round=row.label,
    )
