"""Studies of smaller pilots: on files, on the record, saved, stale, verified."""

from __future__ import annotations

import pytest
from tests.factories import log_qrels, log_runs, log_scores, simulated, verify_record, wide

pytestmark = pytest.mark.one_server

ROUND1 = "data/treccovid/treccovid_round1_map.csv"
TEAMS = "data/treccovid/round1_run_team.csv"
LEAVE = ("study", "leave-teams-out")
SUBSETS = ("study", "topic-subsets")
AP = ("--measure", "AP")


def scores(seed=0):
    """Six runs on twelve topics."""
    return simulated(seed, 12, 6)


def team_file(tmp_path, teams):
    path = tmp_path / f"{teams}.csv"
    lines = [f"run{number},{team}" for number, team in enumerate(teams) if team != "-"]
    path.write_text("\n".join(["run,team", *lines]) + "\n")
    return str(path)


def test_the_first_round_of_trec_covid(engine, terminal, shared):
    file, teams = str(shared / ROUND1), str(shared / TEAMS)
    logged = terminal("log", "covid", "1", file, *AP, "--teams", teams, "--create")
    assert logged.code == 0
    left = ("--teams-left", "28", "--teams-left", "3", "--trials", "20")
    of_round = (*LEAVE, "covid", "1", *AP, *left)
    printed = terminal(*of_round, "--format", "json").json
    (raw,) = printed["scales"]
    assert (printed["teams"], printed["runs"], raw["scale"]) == (56, 143, "raw")
    assert raw["variance"] == pytest.approx(0.017075, abs=5e-7)
    assert (raw["planned"], raw["topics"]) == (25, 30)
    half, few = raw["sizes"]
    assert (half["size"], half["trials"], half["misses"] in (True, False)) == (28, 20, True)
    assert half["variance"]["mean"] == pytest.approx(0.0169, abs=4 * 0.0015 / 20**0.5)
    assert few["variance"]["sd"] > 2 * half["variance"]["sd"]
    assert 3 <= few["fewest_runs"] < few["most_runs"] <= 9
    table = " ".join(terminal(*of_round).out.split())
    assert (
        "all 56 teams give a variance of 0.0171, by which one-way ANOVA plans 25 topics for 10"
        " runs and minD" in table
    )
    assert "separate pilots would scatter more" in table
    assert "Bias" not in table
    assert "drawn 20 times each without replacement from 56" in table
    assert "of 10 runs for minD 0.15 at alpha 0.05 and beta 0.2" in table
    # The same of the files alone, whatever is recorded.
    alone = terminal(*LEAVE, "--file", file, "--teams", teams, *AP, *left, "--format", "json").json
    assert alone["scales"] == printed["scales"]

    subsets = (*SUBSETS, "covid", "1", *AP, "--scale", "raw", "--scale", "std-ab")
    lines = terminal(*subsets, "--format", "csv").table
    assert [(line["scale"], line["size"]) for line in lines] == [
        ("raw", "25"), ("raw", "10"), ("std-ab", "25"), ("std-ab", "10")
    ]  # fmt: skip
    assert float(lines[1]["variance_sd"]) == pytest.approx(0.0066, rel=0.3)
    assert float(lines[1]["planned_low"]) < 25 < float(lines[1]["planned_high"])
    larger = terminal(*subsets, "--min-d", "0.1", "--m", "2", "--format", "json").json
    assert larger["scales"][0]["planned"] == 28
    assert "Pilots of fewer topics, drawn from this round, on std-ab:" in terminal(*subsets).out


def test_pilots_are_kept_with_their_teams(engine, terminal, tmp_path):
    log_scores(engine, "1", scores())
    refused = terminal(*LEAVE, "t", "1", *AP)
    assert (refused.code, refused.err) == (
        1,
        "Error: Which team sent which run of round '1' is not recorded; record it with 'roundbook"
        " round teams t 1 FILE'.\n",
    )
    assert terminal("round", "teams", "t", "1", team_file(tmp_path, "aabb--")).code == 0
    leave = (*LEAVE, "t", "1", *AP, "--every-number", "--trials", "20")
    saved = terminal(*leave, "--save", "pilot", "--format", "json").json
    assert (saved["teams"], saved["runs_without_team"]) == (4, 2)
    assert saved["team_of_run"] == [0, 0, 1, 1, 2, 3]
    assert [size["size"] for size in saved["scales"][0]["sizes"]] == [3, 2, 1]
    assert saved["scales"][0]["sizes"][2]["single_runs"] > 0
    assert terminal(*SUBSETS, "t", "1", *AP, "--topics", "6", "--save", "fewer").code == 0
    assert terminal("result", "list", "t", "--stale").out == "No result is stale.\n"
    table = " ".join(terminal(*leave).out.split())
    assert "of which 2 are runs without team" in table
    assert "pilots of 1 team have one run only: the variance is that run's alone." in table
    planned = saved["scales"][0]["planned"]
    assert f"leave-teams-out: topics planned raw {planned}" in terminal("result", "list", "t").out
    assert "On raw, all 12 topics give" in terminal("result", "show", "fewer").out

    # Teams that become known concern the pilots of teams alone.
    assert terminal("round", "teams", "t", "1", team_file(tmp_path, "aabbab")).code == 0
    stale = terminal("result", "list", "t", "--stale", "--format", "json").json
    assert [entry["name"] for entry in stale["results"]] == ["pilot"]
    assert verify_record(engine).status == "verified"
    assert terminal("result", "renew", "t", "--stale").code == 0
    again = terminal("result", "show", "pilot", "--format", "json").json
    assert (again["version"], again["teams"], again["runs_without_team"]) == (2, 2, 0)
    of_one = " ".join(terminal("result", "show", "pilot").out.split())
    assert "the runs of 1 team, drawn 20 times each without replacement from 2," in of_one
    assert terminal("result", "list", "t", "--stale").out == "No result is stale.\n"


