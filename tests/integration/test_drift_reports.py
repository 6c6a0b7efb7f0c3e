"""Saved drift reports: kept as they were printed, numbered, and told when they stand no more."""

from __future__ import annotations

import csv
import json
import shlex
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psycopg
import pytest
from sqlalchemy import text
from tests.factories import (
    Design,
    fit_factor_set,
    list_events,
    list_reports,
    log_matrix,
    plan_task,
    report_drift,
    report_generalisability,
    restore_matrix,
    save_report,
    set_round,
    show_report,
    trace_drift,
    withdraw_matrix,
)

from roundbook.database.engine import make_engine, unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import DatabaseError, InputError, NotRecordedError
from roundbook.formats import ScoreMatrix, settle_missing
from roundbook.logbook.drift import saved as drift_reports
from roundbook.logbook.drift.report import DriftReport
from roundbook.settings import load_settings
from roundbook_cli.drift import print_report
from roundbook_cli.main import run


def scores(seed, runs=5):
    return np.random.default_rng(seed).random((8, runs))


def log(engine, values, label, task="task", prefix="t", **options):
    matrix = ScoreMatrix(
        tuple(f"{prefix}{row}" for row in range(values.shape[0])),
        tuple(f"s{column}" for column in range(values.shape[1])),
        values,
        None,
        "wide",
        ("test",),
    )
    options = {"create": True, "user": "ann", **options}
    return log_matrix(engine, task, label, "AP", settle_missing(matrix, "reject"), **options)


def save(engine, task="task", note=None, **options):
    return save_report(engine, report_drift(engine, task, "AP", **options), note=note, user="cat")


@pytest.fixture
def three(engine):
    """Three rounds: the numbers of their matrices."""
    return [log(engine, scores(seed), label).matrix for seed, label in enumerate(("1", "2", "3"))]


@pytest.fixture
def person(address, monkeypatch, capsys):
    """Run a command line; return its exit code and what it said."""
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    monkeypatch.setenv("ROUNDBOOK_USER", "eve")
    load_settings.cache_clear()

    def call(*words):
        capsys.readouterr()
        code = run(list(words))
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return code, said.out, said.err

    yield call
    load_settings.cache_clear()


@pytest.mark.parametrize("other_topics", [False, True], ids=["bridged", "unbridged"])
def test_a_report_is_kept_as_it_was_printed(engine, other_topics):
    log(engine, scores(0), "1")
    log(engine, scores(1), "2", prefix="u" if other_topics else "t")
    report = report_drift(engine, "task", "AP", margin=0.3, m=4, min_d=0.2)
    assert (report.verdict == "unbridged") == other_topics
    saved = save_report(engine, report, note=" agreed ", user="cat")
    assert (saved.number, saved.status, saved.saved_by, saved.note) == (1, "saved", "cat", "agreed")
    log(engine, scores(2), "1", revise="a typo")
    shown = show_report(engine, "task", 1)
    assert shown.report == report
    assert shown.report.model_dump_json(by_alias=True) == report.model_dump_json(by_alias=True)
    assert (shown.number, shown.note, shown.saved_at) == (1, "agreed", saved.saved_at)
    assert set(saved.model_dump(by_alias=True)) > set(report.model_dump(by_alias=True))
    (told,) = list_events(engine, what="drift report saved").events
    assert (told.who, told.why, told.task) == ("cat", "agreed", "task")
    assert told.details == {
        "report": 1,
        "measure": "AP",
        "from": "1",
        "to": "2",
        "verdict": report.verdict,
    }


