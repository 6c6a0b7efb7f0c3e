"""Whether every round of a task would have scored teams fairly that were not there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from sqlalchemy import Connection, Row

from roundbook.errors import ImpossibleStatisticError, NotRecordedError
from roundbook.logbook.drift.assessment import assess_pair, choose_margin
from roundbook.logbook.drift.compared_rounds import pair_rounds
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.known_then import rounds_as_known, saved_factors
from roundbook.logbook.input_rows import qrels_today, uploads_today
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.across_rounds import find_rounds
from roundbook.logbook.studies.leave_one_out import LeftOutFigures, left_out_figures
from roundbook.logbook.studies.left_out_runs import (
    GivenRuns,
    runs_of_round,
    runs_scored_anew,
)
from roundbook.logbook.studies.logged_scores import LoggedBeside, logged_beside
from roundbook.logbook.studies.reassessing import load_reassessed
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.drift import CurveRequest
from roundbook.requests.studies import LeaveOneOutRequest, LeaveOneOutRoundsRequest
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.studies.leave_one_out import leave_one_out, remaining_relevant
from roundbook.statistics.studies.trend import Trend, round_trend

# Why a round's scores are not computed anew.
NotReassessed = Literal[
    "no runs",  # what they retrieved is not logged
    "no assessments",  # nor these
    "no pool",  # which runs fed it, or of which teams they are, is not recorded
    "impossible",  # the measure is none that is computed here, or no pool depth explains them
]

# Why no team of a round can be left out.
WhyNot = Literal["no teams", "impossible"]


class ReassessedRound(Result):
    """A round's scores computed anew, each team left out with the assessments due to it alone.

    `upload` is the latest of runs, `revision` that of the assessments, `topics` are the assessed
    ones. To rank `pool_depth` the `pooled_runs` were judged; `judged_share` of their documents are,
    and they are `explained_share` of all `judged` documents. `relevant_alone` of all `relevant` ones
    are due to one team. `team_of_run` and `fed_pool` are what is known of each of the runs, and
    `logged` is how these scores differ from the logged ones.
    """

    upload: int
    revision: int
    topics: int
    runs: int
    teams: int
    pooled_runs: int
    pool_depth: int
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
    """A round in which each of `teams` teams is left out, by the factors of the others.

    `runs_without_team` runs whose team is unknown count as one each. `reassessed` is the same with
    the scores computed anew; where that is None, `not_reassessed` says why. `ageing` is the verdict
    on the first round's factors in this one, None of the first round itself.
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


class RoundNotStudied(Result):
    """A round in which no team can be left out: none is known, or the runs are too few or tie."""

    round: str
    matrix: int | None
    factor_version: int | None
    why: WhyNot


@dataclass(frozen=True)
class TauTrend(Trend):
    """How Kendall's tau goes with the rounds, `by` the others' ``factors`` or ``assessments``."""

    by: str


class LeftOutScale(Result):
    """One scale over all rounds; `lowest` is the smallest tau of all its rounds."""

    scale: str
    lowest: float | None
    trends: list[TauTrend]


class LeaveOneOutRounds(Study):
    """Whether every round that has a measure would have scored teams fairly that were not there.

    `topics`, `runs` and `trials`, which are teams left out, are sums over the rounds. `ageing_from`
    is the first round that has factors, of which each round's `ageing` tells.
    """

    ageing_from: str
    rounds: list[LeftOutRound]
    left_out: list[RoundNotStudied]
    scales: list[LeftOutScale]

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """The matrices of all rounds, those left out too, each with the version of its factors."""
        given: list[LeftOutRound | RoundNotStudied] = [*self.rounds, *self.left_out]
        return [(one.matrix, one.factor_version) for one in given]


def _compute(
    session: Session | None,
    request: LeaveOneOutRoundsRequest,
    work: Work,
    recorded: LeaveOneOutRounds | None,
) -> LeaveOneOutRounds:
    assert session is not None
    if recorded is None:
        first, studied, left_out, asked = _today(session, request, work)
    else:
        asked = request.model_copy(
            update={"measure": recorded.measure, "assessments": recorded.assessments}
        )
        first, left_out = recorded.ageing_from, recorded.left_out
        studied = [_as_it_was(session, asked, one, work) for one in recorded.rounds]
    return LeaveOneOutRounds(
        study=request.study,
        task=request.task,
        measure=asked.measure,
        assessments=asked.assessments,
        topics=sum(one.topics for one in studied),
        runs=sum(one.runs for one in studied),
        trials=sum(one.teams for one in studied),
        seed=request.seed,
        ageing_from=first,
        rounds=studied,
        left_out=left_out,
        scales=[_over_rounds(scale, studied) for scale in request.scales],
    )


