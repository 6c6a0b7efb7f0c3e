"""Saved results: kept with what they were computed from, listed, and renewed by what counts."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from threading import Thread

import numpy as np
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event
from tests.databases import execute
from tests.factories import (
    fit_factor_set,
    list_events,
    list_results,
    log_scores,
    record_variance,
    refusing,
    renew_results,
    restore_matrix,
    save_plan,
    save_report,
    score_matrix,
    show_result,
    verify_record,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.api.app import make_app
from roundbook.database.engine import make_engine
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RecordError,
    RequestError,
    RoundbookError,
    WithdrawnError,
)
from roundbook.logbook import round_changes, saved_results, saving
from roundbook.logbook.matrices import corrections, listing
from roundbook.logbook.matrices.log_matrix import log_scores as log_matrix
from roundbook.logbook.plans import planning
from roundbook.logbook.published import record_variance as record_published
from roundbook.logbook.saving import Renewal
from roundbook.logbook.session import begin
from roundbook.logbook.staleness import Change
from roundbook.presentation.decisions import renewal_notes, saved_sentence
from roundbook.presentation.saved_results import brief_sentence, why_stale
from roundbook.requests.drift import DriftRequest
from roundbook.requests.matrices import LogRequest, RestoreMatrix, WithdrawMatrix
from roundbook.requests.plans import PlanRequest
from roundbook.requests.results import RenewResults, SaveResult, ShowResult
from roundbook.requests.studies import SwapRateRequest
from roundbook.requests.tasks import RenameRound, SetRound
from roundbook.requests.variances import RecordVarianceRequest
from roundbook.settings import load_settings
from roundbook_cli.renewal import renewal

GIVEN = PlanRequest(variance=0.05, m=(10,), min_d=(0.1,))


def scores(seed, runs=5, spread=1.0):
    return spread * np.random.default_rng(seed).random((8, runs))


def request(task="t", **options):
    return PlanRequest(**{"task": task, "measure": "AP", "m": (10,), "min_d": (0.1,)} | options)


def save(engine, name="p", note=None, **options):
    return save_plan(engine, name, request(**options), note=note, user="bob")


def names(engine, *arguments, **options):
    return [entry.name for entry in list_results(engine, *arguments, **options).results]


@prepared
def three(engine):
    """Three rounds: the numbers of their matrices."""
    return [
        log_scores(engine, label, scores(seed)).matrix for seed, label in enumerate(("1", "2", "3"))
    ]


@prepared
def saved(engine, three):
    """Two plans and a drift report of the task, and a plan from a given variance."""
    save(engine, "a", "agreed")
    save(engine, "b", scale="std-ab")
    save_report(engine, "t", "AP", user="cat")
    save_plan(engine, "given", GIVEN, user="bob")
    return three


def test_what_is_saved_is_listed_and_shown(engine, saved):
    listed = list_results(engine).results
    assert [(entry.kind, entry.name, entry.task) for entry in listed] == [
        ("drift", "t/drift-1", "t"),
        ("plan", "a", "t"),
        ("plan", "b", "t"),
        ("plan", "given", None),
    ]
    assert {(entry.version, entry.versions, entry.stale) for entry in listed} == {(1, 1, False)}
    assert names(engine, "t") == ["t/drift-1", "a", "b"]
    assert names(engine, "t", kind="plan") == ["a", "b"]
    assert names(engine, kind="drift") == ["t/drift-1"]
    assert names(engine, stale=True) == []
    shown = show_result(engine, " a ")
    assert (shown.note, shown.saved_by, shown.changes) == ("agreed", "bob", [])
    assert PlanRequest(**shown.request) == request(assessments=("official",))
    assert shown.brief["most_topics"] == shown.result.cells[0].topics
    with pytest.raises(NotRecordedError, match="no task 'nobody'"):
        list_results(engine, "nobody")
    with pytest.raises(
        InputError, match=r"no kind of result 'essay'; there are plan, drift, study"
    ):
        list_results(engine, kind="essay")


def test_versions_count_up_and_the_same_again_is_unchanged(engine, three):
    assert save(engine).version == 1
    assert (save(engine).version, save(engine).status) == (1, "unchanged")
    assert (save(engine, note="why").version, save(engine, note="why").status) == (2, "unchanged")
    # Leaving the note out is no other content.
    assert (save(engine).version, save(engine).note) == (2, "why")
    assert save(engine, m=(20,)).version == 3
    assert save(engine).version == 4
    assert [(entry.version, entry.versions) for entry in list_results(engine).results] == [(4, 4)]
    earlier = show_result(engine, "p", version=3)
    assert (earlier.version, earlier.versions, earlier.result.m) == (3, 4, (20,))
    with refusing(NotRecordedError, r"Plan 'p' has no version 5; it has 1, 2, 3, 4"):
        show_result(engine, "p", kind="plan", version=5)
    with refusing(NotRecordedError, r"no saved result 'q'.*roundbook result list"):
        show_result(engine, "q")
    events = list_events(engine, what="plan saved").events
    assert [row.details["version"] for row in events] == [1, 2, 3, 4]


def test_another_question_under_the_same_name_is_told_of(engine, three):
    def save(**options):
        with begin(engine) as session:
            return saving.save_result(session, "plan", request(**options), SaveResult(name="p"))

    assert save().asked_before == {}
    assert save(m=(20,)).asked_before == {"m": [10]}
    saved = save(m=(20, 30), scale="std-ab")
    assert saved.asked_before == {"m": [20], "scale": "raw"}
    assert saved_sentence(saved) == (
        "Saved: plan 'p', version 3, of task 't'. Version 2 was of another question: scale raw, m 20."
    )
    # A renewal asks the same.
    log_scores(engine, "3", scores(9), revise="corrected")
    (renewed,) = renew_results(engine, task="t").renewed
    assert (renewed.status, renewed.after.version) == ("saved", 4)
    again = save(m=(20, 30), scale="std-ab")
    assert (again.status, again.asked_before) == ("unchanged", {})


def test_a_name_is_of_one_task(engine, three):
    log_scores(engine, "1", scores(7), task="other")
    save(engine)
    with pytest.raises(AlreadyRecordedError, match="'p' is a plan of task 't' already"):
        save(engine, task="other")
    assert show_result(engine, "p").versions == 1
    # A plan of no task takes no task's plan over, nor is it taken over: neither could be renewed.
    with pytest.raises(AlreadyRecordedError, match="'p' is a plan of task 't' already") as refused:
        save_plan(engine, "p", GIVEN, user="bob")
    assert refused.value.facts == {"name": "p", "task": "t"}
    assert save_plan(engine, "given", GIVEN, user="bob").version == 1
    with pytest.raises(AlreadyRecordedError, match="'given' is a plan of no task al") as refused:
        save(engine, "given")
    assert refused.value.facts == {"name": "given"}
    opened = partial(begin, engine)
    for asked, name, whose in ((request(), "given", "no task"), (GIVEN, "p", "task 't'")):
        with pytest.raises(AlreadyRecordedError, match=f"of {whose} already"):
            saving.save_long_result(opened, "plan", asked, SaveResult(name=name))
    assert [(entry.name, entry.task, entry.versions) for entry in list_results(engine).results] == [
        ("given", None, 1),
        ("p", "t", 1),
    ]
    assert save(engine, m=(20,)).version == 2
    assert save_plan(engine, "given", PlanRequest(variance=0.06), user="bob").version == 2


def test_a_name_that_cannot_be_used(engine, three):
    for name in ("", "  ", "-p", "two\nlines"):
        with pytest.raises(InputError, match="A plan needs a"):
            save(engine, name)
    for name in ("p" * 201, "nul\0"):
        with pytest.raises(InputError, match="`name` "):
            save(engine, name)
    assert names(engine) == []


def test_a_result_of_no_task_needs_a_name(engine):
    with begin(engine) as session, pytest.raises(InputError, match="A plan needs a printable name"):
        saving.save_result(session, "plan", GIVEN)


def test_a_report_of_a_task_with_a_long_name_is_saved_and_renewed(engine, terminal):
    task = "t" * 200
    for seed, label in enumerate(("1", "2")):
        log_scores(engine, label, scores(seed), task=task)
    name = f"{'t' * 192}/drift-1"
    assert save_report(engine, f" {task} ", "AP").name == name
    log_scores(engine, "2", scores(9), task=task, revise="a typo")
    (renewed,) = renew_results(engine, name=name).renewed
    assert renewed.after.version == 2
    shown = terminal("report", "show", task, "1", "--format", "json").json
    assert (shown["name"], shown["number"], shown["version"]) == (name, 1, 2)


def test_a_number_in_a_name_has_plain_digits(engine, three):
    save(engine, "next-²")
    save(engine, "next-４")
    save(engine, "2026", m=(20,))
    save(engine, "9" * 200, m=(25,))
    with begin(engine) as session:
        assert saving.save_result(session, "plan", request(m=(30,))).name == "t/plan-1"
    save(engine, "t/plan-7", m=(35,))
    with begin(engine) as session:
        assert saving.save_result(session, "plan", request(m=(40,))).name == "t/plan-8"


def test_a_number_that_another_task_has_taken_is_left_out(engine, three):
    for seed, label in enumerate(("1", "2")):
        log_scores(engine, label, scores(seed), task="other")
    with begin(engine) as session:
        asked = DriftRequest(task="other", measure="AP")
        assert (
            saving.save_result(session, "drift", asked, SaveResult(name="t/drift-1")).task
            == "other"
        )
    assert save_report(engine, "t", "AP").name == "t/drift-2"
    assert save_report(engine, "t", "AP").status == "unchanged"


def test_a_name_recorded_before_names_were_normalised_is_found(engine, three):
    composed, split = "caf\u00e9", "cafe\u0301"
    save(engine, composed)
    execute(engine, "ALTER TABLE roundbook.result DISABLE TRIGGER immutable")
    execute(engine, "UPDATE roundbook.result SET name = normalize(name, NFD)")
    for spelled in (composed, split):
        assert show_result(engine, spelled).name == split
    correct(engine, "3")
    (renewed,) = renew_results(engine, name=composed).renewed
    assert (renewed.after.name, renewed.after.version) == (split, 2)


def test_a_name_of_two_kinds_needs_its_kind(engine, three):
    save_report(engine, "t", "AP", user="cat")
    save(engine, "t/drift-1")
    with refusing(NotRecordedError, r"'t/drift-1' is the name of .*drift and plan: name one"):
        show_result(engine, "t/drift-1")
    for kind in ("drift", "plan"):
        assert show_result(engine, "t/drift-1", kind=kind).kind == kind
        assert renew_results(engine, name="t/drift-1", kind=kind).renewed[0].status == "unchanged"
    # The command that is printed says it, where there is something to renew.
    save(engine, "alone")
    correct(engine, "3", 8)
    assert {renewal(entry) for entry in list_results(engine).results} == {
        "roundbook result renew t/drift-1 --kind drift",
        "roundbook result renew t/drift-1 --kind plan",
        "roundbook result renew alone",
    }


def test_what_is_renewed_is_one_result_or_a_task(engine):
    for asked in ({}, {"name": "p", "task": "t"}):
        with pytest.raises(RequestError, match="Either one result is renewed"):
            RenewResults(**asked)


def correct(engine, label="2", seed=9):
    return log_scores(engine, label, scores(seed, spread=1.5), revise="a typo", measure="AP").matrix


def test_one_result_is_renewed_by_name(engine, saved):
    correct(engine)
    assert names(engine, stale=True) == ["a", "b"]
    renewal = renew_results(engine, name="a", user="eve")
    (renewed,) = renewal.renewed
    assert (renewed.before.version, renewed.after.version, renewed.status) == (1, 2, "saved")
    assert (renewed.after.note, renewed.after.saved_by, renewed.after.stale) == (
        *("agreed", "eve", False),
    )
    assert renewed.before.brief["most_topics"] < renewed.after.brief["most_topics"]
    assert names(engine, stale=True) == ["b"]
    old = show_result(engine, "a", version=1)
    assert why_stale(old) == (
        "round '2': its score matrix was corrected (revision 2); version 2 takes its place"
    )
    (again,) = renew_results(engine, name="a").renewed
    assert (again.before.version, again.after.version, again.status) == (2, 2, "unchanged")
    with pytest.raises(NotRecordedError, match="no saved result 'x'"):
        renew_results(engine, name="x")


def test_all_that_a_correction_made_stale_is_renewed(engine, saved):
    log_scores(engine, "1", scores(5), task="other")
    save(engine, "other's", task="other")
    correct(engine, "3")
    log_scores(engine, "1", scores(6), task="other", revise="a typo")
    assert names(engine, stale=True) == ["t/drift-1", "a", "b", "other's"]
    renewal = renew_results(engine, task="t", user="eve")
    assert [(one.after.name, one.after.version) for one in renewal.renewed] == [
        *(("t/drift-1", 2), ("a", 2), ("b", 2)),
    ]
    assert renewal.left == []
    assert {one.after.stale for one in renewal.renewed} == {False}
    assert names(engine, stale=True) == ["other's"]
    events = list_events(engine, "t", who="eve").events
    assert [row.what for row in events] == ["drift report saved", "plan saved", "plan saved"]
    assert renew_results(engine, task="t") == renewal.model_copy(update={"renewed": []})
    with pytest.raises(NotRecordedError, match="no task 'nobody'"):
        renew_results(engine, task="nobody")


def test_all_of_it_or_nothing(engine, saved, monkeypatch):
    correct(engine, "3")
    events = len(list_events(engine).events)
    kept = saving.record_event
    recorded = []

    def fail_at_the_second(*arguments, **facts):
        if recorded:
            raise RuntimeError
        recorded.append(facts["details"])
        kept(*arguments, **facts)

    monkeypatch.setattr(saving, "record_event", fail_at_the_second)
    with pytest.raises(RuntimeError):
        renew_results(engine, task="t")
    monkeypatch.undo()
    assert [details["version"] for details in recorded] == [2]
    assert {entry.versions for entry in list_results(engine).results} == {1}
    assert names(engine, stale=True) == ["t/drift-1", "a", "b"]
    assert len(list_events(engine).events) == events


def test_what_cannot_be_renewed_stays_stale_and_is_named(engine, saved):
    withdraw_matrix(engine, saved[0], "wrong qrels", user="bob")
    renewal = renew_results(engine, task="t")
    assert [one.after.name for one in renewal.renewed] == ["a", "b"]
    ((left, error),) = renewal.left
    assert (left.name, left.stale, left.renewable) == ("t/drift-1", True, False)
    assert isinstance(error, WithdrawnError)
    why = f"The AP scores of round '1' (matrix {saved[0]}) are withdrawn: wrong qrels."
    assert renewal_notes(renewal) == [f"'t/drift-1' stays stale: {why}"]
    printed = renewal.model_dump_json()
    assert json.loads(printed)["left"][0][1] == why
    assert renewal_notes(Renewal.model_validate_json(printed)) == renewal_notes(renewal)
    with pytest.raises(NotRecordedError, match="wrong qrels"):
        renew_results(engine, name="t/drift-1")
    assert names(engine, stale=True) == ["t/drift-1"]
    restore_matrix(engine, saved[0], "right after all", user="bob")
    assert names(engine, stale=True) == ["a", "b"]


def test_rounds_that_a_renewed_plan_takes_in_are_named(engine, saved):
    log_scores(engine, "4", scores(4))
    log_scores(engine, "5", scores(5))
    correct(engine, "3")
    notes = renewal_notes(renew_results(engine, task="t"))
    added = "rests on rounds 4, 5 too, which the version before did not."
    assert notes == [f"'{name}' {added}" for name in ("a", "b")]


def test_a_plan_that_no_number_of_topics_answers_stays_stale(engine, saved):
    """Where all runs score alike there is no variance to plan from."""
    for label in ("1", "2", "3"):
        log_scores(engine, label, np.full((8, 5), 0.5), revise="all ties")
    renewal = renew_results(engine, task="t")
    left = {entry.name: str(error) for entry, error in renewal.left}
    assert "a" in left
    assert "variance" in left["a"]
    assert {"a"} <= set(names(engine, stale=True)) <= {"a", "b"}


def test_a_stale_result_that_another_answers_needs_no_renewal(engine, three):
    save(engine, "old")
    correct(engine)
    save(engine, "new")
    old = show_result(engine, "old")
    assert (old.stale, old.replaced_by, old.renewable) == (True, "new", False)
    assert renew_results(engine, task="t").renewed == []
    (renewed,) = renew_results(engine, name="old").renewed
    assert renewed.after.version == 2


def test_a_published_value_that_is_corrected_while_the_scores_are_withdrawn(engine, three):
    def publish(variance, **options):
        facts = {"runs": 4, "topics": 9, "source": "paper"} | options
        record_variance(engine, "t", "1", "AP", variance=variance, **facts)

    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    publish(0.25)
    save(engine)
    publish(0.2, revise="misprint")
    assert why_stale(show_result(engine, "p")) == (
        "round '1': the published value was corrected (revision 2)"
    )


def test_other_factors_are_not_teams_that_became_known(engine, three):
    save_report(engine, "t", "AP", user="cat")
    fit_factor_set(engine, "t", "1", "AP", runs=["run0", "run1"], reason="these")
    # Two runs of unknown team where there were five.
    assert why_stale(show_result(engine, "t/drift-1")) == (
        "round '1': its factors were fitted anew (version 2)"
    )


def test_the_terminal_renews_and_shows_what_changed(engine, saved, terminal):
    assert terminal("result", "list", "--stale").out.strip() == "No result is stale."
    printed = terminal("result", "renew", "t", "--stale")
    assert printed == (0, "Nothing was stale that can be renewed.\n", "")
    correct(engine, "3")
    before = {entry.name: brief_sentence(entry) for entry in list_results(engine, "t").results}
    listed = terminal("result", "list", "t", "--stale", "--format", "json").json["results"]
    assert [entry["name"] for entry in listed] == ["t/drift-1", "a", "b"]
    assert {entry["renew"] for entry in listed} == {
        f"roundbook result renew {name}" for name in ("t/drift-1", "a", "b")
    }
    printed = terminal("result", "renew", "t", "--stale")
    assert (printed.code, printed.err) == (0, "")
    table = " ".join(printed.out.split())
    after = {entry.name: brief_sentence(entry) for entry in list_results(engine, "t").results}
    assert before["a"] != after["a"]
    for figures in (*before.values(), *after.values()):
        assert all(word in table for word in figures.split())
    printed = terminal("result", "renew", "a", "--format", "json").json
    (renewed,) = printed["renewed"]
    assert (renewed["status"], renewed["after"]["version"], printed["left"]) == ("unchanged", 2, [])
    assert "'a' is the same today; no version was added" in terminal("result", "renew", "a").err
    withdraw_matrix(engine, saved[0], "wrong qrels", user="bob")
    assert (
        "'t/drift-1' stays stale: The AP scores" in terminal("result", "renew", "t", "--stale").err
    )
    assert terminal("result", "renew", "t/drift-1").code == 1


def test_what_the_terminal_shows_is_what_the_kind_shows(engine, saved, terminal):
    for words in (("show", "a"), ("show", "a", "--format", "json")):
        assert terminal("result", *words) == terminal("plan", *words)
    plan = terminal("plan", "show", "a", "--format", "json").json
    entry = ("name", "version", "versions", "task", "note", "saved_at", "saved_by", "software")
    assert set(plan) == {*entry, "stale", "new_rounds", "illegible", "renew", "plan"}
    (listed, _) = terminal("plan", "list", "--task", "t", "--format", "json").json["plans"]
    brief = ("measure", "scale", "design", "solve", "engine", "fewest_topics", "most_topics")
    assert set(listed) == {*entry, *brief, "stale"}


@pytest.mark.long
def test_the_queries_of_a_list_do_not_grow_with_the_results_of_a_task(engine, saved):
    log_scores(engine, "1", scores(5), measure="P@5")
    statements = []

    def keep(*arguments):
        statements.append(arguments[2])

    def count():
        statements.clear()
        results = list_results(engine, "t").results
        return len(statements), len(results)

    for number in range(3):
        save(engine, f"plan {number}", alpha=0.01 * (number + 1))
        save(engine, f"std {number}", scale="std-ab", alpha=0.01 * (number + 1))
        save_report(engine, "t", "AP", margin=0.3 + number / 10)
    correct(engine)
    event.listen(engine, "before_cursor_execute", keep)
    few, results = count()
    assert results == 3 + 9
    for number in range(3):
        save(engine, f"more {number}", alpha=0.02 * (number + 1))
        save_report(engine, "t", "AP", margin=0.9 + number / 10)
    many, results = count()
    assert (many, results) == (few, 12 + 6)
    # Another measure is another question of what counts today.
    save(engine, "P@5", measure="P@5")
    assert count() == (few + 1, 19)
    event.remove(engine, "before_cursor_execute", keep)


def test_another_rule_of_staleness_is_one_everywhere(engine, saved, terminal, monkeypatch):
    """Here a round that is added makes stale too."""
    added = log_scores(engine, "4", scores(4)).matrix
    assert names(engine, stale=True) == []
    assert "It stands" in terminal("result", "show", "t/drift-1").out
    monkeypatch.setattr(Change, "stale", property(lambda _: True))
    why = "round '4': it did not count then, and does now"
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json["results"]
    assert [(entry["name"], entry["why"], entry["renew"]) for entry in stale] == [
        ("a", why, "roundbook result renew a"),
        ("b", why, "roundbook result renew b"),
    ]
    dependents = terminal("impact", str(added), "--format", "json").json["dependents"]
    assert [
        (line["name"], line["stale"], line["why"], line["rests"]) for line in dependents[-2:]
    ] == [(f"plan '{name}' version 1", True, why, False) for name in "ab"]
    renewed = terminal("result", "renew", "t", "--stale", "--format", "json").json["renewed"]
    assert [one["after"]["name"] for one in renewed] == ["a", "b"]
    assert names(engine, stale=True) == []
    # And here what cannot be read is not stale.
    altered(engine, "a", "kind = 'forecast'")
    assert names(engine, stale=True) == ["a"]
    monkeypatch.setattr(saved_results, "makes_stale", lambda *_, **__: False)
    assert names(engine, stale=True) == []


def test_another_rule_on_computed_scores_is_one_everywhere(engine, tmp_path, terminal, monkeypatch):
    """Here they are stale by further runs, though there are none, and not by other assessments."""
    run, qrels, other = (tmp_path / name for name in ("runs", "qrels", "other"))
    lines = [f"{topic} Q0 d{rank} {rank} {-rank} a\n" for topic in "12" for rank in (1, 2)]
    run.write_text("".join(lines))
    qrels.write_text("1 0 d1 1\n2 0 d2 1\n")
    other.write_text("1 0 d2 1\n2 0 d2 1\n")
    assert terminal("run", "log", "web", "1", str(run), "--create").code == 0
    assert terminal("qrels", "log", "web", "1", str(qrels)).code == 0
    computed = ("log", "web", "1", "--from-runs", "--measure", "AP")
    matrix = terminal(*computed, "--format", "json").json["matrix"]
    revised = ("qrels", "log", "web", "1", str(other), "--revise", "a typo", "--format", "json")
    outdated = "Computed before the latest runs or assessments"
    monkeypatch.setattr(listing, "scores_changes", lambda *_, **__: [])
    assert terminal(*revised, "--dry-run").json["impact"] == []
    monkeypatch.setattr(listing, "scores_changes", lambda *_, **__: ["further runs"])
    assert outdated in terminal("matrix", "list", "web").out
    assert terminal("impact", str(matrix), "--format", "json").json["source"]["outdated"]
    ((stale, why),) = [(one["stale"], one["why"]) for one in terminal(*revised).json["impact"]]
    assert (stale, why) == (True, "computed without the runs of upload 1")
    assert "computed from earlier runs or assessments" in terminal(*computed).err
    monkeypatch.setattr(listing, "scores_changes", lambda *_, **__: [])
    assert outdated not in terminal("matrix", "list", "web").out
    assert "computed from earlier runs or assessments" not in terminal(*computed).err


def test_a_renewal_judges_what_it_renews_and_no_other(engine, saved, monkeypatch):
    correct(engine, "3")
    judged, judge = [], saved_results.judge_results
    monkeypatch.setattr(
        saved_results, "judge_results", lambda *given: judged.append(len(given[1])) or judge(*given)
    )
    assert len(renew_results(engine, task="t").renewed) == 3
    assert judged == [3, 1, 1, 1]


@pytest.fixture
def other(database):
    """Another connection's engine."""
    made = make_engine(database)
    yield made
    made.dispose()


