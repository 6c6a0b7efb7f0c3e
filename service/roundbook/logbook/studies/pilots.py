"""The studies of pilots smaller than a round, of fewer teams or of fewer topics, on each scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from pydantic import Field

from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import LoggedBeside, reassess
from roundbook.logbook.studies.scores import Scores, numbered_teams, study_scores, teams_of_runs
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.requests.studies import LeaveTeamsOutRequest, PilotRequest, TopicSubsetsRequest
from roundbook.statistics.studies.pilot_results import Pilots, Setting
from roundbook.statistics.studies.pilots import team_subsets, topic_subsets
from roundbook.statistics.studies.scoring import SameScores, Scoring


@dataclass(frozen=True)
class PilotsOfScale(Pilots):
    """The results of smaller pilots on one scale."""

    scale: str


class PilotStudy(Study):
    """The results of smaller pilots, of which `trials` were drawn for each size.

    `alpha`, `beta`, `min_d` and `m` are the parameters of the topic set size design.
    """

    alpha: float
    beta: float
    min_d: float
    m: int
    scales: list[PilotsOfScale]


class LeaveTeamsOutStudy(PilotStudy):
    """The results of pilots of fewer teams; the size of a pilot is its number of teams.

    `teams` is the number of teams; the `runs_without_team` runs of unknown team count as one each.
    `team_of_run` is the number of each run's team, in the order of the scores, and `fed_pool`
    whether each run contributed to the pool, if scores are computed anew.

    If scores are computed anew, `upload` is the latest upload of runs, `revision` that of the
    assessments, `qrels` their file, and `pool_depth` the rank to which pooled runs' documents were
    judged: `judged_share` of these are judged, and they are `explained_share` of all judged ones.
    Runs are recorded to rank `known_depth`, and `logged` has the differences from the logged
    scores.
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
    def matrices(self) -> list[MatrixRead]:
        """The matrix it was computed from; none if scores are computed anew."""
        return [] if self.mode == "reduce" else super().matrices


class TopicSubsetsStudy(PilotStudy):
    """The results of pilots of all runs on fewer topics, whose size is the number of topics."""


def _leave_teams_out(
    session: Session | None,
    request: LeaveTeamsOutRequest,
    work: Work,
    saved: LeaveTeamsOutStudy | None,
) -> LeaveTeamsOutStudy:
    by_scale: dict[str, Scoring]
    facts: dict[str, Any] = {}
    if request.mode == "reduce":
        reassessed = reassess(session, request, work, saved)
        by_scale = {"raw": reassessed.score}
        source, names, teams = reassessed.loaded.source, reassessed.teams, reassessed.team_of_run
        facts = reassessed.pool._asdict() | {"logged": reassessed.logged}
    else:
        loaded = study_scores(session, request, work, saved)
        known = teams_of_runs(session, loaded, request.teams, work)
        source, names = loaded.source._replace(hidden=known.hidden), known.teams
        teams = numbered_teams(names)
        by_scale = {scale: SameScores(scores) for scale, scores in loaded.scales.items()}
    without_team = names.count(None)
    if saved is not None:
        # The teams at the time of saving; later facts count when the study is renewed.
        teams, without_team = np.array(saved.team_of_run), saved.runs_without_team
    number_of_teams = int(teams.max()) + 1
    numbers = range(1, number_of_teams) if request.every_number else request.teams_left or None
    draw = partial(team_subsets, team_of_run=teams, numbers=numbers)
    return LeaveTeamsOutStudy.of(
        request,
        source,
        **facts,
        teams=number_of_teams,
        runs_without_team=without_team,
        team_of_run=teams.tolist(),
        scales=_drawn_on(by_scale, draw, request, work, "pilots"),
    )


def _seconds_of_teams(study: LeaveTeamsOutStudy) -> float:
    pilots = sum(size.trials for scale in study.scales for size in scale.sizes)
    cells = study.topics * study.runs
    return pilots * (1e-4 + (5e-8 if study.mode == "keep" else 2e-6) * cells)


def _topic_subsets(
    session: Session | None,
    request: TopicSubsetsRequest,
    work: Work,
    saved: TopicSubsetsStudy | None,
) -> TopicSubsetsStudy:
    loaded = study_scores(session, request, work, saved)
    draw = partial(topic_subsets, numbers=request.topics or None)
    scales = _drawn_on(loaded.scales, draw, request, work, "orders of topics")
    return TopicSubsetsStudy.of(request, loaded.source, scales=scales)


def _seconds_of_topics(study: TopicSubsetsStudy) -> float:
    cells = sum(size.size * size.trials for scale in study.scales for size in scale.sizes)
    return 5e-8 * cells * study.runs


def _drawn_on(
    by_scale: Mapping[str, Scores | Scoring],
    draw: Callable[..., Pilots],
    request: PilotRequest,
    work: Work,
    part: str,
) -> list[PilotsOfScale]:
    """Return the pilots drawn on each scale; `part` is their name in progress reports."""
    scales = []
    for scale, scores in by_scale.items():
        pilots = draw(
            scores,
            trials=request.trials,
            seed=request.seed,
            setting=Setting(request.alpha, request.beta, request.min_d, request.m),
            progress=partial(work.progress, f"{scale}: {part}"),
            mapped=work.mapped,
        )
        scales.append(PilotsOfScale(**vars(pilots), scale=scale))
    return scales


STUDIES = {
    "leave-teams-out": KindOfStudy(LeaveTeamsOutStudy, _leave_teams_out, _seconds_of_teams),
    "topic-subsets": KindOfStudy(TopicSubsetsStudy, _topic_subsets, _seconds_of_topics),
}