def test_the_same_again_is_unchanged_and_the_rest_is_numbered(engine, three, monkeypatch):
    assert save(engine, note="first").number == 1
    again = save(engine)
    assert (again.number, again.status, again.note) == (1, "unchanged", "first")
    assert save(engine, note="first").status == "unchanged"
    assert save(engine, assessments="official").status == "unchanged"
    assert save(engine, margin=0.2).status == "unchanged"
    newer = report_drift(engine, "task", "AP").model_copy(update={"software": "roundbook 99"})
    assert save_report(engine, newer, user="dan").status == "unchanged"
    assert save(engine, note="another").number == 2
    assert save(engine, note="first").number == 1
    assert save(engine, margin=0.5).number == 3
    assert save(engine, m=11).number == 4
    assert save(engine, from_round="2").number == 5
    set_round(engine, "task", "1", collection="other documents", user="ann")
    set_round(engine, "task", "3", collection="documents", user="ann")
    assert save(engine).number == 6
    assert len(list_events(engine, what="drift report saved").events) == 6
    for seed, label in enumerate(("1", "2")):
        log(engine, scores(seed), label, task="other")
    assert save(engine, "other").number == 1
    assert [(each.task, each.number) for each in list_reports(engine).reports] == [
        ("other", 1),
        *(("task", number) for number in range(1, 7)),
    ]
    listed = list_reports(engine, "task").reports
    assert [each.verdict for each in listed[4:]] == [
        report_drift(engine, "task", "AP", from_round="2").verdict,
        "unbridged",
    ]


def test_a_report_and_its_event_are_kept_together_or_not_at_all(engine, three, monkeypatch):
    def fail(*args, **facts):
        raise RuntimeError

    monkeypatch.setattr(drift_reports, "record_event", fail)
    with pytest.raises(RuntimeError):
        save(engine)
    monkeypatch.undo()
    assert list_reports(engine, "task").reports == []
    with pytest.raises(InputError, match="note"):
        save(engine, note="two\nlines")
    assert save(engine).number == 1


def test_many_at_once_are_numbered_without_a_gap(engine, three):
    margins = [0.1 + step / 20 for step in range(8)]
    reports = [report_drift(engine, "task", "AP", margin=margin) for margin in margins]
    with ThreadPoolExecutor(4) as threads:
        saved = list(threads.map(lambda report: save_report(engine, report, user="x"), reports * 2))
    assert sorted(each.number for each in saved if each.status == "saved") == list(range(1, 9))
    assert [each.number for each in list_reports(engine, "task").reports] == list(range(1, 9))
    for one, other in zip(saved[:8], saved[8:], strict=True):
        assert (one.number, one.margin) == (other.number, other.margin)


@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET note = 'x'"])
def test_the_database_keeps_what_was_saved(engine, three, statement):
    save(engine)
    with pytest.raises(DatabaseError), unit_of_work(engine) as connection:
        connection.execute(text(statement.format("roundbook.drift_report")))


def standing(engine, number=1):
    shown = show_report(engine, "task", number)
    listed = next(each for each in list_reports(engine).reports if each.number == number)
    assert (listed.stale, listed.why, listed.renew) == (shown.stale, shown.why, shown.renew)
    assert shown.stale == (shown.why is not None)
    return shown.why, shown.renew


RENEW = "roundbook drift task --measure AP --assessments official --from 1 --to 3"


def test_what_makes_a_report_stale_and_what_renews_it(engine, three, person):
    save(engine)
    assert standing(engine) == (None, None)
    log(engine, scores(9), "2", revise="between the two")
    assert standing(engine) == (None, None)
    fit_factor_set(engine, "task", "1", "AP", runs=["s0", "s1"], reason="these", user="dan")
    why = "factor version 1 of round '1': factor version 2 was fitted since"
    assert standing(engine) == (why, f"{RENEW} --save")
    third = log(engine, scores(8), "3", revise="a typo").matrix
    why += f"; factor version 1 of round '3': superseded by revision 2 (matrix {third})"
    assert standing(engine) == (why, f"{RENEW} --save")
    withdraw_matrix(engine, three[0], "wrong qrels", user="bob")
    why = why.replace(
        "factor version 2 was fitted since", f"matrix {three[0]} is withdrawn: wrong qrels"
    )
    assert standing(engine) == (why, None)
    restore_matrix(engine, three[0], "right after all", user="bob")
    _, renew = standing(engine)
    code, out, _ = person(*shlex.split(renew)[1:], "--note", "by today's", "--format", "json")
    assert (code, json.loads(out)["number"], json.loads(out)["status"]) == (0, 2, "saved")
    assert standing(engine, 2) == (None, None)
    why, renew = standing(engine)
    assert why.endswith("; drift report 2 takes its place")
    assert renew is None


