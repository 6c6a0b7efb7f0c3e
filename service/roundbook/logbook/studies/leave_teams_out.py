"""What pilots of fewer teams would have found, scale by scale."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.logged_scores import LoggedBeside, logged_beside
from roundbook.logbook.studies.pilots import PilotsOfScale, PilotStudy, asked, setting
from roundbook.logbook.studies.reassessing import load_reassessed, read_reassessed
from roundbook.logbook.studies.run_teams import folded, teams_of_runs
from roundbook.logbook.studies.scores import study_scores
from roundbook.logbook.studies.study import KindOfStudy
from roundbook.requests.studies import LeaveTeamsOutRequest
from roundbook.statistics.studies.pilots import team_subsets
from roundbook.statistics.studies.scoring import SameScores, Scoring, team_numbers


class LeaveTeamsOutStudy(PilotStudy):
    """What pilots of fewer teams would have found; the size of a pilot is its teams.

    `teams` is how many there are: `runs_without_team` runs whose team is unknown count as one each.
    `team_of_run` numbers them, for each run in the order of the scores, and `fed_pool` says of each
    whether it contributed to the pool, where scores are computed anew.

    Where scores are computed anew, `upload` is the latest upload of runs, `revision` that of the
    assessments, `qrels` their file, and `pool_depth` to which rank pooled runs' documents were
    judged: `judged_share` of them are, and they are `explained_share` of all that are. Runs are
    recorded to rank `known_depth`, and `logged` is how the scores differ from the logged ones.
    """

    mode: Literal["keep", "reduce"]
    teams: int
    runs_without_team: int
    team_of_run: list[int] = Field(repr=False)
    fed_pool: list[bool | None] = Field(default_factory=list, repr=False)
    upload: int | None = None
    qrels: str | None = None
    pool_depth: int | None = None
    judged_share: float | None = None
    explained_share: float | None = None
    known_depth: int | None = None
    logged: LoggedBeside | None = None

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """The matrix that it was computed from; none where scores are computed anew."""
        return [] if self.mode == "reduce" else super().matrices


class _Given(NamedTuple):
    """What the study is of: fields of it, what scores on each scale, and the runs' teams."""

    about: dict[str, Any]
    scales: dict[str, Scoring]
    teams: NDArray[np.intp]
    without_team: int


def _compute(
    session: Session | None,
    request: LeaveTeamsOutRequest,
    work: Work,
    recorded: LeaveTeamsOutStudy | None,
) -> LeaveTeamsOutStudy:
    if request.mode == "reduce":
        given = _reassessed(session, request, work, recorded)
    else:
        given = _as_scored(session, request, work, recorded)
    teams, without_team = given.teams, given.without_team
    if recorded is not None:
        # As they were known then: what became known since is for renewing it.
        teams, without_team = np.array(recorded.team_of_run), recorded.runs_without_team
    there = int(teams.max()) + 1
    numbers = range(1, there) if request.every_number else request.teams_left or None
    scales = []
    for scale, score in given.scales.items():

        def tell(done: int, of: int, scale: str = scale) -> object:
            return work.progress(f"{scale}: pilots", done, of)

        pilots = team_subsets(
            score,
            teams,
            numbers=numbers,
            trials=request.trials,
            seed=request.seed,
            setting=setting(request),
            progress=tell,
            mapped=work.mapped,
        )
        scales.append(PilotsOfScale(**vars(pilots), scale=scale))
    return LeaveTeamsOutStudy(
        **given.about,
        **asked(request),
        mode=request.mode,
        teams=there,
        runs_without_team=without_team,
        team_of_run=teams.tolist(),
        scales=scales,
    )


def _as_scored(
    session: Session | None,
    request: LeaveTeamsOutRequest,
    work: Work,
    recorded: LeaveTeamsOutStudy | None,
) -> _Given:
    given = study_scores(session, request, work, recorded)
    teams = teams_of_runs(session, given, request.teams, work)
    scales: dict[str, Scoring] = {
        scale: SameScores(scores) for scale, scores in given.scales.items()
    }
    return _Given(given.about, scales, team_numbers(folded(teams)), teams.count(None))


def _reassessed(
    session: Session | None,
    request: LeaveTeamsOutRequest,
    work: Work,
    recorded: LeaveTeamsOutStudy | None,
) -> _Given:
    given = (
        read_reassessed(request, work.max_file_bytes)
        if session is None
        else load_reassessed(session, request, recorded)
    )
    about = given.about | {
        "fed_pool": given.contributed,
        "pool_depth": given.pool_depth,
        "judged_share": given.judged_share,
        "explained_share": given.explained_share,
        "known_depth": given.known_depth,
        "logged": logged_beside(session, given.about, request.measure)
        if recorded is None
        else recorded.logged,
    }
    return _Given(about, {"raw": given.score}, given.team_of_run, given.teams.count(None))


def _seconds(study: LeaveTeamsOutStudy) -> float:
    pilots = sum(size.trials for scale in study.scales for size in scale.sizes)
    cells = study.topics * study.runs
    return pilots * (1e-4 + (5e-8 if study.mode == "keep" else 2e-6) * cells)


STUDY = KindOfStudy(LeaveTeamsOutStudy, _compute, _seconds)
