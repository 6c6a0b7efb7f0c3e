"""Leave-one-out on files and on the record, with the assessments kept or reduced; saved, stale."""

from __future__ import annotations

import csv

import openpyxl
import pytest
from tests.factories import log_qrels, log_runs, log_scores, simulated, verify_record, wide

pytestmark = pytest.mark.one_server

NDCG = "data/treccovid/treccovid_round1_ndcg10.csv"
TEAMS = "data/treccovid/round1_run_team.csv"
LEAVE = ("study", "leave-one-out")
JSON = ("--format", "json")
AP = ("--measure", "AP")


def figures(scale):
    return (
        scale["scale"],
        round(scale["tau"], 4),
        round(scale["rmse"], 5),
        round(scale["largest"], 5),
        round(scale["bias"], 5),
        round(scale["mean_rank_shift"], 2),
        scale["largest_rank_shift"],
    )


def test_factors_of_the_first_round_of_trec_covid(engine, terminal, shared, tmp_path):
    file, measure = str(shared / NDCG), ("--measure", "nDCG@10")
    with (shared / TEAMS).open() as known:
        lines = [f"{row['run']},{row['team']}" for row in csv.DictReader(known)]
    teams = tmp_path / "teams.csv"
    teams.write_text("\n".join(["run,team", *lines]) + "\n")
    log = ("log", "covid", "1", file, *measure, "--teams", str(teams), "--create")
    assert terminal(*log).code == 0

    of_round = (*LEAVE, "covid", "1", *measure)
    printed = terminal(*of_round, *JSON).json
    assert [figures(scale) for scale in printed["scales"]] == [
        ("std-ab", 0.9951, 0.00306, 0.00739, 0.00005, 0.14, 3),
        ("std-cdf", 0.9963, 0.00297, 0.00664, -0.00004, 0.09, 2),
    ]
    ab = printed["scales"][0]
    assert ab["tau_high"] - ab["tau"] == pytest.approx(0.1106, abs=1e-3)
    assert (printed["by"], printed["trials"], printed["standardising_runs"]) == ("team", 56, 143)
    assert printed["pool"] is None
    losses = [run["difference"] for run in ab["left_out"]]
    assert losses == sorted(losses)
    assert {run["run"]: run["team"] for run in ab["left_out"]}["BBGhelani2"] == "BBGhelani"
    # The same of the files alone.
    alone = terminal(*LEAVE, "--file", file, "--teams", str(teams), *measure, *JSON).json
    assert alone["scales"] == printed["scales"]
    by_run = terminal(*of_round, "--by", "run", "--scale", "std-ab", *JSON).json
    assert [figures(scale) for scale in by_run["scales"]] == [
        ("std-ab", 0.9990, 0.00118, 0.00276, 0.00007, 0.08, 1)
    ]
    table = " ".join(terminal(*of_round).out.split())
    assert "On std-ab, a run that is left out gets 0.0001 more on average" in table
    assert "each of 56 teams is left out once with all its runs" in table
    assert "by the factors of the others among all runs" in table
    rows = terminal(*of_round, "--format", "csv").table
    assert (len(rows), rows[0]["scale"], rows[0]["run"]) == (
        286, "std-ab", ab["left_out"][0]["run"]
    )  # fmt: skip


@pytest.mark.long
def test_assessments_of_the_first_round_of_trec_covid(engine, terminal, shared):
    folder = shared / "data/treccovid"
    log_runs(engine, "covid", "1", folder / "round1_runs_top20.txt.gz", create=True)
    log_qrels(engine, "covid", "1", folder / "round1.qrels.gz")
    anew = (*LEAVE, "covid", "1", "--measure", "nDCG(gains=1:1,2:2)@10", "--reassessed")
    refused = terminal(*anew)
    assert (refused.code, "Which team sent which run of round '1'" in refused.err) == (1, True)
    assert terminal("round", "teams", "covid", "1", str(shared / TEAMS)).code == 0

    saved = terminal(*anew, "--save", "fair", *JSON).json
    assert (saved["status"], saved["upload"], saved["revision"]) == ("saved", 1, 1)
    raw, ab, _ = saved["scales"]
    # Some scores in this file tie that did not, so that a few documents change places.
    assert raw["tau"] == pytest.approx(0.8957, abs=2e-3)
    assert raw["rmse"] == pytest.approx(0.04526, abs=2e-4)
    assert raw["bias"] == pytest.approx(-0.03296, abs=2e-4)
    assert (raw["largest_rank_shift"], ab["scale"]) == (33, "std-ab")
    worst = raw["left_out"][0]
    assert (worst["run"], worst["team"]) == ("xj4wang_run1", "xj4wang")
    assert worst["difference"] == pytest.approx(-0.1595, abs=5e-5)
    pool = saved["pool"]
    assert (pool["depth"], pool["known_depth"], pool["judged"], pool["relevant"]) == (
        7, 20, 8691, 2352
    )  # fmt: skip
    assert pool["judged_alone"] == pytest.approx(5446, abs=3)
    assert pool["relevant_alone"] == sum(t["relevant"] for t in pool["contributions"]) == 1068
    unique = {team["team"]: team["relevant"] for team in pool["contributions"]}
    assert (unique["xj4wang"], unique["BBGhelani"], unique["POZNAN"]) == (57, 45, 40)
    assert (pool["emptied"], pool["without_relevant"]) == ([], [])
    assert saved["standardising"] == "pooled"

    table = " ".join(terminal(*anew).out.split())
    assert "The pool is taken to be 7 deep." in table
    assert "1,068 of 2,352 relevant ones are there by one team only" in table
    assert "The pooled runs explain 80.0% of the assessments." in table
    assert "documents that pooled runs of that team have to rank 7" in table
    shallow = terminal(*anew, "--pool-depth", "20", "--scale", "raw")
    assert "Runs are recorded to no deeper rank" in " ".join(shallow.out.split())
    assert "its runs are recorded to rank 20." in terminal(*anew, "--pool-depth", "21").err
    assert "leave-one-out: Kendall's tau raw 0.8" in terminal("result", "list", "covid").out
    assert terminal("result", "list", "covid", "--stale").out == "No result is stale.\n"
    assert verify_record(engine).status == "verified"


