"""What studies say of other topics, teams and documents, and what they do not."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest

from roundbook.logbook.studies.across_rounds import BesideRaw
from roundbook.presentation.studies import (
    across_rounds,
    change,
    common,
    discriminative_power,
    incremental,
    leave_one_out_rounds,
    per_topic_variance,
    pilots,
    swap_rate,
)
from roundbook_cli.table_layout import lay_out


def swaps(needed, topics=50, level=0.05, *, with_replacement=False):
    bins = [SimpleNamespace(low=low / 100, count=9 * (low != 20)) for low in range(21)]
    scale = SimpleNamespace(
        scale="raw",
        overall=0.1,
        needed_difference=needed,
        sensitivity=needed and 0.4,
        bins=bins,
        topics_each=topics // 2,
    )
    about = {"level": level, "topics": topics, "with_replacement": with_replacement}
    study = SimpleNamespace(scales=[scale], **about)
    return swap_rate.sentences(study)


def test_a_needed_difference_is_of_this_round():
    assert swaps(0.1) == [
        "On raw, 10.0% of all differences are turned round by other topics; in this round, a"
        " difference of 0.10 or more is turned round in at most 5.0% of cases, and 40.0% are as"
        " large.",
        "This is about topic sets of 25 topics.",
    ]


@pytest.mark.parametrize(
    ("level", "printed"), [(0.05, "5.0%"), (0.0025, "0.25%"), (0.0125, "1.25%"), (0.1, "10.0%")]
)
def test_a_level_keeps_its_decimals(level, printed):
    for needed, how in ((0.1, "at most"), (0.2, "at most"), (None, "more than")):
        assert f" in {how} {printed} of cases" in swaps(needed, level=level)[0]
    assert swaps(0.1, 10, level)[-1].endswith(f" in more than {printed} of cases.")


def test_the_open_bin_does_not_say_how_large_a_difference_must_be():
    first, _ = swaps(0.2)
    assert first.endswith(
        "; those of 0.20 or more, 40.0%, are turned round in at most 5.0% of cases taken together;"
        " how large one must be is open."
    )


def test_without_a_needed_difference_larger_ones_may_hold():
    first, _ = swaps(None)
    assert first.endswith(
        "; those of 0.19 or more are turned round in more than 5.0% of cases taken together; how"
        " large one must be is open."
    )


def test_samples_with_replacement_are_no_other_topics():
    first, overlap, _ = swaps(0.1, with_replacement=True)
    assert " turned round by another sample of these topics;" in first
    assert overlap == "The samples overlap: wholly other topics turn more differences round."


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
        "known_depth": None,
        "logged": None,
    }
    return SimpleNamespace(scales=[scale], **about)


def test_pilots_are_draws_from_this_round():
    assert pilots.sentences(pilot_study("keep", 0.04)) == [
        "On raw, all 7 teams give a variance of 0.0500, by which one-way ANOVA plans 70 topics for"
        " 10 runs and minD 0.15. The middle 95% of pilots with 3 of 7 teams plan 30 to 60.",
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
    assert [one.cell(row) for one in table.columns if one.heading == "Bias"] == shown
    assert row.misses
    lines = [line for line in pilots.remarks(pilot_study(mode, mean)) if line.startswith("Bias is")]
    assert [line.endswith("one of up to 3 sd / sqrt(100) may be chance.") for line in lines] == (
        [True] * len(shown)
    )


def test_the_headline_has_a_pilot_of_half_beside_the_smallest():
    study = pilot_study("keep", 0.04)
    (scale,) = study.scales
    (size,) = scale.sizes

    def of(teams, low, high):
        planned = SimpleNamespace(**vars(size.planned) | {"low": low, "high": high})
        return SimpleNamespace(**vars(size) | {"size": teams, "planned": planned})

    study.teams, scale.sizes = 31, [of(20, 95, 105), of(10, 91, 110), of(1, 6, 132)]
    assert pilots.sentences(study)[0].endswith(
        " 95% of pilots with 10 of 31 teams plan 91 to 110; with 1: 6 to 132."
    )
    scale.sizes = [of(10, 91, 110), of(1, None, None)]
    assert pilots.sentences(study)[0].endswith(" with 10 of 31 teams plan 91 to 110.")


def test_a_pilot_of_one_run_has_that_runs_variance():
    study = pilot_study("keep", 0.04)
    study.runs, study.scales[0].sizes[0].single_runs = 12, 4
    assert pilots.remarks(study) == [
        "On raw, 4 of 9 pilots of 3 teams have one run only: the variance is that run's alone."
    ]


def changed(*intervals, unstable=False):
    systems = [SimpleNamespace(unstable=unstable, dri_interval=limits) for limits in intervals]
    scale = SimpleNamespace(systems=systems, fell=0.5)
    about = {"files": ["a"], "to_files": ["b"], "pivot": "bm25", "other_teams": []}
    about |= {"unmatched_from": 0, "unmatched_to": 0, "topics": 50, "to_topics": 50}
    return change.sentences(SimpleNamespace(scales=[scale], **about))


def test_a_change_says_how_many_moved_against_the_pivot_and_how_to_read_it():
    # A limit that is written as 0 is 0.
    assert changed((0.01, 0.2), (0.0004, 0.2), (-0.2, -0.01), (-0.1, 0.1), None, (0.0, 0.0)) == [
        "Of 6 systems of both, 3 have a lower mean in the second; by the DRI interval, 1 fell back"
        " against the pivot bm25 and 1 gained.",
        "DRI above 0: fell back against the pivot; below 0: gained. ER is uncertain where a system was"
        " close to the pivot, and large gains shrink on other topics by themselves: go by DRI and its"
        " interval. Choose as pivot a system that nobody changed.",
        "RD above 0 is worse in the second, whose topics may be harder.",
    ]
    assert changed(None, None)[0] == (
        "Of 2 systems of both, 1 has a lower mean in the second; none has a DRI interval beside the"
        " pivot bm25."
    )
    assert changed((0.01, 0.2), (0.01, 0.2), unstable=True)[3:] == [
        "The ER of 2 systems is unstable: the distance to the pivot in the first is below 2 of its"
        " standard errors and may be none."
    ]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("dense", ["RD", "DRI", "DRI interval", "ER"]),
        ("n" * 20, ["RD", "DRI", "DRI interval"]),
        ("n" * 34, ["DRI", "DRI interval"]),
    ],
)
def test_a_narrow_terminal_keeps_dri_and_its_interval(name, kept):
    values = dict.fromkeys(("rd", "ri_from", "ri_to", "dri", "er"), -0.1234)
    values |= dict.fromkeys(("rd_interval", "dri_interval", "er_interval"), (-0.123, 0.456))
    row = change._row(
        SimpleNamespace(
            system=name, mean_from=0.3, mean_to=0.2, unstable=False, reasons={}, **values
        )
    )
    heading, _, line, *_ = lay_out([row], change._SYSTEMS, 80)
    assert [one for one in re.split(r"\s{3,}", heading) if one][: 3 + len(kept)] == [
        *("System", "From", "To"),
        *kept,
    ]
    assert "[-0.123, 0.456]" in line


@pytest.mark.parametrize(("last", "falls"), [(31, True), (56, False), (60, False)])
def test_fewer_teams_lower_tau_by_themselves(last, falls):
    rounds = [SimpleNamespace(teams=teams, round=str(teams)) for teams in (56, 51, last)]
    lines = leave_one_out_rounds.sentences(SimpleNamespace(rounds=rounds, scales=[]))
    beginning = (
        f"Teams get fewer, from 56 to {last}, and tau falls by itself with fewer teams: a trend"
    )
    assert any(line.startswith(beginning) for line in lines) is falls


def test_redrawn_lists_vary_each_for_itself():
    figures = "krcc krcc_low krcc_high error_rate significant significant_rate always never"
    scale = SimpleNamespace(pairs=6, **dict.fromkeys(figures.split(), 0.5))
    about = {"trials": 9, "alpha": 0.05, "denominator": "fixed", "lists_without_relevant": 0}
    about |= {"measure": "AP", "depth": 1000}
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


@pytest.mark.parametrize(
    ("stopped", "too_early", "sentence"),
    [
        (0.354, 0.198, " Of the orders that stop, 56% stop too early by the sd over all topics."),
        (0.0, 0.0, ""),
    ],
)
def test_too_early_is_of_the_orders_that_stop(stopped, too_early, sentence):
    rule = SimpleNamespace(
        confidence=None, stopped=stopped, median=None, at_start=0.024, too_early=too_early
    )
    assert incremental._stopping(rule, SimpleNamespace(trials=10_000, start=10)) == (
        f"Judging until the power suffices by the sd so far: {stopped:.1%} of 10,000 random orders"
        f" of topics stop; 2.4% stop with the first 10.{sentence}"
    )


@pytest.mark.parametrize(
    ("power", "ending"),
    [(0.7996, "0.7996: not enough."), (0.8, "0.800: enough."), (0.81, "0.810: ")],
)
def test_a_power_that_is_not_enough_is_written_below_the_one_asked(power, ending):
    hard = SimpleNamespace(spread="q95", topics=31, sd=0.2)
    step = SimpleNamespace(power=power)
    scale = SimpleNamespace(scale="raw", topics=30, spreads=[hard], steps=[step], rules=[])
    study = SimpleNamespace(scales=[scale], pair=["a", "b"], beta=0.2, difference=0.1)
    assert ending in incremental.sentences(study)[0]


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.049996, "0.049996"), (0.04991, "0.0499"), (0.05, "0.0500"), (2e-5, "<0.0001")],
)
def test_a_p_value_below_alpha_is_not_written_as_alpha(p, text):
    compared = [SimpleNamespace(holm_p=p)]
    scale = SimpleNamespace(scale="raw", compared=compared, ranking=[])
    study = SimpleNamespace(
        scales=[scale], alpha=0.05, plus_one=False, trials=10_000, resamples=1_000
    )
    (table,) = [table for table in discriminative_power.tables(study) if table.main]
    column = next(column for column in table.columns if column.field == "holm_p")
    assert column.cell(compared[0]) == text


def test_a_confidence_near_1_is_not_rounded_to_it():
    rule = SimpleNamespace(confidence=0.999, stopped=0.0, median=None, at_start=0.0, too_early=0.0)
    text = incremental._stopping(rule, SimpleNamespace(trials=10_000, start=10))
    assert "by the upper 99.9% limit of that sd: " in text


@pytest.mark.parametrize(
    ("measure", "depth", "sentences"),
    [
        ("AP", 20, ["Lists end at rank 20: this is AP at 20, not AP of the whole list."]),
        ("AP", 1000, []),
        ("AP", None, []),
        ("nDCG@10", 20, []),
    ],
)
def test_scores_of_lists_that_end_early_are_said_to_be(measure, depth, sentences):
    study = SimpleNamespace(measure=measure, logged=None)
    assert common.computed_scores(study, depth) == sentences
    logged = SimpleNamespace(different=3, cells=9, matrix=1, revision=1, largest=0.75)
    *early, differ = common.computed_scores(SimpleNamespace(measure=measure, logged=logged), depth)
    assert early == sentences
    assert differ.startswith("These scores are computed from the runs")
    assert ("whose lists end at rank" in differ) == (measure == "nDCG@10" or depth == 1000)
    assert "3 of 9 logged scores (matrix 1, revision 1) differ from them by more than" in differ


def test_the_error_rate_of_tukey_hsd_is_of_runs_that_scatter_alike():
    scale = SimpleNamespace(bootstrap_needed_median=None)
    (sentence,) = discriminative_power.remarks(SimpleNamespace(scales=[scale], alpha=0.01))
    assert sentence == (
        "The 1% of Tukey HSD for all pairs together holds if all runs scatter alike; where some"
        " scatter far more, or many are near-copies, go by t, Holm, unless the scores are very skewed."
    )


def test_whether_a_scale_helps_is_one_paragraph_below_the_table():
    beside = [
        BesideRaw(figure="share", better=0, worse=2, alike=1, least=-0.071, most=-1e-4, p=0.5),
        BesideRaw(figure="overall", better=3, worse=0, alike=0, least=-0.01, most=-0.02, p=0.25),
    ]
    scales = [
        SimpleNamespace(scale="raw", beside_raw=[]),
        SimpleNamespace(scale="std-ab", beside_raw=beside),
    ]
    rounds = [SimpleNamespace(round=label) for label in ("2023", "2024", "2025")]
    study = SimpleNamespace(scales=scales, rounds=rounds, left_out=[])
    assert across_rounds.sentences(study) == []
    assert across_rounds.remarks(study) == [
        "Does std-ab help? More pairs of runs apart than on raw in 0 of 3 rounds, fewer in 2, open in"
        " 1 (-7.1 to +0.0 points): too few rounds to rule out chance (sign test p = 0.5). Fewer"
        " differences turned round than on raw in 3 of 3 rounds, more in 0 (-1.0 to -2.0 points): too"
        " few rounds to rule out chance (sign test p = 0.25).",
        "The 2 sign tests are not adjusted for their number.",
    ]
    study.rounds = rounds[:1]
    assert across_rounds.remarks(study) == []
    assert across_rounds.sentences(study) == [
        "Only round '2023' can be studied: nothing lies beside it."
    ]


def test_rounds_that_are_not_scored_anew_are_in_one_sentence():
    about = {"ageing": None, "reassessed": None}
    rounds = [
        SimpleNamespace(round=label, not_reassessed=why, **about)
        for label, why in (("1", "no runs"), ("2", "no pool"), ("3", "no runs"))
    ]
    out = [SimpleNamespace(round=label, why="no teams") for label in ("4", "5")]
    study = SimpleNamespace(rounds=rounds, left_out=out, ageing_from=None)
    assert leave_one_out_rounds.remarks(study) == [
        "Not scored anew, as what runs retrieved is not recorded: '1', '3'.",
        "Not scored anew, as which runs fed the pool, and of which teams they are, is not recorded:"
        " '2'.",
        "Left out, as which team sent which run is not recorded: '4', '5'.",
    ]
