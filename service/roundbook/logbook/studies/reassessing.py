"""Scores of a round by the assessments that would exist without some of its teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import run, team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import read_teams
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import StudyRuns, load_study_runs, read_study_runs
from roundbook.logbook.studies.run_teams import numbered_teams
from roundbook.measure_names import canonical_measure
from roundbook.requests.studies import LeaveOneOutRequest, LeaveTeamsOutRequest
from roundbook.statistics.measures.hits import find_hits, relevant_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.studies.pool import find_contributions, judged_shares, pool_depth
from roundbook.statistics.studies.scoring import ReassessedScores


class Reassessed(NamedTuple):
    """A round whose scores can be computed anew without some of its teams.

    Attributes
    ----------
    loaded
        The runs and assessments; `about` has the measure and the numbers of topics and runs too.
    contributed
        Whether each run contributed to the pool, None where unknown.
    teams
        The team of each run, None where unknown.
    team_of_run
        The number of each run's team.
    score
        The function that computes the scores.
    known_depth
        The rank to which runs are recorded.
    pool_depth
        The rank to which the pooled runs' documents were judged.
    judged_share
        The share of these documents that are judged.
    explained_share
        The share of the judged documents that are among these.
    """

    loaded: StudyRuns
    contributed: list[bool | None]
    teams: list[str | None]
    team_of_run: NDArray[np.intp]
    score: ReassessedScores
    known_depth: int
    pool_depth: int
    judged_share: float
    explained_share: float


class SavedRuns(Protocol):
    """The facts on the runs when a study was saved, as fields of the study."""

    @property
    def upload(self) -> int | None:
        """Number of the latest upload of runs."""

    @property
    def revision(self) -> int | None:
        """Revision of the assessments."""

    @property
    def team_of_run(self) -> Sequence[int]:
        """Number of each run's team."""

    @property
    def fed_pool(self) -> Sequence[bool | None]:
        """Whether each run contributed to the pool, None where unknown."""


def reassess(
    session: Session | None,
    request: LeaveOneOutRequest | LeaveTeamsOutRequest,
    work: Work,
    saved: SavedRuns | None = None,
) -> Reassessed:
    """Return a round's runs and the function that scores them without some of its teams.

    Parameters
    ----------
    session : Session or None
        None for runs, assessments and teams in files.
    request : LeaveOneOutRequest or LeaveTeamsOutRequest
        Its `pool_depth` is by default the largest to which 95% of the pooled runs' documents are
        judged.
    saved : SavedRuns, optional
        A saved study, whose facts on the runs replace today's.

    Raises
    ------
    InputError
        When the runs are not that deep, or of files when the runs have no topic of the assessments
        or the team file names none of the runs or none that contributed to the pool.
    NotRecordedError
        When the round has no runs, no such assessments, or no team or pooled run is recorded.
    ImpossibleStatisticError
        When the measure is none that is computed here, or no pool depth explains the assessments.
    """
    measure = parse_measure(canonical_measure(request.measure))
    if session is None:
        loaded = read_study_runs(request, work)
        where = "these files"
        teams, contributed = _teams_in_file(request, loaded, work)
    else:
        as_of = (None, None) if saved is None else (saved.upload, saved.revision)
        loaded = load_study_runs(session, request, as_of)
        where = f"round '{loaded.about['round']}'"
        teams, contributed = _recorded_teams(session, loaded, saved)
    pooled = np.array([flag is True for flag in contributed])
    shares = judged_shares(loaded.lists, loaded.judgments, pooled)
    depth = request.pool_depth
    if depth is not None and depth > shares.size:
        raise InputError(
            f"The pool of {where} cannot be {depth} deep: its runs are recorded to rank"
            f" {shares.size}."
        )
    depth = pool_depth(shares) if depth is None else depth
    hits = find_hits(loaded.lists, loaded.judgments)
    groups = numbered_teams(teams) if saved is None else np.array(saved.team_of_run)
    contributions = find_contributions(hits, loaded.judgments, groups, pooled, depth)
    needed = relevant_hits(hits, loaded.judgments, measure.cutoff)
    fields = {"measure": measure.name, "topics": len(loaded.topics), "runs": len(loaded.runs)}
    return Reassessed(
        loaded=loaded._replace(about=loaded.about | fields),
        contributed=contributed,
        teams=teams,
        team_of_run=groups,
        score=ReassessedScores(measure, needed, loaded.judgments, contributions),
        known_depth=shares.size,
        pool_depth=depth,
        judged_share=float(shares[depth - 1]),
        explained_share=float(contributions.any(axis=0).mean()),
    )


def _recorded_teams(
    session: Session, loaded: StudyRuns, saved: SavedRuns | None
) -> tuple[list[str | None], list[bool | None]]:
    """Return the team of each run, and whether it contributed to the pool."""
    rows = {
        row.id: row
        for row in session.connection.execute(
            select(run.c.id, run.c.contributed_to_pool, team.c.name)
            .outerjoin(team, team.c.id == run.c.team_id)
            .where(run.c.id.in_(loaded.run_ids.tolist()))
        )
    }
    ordered = [rows[run_id] for run_id in loaded.run_ids.tolist()]
    teams = [row.name for row in ordered]
    contributed = [row.contributed_to_pool for row in ordered]
    if saved is not None and saved.fed_pool:
        contributed = list(saved.fed_pool)
    for is_missing, fact in (
        (set(teams) == {None}, "Which team sent which run"),
        (True not in contributed, "Which runs contributed to the pool"),
    ):
        if is_missing:
            raise NotRecordedError(
                f"{fact} of round '{loaded.about['round']}' is not recorded.",
                way_out="record the pool",
                task=loaded.about["task"],
                round=loaded.about["round"],
            )
    return teams, contributed


def _teams_in_file(
    request: LeaveOneOutRequest | LeaveTeamsOutRequest, loaded: StudyRuns, work: Work
) -> tuple[list[str | None], list[bool | None]]:
    """Return the teams and contributions by a team file, whose hidden cells the study reports."""
    assert request.teams is not None
    if not loaded.lists.size:
        raise InputError(f"The runs have no topic of {loaded.about['qrels']}.")
    listed = read_teams(request.teams, max_bytes=work.max_file_bytes)
    loaded.about["hidden"] = list(listed.hidden)
    named = [listed.get(tag) for tag in loaded.runs]
    teams = [None if row is None else row.team for row in named]
    contributed = [None if row is None else row.contributed_to_pool for row in named]
    if set(teams) == {None}:
        raise InputError("The team file names none of the runs; its first column must hold tags.")
    if True not in contributed:
        raise InputError(
            "The team file says of no run that it contributed to the pool: in its column"
            " contributed_to_pool those that did have yes."
        )
    return teams, contributed
