"""Leave-one-out over all rounds of a task: whether teams left out would have been scored fairly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row

from roundbook.errors import ImpossibleStatisticError, NotRecordedError
from roundbook.logbook.drift.assessment import assess_pair
from roundbook.logbook.drift.compared_rounds import pair_rounds
from roundbook.logbook.drift.report import trace_drift
from roundbook.logbook.drift.verifying import rounds_at_saving, saved_factors
from roundbook.logbook.input_rows import inputs_today
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.across_rounds import RoundInputs, find_rounds
from roundbook.logbook.studies.left_out_rounds import (
    LeftOutRound,
    NotReassessed,
    leave_out_by_assessments,
    leave_out_by_factors,
)
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.logbook.study_source import StudySource
from roundbook.logbook.verifying.differences import Facts, NotComputed, differing
from roundbook.requests.drift import CurveRequest
from roundbook.requests.studies import LeaveOneOutRoundsRequest
from roundbook.statistics.studies.trend import Trend, round_trend

# The reasons why no team of a round can be left out.
NotStudied = Literal["no teams", "impossible"]


class RoundNotStudied(Result):
    """A round without a team to leave out: no team is known, or the runs are too few or tie."""

    round: str
    matrix: int | None
    factor_version: int | None
    why: NotStudied


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
    def matrices(self) -> list[MatrixRead]:
        """The matrices of all rounds, also those left out, each with the version of its factors."""
        rounds: list[LeftOutRound | RoundNotStudied] = [*self.rounds, *self.left_out]
        return [MatrixRead(entry.matrix, entry.factor_version) for entry in rounds]


def _compute(
    session: Session | None,
    request: LeaveOneOutRoundsRequest,
    work: Work,
    saved: LeaveOneOutRounds | None,
) -> LeaveOneOutRounds:
    assert session is not None
    if saved is None:
        measure, label, inputs = find_rounds(session.connection, request)
        first = inputs[0][0]
        request = request.model_copy(update={"measure": measure, "assessments": label})
        studied, left_out = _study_rounds(session, request, inputs, work)
    else:
        named = saved.model_dump(include={"measure", "assessments"})
        request = request.model_copy(update=named)
        first, left_out = saved.ageing_from, saved.left_out
        studied = [_recompute(session, request, entry, work) for entry in saved.rounds]
    return LeaveOneOutRounds.of(
        request,
        StudySource(
            topics=sum(entry.topics for entry in studied),
            runs=sum(entry.runs for entry in studied),
            **request.model_dump(include={"task", "measure", "assessments"}),
        ),
        trials=sum(entry.teams for entry in studied),
        ageing_from=first,
        rounds=studied,
        left_out=left_out,
        scales=[_over_rounds(scale, studied) for scale in request.scales],
    )


def _study_rounds(
    session: Session, request: LeaveOneOutRoundsRequest, inputs: RoundInputs, work: Work
) -> tuple[list[LeftOutRound], list[RoundNotStudied]]:
    """Return the rounds that can be studied, with their figures, and the others."""
    ageing = _ageing(session, request, inputs[0][0])
    logged_rounds = _logged_rounds(session.connection, request)
    studied: list[LeftOutRound] = []
    left_out: list[RoundNotStudied] = []
    for name, read in inputs:
        try:
            entry = leave_out_by_factors(session, request, name, work)
        except (NotRecordedError, ImpossibleStatisticError) as error:
            reason: NotStudied = "no teams" if isinstance(error, NotRecordedError) else "impossible"
            left_out.append(RoundNotStudied(round=name, **read._asdict(), why=reason))
            continue
        missing = next((code for code, rounds in logged_rounds.items() if name not in rounds), None)
        reassessed = None
        try:
            if missing is None:
                reassessed = leave_out_by_assessments(session, request, entry, work)
        except NotRecordedError:
            missing = "no pool"
        except ImpossibleStatisticError:
            missing = "impossible"
        update = {"reassessed": reassessed, "not_reassessed": missing, "ageing": ageing.get(name)}
        studied.append(entry.model_copy(update=update))
    if studied:
        return studied, left_out
    unknown = [entry.round for entry in left_out if entry.why == "no teams"]
    if unknown:
        raise NotRecordedError(
            "Which team sent which run is not recorded of any round with"
            f" {request.measure} scores.",
            way_out="record the teams",
            task=request.task,
            round=unknown[0],
        )
    raise ImpossibleStatisticError(
        f"No round has {request.measure} scores of two teams or more, with two standardising runs"
        " besides those of any.",
        measure=request.measure,
    )


def _recompute(
    session: Session, request: LeaveOneOutRoundsRequest, saved: LeftOutRound, work: Work
) -> LeftOutRound:
    """Return a round of a saved study, computed again from its saved inputs."""
    again = leave_out_by_factors(session, request, saved.round, work, saved)
    update = saved.model_dump(include={"not_reassessed", "ageing", "runs_without_team"})
    if saved.reassessed is not None:
        update["reassessed"] = leave_out_by_assessments(
            session, request, saved, work, saved.reassessed
        )
    return again.model_copy(update=update)


def _ageing(session: Session, request: LeaveOneOutRoundsRequest, first: str) -> dict[str, str]:
    """Return the drift verdict on the first round's factors, by later round with factors."""
    curve = CurveRequest(
        task=request.task or "",
        measure=request.measure,
        assessments=request.assessments,
        from_round=first,
    )
    try:
        return {later.round: later.verdict for later in trace_drift(session, curve).rounds}
    except NotRecordedError:  # there is no later round
        return {}