def scores(seed=0):
    """Six runs on twelve topics; on the last only the first run scores."""
    made = simulated(seed, 12, 6)
    made[-1, 1:] = 0
    return made


@pytest.mark.both_servers
def test_a_study_goes_by_what_is_known_of_teams(engine, terminal, tmp_path):
    log_scores(engine, "1", scores())
    leave = (*LEAVE, "t", "1", *AP)
    # No team is known: run by run, but not if teams are asked for.
    saved = terminal(*leave, "--save", "fair", *JSON).json
    assert (saved["by"], saved["trials"]) == ("run", 6)
    assert saved["tied"] == [{"without": "run0", "topic": "t11"}]
    assert "Without run0, topic t11 has no spread among the others" in " ".join(
        terminal(*leave).out.split()
    )
    assert terminal(*leave, "--format", "csv").out.startswith("scale,run,official,left_out,")
    refused = terminal(*leave, "--by", "team")
    assert "record it with 'roundbook round teams t 1 FILE'" in refused.err

    teams = tmp_path / "teams.csv"
    teams.write_text("run,team\nrun0,a\nrun1,a\nrun2,B\nrun3,b\nrun4,c\n")
    assert terminal("round", "teams", "t", "1", str(teams)).code == 0
    assert verify_record(engine).status == "verified"
    (stale,) = terminal("result", "list", "t", "--stale", *JSON).json["results"]
    assert stale["name"] == "fair"
    assert terminal("result", "renew", "fair").code == 0
    again = terminal("result", "show", "fair", *JSON).json
    assert (again["version"], again["by"], again["trials"], again["runs_without_team"]) == (
        2, "team", 4, 1
    )  # fmt: skip
    assert again["team_of_run"] == [0, 0, 1, 1, 2, 3]
    assert (
        "each of 4 teams (1 of them runs without team) is left out once with all its runs"
        in " ".join(terminal("result", "show", "fair").out.split())
    )
    assert verify_record(engine).status == "verified"
    fit = ("factors", "fit", "t", "1", *AP, "--reason", "without the last")
    tags = [word for number in range(5) for word in ("--runs", f"run{number}")]
    assert terminal(*fit, *tags).code == 0
    chosen = terminal(*leave, *JSON).json
    assert (chosen["standardising"], chosen["standardising_runs"]) == ("chosen", 5)
    assert "among the 5 standardising runs" in " ".join(terminal(*leave).out.split())
    # The run without team does not standardise: being left out is nothing to it.
    (last,) = [run for run in chosen["scales"][0]["left_out"] if run["run"] == "run5"]
    assert last["difference"] == pytest.approx(0, abs=1e-12)


