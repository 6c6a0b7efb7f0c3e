"""The teams of a study's runs: as recorded, or from a team file beside files of scores or runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import run, team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import read_teams
from roundbook.logbook.session import Session, Work
from roundbook.statistics.studies.scoring import team_numbers

if TYPE_CHECKING:
    from roundbook.logbook.runs.storing import AssessedRuns
    from roundbook.logbook.studies.scores import StudyScores


def teams_of_runs(
    session: Session | None,
    loaded: StudyScores | AssessedRuns,
    file: Path | None,
    work: Work,
    way_out: str = "record the teams",
) -> tuple[list[str | None], list[bool | None]]:
    """Return the team of each run of a study, and whether it contributed to the pool.

    None where unknown. Names are as spelled; see `numbered_teams`. Hidden cells of the team file
    are added to those of the other files.

    `file` is the team file of scores or runs in files, for which there is no session, and `way_out`
    that from a round of which no team is recorded.

    Raises
    ------
    InputError
        When files have no team file, or it names none of their runs.
    NotRecordedError
        When the team of no run is recorded.
    """
    if session is None:
        if file is None:
            raise InputError(
                "To leave teams out of a score file needs a team file.", way_out="team file"
            )
        listed = read_teams(file, max_bytes=work.max_file_bytes)
        loaded.about["hidden"] = [*loaded.about.get("hidden", ()), *listed.hidden]
        rows = [listed.get(tag) for tag in loaded.runs]
        teams = [None if row is None else row.team for row in rows]
        contributed = [None if row is None else row.contributed_to_pool for row in rows]
        if set(teams) == {None}:
            raise InputError(
                "The team file names none of the runs; its first column must hold the run tags."
            )
        return teams, contributed
    query = (
        select(run.c.id, team.c.name, run.c.contributed_to_pool)
        .outerjoin(team, team.c.id == run.c.team_id)
        .where(run.c.id.in_(loaded.run_ids.tolist()))
    )
    facts = {number: of_run for number, *of_run in session.connection.execute(query)}
    names, fed_pool = zip(*(facts[number] for number in loaded.run_ids.tolist()), strict=True)
    if set(names) == {None}:
        raise not_recorded("Which team sent which run", loaded.about, way_out)
    return list(names), list(fed_pool)


def not_recorded(fact: str, about: Mapping[str, Any], way_out: str) -> NotRecordedError:
    """Return the error for a fact on the runs of a round that is not recorded."""
    return NotRecordedError(
        f"{fact} of round '{about['round']}' is not recorded.",
        way_out=way_out,
        task=about["task"],
        round=about["round"],
    )


def numbered_teams(teams: list[str | None]) -> NDArray[np.intp]:
    """Return the number of each run's team; names that differ in case are one team."""
    return team_numbers([None if name is None else name.casefold() for name in teams])
