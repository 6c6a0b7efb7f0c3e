"""Every use case through a door, which keeps what it did or takes it back."""

from __future__ import annotations

import csv
import io
import re
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from math import isnan
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pydantic import field_serializer

from roundbook.formats import RunTeam, ScoreMatrix
from roundbook.logbook import events as _events
from roundbook.logbook import factors as _factors
from roundbook.logbook import fitting as _fitting
from roundbook.logbook import generalisability as _generalisability
from roundbook.logbook import impact as _impact
from roundbook.logbook import published as _published
from roundbook.logbook import rankings as _rankings
from roundbook.logbook import round_changes as _round_changes
from roundbook.logbook import rounds as _rounds
from roundbook.logbook import saved_results as _saved_results
from roundbook.logbook import saving as _saving
from roundbook.logbook import standardise as _standardise
from roundbook.logbook import tasks as _tasks
from roundbook.logbook import teams as _teams
from roundbook.logbook import variances as _variances
from roundbook.logbook.drift import report as _drift_report
from roundbook.logbook.matrices import corrections as _corrections
from roundbook.logbook.matrices import export as _export
from roundbook.logbook.matrices import history as _history
from roundbook.logbook.matrices import listing as _listing
from roundbook.logbook.matrices import log_matrix as _logging
from roundbook.logbook.matrices import showing as _showing
from roundbook.logbook.plans import planning as _plans_planning
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.privileges import grant_access as _grant_access
from roundbook.logbook.result import Result
from roundbook.logbook.round_fingerprint import verify_round as _verify_round
from roundbook.logbook.runs import assessing as _assessing
from roundbook.logbook.runs import log_runs as _log_runs
from roundbook.logbook.session import DEFAULT_WORK, begin
from roundbook.logbook.verifying.record import verify_record as _verify_record
from roundbook.presentation.impact import scores_sentence
from roundbook.presentation.plans import plan_changes
from roundbook.requests.access import GrantRequest
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.factors import (
    FactorsRequest,
    FitRequest,
    StandardiseFilesRequest,
    StandardiseRequest,
)
from roundbook.requests.matrices import (
    ExportMatrix,
    ListMatrices,
    LogFilesRequest,
    LogRequest,
    RestoreMatrix,
    ShowHistory,
    ShowImpact,
    ShowMatrix,
    WithdrawMatrix,
)
from roundbook.requests.plans import PlanRequest
from roundbook.requests.rankings import GeneralisabilityRequest, RankRequest
from roundbook.requests.record import (
    EventsRequest,
    ExportRequest,
    ImportRequest,
    RoundVerificationRequest,
    VerifyRequest,
)
from roundbook.requests.results import ListResults, RenewResults, SaveResult, ShowResult
from roundbook.requests.runs import DescribeTeams, LogQrels, LogRuns
from roundbook.requests.tasks import (
    CreateRound,
    CreateTask,
    ListRounds,
    PublishRound,
    SetRound,
)
from roundbook.requests.variances import (
    RecordVarianceRequest,
    VarianceHistoryRequest,
    VarianceRequest,
)
from roundbook.transfer.archive.exporting import export_archive as _export_archive
from roundbook.transfer.archive.importing import import_archive as _import_archive
from roundbook_cli.plan_advice import plan_json
from roundbook_cli.renewal import dependent_line, renewal
from roundbook_cli.ways_out import sentence


@contextmanager
def refusing(kind, match):
    """Expect an error that the terminal prints, with the way out, in words like these."""
    with pytest.raises(kind) as caught:
        yield caught
    assert re.search(match, sentence(caught.value)), sentence(caught.value)


def _through_door(use_case):
    @wraps(use_case)
    def call(engine, /, *arguments, user="unknown", work=DEFAULT_WORK, **options):
        with begin(engine, user, keep=not options.get("dry_run"), work=work) as session:
            return use_case(session, *arguments, **options)

    return call


