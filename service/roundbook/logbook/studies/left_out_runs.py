"""Runs to leave out, as they are scored, and the effect on their scores.

Their scores are those of a round or of files, or computed anew by reduced assessments.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row

from roundbook.errors import NotRecordedError
from roundbook.logbook.factors import Standardising, standardising_mask, standardising_runs
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import Reassessed
from roundbook.logbook.studies.scores import (
    factors_of_version,
    matrix_scores,
    numbered_teams,
    study_scores,
    teams_of_runs,
)
from roundbook.logbook.studies.study import MatrixRead
from roundbook.logbook.study_source import StudySource
from roundbook.requests.fields import VarianceScale, ZeroSd
from roundbook.requests.studies import LeaveOneOutRequest
from roundbook.statistics.studies.leave_one_out import (
    LeaveOneOut,
    leave_one_out,
)
from roundbook.statistics.studies.scoring import SameScores, Scoring

# The policy on tied topics without factors of a round.
_AVERAGE: ZeroSd = "average"


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
    """The input of leave-one-out: the scores, the runs' teams, and what standardises.

    `teams` is None to leave out run by run; runs with an equal number in `groups` are left out
    together. `zero_sd` is the policy on topics on which the standardising runs tie.
    """

    source: StudySource
    score: Scoring
    topics: list[str]
    runs: list[str]
    teams: list[str | None] | None
    groups: NDArray[np.intp]
    standardising: Standardising
    zero_sd: ZeroSd

    def leave_out(
        self, groups: NDArray[np.intp], scales: Sequence[VarianceScale], work: Work, part: str
    ) -> LeaveOneOut:
        """Leave out each group once; `part` is its name in progress reports."""
        return leave_one_out(
            self.score,
            groups,
            scales=scales,
            standardising=self.standardising.mask,
            zero_sd=self.zero_sd,
            progress=partial(work.progress, part),
            mapped=work.mapped,
        )


def runs_as_scored(
    session: Session | None,
    request: LeaveOneOutRequest,
    work: Work,
    saved: MatrixRead | None,
) -> ScoredRuns:
    """Return raw scores with the standardising runs of a round's factors; for files, all runs.

    `saved` is what a saved study, or a round of one, was computed from.

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
        fitted_on = Standardising("all", np.ones(len(loaded.runs), dtype=np.bool_)), _AVERAGE
    else:
        if saved is None:
            loaded = study_scores(session, request, work)
        else:
            loaded = matrix_scores(session.connection, request, saved)
        assert loaded.fitted is not None
        fitted_on = _fitted_on(session, loaded.fitted, loaded.run_ids)
    source, teams = loaded.source, None
    if by_team or (session is not None and request.by is None):
        try:
            known = teams_of_runs(session, loaded, request.teams, work)
            source, teams = source._replace(hidden=known.hidden), known.teams
        except NotRecordedError:
            if by_team:
                raise
    return ScoredRuns(
        source,
        SameScores(loaded.raw),
        loaded.topics,
        loaded.runs,
        teams,
        np.arange(len(loaded.runs)) if teams is None else numbered_teams(teams),
        *fitted_on,
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
        source, fitted_on = loaded.source, (standardising_runs(reassessed.pool.fed_pool), _AVERAGE)
    else:
        source = loaded.source._replace(factor_version=factors.factor_version)
        fitted = factors_of_version(session.connection, factors)
        fitted_on = _fitted_on(session, fitted, loaded.run_ids)
    return ScoredRuns(
        source,
        reassessed.score,
        loaded.topics,
        loaded.runs,
        reassessed.teams,
        reassessed.team_of_run,
        *fitted_on,
    )


def _fitted_on(
    session: Session, fitted: Row[Any], run_ids: NDArray[np.int64]
) -> tuple[Standardising, ZeroSd]:
    """Return the standardising runs of a row of factors, and their policy on tied topics."""
    mask = standardising_mask(session.connection, fitted, run_ids)
    return Standardising(fitted.standardising, mask), fitted.zero_sd
