"""Saved drift reports: kept as they were printed, numbered, and stale by what came since."""

from __future__ import annotations

import json
import shlex
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import load_release, scalar
from tests.factories import (
    fit_factor_set,
    list_events,
    list_results,
    log_scores,
    plan_task,
    refusing,
    renew_results,
    report_drift,
    report_generalisability,
    restore_matrix,
    save_report,
    set_round,
    show_result,
    trace_drift,
    verify_record,
    withdraw_matrix,
)
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import DatabaseError, InputError, NotRecordedError
from roundbook.logbook import saving
from roundbook.logbook.drift.report import DriftReport
from roundbook.presentation.saved_results import why_stale
from roundbook.presentation.views import view_of
from roundbook_cli.drift_commands import report_json
from roundbook_cli.renewal import renewal
from roundbook_cli.saved_drift import print_report


def scores(seed, runs=5):
    return np.random.default_rng(seed).random((8, runs))


def save(engine, task="t", **options):
    return save_report(engine, task, "AP", user="cat", **options)


def report_names(engine, task=None):
    return [entry.name for entry in list_results(engine, task, kind="drift").results]


@prepared
def three(engine):
    """Three rounds: the numbers of their matrices."""
    return [
        log_scores(engine, label, scores(seed)).matrix for seed, label in enumerate(("1", "2", "3"))
    ]


def test_every_door_says_which_withdrawn_scores_are_left_out(engine, three):
    *_, last = three
    withdraw_matrix(engine, last, "wrong qrels")
    for result in (report_drift(engine, "t", "AP"), trace_drift(engine, "t", "AP")):
        assert view_of(result).sentences[-1] == (
            f"Left out: round '3', whose AP scores (matrix {last}, revision 1, official assessments)"
            " are withdrawn: wrong qrels."
        )


@pytest.mark.parametrize("other_topics", [False, True], ids=["bridged", "unbridged"])
def test_a_report_is_kept_as_it_was_printed(engine, other_topics):
    log_scores(engine, "1", scores(0))
    topics = [f"{'u' if other_topics else 't'}{row}" for row in range(8)]
    log_scores(engine, "2", scores(1), topics=topics)
    asked = {"margin": 0.3, "m": 4, "min_d": 0.2}
    report = report_drift(engine, "t", "AP", **asked)
    assert (report.verdict == "unbridged") == other_topics
    saved = save(engine, note=" agreed ", **asked)
    assert (saved.name, saved.version, saved.status) == ("t/drift-1", 1, "saved")
    assert (saved.saved_by, saved.note, saved.result) == ("cat", "agreed", report)
    log_scores(engine, "1", scores(2), revise="a typo")
    shown = show_result(engine, "t/drift-1")
    assert shown.result == report
    assert shown.result.model_dump_json(by_alias=True) == report.model_dump_json(by_alias=True)
    assert (shown.version, shown.note, shown.saved_at) == (1, "agreed", saved.saved_at)
    (event,) = list_events(engine, what="drift report saved").events
    assert (event.who, event.why, event.task) == ("cat", "agreed", "t")
    assert event.details == {
        "drift report": "t/drift-1",
        "version": 1,
        "measure": "AP",
        "from": "1",
        "to": "2",
        "verdict": report.verdict,
    }


@pytest.mark.long
def test_the_same_again_is_unchanged_and_the_rest_is_numbered(engine, three, monkeypatch):
    assert save(engine, note="first").name == "t/drift-1"
    again = save(engine)
    assert (again.name, again.status, again.note) == ("t/drift-1", "unchanged", "first")
    for same in (
        {"note": "first"},
        {"assessments": "official"},
        {"margin": 0.2},
        {"to_round": "3"},
    ):
        assert save(engine, **same).status == "unchanged"
    monkeypatch.setattr("roundbook.logbook.drift.report.SOFTWARE", "roundbook 99")
    assert report_drift(engine, "t", "AP").software == "roundbook 99"
    assert save(engine).status == "unchanged"
    monkeypatch.undo()
    assert save(engine, note="another").name == "t/drift-2"
    assert save(engine, note="first").name == "t/drift-1"
    assert save(engine, margin=0.5).name == "t/drift-3"
    assert save(engine, m=11).name == "t/drift-4"
    assert save(engine, from_round="2").name == "t/drift-5"
    set_round(engine, "t", "1", collection="other documents", user="ann")
    set_round(engine, "t", "3", collection="documents", user="ann")
    assert save(engine).name == "t/drift-6"
    assert len(list_events(engine, what="drift report saved").events) == 6
    for seed, label in enumerate(("1", "2")):
        log_scores(engine, label, scores(seed), task="other")
    assert save(engine, "other").name == "other/drift-1"
    numbered = [f"t/drift-{number}" for number in range(1, 7)]
    assert report_names(engine) == ["other/drift-1", *numbered]
    listed = list_results(engine, "t", kind="drift").results
    assert [entry.brief["verdict"] for entry in listed[4:]] == [
        report_drift(engine, "t", "AP", from_round="2").verdict,
        "unbridged",
    ]