def run_beside(act):
    """Begin something in a thread that must wait for this one; return it and what it returns."""
    results = []
    thread = Thread(target=lambda: results.append(act()))
    thread.start()
    thread.join(0.2)
    assert thread.is_alive()
    return thread, results


def test_a_correction_while_a_plan_is_saved_comes_after_it(engine, three, other, monkeypatch):
    """It waits for the task: the plan is current when it is saved, and stale by it only then."""
    computed, begun = planning.plan_topics, []

    def correct_after(*arguments):
        plan = computed(*arguments)
        begun.append(run_beside(lambda: correct(other)))
        return plan

    monkeypatch.setattr(planning, "plan_topics", correct_after)
    with begin(engine, "bob") as session:
        saved = saving.save_result(session, "plan", request(), SaveResult(name="p"))
        assert not saved.stale
        assert not saved_results.show_result(session, ShowResult(name="p")).stale
    ((thread, corrections),) = begun
    thread.join(10)
    assert len(corrections) == 1
    assert why_stale(show_result(engine, "p")) == (
        "round '2': its score matrix was corrected (revision 2)"
    )


def _revise(session, _):
    asked = LogRequest(task="t", round="2", measure="AP", revise="a typo")
    log_matrix(session, asked, score_matrix(scores(9)))


def _withdraw(session, matrix):
    corrections.withdraw_matrix(session, WithdrawMatrix(matrix=matrix, reason="wrong qrels"))