@_through_door
def trace_drift(session, task, measure, **options):
    request = CurveRequest(task=task, measure=measure, **options)
    return _drift_report.trace_drift(session, request)


@_through_door
def report_drift(session, task, measure, **options):
    request = DriftRequest(task=task, measure=measure, **options)
    return _drift_report.report_drift(session, request)


@_through_door
def save_report(session, task, measure, *, note=None, **options):
    """Save a drift report as the task's next."""
    request = DriftRequest(task=task, measure=measure, **options)
    return _saving.save_result(session, "drift", request, SaveResult(note=note))


@_through_door
def list_results(session, task=None, **options):
    return _saved_results.list_results(session, ListResults(task=task, **options))


@_through_door
def show_result(session, name, **options):
    return _saved_results.show_result(session, ShowResult(name=name, **options))


@_through_door
def renew_results(session, **options):
    return _saving.renew_results(session, RenewResults(**options))


@_through_door
def list_events(session, task_name=None, round_label=None, **options):
    return _events.list_events(session, EventsRequest(task=task_name, round=round_label, **options))


@_through_door
def show_factors(session, task, round_label, measure, **options):
    request = FactorsRequest(task=task, round=round_label, measure=measure, **options)
    return _factors.show_factors(session, request)


@_through_door
def fit_factor_set(session, task, round_label, measure, *, runs="pooled", **options):
    runs = (runs,) if isinstance(runs, str) else tuple(runs)
    request = FitRequest(task=task, round=round_label, measure=measure, runs=runs, **options)
    return _fitting.fit_factor_set(session, request)


@_through_door
def report_generalisability(session, task, measure, round_label=None, **options):
    request = GeneralisabilityRequest(task=task, measure=measure, round=round_label, **options)
    return _generalisability.report_generalisability(session, request)


def impact_lines(dependents):
    """Return what rests on a matrix as ``impact`` prints it: name, why, renew and so on."""
    return [SimpleNamespace(**dependent_line(dependent)) for dependent in dependents]


@_through_door
def show_impact(session, matrix):
    """Return the impact of a matrix as ``impact`` prints it."""
    impact = _impact.show_impact(session, ShowImpact(matrix=matrix))
    why = None if impact.reason is None else scores_sentence(impact.reason)
    facts = dict(impact) | {"why": why, "dependents": impact_lines(impact.dependents)}
    return SimpleNamespace(**facts)


# What a topic set is designed for, as fields of a `PlanRequest`.
Design = dict


def plan(variance, asked=(), /, **options):
    """Plan from a given variance, None where that is solved for."""
    request = PlanRequest(**{"variance": variance, **dict(asked), **options})
    return _plans_planning.plan_topics(None, request)


@_through_door
def plan_task(session, task, measure, asked=(), /, **options):
    request = PlanRequest(**{"task": task, "measure": measure, **dict(asked), **options})
    return _plans_planning.plan_topics(session, request)


class StaleEstimate(Result):
    """An estimate that a saved plan is from and that does not count any more."""

    round: str
    was: float
    now: float | None
    why: str


class ShownPlan(Result):
    """A saved plan, as ``plan show`` has it."""

    name: str
    version: int
    versions: int
    task: str | None
    note: str | None
    saved_at: datetime
    saved_by: str
    software: str
    status: str | None = None
    stale: list[StaleEstimate]
    new_rounds: list[str]
    renew: str | None
    request: dict[str, Any]
    plan: Plan

    @field_serializer("plan")
    def _print(self, plan):
        return plan_json(plan)


def _shown(entry):
    return ShownPlan(
        **{name: value for name, value in dict(entry).items() if name in ShownPlan.model_fields}
        | plan_changes(entry)
        | {"renew": renewal(entry), "plan": entry.result},
    )


@_through_door
def save_plan(session, name, asked, *, note=None):
    """Save the plan of a request; a plan that was computed is computed anew by what it echoes."""
    request = request_of(asked) if isinstance(asked, Plan) else asked
    return _shown(_saving.save_result(session, "plan", request, SaveResult(name=name, note=note)))