def test_a_report_and_its_event_are_kept_together_or_not_at_all(engine, three, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(saving, "record_event", fail)
    with pytest.raises(RuntimeError):
        save(engine)
    monkeypatch.undo()
    assert report_names(engine, "t") == []
    with pytest.raises(InputError, match="note"):
        save(engine, note="two\nlines")
    assert save(engine).name == "t/drift-1"


@pytest.mark.long
def test_many_at_once_are_numbered_without_a_gap(engine, committed, three):
    margins = [0.1 + step / 20 for step in range(8)]
    with ThreadPoolExecutor(4) as threads:
        saved = list(threads.map(lambda margin: save(engine, margin=margin), margins * 2))
    numbered = [f"t/drift-{number}" for number in range(1, 9)]
    assert sorted(report.name for report in saved if report.status == "saved") == numbered
    assert report_names(engine, "t") == numbered
    for one, other in zip(saved[:8], saved[8:], strict=True):
        assert (one.name, one.version, one.result) == (other.name, 1, other.result)


def test_a_report_that_tested_tied_topics_verifies_where_there_are_none(engine):
    tied = scores(1)
    tied[3] = 0.5
    log_scores(engine, "plain", scores(0))
    log_scores(engine, "tied", tied)
    log_scores(engine, "later", scores(2))
    for first in ("plain", "tied"):
        save(engine, from_round=first, to_round="later")

    def saved_by_an_earlier_version(where, change):
        with unit_of_work(engine) as connection:
            connection.execute(text("ALTER TABLE roundbook.result DISABLE TRIGGER ALL"))
            connection.execute(text(f"UPDATE roundbook.result SET result = {change} WHERE {where}"))
            connection.commit()

    assert verify_record(engine).not_computed == []
    saved_by_an_earlier_version("true", "result #- '{tests,topics}'")
    verification = verify_record(engine)
    assert (verification.status, verification.differences) == ("verified", [])
    assert [(one.result, one.reason) for one in verification.not_computed] == [
        ("t/drift-2", "form")
    ]
    # What cannot be computed again is shown, and what can is compared.
    assert show_result(engine, "t/drift-2").result.tests.topics is None
    saved_by_an_earlier_version(
        "name = 't/drift-1'", "jsonb_set(result, '{tests,paired_t,statistic}', '7.5')"
    )
    (difference,) = verify_record(engine).differences
    assert (difference.count, difference.first.what) == (1, "statistic of paired_t of tests")
    assert (difference.first.recorded, difference.first.result) == (7.5, "t/drift-1")


@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET note = 'x'"])
def test_the_database_keeps_what_was_saved(engine, three, statement):
    save(engine)
    with pytest.raises(DatabaseError), unit_of_work(engine) as connection:
        connection.execute(text(statement.format("roundbook.result")))


def staleness(engine, version=None):
    """Return why the first report is stale and the command that renews it, as list and show do."""
    shown = show_result(engine, "t/drift-1", version=version)
    if shown.version == shown.versions:
        (listed,) = list_results(engine, kind="drift").results
        assert (listed.stale, listed.changes) == (shown.stale, shown.changes)
    why = why_stale(shown)
    assert shown.stale == (why is not None)
    return why, renewal(shown)


RENEW = "roundbook result renew t/drift-1"


def test_what_makes_a_report_stale_and_what_renews_it(engine, three, terminal):
    save(engine)
    assert staleness(engine) == (None, None)
    log_scores(engine, "2", scores(9), revise="between the two")
    assert staleness(engine) == (None, None)
    fit_factor_set(engine, "t", "1", "AP", runs=["run0", "run1"], reason="these", user="dan")
    why = "round '1': its factors were fitted anew (version 2)"
    assert staleness(engine) == (why, RENEW)
    log_scores(engine, "3", scores(8), revise="a typo")
    why += "; round '3': its score matrix was corrected (revision 2)"
    assert staleness(engine) == (why, RENEW)
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    withdrawn = "its score matrix was withdrawn: wrong qrels"
    lost = why.replace("its factors were fitted anew (version 2)", withdrawn)
    assert staleness(engine) == (f"{lost}; nothing is left to compute it from", None)
    restore_matrix(engine, three[0], "right after all", user="bob")
    assert staleness(engine) == (why, RENEW)
    (renewed,) = terminal(*shlex.split(RENEW)[1:], "--format", "json").json["renewed"]
    assert (renewed["after"]["version"], renewed["status"]) == (2, "saved")
    assert staleness(engine) == (None, None)
    assert staleness(engine, version=1) == (f"{why}; version 2 takes its place", None)


def test_another_report_that_answers_the_same_takes_its_place(engine, three):
    save(engine)
    log_scores(engine, "3", scores(8), revise="a typo")
    assert save(engine).name == "t/drift-2"
    shown = show_result(engine, "t/drift-1")
    assert (why_stale(shown) or "").endswith("; drift report 't/drift-2' takes its place")
    assert renewal(shown) is None


def test_a_renewal_asks_the_same(engine, three):
    asked = {"margin": 0.3, "sd_ratio_margin": 1.5, "m": 4, "min_d": 0.2}
    before = save(engine, **asked).result
    log_scores(engine, "3", scores(8), revise="a typo")
    log_scores(engine, "4", scores(7))
    renew_results(engine, name="t/drift-1", user="eve")
    after = show_result(engine, "t/drift-1").result
    assert {name: getattr(after, name) for name in asked} == asked
    # The rounds that were the first and the latest, though a later one came.
    assert (after.from_round, after.to_round) == ("1", "3")
    assert (after.from_matrix, after.to_matrix) == (before.from_matrix, 4)


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        {"min_d": 0.06},
        {"min_d": 0.06, "margin": 0.2},
        {"margin": 0.2},
        {"sd_ratio_margin": 1.5},
    ],
)
def test_a_renewal_takes_the_margin_from_where_it_came(engine, three, asked):
    before = save(engine, **asked).result
    log_scores(engine, "3", scores(8), revise="a typo")
    renew_results(engine, name="t/drift-1", user="eve")
    shown = show_result(engine, "t/drift-1")
    after = shown.result
    assert shown.version == 2
    assert (after.margin, after.margin_from) == (before.margin, before.margin_from)
    assert (after.min_d, after.sd_ratio_margin) == (before.min_d, before.sd_ratio_margin)