def test_a_renewal_asks_the_same(engine, three, person):
    asked = {"margin": 0.3, "sd_ratio_margin": 1.5, "m": 4, "min_d": 0.2}
    before = save(engine, **asked)
    log(engine, scores(8), "3", revise="a typo")
    _, renew = standing(engine)
    assert renew == f"{RENEW} --margin 0.3 --sd-ratio-margin 1.5 --m 4 --min-d 0.2 --save"
    assert person(*shlex.split(renew)[1:])[0] == 0
    after = show_report(engine, "task", 2).report
    assert {name: getattr(after, name) for name in asked} == asked
    assert (after.from_matrix, after.to_matrix) == (before.from_matrix, 4)


@pytest.mark.parametrize(
    ("asked", "options"),
    [
        ({"min_d": 0.06}, " --min-d 0.06"),
        ({"min_d": 0.06, "margin": 0.2}, " --margin 0.2 --min-d 0.06"),
        ({"margin": 0.2}, " --margin 0.2"),
        ({"sd_ratio_margin": 1.5}, " --sd-ratio-margin 1.5"),
    ],
)
def test_a_renewal_takes_the_margin_from_where_it_came(engine, three, person, asked, options):
    before = save(engine, **asked)
    log(engine, scores(8), "3", revise="a typo")
    _, renew = standing(engine)
    assert renew == f"{RENEW}{options} --save"
    assert person(*shlex.split(renew)[1:])[0] == 0
    after = show_report(engine, "task", 2).report
    assert (after.margin, after.margin_from) == (before.margin, before.margin_from)
    assert (after.min_d, after.sd_ratio_margin) == (before.min_d, before.sd_ratio_margin)


@pytest.mark.parametrize("release", ["0003", "0004"])
def test_a_report_of_an_earlier_version_is_shown_as_it_was_saved(bare_database, release, capsys):
    dump = (Path(__file__).parents[1] / f"releases/{release}.sql").read_text(encoding="utf-8")
    address = bare_database.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(address) as connection:
        connection.execute(dump)
        ((saved,),) = connection.execute("SELECT result FROM roundbook.drift_report").fetchall()
    engine = make_engine(bare_database)
    upgrade(engine)
    shown = show_report(engine, "web", 1)
    printed = shown.report.model_dump(mode="json", by_alias=True)
    assert {key: printed[key] for key in saved} == saved
    assert len(saved["mean_shift_95"]) == 2
    later = set(printed) - set(saved)
    assert {"units", "these_runs", "systems_like_these", "recurring", "why"} <= later
    assert {key for key in later if printed[key]} == set()
    (listed,) = list_reports(engine, "web").reports
    assert (listed.shift, listed.mean_shift) == (None, saved["mean_shift"])
    print_report(shown.report)
    assert f"Why: {saved['reason']}" in " ".join(capsys.readouterr().out.split())
    # Saved anew by the same factors it is another report, with what it lacked.
    again = report_drift(engine, "web", listed.measure, assessments="official")
    assert save_report(engine, again, user="ann").number == 2
    engine.dispose()