def _publish(session, _):
    facts = {"variance": 0.25, "runs": 4, "topics": 9, "source": "paper", "create": True}
    record_published(session, RecordVarianceRequest(task="t", round="old", measure="AP", **facts))


def _declare(session, _):
    round_changes.set_round(session, SetRound(task="t", round="2", collection="news"))


@pytest.mark.long
@pytest.mark.parametrize("act", [_revise, _withdraw, _publish, _declare])
def test_what_is_saved_or_renewed_waits_for_a_correction_under_way(engine, three, other, act):
    """It is computed from what the correction leaves."""
    save(engine, "old")
    with begin(other, "ann") as session:
        act(session, three[1])
        thread, results = run_beside(lambda: (save(engine), renew_results(engine, task="t")))
    thread.join(10)
    ((plan, renewal),) = results
    assert (plan.stale, plan.new_rounds) == ([], [])
    assert renewal.renewed == []  # the new one answers the same
    shown = show_result(engine, "p")
    assert (shown.stale, shown.changes) == (False, [])


def test_a_renewal_of_a_task_waits_for_a_correction_under_way(engine, three, other):
    save(engine)
    with begin(other, "ann") as session:
        _revise(session, None)
        thread, results = run_beside(lambda: renew_results(engine, task="t"))
    thread.join(10)
    ((renewed,),) = [renewal.renewed for renewal in results]
    assert (renewed.after.version, renewed.after.stale) == (2, False)


