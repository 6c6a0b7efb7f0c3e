"""Every use case that changes the record adds an event that refers to the task; others add none."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sqlalchemy import text
from tests.factories import log_scores as log
from tests.factories import score_matrix, wide

from roundbook import logbook, transfer
from roundbook.formats import RunTeam
from roundbook.logbook import published
from roundbook.logbook.completion_names import list_names
from roundbook.logbook.drift.report import report_drift, trace_drift
from roundbook.logbook.events import event_kinds, list_events, record_event
from roundbook.logbook.factors import show_factors, store_factors
from roundbook.logbook.fitting import fit_factor_set
from roundbook.logbook.generalisability import report_generalisability
from roundbook.logbook.impact import show_impact
from roundbook.logbook.matrices.corrections import restore_matrix, withdraw_matrix
from roundbook.logbook.matrices.export import export_matrix
from roundbook.logbook.matrices.history import show_history
from roundbook.logbook.matrices.listing import list_matrices
from roundbook.logbook.matrices.log_matrix import log_files, log_scores
from roundbook.logbook.matrices.overview import show_overview
from roundbook.logbook.matrices.preparing import (
    latest_revisions,
    prepare_matrix,
    with_seen_revisions,
)
from roundbook.logbook.matrices.showing import show_matrix
from roundbook.logbook.names import known_names, near_recorded
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.privileges import grant_access
from roundbook.logbook.published import latest_variance_revision, record_variance
from roundbook.logbook.rankings import compare_rankings
from roundbook.logbook.recorded_measures import list_measures, merge_measures
from roundbook.logbook.round_changes import publish_round, remove_round, rename_round, set_round
from roundbook.logbook.round_contents import show_round
from roundbook.logbook.round_fingerprint import (
    CHANGING,
    find_publication,
    fingerprint_round,
    verify_round,
)
from roundbook.logbook.rounds import create_round, list_rounds, open_round
from roundbook.logbook.runs.assessing import latest_qrels_revision, log_qrels
from roundbook.logbook.runs.listing import list_qrels, list_runs
from roundbook.logbook.runs.log_runs import log_runs
from roundbook.logbook.runs.scoring import compare_scores, score_round
from roundbook.logbook.saved_results import list_results, show_result
from roundbook.logbook.saving import compute_result, renew_results, save_result
from roundbook.logbook.session import Work, begin
from roundbook.logbook.standardise import standardise, standardise_files
from roundbook.logbook.studies.assessed_runs import logged_beside, reassess, study_runs
from roundbook.logbook.studies.left_out_rounds import (
    leave_out_by_assessments,
    leave_out_by_factors,
)
from roundbook.logbook.studies.left_out_runs import runs_as_scored
from roundbook.logbook.studies.scores import study_scores, teams_of_runs
from roundbook.logbook.studies.studies import run_study
from roundbook.logbook.tasks import (
    create_task,
    ensure_task,
    list_tasks,
    remove_task,
    rename_task,
)
from roundbook.logbook.teams import describe_teams
from roundbook.logbook.tokens import check_token, create_token, list_tokens, revoke_token
from roundbook.logbook.topics import alias_topics, list_topics, unalias_topic
from roundbook.logbook.variances import show_histories, show_variances
from roundbook.logbook.verifying.record import verify_record
from roundbook.requests.access import CreateToken, GrantRequest, RevokeToken
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
from roundbook.requests.runs import (
    CompareScores,
    DescribeTeams,
    ListQrels,
    ListRuns,
    LogQrels,
    LogRuns,
)
from roundbook.requests.studies import SwapRateRequest
from roundbook.requests.tasks import (
    AliasTopics,
    CreateRound,
    CreateTask,
    ListMeasures,
    ListRounds,
    ListTopics,
    MergeMeasures,
    PublishRound,
    RemoveRound,
    RemoveTask,
    RenameRound,
    RenameTask,
    SetRound,
    ShowRound,
    UnaliasTopic,
)
from roundbook.requests.variances import (
    RecordVarianceRequest,
    VarianceHistoryRequest,
    VarianceRequest,
)
from roundbook.transfer.archive.exporting import export_archive
from roundbook.transfer.archive.importing import import_archive

ARCHIVE = Path(__file__).parents[1] / "releases" / "archive-1.zip"
OF_TASK = {"task": "t", "measure": "AP"}
OF_ROUND = {**OF_TASK, "round": "r1"}
TEAMS = {
    f"run{number}": RunTeam(f"run{number}", f"team {number % 2}", None, None, None)
    for number in range(4)
}
PLAN = PlanRequest(**OF_TASK, m=(5,), min_d=(0.2,))
PUBLISHED = {"task": "t", "round": "old", "measure": "AP", "runs": 4, "topics": 9}


def scores(seed):
    return score_matrix(np.random.default_rng(seed).random((6, 4)))


def write(directory, seed, name="scores.csv"):
    path = directory / name
    path.write_text(wide(scores(seed).scores), encoding="utf-8")
    return path


def of_teams(directory, system, **options):
    """Return a request about run0 of round r1, which is said to be a system."""
    path = directory / f"{system}.csv"
    path.write_text(f"run,team,system\nrun0,team 0,{system}\n", encoding="utf-8")
    return DescribeTeams(task="t", round="r1", file=path, **options)


class Step(NamedTuple):
    """A use case, what it is asked, whether the record is another one afterwards, and an event.

    `event` is named where others come with it, which a missing one would hide behind.
    """

    use_case: object
    arguments: tuple
    options: dict
    changes: bool = True
    event: str | None = None


def step(use_case, *arguments, **options):
    return Step(use_case, arguments, options)


def again(made):
    """The same once more changes nothing."""
    return made._replace(changes=False)


def writing(directory):
    """Return what a campaign does, use case by use case, each of which changes the record."""
    made = step(create_task, CreateTask(task="t", title="A task"))
    yield made
    yield step(create_round, CreateRound(task="t", round="slip"))
    made = step(rename_round, RenameRound(task="t", round="slip", name="slop"))
    yield made
    yield again(step(rename_round, RenameRound(task="t", round="slop", name="slop")))
    yield step(remove_round, RemoveRound(task="t", round="slop"))
    yield step(rename_task, RenameTask(task="t", name="tt"))
    yield step(rename_task, RenameTask(task="tt", name="t"))
    yield step(create_round, CreateRound(task="t", round="r1"))
    made = step(set_round, SetRound(task="t", round="r1", collection="news"))
    yield from (made, again(made))
    made = step(log_scores, LogRequest(**OF_ROUND), scores(0))
    yield from (made, again(made))
    made = step(log_scores, LogRequest(**OF_ROUND), scores(0), TEAMS)  # runs are described
    yield from (made, again(made))
    other = LogRequest(task="t", round="r2", measure="AP", create=True)
    yield step(log_scores, other, scores(1))
    # Teams that become known with another measure's scores renew the estimates of the first's.
    yield step(log_scores, other.model_copy(update={"measure": "P@5"}), scores(2), TEAMS)
    made = step(describe_teams, of_teams(directory, "a"))
    yield from (made, again(made))
    made = step(describe_teams, of_teams(directory, "b", revise="wrong"))
    yield from (made, again(made))
    new = {"task": "new", "round": "r1", "measures": ("AP",), "create": True}
    made = step(
        log_files,
        LogFilesRequest(**new, files=(write(directory, 3),)),
    )
    yield from (made, again(made))
    yield step(log_scores, LogRequest(**OF_ROUND, revise="a typo"), scores(4))
    yield step(fit_factor_set, FitRequest(**OF_ROUND, reason="these", runs=("run0", "run1")))
    made = step(
        record_variance,
        RecordVarianceRequest(**PUBLISHED, variance=0.1, source="paper", create=True),
    )
    yield from (made, again(made))
    yield step(
        record_variance,
        RecordVarianceRequest(**PUBLISHED, variance=0.2, source="paper", revise="misprint"),
    )
    ids = directory / "ids.csv"
    ids.write_text("topic,round,id\nt0,old,t0 again\n", encoding="utf-8")
    made = step(alias_topics, AliasTopics(task="t", file=ids))
    yield from (made, again(made))
    yield step(unalias_topic, UnaliasTopic(task="t", name="t0 again"))
    yield step(create_task, CreateTask(task="gone"))
    yield step(remove_task, RemoveTask(task="gone"))
    made = step(save_result, "plan", PLAN, SaveResult(name="next", note="agreed"))
    yield from (made, again(made))
    yield step(save_result, "plan", PlanRequest(variance=0.05), SaveResult(name="of no task"))
    made = step(save_result, "drift", DriftRequest(**OF_TASK))
    yield from (made, again(made))
    yield again(step(renew_results, RenewResults(name="next")))
    yield step(withdraw_matrix, WithdrawMatrix(matrix=2, reason="wrong qrels"))
    yield again(step(withdraw_matrix, WithdrawMatrix(matrix=2, reason="as before")))
    made = step(renew_results, RenewResults(task="t"))
    yield from (made, again(made))
    yield step(restore_matrix, RestoreMatrix(matrix=2, reason="right after all"))
    yield again(step(restore_matrix, RestoreMatrix(matrix=2, reason="as before")))
    yield step(log_scores, LogRequest(**OF_ROUND, revise="again"), scores(5))
    yield step(renew_results, RenewResults(name="t/drift-1"))
    made = step(publish_round, PublishRound(task="t", round="r1"))
    yield from (made, again(made))
    misspelt = LogRequest(task="t", round="r3", measure="avrage precision", create=True)
    yield step(log_scores, misspelt, scores(7))
    yield step(merge_measures, MergeMeasures(merged="avrage precision", into="AP"))
    computed = LogFilesRequest(
        task="t", round="r1", measures=("P@1",), from_runs=True, revise="the round is out"
    )
    for use_case, request, event in runs_and_assessments(directory):
        made = step(use_case, request)
        yield from (made, again(made))
        if event is not None:
            made = step(log_files, computed)
            yield from (made._replace(event=event), again(made))
    yield step(create_token, CreateToken(name="ci", scope="log", task="t"))
    made = step(revoke_token, RevokeToken(name="ci"))
    yield from (made, again(made))
    made = step(import_archive, ImportRequest(archive=ARCHIVE, trusted=True))
    yield made._replace(event="archive imported")


def runs_and_assessments(directory):
    """Write files of runs and assessments; return the use cases that log them, with requests.

    Beside each, the event of logging the scores that are computed from them, if they can be.
    """
    lines = {
        "run": "t0 Q0 d1 1 2 run0\nt1 Q0 d2 1 2 run0\n",
        "qrels": "t0 0 d1 1\nt1 0 d1 0\n",
        "mended": "t0 0 d1 1\nt1 0 d2 1\n",
        # A document that no run retrieved: the scores stay, computed from other assessments.
        "longer": "t0 0 d1 1\nt1 0 d2 1\nt1 0 d3 0\n",
    }
    for name, text_ in lines.items():
        (directory / name).write_text(text_, encoding="utf-8")
    of_round = {"task": "t", "round": "r1"}
    qrels = LogQrels(**of_round, file=directory / "qrels")
    mended, longer = (
        qrels.model_copy(
            update={"file": directory / name, "revise": "more", "expected_revision": revision}
        )
        for revision, name in enumerate(("mended", "longer"), start=1)
    )
    return [
        (log_runs, LogRuns(**of_round, files=(directory / "run",)), None),
        (log_qrels, qrels, "matrix logged"),
        (log_qrels, mended, "matrix revised"),
        (log_qrels, longer, "scores computed again"),
    ]


def reading(directory):
    """Return every use case that reads, asked of the record that `writing` leaves."""
    yield step(list_tasks)
    yield step(near_recorded, "tt")
    yield step(near_recorded, "t", "rr1")
    yield step(list_topics, ListTopics(task="t"))
    yield step(list_rounds, ListRounds(task="t"))
    yield step(show_round, ShowRound(task="t", round="r1"))
    yield step(known_names, "t", "r1")
    yield step(list_measures, ListMeasures(task="t"))
    yield step(event_kinds)
    yield step(list_events, EventsRequest(task="t"))
    yield step(list_matrices, ListMatrices(task="t"))
    yield step(show_matrix, ShowMatrix(matrix=1))
    yield step(show_history, ShowHistory(matrix=1))
    yield step(export_matrix, ExportMatrix(matrix=1, output=directory / "matrix.csv"))
    yield step(latest_revisions, LogRequest(**OF_ROUND))
    yield step(with_seen_revisions, LogRequest(**OF_ROUND))
    yield step(latest_qrels_revision, LogQrels(task="t", round="r1", file=directory / "qrels"))
    value = {"variance": 0.1, "runs": 2, "topics": 2, "source": "a paper"}
    yield step(latest_variance_revision, RecordVarianceRequest(**OF_ROUND, **value))
    yield step(list_runs, ListRuns(task="t", round="r1"))
    yield step(list_qrels, ListQrels(task="t"))
    yield step(show_impact, ShowImpact(matrix=1))
    yield step(show_variances, VarianceRequest(**OF_TASK))
    yield step(show_histories, VarianceHistoryRequest(task="t"))
    yield step(show_factors, FactorsRequest(**OF_ROUND))
    yield step(standardise, StandardiseRequest(**OF_ROUND))
    files = {"files": (write(directory, 6, "new.csv"),), "factors_from": "r1"}
    yield step(standardise_files, StandardiseFilesRequest(**OF_TASK, **files))
    yield step(compare_rankings, RankRequest(**OF_ROUND, resamples=100))
    yield step(report_generalisability, GeneralisabilityRequest(**OF_TASK))
    yield step(report_drift, DriftRequest(**OF_TASK))
    yield step(trace_drift, CurveRequest(**OF_TASK))
    study = SwapRateRequest(**OF_ROUND, trials=20)
    yield step(study_scores, study, Work())
    yield step(run_study, study)
    asked = CompareScores(task="t", round="r1", measure="AP")
    yield step(compare_scores, asked)
    yield step(show_overview, ShowMatrix(matrix=1))
    yield step(list_tokens)
    yield step(check_token, "rb_none")
    yield step(list_names)
    yield step(plan_topics, PLAN)
    yield step(list_results, ListResults(task="t"))
    yield step(show_result, ShowResult(name="next"))
    yield step(verify_round, RoundVerificationRequest(task="t", round="r1"))
    yield step(find_publication, "t", "r1")
    yield step(verify_record, VerifyRequest(task="t"))
    yield step(export_archive, ExportRequest(archive=directory / "t.zip", tasks=("t",)))


# What several use cases share, and what changes rights and no row.
NO_USE_CASES = {
    *(record_event, ensure_task, open_round),
    *(
        prepare_matrix,
        compute_result,
        store_factors,
        score_round,
    ),
    *(study_runs, logged_beside, teams_of_runs, runs_as_scored, reassess),
    *(leave_out_by_factors, leave_out_by_assessments),
}
CHANGES_RIGHTS = {grant_access}
# A published round keeps its names.
RENAMES = {rename_task, rename_round}

# Rows by table, in one query: what is compared before and after.
_TABLES = """
SELECT format('SELECT %L, count(*), md5(string_agg(line, ''|'' ORDER BY line))'
              ' FROM (SELECT kept::text AS line FROM roundbook.%I AS kept) AS lines',
              tablename, tablename)