def test_what_cannot_be_left_out_is_said_in_a_sentence(engine, terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    log_scores(engine, "1", scores())
    log_scores(engine, "one", scores()[:, :2])
    (tmp_path / "scores.csv").write_text(wide(scores()))
    (tmp_path / "alike.csv").write_text("run,team\n" + "".join(f"run{n},a\n" for n in range(6)))
    (tmp_path / "single.csv").write_text("topic,run0\n1,0.2\n2,0.3\n")
    file = (*LEAVE, "--file", "scores.csv", *AP)
    of_round = (*LEAVE, "t", "1", *AP)
    all_rounds = (*LEAVE, "t", "--all-rounds", *AP)
    cases = {
        (*file, "--by", "team"): "needs a team file; give it with --teams",
        (*file, "--teams", "alike.csv"): "needs runs of at least two teams",
        (*file, "--reassessed"): "takes runs in --file, their relevance assessments in --qrels",
        (*file, "--qrels", "x"): "--qrels goes with --file and --reassessed",
        (*of_round, "--all-rounds"): "name the task, and no round or file",
        (*all_rounds, "--file", "scores.csv"): "name the task, and no round or file",
        (*all_rounds, "--missing", "zero"): "--missing is of score files",
        (
            *all_rounds,
            "--reassessed",
        ): "wherever runs and assessments are recorded: leave out --rea",
        (*all_rounds, "--pool-depth", "5"): "each round's own pool depth: leave out --pool-depth",
        (*all_rounds, "--by", "run"): "--all-rounds leaves out teams",
        (*all_rounds, "--scale", "raw"): "name another --scale too",
        all_rounds: "not recorded of any round with AP scores; record it with",
        (*file, "--scale", "raw"): "Raw scores stay as they are",
        (*LEAVE, "--file", "single.csv", *AP): "needs at least 2 runs, not 1",
        (*LEAVE, "t", "one", *AP): "besides those that are left out, and once 1 would be left",
        (*of_round, "--pool-depth", "5"): "--pool-depth goes with --reassessed",
        (*of_round, "--teams", "alike.csv"): "--teams goes with --file",
        (*of_round, "--by", "run", "--reassessed"): "--reassessed goes by team",
        (*of_round, "--reassessed"): "Round '1' has no runs",
    }
    for words, message in cases.items():
        refused = terminal(*words)
        assert refused.code != 0, words
        assert message in " ".join(refused.err.replace("│", "").split()), words
    assert terminal("result", "list", "t", *JSON).json["results"] == []


def test_a_topic_that_only_one_team_found(engine, terminal, tmp_path):
    """Two teams pooled one document a topic; the third pooled nothing."""
    run_lines, judged = [], []
    for team in range(3):
        for topic in range(3):
            first = "both" if topic else f"team{team}"
            run_lines += [
                f"{topic} Q0 {first} 1 2.0 run{team}",
                f"{topic} Q0 last 2 1.0 run{team}",
            ]
    for topic in range(3):
        judged += [f"{topic} 0 {'both' if topic else 'team0'} {int(topic < 2)}"]
    judged += ["0 0 team1 0", "2 0 other -1", "1 0 found 1"]
    (tmp_path / "runs.txt").write_text("\n".join(run_lines) + "\n")
    (tmp_path / "qrels.txt").write_text("\n".join(judged) + "\n")
    (tmp_path / "teams.csv").write_text(
        "run,team,contributed_to_pool\nrun0,a,yes\nrun1,b,yes\nrun2,c,no\n"
    )
    assert terminal("run", "log", "t", "1", str(tmp_path / "runs.txt"), "--create").code == 0
    assert terminal("qrels", "log", "t", "1", str(tmp_path / "qrels.txt")).code == 0
    assert terminal("round", "teams", "t", "1", str(tmp_path / "teams.csv")).code == 0
    anew = (*LEAVE, "t", "1", *AP, "--reassessed", "--scale", "raw")
    printed = terminal(*anew, *JSON).json
    pool = printed["pool"]
    assert (pool["depth"], pool["judged_alone"], pool["relevant_alone"]) == (1, 2, 1)
    assert pool["emptied"] == [{"without": "a", "topic": "0"}]
    assert pool["without_relevant"] == ["2"]
    left = {run["run"]: run for run in printed["scales"][0]["left_out"]}
    assert left["run0"]["official"] == pytest.approx(0.5)
    assert left["run0"]["left_out"] == pytest.approx(1 / 6)
    assert left["run2"]["difference"] == 0
    table = " ".join(terminal(*anew).out.split())
    assert "Without a, topic 0 has no relevant document left" in table
    assert "Teams without a pooled run: 1 of 3." in table
    assert "No document is relevant to topic 2" in table
    assert (printed["logged"], printed["factors_of"]) == (None, None)

    # Once scores are logged, it is by the runs of their factors, and says how these scores differ.
    logged = "topic,run0,run1,run2\n0,.5,0,0\n1,.5,.5,.25\n2,0,0,.75\n"
    (tmp_path / "ap.csv").write_text(logged)
    kept = (*anew, "--save", "raw", *JSON)
    assert terminal(*kept).json["standardising"] == "pooled"
    assert terminal("log", "t", "1", str(tmp_path / "ap.csv"), *AP).code == 0
    fit = ("factors", "fit", "t", "1", *AP, "--reason", "as before", "--runs")
    assert terminal(*fit, "all").code == 0
    kept = (*LEAVE, "t", "1", *AP, "--reassessed", "--save", "anew", *JSON)
    again = terminal(*kept).json
    assert (again["standardising"], again["standardising_runs"]) == ("all", 3)
    assert (again["factors_of"], again["factor_version"]) == (1, 2)
    assert again["logged"]["different"] == 3
    assert again["logged"]["largest"] == pytest.approx(0.75)
    assert (
        "3 of 9 logged scores (matrix 1, revision 1) differ from them by more than 0.0001,"
        " by up to 0.75" in " ".join(terminal("result", "show", "anew").out.split())
    )
    assert terminal("result", "list", "t", "--stale", *JSON).json["results"] == []
    assert verify_record(engine).status == "verified"
    assert terminal(*fit, "pooled").code == 0
    (stale,) = terminal("result", "list", "t", "--stale", *JSON).json["results"]
    assert stale["name"] == "anew"
    assert verify_record(engine).status == "verified"

    # The same of the files alone, and what pilots of two teams would have found.
    files = ("--file", str(tmp_path / "runs.txt"), "--qrels", str(tmp_path / "qrels.txt"))
    files += ("--teams", str(tmp_path / "teams.csv"))
    alone = terminal(*LEAVE, *files, *AP, "--reassessed", "--scale", "raw", *JSON).json
    assert (alone["scales"], alone["pool"]) == (printed["scales"], pool)
    assert (alone["matrix"], alone["upload"], len(alone["files"])) == (None, None, 1)
    assert alone["qrels"].endswith("qrels.txt")
    reduce = ("--mode", "reduce", "--teams-left", "2", *AP, *JSON)
    pilots = ("study", "leave-teams-out")
    in_record = terminal(*pilots, "t", "1", *reduce).json
    of_files = terminal(*pilots, *files, *reduce).json
    assert of_files["scales"] == in_record["scales"]
    assert (of_files["pool_depth"], of_files["explained_share"]) == (
        1,
        in_record["explained_share"],
    )
    assert "(qrels.txt)" in of_files["protocol"].replace(f"{tmp_path}/", "")

    # What is known of the pool is as it was when the study was saved.
    saved = terminal(*anew, "--save", "pool", *JSON).json
    assert saved["pool"] == pool
    (tmp_path / "teams.csv").write_text(
        "run,team,contributed_to_pool\nrun0,a,yes\nrun1,b,yes\nrun2,c,yes\n"
    )
    corrected = ("round", "teams", "t", "1", str(tmp_path / "teams.csv"), "--revise", "it did")
    assert terminal(*corrected).code == 0
    assert verify_record(engine).status == "verified"
    stale = terminal("result", "list", "t", "--stale", *JSON).json["results"]
    assert {row["name"] for row in stale} == {"raw", "anew", "pool"}
    assert terminal("matrix", "withdraw", "1", "--reason", "wrong scores").code == 0
    assert verify_record(engine).status == "verified"
    refused = terminal("result", "renew", "pool")
    assert (refused.code, "No pool depth explains these judgments" in refused.err) == (1, True)
    assert "give it with --pool-depth" in refused.err
    assert terminal(*anew, "--pool-depth", "1").code == 0


def test_what_is_hidden_of_workbooks_is_told(engine, terminal, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = ("a", "b", "c", "d")
    rows = [["topic", *runs], *([f"t{row}", row / 9, row**2 / 99, 0.4, 0.1] for row in range(6))]
    teams = [["run", "team"], *([run, "XXYY"[number]] for number, run in enumerate(runs))]
    for name, table in ("scores.xlsx", rows), ("teams.xlsx", teams):
        book = openpyxl.Workbook()
        for row in table:
            book.active.append(row)
        book.active.row_dimensions[3].hidden = True
        book.save(name)
    lines = [f"{name}: read like all else: 1 hidden row." for name in ("scores.xlsx", "teams.xlsx")]
    file = (*LEAVE, "--file", "scores.xlsx", "--teams", "teams.xlsx", *AP)
    assert [line for line in terminal(*file).out.splitlines() if "read like" in line] == lines
    assert [one["rows"] for one in terminal(*file, *JSON).json["hidden"]] == [1, 1]
    changed = ("study", "change", "--file", "scores.xlsx", "--to-file", "scores.csv", *AP)
    (tmp_path / "scores.csv").write_text("topic,a,b\n7,.1,.2\n8,.3,.3\n")
    assert lines[0] in terminal(*changed, "--pivot", "a", "--trials", "40").out
    logged = terminal("log", "t", "1", "scores.xlsx", "--teams", "teams.xlsx", *AP, "--create")
    assert all(line in logged.err for line in lines)
    assert lines[1] in terminal("round", "teams", "t", "1", "teams.xlsx").err
