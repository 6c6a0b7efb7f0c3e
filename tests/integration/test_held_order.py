"""Rounds whose dates contradict the order in which they are recorded: noted, never reordered."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest
from tests.factories import (
    create_round,
    create_task,
    list_rounds,
    log_scores,
    plan_task,
    report_drift,
    save_plan,
    save_report,
    set_round,
    show_variances,
    trace_drift,
    verify_record,
)

from roundbook.logbook.held_order import OutOfOrder, rounds_out_of_order
from roundbook.logbook.rounds import Round
from roundbook.presentation.drift import brief_notes, notes
from roundbook.presentation.drift_curve import curve_notes
from roundbook.presentation.plans import notes as plan_notes
from roundbook.presentation.rounds import out_of_order_notes
from roundbook.presentation.views import view_of
from roundbook.requests.plans import PlanRequest
from roundbook_cli.drift_commands import report_text
from roundbook_cli.plan_advice import plan_remarks

pytestmark = pytest.mark.one_server

GENERATOR = np.random.default_rng(3)
APRIL, MAY = date(2020, 4, 1), date(2020, 5, 1)
PAIR = OutOfOrder(round="april", held=APRIL, recorded_after="may", recorded_after_held=MAY)
CLAUSE = "Round 'april' was held on 2020-04-01, before round 'may' (2020-05-01), but is recorded after it"
LATEST = PlanRequest(task="t", measure="AP", m=(5,), min_d=(0.1,), variance_at="latest")


@pytest.fixture
def logged(engine):
    """The round of May logged before that of April, neither with a date."""
    for label in ("may", "april"):
        log_scores(engine, label, GENERATOR.random((12, 8)))
    return engine


def date_them(engine):
    set_round(engine, "t", "may", held=MAY)
    return set_round(engine, "t", "april", held=APRIL)


@pytest.mark.parametrize(
    ("days", "pairs"),
    [
        ((1, 2, 3), []),
        ((1, 1, None), []),
        ((None, 5, None, 4), ["d<b"]),
        ((3, 5, 4, 2, 6), ["c<b", "d<b"]),
        ((), []),
    ],
)
def test_each_round_held_before_one_recorded_earlier_with_the_latest_of_these(days, pairs):
    rounds = [
        Round(
            round="abcde"[index],
            ordinal=index + 1,
            held=day and date(2020, 1, day),
            collection=None,
            status="draft",
            matrices=[],
        )
        for index, day in enumerate(days)
    ]
    listed = rounds_out_of_order(reversed(rounds))
    assert [f"{pair.round}<{pair.recorded_after}" for pair in listed] == pairs
    assert all(pair.held < pair.recorded_after_held for pair in listed)


def test_a_list_of_rounds_and_a_round_that_is_dated_say_so(logged):
    assert set_round(logged, "t", "may", held=MAY).out_of_order == []
    assert "out_of_order" not in list_rounds(logged, "t").rounds[0].model_dump()
    dated = set_round(logged, "t", "april", held=APRIL)
    assert dated.out_of_order == [PAIR]
    note = f"{CLAUSE}: what compares rounds or takes the latest goes by the order of recording."
    listed = list_rounds(logged, "t")
    # Of both rounds, and said once; nothing is reordered.
    assert [(one.round, one.out_of_order) for one in listed.rounds] == [
        ("may", [PAIR]),
        ("april", [PAIR]),
    ]
    assert out_of_order_notes(listed.rounds) == [note]
    assert view_of(listed).sentences == view_of(dated).sentences == [note]
    assert set_round(logged, "t", "may", held=date(2020, 3, 1), force=True).out_of_order == []
    assert view_of(list_rounds(logged, "t")).sentences == []


def test_a_new_round_with_an_earlier_date_says_so(engine):
    create_task(engine, "t")
    assert view_of(create_round(engine, "t", "may", held=MAY)).sentences == []
    assert create_round(engine, "t", "april", held=APRIL).out_of_order == [PAIR]


def test_drift_goes_by_the_dates_where_they_contradict_the_order(logged):
    before = report_drift(logged, "t", "AP")
    assert (before.backwards, before.out_of_order) == (False, None)
    assert not any("held on" in note for note in notes(before))
    assert "out_of_order" not in before.model_dump()
    date_them(logged)
    report = report_drift(logged, "t", "AP")
    assert (report.from_round, report.to_round, report.backwards) == ("may", "april", False)
    assert report.out_of_order == PAIR
    backwards = f"{CLAUSE}: by the dates this comparison runs backwards."
    assert notes(report)[0] == backwards
    assert backwards in view_of(report).sentences
    in_order = "roundbook drift t --measure AP --from april --to may"
    commands = [step["command"] for step in report_text(report)["commands"]]
    assert in_order in commands
    # What it asks for is the comparison that runs forwards, though recorded the other way.
    asked = report_drift(logged, "t", "AP", from_round="april", to_round="may")
    assert (asked.backwards, asked.out_of_order) == (True, PAIR)
    assert notes(asked)[0] == f"{CLAUSE}: by the dates this comparison runs forwards."
    assert in_order not in [step["command"] for step in report_text(asked)["commands"]]
    curve = trace_drift(logged, "t", "AP")
    assert curve.out_of_order == [PAIR]
    assert curve_notes(curve)[0] == f"{CLAUSE}, and the curve goes by the order of recording."


def test_drift_says_that_the_round_recorded_last_was_not_held_last(engine):
    for label in ("march", "may", "april"):
        log_scores(engine, label, GENERATOR.random((12, 8)))
    before = report_drift(engine, "t", "AP")
    assert "latest_not_held_last" not in before.model_dump()
    set_round(engine, "t", "march", held=date(2020, 3, 1))
    date_them(engine)
    report = save_report(engine, "t", "AP").result
    assert (report.from_round, report.to_round, report.out_of_order) == ("march", "april", None)
    assert report.latest_not_held_last == PAIR
    sentence = f"{CLAUSE}: this comparison takes the round recorded last, not the one held last."
    assert notes(report)[0] == brief_notes(report)[0] == sentence
    assert sentence in view_of(report).sentences
    to_may = "roundbook drift t --measure AP --from march --to may"
    assert to_may in [step["command"] for step in report_text(report)["commands"]]
    named = report_drift(engine, "t", "AP", to_round="april")
    assert named.latest_not_held_last is None
    assert verify_record(engine).differences == []


def test_a_plan_at_the_latest_variance_names_the_round_that_was_held_last(logged):
    assert plan_notes(plan_task(logged, "t", "AP", LATEST)) == []
    date_them(logged)
    plan = plan_task(logged, "t", "AP", LATEST)
    assert plan.estimate.out_of_order == show_variances(logged, "t", "AP").out_of_order == [PAIR]
    (note,) = plan.notes
    assert (note.code, note.out_of_order) == ("latest_not_held_last", PAIR)
    may, april = plan.estimate.rounds
    assert plan.variance == april.variance
    sentence = (
        f"{CLAUSE}: the plan takes the variance of the round recorded last, not of the one held"
        " last."
    )
    ((noted, way_out),) = plan_notes(plan)
    assert noted == sentence
    assert way_out.facts == {"round": "may", "variance": f"{may.variance:.5g}"}
    assert sentence in view_of(plan).sentences
    assert plan_remarks(plan) == [
        f"{sentence} To plan with that of may: --variance-at {may.variance:.5g}."
    ]
    pooled = LATEST.model_copy(update={"variance_at": "pooled"})
    assert plan_task(logged, "t", "AP", pooled).notes == []


def test_what_was_saved_before_rounds_were_dated_verifies_and_is_not_stale(logged):
    saved = save_report(logged, "t", "AP")
    save_plan(logged, "next", LATEST)
    date_them(logged)
    save_report(logged, "t", "AP")
    verified = verify_record(logged)
    assert (verified.results, verified.differences, verified.not_computed) == (3, [], [])
    assert saved.result.out_of_order is None
    set_round(logged, "t", "may", held=date(2020, 3, 1), force=True)
    verified = verify_record(logged)
    assert (verified.results, verified.differences, verified.not_computed) == (3, [], [])
