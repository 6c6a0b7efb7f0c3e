"""Leave-one-out of all rounds: each round's own figures, the trend, what is missing; kept, renewed."""

from __future__ import annotations

import numpy as np
import pytest
from sqlalchemy import text
from tests.factories import log_scores, simulated, verify_record

from roundbook.database.engine import unit_of_work

pytestmark = pytest.mark.one_server

EVERY = ("study", "leave-one-out", "t", "--all-rounds", "--measure", "AP")
JSON = ("--format", "json")
TEAMS = "run,team,contributed_to_pool\nrun0,a,yes\nrun1,a,no\nrun2,b,yes\nrun3,b,no\nrun4,c,yes\n"
# The last topic came back under another id.
OTHERS = ("t0", "t1", "t2", "t3", "t4", "t5", "t6", "came back")


def scores(seed):
    return simulated(seed, 8, 6)


@pytest.fixture
def campaign(engine, terminal, tmp_path):
    """Three rounds with teams, of which the second has runs and assessments, and one without."""
    for seed, label in enumerate(("1", "2", "unknown", "3")):
        log_scores(engine, label, scores(seed), topics=OTHERS if label == "3" else None)
    rng = np.random.default_rng(5)
    lines = []
    for run in range(6):
        for topic in range(8):
            lines += [
                f"t{topic} Q0 d{document} {rank} {9 - rank} run{run}"
                for rank, document in enumerate(rng.permutation(12)[:5])
            ]
    judged = [f"t{topic} 0 d{one} {one % 3 == 0:d}" for topic in range(8) for one in range(12)]
    files = {"runs.txt": lines, "qrels.txt": judged}
    for name, content in files.items():
        (tmp_path / name).write_text("\n".join(content) + "\n")
    (tmp_path / "teams.csv").write_text(TEAMS)
    logged = terminal("run", "log", "t", "2", str(tmp_path / "runs.txt"))
    assert logged.code == 0, logged.err
    assert terminal("qrels", "log", "t", "2", str(tmp_path / "qrels.txt")).code == 0
    for label in "123":
        assert terminal("round", "teams", "t", label, str(tmp_path / "teams.csv")).code == 0
    return terminal


