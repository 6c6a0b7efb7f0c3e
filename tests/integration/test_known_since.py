"""What becomes known later changes intervals and shared topics: what was saved before is stale."""

from __future__ import annotations

import numpy as np
from tests.factories import (
    Design,
    list_events,
    list_results,
    log_scores,
    plan_task,
    renew_results,
    report_drift,
    save_plan,
    save_report,
    set_round,
    show_plan,
    verify_record,
)
from tests.savepoints import prepared

from roundbook.formats import RunTeam
from roundbook.presentation.decisions import stale_headline
from roundbook.presentation.saved_results import why_stale
from roundbook_cli.renewal import renewal

RUNS = 7
TAGS = tuple(f"run{run}" for run in range(RUNS))
FIRST = np.random.default_rng(1).random((10, RUNS))
LATER = FIRST + np.random.default_rng(2).normal(0, 0.1, FIRST.shape)


def team_file(label, systems=(), pooled=()):
    """Return what a team file of a round says; nothing of the pool where nobody is in it."""
    return {
        tag: RunTeam(
            tag,
            f"{label} team of {tag}",
            None,
            tag in pooled if pooled else None,
            tag if tag in systems else None,
        )
        for tag in TAGS
    }


@prepared
def saved(engine):
    log_scores(engine, "a", FIRST, teams=team_file("a"))
    log_scores(engine, "b", LATER, teams=team_file("b"))
    plan = plan_task(engine, "t", "AP", Design(m=(5,), min_d=(0.1,)))
    save_plan(engine, "next", plan, user="tester")
    save_report(engine, "t", "AP", user="tester")
    (report,) = list_results(engine, "t", kind="drift").results
    assert (show_plan(engine, "next").stale, report.stale) == ([], False)
    return engine


def test_systems_that_become_known_join_units_of_a_report(saved):
    assert report_drift(saved, "t", "AP").units.shared == 0
    assert log_scores(saved, "a", FIRST, teams=team_file("a", TAGS)).runs_described == RUNS
    log_scores(saved, "b", LATER, teams=team_file("b", TAGS))
    assert report_drift(saved, "t", "AP").units.shared == RUNS
    (report,) = list_results(saved, "t", kind="drift").results
    assert (report.stale, why_stale(report)) == (
        True,
        f"the systems of {2 * RUNS} runs became known since",
    )
    assert renewal(report) == "roundbook result renew t/drift-1"
    # The variances rest on teams alone.
    assert show_plan(saved, "next").stale == []


def test_collections_that_are_declared_tell_the_shared_topics(saved):
    set_round(saved, "t", "a", collection="news", user="tester")
    set_round(saved, "t", "b", collection="web", user="tester")
    shown = show_plan(saved, "next")
    assert [row.round for row in shown.stale] == ["a", "b"]
    assert "its document collection was declared" in shown.stale[0].why
    assert shown.renew is not None
    (report,) = list_results(saved, "t", kind="drift").results
    declared = "its document collection was declared or taken back, which tells the topics that rounds share"
    assert why_stale(report) == f"round 'a': {declared}; round 'b': {declared}"
    renewed = plan_task(saved, "t", "AP", Design(m=(5,), min_d=(0.1,)))
    assert (renewed.estimate.pooled.topics, shown.plan.estimate.pooled.topics) == (20, 10)


def test_a_collection_that_was_declared_by_a_slip_is_taken_back(saved):
    set_round(saved, "t", "a", collection="news", user="tester")
    renew_results(saved, task="t")
    taken_back = set_round(saved, "t", "a", collection="", force=True, user="tester")
    assert taken_back.collection is None
    assert {dependent.entry.name for dependent in taken_back.impact} == {"next", "t/drift-1"}
    assert stale_headline(taken_back) == "Stale now that round 'a' declares no collection:"
    (event, *_) = reversed(list_events(saved, what="round changed").events)
    assert event.details == {"collection": {"was": "news", "is": None}}
    (report,) = list_results(saved, "t", kind="drift").results
    assert "its document collection was declared or taken back" in why_stale(report)
    assert set_round(saved, "t", "a", collection="", user="tester").impact == []
    assert len(list_events(saved, what="round changed").events) == 2
    assert verify_record(saved).differences == []


def test_a_report_is_verified_by_the_systems_that_were_known(saved):
    for label, scores in ("a", FIRST), ("b", LATER):
        log_scores(saved, label, scores, teams=team_file(label, TAGS))
    verified = verify_record(saved)
    assert (verified.status, verified.not_computed) == ("verified", [])
    # Which systems were known of runs that do not standardise is not kept.
    for label, scores in ("c", FIRST), ("d", LATER):
        log_scores(saved, label, scores, teams=team_file(label, pooled=TAGS[1:]))
    save_report(saved, "t", "AP", from_round="c", to_round="d", user="tester")
    for label, scores in ("c", FIRST), ("d", LATER):
        log_scores(saved, label, scores, teams=team_file(label, TAGS[:1], TAGS[1:]))
    verified = verify_record(saved)
    assert (verified.status, [one.reason for one in verified.not_computed]) == (
        "verified",
        ["known"],
    )
