"""What a round's scores would be by the assessments that there had been without some teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import round_, run, team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats.measures import canonical_measure
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.runs.loading import load_assessed_runs
from roundbook.logbook.session import Session
from roundbook.logbook.studies.run_teams import folded
from roundbook.statistics.measures.hits import find_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.studies.pool import find_contributions, judged_shares, pool_depth
from roundbook.statistics.studies.scoring import ReassessedScores, needed_hits, team_numbers


class Reassessed(NamedTuple):
    """A round whose scores can be computed anew without some of its teams.

    Attributes
    ----------
    about
        Fields of a `Study`: of which runs and assessments, and how many runs and topics there are.
    topics
        Names, in the order of the scores' rows.
    runs
        Tags, in the order of the scores' columns.
    contributed
        Whether each run fed the pool, None where it is unknown.
    teams
        Of each run, None where it is unknown.
    team_of_run
        The same as numbers.
    score
        What computes the scores.
    known_depth
        To which rank runs are recorded.
    pool_depth
        To which rank the pooled runs' documents were judged.
    judged_share
        How many of these documents are judged.
    explained_share
        How many of the judged documents one of them is.
    """

    about: dict[str, Any]
    topics: list[str]
    runs: list[str]
    contributed: list[bool | None]
    teams: list[str | None]
    team_of_run: NDArray[np.intp]
    score: ReassessedScores
    known_depth: int
    pool_depth: int
    judged_share: float
    explained_share: float


def load_reassessed(
    session: Session,
    task: str,
    label: str,
    measure: str,
    assessments: str | None,
    depth: int | None,
    team_of_run: Sequence[int] | None = None,
    fed_pool: Sequence[bool | None] | None = None,
) -> Reassessed:
    """Return what computes a round's scores by the assessments that remain without some teams.

    Parameters
    ----------
    depth : int, optional
        Of the pool; by default the largest to which 95% of the pooled runs' documents are judged.
    team_of_run : sequence of int, optional
        The teams' numbers as a saved study has them, in place of those by what is known today.
    fed_pool : sequence of bool or None, optional
        Whether each run contributed to the pool, likewise.

    Raises
    ------
    InputError
        When the runs are not that deep.
    NotRecordedError
        When the round has no runs, no such assessments, or no team or pooled run is recorded.
    ImpossibleStatisticError
        When the measure is none that is computed here, or no pool depth explains the assessments.
    """
    connection = session.connection
    round_id = find_round(connection, find_task(connection, task), task, label)
    row = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    parsed = parse_measure(canonical_measure(measure))
    assessed = load_assessed_runs(connection, row, assessments)
    known = {
        row.id: row
        for row in connection.execute(
            select(run.c.id, run.c.contributed_to_pool, team.c.name)
            .outerjoin(team, team.c.id == run.c.team_id)
            .where(run.c.round_id == round_id)
        )
    }
    ordered = [known[int(run_id)] for run_id in assessed.run_ids]
    contributed_to_pool = list(fed_pool or [row.contributed_to_pool for row in ordered])
    pooled = np.array([flag is True for flag in contributed_to_pool])
    teams = [row.name for row in ordered]
    for missing, what in (
        (set(teams) == {None}, "Which team sent which run"),
        (not pooled.any(), "Which runs contributed to the pool"),
    ):
        if missing:
            raise NotRecordedError(
                f"{what} of round '{row.label}' is not recorded.",
                way_out="record the pool",
                task=task,
                round=row.label,
            )
    shares = judged_shares(assessed.lists, assessed.judgments, pooled)
    if depth is not None and depth > shares.size:
        raise InputError(
            f"The pool of round '{row.label}' cannot be {depth} deep: its runs are recorded to rank"
            f" {shares.size}."
        )
    deep = pool_depth(shares) if depth is None else depth
    hits = find_hits(assessed.lists, assessed.judgments)
    numbers = team_numbers(folded(teams)) if team_of_run is None else np.array(team_of_run)
    contributed = find_contributions(hits, assessed.judgments, numbers, pooled, deep)
    about = {
        "task": task,
        "round": row.label,
        "measure": parsed.name,
        "assessments": assessed.assessments,
        "revision": assessed.revision,
        "upload": assessed.upload_number,
        "topics": len(assessed.topics),
        "runs": len(assessed.runs),
    }
    return Reassessed(
        about,
        assessed.topics,
        assessed.runs,
        contributed_to_pool,
        teams,
        numbers,
        ReassessedScores(
            parsed,
            needed_hits(parsed, hits, assessed.judgments),
            assessed.judgments,
            contributed,
        ),
        shares.size,
        deep,
        float(shares[deep - 1]),
        float(contributed.any(axis=0).mean()),
    )
