"""The teams of a study's runs: as recorded, or from a team file beside score files."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import select

from roundbook.database.tables import matrix_run, run, team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import read_teams
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import StudyScores


def teams_of_runs(
    session: Session | None, given: StudyScores, file: Path | None, work: Work
) -> list[str | None]:
    """Return the team of each run of a study, in the order of the columns; None where unknown.

    Names are as spelled: a team is one however its name is capitalised, see :func:`folded`. What is
    hidden of the team file is told with what is hidden of the score files.

    Parameters
    ----------
    session : Session or None
        None for scores in files.
    file : path or None
        The team file beside score files.

    Raises
    ------
    InputError
        When score files come without team file, or it names none of their runs.
    NotRecordedError
        When the team of no run is recorded.
    """
    if session is None:
        if file is None:
            raise InputError(
                "To leave teams out of a score file needs a team file.", way_out="team file"
            )
        listed = read_teams(file, max_bytes=work.max_file_bytes)
        given.about["hidden"] += listed.hidden
        teams = [listed[tag].team if tag in listed else None for tag in given.runs]
        if set(teams) == {None}:
            raise InputError(
                "The team file names none of the runs in the score files; its first column must"
                " hold the run tags."
            )
        return teams
    teams = list(
        session.connection.execute(
            select(team.c.name)
            .select_from(matrix_run)
            .join(run, run.c.id == matrix_run.c.run_id)
            .outerjoin(team, team.c.id == run.c.team_id)
            .where(matrix_run.c.matrix_id == given.about["matrix"])
            .order_by(matrix_run.c.position)
        ).scalars()
    )
    if set(teams) == {None}:
        task, label = given.about["task"], given.about["round"]
        raise NotRecordedError(
            f"Which team sent which run of round '{label}' is not recorded.",
            way_out="record the teams",
            task=task,
            round=label,
        )
    return teams


def folded(teams: list[str | None]) -> list[str | None]:
    """Return names of teams so that a team has one, however it is capitalised."""
    return [None if name is None else name.casefold() for name in teams]
