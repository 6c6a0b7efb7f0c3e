"""Tables of names: team files, and files of the other ids under which topics returned."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.columns import TextTable
from roundbook.formats.matrix import HiddenCells
from roundbook.formats.reader import read_table
from roundbook.formats.table import RUN_HEADERS, TEAM_HEADERS, checked_name, quoted
from roundbook.formats.text import decoded, read_bytes
from roundbook.limits import LARGEST_FILE

_RUN = RUN_HEADERS[:1]  # a system has a column of its own here
_TYPE = (("type", "run_type", "runtype"),)
_POOL = (("contributed_to_pool",), ("contributed", "pooled", "in_pool", "pool"))
_SYSTEM = (("system", "system_id", "system_name"),)
# A refusal names at most so many columns.
_NAMED = 5
# What programs write for a name that is not known.
_UNKNOWN = re.compile(r"nan|n/?a|null|none|-+", re.IGNORECASE)
_ANSWERS = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False, "": None}

_OF_TOPIC_IDS = {
    "topic": (("topic", "topic_id"),),
    "round": (("round",),),
    "id": (("id", "id_there", "other_id", "alias"),),
}


@dataclass(frozen=True)
class RunTeam:
    """A run's row in a team file.

    Attributes
    ----------
    run, team : str
        As spelled in the file; RUIR and ruir are two teams here.
    type : str or None
        Such as ``automatic`` or ``manual``; None if the file does not give it.
    contributed_to_pool : bool or None
        None if the file does not give it.
    system : str or None
        The name of the run's system, the same in every round.
    """

    run: str
    team: str
    type: str | None
    contributed_to_pool: bool | None
    system: str | None


class RunTeams(dict[str, RunTeam]):
    """The rows of a team file by run tag, in its order, and the `hidden` parts of a workbook.

    `facts` are the fields of `RunTeam` that it has a column for, `unread` the headings of columns
    that hold nothing that is known of a team file.
    """

    hidden: tuple[HiddenCells, ...] = ()
    facts: frozenset[str] = frozenset()
    unread: tuple[str, ...] = ()


def read_teams(path: Path | str, max_bytes: int = LARGEST_FILE) -> RunTeams:
    """Read a table ``run,team[,type][,contributed_to_pool][,system]``.

    Raises
    ------
    BadFileError
        If the file cannot be read, lacks a column, or names a run twice; if a team or a system is
        a placeholder such as ``n/a``.
    """
    table = read_table(path, max_bytes)
    file = table.file
    run_at, team_at, type_at, pool_at, system_at = read_at = tuple(
        map(table.named_column, (_RUN, TEAM_HEADERS, _TYPE, _POOL, _SYSTEM))
    )
    if run_at is None or team_at is None:
        missing = "run" if run_at is None else "team"
        first = ", ".join(quoted(heading.strip()) for heading in table.header[:_NAMED])
        more = f" and {len(table.header) - _NAMED:,} more" if len(table.header) > _NAMED else ""
        reason = f"a team file needs a column {missing!r}; this one has {first}{more}"
        raise BadFileError(reason, file, table.header_line)
    teams = RunTeams()
    headings = (heading.strip() for at, heading in enumerate(table.header) if at not in read_at)
    teams.unread = tuple(filter(None, headings))
    fact_at = {"type": type_at, "contributed_to_pool": pool_at, "system": system_at}
    teams.facts = frozenset({"team", *(fact for fact, at in fact_at.items() if at is not None)})
    if table.hidden is not None:
        teams.hidden = (table.hidden,)
    lines: dict[str, int] = {}
    for line, fields in table.rows():
        run = checked_name(fields[run_at], "run", file, line, run_at + 1)
        if run in lines:
            raise BadFileError(
                f"the run {run} is already on line {lines[run]}; keep one", file, line, run_at + 1
            )
        lines[run] = line
        for at, noun, remedy in (
            (team_at, "team", "leave out the runs whose team is unknown"),
            (system_at, "system", "leave the cell empty where it is unknown"),
        ):
            if at is not None and _UNKNOWN.fullmatch(fields[at].strip()):
                reason = f"{quoted(fields[at].strip())} is no {noun}; {remedy}"
                raise BadFileError(reason, file, line, at + 1)
        teams[run] = RunTeam(
            run=run,
            team=checked_name(fields[team_at], "team", file, line, team_at + 1),
            type=_optional(fields, type_at, "type", file, line),
            contributed_to_pool=_answer(fields, pool_at, file, line),
            system=_optional(fields, system_at, "system", file, line),
        )
    return teams


def _optional(
    fields: list[str], at: int | None, noun: str, file: str, line: int | None
) -> str | None:
    if at is None or not fields[at].strip():
        return None
    return checked_name(fields[at], noun, file, line, at + 1)


def _answer(fields: list[str], at: int | None, file: str, line: int) -> bool | None:
    if at is None:
        return None
    answer = fields[at].strip().lower()
    if answer not in _ANSWERS:
        reason = (
            f"{quoted(fields[at].strip())} does not say whether the run contributed to the pool; "
            "write yes or no, or leave it empty"
        )
        raise BadFileError(reason, file, line, at + 1)
    return _ANSWERS[answer]


class TopicId(NamedTuple):
    """A row: a topic, a round, and the topic's id in that round."""

    topic: str
    round: str
    id: str
    file: str
    line: int


def read_topic_ids(path: Path | str, max_bytes: int) -> list[TopicId]:
    """Return the rows of a CSV or TSV file ``topic,round,id``, in its order."""
    file, _, data = read_bytes(path, max_bytes)
    table = TextTable(decoded(file, data))
    columns: dict[str, int] = {}
    for column, names in _OF_TOPIC_IDS.items():
        at = table.named_column(names)
        if at is None:
            raise BadFileError(
                f"a file of topic ids needs the columns topic, round and id; {column!r} is missing",
                file,
                table.header_line,
            )
        columns[column] = at
    ids = []
    for line, fields in table.rows():
        topic, round_, other_id = (
            checked_name(fields[at], column, file, line, at + 1) for column, at in columns.items()
        )
        ids.append(TopicId(topic, round_, other_id, file, line))
    return ids