@pytest.mark.long
def test_every_round_has_the_figures_of_its_own_study(campaign, engine, tmp_path):
    study = campaign(*EVERY, "--save", "fair", *JSON).json
    assert [(one["round"], one["teams"], one["runs_without_team"]) for one in study["rounds"]] == [
        ("1", 4, 1), ("2", 4, 1), ("3", 4, 1)
    ]  # fmt: skip
    assert [(one["round"], one["why"]) for one in study["left_out"]] == [("unknown", "no teams")]
    first, second, _ = study["rounds"]
    assert (first["not_reassessed"], second["not_reassessed"]) == ("no runs", None)
    anew = second["reassessed"]
    names = ("tau", "rmse", "largest", "bias", "mean_rank_shift", "largest_rank_shift")
    for one, more in (first, ()), (second, ()), (anew, ("--reassessed",)):
        label = one.get("round", "2")
        alone = campaign("study", "leave-one-out", "t", label, *EVERY[-2:], *more, *JSON).json
        for scale, own in zip(one["scales"], alone["scales"], strict=True):
            assert [scale[name] for name in names] == [own[name] for name in names]
    assert anew["known_depth"] == alone["pool"]["known_depth"] == 5
    assert (anew["pool_depth"], anew["relevant_alone"], anew["judged"]) == (
        alone["pool"]["depth"], alone["pool"]["relevant_alone"], alone["pool"]["judged"]
    )  # fmt: skip
    curve = campaign("drift", "t", *EVERY[-2:], "--from", "1", "--curve", *JSON).json
    verdicts = {later["round"]: later["verdict"] for later in curve["rounds"]}
    assert [one["ageing"] for one in study["rounds"]] == [None, verdicts["2"], verdicts["3"]]
    raw, ab, _ = study["scales"]
    assert [trend["by"] for trend in raw["trends"]] == ["assessments"]
    by_factors, by_assessments = ab["trends"]
    taus = [one["scales"][0]["tau"] for one in study["rounds"]]
    assert (by_factors["first"], by_factors["last"]) == (taus[0], taus[2])
    assert by_factors["lower"] == sum(np.diff(taus) < 0)
    assert (by_assessments["rounds"], by_assessments["p"]) == (1, None)
    assert ab["lowest"] == min(*taus, anew["scales"][1]["tau"])

    table = " ".join(campaign(*EVERY).out.split())
    assert "Does reusability get worse, round after round?" in table
    assert "std-ab, assessments: " in table
    assert "in one round" in table
    assert "Fewer than 5 rounds cannot show a trend beyond chance." in table
    assert "Not scored anew, as what runs retrieved is not recorded: '1', '3'." in table
    assert (
        "Lists end at rank 5 in '2': scored anew it is AP to that rank, not AP of the whole list."
        in table
    )
    assert f"In round '2' {anew['logged']['different']} of" in table
    assert "Left out, as which team sent which run is not recorded: 'unknown'." in table
    assert "The factors of round '1' in 2 later rounds" in table
    assert "(runs without team, 3 in all, are one each)" in table
    drawn = ("--chart", str(tmp_path / "rounds.svg"))
    lines = campaign(*EVERY, *drawn, "--format", "csv").table
    assert "Tau, assessments left too" in (tmp_path / "rounds.svg").read_text()
    assert [(row["by"], row["scale"], row["round"]) for row in lines[2:8]] == [
        ("factors", "std-ab", "3"), ("factors", "std-cdf", "1"), ("factors", "std-cdf", "2"),
        ("factors", "std-cdf", "3"), ("assessments", "raw", "2"), ("assessments", "std-ab", "2"),
    ]  # fmt: skip

    # Kept, it is told what it rests on, and is computed again from that.
    listed = campaign("result", "list", "t")
    assert "leave-one-out-rounds: lowest Kendall's tau raw" in " ".join(listed.out.split())
    assert campaign("result", "list", "t", "--stale").out == "No result is stale.\n"
    assert verify_record(engine).status == "verified"
    # By the teams that were known then, whatever is known of them by now.
    for label, reason in ("3", "c and d are one team"), ("1", "and here"):
        (tmp_path / "teams.csv").write_text(TEAMS.replace("run4,c", "run4,b"))
        corrected = ("round", "teams", "t", label, str(tmp_path / "teams.csv"), "--revise", reason)
        assert campaign(*corrected).code == 0
    verification = verify_record(engine)
    assert (verification.status, verification.not_computed) == ("verified", [])
    assert campaign("result", "renew", "fair").code == 0
    (tmp_path / "ids.csv").write_text("topic,round,id\nt7,3,came back\n")
    assert campaign("topic", "alias", "t", str(tmp_path / "ids.csv")).code == 0
    (stale,) = campaign("result", "list", "t", "--stale", *JSON).json["results"]
    assert "topics that rounds share" in str(stale["why"])
    assert campaign("result", "renew", "fair").code == 0
    log_scores(engine, "3", scores(9), topics=OTHERS, revise="misprint")
    (stale,) = campaign("result", "list", "t", "--stale", *JSON).json["results"]
    assert (stale["name"], verify_record(engine).status) == ("fair", "verified")
    assert campaign("result", "renew", "fair").code == 0
    again = campaign("result", "show", "fair", *JSON).json
    assert (again["version"], again["rounds"][2]["revision"]) == (4, 2)

    # What the factors do not give is found, in the first version and in the latest.
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.result DISABLE TRIGGER ALL"))
        connection.execute(
            text(
                "UPDATE roundbook.result SET result ="
                """ jsonb_set(result, '{rounds,1,ageing}', '"as new"') WHERE version IN (1, 4)"""
            )
        )
        connection.execute(
            text(
                "UPDATE roundbook.result SET result ="
                """ jsonb_set(result, '{rounds,1,round}', '"1"') WHERE version = 2"""
            )
        )
        connection.commit()
    (differences,) = verify_record(engine).differences
    assert (differences.count, differences.first.what) == (4, "ageing")
    assert (differences.first.round, differences.first.computed) == ("2", verdicts["2"])


@pytest.mark.long
def test_treccovid_gets_less_reusable(engine, terminal, shared):
    folder, measure = shared / "data" / "treccovid", "nDCG(gains=1:1,2:2)@10"
    for label in "123":
        runs, qrels = (folder / f"round{label}{name}.gz" for name in ("_runs_top20.txt", ".qrels"))
        assert terminal("run", "log", "covid", label, str(runs), "--create").code == 0
        assert terminal("qrels", "log", "covid", label, str(qrels)).code == 0
        teams = folder / f"round{label}_run_team.csv"
        assert terminal("round", "teams", "covid", label, str(teams)).code == 0
        scored = ("log", "covid", label, "--from-runs", "--measure", measure)
        assert terminal(*scored).code == 0
    every = ("study", "leave-one-out", "covid", "--all-rounds", "--measure", measure)
    study = terminal(*every, *JSON).json
    anew = [one["reassessed"] for one in study["rounds"]]
    assert [one["pool_depth"] for one in anew] == [7, 7, 10]
    assert [one["scales"][0]["tau"] for one in anew] == pytest.approx(
        [0.8957, 0.8533, 0.7558], abs=2e-3
    )
    assert [one["explained_share"] for one in anew] == pytest.approx(
        [0.800, 0.495, 0.496], abs=1e-3
    )
    # The factors alone hardly cost anything, in any round.
    assert min(scale["tau"] for one in study["rounds"] for scale in one["scales"]) > 0.98
    assert [one["ageing"] for one in study["rounds"]] == [None, "undecided", "aged"]
    raw = study["scales"][0]["trends"][0]
    assert (raw["lower"], raw["higher"], raw["order_tau"]) == (2, 0, -1)
    assert raw["p"] == pytest.approx(1 / 3)