def _ageing_differences(
    connection: Connection, saved: Row[Any], study: LeaveOneOutRounds
) -> Iterator[Facts | NotComputed]:
    """Yield the ageing verdicts of a saved study that differ by the facts of that time."""
    request = CurveRequest(task=study.task or "", measure=study.measure)
    recorded = {entry.round: entry.ageing for entry in study.rounds}
    first, *later = rounds_at_saving(connection, saved, saved_factors(connection, saved.id))
    for compared in later:
        if first is None or compared is None:
            yield NotComputed("known")
            return
        if first.fitted.round != study.ageing_from:
            yield {
                "what": "ageing_from",
                "recorded": study.ageing_from,
                "computed": first.fitted.round,
            }
            return
        pair = pair_rounds(first, compared)
        verdict = assess_pair(pair, request).whole.verdict
        label = compared.fitted.round
        yield from differing([("ageing", recorded.get(label, verdict), verdict)], round=label)


def _logged_rounds(
    connection: Connection, request: LeaveOneOutRoundsRequest
) -> dict[NotReassessed, set[str]]:
    """Return the rounds with runs and those with assessments, by the code for the other rounds."""
    task_id = find_task(connection, request.task or "")
    return {
        "no runs": {row.round for row in inputs_today(connection, "run_upload", task_id)},
        "no assessments": {
            row.round
            for row in inputs_today(connection, "qrels", task_id)
            if row.assessments == request.assessments
        },
    }


def _over_rounds(scale: str, studied: Sequence[LeftOutRound]) -> LeftOutScale:
    rounds = {
        "factors": [entry.scales for entry in studied],
        "assessments": [entry.reassessed.scales for entry in studied if entry.reassessed],
    }
    trends: list[TauTrend] = []
    lowest: list[float] = []
    for by, of_rounds in rounds.items():
        figures = [row for scales in of_rounds for row in scales if row.scale == scale]
        taus = [row.tau for row in figures if row.tau is not None]
        if taus:
            lowest.append(min(taus))
            trends.append(TauTrend(**vars(round_trend(taus)), by=by))
    return LeftOutScale(scale=scale, lowest=min(lowest, default=None), trends=trends)


def _seconds(study: LeaveOneOutRounds) -> float:
    seconds = 0.0
    for entry in study.rounds:
        seconds += 5e-8 * entry.teams * entry.topics * entry.runs
        if (reassessed := entry.reassessed) is not None:
            seconds += 5e-6 * reassessed.teams * reassessed.topics * reassessed.runs
    return len(study.scales) * seconds


STUDIES = {
    "leave-one-out-rounds": KindOfStudy(LeaveOneOutRounds, _compute, _seconds, _ageing_differences)
}