def test_results_of_two_kinds_are_saved_beside_a_renewal(engine, three, other):
    """A renewal saves plans after reports; a plan saved meanwhile waits, and no lock is crossed."""
    save(engine, "b")
    save_report(engine, "t", "AP")
    correct(engine)
    correct(engine, "3", 8)
    with ThreadPoolExecutor(4) as threads:
        done = [
            *(threads.submit(renew_results, made, task="t") for made in (engine, other)),
            *(threads.submit(save, made, "b") for made in (engine, other)),
            *(threads.submit(save_report, made, "t", "AP") for made in (engine, other)),
        ]
    assert [future.exception() for future in done] == [None] * 6
    assert names(engine, stale=True) == []
    assert {entry.versions for entry in list_results(engine).results} <= {1, 2}


# what a result rests on changes between its computing and its saving


def _rename(session, _):
    round_changes.rename_round(session, RenameRound(task="t", round="3", name="three", force=True))


def _restore(session, matrix):
    corrections.restore_matrix(session, RestoreMatrix(matrix=matrix, reason="right after all"))


def in_the_gap(engine, act, *given):
    """Return what begins transactions, the first that may write after another's change."""
    opened = []

    @contextmanager
    def opening(*, one_snapshot=False):
        opened.append(one_snapshot)
        if opened == [True, False]:
            with begin(engine, "ann") as session:
                act(session, *given)
        with begin(engine, "bob", one_snapshot=one_snapshot) as session:
            yield session

    return opening