@_through_door
def show_plan(session, name, *, version=None):
    request = ShowResult(name=name, kind="plan", version=version)
    return _shown(_saved_results.show_result(session, request))


@_through_door
def list_plans(session, task=None):
    return _saved_results.list_results(session, ListResults(task=task, kind="plan"))


def request_of(plan):
    """Return the request that a plan answers, as far as it echoes it."""
    names = ("m", "min_d", "topics", "alpha", "beta", "engine", "design", "solve")
    given = {name: getattr(plan, name) for name in names}
    history = plan.estimate
    if history is None:
        return PlanRequest(**given, variance=plan.variance)
    return PlanRequest(
        **given,
        task=history.task,
        measure=history.measure,
        scale=history.scale,
        assessments=tuple(history.mixed or [history.assessments]),
        pool_by=history.pooled.weights,
        variance_of=plan.variance_of,
        variance_at=plan.variance if plan.variance_at == "given" else plan.variance_at or "pooled",
    )


@_through_door
def record_variance(session, task, round_label, measure, **options):
    request = RecordVarianceRequest(task=task, round=round_label, measure=measure, **options)
    return _published.record_variance(session, request)


@_through_door
def compare_rankings(session, task, round_label, measure, **options):
    request = RankRequest(task=task, round=round_label, measure=measure, **options)
    return _rankings.compare_rankings(session, request)


@_through_door
def standardise(session, task, round_label, measure, **options):
    request = StandardiseRequest(task=task, round=round_label, measure=measure, **options)
    return _standardise.standardise(session, request)


@_through_door
def standardise_files(session, task, factors_from, files, measure, **options):
    request = StandardiseFilesRequest(
        task=task, factors_from=factors_from, files=files, measure=measure, **options
    )
    return _standardise.standardise_files(session, request)


@_through_door
def show_histories(session, task, **options):
    return _variances.show_histories(session, VarianceHistoryRequest(task=task, **options))


@_through_door
def show_variances(session, task, measure, **options):
    request = VarianceRequest(task=task, measure=measure, **options)
    return _variances.show_variances(session, request)


@_through_door
def import_archive(session, archive, *, progress=lambda _: None, **options):
    return _import_archive(session, ImportRequest(archive=archive, **options), progress)


@_through_door
def verify_record(session, *, progress=lambda _: None, **options):
    return _verify_record(session, VerifyRequest(**options), progress)


@_through_door
def verify_round(session, task, label, fingerprint=None):
    request = RoundVerificationRequest(task=task, round=label, fingerprint=fingerprint)
    return _verify_round(session, request)


@_through_door
def grant_access(session, role, access):
    return _grant_access(session, GrantRequest(role=role, access=access))


def export_archive(engine, archive, *, progress=lambda _: None, **options):
    with begin(engine, one_snapshot=True) as session:
        return _export_archive(session, ExportRequest(archive=archive, **options), progress)


@_through_door
def create_task(session, task, title=None):
    return _tasks.create_task(session, CreateTask(task=task, title=title))


list_tasks = _through_door(_tasks.list_tasks)


@_through_door
def create_round(session, task, label, **options):
    return _rounds.create_round(session, CreateRound(task=task, round=label, **options))


@_through_door
def set_round(session, task, label, **options):
    return _round_changes.set_round(session, SetRound(task=task, round=label, **options))


@_through_door
def publish_round(session, task, label, reason=None):
    return _round_changes.publish_round(
        session, PublishRound(task=task, round=label, reason=reason)
    )


@_through_door
def list_rounds(session, task):
    return _rounds.list_rounds(session, ListRounds(task=task))


def log_files(engine, task, label, files, measure, **options):
    return log_measures(engine, task, label, files, measure, **options).matrices[0]