def test_what_cannot_be_piloted_is_said_in_a_sentence(engine, terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log_scores(engine, "few", scores()[:2])
    log_scores(engine, "1", scores())
    team_file(tmp_path, "aabbcc")
    assert terminal("round", "teams", "t", "1", "aabbcc.csv").code == 0
    (tmp_path / "scores.csv").write_text(wide(scores()))
    (tmp_path / "others.csv").write_text("run,team\nx,a\n")
    cases = {
        (*SUBSETS, "t", "few", *AP): "A topic subset needs at least 3 topics, not 2",
        (*SUBSETS, "t", "1", *AP, "--topics", "12"): "12 topics leaves 2 to 11 of them, not 12",
        (*SUBSETS, "t", "1", *AP, "--min-d", "0"): "--min-d",
        (*SUBSETS, "t", "1", *AP, "--beta", "0.97"): "--beta must be between 0 and 1 - alpha",
        (*LEAVE, "t", "1", *AP, "--teams-left", "3"): "3 teams leaves 1 to 2 of them, not 3",
        (*LEAVE, "t", "1", *AP, "--teams", "aabbcc.csv"): "--teams goes with --file",
        (*LEAVE, "t", "1", *AP, "--teams-left", "2", "--every-number"): "leave out --teams-left",
        (*LEAVE, "--file", "scores.csv", *AP): "needs a team file; give it with --teams",
        (*LEAVE, "--file", "scores.csv", *AP, "--teams", "others.csv"): "names none of the runs",
        (*LEAVE, "--file", "scores.csv", *AP, "--teams", "no.csv"): "no.csv",
    }
    for words, message in cases.items():
        refused = terminal(*words)
        assert refused.code != 0, words
        assert message in " ".join(refused.err.replace("│", "").split()), words
    assert terminal("result", "list", "t", "--format", "json").json["results"] == []


@pytest.mark.long
def test_pilots_whose_pool_is_smaller(engine, terminal, shared):
    folder = shared / "data/treccovid"
    log_runs(engine, "covid", "1", folder / "round1_runs_top20.txt.gz", create=True)
    log_qrels(engine, "covid", "1", folder / "round1.qrels.gz")
    measure = ("--measure", "nDCG(gains=1:1,2:3)@10")
    reduced = (*LEAVE, "covid", "1", *measure, "--mode", "reduce", "--teams-left", "10")
    refused = terminal(*reduced)
    assert (refused.code, "Which team sent which run of round '1'" in refused.err) == (1, True)
    assert terminal("round", "teams", "covid", "1", str(shared / TEAMS)).code == 0
    saved = terminal(*reduced, "--save", "pool", "--format", "json").json
    (raw,) = saved["scales"]
    assert (saved["matrix"], saved["assessments"], saved["revision"]) == (None, "official", 1)
    assert (saved["pool_depth"], saved["teams"], saved["runs"]) == (7, 56, 143)
    assert saved["judged_share"] == pytest.approx(0.999, abs=5e-4)
    assert saved["explained_share"] == pytest.approx(0.800, abs=5e-4)
    # Some scores in this file tie that did not, so that a few documents change places.
    assert raw["variance"] == pytest.approx(0.052962, abs=2e-4)
    assert raw["planned"] == 75
    (few,) = raw["sizes"]
    assert few["variance"]["mean"] == pytest.approx(0.0441, abs=4 * 0.0077 / 10)
    assert few["misses"]
    table = " ".join(terminal(*reduced).out.split())
    assert "(runs to upload 1, official assessments, revision 1)" in table
    assert "pooled runs of the teams left out have to rank 7" in table
    assert f"{few['variance']['mean'] / raw['variance'] - 1:+.1%}" in table.split(" Bias ")[1]
    assert terminal("result", "list", "covid", "--stale").out == "No result is stale.\n"
    assert verify_record(engine).status == "verified"
    # Other assessments, or another pool, would have given others.
    second = folder / "round2.qrels.gz"
    log_qrels(engine, "covid", "1", second, revise="the second round's")
    (stale,) = terminal("result", "list", "covid", "--stale", "--format", "json").json["results"]
    assert stale["why"] == "round '1': its relevance assessments were corrected (revision 2)"
    verified = verify_record(engine)
    assert (verified.status, verified.not_computed) == ("verified", [])
    assert terminal(*reduced, "--scale", "std-ab").code == 2
    assert terminal(*LEAVE, "covid", "1", *measure, "--pool-depth", "5").code == 2
    deep = terminal(*reduced, "--pool-depth", "100")
    assert (deep.code, "its runs are recorded to rank 20." in deep.err) == (1, True)
    nothing = terminal(*LEAVE, "covid", "2", *measure, "--mode", "reduce")
    assert (nothing.code, "no round '2'" in nothing.err) == (1, True)