NAMED = {"measure": "AP", "from_round": "1", "to_round": "3"}
ASKED = {
    "plan": request(),
    "drift": DriftRequest(task="t", measure="AP"),
    "study": SwapRateRequest(task="t", round="3", measure="AP", trials=5),
}
NEVER_THERE = {"drift": DriftRequest(task="t", **NAMED), "study": ASKED["study"]}


def stands(engine, name):
    shown = show_result(engine, name)
    assert (shown.stale, shown.changes) == (False, [])
    assert verify_record(engine).status == "verified"
    return shown.result


def test_what_is_saved_while_its_round_is_renamed_has_the_new_name(engine, three):
    opened = in_the_gap(engine, _rename, None)
    saving.save_long_result(opened, "plan", ASKED["plan"], SaveResult(name="p"))
    assert stands(engine, "p").estimate.pooled.rounds == ["1", "2", "three"]


def test_a_report_saved_while_its_round_is_renamed_has_the_new_name(engine, three):
    opened = in_the_gap(engine, _rename, None)
    saving.save_long_result(opened, "drift", ASKED["drift"], SaveResult(name="p"))
    assert stands(engine, "p").to_round == "three"


def test_what_is_saved_while_its_scores_are_withdrawn_is_without_them(engine, three):
    opened = in_the_gap(engine, _withdraw, three[2])
    saving.save_long_result(opened, "plan", ASKED["plan"], SaveResult(name="p"))
    assert stands(engine, "p").estimate.pooled.rounds == ["1", "2"]
    restore_matrix(engine, three[2], "right after all", user="bob")
    opened = in_the_gap(engine, _withdraw, three[2])
    saving.save_long_result(opened, "drift", ASKED["drift"], SaveResult(name="r"))
    assert stands(engine, "r").to_round == "2"