def _today(
    session: Session, request: LeaveOneOutRoundsRequest, work: Work
) -> tuple[str, list[LeftOutRound], list[RoundNotStudied], LeaveOneOutRoundsRequest]:
    """Return the first round, those that can be studied, the others, and the request as it is understood."""
    measure, label, inputs = find_rounds(session.connection, request)
    asked = request.model_copy(update={"measure": measure, "assessments": label})
    ageing = _ageing(session, asked, inputs[0][0])
    kept = _kept(session.connection, asked)
    studied: list[LeftOutRound] = []
    left_out: list[RoundNotStudied] = []
    for name, matrix, version in inputs:
        try:
            one = _by_factors(session, asked, name, work)
        except (NotRecordedError, ImpossibleStatisticError) as error:
            why: WhyNot = "no teams" if isinstance(error, NotRecordedError) else "impossible"
            left_out.append(
                RoundNotStudied(round=name, matrix=matrix, factor_version=version, why=why)
            )
            continue
        missing = next((what for what, rounds in kept.items() if name not in rounds), None)
        anew = None
        try:
            anew = None if missing else _by_assessments(session, asked, one, work)
        except NotRecordedError:
            missing = "no pool"
        except ImpossibleStatisticError:
            missing = "impossible"
        found = {"reassessed": anew, "not_reassessed": missing, "ageing": ageing.get(name)}
        studied.append(one.model_copy(update=found))
    if studied:
        return inputs[0][0], studied, left_out, asked
    unknown = [one.round for one in left_out if one.why == "no teams"]
    if unknown:
        raise NotRecordedError(
            f"Which team sent which run is not recorded of any round with {measure} scores.",
            way_out="record the teams",
            task=request.task,
            round=unknown[0],
        )
    raise ImpossibleStatisticError(
        f"No round has {measure} scores of two teams or more, with two standardising runs besides"
        " those of any."
    )


def _as_it_was(
    session: Session, asked: LeaveOneOutRoundsRequest, was: LeftOutRound, work: Work
) -> LeftOutRound:
    """Return a round of a saved study, computed again from what it was computed from."""
    anew = None
    if was.reassessed is not None:
        anew = _by_assessments(session, asked, was, work, was.reassessed)
    return _by_factors(session, asked, was.round, work, was).model_copy(
        update={
            "reassessed": anew,
            **{
                name: getattr(was, name)
                for name in ("not_reassessed", "ageing", "runs_without_team")
            },
        }
    )


def _ageing(session: Session, asked: LeaveOneOutRoundsRequest, first: str) -> dict[str, str]:
    """Return the verdict on the first round's factors in each later round that has any."""
    request = CurveRequest(
        task=asked.task or "",
        measure=asked.measure,
        assessments=asked.assessments,
        from_round=first,
    )
    try:
        return {later.round: later.verdict for later in trace_drift(session, request).rounds}
    except NotRecordedError:  # there is no later round
        return {}


def _ageing_known_then(
    connection: Connection, saved: Row[Any], read: LeaveOneOutRounds
) -> Iterator[Facts | NotComputed]:
    """Yield the verdicts of a saved study that its factors do not give, by what was known then."""
    request = CurveRequest(task=read.task or "", measure=read.measure)
    margin, _ = choose_margin(request)
    recorded = {one.round: one.ageing for one in read.rounds}
    first, *later = rounds_as_known(connection, saved, saved_factors(connection, saved.id))
    for other in later:
        if first is None or other is None:
            yield NotComputed("known")
            return
        if first.fitted.round != read.ageing_from:
            yield {
                "what": "ageing_from",
                "recorded": read.ageing_from,
                "computed": first.fitted.round,
            }
            return
        pair = pair_rounds(first, other)
        verdict = assess_pair(pair, margin, request.sd_ratio_margin).whole.verdict
        label = other.fitted.round
        if recorded.get(label, verdict) != verdict:
            yield {
                "what": "ageing",
                "round": label,
                "recorded": recorded[label],
                "computed": verdict,
            }


def _kept(connection: Connection, asked: LeaveOneOutRoundsRequest) -> dict[NotReassessed, set[str]]:
    """Return which rounds have what scores are computed anew from."""
    task_id = find_task(connection, asked.task or "")
    assessed = [
        row for row in qrels_today(connection, task_id) if row.assessments == asked.assessments
    ]
    return {
        "no runs": {row.round for row in uploads_today(connection, task_id)},
        "no assessments": {row.round for row in assessed},
    }


