"""Incremental topics, and changes between two rounds: what they give, and kept with their inputs."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text
from tests.databases import rows
from tests.factories import log_scores, verify_record

from roundbook.database.engine import unit_of_work
from roundbook.formats.name_tables import RunTeam

pytestmark = pytest.mark.one_server

ROBUST = "data/adhoc/trec_robust2003_ap.csv"
WT = "data/longeval2023/longeval2023irc_wt_ndcg.csv"
ST = "data/longeval2023/longeval2023irc_st_ndcg.csv"
PIVOT = "IRC_d2q+BM25"


def scores(seed, topics, runs=4):
    made = np.random.default_rng(seed).random((topics, runs)) * 0.5 + np.arange(runs) * 0.1
    return made.round(3)


def systems(*names):
    """What a team file says of run0, run1, ...: their systems."""
    return {
        f"run{number}": RunTeam(f"run{number}", None, None, None, name)
        for number, name in enumerate(names)
    }


def printed(ended):
    """What is on either stream, without the frames and line ends of a terminal."""
    return " ".join((ended.out + ended.err).replace("│", " ").split())


def test_incremental_topics_of_a_published_matrix(engine, terminal, shared):
    file = str(shared / ROBUST)
    assert terminal("log", "robust", "2003", file, "--measure", "AP", "--create").code == 0
    study = ("study", "incremental", "robust", "2003", "--measure", "AP", "--difference", "0.05")
    both = (*study, "--scale", "raw", "--scale", "std-ab")
    raw, standardised = terminal(*both, "--format", "json").json["scales"]
    assert (raw["scale"], standardised["scale"]) == ("raw", "std-ab")
    spreads = {spread["spread"]: spread["topics"] for spread in raw["spreads"]}
    assert spreads == {"median": 63, "q95": 107, "max": 135, "rms": 64, "sqrt_2_v_e": 257}
    estimate, sure = raw["rules"]
    assert estimate["stopped"] == pytest.approx(0.91, abs=0.02)
    assert (estimate["confidence"], sure["confidence"]) == (None, 0.8)
    assert [step["topics"] for step in raw["steps"]] == list(range(10, 101))
    table = printed(terminal(*study))
    assert "takes 107 topics for a hard pair (sd 0.1825)" in table
    assert "The 100 topics there are give it 0.774: not enough." in table
    assert "They are enough for 90.0% of 3,003 pairs of runs." in table
    assert "upper 80% chi-square limit of the sd" in table
    rows = terminal(*both, "--format", "csv").table
    assert (len(rows), rows[91]["scale"], rows[91]["topics"]) == (182, "std-ab", "10")
    # The same of the file alone, and of one pair only.
    alone = terminal(*study[:2], "--file", file, *study[4:], "--format", "json").json
    assert alone["scales"] == [raw]
    pair = terminal(*study, "--pair", "sys3", "--pair", "sys1", "--format", "json").json
    assert (pair["pair"], pair["scales"][0]["pairs"]) == (["sys1", "sys3"], 1)
    assert {step["enough"] for step in pair["scales"][0]["steps"]} <= {0.0, 1.0}


def test_changes_of_published_systems(engine, terminal, shared):
    log = ("--measure", "nDCG", "--missing", "zero")
    assert terminal("log", "longeval", "wt", str(shared / WT), *log, "--create").code == 0
    assert terminal("log", "longeval", "st", str(shared / ST), *log, "--create").code == 0
    study = ("study", "change", "longeval", "wt", "st", "--measure", "nDCG", "--pivot", PIVOT)
    of_tags = (*study, "--match", "tag", "--trials", "1000")
    change = terminal(*of_tags, "--format", "json").json
    assert (change["from"], change["to"], change["topics"], change["to_topics"]) == (
        *("wt", "st"),
        *(98, 882),
    )
    assert change["missing_to"] == {"policy": "zero", "cells": 16}
    by_system = {system["system"]: system for system in change["scales"][0]["systems"]}
    e5 = by_system["IRC_E5_base"]
    assert [round(e5[name], 4) for name in ("rd", "ri_from", "ri_to", "dri", "er")] == [
        *(-0.0273, 0.0526, -0.0335, 0.0862),
        -0.7121,
    ]
    assert (e5["unstable"], e5["runs_from"]) == (True, ["IRC_E5_base"])
    assert e5["er_interval"][0] < -1 < 1 < e5["er_interval"][1]
    pivot = by_system[PIVOT]
    assert (pivot["er"], pivot["reasons"], round(pivot["rd"], 4)) == (
        *(None, {"er": "pivot"}),
        -0.1188,
    )
    table = printed(terminal(*of_tags))
    assert (
        "Of 5 systems of both, 0 have a lower mean in round 'st'; by the DRI interval, 1 fell back"
        f" against the pivot {PIVOT} and 0 gained." in table
    )
    assert "The ER of 3 systems is unstable" in table
    assert "missing scores: zero, 0 missing, and zero, 16 missing" in table
    rows = terminal(*of_tags, "--format", "csv").table
    assert (len(rows), rows[4]["system"], rows[4]["er"], rows[0]["unstable"]) == (
        *(5, PIVOT, ""),
        "True",
    )
    files = ("--file", str(shared / WT), "--to-file", str(shared / ST), "--missing", "zero")
    alone = terminal(*study[:2], *files, *study[5:], "--trials", "1000", "--format", "json").json
    assert (alone["scales"], alone["match"]) == (change["scales"], "tag")
    # No run is known to be of a system.
    refused = terminal(*study)
    assert refused.code == 1
    assert "No system is recorded to have run in both round 'wt' and round 'st'" in printed(refused)
    assert "take equal tags for one system with --match tag" in printed(refused)


def test_equal_tags_of_other_teams_are_named(engine, terminal):
    log_scores(engine, "1", scores(0, 9), teams=["A", "B", "C", None])
    log_scores(engine, "2", scores(1, 7), teams=["A", "X", None, "D"])
    study = ("study", "change", "t", "1", "2", "--measure", "AP", "--trials", "500")
    words = (*study, "--match", "tag", "--pivot", "run0")
    kept = terminal(*words, "--save", "tags", "--format", "json").json
    assert (len(kept["scales"][0]["systems"]), kept["other_teams"]) == (4, ["run1"])
    assert "Equal tags, but runs of other teams in round '2': run1. Name" in printed(
        terminal(*words)
    )
    assert terminal("db", "verify").code == 0


def test_a_change_is_kept_with_both_rounds(engine, terminal):
    log_scores(engine, "1", scores(0, 9), teams=systems("bm25", "dense", "dense", None))
    log_scores(engine, "2", scores(1, 7), teams=systems("dense", "bm25", "late", "sparse"))
    study = ("study", "change", "t", "1", "2", "--measure", "AP", "--trials", "500")
    kept = terminal(*study, "--pivot", "bm25", "--save", "both", "--format", "json").json
    (scale,) = kept["scales"]
    dense = next(system for system in scale["systems"] if system["system"] == "dense")
    # Two runs of one system are averaged.
    assert (dense["runs_from"], dense["runs_to"]) == (["run1", "run2"], ["run0"])
    assert dense["mean_from"] == pytest.approx(scores(0, 9)[:, 1:3].mean())
    assert dense["mean_to"] == pytest.approx(scores(1, 7)[:, 0].mean())
    assert (kept["unmatched_from"], kept["unmatched_to"], kept["pivot"]) == (1, 2, "bm25")
    # The pivot by a run of it, and the rounds the other way round.
    by_run = terminal(*study, "--pivot", "run2", "--format", "json").json
    assert by_run["pivot"] == "dense"
    back = ("study", "change", "t", "2", "1", *study[5:], "--pivot", "bm25", "--save", "back")
    assert terminal(*back).code == 0
    listed = terminal("result", "list", "t", "--kind", "study").out
    assert "change: systems that fell raw" in listed
    dependents = terminal("impact", "1", "--format", "json").json["dependents"]
    of = {entry["name"]: entry["where"] for entry in dependents if entry["kind"] == "study"}
    assert of == {
        "study 'both' version 1": "rounds '1' and '2'",
        "study 'back' version 1": "rounds '2' and '1'",
    }
    assert rows(engine, _INPUTS) == [("back", 2), ("both", 2)]
    shown = terminal("result", "show", "both")
    assert "It stands: these scores count today." in shown.out
    assert verify_record(engine).status == "verified"
    # It rests on what is known of the runs, and on the scores of either round.
    log_scores(engine, "2", scores(2, 7), revise="misprint")
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json["results"]
    assert [entry["name"] for entry in stale] == ["back", "both"]
    assert verify_record(engine).status == "verified"
    assert terminal("result", "renew", "t", "--stale").code == 0
    assert terminal("result", "list", "t", "--stale").out == "No result is stale.\n"
    again = terminal("result", "show", "both", "--format", "json").json
    assert (again["version"], again["to_revision"]) == (2, 2)
    with unit_of_work(engine) as connection:
        connection.execute(text("UPDATE roundbook.run SET system = NULL WHERE tag = 'run2'"))
        connection.commit()
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json["results"]
    assert [entry["name"] for entry in stale] == ["back", "both"]
    # What was saved is still what these runs gave.
    assert verify_record(engine).status == "verified"


_INPUTS = """
SELECT result.name, count(input.matrix_id)
FROM roundbook.result JOIN roundbook.result_input AS input ON input.result_id = result.id
GROUP BY result.name ORDER BY result.name
"""


def test_incremental_topics_are_kept(engine, terminal):
    log_scores(engine, "1", scores(0, 12))
    study = ("study", "incremental", "t", "1", "--measure", "AP", "--difference", "0.2")
    assert terminal(*study, "--scale", "std-ab", "--trials", "200", "--save", "stop").code == 0
    listed = terminal("result", "list", "t", "--kind", "study").out
    assert "incremental: pairs with topics enough std-ab" in listed
    assert "Judging until the power suffices" in printed(terminal("result", "show", "stop"))
    assert verify_record(engine).status == "verified"


def test_what_cannot_be_studied_is_said_in_a_sentence(engine, terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log_scores(engine, "1", scores(0, 8), teams=systems("a", "b", "c", "d"))
    log_scores(engine, "2", scores(1, 8), teams=systems("b", "a", "c", "e"))
    log_scores(engine, "one", scores(2, 8, 1))
    log_scores(engine, "ties", np.full((8, 3), 0.25))
    log_scores(engine, "trial", scores(1, 8), assessments="trial")
    more = ("--measure", "AP", "--difference", "0.1", "--start", "3")
    incremental, change = ("study", "incremental", "t"), ("study", "change", "t")
    of_a = ("--measure", "AP", "--pivot", "a")
    (tmp_path / "one.csv").write_text("topic,run0,run1\n1,0.2,0.3\n")
    cases = {
        (*incremental, "1", *more[:4]): "look earlier with --start, from 2 to 8",
        ("study", "incremental", "--file", "one.csv", *more): "needs at least 2 topics, not 1",
        (*incremental, "1", *more[:2]): "name the difference between two runs' means",
        (*change, "1", "2", *of_a[:2]): "there ran a, b, c: name one with --pivot",
        (
            *incremental,
            "1",
            *more,
            "--pair",
            "run0",
        ): "--pair takes the names of two different runs",
        (*incremental, "1", *more, "--pair", "run0", "--pair", "none"): "no run 'none'",
        (*incremental, "1", *more[:3], "0"): "--difference",
        (*incremental, "1", *more, "--beta", "0.99"): "--beta must be between 0 and 1 - alpha",
        (*incremental, "1", *more, "--alpha", "0"): "--alpha must be between 0 and 1",
        (*incremental, "1", *more, "--confidence", "2"): "--confidence must be between 0 and 1",
        (*incremental, "1", *more[:3], "1e-9", *more[4:]): "topics",
        (*incremental, "one", *more): "needs at least 2 runs, not 1",
        (*incremental, "ties", *more): "all 3 runs tie",
        (*change, "1", "2", *of_a[:3], "e"): "'e' did not run in both rounds; there ran a, b, c",
        (*change, "1", "2", *of_a[:3], "run1"): "'run1' is a run of a and of b",
        (*change, "1", "1", *of_a): "between two rounds, and '1' is both",
        (*change, "1", "trial", *of_a): "no assessments 'official' of AP; it has trial",
        (*change, "1", "3", *of_a): "no round '3'",
        (*change, "1", *of_a): "between two rounds of a task",
        (*change, "1", "ties", *of_a): "No system is recorded to have run in both",
        (*change, "1", "2", *of_a, "--level", "1"): "--level must be between 0 and 1",
        (*change, "1", "2", *of_a, "--trials", "10"): "resamples from 40",
        ("study", "change", "--file", "x.csv", *of_a): "or from --file to --to-file",
    }
    for words, sentence in cases.items():
        ended = terminal(*words)
        assert ended.code in (1, 2), words
        assert sentence in printed(ended), (words, ended.err)
        assert not ended.out
