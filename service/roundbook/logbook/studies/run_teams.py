"""The teams of a study's runs: as recorded, or from a team file with score files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import read_teams
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import StudyScores
from roundbook.statistics.studies.scoring import team_numbers


def teams_of_runs(
    session: Session | None, loaded: StudyScores, file: Path | None, work: Work
) -> list[str | None]:
    """Return the team of each run of a study, in the order of the columns; None where unknown.

    Names are as spelled; see `numbered_teams`. Hidden cells of the team file are added to those of
    the score files.

    Parameters
    ----------
    session : Session or None
        None for scores in files.
    file : path or None
        The team file for score files.

    Raises
    ------
    InputError
        When score files have no team file, or it names none of their runs.
    NotRecordedError
        When the team of no run is recorded.
    """
    if session is None or loaded.matrix is None:
        if file is None:
            raise InputError(
                "To leave teams out of a score file needs a team file.", way_out="team file"
            )
        listed = read_teams(file, max_bytes=work.max_file_bytes)
        loaded.about["hidden"] += listed.hidden
        teams = [listed[tag].team if tag in listed else None for tag in loaded.runs]
        if set(teams) == {None}:
            raise InputError(
                "The team file names none of the runs in the score files; its first column must"
                " hold the run tags."
            )
        return teams
    ids = set(loaded.matrix.team_ids) - {None}
    rows = session.connection.execute(select(team.c.id, team.c.name).where(team.c.id.in_(ids)))
    names = {row.id: row.name for row in rows}
    if not names:
        task, label = loaded.about["task"], loaded.about["round"]
        raise NotRecordedError(
            f"Which team sent which run of round '{label}' is not recorded.",
            way_out="record the teams",
            task=task,
            round=label,
        )
    return [names.get(number) for number in loaded.matrix.team_ids]


def numbered_teams(teams: list[str | None]) -> NDArray[np.intp]:
    """Return the number of each run's team; names that differ in case are one team."""
    return team_numbers([None if name is None else name.casefold() for name in teams])