def test_every_result_has_its_lineage(engine, three):
    second = log(engine, scores(9), "2", revise="a typo").matrix
    fit_factor_set(engine, "task", "1", "AP", runs=["s0", "s1"], reason="these", user="dan")
    report = report_drift(engine, "task", "AP", to_round="2")
    assert (report.from_matrix, report.from_revision, report.from_version) == (three[0], 1, 2)
    assert (report.to_matrix, report.to_revision, report.to_version) == (second, 2, 2)
    curve = trace_drift(engine, "task", "AP")
    assert (curve.from_matrix, curve.from_revision, curve.from_version) == (three[0], 1, 2)
    assert [(each.matrix, each.revision, each.version) for each in curve.rounds] == [
        (second, 2, 2),
        (three[2], 1, 1),
    ]
    found = report_generalisability(engine, "task", "AP").rounds
    assert [(each.matrix, each.revision) for each in found] == [
        (three[0], 1),
        (second, 2),
        (three[2], 1),
    ]
    planned = plan_task(engine, "task", "AP", Design(m=(5,), min_d=(0.2,)), scale="std-ab")
    assert (planned.engine, planned.software) == ("exact", report.software)
    assert [
        (each.matrix, each.revision, each.factor_version, each.software)
        for each in planned.estimate.rounds
    ] == [
        (three[0], 1, 2, report.software),
        (second, 2, 2, report.software),
        (three[2], 1, 1, report.software),
    ]
    assert {report.software, curve.software} == {report_drift(engine, "task", "AP").software}


def test_the_terminal(engine, three, person):
    assert "Save one with: roundbook drift" in person("report", "list")[1]
    code, out, err = person("drift", "task", "--measure", "AP", "--save", "--note", "agreed")
    assert code == 0
    assert err.startswith("Saved: drift report 1 of task 'task'")
    assert f"factor versions 1 (1: matrix {three[0]}, revision 1) and 1 (3: matrix" in out
    plain = person("drift", "task", "--measure", "AP")
    assert plain == (0, out, "")
    assert person("drift", "task", "--measure", "AP", "--save")[2].startswith("Unchanged: drift")
    code, shown, err = person("report", "show", "task", "1")
    assert (code, err) == (0, "")
    head, rest = shown.split("\n\n", 1)
    assert head.startswith("Drift report 1 of task 'task', saved ")
    assert head.endswith("Note: agreed")
    assert rest == f"{out}\nIt stands: these are today's factors.\n"
    fit_factor_set(engine, "task", "1", "AP", runs=["s0", "s1"], reason="these", user="dan")
    code, shown, err = person("report", "show", "task", "1")
    assert shown.startswith(head)
    assert f"Stale: {standing(engine)[0]}." in shown
    assert shown.endswith(f"To renew it:\n  {RENEW} --save --note agreed\n")
    (row,) = csv.DictReader(person("report", "list", "--format", "csv")[1].splitlines())
    assert (row["number"], row["stale"], row["note"]) == ("1", "True", "agreed")
    table = person("report", "list", "--task", "task")[1]
    assert "agreed" in table
    listed = json.loads(person("report", "list", "--format", "json")[1])["reports"]
    assert (listed[0]["from"], listed[0]["to"]) == ("1", "3")
    topics = list(
        csv.DictReader(person("report", "show", "task", "1", "--format", "csv")[1].splitlines())
    )
    assert [row["topic"] for row in topics] == [f"t{row}" for row in range(8)]
    printed = json.loads(person("report", "show", "task", "1", "--format", "json")[1])
    assert DriftReport.model_validate(printed["report"]).from_round == "1"


@pytest.mark.parametrize("words", [["--save", "--curve"], ["--note", "x"]])
def test_what_does_not_go_together(engine, three, person, words):
    code, out, err = person("drift", "task", "--measure", "AP", *words)
    assert (code, out) == (2, "")
    assert "--save" in err
    assert list_reports(engine).reports == []


def test_a_report_that_is_not_there(engine, three, person):
    save(engine)
    with pytest.raises(NotRecordedError, match=r"no saved drift report 2.*report list.*--save"):
        show_report(engine, "task", 2)
    assert person("report", "show", "nobody's", "1")[0] == 1
    assert person("report", "list", "--task", "nobody's")[0] == 1
