"""Measures at the terminal: listed with a task, merged, and named where one is missing."""

from __future__ import annotations

import numpy as np
import pytest
from tests.factories import log_scores
from tests.integration.test_measures import rename
from tests.savepoints import prepared

pytestmark = pytest.mark.one_server

TASK = "t"


@prepared
def logged(engine):
    random = np.random.default_rng(3)
    for label in ("1", "2"):
        log_scores(engine, label, random.random((30, 5)), "AP", create=True)
    log_scores(engine, "1", random.random((30, 5)), "P_5")
    log_scores(engine, "1", random.random((30, 5)), "ndgc at 10")
    return engine


def test_variance_show_lists_the_measures_of_a_task(roundbook, logged):
    table = roundbook("variance", "show", TASK)
    assert table.lines[0] == "t: variances on the raw scale. Name a --measure for its rounds."
    (_, *rows) = [line.split() for line in table.lines if line.strip()][1:]
    assert [row[0] for row in rows if not row[0].startswith("─")] == ["AP", "P@5", "ndgc"]
    printed = roundbook("variance", "show", TASK, "--format", "json").json
    ap = printed["measures"][0]
    of_ap = roundbook("variance", "show", TASK, "--measure", "map", "--format", "json").json
    assert (ap["measure"], ap["assessments"], ap["rounds"]) == ("AP", "official", ["1", "2"])
    assert ap["variance"] == of_ap["pooled"]["variance"]
    assert [ap["low"], ap["high"]] == [of_ap["pooled"]["interval"][end] for end in ("low", "high")]
    assert (printed["task"], printed["scale"]) == ("t", "raw")
    lines = roundbook("variance", "show", TASK, "--format", "csv").table
    assert [line["measure"] for line in lines] == ["AP", "P@5", "ndgc at 10"]
    assert float(lines[0]["variance"]) == ap["variance"]
    refused = roundbook("variance", "show", TASK, "--assessments", "a", "--assessments", "b")
    assert refused.code == 2
    assert "name it" in refused.err


NEED_A_MEASURE = (
    "variance pooled t",
    "factors show t 1",
    "rank t 1",
    "standardise t 1",
    "generalisability t",
    "drift t",
    "plan --task t",
    "plan save p --task t",
)


def test_where_a_measure_is_missing_the_error_names_those_there_are(roundbook, logged, subtests):
    for line in NEED_A_MEASURE:
        with subtests.test(line):
            refused = roundbook(*line.split())
            assert (refused.code, refused.out) == (2, "")
            assert "--measure" in refused.err
            output = " ".join(refused.err.replace("│", " ").split())
            assert "Task 't' has AP, P@5, ndgc at 10" in output
    for measure in ("P@5", "ndgc at 10"):
        listed = roundbook("matrix", "list", TASK, "--measure", measure, "--format", "json").json
        for row in listed["matrices"]:
            roundbook("matrix", "withdraw", str(row["matrix"]), "--reason", "a slip")
    refused = roundbook("variance", "pooled", TASK).err
    assert "Task 't' has AP " in " ".join(refused.replace("│", " ").split())


def test_measures_are_listed_and_merged(roundbook, logged):
    merged = roundbook("measure", "merge", "ndgc at 10", "NDCG_CUT_10", "--reason", "a typo")
    assert merged.refusal() == (
        "There is no measure 'NDCG_CUT_10'; did you mean ndgc at 10? 'roundbook measure list' shows"
        " those there are."
    )
    log_scores(logged, "2", np.random.default_rng(5).random((30, 5)), "nDCG@10")
    assert (
        "'nDGC@10'; did you mean nDCG@10?"
        in roundbook("measure", "merge", "ndgc at 10", "nDGC@10").refusal()
    )
    merged = roundbook("measure", "merge", "ndgc at 10", "ndcg_cut_10", "--format", "json")
    assert merged.json == {
        "measure": "nDCG@10",
        "merged": "ndgc at 10",
        "known_into_unknown": False,
        "tasks": ["t"],
        "matrices": 1,
        "published_variances": 0,
    }
    assert "ndgc at 10 is nDCG@10 from now on" in merged.err
    listed = roundbook("measure", "list", TASK, "--format", "json").json
    assert listed["task"] == "t"
    assert [entry["measure"] for entry in listed["measures"]] == ["AP", "P@5", "nDCG@10"]
    assert listed["measures"][2] == {
        "measure": "nDCG@10",
        "tasks": ["t"],
        "rounds": 2,
        "matrices": 2,
        "published_variances": 0,
        "bounds": None,
        "spellings": ["ndgc at 10"],
        "spelling_of": None,
    }
    log_scores(logged, "1", [[0.1, 0.2], [0.3, 0.1]], "AP", task="other")
    of_task = roundbook("measure", "list", TASK, "--format", "json").json["measures"][0]
    counts = "tasks", "rounds", "matrices"
    of_all = roundbook("measure", "list", "--format", "json").json["measures"][0]
    assert [of_all[name] for name in counts] == [["other", "t"], 3, 3]
    assert [of_task[name] for name in counts] == [["other", "t"], 2, 2]
    rename(logged, "P@5", "average precision")
    log_scores(
        logged, "3", np.random.default_rng(5).random((30, 5)), "average precision", create=True
    )
    out = roundbook("measure", "list").out
    assert (
        "'average precision' is a spelling of AP; join them with: roundbook measure merge"
        " 'average precision' AP" in " ".join(out.split())
    )
    refused = roundbook("measure", "merge", "average precision", "AP").refusal()
    assert refused.startswith("Both average precision and AP have scores of round '1' of task 't'")
    events = roundbook("events", "--what", "measures merged", "--format", "json").json["events"]
    assert [(event["task"], event["details"]["merged"]) for event in events] == [
        (TASK, "ndgc at 10")
    ]


def test_a_known_measure_becomes_an_unknown_one_with_a_warning(roundbook, logged):
    for label, measure in (("2", "clicks"), ("1", "ndgc@10"), ("2", "nDCG@10")):
        log_scores(logged, label, np.random.default_rng(5).random((30, 5)), measure)
    assert roundbook("measure", "merge", "nDCG@10", "ndgc@10").refusal() == (
        "nDCG@10 is a known measure, and 'ndgc@10' looks like a slip for it, not the other way"
        " round: roundbook measure merge ndgc@10 nDCG@10"
    )
    log_scores(logged, "9", np.random.default_rng(6).random((30, 5)), "RR", create=True)
    warned = roundbook("measure", "merge", "RR", "clicks")
    assert warned.code == 0
    assert "Warning: RR is a measure that evaluation tools know, and clicks is none" in warned.err