def _of_one(asked: LeaveOneOutRoundsRequest, name: str, **more: Any) -> LeaveOneOutRequest:  # noqa: ANN401
    return LeaveOneOutRequest(
        task=asked.task,
        round=name,
        measure=asked.measure,
        assessments=asked.assessments,
        by="team",
        **more,
    )


def _by_factors(
    session: Session,
    asked: LeaveOneOutRoundsRequest,
    name: str,
    work: Work,
    was: LeftOutRound | None = None,
) -> LeftOutRound:
    """Leave out each team of a round by the factors of the others."""
    scales = tuple(scale for scale in asked.scales if scale != "raw")
    given = runs_of_round(session, _of_one(asked, name, scales=scales), work, was)
    teams = given.groups if was is None else np.array(was.team_of_run)
    about = ("round", "matrix", "revision", "factor_version", "topics", "runs")
    return LeftOutRound(
        **{field: given.about[field] for field in about},
        teams=int(teams.max()) + 1,
        runs_without_team=(given.teams or []).count(None),
        team_of_run=teams.tolist(),
        scales=_figures(given, teams, scales, work, f"{name}: teams"),
    )


def _by_assessments(
    session: Session,
    asked: LeaveOneOutRoundsRequest,
    of: LeftOutRound,
    work: Work,
    was: ReassessedRound | None = None,
) -> ReassessedRound:
    """Do the same with the scores computed anew."""
    name = of.round
    request = _of_one(asked, name, scales=asked.scales, reassessed=True)
    anew = load_reassessed(session, request, was)
    given = runs_scored_anew(anew, session, (of.matrix, of.factor_version))
    figures = _figures(given, given.groups, asked.scales, work, f"{name}: teams, scores anew")
    judgments, contributed = anew.score.judgments, anew.score.contributed
    there = count_relevant(anew.score.measure, judgments)
    return ReassessedRound(
        **{field: anew.about[field] for field in ("upload", "revision", "topics", "runs")},
        teams=len(contributed),
        pooled_runs=anew.contributed.count(True),
        pool_depth=anew.pool_depth,
        judged_share=anew.judged_share,
        explained_share=anew.explained_share,
        judged=judgments.grade.size,
        relevant=int(there.sum()),
        relevant_alone=int((there - remaining_relevant(anew.score)).sum()),
        team_of_run=anew.team_of_run.tolist(),
        fed_pool=anew.contributed,
        logged=logged_beside(session, anew.about, asked.measure) if was is None else was.logged,
        scales=figures,
    )


def _figures(
    given: GivenRuns,
    teams: NDArray[np.intp],
    scales: Sequence[Literal["raw", "std-ab", "std-cdf"]],
    work: Work,
    what: str,
) -> list[LeftOutFigures]:
    study = leave_one_out(
        given.score,
        teams,
        scales=scales,
        standardising=given.standardising,
        zero_sd=given.about["zero_sd"],
        progress=lambda done, of: work.progress(what, done, of),
        mapped=work.mapped,
    )
    return [LeftOutFigures(**left_out_figures(left)) for left in study.scales]


def _over_rounds(scale: str, studied: Sequence[LeftOutRound]) -> LeftOutScale:
    by_factors = [of.tau for one in studied for of in one.scales if of.scale == scale]
    anew = [one.reassessed for one in studied if one.reassessed is not None]
    by_assessments = [of.tau for one in anew for of in one.scales if of.scale == scale]
    trends: list[TauTrend] = []
    taus: list[float] = []
    for by, of_rounds in ("factors", by_factors), ("assessments", by_assessments):
        known = [tau for tau in of_rounds if tau is not None]
        taus += known
        if known:
            trends.append(TauTrend(**vars(round_trend(known)), by=by))
    return LeftOutScale(scale=scale, lowest=min(taus, default=None), trends=trends)


def _seconds(study: LeaveOneOutRounds) -> float:
    scales = len(study.scales)
    return sum(
        scales * 5e-8 * one.teams * one.topics * one.runs
        + (0 if anew is None else scales * 5e-6 * anew.teams * anew.topics * anew.runs)
        for one in study.rounds
        for anew in [one.reassessed]
    )


STUDY = KindOfStudy(LeaveOneOutRounds, _compute, _seconds, _ageing_known_then)
