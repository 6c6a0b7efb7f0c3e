"""The rule of staleness, without a database."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from roundbook.logbook.staleness import Change, Code, Input, changes, makes_stale, scores_changes
from roundbook.presentation.saved_results import change_sentence, stale_reasons


def given(round_label="r1", **other):
    facts = {
        "origin": "variance_estimate",
        "id": 1,
        "round": round_label,
        "ordinal": 1,
        "assessments": "official",
        "matrix": 10,
        "revision": 1,
        "version": None,
        "value": 0.05,
        "known": {},
    }
    return Input(**facts | other)


def is_stale(differences):
    return makes_stale(differences, illegible=False)


def codes(saved, today, *, withdrawn=(), left_out=()):
    differences = changes(saved, today, withdrawn=dict(withdrawn), left_out=left_out)
    return [(change.code, change.round) for change in differences]


def test_the_same_inputs_are_no_change():
    assert codes([given()], [given()]) == []


@pytest.mark.parametrize(
    ("now", "code", "sentence"),
    [
        (given(id=2, matrix=11, revision=2), "corrected", "its score matrix was corrected (revi"),
        (given(id=2, version=2), "refitted", "its factors were fitted anew (version 2)"),
        (given(id=2), "estimated", "its teams became known"),
        (
            given(origin="published_variance", id=1, matrix=None),
            "logged",
            "its score matrix was logged since",
        ),
    ],
)
def test_another_input_makes_it_stale(now, code, sentence):
    differences = changes([given()], [now], withdrawn={})
    assert [change.code for change in differences] == [code]
    assert is_stale(differences)
    (reason,) = stale_reasons(differences)
    assert reason.startswith(f"round 'r1': {sentence}")
    assert (differences[0].was, differences[0].now) == (0.05, now.value)


def test_what_cannot_be_read_is_stale():
    assert (makes_stale([], illegible=True), makes_stale([], illegible=False)) == (True, False)


@pytest.mark.parametrize(
    ("latest", "codes"),
    [
        ((2, 3), []),
        ((2, 4), ["assessed anew"]),
        ((4, 3), ["further runs"]),
        ((3, 5), ["assessed anew", "further runs"]),
    ],
)
def test_computed_scores_are_stale_by_later_runs_and_assessments(latest, codes):
    upload, revision = latest
    assert scores_changes(2, 3, latest_upload=upload, latest_revision=revision) == codes


def test_a_published_value_that_was_corrected_says_so():
    was = given(origin="published_variance", matrix=None)
    differences = changes([was], [was._replace(id=5, revision=2)], withdrawn={})
    reason = "round 'r1': the published value was corrected (revision 2)"
    assert stale_reasons(differences) == [reason]
    assert stale_reasons([*differences, *differences]) == [reason]  # of two inputs from one round


def test_withdrawn_scores_make_it_stale_whatever_else_there_is():
    withdrawn = {("r1", "official"): "wrong topics"}
    assert codes([given()], [], withdrawn=withdrawn) == [("withdrawn", "r1")]
    # Bronze assessments of the same round are other scores.
    assert codes([given()], [], withdrawn={("r1", "bronze"): "x"}) == [("gone", "r1")]


def test_a_round_held_since_is_told_and_makes_nothing_stale():
    differences = changes([given()], [given(), given("r2", id=2)], withdrawn={})
    assert [change.code for change in differences] == ["added"]
    assert not is_stale(differences)
    assert [change.round for change in differences if change.of_new_round] == ["r2"]
    assert stale_reasons(differences) == []


def test_a_round_left_out_as_withdrawn_that_counts_again_does():
    differences = changes([given()], [given(), given("r2", id=2)], withdrawn={}, left_out=["r2"])
    assert [change.code for change in differences] == ["restored"]
    assert is_stale(differences)
    assert [change.round for change in differences if change.of_new_round] == ["r2"]


@pytest.mark.parametrize(
    ("was", "now", "stale"),
    [
        ({"collection": None}, "CORD", True),
        ({"collection": "CORD"}, "CORD", False),
        ({}, "C", False),
    ],
)
def test_a_collection_that_was_declared(was, now, stale):
    other = given("r2", id=2, known={"collection": "CORD"})
    differences = changes(
        [given(known=was), other], [given(known={"collection": now}), other], withdrawn={}
    )
    assert is_stale(differences) is stale


def test_a_round_alone_shares_topics_with_none_whatever_its_collection():
    was, now = (given(known={"collection": name}) for name in (None, "CORD"))
    assert codes([was], [now]) == []
    # A round held since was not compared with it.
    assert codes([was], [now, given("r2", id=2)]) == [("added", "r2")]


def factors(round_label, number, team, system):
    known = {"collection": None, "runs_without_team": team, "runs_without_system": system}
    return given(round_label, origin="factor_set", id=number, version=1, value=None, known=known)


def test_teams_and_systems_that_became_known_are_counted_over_both_rounds():
    saved = [factors("r1", 1, 5, 4), factors("r2", 2, 3, 4)]
    today = [factors("r1", 1, 2, 4), factors("r2", 2, 3, 3)]
    differences = changes(saved, today, withdrawn={})
    assert stale_reasons(differences) == [
        "the teams of 3 runs became known since",
        "the system of one run became known since",
    ]
    assert changes(saved, saved, withdrawn={}) == []
    # Fewer known than before cannot be; it is no reason.
    assert not is_stale(changes(today, saved, withdrawn={}))


def test_whatever_changed_has_a_sentence():
    """A rule by which another change makes stale finds its words there."""
    facts = {"round": "r1", "revision": 2, "version": 2, "runs": 1, "reason": "misprint"}
    sentences = {code: change_sentence(Change(code=code, **facts)) for code in get_args(Code)}
    assert len(set(sentences.values())) == len(sentences)
    assert sentences["added"] == "round 'r1': it did not count then, and does now"


def test_the_page_of_json_keys_names_every_code():
    page = Path(__file__).parents[3] / "docs/reference/json-keys.md"
    listed = re.search(r"\| `stale`, `changes` \|.*`code` \(([^)]+)\)", page.read_text("utf-8"))
    assert set(re.findall("`([a-z]+)`", listed[1])) == set(get_args(Code))


def test_a_result_by_an_earlier_rule_is_stale():
    saved = [factors("r1", 1, 0, 0)._replace(known={"rule": 1})]
    assert stale_reasons(changes(saved, [factors("r1", 1, 0, 0)], withdrawn={})) == [
        "its verdict is by an earlier rule, which took the runs for fixed"
    ]
