"""The runs that leave-one-out is of: of a round, of files, or scored anew by fewer assessments."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import factor_set, matrix
from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.factors import standardising_runs
from roundbook.logbook.fitting import standardising_mask
from roundbook.logbook.lookup import find_factor_set, find_series
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import load_matrix
from roundbook.logbook.studies.reassessing import Reassessed
from roundbook.logbook.studies.run_teams import folded, teams_of_runs
from roundbook.logbook.studies.scores import (
    StudyScores,
    matrix_scores,
    read_whole,
    study_scores,
)
from roundbook.requests.studies import LeaveOneOutRequest
from roundbook.statistics.studies.scoring import SameScores, Scoring, team_numbers


class GivenRuns(NamedTuple):
    """What the study is of: fields of it, the scores, and what is known of the runs.

    `teams` is None to leave out run by run, and `groups` numbers what is left out together.
    """

    about: dict[str, Any]
    score: Scoring
    topics: list[str]
    runs: list[str]
    teams: list[str | None] | None
    groups: NDArray[np.intp]
    standardising: NDArray[np.bool_]


class KnownScores(Protocol):
    """The scores that a saved study is of, which has these fields."""

    @property
    def matrix(self) -> int | None:
        """Its number."""

    @property
    def factor_version(self) -> int | None:
        """Of its factors."""


def current_factors(
    session: Session, request: LeaveOneOutRequest
) -> tuple[int | None, int | None] | None:
    """Return the matrix and version of the round's current factors, None where it has none."""
    assert request.task is not None
    assert request.round is not None
    named = request.task, request.round, request.measure, request.assessments
    try:
        row = find_factor_set(session.connection, find_series(session.connection, *named))
    except (NotRecordedError, WithdrawnError):
        return None
    return row.matrix_id, row.version


def runs_of_files(request: LeaveOneOutRequest, work: Work) -> GivenRuns:
    """Return the scores in files, by factors of all their runs."""
    whole = read_whole(request, work.max_file_bytes)
    runs = list(whole.runs)
    about = {
        "measure": request.measure,
        "files": list(whole.files),
        "hidden": list(whole.hidden),
        "topics": len(whole.topics),
        "runs": len(runs),
        "standardising": "all",
        "zero_sd": "average",
    }
    teams = None
    if request.teams is not None or request.by == "team":
        teams = teams_of_runs(None, StudyScores(about, runs, {}), request.teams, work)
    return GivenRuns(
        about,
        SameScores(whole.scores),
        list(whole.topics),
        runs,
        teams,
        np.arange(len(runs)) if teams is None else team_numbers(folded(teams)),
        np.ones(len(runs), dtype=np.bool_),
    )


def runs_of_round(
    session: Session, request: LeaveOneOutRequest, work: Work, recorded: KnownScores | None = None
) -> GivenRuns:
    """Return the raw scores of a round, or of a saved study, with what its factors were fitted on.

    Raises
    ------
    NotRecordedError
        When the scores or factors are not there, or teams are to be left out and none is known.
    """
    connection = session.connection
    if recorded is None:
        given = study_scores(session, request, work)
    else:
        given = matrix_scores(connection, request, recorded.matrix, recorded.factor_version)
    number, version = given.about["matrix"], given.about["factor_version"]
    loaded = load_matrix(
        connection, connection.execute(select(matrix).where(matrix.c.id == number)).one()
    )
    fitted = connection.execute(
        select(factor_set).where(factor_set.c.matrix_id == number, factor_set.c.version == version)
    ).one()
    teams = None
    if request.by != "run":
        try:
            teams = teams_of_runs(session, given, None, work)
        except NotRecordedError:
            if request.by == "team":
                raise
    return GivenRuns(
        given.about | {"standardising": fitted.standardising, "zero_sd": fitted.zero_sd},
        SameScores(loaded.scores),
        loaded.topics,
        loaded.runs,
        teams,
        np.arange(len(loaded.runs)) if teams is None else team_numbers(folded(teams)),
        standardising_mask(connection, fitted, loaded.run_ids),
    )


def runs_scored_anew(
    given: Reassessed,
    session: Session | None = None,
    factors: tuple[int | None, int | None] | None = None,
) -> GivenRuns:
    """Return scores that are computed from runs, by factors of the runs that others are fitted on.

    Parameters
    ----------
    factors : pair of int, optional
        Matrix and version of the factors of the round's logged scores. Without such it is by the
        runs that fed the pool.
    """
    if session is None or factors is None:
        which, mask = standardising_runs(given.contributed)
        how = {"standardising": which, "zero_sd": "average"}
    else:
        number, version = factors
        fitted = session.connection.execute(
            select(factor_set).filter_by(matrix_id=number, version=version)
        ).one()
        mask = standardising_mask(session.connection, fitted, given.run_ids)
        how = {"standardising": fitted.standardising, "zero_sd": fitted.zero_sd}
    return GivenRuns(
        given.about | how,
        given.score,
        given.topics,
        given.runs,
        given.teams,
        given.team_of_run,
        mask,
    )