@_through_door
def log_measures(session, task, label, files, *measures, **options):
    """Log several measures from files together, all of them where none is named."""
    request = LogFilesRequest(
        task=task,
        round=label,
        files=tuple(files),
        measures=measures,
        all_measures=not measures,
        **options,
    )
    return _logging.log_files(session, request)


@_through_door
def describe_teams(session, task, label, file, **options):
    request = DescribeTeams(task=task, round=label, file=file, **options)
    return _teams.describe_teams(session, request)


@_through_door
def log_matrix(session, task, label, measure, scores, *, teams=None, **options):
    # A matrix whose missing scores were treated before says how.
    options.setdefault("missing", getattr(scores, "missing_policy", "reject"))
    request = LogRequest(task=task, round=label, measure=measure, **options)
    return _logging.log_scores(session, request, scores, teams)


def score_matrix(scores, topics=None, runs=None, files=("test",)):
    """Return scores, (topics, runs), of topics t0, t1, ... and runs run0, run1, ... unless named."""
    scores = np.asarray(scores, dtype=float)
    topics = tuple(topics or (f"t{index}" for index in range(scores.shape[0])))
    runs = tuple(runs or (f"run{index}" for index in range(scores.shape[1])))
    return ScoreMatrix(topics, runs, scores, None, "wide", files)


def simulated(seed, topics, runs):
    """Return scores, (topics, runs), with three decimals; topics differ more than runs do."""
    rng = np.random.default_rng(seed)
    return (rng.random((topics, 1)) * 0.4 + rng.random((topics, runs)) * 0.3).round(3)


def wide(scores, topics=None, runs=None):
    """Return scores, NaN where missing, as a file of a line a topic; named as in `score_matrix`."""
    matrix = score_matrix(scores, topics, runs)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(["topic", *matrix.runs])
    for topic, row in zip(matrix.topics, matrix.scores.tolist(), strict=True):
        lines.writerow([topic, *("" if isnan(score) else score for score in row)])
    return text.getvalue()


def log_scores(
    engine,
    label,
    scores,
    measure="AP",
    *,
    task="t",
    topics=None,
    runs=None,
    teams=None,
    files=("test",),
    **options,
):
    """Log scores, of topics and runs as `score_matrix` names them.

    `teams` are the runs' teams in their order, None where unknown, or what a team file says.
    """
    matrix = score_matrix(scores, topics, runs, files)
    if teams is not None and not isinstance(teams, dict):
        teams = {
            run: RunTeam(run, team, None, None, None)
            for run, team in zip(matrix.runs, teams, strict=True)
            if team is not None
        }
    options = {"create": True, "user": "tester", **options}
    return log_matrix(engine, task, label, measure, matrix, teams=teams, **options)


@_through_door
def log_runs(session, task, label, *files, **options):
    request = LogRuns(task=task, round=label, files=files, **options)
    return _log_runs.log_runs(session, request)


@_through_door
def log_qrels(session, task, label, file, **options):
    request = LogQrels(task=task, round=label, file=file, **options)
    return _assessing.log_qrels(session, request)


@_through_door
def list_matrices(session, task, **options):
    return _listing.list_matrices(session, ListMatrices(task=task, **options))


@_through_door
def show_matrix(session, matrix, **options):
    return _showing.show_matrix(session, ShowMatrix(matrix=matrix, **options))


@_through_door
def show_history(session, matrix):
    return _history.show_history(session, ShowHistory(matrix=matrix))


@_through_door
def export_matrix(session, matrix, **options):
    return _export.export_matrix(session, ExportMatrix(matrix=matrix, **options))


@_through_door
def withdraw_matrix(session, matrix, reason):
    return _corrections.withdraw_matrix(session, WithdrawMatrix(matrix=matrix, reason=reason))


@_through_door
def restore_matrix(session, matrix, reason):
    return _corrections.restore_matrix(session, RestoreMatrix(matrix=matrix, reason=reason))
