"""What studies say of other topics, teams and documents, and what they do not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from roundbook.presentation.studies import (
    change,
    discriminative_power,
    incremental,
    leave_one_out_rounds,
    per_topic_variance,
    pilots,
    swap_rate,
)


def swaps(needed, topics=50):
    bins = [SimpleNamespace(low=low / 100) for low in range(21)]
    scale = SimpleNamespace(
        scale="raw", overall=0.1, needed_difference=needed, sensitivity=needed and 0.4, bins=bins
    )
    study = SimpleNamespace(scales=[scale], level=0.05, topics=topics, topics_each=topics // 2)
    return swap_rate.sentences(study)


def test_a_needed_difference_is_of_this_round():
    assert swaps(0.1) == [
        "On raw, 10.0% of all differences are turned round by other topics; in this round, a"
        " difference of 0.10 or more is turned round in at most 5.0% of cases, and 40.0% are as"
        " large.",
        "This is about topic sets of 25 topics.",
    ]


def test_the_open_bin_does_not_say_how_large_a_difference_must_be():
    first, _ = swaps(0.2)
    assert first.endswith(
        "; those of 0.20 or more, 40.0%, are turned round in at most 5.0% of cases taken together;"
        " how large one must be is open."
    )


@pytest.mark.parametrize(
    ("needed", "topics", "warned"), [(0.1, 29, True), (0.1, 30, False), (None, 10, False)]
)
def test_few_topics_choose_the_needed_difference_by_chance(needed, topics, warned):
    assert [line[:21] for line in swaps(needed, topics)[2:]] == ["Few topics (under 30)"] * warned


def pilot_study(mode, mean):
    spread = SimpleNamespace(mean=mean, mean_low=None, mean_high=None, sd=None, low=30, high=60)
    size = SimpleNamespace(size=3, variance=spread, planned=spread, misses=True, trials=9)
    known = {"without_value": 0, "single_runs": 0, "fewest_topics": 9, "most_topics": 9}
    size = SimpleNamespace(**vars(size) | known | {"fewest_runs": 3, "most_runs": 4})
    scale = SimpleNamespace(scale="raw", variance=0.05, planned=70, sizes=[size])
    about = {
        "study": "leave-teams-out",
        "mode": mode,
        "teams": 7,
        "m": 10,
        "min_d": 0.15,
        "trials": 100,
    }
    return SimpleNamespace(scales=[scale], **about)


def test_pilots_are_draws_from_this_round():
    assert pilots.sentences(pilot_study("keep", 0.04)) == [
        "On raw, all 7 teams give a variance of 0.0500, by which 70 topics are planned for 10 runs"
        " and minD 0.15; by 95% of the pilots of 3 teams drawn from this round, 30 to 60.",
        "Drawn from one round, these pilots share its topics and teams: separate pilots would"
        " scatter more.",
    ]


@pytest.mark.parametrize(
    ("mode", "mean", "shown"),
    [("keep", 0.04, []), ("reduce", 0.04, ["-20.0%"]), ("reduce", None, ["-"])],
)
def test_only_smaller_assessments_have_a_bias_and_it_is_a_size(mode, mean, shown):
    (table,) = pilots.tables(pilot_study(mode, mean))
    headings = [column.heading for column in table.columns]
    assert headings.count("95% of draws") == 2
    (row,) = table.rows
    assert [one.shown(row) for one in table.columns if one.heading == "Bias"] == shown
    assert row.misses
    said = [line for line in pilots.remarks(pilot_study(mode, mean)) if line.startswith("Bias is")]
    assert [line.endswith("one of up to 3 sd / sqrt(100) may be chance.") for line in said] == (
        [True] * len(shown)
    )


@pytest.mark.parametrize("unstable", [True, False, None])
def test_a_stable_effect_ratio_was_chosen_by_its_gain(unstable):
    system = SimpleNamespace(unstable=unstable)
    scale = SimpleNamespace(systems=[system], fell=1.0)
    about = {"files": ["a"], "to_files": ["b"], "pivot": "bm25", "other_teams": []}
    about |= {"unmatched_from": 0, "unmatched_to": 0, "topics": 50, "to_topics": 50}
    lines = change.sentences(SimpleNamespace(scales=[scale], **about))
    assert "DRI 0 and ER 1: the gain over bm25 is as before;" in lines[1]
    stable = [line for line in lines if line.startswith("Only a gain that came out large has a")]
    assert len(stable) == (unstable is False)


@pytest.mark.parametrize(("last", "falls"), [(31, True), (56, False), (60, False)])
def test_fewer_teams_lower_tau_by_themselves(last, falls):
    rounds = [SimpleNamespace(teams=teams, round=str(teams)) for teams in (56, 51, last)]
    lines = leave_one_out_rounds.sentences(SimpleNamespace(rounds=rounds, scales=[]))
    said = f"Teams get fewer, from 56 to {last}, and tau falls by itself with fewer teams: a trend"
    assert any(line.startswith(said) for line in lines) is falls


def test_redrawn_lists_vary_each_for_itself():
    figures = "krcc krcc_low krcc_high error_rate significant significant_rate always never"
    scale = SimpleNamespace(pairs=6, **dict.fromkeys(figures.split(), 0.5))
    about = {"trials": 9, "alpha": 0.05, "denominator": "fixed", "lists_without_relevant": 0}
    study = SimpleNamespace(scales=[scale], logged=None, list_depth=None, **about)
    first = per_topic_variance.sentences(study)[0]
    assert first.startswith("If each run's list varied for itself, these runs would rank with a")
    assert first.endswith(
        "On another collection the lists vary together, by documents that all runs see, which these"
        " figures do not know of."
    )


def test_too_early_is_by_these_topics():
    study = SimpleNamespace(scales=[])
    assert incremental.sentences(study) == [
        "Too early is judged by these same topics: by the true sd more may be, above all where many"
        " differences are 0 or a few are large."
    ]


def test_the_error_rate_of_tukey_hsd_is_of_exchangeable_runs():
    scale = SimpleNamespace(bootstrap_needed_median=None)
    (said,) = discriminative_power.remarks(SimpleNamespace(scales=[scale], alpha=0.01))
    assert said == (
        "The error rate of Tukey HSD is 0.01 for all pairs together if runs are exchangeable, and"
        " larger where some scatter more than others or many are near-copies: see t, Holm."
    )
