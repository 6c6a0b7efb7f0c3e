"""Studies of all rounds of a task: the rounds' own figures, what lies beside raw, kept and renewed."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import log_scores, verify_record

pytestmark = pytest.mark.one_server

MEASURE = ("--measure", "AP")
POWER = ("study", "discriminative-power", "t")
SWAPS = ("study", "swap-rate", "t")
FEW = ("--trials", "500")


def scores(seed, topics=12):
    """Eight runs; the topics differ more than the runs do."""
    rng = np.random.default_rng(seed)
    hardness = rng.random((topics, 1))
    return (hardness * 0.6 + rng.random((topics, 8)) * hardness * 0.4 + np.arange(8) * 0.01).round(
        3
    )


@pytest.fixture
def campaign(engine, terminal):
    for label, topics in (("1", 12), ("2", 15), ("few", 3), ("3", 14)):
        log_scores(engine, label, scores(topics, topics))
    return terminal


@pytest.mark.long
def test_each_round_has_the_figures_of_its_own_studies(campaign):
    study = campaign(*POWER, "--all-rounds", *MEASURE, *FEW, "--format", "json").json
    assert [(one["round"], one["topics"], one["runs"]) for one in study["rounds"]] == [
        ("1", 12, 8),
        ("2", 15, 8),
        ("3", 14, 8),
    ]
    assert [(one["round"], one["topics"], one["runs"]) for one in study["left_out"]] == [
        ("few", 3, 8)
    ]
    scales = [word for scale in ("raw", "std-ab", "std-cdf") for word in ("--scale", scale)]
    for one in study["rounds"]:
        of_round = (one["round"], *MEASURE, *scales, "--format", "json")
        power = campaign(*POWER, *of_round, *FEW).json["scales"]
        swaps = campaign(*SWAPS, *of_round).json["scales"]
        for row, its_power, its_swaps in zip(one["scales"], power, swaps, strict=True):
            assert row["share_low"] <= row["share"] <= row["share_high"]
            for name in ("scale", "share", "share_low", "share_high", "critical_difference"):
                assert row[name] == its_power[name]
            for name in ("overall", "overall_low", "needed_difference", "sensitivity"):
                assert row[name] == its_swaps[name]

    raw, standardised, _ = study["scales"]
    assert (raw["scale"], raw["beside_raw"]) == ("raw", [])
    power, swaps = standardised["beside_raw"]
    by_round = [(one["scales"][0], one["scales"][1]) for one in study["rounds"]]
    assert power["least"] == min(ab["share"] - of["share"] for of, ab in by_round)
    assert power["better"] == sum(ab["share_low"] > of["share_high"] for of, ab in by_round)
    # A lower swap rate is a better one.
    assert swaps["better"] == sum(ab["overall_high"] < of["overall_low"] for of, ab in by_round)
    assert swaps["worse"] == sum(ab["overall_low"] > of["overall_high"] for of, ab in by_round)
    assert swaps["better"] + swaps["worse"] + swaps["alike"] == 3
    means = [one["scales"][1]["share"] for one in study["rounds"]]
    assert standardised["share"] == pytest.approx(np.mean(means))
    assert [one["round"] for one in study["ageing"]["rounds"]] == ["2", "few", "3"]

    # The swap rate's command shows the same, by its own options.
    same = campaign(*SWAPS, "--all-rounds", *MEASURE, "--trials", "250", "--format", "json").json
    assert (same["trials"], same["swap_trials"]) == (10_000, 250)
    shared_out = campaign(
        *POWER, "--all-rounds", *MEASURE, *FEW, "--workers", "2", "--format", "json"
    ).json
    assert shared_out == study
    rows = campaign(*POWER, "--all-rounds", *MEASURE, *FEW, "--format", "csv").table
    assert [(row["round"], row["scale"]) for row in rows[:4]] == [
        ("1", "raw"),
        ("1", "std-ab"),
        ("1", "std-cdf"),
        ("2", "raw"),
    ]
    assert float(rows[1]["share"]) == study["rounds"][0]["scales"][1]["share"]
    table = " ".join(campaign(*POWER, "--all-rounds", *MEASURE, *FEW).out.split())
    assert table.startswith("t, all rounds: AP, official assessments. Rounds, scale beside scale:")
    assert (
        f"Does std-ab help? More pairs of runs apart than on raw in {power['better']} of 3 rounds,"
        in table
    )
    assert "Left out: round 'few', whose 3 topics and 8 runs are too few or tie." in table
    assert "The factors of round '1' in 3 later rounds" in table
    assert "standardised by each round's own latest factors, held fixed" in table


def test_a_kept_study_of_all_rounds(campaign, engine):
    every = (*POWER, "--all-rounds", *MEASURE, *FEW)
    saved = campaign(*every, "--save", "over the years", "--note", "for the board")
    assert "Saved: study 'over the years', version 1, of task 't'." in saved.err
    assert "Unchanged" in campaign(*every, "--save", "over the years").err
    assert verify_record(engine).status == "verified"
    shown = campaign("result", "show", "over the years").out
    assert "It stands: these scores count today." in shown
    listed = campaign("result", "list", "t").out
    assert "across-rounds: pairs told apart raw" in listed

    # A new round makes nothing wrong that was said of the others; it is there to be taken up.
    log_scores(engine, "4", scores(9, 13))
    later = campaign("result", "show", "over the years", "--format", "json").json
    assert (later["stale"], [one["round"] for one in later["rounds"]]) == (False, ["1", "2", "3"])
    assert campaign("result", "renew", "over the years").code == 0
    again = campaign("result", "show", "over the years", "--format", "json").json
    assert [one["round"] for one in again["rounds"]] == ["1", "2", "3", "4"]
    # A correction does, and what it was computed from is read again.
    log_scores(engine, "2", scores(8, 15), revise="misprint")
    assert campaign("result", "show", "over the years", "--format", "json").json["stale"]
    assert "study 'over the years'" in campaign("impact", "2").out
    assert verify_record(engine).status == "verified"


def test_what_all_rounds_cannot_be_asked(campaign, engine):
    every = ("--all-rounds", *MEASURE)
    cases = {
        (*POWER, "1", *every): "name the task, and no round or file",
        (*SWAPS[:2], *every, "--file", "x.csv"): "name the task, and no round or file",
        (*POWER, *every, "--resamples", "5"): "has no bootstrap test: leave out --resamples",
        (*SWAPS, *every, "--layout", "wide"): "--layout is of score files",
        (*SWAPS, *every, "--level", "2"): "--level must be between 0 and 1",
        (*SWAPS, *every, "--with-replacement", "--topics-each", "3"): "leave out --topics-each",
        (*POWER, "--all-rounds", "--measure", "RR"): "it has AP",
        (*POWER, *MEASURE): "name a round of task 't'",
        (*POWER, *every, "--dask", "x", "--workers", "2"): "leave out --workers",
        (*POWER, *every, "--dask", "nowhere"): "Give --dask the address",
        (*POWER, *every, "--workers", "0"): "greater than or equal to 1",
        (*POWER, *every, "--chart", "x.pdf"): "a chart is a file that ends in",
    }
    for words, sentence in cases.items():
        done = campaign(*words)
        assert done.code in (1, 2), words
        assert sentence in " ".join(done.err.replace("│", " ").split()), (words, done.err)
    log_scores(engine, "1", scores(3), task="small")
    alone = campaign("study", "swap-rate", "small", *every, "--trials", "100", "--scale", "raw")
    assert "Only round '1' can be studied: nothing lies beside it." in alone.out


@pytest.mark.slow
def test_treccovid_round_after_round(engine, terminal, shared):
    for number in (1, 2, 3):
        file = shared / "data" / "treccovid" / f"treccovid_round{number}_ndcg10.csv"
        logged = ("log", "covid", str(number), str(file), "--measure", "nDCG@10", "--create")
        assert terminal(*logged).code == 0
    every = ("study", "discriminative-power", "covid", "--all-rounds", "--measure", "nDCG@10")
    study = terminal(*every, "--format", "json").json
    shares = [row["share"] for row in study["rounds"][0]["scales"]]
    assert shares == pytest.approx([0.2793, 0.2762, 0.2812], abs=0.0032)
    rates = [row["overall"] for row in study["rounds"][0]["scales"]]
    assert rates == pytest.approx([0.1109, 0.1152, 0.1177], abs=0.002)
    # Standardising turns more differences round in all three rounds, which may be chance.
    swaps = study["scales"][1]["beside_raw"][1]
    assert (swaps["better"], swaps["worse"], swaps["p"]) == (0, 3, 0.25)