@pytest.mark.long
@pytest.mark.parametrize("release", ["0003", "0004"])
def test_a_report_of_an_earlier_version_is_shown_as_it_was_saved(bare, release, capsys):
    load_release(bare, release)
    saved = scalar(bare, "SELECT result FROM roundbook.drift_report")
    upgrade(bare)
    shown = show_result(bare, "web/drift-1")
    printed = report_json(shown.result)
    assert {key: printed[key] for key in saved} == saved
    assert len(saved["mean_shift_95"]) == 2
    later = set(printed) - set(saved)
    assert {"units", "these_runs", "systems_like_these", "recurring", "why"} <= later
    assert {key for key in later if printed[key]} == {"shift_unit"}
    (listed,) = list_results(bare, "web", kind="drift").results
    assert (listed.brief["shift"], listed.brief["mean_shift"]) == (None, saved["mean_shift"])
    assert (why_stale(shown) or "").endswith(
        "its verdict is by an earlier rule, which took the runs for fixed"
    )
    print_report(shown.result)
    assert f"Why: {saved['reason']}" in " ".join(capsys.readouterr().out.split())
    # Saved anew by the same factors it is another report, with what it lacked.
    measure = listed.brief["measure"]
    again = save_report(bare, "web", measure, assessments="official", user="ann")
    assert again.name == "web/drift-2"


def test_every_result_has_its_lineage(engine, three):
    second = log_scores(engine, "2", scores(9), revise="a typo").matrix
    fit_factor_set(engine, "t", "1", "AP", runs=["run0", "run1"], reason="these", user="dan")
    report = report_drift(engine, "t", "AP", to_round="2")
    assert (report.from_matrix, report.from_revision, report.from_version) == (three[0], 1, 2)
    assert (report.to_matrix, report.to_revision, report.to_version) == (second, 2, 2)
    curve = trace_drift(engine, "t", "AP")
    assert (curve.from_matrix, curve.from_revision, curve.from_version) == (three[0], 1, 2)
    assert [(row.matrix, row.revision, row.version) for row in curve.rounds] == [
        (second, 2, 2),
        (three[2], 1, 1),
    ]
    generalisability = report_generalisability(engine, "t", "AP").rounds
    assert [(row.matrix, row.revision) for row in generalisability] == [
        (three[0], 1),
        (second, 2),
        (three[2], 1),
    ]
    planned = plan_task(engine, "t", "AP", m=(5,), min_d=(0.2,), scale="std-ab")
    assert (planned.engine, planned.software) == ("exact", report.software)
    assert [
        (row.matrix, row.revision, row.factor_version, row.software)
        for row in planned.estimate.rounds
    ] == [
        (three[0], 1, 2, report.software),
        (second, 2, 2, report.software),
        (three[2], 1, 1, report.software),
    ]
    assert {report.software, curve.software} == {report_drift(engine, "t", "AP").software}