def test_a_plan_saved_while_left_out_scores_are_restored_has_them(engine, three):
    withdraw_matrix(engine, three[2], "wrong qrels", user="bob")
    opened = in_the_gap(engine, _restore, three[2])
    saving.save_long_result(opened, "plan", ASKED["plan"], SaveResult(name="p"))
    assert stands(engine, "p").estimate.pooled.rounds == ["1", "2", "3"]


@pytest.mark.parametrize("kind", NEVER_THERE)
@pytest.mark.parametrize(
    ("act", "error"), [(_rename, NotRecordedError), (_withdraw, WithdrawnError)]
)
def test_what_has_lost_its_round_before_it_is_saved_is_refused(engine, three, kind, act, error):
    opened = in_the_gap(engine, act, three[2])
    with pytest.raises(error, match="'3'"):
        saving.save_long_result(opened, kind, NEVER_THERE[kind], SaveResult(name="p"))
    assert names(engine) == []


# results that this version cannot read


def altered(engine, name, *changes):
    """Change saved results as another version of Roundbook may have saved them."""
    execute(
        engine,
        "ALTER TABLE roundbook.result DISABLE TRIGGER USER",
        *(f"UPDATE roundbook.result SET {change} WHERE name = '{name}'" for change in changes),
        "ALTER TABLE roundbook.result ENABLE TRIGGER USER",
    )


