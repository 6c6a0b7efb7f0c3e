"""A round of which every team is left out, and scored by the others' factors or assessments."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field

from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import LoggedBeside, reassess
from roundbook.logbook.studies.left_out_runs import (
    LeftOutFigures,
    runs_as_scored,
    runs_scored_anew,
)
from roundbook.logbook.studies.study import MatrixRead
from roundbook.requests.studies import LeaveOneOutRequest, LeaveOneOutRoundsRequest
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.studies.leave_one_out import LeaveOneOut, remaining_relevant

# The reasons why a round's scores are not computed anew.
NotReassessed = Literal[
    "no runs",  # no ranked lists are logged
    "no assessments",  # none are logged
    "no pool",  # the pooled runs, or the teams of the runs, are not recorded
    "impossible",  # Roundbook does not compute the measure, or no pool depth explains the judgments
]


class ReassessedRound(Result):
    """A round's scores computed anew, each team left out with the assessments due to it only.

    `upload` is the latest upload of runs, `revision` that of the assessments, and `topics` are the
    assessed topics. The longest list ends at rank `known_depth`. The `pooled_runs` were judged to
    rank `pool_depth`; `judged_share` of their documents are judged, and they are `explained_share`
    of all `judged` documents. `relevant_alone` of all `relevant` ones are due to one team.
    `team_of_run` and `fed_pool` have each run's team and contribution to the pool, and `logged` the
    differences from the logged scores.
    """

    upload: int
    revision: int
    topics: int
    runs: int
    teams: int
    pooled_runs: int
    pool_depth: int
    known_depth: int | None = None
    judged_share: float
    explained_share: float
    judged: int
    relevant: int
    relevant_alone: int
    team_of_run: list[int] = Field(repr=False)
    fed_pool: list[bool | None] = Field(repr=False)
    logged: LoggedBeside | None = None
    scales: list[LeftOutFigures]


class LeftOutRound(Result):
    """A round in which each of `teams` teams is left out and scored by the others' factors.

    The `runs_without_team` runs of unknown team count as one each. `reassessed` is the same with
    scores computed anew, None with the reason in `not_reassessed`. `ageing` is the verdict on the
    first round's factors in this round, None for the first round itself.
    """

    round: str
    matrix: int
    revision: int
    factor_version: int
    topics: int
    runs: int
    teams: int
    runs_without_team: int
    team_of_run: list[int] = Field(repr=False)
    scales: list[LeftOutFigures]
    reassessed: ReassessedRound | None = None
    not_reassessed: NotReassessed | None = None
    ageing: str | None = None


def leave_out_by_factors(
    session: Session,
    request: LeaveOneOutRoundsRequest,
    label: str,
    work: Work,
    saved: LeftOutRound | None = None,
) -> LeftOutRound:
    """Leave out each team of a round, and score it by the factors of the others.

    `saved` is the round in a saved study, in place of its scores, factors and teams today.

    Raises
    ------
    NotRecordedError
        When no team is recorded, or the scores or factors do not exist.
    ImpossibleStatisticError
        When the runs or teams are too few, or tie.
    """
    scales = tuple(scale for scale in request.scales if scale != "raw")
    of_round = _round_request(request, label, scales=scales)
    was = None if saved is None else MatrixRead(saved.matrix, saved.factor_version)
    scored = runs_as_scored(session, of_round, work, was)
    teams = scored.groups if saved is None else np.array(saved.team_of_run)
    source = scored.source
    return LeftOutRound(
        round=source.round,
        matrix=source.matrix,
        revision=source.revision,
        factor_version=source.factor_version,
        topics=source.topics,
        runs=source.runs,
        teams=int(teams.max()) + 1,
        runs_without_team=(scored.teams or []).count(None),
        team_of_run=teams.tolist(),
        scales=_figures(scored.leave_out(teams, scales, work, f"{label}: teams")),
    )


def leave_out_by_assessments(
    session: Session,
    request: LeaveOneOutRoundsRequest,
    studied: LeftOutRound,
    work: Work,
    saved: ReassessedRound | None = None,
) -> ReassessedRound:
    """Leave out each team, with scores computed anew without the assessments due to it only.

    `studied` is the same round with its teams left out by the factors of the others, `saved` the
    round in a saved study, in place of its runs, assessments and teams today. Errors are those of
    `reassess`.
    """
    of_round = _round_request(request, studied.round, scales=request.scales, reassessed=True)
    reassessed = reassess(session, of_round, work, saved)
    source = reassessed.loaded.source
    scored = runs_scored_anew(
        reassessed, session, MatrixRead(studied.matrix, studied.factor_version)
    )
    study = scored.leave_out(
        scored.groups, request.scales, work, f"{studied.round}: teams, scores anew"
    )
    judgments = reassessed.score.judgments
    relevant = count_relevant(reassessed.score.measure, judgments)
    return ReassessedRound(
        **reassessed.pool._asdict(),
        upload=source.upload,
        revision=source.revision,
        topics=source.topics,
        runs=source.runs,
        teams=len(reassessed.score.contributed),
        pooled_runs=reassessed.pool.fed_pool.count(True),
        judged=judgments.grade.size,
        relevant=int(relevant.sum()),
        relevant_alone=int((relevant - remaining_relevant(reassessed.score)).sum()),
        team_of_run=reassessed.team_of_run.tolist(),
        logged=reassessed.logged,
        scales=_figures(study),
    )


def _round_request(
    request: LeaveOneOutRoundsRequest,
    label: str,
    **options: Any,  # noqa: ANN401
) -> LeaveOneOutRequest:
    return LeaveOneOutRequest(
        task=request.task,
        round=label,
        measure=request.measure,
        assessments=request.assessments,
        by="team",
        **options,
    )


def _figures(study: LeaveOneOut) -> list[LeftOutFigures]:
    return [LeftOutFigures(**vars(left)) for left in study.scales]
