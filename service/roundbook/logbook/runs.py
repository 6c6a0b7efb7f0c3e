"""Runs of a round, with their teams, types and systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from roundbook.errors import AlreadyRecordedError, InputError
from roundbook.formats import RunTeam


class RecordedRuns(NamedTuple):
    """Runs of a round: ids, whether they contributed to the pool, their teams (None: unknown).

    `described` is how many of them were new, or became known better.
    """

    ids: npt.NDArray[np.int64]
    contributed: list[bool | None]
    team_ids: list[int | None]
    described: int


def record_runs(
    connection: Connection, round_id: int, tags: Sequence[str], teams: Mapping[str, RunTeam]
) -> RecordedRuns:
    """Record the runs of a round, with what the team file has of them, and return them.

    What was unknown of a run is filled in; what is known is never changed.

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
    if teams:
        described = max(described, _describe(connection, round_id, tags, teams))
    rows = connection.execute(
        text(
            "SELECT run.id, run.contributed_to_pool, run.team_id"
            " FROM unnest(CAST(:tags AS text[])) WITH ORDINALITY AS listed (tag, number)"
            " JOIN roundbook.run ON run.round_id = :round AND run.tag = listed.tag ORDER BY number"
        ),
        values,
    ).all()
    ids, contributed, team_ids = map(list, zip(*rows, strict=True))
    return RecordedRuns(np.array(ids, dtype=np.int64), contributed, team_ids, described)


def _describe(
    connection: Connection, round_id: int, tags: Sequence[str], teams: Mapping[str, RunTeam]
) -> int:
    """Fill in what the team file has of runs, and return of how many."""
    given = [teams[tag] for tag in tags if tag in teams]
    if not given:
        raise InputError(
            "The team file names none of the runs in the score files; its first column must hold"
            " the run tags."
        )
    facts = {
        "round": round_id,
        "tags": [run.run for run in given],
        "teams": [run.team for run in given],
        "types": [run.type for run in given],
        "pooled": [run.contributed_to_pool for run in given],
        "systems": [run.system for run in given],
    }
    connection.execute(
        text(
            "INSERT INTO roundbook.team (name) SELECT DISTINCT ON (lower(name)) name"
            " FROM unnest(CAST(:teams AS text[])) AS listed (name) WHERE name IS NOT NULL"
            " ORDER BY lower(name) ON CONFLICT DO NOTHING"
        ),
        {"teams": facts["teams"]},
    )
    clash = connection.execute(text(_DESCRIBED + _CLASH), facts).first()
    if clash is not None:
        raise AlreadyRecordedError(
            f"The team file contradicts the record on run '{clash.tag}': {clash.fact} is"
            f" '{clash.recorded}' there and '{clash.given}' in the file. Nothing was written."
        )
    return connection.execute(text(_DESCRIBED + _FILL_IN), facts).rowcount


_DESCRIBED = """
WITH described AS (
    SELECT run.id, run.tag, given.type, given.contributed_to_pool, given.system,
           team.id AS team_id, team.name AS team
    FROM unnest(CAST(:tags AS text[]), CAST(:teams AS text[]), CAST(:types AS text[]),
                CAST(:pooled AS boolean[]), CAST(:systems AS text[]))
         AS given (tag, team, type, contributed_to_pool, system)
    JOIN roundbook.run ON run.round_id = :round AND run.tag = given.tag
    LEFT JOIN roundbook.team ON lower(team.name) = lower(given.team)
)
"""

_CLASH = """
SELECT described.tag, fact.name AS fact, fact.recorded, fact.given
FROM described
JOIN roundbook.run ON run.id = described.id
LEFT JOIN roundbook.team AS was ON was.id = run.team_id
CROSS JOIN LATERAL (VALUES
    ('team', was.name, described.team),
    ('type', run.type, described.type),
    ('contributed_to_pool', run.contributed_to_pool::text, described.contributed_to_pool::text),
    ('system', run.system, described.system)
) AS fact (name, recorded, given)
WHERE fact.recorded <> fact.given
ORDER BY described.id LIMIT 1
"""

_FILL_IN = """
UPDATE roundbook.run SET
    team_id = coalesce(run.team_id, described.team_id),
    type = coalesce(run.type, described.type),
    contributed_to_pool = coalesce(run.contributed_to_pool, described.contributed_to_pool),
    system = coalesce(run.system, described.system)
FROM described
WHERE run.id = described.id
  AND (run.team_id, run.type, run.contributed_to_pool, run.system) IS DISTINCT FROM
      (coalesce(run.team_id, described.team_id), coalesce(run.type, described.type),
       coalesce(run.contributed_to_pool, described.contributed_to_pool),
       coalesce(run.system, described.system))
"""
