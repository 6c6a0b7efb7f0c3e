"""Leave-one-out over all rounds of a task: whether teams left out would have been scored fairly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row

from roundbook.errors import ImpossibleStatisticError, NotRecordedError
from roundbook.logbook.drift.assessment import assess_pair, choose_margin
from roundbook.logbook.drift.compared_rounds import pair_rounds
from roundbook.logbook.drift.curve import trace_drift
from roundbook.logbook.drift.known_then import rounds_as_known, saved_factors
from roundbook.logbook.input_rows import inputs_today
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.across_rounds import find_rounds
from roundbook.logbook.studies.left_out_round import (
    LeftOutRound,
    NotReassessed,
    leave_out_by_assessments,
    leave_out_by_factors,
)
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.logbook.verifying.differences import SAME, Facts, NotComputed
from roundbook.requests.drift import CurveRequest
from roundbook.requests.studies import LeaveOneOutRoundsRequest
from roundbook.statistics.studies.trend import Trend, round_trend

# The reasons why no team of a round can be left out.
WhyNot = Literal["no teams", "impossible"]


class RoundNotStudied(Result):
    """A round without a team to leave out: no team is known, or the runs are too few or tie."""

    round: str
    matrix: int | None
    factor_version: int | None
    why: WhyNot


@dataclass(frozen=True)
class TauTrend(Trend):
    """The trend of Kendall's tau over rounds, `by` the others' ``factors`` or ``assessments``."""

    by: str


class LeftOutScale(Result):
    """One scale over all rounds; `lowest` is the smallest tau of all its rounds."""

    scale: str
    lowest: float | None
    trends: list[TauTrend]


class LeaveOneOutRounds(Study):
    """Whether each round with a measure would have scored left-out teams fairly.

    `topics`, `runs` and `trials` (teams left out) are sums over the rounds. `ageing_from` is the
    first round with factors, to which each round's `ageing` verdict refers.
    """

    ageing_from: str
    rounds: list[LeftOutRound]
    left_out: list[RoundNotStudied]
    scales: list[LeftOutScale]

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """The matrices of all rounds, also those left out, each with the version of its factors."""
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
    return LeaveOneOutRounds.of(
        request,
        {"task": request.task, "measure": asked.measure, "assessments": asked.assessments},
        topics=sum(one.topics for one in studied),
        runs=sum(one.runs for one in studied),
        trials=sum(one.teams for one in studied),
        ageing_from=first,
        rounds=studied,
        left_out=left_out,
        scales=[_over_rounds(scale, studied) for scale in request.scales],
    )


def _today(
    session: Session, request: LeaveOneOutRoundsRequest, work: Work
) -> tuple[str, list[LeftOutRound], list[RoundNotStudied], LeaveOneOutRoundsRequest]:
    """Return the first round, the studied and the other rounds, and the completed request."""
    measure, label, inputs = find_rounds(session.connection, request)
    asked = request.model_copy(update={"measure": measure, "assessments": label})
    ageing = _ageing(session, asked, inputs[0][0])
    kept = _kept(session.connection, asked)
    studied: list[LeftOutRound] = []
    left_out: list[RoundNotStudied] = []
    for name, matrix, version in inputs:
        try:
            one = leave_out_by_factors(session, asked, name, work)
        except (NotRecordedError, ImpossibleStatisticError) as error:
            why: WhyNot = "no teams" if isinstance(error, NotRecordedError) else "impossible"
            left_out.append(
                RoundNotStudied(round=name, matrix=matrix, factor_version=version, why=why)
            )
            continue
        missing = next((reason for reason, rounds in kept.items() if name not in rounds), None)
        anew = None
        try:
            anew = None if missing else leave_out_by_assessments(session, asked, one, work)
        except NotRecordedError:
            missing = "no pool"
        except ImpossibleStatisticError:
            missing = "impossible"
        more = {"reassessed": anew, "not_reassessed": missing, "ageing": ageing.get(name)}
        studied.append(one.model_copy(update=more))
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
    """Return a round of a saved study, computed again from its saved inputs."""
    again = leave_out_by_factors(session, asked, was.round, work, was)
    kept = was.model_dump(include={"not_reassessed", "ageing", "runs_without_team"})
    if was.reassessed is not None:
        kept["reassessed"] = leave_out_by_assessments(session, asked, was, work, was.reassessed)
    return again.model_copy(update=kept)


def _ageing(session: Session, asked: LeaveOneOutRoundsRequest, first: str) -> dict[str, str]:
    """Return the drift verdict on the first round's factors, by later round with factors."""
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
    """Yield the ageing verdicts of a saved study that differ from what was known then."""
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
    """Return the rounds that have runs, and those that have assessments, by the code without."""
    task_id = find_task(connection, asked.task or "")
    assessed = [
        row
        for row in inputs_today(connection, "qrels", task_id)
        if row.assessments == asked.assessments
    ]
    return {
        "no runs": {row.round for row in inputs_today(connection, "run_upload", task_id)},
        "no assessments": {row.round for row in assessed},
    }


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


# Earlier versions took the figures from rounded means; how large these were, if above 1, is not
# saved.
STUDY = KindOfStudy(LeaveOneOutRounds, _compute, _seconds, _ageing_known_then, noise=lambda _: SAME)
