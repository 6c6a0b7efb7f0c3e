"""Drift between two loaded rounds: what is compared, and what cannot be known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.unit.logbook.drift_rounds import drift_between, loaded

from roundbook.errors import RequestError
from roundbook.logbook.drift.assessment import choose_margin
from roundbook.logbook.drift.report import DriftReport
from roundbook.presentation.drift import sentences
from roundbook.presentation.drift_verdict import headline
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.statistics.drift.assessment import SystemsLikeThese, TheseRuns
from roundbook_cli.drift_commands import next_commands, report_text

SCORES = np.random.default_rng(8).random((12, 9))


def numbered(prefix, count):
    """Return the names of that many topics."""
    return [f"{prefix}{number}" for number in range(count)]


def test_held_in_words_and_with_the_command_that_keeps_the_factors():
    generator = np.random.default_rng(3)
    later = SCORES + generator.normal(0, 0.001, SCORES.shape)
    report = drift_between(loaded("a", SCORES), loaded("b", later))
    assert (report.verdict, report.why, report.provisional) == ("held", None, False)
    assert (report.units.from_, report.units.to, report.units.shared) == (9, 9, 9)
    assert headline(report).startswith("HELD")
    assert "90% interval" in sentences(report)["reason"]
    assert [step["command"] for step in next_commands(report, None)] == [
        "roundbook standardise task b --measure AP --factors-from a",
    ]
    assert report.consequence.bias == pytest.approx(0, abs=0.01)


def test_names_are_quoted_in_the_commands():
    report = drift_between(
        loaded("first one", SCORES), loaded("b", SCORES + 1, teams=[None] * 9), task="it's"
    )
    assert next_commands(report, "official")[1]["command"] == (
        "roundbook standardise 'it'\"'\"'s' 'first one' --measure AP --assessments official"
        " --factors-from b"
    )
    text = report_text(report)
    assert "roundbook round teams 'it'\"'\"'s' ROUND TEAMS.csv" in text["notes"][-1]
    assert text["assumed"].endswith(
        "Declare it with: roundbook round set 'it'\"'\"'s' ROUND --collection NAME"
    )


@pytest.mark.parametrize(
    ("asked", "margin", "margin_from", "min_d"),
    [
        ({}, 0.2, "default", 0.1),
        ({"min_d": 0.1}, 0.1 / 0.3, "min-d", 0.1),
        ({"min_d": 0.06}, 0.2, "min-d", 0.06),
        ({"min_d": 0.06, "margin": 0.5}, 0.5, "given", 0.06),
        ({"margin": 0.2}, 0.2, "given", 0.1),
    ],
)
def test_the_margin_comes_from_a_difference_that_matters_unless_it_is_given(
    asked, margin, margin_from, min_d
):
    report = drift_between(loaded("a", SCORES), loaded("b", SCORES), **asked)
    assert (report.margin, report.margin_from) == (pytest.approx(margin), margin_from)
    curve = CurveRequest(task="task", measure="AP", **asked)
    assert choose_margin(curve) == (report.margin, margin_from)
    assert report.min_d == report.consequence.min_d == min_d
    assert any("minD" in note for note in sentences(report)["notes"]) == (margin_from == "min-d")


# Collections


def test_rounds_on_other_collections_share_no_topic():
    first = loaded("2004", SCORES, collection="Disks 4&5")
    same = drift_between(first, loaded("2006", SCORES, collection="disks 4&5"))
    assert (same.verdict, same.shared_topics, report_text(same)["assumed"]) == ("held", 12, None)
    unknown = drift_between(first, loaded("2005", SCORES))
    assert unknown.shared_topics == 12
    assert report_text(unknown)["assumed"] == (
        "Assumed: round '2005' was held on the document collection 'Disks 4&5' too, since none is"
        " declared. Rounds whose collections only grew may be declared under one common name."
        " Declare it with: roundbook round set task 2005 --collection NAME"
    )
    neither = drift_between(loaded("2004", SCORES), loaded("2005", SCORES))
    assert (
        "'2004' and '2005' were held on the same document collection"
        in (report_text(neither)["assumed"])
    )
    apart = drift_between(first, loaded("2005", SCORES, collection="AQUAINT"))
    assert (apart.verdict, apart.shared_topics, apart.topics) == ("unbridged", 0, [])
    assert (apart.from_collection, apart.to_collection) == ("Disks 4&5", "AQUAINT")
    text = report_text(apart)
    assert "'Disks 4&5'" in text["reason"]
    assert "'AQUAINT'" in text["reason"]
    assert (apart.tests, apart.consequence, text["assumed"]) == (None, None, None)
    assert apart.no_shared_topics is not None


# Recurring systems


def test_recurring_systems_link_rounds_with_other_topics():
    generator = np.random.default_rng(4)
    before, after = generator.random((8, 6)), generator.random((10, 7))
    report = drift_between(
        loaded(
            "a",
            before,
            numbered("a", 8),
            systems={"r0": "bm25", "r1": "dense", "r2": "dense"},
        ),
        loaded(
            "b",
            after,
            numbered("b", 10),
            systems={"r4": "bm25", "r5": "dense", "r6": "fresh"},
        ),
    )
    recurring = report.recurring_systems
    assert (report.verdict, report.shared_topics) == ("unbridged", 0)
    std_1, std_2 = (
        (scores - scores.mean(1)[:, None]) / scores.std(1, ddof=1)[:, None]
        for scores in (before, after)
    )
    expected = {
        "bm25": (std_1[:, 0].mean(), std_2[:, 4].mean(), ["r0"], ["r4"]),
        "dense": (std_1[:, 1:3].mean(), std_2[:, 5].mean(), ["r1", "r2"], ["r5"]),
    }
    assert [row.system for row in recurring.systems] == list(expected)
    for row in recurring.systems:
        first, later, runs_from, runs_to = expected[row.system]
        assert (row.mean_from, row.mean_to) == pytest.approx((first, later))
        assert row.difference == pytest.approx(later - first)
        assert (row.runs_from, row.runs_to) == (runs_from, runs_to)
    moved = np.array([later - first for first, later, *_ in expected.values()])
    assert recurring.mean_difference == pytest.approx(moved.mean())
    interval = stats.t.interval(0.95, 1, moved.mean(), stats.sem(moved))
    assert recurring.mean_difference_95 == pytest.approx(interval)
    assert (recurring.verdict, recurring.count) == ("undecided", 2)
    assert sentences(report)["revived"]["reason"].startswith("2 systems ran in both rounds")


def test_recurring_systems_that_fell_alike_have_aged_and_one_alone_tells_nothing():
    base = np.random.default_rng(5).normal(0, 1, (30, 12))
    systems = {f"r{i}": f"system{i}" for i in range(6)}
    first = loaded("a", base, systems=systems)
    better = base.copy()
    better[:, 6:] += 3  # all others are other, better systems
    later = loaded("b", better, numbered("new", 30), systems=systems)
    aged = drift_between(first, later).recurring_systems
    assert (aged.verdict, len(aged.systems)) == ("aged", 6)
    assert aged.mean_difference < -0.5
    one = loaded("c", base, numbered("c", 30), systems={"r3": "system3"})
    report = drift_between(first, one)
    alone = report.recurring_systems
    assert (alone.verdict, alone.mean_difference_95) == ("undecided", None)
    assert alone.mean_difference == pytest.approx(0)
    assert "no interval exists for one" in sentences(report)["revived"]["reason"]


def test_recurring_systems_on_tied_topics_only_tell_nothing():
    report = drift_between(
        loaded("a", np.ones((3, 4)), systems={"r0": "x"}),
        loaded("b", SCORES[:3, :4], numbered("x", 3), systems={"r0": "x"}),
    )
    recurring = report.recurring_systems
    assert (recurring.verdict, recurring.mean_difference) == ("unbridged", None)
    assert (recurring.systems, recurring.count, recurring.tied_round) == ([], 1, "a")
    assert sentences(report)["revived"]["reason"] == (
        "One system ran in both rounds, but no topic of round 'a' has an sd above 0, so nothing can"
        " be said of them."
    )


# Recurring systems among the standardising runs


def recurring(first, later):
    """Return the drift by recurring systems, and how it reads."""
    report = drift_between(first, later)
    return report.recurring_systems, report_text(report)["revived"]["reason"]


def test_systems_that_are_all_standardising_runs_tell_nothing():
    """Their mean standardised score is 0 in both rounds, whatever happened."""
    generator = np.random.default_rng(8)
    systems = {f"r{i}": f"system{i}" for i in range(5)}
    first = loaded("1", generator.random((50, 5)), systems=systems)
    worse = generator.random((50, 5)) * 0.05
    verdict, reason = recurring(first, loaded("2", worse, numbered("u", 50), systems=systems))
    assert (verdict.verdict, verdict.why) == ("undecided", "all standardising runs recur")
    assert verdict.mean_difference == pytest.approx(0, abs=1e-12)
    assert (verdict.against_others, verdict.against_others_90) == (None, None)
    assert dict(verdict.standardising) == dict(verdict.of_recurring) == {"from_": 5, "to": 5}
    assert reason.endswith(
        "Whether they stand where they stood cannot be told: of the runs that standardise, 5 of 5"
        " in '1' and 5 of 5 in '2' are theirs, which makes that score 0 in both rounds whatever"
        " happened. It takes as many other runs beside them in either round, or factors that were"
        " fitted on other runs alone (factors fit --runs)."
    )
    # Near it, with a run that does not come again.
    for scores in (worse, generator.random((50, 6)) * 0.05):
        more = loaded("1", generator.random((50, 6)), systems=systems)
        later = loaded("2", scores, numbered("u", 50), systems=systems)
        verdict, reason = recurring(more, later)
        assert (verdict.verdict, verdict.why) == ("undecided", "most standardising runs recur")
        assert f"5 of 6 in '1' and 5 of {scores.shape[1]} in '2' are theirs" in reason


def test_recurring_systems_are_measured_against_runs_that_do_not_come_again():
    generator = np.random.default_rng(9)
    ability = np.concatenate([np.zeros(20), np.tile([-0.1, 0.1], 30)])
    systems = {f"r{i}": f"system{i}" for i in range(20)}
    first, later = (
        loaded(label, ability + generator.normal(0, 0.1, (200, 80)), topics, systems=systems)
        for label, topics in (("a", numbered("t", 200)), ("b", numbered("u", 200)))
    )
    verdict, reason = recurring(first, later)
    assert (verdict.verdict, verdict.why) == ("held", None)
    std = [(entry.scores - entry.mean[:, None]) / entry.sd[:, None] for entry in (first, later)]
    others = [scores[:, 20:].mean() for scores in std]
    assert verdict.against_others == pytest.approx(verdict.mean_difference - others[1] + others[0])
    moved = std[1][:, :20].mean(0) - std[0][:, :20].mean(0)
    error = np.sqrt(moved.var(ddof=1) * (1 / 20 + 1 / 60))
    assert verdict.against_others_95 == pytest.approx(
        stats.t.interval(0.95, 19, verdict.against_others, error)
    )
    assert (
        f"; against the other runs that standardise they moved by {verdict.against_others:+.3f} (95%"
        in reason
    )
    # Their lead over the others grows by .2 sds, of which they themselves take off a quarter.
    gap = later.scores + 0.2 * later.sd.mean() * (np.arange(80) < 20)
    verdict, reason = recurring(first, loaded("b", gap, numbered("u", 200), systems=systems))
    assert (verdict.verdict, verdict.why) == ("undecided", "against other runs")
    assert verdict.mean_difference_90[1] < 0.2 < verdict.against_others_90[1]
    assert verdict.mean_difference == pytest.approx(0.75 * verdict.against_others, rel=1e-6)
    assert reason.endswith(": whether they stand where they stood cannot be told.")


# No shared topics


def test_rounds_without_shared_topics_are_laid_side_by_side_and_labelled():
    first, later = SCORES, SCORES[:7, :5] ** 2
    report = drift_between(loaded("a", first), loaded("b", later, numbered("u", 7)))
    assert (report.verdict, report.tests, report.consequence) == ("unbridged", None, None)
    text = sentences(report)
    assert text["consequence_reason"]
    assert text["unbridged"]["note"].startswith("No evidence that factors moved")
    for compared, old, new in (
        (report.no_shared_topics.means, first.mean(1), later.mean(1)),
        (report.no_shared_topics.sds, first.std(1, ddof=1), later.std(1, ddof=1)),
    ):
        for side, values in ((compared.earlier, old), (compared.later, new)):
            assert side.topics == values.size
            assert (side.mean, side.sd) == pytest.approx((values.mean(), values.std(ddof=1)))
            quantiles = (
                *(side.least, side.lower_quartile, side.median),
                *(side.upper_quartile, side.largest),
            )
            assert quantiles == pytest.approx(np.quantile(values, [0, 0.25, 0.5, 0.75, 1]))
        welch = stats.ttest_ind(new, old, equal_var=False)
        assert compared.welch.p_value == pytest.approx(welch.pvalue)
        spread = stats.levene(old, new, center="median")
        assert compared.brown_forsythe.p_value == pytest.approx(spread.pvalue)


# What cannot be known


@pytest.mark.parametrize("request_type", [DriftRequest, CurveRequest])
@pytest.mark.parametrize("margin", [0, -0.2, float("nan"), float("inf")])
def test_an_impossible_margin(request_type, margin):
    with pytest.raises(RequestError, match=r"`margin` should be (greater than 0|a finite number)"):
        request_type(task="task", measure="AP", margin=margin)
    with pytest.raises(
        RequestError, match=r"`sd_ratio_margin` should be (greater than 1|a finite number)"
    ):
        request_type(task="task", measure="AP", sd_ratio_margin=margin)


@pytest.mark.parametrize("asked", [{"m": 1}, {"m": 1_000_001}, {"min_d": 0}, {"min_d": np.nan}])
def test_an_impossible_design(asked):
    with pytest.raises(RequestError):
        DriftRequest(task="task", measure="AP", **asked)


def test_constant_matrices():
    flat, again = loaded("flat", np.full((4, 5), 0.5)), loaded("flat again", np.full((4, 5), 0.7))
    spread = loaded("spread", SCORES[:4, :5])
    tied = drift_between(flat, again)
    assert (tied.verdict, tied.shared_topics, tied.mean_shift) == ("unbridged", 4, None)
    text = sentences(tied)
    assert "all standardising runs of 'flat' tie" in text["reason"]
    assert (tied.why, tied.provisional) == ("no shared topic with spread", False)
    assert text["notes"] == []
    assert (tied.topics_used, tied.tied.from_, tied.tied.to) == (0, 4, 4)
    assert tied.no_shared_topics.means.welch.reason
    assert tied.tests.paired_t.reason
    assert {row.shift for row in tied.topics} == {None}
    codes = ["no spread in either sample", "deviations do not vary"]
    assert [row.untested for row in tied.topics] == [codes] * 4
    assert text["topics"][0]["untested"] == (
        "Neither sample has any spread. The deviations from the median do not vary within either"
        " sample."
    )
    assert tied.no_shared_topics.means.welch.reason == "no spread in either sample"
    assert text["unbridged"]["means"]["welch"]["reason"] == "Neither sample has any spread."
    assert tied.consequence is None
    into = drift_between(spread, flat)
    assert (into.sd_ratio, into.sd_ratio_geometric, into.tied.to) == (0, None, 4)
    assert (into.verdict, into.why) == ("undecided", "fewer than 5 topics")
    assert into.undefined_sd_ratios == 4
    assert (into.consequence.later.variance, into.consequence.later.topics_needed) == (0, None)
    assert into.consequence.kendall_tau is None
    consequence = sentences(into)["consequence"]
    assert "variance is 0" in consequence["later"]["reason"]
    assert consequence["kendall_tau_reason"] == "All runs tie."


def test_no_topic_has_a_spread_in_both_rounds_and_tied_topics_are_dropped():
    report = drift_between(
        loaded("spread", SCORES[:4, :5], zero_sd="drop"),
        loaded("flat", np.full((4, 5), 0.5), zero_sd="drop"),
    )
    assert report.consequence is None
    assert "none of the topics has one" in sentences(report)["consequence_reason"]


def test_one_shared_topic_has_no_interval():
    report = drift_between(
        loaded("a", SCORES[:2], ["x", "y"]), loaded("b", SCORES[2:4], ["y", "z"])
    )
    assert (report.verdict, report.why) == ("undecided", "fewer than 5 topics")
    assert (report.shared_topics, report.these_runs) == (1, TheseRuns())
    assert (report.systems_like_these, report.needed.shift) == (SystemsLikeThese(), None)
    text = sentences(report)
    assert "an interval needs at least 5 of them, and there is 1" in text["reason"]
    assert report.consequence.later.variance is None
    assert "at least two topics" in text["consequence"]["later"]["reason"]
    assert report.tests.paired_t.reason == "fewer than 2 topics"
    assert text["tests"]["paired_t"]["reason"] == "A paired t test needs at least two topics."
    # A report of an earlier version has the sentence itself.
    stored = report.model_dump(mode="json", by_alias=True)
    stored["tests"]["paired_t"]["reason"] = "It needs two."
    stored["topics"][0]["untested"] = "No spread."
    text = report_text(DriftReport.model_validate(stored))
    assert text["tests"]["paired_t"]["reason"] == "It needs two."
    assert text["topics"][0]["untested"] == "No spread."


def test_figures_beyond_every_float_are_not_known():
    first, later = loaded("a", SCORES * 1e-150), loaded("b", SCORES * 1e99, teams=[None] * 9)
    report = drift_between(first, later)
    like = report.systems_like_these
    assert (like.shift_95, like.shift_90, report.these_runs.shift_95) == (None, None, None)
    assert (report.variance_parts.shift, report.needed.shift) == (None, None)
    assert "too far apart in size for any interval" in sentences(report)["reason"]


def test_too_many_topics_are_a_reason_and_no_error():
    report = drift_between(loaded("a", SCORES), loaded("b", SCORES + 0.01), min_d=1e-6)
    assert report.consequence.earlier.topics_needed is None
    assert "10,000,000 topics" in sentences(report)["consequence"]["earlier"]["reason"]