OTHER_STUDY = """'{"study": "future-study"}'"""
ALTERED = {
    "more runs": ("plan", "request", f"request = request || '{{\"m\": {list(range(2, 20000))}}}'"),
    "other measure": ("plan", "request", """request = request || '{"measure": "P@7"}'"""),
    "cells": ("plan", "result", """result = result || '{"cells": 3}'"""),
    "kind": ("plan", "kind", "kind = 'forecast'"),
    "margin": ("drift", "request", """request = request || '{"margin": -1}'"""),
    "figures": ("drift", "result", """result = result || '{"systems_like_these": 3}'"""),
    "study": (
        *("study", "request"),
        f"request = request || {OTHER_STUDY}, result = result || {OTHER_STUDY}",
    ),
    "no study": ("study", "request", "request = '{}'"),
    "empty": ("study", "result", "result = '{}'"),
}
NOUNS = {"plan": "Plan", "drift": "Drift report", "study": "Study", "kind": "Forecast"}
REASONS = {
    "kind": "this Roundbook has no such kind of result",
    "request": "this Roundbook cannot compute what was asked",
    "result": "this Roundbook cannot read what came out",
}


def save_altered(engine):
    """Save a result of every kind, each then altered."""
    asked = ASKED | {"plan": request(m=(30,))}
    for name, (kind, _, change) in ALTERED.items():
        with begin(engine, "bob") as session:
            saving.save_result(session, kind, asked[kind], SaveResult(name=name))
        altered(engine, name, change)


@pytest.mark.long
def test_results_that_cannot_be_read_are_listed_and_all_else_goes_on(engine, saved, terminal):
    save_altered(engine)
    codes = {name: code for name, (_, code, _) in ALTERED.items()}
    listed = terminal("result", "list", "t", "--format", "json").json["results"]
    assert {one["name"]: one["illegible"] for one in listed} == codes | dict.fromkeys(
        ("a", "b", "t/drift-1")
    )
    for one in listed:
        code = one["illegible"]
        assert (one["stale"], one["renewable"], one["renew"]) == (code is not None, False, None)
        assert one["why"] == (None if code is None else REASONS[code])
    printed = terminal("result", "list", "t").out
    assert printed.count("cannot be read") == sum(not one["brief"] for one in listed) == 5
    for kind in ("plan", "drift", "study"):
        rows = [one for one in listed if one["kind"] == kind]
        assert names(engine, "t", kind=kind) == [one["name"] for one in rows]
    for words in (("plan", "list"), ("report", "list")):
        for form in ("table", "csv", "json"):
            assert terminal(*words, "--task", "t", "--format", form).code == 0
    # What still can be read is shown, with the reason; what cannot is refused in a sentence.
    for name, (_, code, _) in ALTERED.items():
        shown = terminal("result", "show", name)
        if code == "request" and name != "study":
            assert (shown.code, REASONS[code] in shown.out.replace("\n", " ")) == (0, True)
            shown = terminal("result", "show", name, "--format", "json")
            assert shown.json.get("illegible", code) == code
        else:
            assert (shown.code, "cannot be read: this Roundbook did" in shown.err) == (1, True)
        renewed = terminal("result", "renew", name)
        assert (renewed.code, len(renewed.err.splitlines())) == (1, 1)
    assert terminal("result", "show", "a").code == 0
    found = {one.kind: one.count for one in verify_record(engine).differences}
    assert found["result"] == len(ALTERED)