FROM pg_tables WHERE schemaname = 'roundbook' ORDER BY tablename
"""


def contents(connection):
    """Return how many rows each table has and a fingerprint of them."""
    queries = connection.execute(text(_TABLES)).scalars()
    rows = connection.exec_driver_sql(" UNION ALL ".join(queries))
    return {table: (count, fingerprint) for table, count, fingerprint in rows}


def fingerprints(connection):
    """Return the fingerprint of each round by its id."""
    rounds = connection.scalars(text("SELECT id FROM roundbook.round")).all()
    return {round_id: fingerprint_round(connection, round_id) for round_id in rounds}


def complaints(session, done):
    """Do a step; return what is wrong with the tables and events that it leaves."""
    connection = session.connection
    before, prints = contents(connection), fingerprints(connection)
    last = connection.scalar(text("SELECT max(id) FROM roundbook.event")) or 0
    known = set(connection.scalars(text("SELECT id FROM roundbook.task")))
    done.use_case(session, *done.arguments, **done.options)
    after = contents(connection)
    changed = sorted(table for table in after if after[table] != before[table])
    events = connection.execute(
        text("SELECT what, task_id, round_id FROM roundbook.event WHERE id > :last"), {"last": last}
    ).all()
    name = done.use_case.__name__
    if not done.changes:
        return [f"{name} changed {table}" for table in changed]
    wrong = []
    if done.event is None and changed in ([], ["event"]):
        wrong.append(f"{name} changed nothing")
    if done.event is not None and done.event not in {row.what for row in events}:
        wrong.append(f"{name} left no event '{done.event}'")
    if not events:
        wrong.append(f"{name} changed {', '.join(changed)} without an event")
    if done.use_case not in RENAMES:
        other = {
            id_
            for id_, print_ in fingerprints(connection).items()
            if prints.get(id_, print_) != print_
        }
        if other - {row.round_id for row in events if row.what in CHANGING}:
            wrong.append(f"{name} changed a fingerprint without an event of CHANGING")
    made = set(connection.scalars(text("SELECT id FROM roundbook.task"))) - known
    of_none = done.use_case is save_result and done.arguments[1].task is None
    tasks = {None} if of_none or done.use_case is remove_task else made or {1}
    # An archive has the events of its results of no task.
    if not tasks <= (of := {row.task_id for row in events}) <= tasks | {None}:
        wrong.append(f"the events of {name} refer to the tasks {of}, not to {tasks}")
    return wrong


@pytest.fixture
def session(engine):
    with begin(engine, "ann", keep=False) as session:
        yield session


@pytest.mark.one_server
@pytest.mark.long
def test_every_change_has_its_event_and_what_reads_changes_nothing(session, tmp_path):
    wrong = [line for done in writing(tmp_path) for line in complaints(session, done)]
    wrong += [line for done in reading(tmp_path) for line in complaints(session, again(done))]
    assert wrong == []


def test_a_grant_is_no_change_of_the_record(session):
    session.connection.execute(text("CREATE ROLE every_change"))
    done = step(grant_access, GrantRequest(role="every_change", access="reader"))
    assert complaints(session, again(done)) == []


def test_a_change_without_its_event_is_noticed(engine, session, monkeypatch):
    log(engine, "r1", np.random.default_rng(0).random((5, 3)))
    monkeypatch.setattr(published, "record_event", lambda *_, **__: None)
    facts = {"variance": 0.1, "source": "paper", "create": True}
    done = step(record_variance, RecordVarianceRequest(**PUBLISHED | {"round": "r1"}, **facts))
    assert "record_variance changed published_variance without an event" in complaints(
        session, done
    )
    done = step(record_variance, RecordVarianceRequest(**PUBLISHED | {"topics": 8}, **facts))
    assert complaints(session, again(done)) != []


def test_no_use_case_is_left_out(tmp_path):
    """Whoever adds a use case names it here, and says whether it writes."""
    public = {
        function
        for package in (logbook, transfer)
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
        for name, function in vars(importlib.import_module(module.name)).items()
        if inspect.isfunction(function)
        and function.__module__ == module.name
        and not name.startswith("_")
        and next(iter(inspect.signature(function).parameters), None) == "session"
    }
    driven = {done.use_case for steps in (writing, reading) for done in steps(tmp_path)}
    assert public - NO_USE_CASES - CHANGES_RIGHTS == driven
