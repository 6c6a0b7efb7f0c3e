"""Whether runs that were not there would have been scored fairly, scale by scale."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from sqlalchemy import select

from roundbook.database.tables import factor_set, matrix
from roundbook.errors import NotRecordedError
from roundbook.logbook.factors import standardising_runs
from roundbook.logbook.fitting import standardising_mask
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import load_matrix
from roundbook.logbook.studies.reassessing import Reassessed, load_reassessed
from roundbook.logbook.studies.run_teams import folded, teams_of_runs
from roundbook.logbook.studies.scores import StudyScores, read_whole, study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.fields import ZeroSd
from roundbook.requests.studies import LeaveOneOutRequest
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.studies.leave_one_out import LeftOut, leave_one_out, remaining_relevant
from roundbook.statistics.studies.scoring import SameScores, Scoring, team_numbers


class RunLeftOut(Result):
    """A run's mean in the round and where it is left out, and by how many ranks it falls there."""

    run: str
    team: str | None
    official: float
    left_out: float
    difference: float
    rank_shift: int


class LeftOutOfScale(Result):
    """What leaving runs out does to their scores on one scale; the run that loses most is first.

    `tau` is Kendall's tau-b of the means and `tau_low` to `tau_high` the interval that papers print
    with it; None where all runs tie. `bias` is the mean difference, `largest` the largest without
    its sign, and so are the rank shifts.
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
    left_out: list[RunLeftOut]


class TopicWithout(Result):
    """A topic that is special where a team, or a run, is left out."""

    without: str
    topic: str


class Contribution(Result):
    """What would not be judged without a team: how many documents, and how many relevant ones."""

    team: str
    runs: int
    pooled_runs: int
    judged: int
    relevant: int


class Pool(Result):
    """The pool of the round, and what of it each team alone brought in.

    To rank `depth` pooled runs' documents were judged, as far as runs are recorded to `known_depth`:
    `judged_share` of them are, and they are `explained_share` of all `judged` documents.
    `judged_alone` of these, and `relevant_alone` of all `relevant`, are due to one team. `emptied`
    are topics that have no relevant document without a team, `without_relevant` those that have
    none at all.
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
    """Whether runs that were not there would have been scored fairly; a trial leaves out one team.

    Or one run, if it is `by` run. `team_of_run` numbers what is left out together, for each run in
    the order of the scores, and `fed_pool` says of each whether it contributed to the pool, where
    scores are computed anew; `runs_without_team` runs whose team is unknown count as one each.
    `standardising` and `standardising_runs` say which runs and how many define the factors of the
    round, and `zero_sd` what becomes of a topic on which they tie. `tied` are topics on which all
    others of them tie, so that a run that differs there looks average. `pool` and `upload` are of
    scores computed anew.
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
    pool: Pool | None = None
    scales: list[LeftOutOfScale]

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """The matrix that it was computed from; none where scores are computed anew."""
        return [] if self.reassessed else super().matrices


class _Given(NamedTuple):
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


def _compute(
    session: Session | None,
    request: LeaveOneOutRequest,
    work: Work,
    recorded: LeaveOneOutStudy | None,
) -> LeaveOneOutStudy:
    reassessed = _reassess(session, request, recorded) if request.reassessed else None
    if reassessed is not None:
        given = _scored_anew(reassessed)
    elif session is None:
        given = _of_files(request, work)
    else:
        given = _of_round(session, request, work, recorded)
    teams, groups = given.teams, given.groups
    if recorded is not None:
        # As they were known then: what became known since is for renewing it.
        known = {run.run: run.team for run in recorded.scales[0].left_out}
        teams = None if recorded.by == "run" else [known[run] for run in given.runs]
        groups = np.array(recorded.team_of_run)
    names = [""] * (int(groups.max()) + 1)
    for group, run, team in zip(groups, given.runs, teams or given.runs, strict=True):
        names[group] = team or run
    by: Literal["team", "run"] = "run" if teams is None else "team"
    study = leave_one_out(
        given.score,
        groups,
        scales=request.scales,
        standardising=given.standardising,
        zero_sd=given.about["zero_sd"],
        progress=lambda done, of: work.progress(f"{by}s left out", done, of),
        mapped=work.mapped,
    )
    return LeaveOneOutStudy(
        **given.about,
        study=request.study,
        trials=len(names),
        seed=request.seed,
        by=by,
        reassessed=request.reassessed,
        runs_without_team=0 if teams is None else teams.count(None),
        team_of_run=groups.tolist(),
        fed_pool=[] if reassessed is None else reassessed.contributed,
        standardising_runs=int(given.standardising.sum()),
        tied=[
            TopicWithout(without=names[one.group], topic=given.topics[one.topic])
            for one in study.tied
        ],
        pool=None if reassessed is None else _pool(reassessed, groups, names),
        scales=[_of_scale(left, given.runs, teams) for left in study.scales],
    )


def _of_files(request: LeaveOneOutRequest, work: Work) -> _Given:
    """Return the scores in files, by factors of all their runs."""
    whole = read_whole(request, work.max_file_bytes)
    runs = list(whole.runs)
    about = {
        "measure": request.measure,
        "files": list(whole.files),
        "topics": len(whole.topics),
        "runs": len(runs),
        "standardising": "all",
        "zero_sd": "average",
    }
    teams = None
    if request.teams is not None or request.by == "team":
        teams = teams_of_runs(None, StudyScores(about, runs, {}), request.teams, work)
    return _Given(
        about,
        SameScores(whole.scores),
        list(whole.topics),
        runs,
        teams,
        np.arange(len(runs)) if teams is None else team_numbers(folded(teams)),
        np.ones(len(runs), dtype=np.bool_),
    )


def _of_round(
    session: Session,
    request: LeaveOneOutRequest,
    work: Work,
    recorded: LeaveOneOutStudy | None,
) -> _Given:
    """Return the raw scores of a round, with what its factors were fitted on."""
    connection = session.connection
    given = study_scores(session, request, work, recorded)
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
    return _Given(
        given.about | {"standardising": fitted.standardising, "zero_sd": fitted.zero_sd},
        SameScores(loaded.scores),
        loaded.topics,
        loaded.runs,
        teams,
        np.arange(len(loaded.runs)) if teams is None else team_numbers(folded(teams)),
        standardising_mask(connection, fitted, loaded.run_ids),
    )


def _reassess(
    session: Session | None, request: LeaveOneOutRequest, recorded: LeaveOneOutStudy | None
) -> Reassessed:
    assert session is not None
    assert request.task is not None
    assert request.round is not None
    return load_reassessed(
        session,
        request.task,
        request.round,
        request.measure,
        request.assessments,
        request.pool_depth,
        None if recorded is None else recorded.team_of_run,
        None if recorded is None else recorded.fed_pool,
    )


def _scored_anew(given: Reassessed) -> _Given:
    """Return scores that are computed from runs, by factors of those that fed the pool."""
    which, mask = standardising_runs(given.contributed)
    return _Given(
        given.about | {"standardising": which, "zero_sd": "average"},
        given.score,
        given.topics,
        given.runs,
        given.teams,
        given.team_of_run,
        mask,
    )


def _pool(given: Reassessed, groups: NDArray[np.intp], names: list[str]) -> Pool:
    """Return what the pool explains, and what of the assessments is due to one team alone."""
    judgments, contributed = given.score.judgments, given.score.contributed
    alone = contributed & (contributed.sum(axis=0) == 1)
    there = count_relevant(given.score.measure, judgments)
    left = remaining_relevant(given.score)
    pooled = np.bincount(groups, [flag is True for flag in given.contributed], len(names))
    emptied = (left == 0) & (there > 0)
    return Pool(
        depth=given.pool_depth,
        known_depth=given.known_depth,
        judged_share=given.judged_share,
        explained_share=given.explained_share,
        judged=judgments.grade.size,
        judged_alone=int(alone.sum()),
        relevant=int(there.sum()),
        relevant_alone=int((there - left).sum()),
        contributions=[
            Contribution(team=team, runs=runs, pooled_runs=fed, judged=judged, relevant=relevant)
            for team, runs, fed, judged, relevant in zip(
                names,
                np.bincount(groups).tolist(),
                pooled.astype(int).tolist(),
                alone.sum(axis=1).tolist(),
                (there - left).sum(axis=1).tolist(),
                strict=True,
            )
        ],
        emptied=[
            TopicWithout(without=names[team], topic=given.topics[topic])
            for team, topic in np.argwhere(emptied)
        ],
        without_relevant=[given.topics[topic] for topic in np.flatnonzero(there == 0)],
    )


def _of_scale(left: LeftOut, runs: list[str], teams: list[str | None] | None) -> LeftOutOfScale:
    difference = left.left_out - left.official
    return LeftOutOfScale(
        scale=left.scale,
        tau=left.tau,
        tau_low=None if left.interval is None else left.interval.low,
        tau_high=None if left.interval is None else left.interval.high,
        rmse=left.rmse,
        largest=left.largest,
        bias=left.bias,
        mean_rank_shift=left.mean_rank_shift,
        largest_rank_shift=left.largest_rank_shift,
        left_out=[
            RunLeftOut(
                run=runs[index],
                team=None if teams is None else teams[index],
                official=float(left.official[index]),
                left_out=float(left.left_out[index]),
                difference=float(difference[index]),
                rank_shift=int(left.rank_shift[index]),
            )
            for index in np.argsort(difference, kind="stable").tolist()
        ],
    )


def _seconds(study: LeaveOneOutStudy) -> float:
    cells = study.trials * study.topics * study.runs * len(study.scales)
    return cells * (5e-6 if study.reassessed else 5e-8)


STUDY = KindOfStudy(LeaveOneOutStudy, _compute, _seconds)
