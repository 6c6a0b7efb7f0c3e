"""Studies of a round's scores: what they give, kept with their inputs, and of files alone."""

from __future__ import annotations

import json
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_rel
from sqlalchemy import text
from tests.databases import rows
from tests.factories import log_scores, simulated, verify_record

from roundbook.database.engine import unit_of_work

pytestmark = pytest.mark.one_server

NAMED17 = "data/adhoc/named17_robust2003_ap.csv"
SCALES = ("--scale", "raw", "--scale", "std-ab")


def scores(seed=0):
    """Eight runs on twelve topics; the first two are alike."""
    made = simulated(seed, 12, 8) + np.arange(8) * 0.03
    made[:, 1] = made[:, 0]
    return made.round(3)


@pytest.mark.long
def test_the_published_matrix_by_two_studies(engine, terminal, shared):
    file = str(shared / NAMED17)
    logged = terminal("log", "robust", "2003", file, "--measure", "AP", "--create")
    assert logged.code == 0
    power = ("study", "discriminative-power", "robust", "2003", "--measure", "AP", *SCALES)
    printed = terminal(*power, "--format", "json").json
    raw, standardised = printed["scales"]
    assert (raw["scale"], raw["share"], raw["pairs"]) == ("raw", 0.5, 136)
    assert (standardised["scale"], round(standardised["share"], 4)) == ("std-ab", 0.5735)
    assert raw["critical_difference"] == pytest.approx(0.0581, abs=0.0012)
    assert (round(raw["t_share"], 4), round(raw["holm_share"], 4)) == (0.8015, 0.6471)
    assert raw["asl"] == sorted(raw["asl"], reverse=True)
    assert (len(raw["asl"]), raw["ranking"][0]["run"]) == (136, "pircRBa1")
    pairs = sum(run["better_than"] for run in raw["ranking"])
    assert pairs == sum(run["worse_than"] for run in raw["ranking"]) == raw["significant"] == 68
    by_holm = [
        sum(run[f"holm_{way}_than"] for run in raw["ranking"]) for way in ("better", "worse")
    ]
    assert by_holm == [88, 88]
    assert round(raw["holm_share"] * 136) == 88
    assert "B = 10,000 permutations" in printed["protocol"]
    assert "by factor version 1 of the round, held fixed" in printed["protocol"]
    # The same of the file alone, which opens no record: all runs standardise there as here.
    alone = terminal(power[0], power[1], "--file", file, *power[4:], "--format", "json")
    assert alone.json["scales"] == printed["scales"]

    swaps = ("study", "swap-rate", "robust", "2003", "--measure", "AP", *SCALES)
    printed = terminal(*swaps, "--format", "json").json
    raw, standardised = printed["scales"]
    assert raw["overall"] == pytest.approx(0.0670, abs=0.0056)
    assert (raw["needed_difference"], len(raw["bins"])) == (0.04, 21)
    assert raw["sensitivity"] == pytest.approx(0.647, abs=0.005)
    assert standardised["in_sds"]["needed_difference"] in (0.45, 0.5)
    assert (printed["topics_each"], raw["comparisons"]) == (50, 136_000)
    rows = terminal(*swaps, "--format", "csv").table
    assert (len(rows), rows[21]["scale"], rows[21]["low"]) == (42, "std-ab", "0.0")
    table = " ".join(terminal(*swaps).out.split())
    assert "On raw, 6.7% of all differences are turned round by other topics" in table
    assert "This is about topic sets of 50 topics." in table
    assert "disjoint sets of 50 topics each (B = 1,000 trials" in table


def test_a_kept_study_is_shown_in_brief_or_whole(engine, terminal):
    log_scores(engine, "1", np.random.default_rng(3).random((12, 24)))
    words = ("study", "discriminative-power", "t", "1", "--measure", "AP", "--trials", "100")
    assert terminal(*words, "--save", "apart").code == 0
    brief, whole = (terminal("result", "show", "apart", *more).out for more in ((), ("--details",)))
    assert "\n20 of 24 rows: --details shows all.\n" in brief
    assert "shows all" not in whole
    assert len(whole.splitlines()) == len(brief.splitlines()) + 3
    # That it stands is told before the study itself.
    assert [line.startswith("It stands: ") for line in whole.splitlines()][:3] == [
        *(False, True, False)
    ]