def test_what_rests_on_scores_names_what_cannot_be_read(engine, saved, terminal):
    save_altered(engine)
    impact = terminal("impact", str(saved[2]), "--format", "json").json["dependents"]
    whys = {one["name"].split("'")[1]: one["why"] for one in impact if "'" in one["name"]}
    assert whys == {name: REASONS[code] for name, (_, code, _) in ALTERED.items()} | dict.fromkeys(
        ("a", "b", "t/drift-1")
    )
    assert [one["kind"] for one in impact if "'kind'" in one["name"]] == ["forecast"]
    collection = terminal("round", "set", "t", "2", "--collection", "news")
    withdrawn = terminal("matrix", "withdraw", str(saved[2]), "--reason", "wrong qrels")
    assert (collection.code, withdrawn.code) == (0, 0)
    assert all(f"'{name}' version 1" in withdrawn.err for name in whys)
    assert all(reason in withdrawn.err for reason in REASONS.values())


def test_what_cannot_be_read_is_left_and_the_rest_renewed(engine, saved, terminal):
    save_altered(engine)
    correct(engine)
    renewed = terminal("result", "renew", "t", "--stale", "--format", "json")
    assert renewed.code == 0
    assert {one["after"]["name"] for one in renewed.json["renewed"]} == {"a", "b"}
    left = {entry["name"]: why for entry, why in renewed.json["left"]}
    assert left.keys() == ALTERED.keys()
    assert "Task 't' has nothing for measure 'P@7'" in left.pop("other measure")
    assert {why.partition(": ")[0] for why in left.values()} == {
        f"{NOUNS.get(name, NOUNS[ALTERED[name][0]])} '{name}', version 1, cannot be read"
        for name in left
    }
    assert set(names(engine, "t", stale=True)) == ALTERED.keys()


def test_a_result_asked_of_another_task_is_left_and_the_rest_renewed(engine, saved):
    log_scores(engine, "1", scores(5), task="other")
    altered(engine, "a", """request = request || '{"task": "other"}'""")
    correct(engine, "3")
    renewal = renew_results(engine, task="t")
    assert [one.after.name for one in renewal.renewed] == ["t/drift-1", "b"]
    ((entry, error),) = renewal.left
    assert (entry.name, str(error)) == (
        *("a", "'a' is a plan of task 't' already; choose another name."),
    )


def test_a_time_limit_ends_a_renewal(engine, saved, monkeypatch):
    correct(engine, "3")
    computed = planning.plan_topics

    def too_long(session, asked):
        if asked.scale == "raw":
            return computed(session, asked)
        raise RoundbookError("It took too long.")

    monkeypatch.setattr(planning, "plan_topics", too_long)
    with pytest.raises(RoundbookError, match="too long"):
        renew_results(engine, task="t")
    assert {entry.versions for entry in list_results(engine).results} == {1}


def test_another_result_is_saved_beside_what_cannot_be_read(engine, saved):
    save_altered(engine)
    altered(engine, "a", "result = result - 'm'")  # its figures are those of the next one
    with begin(engine, "bob") as session:
        for kind, asked in ASKED.items():
            again = saving.save_result(session, kind, asked)
            new = {"plan": "t/plan-1", "drift": "t/drift-1", "study": "t/study-1"}[kind]
            assert (again.name, again.version, again.illegible) == (new, 1, None)
    for name in ("a", "empty"):
        kind = "plan" if name == "a" else "study"
        with begin(engine) as session, pytest.raises(RecordError, match=f"'{name}', version 1, ca"):
            saving.save_result(session, kind, ASKED[kind], SaveResult(name=name))


@pytest.mark.long
def test_a_report_as_html_leaves_out_what_cannot_be_read(engine, saved, terminal, tmp_path):
    save_altered(engine)
    written = terminal(
        "report", "html", "t", "--output", str(tmp_path / "t.html"), "--format", "json"
    )
    refused = {name for name, (_, code, _) in ALTERED.items() if code != "request"} | {"study"}
    assert written.json["left_out"].keys() == refused
    assert {"a", "b", "t/drift-1", "more runs"} <= set(written.json["pages"])
    page = (tmp_path / "t.html").read_text("utf-8")
    assert all(reason in page for reason in REASONS.values())


@pytest.mark.long
def test_pages_and_http_show_what_cannot_be_read(engine):
    for seed, label in enumerate(("1", "2", "3")):
        log_scores(engine, label, scores(seed))
    save(engine, "a")
    save_altered(engine)
    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as client:
        listed = client.get("/api/v1/results", params={"task": "t"}).json()["results"]
        assert {one["name"]: one["illegible"] for one in listed} == {"a": None} | {
            name: code for name, (_, code, _) in ALTERED.items()
        }
        for path in ("/", "/task?task=t", "/results", "/results?task=t", "/result?name=a"):
            assert client.get(path).status_code == 200, path
        page = client.get("/results").text
        assert all(reason in page for reason in REASONS.values())
        for name, (_, code, _) in ALTERED.items():
            shown = {
                client.get(path, params={"name": name}).status_code
                for path in ("/result", "/api/v1/result")
            }
            assert shown == {200 if code == "request" and name != "study" else 409}, name
        renewed = client.post("/api/v1/renew", json={"task": "t"})
        assert renewed.status_code == 200, renewed.text
        assert {entry["name"] for entry, _ in renewed.json()["left"]} == ALTERED.keys()