def test_the_terminal(engine, three, terminal):
    assert "Save one with: roundbook drift" in terminal("report", "list").out
    words = ("drift", "t", "--measure", "AP", "--details")
    code, out, err = terminal(*words, "--save", "--note", "agreed")
    assert code == 0
    assert err.startswith("Saved: drift report 't/drift-1', version 1, of task 't'.")
    assert f"factor versions 1 (1: matrix {three[0]}, revision 1) and 1 (3: matrix" in out
    assert terminal(*words) == (0, out, "")
    brief = terminal(*words[:-1]).out
    again = terminal("drift", "t", "--measure", "AP", "--save")
    assert again.err.startswith("Unchanged: drift report 't/drift-1', version 1")
    short = terminal("report", "show", "t", "1").out
    assert short.endswith(f"Note: agreed\nIt stands: these are today's factors.\n\n{brief}")
    assert terminal("report", "show", "t/drift-1").out == short
    code, shown, err = terminal("report", "show", "t", "1", "--details")
    assert (code, err) == (0, "")
    head, rest = shown.split("\n\n", 1)
    assert head.startswith("Drift report 1 of task 't', saved ")
    assert head.endswith("Note: agreed\nIt stands: these are today's factors.")
    assert rest == out
    assert terminal("result", "show", "t/drift-1") == (0, short, "")
    assert terminal("result", "show", "t/drift-1", "--details") == (0, shown, "")
    fit_factor_set(engine, "t", "1", "AP", runs=["run0", "run1"], reason="these", user="dan")
    code, shown, err = terminal("report", "show", "t", "1")
    saved = head.splitlines()[0]
    stale = f"Stale: {staleness(engine)[0]}.\nTo renew it:\n  {RENEW}\n"
    assert shown == f"{saved}\n{stale}\n{brief}"
    (row,) = terminal("report", "list", "--format", "csv").table
    assert (row["number"], row["stale"], row["note"]) == ("1", "True", "agreed")
    listed = terminal("report", "list", "--task", "t").out
    assert "agreed" in listed
    # What the list prints is taken by both groups.
    assert f"\n{row['name']} " in listed
    for group in ("report", "result"):
        assert terminal(group, "show", row["name"]).out == shown
    rows = terminal("report", "show", "t", "1", "--format", "csv").table
    assert [row["topic"] for row in rows] == [f"t{row}" for row in range(8)]


def test_reports_in_json_have_their_keys(engine, three, terminal):
    entry = {"task", "number", "version", "note", "saved_at", "saved_by", "software"}
    entry |= {"stale", "why", "renew"}
    brief = {"measure", "assessments", "from", "to", "verdict", "shift", "mean_shift", "sd_ratio"}
    plain = terminal("drift", "t", "--measure", "AP", "--format", "json").json
    saved = terminal("drift", "t", "--measure", "AP", "--save", "--format", "json").json
    assert set(saved) - set(plain) == {"number", "note", "saved_at", "saved_by", "status"}
    assert {name: saved[name] for name in plain} == plain
    printed = terminal("report", "list", "--format", "json").json
    assert set(printed) == {"task", "reports"}
    (listed,) = printed["reports"]
    assert set(listed) == entry | brief | {"name"}
    # Without an interval the report's sentence is of these very runs, and so is the list.
    assert plain["systems_like_these"]["shift"] is None
    assert f"moved by {listed['shift']:+.3f} " in plain["reason"]
    assert (listed["number"], listed["from"], listed["to"]) == (1, "1", "3")
    shown = terminal("report", "show", "t", "1", "--format", "json").json
    assert set(shown) >= entry | {"report"}
    assert shown["report"] == plain
    assert DriftReport.model_validate(shown["report"]).from_round == "1"
    assert json.dumps(shown["report"]["topics"]) == json.dumps(plain["topics"])


@pytest.mark.parametrize("words", [["--save", "--curve"], ["--note", "x"]])
def test_what_does_not_go_together(engine, three, terminal, words):
    code, out, err = terminal("drift", "t", "--measure", "AP", *words)
    assert (code, out) == (2, "")
    assert "--save" in err
    assert report_names(engine) == []


def test_a_report_that_is_not_there(engine, three, terminal):
    save(engine)
    with refusing(NotRecordedError, r"no saved drift report 't/drift-2' .'roundbook result list'"):
        show_result(engine, "t/drift-2", kind="drift")
    assert terminal("report", "show", "nobody's", "1").code == 1
    assert terminal("report", "list", "--task", "nobody's").code == 1