@pytest.mark.both_servers
def test_a_study_is_kept_with_its_scores(engine, terminal):
    log_scores(engine, "1", scores())
    log_scores(engine, "2", scores(1))
    power = ("study", "discriminative-power", "t", "1", "--measure", "AP", "--trials", "500")
    saved = terminal(*power, "--save", "apart", "--note", "for the overview", "--format", "json")
    assert "Saved: study 'apart', version 1, of task 't'." in saved.err
    kept = saved.json
    assert (kept["name"], kept["status"], kept["stale"]) == ("apart", "saved", False)
    assert (
        kept["scales"][0]["share"]
        == terminal(*power, "--format", "json").json["scales"][0]["share"]
    )
    assert "Unchanged" in terminal(*power, "--save", "apart").err
    swaps = ("study", "swap-rate", "t", "1", "--measure", "AP", "--trials", "200")
    assert terminal(*swaps, "--scale", "std-cdf", "--save", "holds").code == 0
    assert terminal(*swaps[:3], "2", *swaps[4:], "--save", "other round").code == 0
    listed = terminal("result", "list", "t", "--kind", "study").out
    assert "discriminative-power: pairs told apart raw" in listed
    assert "swap-rate: swap rate std-cdf" in listed
    inputs = rows(engine, _INPUTS)
    assert inputs == [("apart", "matrix"), ("holds", "factor set"), ("other round", "matrix")]
    shown = terminal("result", "show", "apart").out
    assert "Note: for the overview" in shown
    assert "It stands: these scores count today." in shown
    assert verify_record(engine).status == "verified"

    # New factors concern what is standardised by them; new scores both.
    fit = ("factors", "fit", "t", "1", "--measure", "AP", "--reason", "without it")
    tags = [word for number in range(7) for word in ("--runs", f"run{number}")]
    assert terminal(*fit, *tags).code == 0
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json
    assert [entry["name"] for entry in stale["results"]] == ["holds"]
    assert "its factors were fitted anew" in stale["results"][0]["why"]
    changed = scores()
    changed[:, 7] -= 0.3
    log_scores(engine, "1", changed, revise="misprint")
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json
    assert [entry["name"] for entry in stale["results"]] == ["apart", "holds"]
    # A superseded matrix is in the record still, and gives what was computed from it.
    assert verify_record(engine).status == "verified"
    assert "study 'apart'" in terminal("impact", "1").out
    assert terminal("result", "renew", "t", "--stale").code == 0
    assert terminal("result", "list", "t", "--stale").out == "No result is stale.\n"
    again = terminal("result", "show", "apart", "--format", "json").json
    assert (again["version"], again["revision"]) == (2, 2)
    assert again["scales"][0]["ranking"] != kept["scales"][0]["ranking"]


def test_a_study_saved_before_holms_columns_is_read_and_verified(engine, terminal):
    log_scores(engine, "1", scores())
    power = ("study", "discriminative-power", "t", "1", "--measure", "AP", "--trials", "500")
    new = terminal(*power, "--save", "apart", "--format", "json").json
    by_holm = [run["holm_better_than"] for run in new["scales"][0]["ranking"]]
    assert sum(by_holm) > by_holm.count(0) > 0
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.result DISABLE TRIGGER ALL"))
        saved = connection.execute(text("SELECT result FROM roundbook.result")).scalar_one()
        for run in saved["scales"][0]["ranking"]:
            del run["holm_better_than"], run["holm_worse_than"]
        changed = {"changed": json.dumps(saved)}
        connection.execute(
            text("UPDATE roundbook.result SET result = CAST(:changed AS jsonb)"), changed
        )
        connection.commit()
    verification = verify_record(engine)
    assert (verification.status, verification.not_computed) == ("verified", [])
    shown = terminal("result", "show", "apart", "--format", "json").json
    assert list(shown["scales"][0]["ranking"][0]) == ["run", "mean", "better_than", "worse_than"]
    assert terminal("result", "show", "apart").code == 0


_INPUTS = """
SELECT result.name, CASE WHEN input.matrix_id IS NULL THEN 'factor set' ELSE 'matrix' END
FROM roundbook.result_input AS input JOIN roundbook.result ON result.id = input.result_id
ORDER BY result.id
"""


def test_verify_finds_a_study_that_its_scores_do_not_give(engine, terminal):
    log_scores(engine, "1", scores())
    swaps = ("study", "swap-rate", "t", "1", "--measure", "AP", "--trials", "100")
    assert terminal(*swaps, "--save", "holds").code == 0
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.result DISABLE TRIGGER ALL"))
        connection.execute(
            text(
                "UPDATE roundbook.result SET result ="
                " jsonb_set(result::jsonb, '{scales,0,overall}', '0.5')"
            )
        )
        connection.commit()
    (difference,) = verify_record(engine).differences
    assert (difference.first.what, difference.first.recorded) == ("overall of scales", 0.5)
    assert difference.first.computed != 0.5


