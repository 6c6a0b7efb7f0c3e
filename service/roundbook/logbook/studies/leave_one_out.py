"""The leave-one-out study: whether runs left out would have been scored fairly."""

from __future__ import annotations

from contextlib import suppress
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roundbook.errors import NotRecordedError, WithdrawnError
from roundbook.logbook.factors import find_factor_set
from roundbook.logbook.lookup import find_series
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import LoggedBeside, Reassessed, reassess
from roundbook.logbook.studies.left_out_runs import (
    LeftOutFigures,
    runs_as_scored,
    runs_scored_anew,
)
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.requests.fields import ZeroSd
from roundbook.requests.studies import LeaveOneOutRequest
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.studies.leave_one_out import LeftOut, remaining_relevant
from roundbook.statistics.ties import without_rounding


class RunLeftOut(Result):
    """A run's mean in the round and when left out, and by how many ranks it falls then."""

    run: str
    team: str | None
    official: float
    left_out: float
    difference: float
    rank_shift: int


class LeftOutOfScale(LeftOutFigures):
    """The figures of a scale with its runs, the one that loses most first."""

    left_out: list[RunLeftOut]


class TopicWithout(Result):
    """A topic that is affected when a team, or a run, is left out."""

    without: str
    topic: str


class Contribution(Result):
    """The documents, and the relevant ones, that would not be judged without a team."""

    team: str
    runs: int
    pooled_runs: int
    judged: int
    relevant: int


class Pool(Result):
    """The pool of the round, and each team's unique contributions.

    The pooled runs' documents were judged to rank `depth` (runs are recorded to rank
    `known_depth`): `judged_share` of these documents are judged, and they are `explained_share` of
    all `judged` documents. `judged_alone` of the judged, and `relevant_alone` of all `relevant`
    documents are due to one team only. `emptied` are topics without a relevant document if a team
    is left out, `without_relevant` topics without any.
    """

    depth: int
    known_depth: int
    judged_share: float
    explained_share: float
    judged: int
    judged_alone: int
    relevant: int
    relevant_alone: int
    contributions: list[Contribution]
    emptied: list[TopicWithout]
    without_relevant: list[str]


class LeaveOneOutStudy(Study):
    """Whether runs left out would have been scored fairly.

    Each trial leaves out one team, or one run, as `by` names. `team_of_run` is the number of each
    run's team, in the order of the scores; the `runs_without_team` runs of unknown team count as
    one each. `fed_pool` is whether each run contributed to the pool, if scores are computed anew.
    `standardising` and `standardising_runs` are the choice and the number of the runs that define
    the factors, and `zero_sd` the policy on topics on which they tie. `tied` are topics on which
    all other standardising runs tie, so that a run that differs there looks average. `pool` and
    `upload` are those of scores computed anew, which are standardised by the runs that the factors
    of the matrix `factors_of` were fitted on; `logged` has their differences from the logged
    scores. `qrels` names the file of assessments.
    """

    by: Literal["team", "run"]
    reassessed: bool
    runs_without_team: int
    team_of_run: list[int] = Field(repr=False)
    fed_pool: list[bool | None] = Field(default_factory=list, repr=False)
    standardising: str
    standardising_runs: int
    zero_sd: ZeroSd
    tied: list[TopicWithout]
    upload: int | None = None
    qrels: str | None = None
    pool: Pool | None = None
    factors_of: int | None = None
    logged: LoggedBeside | None = None
    scales: list[LeftOutOfScale]

    @property
    def matrices(self) -> list[MatrixRead]:
        """The matrix it was computed from; for scores computed anew, that of their factors."""
        if not self.reassessed:
            return super().matrices
        if self.factors_of is None:
            return []
        return [MatrixRead(self.factors_of, self.factor_version)]


