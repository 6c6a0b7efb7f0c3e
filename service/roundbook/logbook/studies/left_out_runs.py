"""Runs left out: as they are scored, the effect on their scores, and every team of a round.

Their scores are those of a round or of files, or computed anew by reduced assessments.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from sqlalchemy import Row

from roundbook.errors import NotRecordedError
from roundbook.logbook.factors import standardising_mask, standardising_runs
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import LoggedBeside, Reassessed, reassess
from roundbook.logbook.studies.scores import (
    factors_of_version,
    matrix_scores,
    numbered_teams,
    study_scores,
    teams_of_runs,
)
from roundbook.logbook.studies.study import MatrixRead
from roundbook.requests.fields import VarianceScale
from roundbook.requests.studies import LeaveOneOutRequest, LeaveOneOutRoundsRequest
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.studies.leave_one_out import (
    LeaveOneOut,
    leave_one_out,
    remaining_relevant,
)
from roundbook.statistics.studies.scoring import SameScores, Scoring


class LeftOutFigures(Result):
    """The effect of leaving runs out on their scores, on one scale.

    `tau` is Kendall's tau-b of the means and `tau_low` to `tau_high` the interval that papers print
    with it; None if all runs tie. `bias` is the mean difference, `largest` the largest in absolute
    value; the rank shifts are absolute too.
    """

    scale: str
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    rmse: float
    largest: float
    bias: float
    mean_rank_shift: float
    largest_rank_shift: int


class ScoredRuns(NamedTuple):
    """The input of leave-one-out: fields of the study, the scores, and the runs' teams.

    `teams` is None to leave out run by run; runs with an equal number in `groups` are left out
    together.
    """

    about: dict[str, Any]
    score: Scoring
    topics: list[str]
    runs: list[str]
    teams: list[str | None] | None
    groups: NDArray[np.intp]
    standardising: NDArray[np.bool_]

    def leave_out(
        self, groups: NDArray[np.intp], scales: Sequence[VarianceScale], work: Work, part: str
    ) -> LeaveOneOut:
        """Leave out each group once; `part` is its name in progress reports."""
        return leave_one_out(
            self.score,
            groups,
            scales=scales,
            standardising=self.standardising,
            zero_sd=self.about["zero_sd"],
            progress=partial(work.progress, part),
            mapped=work.mapped,
        )


def runs_as_scored(
    session: Session | None,
    request: LeaveOneOutRequest,
    work: Work,
    recorded: MatrixRead | None,
) -> ScoredRuns:
    """Return raw scores with the standardising runs of a round's factors; for files, all runs.

    `recorded` is what a saved study, or a round of one, was computed from.

    Raises
    ------
    InputError
        When teams are to be left out of files, and no team file names a run.
    NotRecordedError
        When the scores or factors do not exist, or teams are to be left out and none is known.
    """
    by_team = request.by == "team" or request.teams is not None
    if session is None:
        loaded = study_scores(None, request.model_copy(update={"scales": ("raw",)}), work)
        mask = np.ones(len(loaded.runs), dtype=np.bool_)
        factors = {"standardising": "all", "zero_sd": "average"}
    else:
        if recorded is None:
            loaded = study_scores(session, request, work)
        else:
            loaded = matrix_scores(session.connection, request, *recorded)
        assert loaded.fitted is not None
        factors, mask = _standardising(session, loaded.fitted, loaded.run_ids)
    teams = None
    if by_team or (session is not None and request.by is None):
        try:
            teams, _ = teams_of_runs(session, loaded, request.teams, work)
        except NotRecordedError:
            if by_team:
                raise
    return ScoredRuns(
        loaded.about | factors,
        SameScores(loaded.raw),
        loaded.topics,
        loaded.runs,
        teams,
        np.arange(len(loaded.runs)) if teams is None else numbered_teams(teams),
        mask,
    )


def runs_scored_anew(
    reassessed: Reassessed,
    session: Session | None = None,
    factors: MatrixRead | None = None,
) -> ScoredRuns:
    """Return scores computed from runs, with the standardising runs of a round's factors.

    By default the runs that contributed to the pool standardise.
    """
    loaded = reassessed.loaded
    if session is None or factors is None:
        choice, mask = standardising_runs(loaded.about["fed_pool"])
        fields = {"standardising": choice, "zero_sd": "average"}
    else:
        fitted = factors_of_version(session.connection, *factors)
        fields, mask = _standardising(session, fitted, loaded.run_ids)
    return ScoredRuns(
        loaded.about | fields,
        reassessed.score,
        loaded.topics,
        loaded.runs,
        reassessed.teams,
        reassessed.team_of_run,
        mask,
    )


def _standardising(
    session: Session, fitted: Row[Any], run_ids: NDArray[np.int64]
) -> tuple[dict[str, Any], NDArray[np.bool_]]:
    """Return the fields of a study on a row of factors, and the mask of their standardising runs."""
    fields = {"standardising": fitted.standardising, "zero_sd": fitted.zero_sd}
    return fields, standardising_mask(session.connection, fitted, run_ids)


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
    recorded: LeftOutRound | None = None,
) -> LeftOutRound:
    """Leave out each team of a round, and score it by the factors of the others.

    `recorded` is the round in a saved study, in place of its scores, factors and teams today.

    Raises
    ------
    NotRecordedError
        When no team is recorded, or the scores or factors do not exist.
    ImpossibleStatisticError
        When the runs or teams are too few, or tie.
    """
    scales = tuple(scale for scale in request.scales if scale != "raw")
    of_round = _round_request(request, label, scales=scales)
    was = None if recorded is None else (recorded.matrix, recorded.factor_version)
    scored = runs_as_scored(session, of_round, work, was)
    teams = scored.groups if recorded is None else np.array(recorded.team_of_run)
    return LeftOutRound(
        **scored.about,
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
    recorded: ReassessedRound | None = None,
) -> ReassessedRound:
    """Leave out each team, with scores computed anew without the assessments due to it only.

    `studied` is the same round with its teams left out by the factors of the others, `recorded` the
    round in a saved study, in place of its runs, assessments and teams today. Errors are those of
    `reassess`.
    """
    of_round = _round_request(request, studied.round, scales=request.scales, reassessed=True)
    reassessed = reassess(session, of_round, work, recorded)
    about = reassessed.loaded.about
    scored = runs_scored_anew(reassessed, session, (studied.matrix, studied.factor_version))
    study = scored.leave_out(
        scored.groups, request.scales, work, f"{studied.round}: teams, scores anew"
    )
    judgments = reassessed.score.judgments
    relevant = count_relevant(reassessed.score.measure, judgments)
    return ReassessedRound(
        **about,
        teams=len(reassessed.score.contributed),
        pooled_runs=about["fed_pool"].count(True),
        judged=judgments.grade.size,
        relevant=int(relevant.sum()),
        relevant_alone=int((relevant - remaining_relevant(reassessed.score)).sum()),
        team_of_run=reassessed.team_of_run.tolist(),
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