def test_what_cannot_be_studied_is_said_in_a_sentence(engine, terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log_scores(engine, "ties", np.full((6, 3), 0.25))
    log_scores(engine, "few", scores()[:3])
    study = ("study", "swap-rate", "t")
    cases = {
        (*study, "ties", "--measure", "AP"): "all 3 runs tie on every topic",
        (*study, "few", "--measure", "AP"): "needs at least 4 topics, not 3",
        (*study, "none", "--measure", "AP"): "no round 'none'",
        (*study, "--measure", "AP"): "'roundbook round list t' shows those there are), or take all",
        (*study, "few", "--measure", "AP", "--scale", "std"): "--scale takes raw, std-ab, std-cdf",
        (*study, "few", "--measure", "AP", "--level", "5"): "--level must be between 0 and 1",
        (*study, "few", "--measure", "AP", "--note", "x"): "--note needs --save",
        ("study", "swap-rate", "--measure", "AP"): "a task's round, or of the scores in --file",
        ("study", "swap-rate", "--measure", "AP", "--file", "no.csv"): "no.csv",
        ("study", "swap-rate", "--measure", "AP", "--file", "x.csv", "--save", "x"): "--save keeps",
    }
    for words, sentence in cases.items():
        ended = terminal(*words)
        assert ended.code in (1, 2), words
        assert sentence in " ".join(ended.err.replace("│", " ").split()), (words, ended.err)


def test_all_pairs_of_runs_with_their_p_values(engine, terminal):
    made = scores()
    log_scores(engine, "1", made)
    power = ("study", "discriminative-power", "t", "1", "--measure", "AP", "--trials", "400")
    without = terminal(*power, "--format", "json").json["scales"][0]
    assert "compared" not in without
    whole = terminal(*power, *SCALES, "--pairs", "--save", "pairs", "--format", "json").json
    raw = whole["scales"][0]
    pairs = raw.pop("compared")
    assert raw == without
    assert (len(pairs), sum(pair["significant"] for pair in pairs)) == (28, raw["significant"])
    # In the order of the ranking: the pairs of the best run first.
    ranked = [run["run"] for run in raw["ranking"]]
    assert [(pair["run"], pair["other"]) for pair in pairs] == list(combinations(ranked, 2))
    means = {run["run"]: run["mean"] for run in raw["ranking"]}
    alone = []
    for pair in pairs:
        assert pair["difference"] == pytest.approx(means[pair["run"]] - means[pair["other"]])
        assert pair["significant"] == (pair["p"] < 0.05)
        first, second = (made[:, int(pair[side][3:])] for side in ("run", "other"))
        alone.append(1.0 if np.array_equal(first, second) else ttest_rel(first, second).pvalue)
        assert pair["t_p"] == pytest.approx(alone[-1], rel=1e-9)
    assert raw["bootstrap_share"] == np.mean([pair["bootstrap_p"] < 0.05 for pair in pairs])
    assert sorted((pair["p"] for pair in pairs), reverse=True) == raw["asl"]
    # Holm: the k-th smallest times what is left, never below one before it.
    largest = 0.0
    for rank, at in enumerate(np.argsort(alone)):
        largest = max(largest, min(1.0, alone[at] * (28 - rank)))
        assert pairs[at]["holm_p"] == pytest.approx(largest, rel=1e-9)

    rows = terminal(*power, "--pairs", "--format", "csv").table
    assert len(rows) == 28
    assert rows[0] == {"scale": "raw"} | {name: str(value) for name, value in pairs[0].items()}
    table = terminal(*power, "--pairs").out
    assert "Pairs of runs on raw, those of the best run first" in " ".join(table.split())
    assert "<0.0025" in table
    assert "20 of 28 rows: --top 28 shows all." in table
    assert terminal("result", "show", "pairs", "--format", "json").json["scales"][0] == raw | {
        "compared": pairs
    }
    assert verify_record(engine).status == "verified"
    refused = terminal(*power[:3], "--all-rounds", "--measure", "AP", "--pairs")
    assert refused.code == 2
    assert "--all-rounds compares no single pairs of runs: leave out --pairs" in " ".join(
        refused.err.replace("│", " ").split()
    )


def test_topics_that_a_scale_leaves_out_are_not_counted_on_it(engine, terminal):
    tied = scores()
    tied[3] = 0.5

    def study(name, label, topics):
        log_scores(engine, label, tied[:topics])
        of_round = ("t", label, "--measure", "AP")
        fit = ("factors", "fit", *of_round, "--runs", "all", "--zero-sd", "drop", "--reason", "x")
        assert terminal(*fit).code == 0
        table = terminal("study", name, *of_round, *SCALES, "--trials", "20").out
        return " ".join(table.split())

    subsets = study("topic-subsets", "1", 11)
    assert "On raw, all 11 topics give a variance" in subsets
    assert "On std-ab, all 10 topics give a variance" in subsets
    assert "with 5 of 10 topics" in subsets
    assert "on the first 10 topics on raw, 5 topics on std-ab of 20 random orders" in subsets
    swaps = study("swap-rate", "2", 10)
    assert "This is about topic sets of 5 topics on raw, 4 topics on std-ab." in swaps
    assert "disjoint sets of 5 topics on raw, 4 topics on std-ab each (B = 20 trials" in swaps