def _compute(
    session: Session | None,
    request: LeaveOneOutRequest,
    work: Work,
    saved: LeaveOneOutStudy | None,
) -> LeaveOneOutStudy:
    reassessed = factors = None
    if request.reassessed:
        reassessed = reassess(session, request, work, saved)
        factors = _standardised_by(session, request, reassessed, saved)
        scored = runs_scored_anew(reassessed, session, factors)
    else:
        scored = runs_as_scored(session, request, work, saved.matrices[0] if saved else None)
    runs, teams, groups = scored.runs, scored.teams, scored.groups
    if saved is not None:
        # The teams at the time of saving; later facts count when the study is renewed.
        team_of = {run.run: run.team for run in saved.scales[0].left_out}
        teams = None if saved.by == "run" else [team_of[run] for run in runs]
        groups = np.array(saved.team_of_run)
    names = [""] * (int(groups.max()) + 1)
    for group, run, team in zip(groups, runs, teams or runs, strict=True):
        names[group] = team or run
    by: Literal["team", "run"] = "run" if teams is None else "team"
    study = scored.leave_out(groups, request.scales, work, f"{by}s left out")
    return LeaveOneOutStudy.of(
        request,
        scored.source,
        trials=len(names),
        by=by,
        runs_without_team=0 if teams is None else teams.count(None),
        team_of_run=groups.tolist(),
        fed_pool=reassessed.pool.fed_pool if reassessed else [],
        standardising=scored.standardising.kind,
        standardising_runs=int(scored.standardising.mask.sum()),
        zero_sd=scored.zero_sd,
        tied=[
            TopicWithout(without=names[tied.group], topic=scored.topics[tied.topic])
            for tied in study.tied
        ],
        pool=_pool(reassessed, groups, names) if reassessed else None,
        factors_of=factors.matrix if factors else None,
        logged=reassessed.logged if reassessed else None,
        scales=[_of_scale(left, runs, teams) for left in study.scales],
    )


def _standardised_by(
    session: Session | None,
    request: LeaveOneOutRequest,
    reassessed: Reassessed,
    saved: LeaveOneOutStudy | None,
) -> MatrixRead | None:
    """Return the factors whose standardising runs standardise scores computed anew.

    They are the round's current ones, or those of a saved study; None if there are none.
    """
    if saved is not None:
        return next(iter(saved.matrices), None)
    if session is None or "factor_set" not in request.rests_on:
        return None
    source = reassessed.loaded.source
    assert source.task is not None
    assert source.round is not None
    named = source.task, source.round, request.measure, source.assessments
    with suppress(NotRecordedError, WithdrawnError):
        row = find_factor_set(session.connection, find_series(session.connection, *named))
        return MatrixRead(row.matrix_id, row.version)
    return None


def _pool(reassessed: Reassessed, groups: NDArray[np.intp], names: list[str]) -> Pool:
    """Return the pool's depth and coverage, and the judgments due to one team only."""
    pool, topics = reassessed.pool, reassessed.loaded.topics
    judgments, contributed = reassessed.score.judgments, reassessed.score.contributed
    alone = contributed & (contributed.sum(axis=0) == 1)
    relevant = count_relevant(reassessed.score.measure, judgments)
    remaining = remaining_relevant(reassessed.score)
    pooled = np.bincount(groups, [flag is True for flag in pool.fed_pool], len(names))
    emptied = (remaining == 0) & (relevant > 0)
    return Pool(
        depth=pool.pool_depth,
        known_depth=pool.known_depth,
        judged_share=pool.judged_share,
        explained_share=pool.explained_share,
        judged=judgments.grade.size,
        judged_alone=int(alone.sum()),
        relevant=int(relevant.sum()),
        relevant_alone=int((relevant - remaining).sum()),
        contributions=[
            Contribution(team=team, runs=runs, pooled_runs=fed, judged=judged, relevant=lost)
            for team, runs, fed, judged, lost in zip(
                names,
                np.bincount(groups).tolist(),
                pooled.astype(int).tolist(),
                alone.sum(axis=1).tolist(),
                (relevant - remaining).sum(axis=1).tolist(),
                strict=True,
            )
        ],
        emptied=[
            TopicWithout(without=names[team], topic=topics[topic])
            for team, topic in np.argwhere(emptied)
        ],
        without_relevant=[topics[topic] for topic in np.flatnonzero(relevant == 0)],
    )


def _of_scale(left: LeftOut, runs: list[str], teams: list[str | None] | None) -> LeftOutOfScale:
    difference = left.left_out - left.official
    largest = max(1.0, float(np.abs(left.official).max()))
    by_run = [
        RunLeftOut(
            run=runs[index],
            team=None if teams is None else teams[index],
            official=float(left.official[index]),
            left_out=float(left.left_out[index]),
            difference=float(difference[index]),
            rank_shift=int(left.rank_shift[index]),
        )
        for index in np.argsort(without_rounding(difference, largest), kind="stable").tolist()
    ]
    return LeftOutOfScale(**vars(left) | {"left_out": by_run})


def _seconds(study: LeaveOneOutStudy) -> float:
    cells = study.trials * study.topics * study.runs * len(study.scales)
    return cells * (5e-6 if study.reassessed else 5e-8)


STUDIES = {"leave-one-out": KindOfStudy(LeaveOneOutStudy, _compute, _seconds)}
