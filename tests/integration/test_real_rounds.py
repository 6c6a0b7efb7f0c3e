"""Real rounds through the terminal; every number computed anew here, from the files themselves."""

from __future__ import annotations

import csv
import io
import itertools
import json
import statistics

import numpy as np
import pytest
from scipy.special import ndtr
from sqlalchemy import text
from tests.databases import rows, scalar
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work

pytestmark = pytest.mark.one_server

COVID = [("round1", 30, 143, 0.05311), ("round2", 35, 136, 0.07138), ("round3", 40, 79, 0.07161)]
FACTORS = {
    "trec3": ("trec_adhoc3_ap.csv", "trec3.adhoc"),
    "trec5": ("trec_adhoc5_ap.csv", "trec5.adhoc"),
    "trec7": ("trec_adhoc7_ap.csv", "trec7.adhoc"),
    "robust2003": ("trec_robust2003_ap.csv", "trec2003.rob"),
}


@pytest.fixture
def data(shared):
    return shared / "data"


@pytest.fixture
def roundbook(terminal):
    """Run a command line on an empty record and return what it printed as JSON, and on stderr."""

    def call(*words, code=0):
        done = terminal(*map(str, words), "--format", "json")
        assert done.code == code, (words, done)
        return (json.loads(done.out) if done.out else None), done.err

    return call


def read_wide(path):
    """Return topics, runs and the scores, a list a topic; None where missing."""
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    scores = [[float(cell) if cell else None for cell in row[1:]] for row in rows[1:]]
    return [row[0] for row in rows[1:]], rows[0][1:], scores


def read_dicts(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


def naive_variance(scores):
    """Return V_E and its dof, cell by cell."""
    runs = list(zip(*scores, strict=True))
    sum_of_squares = 0.0
    for run_scores in runs:
        mean = sum(run_scores) / len(run_scores)
        sum_of_squares += sum((score - mean) ** 2 for score in run_scores)
    dof = len(runs) * (len(scores) - 1)
    return sum_of_squares / dof, dof


def covid_file(data, number, measure="ndcg10"):
    return data / "treccovid" / f"treccovid_round{number}_{measure}.csv"


@prepared
def covid(roundbook, data):
    for number in (1, 2, 3):
        roundbook(
            *("log", "covid", f"round{number}", covid_file(data, number)),
            *("--measure", "nDCG@10", "--create"),
        )
    return roundbook


def test_covid_variances_and_pooled(covid, data):
    shown, _ = covid("variance", "show", "covid", "--measure", "nDCG@10")
    naive = [naive_variance(read_wide(covid_file(data, number))[2]) for number in (1, 2, 3)]
    assert [row["round"] for row in shown["rounds"]] == [label for label, *_ in COVID]
    for row, (_, topics, runs, published), (variance, dof) in zip(
        shown["rounds"], COVID, naive, strict=True
    ):
        assert (row["topics"], row["runs"], row["dof"]) == (topics, runs, dof)
        assert row["variance"] == pytest.approx(published, abs=5e-6)
        assert row["variance"] == pytest.approx(variance, rel=1e-10)
    assert shown["pooled"]["dof"] == 143 * 29 + 136 * 34 + 79 * 39 == sum(dof for _, dof in naive)
    pooled = sum(variance * dof for variance, dof in naive) / sum(dof for _, dof in naive)
    assert shown["pooled"]["variance"] == pytest.approx(pooled, rel=1e-10)
    assert shown["pooled"]["variance"] == pytest.approx(0.06504, abs=5e-6)


@pytest.mark.parametrize("scale", ["std-ab", "std-cdf"])
def test_covid_variances_on_standardised_scales(covid, data, scale):
    shown, _ = covid("variance", "show", "covid", "--measure", "nDCG@10", "--scale", scale)
    for number, row in enumerate(shown["rounds"], 1):
        scores = np.array(read_wide(covid_file(data, number))[2])
        std = (scores - scores.mean(1)[:, None]) / scores.std(1, ddof=1)[:, None]
        scaled = ndtr(std) if scale == "std-cdf" else np.clip(0.15 * std + 0.5, 0, 1)
        assert row["variance"] == pytest.approx(naive_variance(scaled.tolist())[0], rel=1e-9)


def limits(interval):
    assert interval["method"] == "jackknife"
    return [interval["low"], interval["high"]]


# From here to the plans: the values of an independent program, to the digits that it printed.
COVID_INTERVALS = {
    # round: runs as they are, by team, two-way by team
    "round1": ([0.04289, 0.06738], [0.04217, 0.06882], 0.033787, [0.03015, 0.03811]),
    "round2": (None, [0.05903, 0.08798], 0.033699, [0.02971, 0.03854]),
    "round3": (None, [0.05730, 0.09195], 0.030324, [0.02584, 0.03606]),
}


def test_covid_intervals_by_team(covid_with_teams):
    shown, _ = covid_with_teams("variance", "show", "covid", "--measure", "nDCG@10")
    for row in shown["rounds"]:
        _, by_team, two_way, two_way_by_team = COVID_INTERVALS[row["round"]]
        assert limits(row["interval"]) == pytest.approx(by_team, abs=5e-6)
        assert row["two_way_variance"] == pytest.approx(two_way, abs=5e-7)
        assert limits(row["two_way_interval"]) == pytest.approx(two_way_by_team, abs=5e-6)
        assert row["interval"]["of"] == row["two_way_interval"]["of"] == "systems"
    assert [row["clusters"] for row in shown["rounds"]] == [56, 51, 31]
    pooled = shown["pooled"]
    assert pooled["variance"] == pytest.approx(0.065045, abs=5e-7)
    assert limits(pooled["interval"]) == pytest.approx([0.05599, 0.07646], abs=5e-6)
    assert pooled["topics"] == 40
    assert pooled["two_way_variance"] == pytest.approx(0.032856, abs=5e-7)
    assert limits(pooled["two_way_interval"]) == pytest.approx([0.03029, 0.03576], abs=5e-6)
    test, two_way = pooled["homogeneity"], pooled["two_way_homogeneity"]
    assert [test["statistic"], test["p_value"]] == pytest.approx([2.5442, 0.1056], abs=5e-5)
    assert (test["dof"], test["dof_residual"]) == (2, 18.5)
    assert [two_way["statistic"], two_way["p_value"]] == pytest.approx([0.7434, 0.4892], abs=5e-5)
    assert pooled["max_min_ratio"] == pytest.approx(1.348, abs=5e-4)
    assert pooled["warning"] is None
    following = pooled["next_round"]
    limits_of_next = [following[key] for key in ("u80", "u95", "low", "high", "tau2")]
    assert limits_of_next == pytest.approx([0.07647, 0.08985, 0.04676, 0.09637, 0.01776], abs=5e-6)
    following = pooled["two_way_next_round"]
    assert [following["u80"], following["tau2"]] == pytest.approx([0.03670, 0.0096], abs=5e-6)


def test_covid_intervals_without_teams(covid):
    shown, _ = covid("variance", "show", "covid", "--measure", "nDCG@10")
    first = shown["rounds"][0]
    assert limits(first["interval"]) == pytest.approx(COVID_INTERVALS["round1"][0], abs=5e-6)
    assert [row["clusters"] for row in shown["rounds"]] == [143, 136, 79]
    assert shown["pooled"]["homogeneity"]["p_value"] == pytest.approx(0.0774, abs=5e-5)
    assert shown["pooled"]["two_way_homogeneity"]["p_value"] == pytest.approx(0.3822, abs=5e-5)


def test_covid_teams_that_become_known_later(covid, data):
    log_covid_with_teams(covid, data)
    shown, _ = covid("variance", "show", "covid", "--measure", "nDCG@10")
    assert [row["estimate_version"] for row in shown["rounds"]] == [2, 2, 2]
    assert limits(shown["pooled"]["interval"]) == pytest.approx([0.05599, 0.07646], abs=5e-6)
    assert shown["pooled"]["homogeneity"]["p_value"] == pytest.approx(0.1056, abs=5e-5)
    matrix, _ = covid("matrix", "show", shown["rounds"][0]["matrix"])
    raw = [row for row in matrix["variances"] if row["scale"] == "raw"]
    assert [(row["version"], row["clusters"]) for row in raw] == [(1, 143), (2, 56)]


ADHOC_AP = {
    # V_E, its limits, V_2, its limits: runs as they are
    "trec_adhoc3_ap": (0.033562, [0.02429, 0.04929], 0.010920, [0.00864, 0.01423]),
    "trec_adhoc5_ap": (0.047248, [0.03047, 0.08264], 0.015257, [0.01043, 0.02437]),
    "trec_adhoc6_ap": (0.035725, [0.02655, 0.05056], 0.020112, [0.01456, 0.02953]),
    "trec_adhoc7_ap": (0.029401, [0.02018, 0.04664], 0.012040, [0.00989, 0.01497]),
    "trec_robust2003_ap": (0.040579, [0.03113, 0.05507], 0.009828, [0.00807, 0.01223]),
}


@pytest.fixture
def adhoc(roundbook, data):
    """Log ad hoc rounds of AP as one task; return its variance history."""

    def call(*names):
        for name in names:
            file = data / "adhoc" / f"{name}.csv"
            roundbook("log", "adhoc", name, file, "--measure", "AP", "--create")
        return roundbook("variance", "show", "adhoc", "--measure", "AP")[0]

    return call


def test_adhoc_intervals(adhoc):
    for row in adhoc(*ADHOC_AP)["rounds"]:
        variance, interval, two_way, two_way_interval = ADHOC_AP[row["round"]]
        values = [row["variance"], row["two_way_variance"]]
        assert values == pytest.approx([variance, two_way], abs=5e-7)
        assert limits(row["interval"]) == pytest.approx(interval, abs=5e-6)
        assert limits(row["two_way_interval"]) == pytest.approx(two_way_interval, abs=5e-6)


def test_adhoc_rounds_pooled(adhoc):
    pooled = adhoc(*(f"trec_adhoc{number}_ap" for number in (3, 5, 6, 7)))["pooled"]
    assert pooled["topics"] == 200
    assert pooled["variance"] == pytest.approx(0.035599, abs=5e-7)
    assert limits(pooled["interval"]) == pytest.approx([0.02925, 0.04427], abs=5e-6)
    assert pooled["homogeneity"]["p_value"] == pytest.approx(0.3709, abs=5e-5)
    assert pooled["next_round"]["u80"] == pytest.approx(0.04084, abs=5e-6)


def test_adhoc_rounds_pooled_that_share_topics(adhoc):
    # 33 of the old topics of Robust 2003 are of TREC-6 and TREC-7.
    pooled = adhoc("trec_adhoc6_ap", "trec_adhoc7_ap", "trec_robust2003_ap")["pooled"]
    assert pooled["topics"] == 167
    assert pooled["variance"] == pytest.approx(0.036064, abs=5e-7)
    assert limits(pooled["interval"]) == pytest.approx([0.02992, 0.04432], abs=5e-6)
    assert pooled["homogeneity"]["p_value"] == pytest.approx(0.3750, abs=5e-5)
    assert pooled["two_way_variance"] == pytest.approx(0.012781, abs=5e-7)
    assert limits(pooled["two_way_interval"]) == pytest.approx([0.01099, 0.01505], abs=5e-6)
    assert pooled["two_way_homogeneity"]["p_value"] == pytest.approx(0.000266, abs=5e-7)


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "last", "mean_shift", "difference", "verdict"),
    [
        (1, 3, 0.8984, 0.21, "aged"),
        (1, 2, 0.4533, 0.12, "undecided"),
        (2, 3, 0.3809, 0.077, "undecided"),
    ],
)
def test_covid_drift(covid, data, first, last, mean_shift, difference, verdict):
    words = ["drift", "covid", "--measure", "nDCG@10"]
    ends = ["--from", f"round{first}", "--to", f"round{last}"]
    shown, _ = covid(*words, *ends)
    assert (shown["from"], shown["to"]) == (f"round{first}", f"round{last}")
    assert (shown["shared_topics"], shown["verdict"]) == ({1: 30, 2: 35}[first], verdict)
    assert shown["provisional"] is True
    assert shown["mean_shift"] == pytest.approx(mean_shift, abs=5e-5)
    matrices = [read_wide(covid_file(data, number)) for number in (first, last)]
    old, new = (dict(zip(m[0], m[2], strict=True)) for m in matrices)
    shared = [topic for topic in old if topic in new]
    assert [row["topic"] for row in shown["topics"]] == shared
    shifts, ratios, moved, spreads = [], [], [], []
    for row in shown["topics"]:
        means = [statistics.fmean(scores[row["topic"]]) for scores in (old, new)]
        sds = [statistics.stdev(scores[row["topic"]]) for scores in (old, new)]
        assert [row["mean_from"], row["mean_to"]] == pytest.approx(means, rel=1e-10)
        assert [row["sd_from"], row["sd_to"]] == pytest.approx(sds, rel=1e-10)
        assert row["shift"] == pytest.approx((means[1] - means[0]) / sds[0], rel=1e-9)
        assert row["sd_ratio"] == pytest.approx(sds[1] / sds[0], rel=1e-10)
        shifts.append((means[1] - means[0]) / sds[0])
        ratios.append(sds[1] / sds[0])
        moved.append(means[1] - means[0])
        spreads.append(sds)
    before, after = map(statistics.fmean, zip(*spreads, strict=True))
    assert shown["shift"] == pytest.approx(statistics.fmean(moved) / before, rel=1e-10)
    assert shown["sd_ratio"] == pytest.approx(after / before, rel=1e-10)
    assert shown["mean_shift"] == pytest.approx(statistics.fmean(shifts), rel=1e-10)
    assert shown["median_shift"] == pytest.approx(statistics.median(shifts), rel=1e-10)
    geometric = statistics.geometric_mean(ratios)
    assert shown["sd_ratio_geometric"] == pytest.approx(geometric, rel=1e-10)
    differences = [row["mean_to"] - row["mean_from"] for row in shown["topics"]]
    assert statistics.fmean(differences) == pytest.approx(difference, abs=5e-3)
    if (first, last) == (1, 3):  # the default: the first round and the latest
        assert covid(*words)[0] == shown


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "last", "verdict"), [(1, 2, "undecided"), (1, 3, "aged"), (2, 3, "undecided")]
)
def test_covid_drift_by_the_teams_of_the_pooled_runs(covid_with_teams, first, last, verdict):
    shown, _ = covid_with_teams(
        *("drift", "covid", "--measure", "nDCG@10"),
        *("--from", f"round{first}", "--to", f"round{last}"),
    )
    assert (shown["verdict"], shown["provisional"]) == (verdict, False)
    teams = {1: 56, 2: 51, 3: 31}
    units = {"from": teams[first], "to": teams[last], "by": "team", "runs_without_team": 0}
    assert shown["units"].items() >= units.items()
    again = shown["recurring"]["units"]
    assert again["from"] == again["to"] == again["shared"] == shown["units"]["shared"]
    assert shown["tests"]["standardising_from"] == "pooled"


def test_covid_plan_from_its_own_rounds(covid):
    words = ("--m", "10", "--min-d", "0.1")
    shown, _ = covid("plan", "--task", "covid", "--measure", "nDCG@10", *words)
    assert shown["variance"] == pytest.approx(0.06504, abs=5e-6)
    given, _ = covid("plan", "--variance", shown["variance"], *words)
    (cell,), (plain,) = shown["cells"], given["cells"]
    assert cell["beside"]["planning"] > cell["topics"]
    assert cell | {"beside": {}} == plain | {"beside": {}}


@pytest.mark.long
@pytest.mark.parametrize("label", FACTORS)
def test_published_factors(roundbook, data, label):
    scores, published = FACTORS[label]
    roundbook("log", label, label, data / "adhoc" / scores, "--measure", "AP", "--create")
    shown, _ = roundbook("factors", "show", label, label, "--measure", "AP")
    mean, sd = (
        {
            row[""]: float(row["AP"])
            for row in read_dicts(data / "factors" / f"{published}.{kind}.csv")
        }
        for kind in ("mn", "sd")
    )
    assert len(shown["factors"]) == len(mean) == (100 if label == "robust2003" else 50)
    for factor in shown["factors"]:
        assert factor["mean"] == pytest.approx(mean[factor["topic"]], abs=1e-9)
        assert factor["sd"] == pytest.approx(sd[factor["topic"]], abs=1e-9)


def test_robust_check_value(roundbook, data, tmp_path):
    lines = (data / "adhoc" / "trec_robust2003_ap.csv").read_text().splitlines()
    new = [line for line in lines[1:] if 601 <= int(line.split(",")[0]) <= 650]
    assert len(new) == 50
    path = tmp_path / "new.csv"
    path.write_text("\n".join([lines[0], *new]) + "\n")
    done, _ = roundbook("log", "robust", "2003", path, "--measure", "AP", "--create")
    assert done["variance"] == pytest.approx(0.047977, abs=5e-7)
    shown, _ = roundbook("variance", "show", "robust", "--measure", "AP")
    (row,) = shown["rounds"]
    assert limits(row["interval"]) == pytest.approx([0.03661, 0.06553], abs=5e-6)
    assert row["two_way_variance"] == pytest.approx(0.013172, abs=5e-7)
    assert limits(row["two_way_interval"]) == pytest.approx([0.01059, 0.01681], abs=5e-6)


@pytest.mark.parametrize("computed", ["sakai", "exact"])
def test_table_2_of_airs_2016(roundbook, shared, computed):
    path = shared / "reference" / "airs2016_table2_sections_I_IV.csv"
    rows = read_dicts(path)
    assert len(rows) == 80
    column = {"sakai": "n_published", "exact": "n_exact_noncentral_f"}[computed]
    compared = 0
    for key, group in itertools.groupby(
        rows, lambda row: (row["variance"], row["alpha"], row["beta"])
    ):
        expected = {(int(row["m"]), float(row["min_d"])): int(row[column]) for row in group}
        grid = [("--m", m) for m in sorted({m for m, _ in expected})]
        grid += [("--min-d", d) for d in sorted({d for _, d in expected})]
        shown, _ = roundbook(
            *("plan", "--variance", key[0], "--alpha", key[1], "--beta", key[2]),
            *("--engine", computed, *(word for pair in grid for word in pair)),
        )
        assert {(c["m"], c["min_d"]): c["topics"] for c in shown["cells"]} == expected
        compared += len(expected)
    assert compared == 80


def test_a_topic_where_all_runs_tie(roundbook, data):
    path = data / "adhoc" / "trec_adhoc5_p10.csv"
    done, err = roundbook("log", "trec", "5", path, "--measure", "P@10", "--create")
    assert "topic 267" in err
    assert any("267" in note for note in done["notes"])
    factors, _ = roundbook("factors", "show", "trec", "5", "--measure", "P@10")
    assert {f["topic"] for f in factors["factors"] if f["sd"] == 0} == {"267"}
    topics, _, scores = read_wide(path)
    tied = scores[topics.index("267")]
    (factor,) = [f for f in factors["factors"] if f["topic"] == "267"]
    assert set(tied) == {factor["mean"]}
    for scale, neutral in (("std", 0.0), ("std-cdf", 0.5), ("std-ab", 0.5)):
        shown, _ = roundbook("standardise", "trec", "5", "--measure", "P@10", "--scale", scale)
        column = shown["topics"].index("267")
        assert {run[column] for run in shown["scores"]} == {neutral}
    dropped, _ = roundbook(
        *("log", "trec", "5 dropped", path, "--measure", "P@10", "--create", "--zero-sd", "drop")
    )
    assert dropped["topics"] == 50
    shown, err = roundbook("standardise", "trec", "5 dropped", "--measure", "P@10")
    assert len(shown["topics"]) == 49
    assert "267" not in shown["topics"]
    assert "267" in err


@pytest.mark.parametrize(
    ("name", "twins"), [("ap", 10), ("ndcg20", 10), ("err20", 10), ("p10", 12)]
)
def test_identical_runs_are_noted(roundbook, data, name, twins):
    path = data / "web" / f"trec_web2010_{name}.csv"
    done, err = roundbook("log", "web", "2010", path, "--measure", name, "--create")
    assert (done["topics"], done["runs"]) == (48, 88)
    assert f"{twins} of 88 runs" in err


@pytest.mark.parametrize("name", ["map", "ndcg", "ndcg_cut_10"])
def test_longeval_missing_cells(roundbook, data, engine, name):
    path = data / "longeval2023" / f"longeval2023irc_st_{name}.csv"
    topics, runs, scores = read_wide(path)
    holes = [(t, r) for t, row in enumerate(scores) for r, score in enumerate(row) if score is None]
    assert (len(topics), len(holes)) == (882, 16)
    words = ("log", "longeval", "st", path, "--measure", name, "--create")
    _, err = roundbook(*words, code=1)
    assert "16 scores are missing" in err
    for topic, tag in holes[:10]:
        assert f"topic {topics[topic]} of run {runs[tag]}" in err
    assert scalar(engine, "SELECT count(*) FROM roundbook.task") == 0
    zero, _ = roundbook(*words, "--missing", "zero", "--assessments", "zero")
    filled = [[score or 0.0 for score in row] for row in scores]
    assert (zero["topics"], zero["missing_cells"], zero["missing_policy"]) == (882, 16, "zero")
    assert zero["variance"] == pytest.approx(naive_variance(filled)[0], rel=1e-10)
    drop, _ = roundbook(*words, "--missing", "drop-topic", "--assessments", "drop")
    gone = sorted({topics[topic] for topic, _ in holes})
    kept = [row for row in scores if None not in row]
    assert (drop["topics"], len(gone)) == (len(kept), 4)
    assert (drop["missing_cells"], sorted(drop["dropped_topics"])) == (16, gone)
    assert drop["variance"] == pytest.approx(naive_variance(kept)[0], rel=1e-10)
    recorded = rows(
        engine,
        "SELECT missing_policy, missing_cells, dropped_topics FROM roundbook.matrix ORDER BY id",
    )
    assert [(row[0], row[1], sorted(row[2])) for row in recorded] == [
        ("zero", 16, []),
        ("drop-topic", 16, gone),
    ]


def log_covid_with_teams(roundbook, data):
    for number in (1, 2, 3):
        roundbook(
            *("log", "covid", f"round{number}", covid_file(data, number), "--create"),
            *("--measure", "nDCG@10", "--teams"),
            data / "treccovid" / f"round{number}_run_team.csv",
        )


@prepared
def covid_with_teams(roundbook, data):
    log_covid_with_teams(roundbook, data)
    return roundbook


def recorded_teams(engine, condition):
    with unit_of_work(engine) as connection:
        rows = connection.execute(
            text(
                "SELECT round.label, run.tag, team.name FROM roundbook.run"
                " JOIN roundbook.round ON round.id = run.round_id"
                f" JOIN roundbook.team ON team.id = run.team_id WHERE {condition}"
            )
        )
        return {(label, tag): team for label, tag, team in rows}


def test_the_same_tag_is_another_teams_in_the_next_round(covid_with_teams, engine):
    teams = recorded_teams(engine, "run.tag IN ('run1', 'run2', 'run3')")
    expected = {("round1", f"run{i}"): "GUIR_S2" for i in (1, 2, 3)}
    expected |= {("round2", f"run{i}"): "cuni" for i in (1, 2, 3)}
    assert teams == expected
    with unit_of_work(engine) as connection:
        runs = connection.execute(text("SELECT count(*) FROM roundbook.run")).scalar()
        systems = connection.execute(text("SELECT count(system) FROM roundbook.run")).scalar()
    assert (runs, systems) == (143 + 136 + 79, 0)


def test_a_team_spelled_in_two_ways_is_one(covid_with_teams, engine, data, tmp_path):
    # The files here say RUIR; the published overview of round 3 spells it ruir.
    assert set(recorded_teams(engine, "lower(team.name) = 'ruir'").values()) == {"RUIR"}
    before = recorded_teams(engine, "true")
    content = (data / "treccovid" / "round3_run_team.csv").read_text()
    assert content.count(",RUIR,") == 1
    lower = tmp_path / "round3_run_team.csv"
    lower.write_text(content.replace(",RUIR,", ",ruir,"))
    done, _ = covid_with_teams(
        *("log", "covid", "round3", covid_file(data, 3, "map"), "--measure", "AP"),
        *("--teams", lower),
    )
    assert done["status"] == "logged"
    assert recorded_teams(engine, "true") == before
    with unit_of_work(engine) as connection:
        spelled = connection.execute(
            text("SELECT name FROM roundbook.team WHERE lower(name) = 'ruir'")
        ).scalars()
        assert list(spelled) == ["RUIR"]


def test_with_teams_the_pooled_runs_standardise(covid_with_teams, data):
    for number, pooled in ((1, 56), (2, 52), (3, 31)):
        shown, _ = covid_with_teams(
            "factors", "show", "covid", f"round{number}", "--measure", "nDCG@10"
        )
        assert {factor["runs"] for factor in shown["factors"]} == {pooled}
        teams = data / "treccovid" / f"round{number}_run_team.csv"
        contributed = {
            row["run"] for row in read_dicts(teams) if row["contributed_to_pool"] == "yes"
        }
        topics, runs, scores = read_wide(covid_file(data, number))
        for factor in shown["factors"]:
            row = scores[topics.index(factor["topic"])]
            mine = [s for tag, s in zip(runs, row, strict=True) if tag in contributed]
            assert factor["mean"] == pytest.approx(statistics.fmean(mine), abs=1e-12)
            assert factor["sd"] == pytest.approx(statistics.stdev(mine), abs=1e-12)


WEB = ("ap", "ndcg20", "err20", "p10")
ADHOC = ("3_ap", "5_ap", "5_p10", "6_ap", "6_p10", "7_ap", "7_p10")
MATRICES = [
    *(f"treccovid/treccovid_round{n}_{m}.csv" for n in (1, 2, 3) for m in ("ndcg10", "map", "p5")),
    *(f"adhoc/trec_adhoc{name}.csv" for name in ADHOC),
    "adhoc/trec_robust2003_ap.csv",
    *(f"adhoc/named17_robust2003_{name}.csv" for name in ("ap", "ndcg10", "p10")),
    *(f"web/trec_web{year}_{name}.csv" for year in (2010, 2011, 2012) for name in WEB),
    *(f"ntcir7_ir4qa/ntcir7ir4qa_{name}1000.csv" for name in ("ap", "q", "msndcg", "nerr")),
    *(f"longeval2023/longeval2023irc_wt_{name}.csv" for name in ("map", "ndcg", "ndcg_cut_10")),
]


@pytest.mark.parametrize("names", [MATRICES[::8], pytest.param(MATRICES, marks=pytest.mark.slow)])
def test_every_matrix_standardises_to_mean_0_and_sd_1(roundbook, data, names):
    for name in names:
        path = data / name
        done, _ = roundbook("log", "all", name, path, "--measure", "any", "--create")
        topics, runs, scores = read_wide(path)
        assert (done["topics"], done["runs"]) == (len(topics), len(runs)), name
        shown, _ = roundbook("standardise", "all", name, "--measure", "any", "--scale", "std")
        assert (shown["topics"], shown["runs"]) == (topics, runs), name
        std = np.transpose(shown["scores"])
        spread = np.array([len(set(row)) > 1 for row in scores])
        np.testing.assert_allclose(std.mean(axis=1), 0, atol=1e-12, err_msg=name)
        np.testing.assert_allclose(std.std(axis=1, ddof=1), spread, atol=1e-12, err_msg=name)
        raw = np.array(scores)
        expected = (raw - raw.mean(1)[:, None])[spread] / raw.std(1, ddof=1)[spread][:, None]
        np.testing.assert_allclose(std[spread], expected, rtol=1e-9, atol=1e-10, err_msg=name)


def test_csv_of_standardised_scores_reads_back(covid, terminal):
    words = ["standardise", "covid", "round1", "--measure", "nDCG@10", "--scale", "std"]
    rows = list(csv.reader(io.StringIO(terminal(*words, "--format", "csv").out)))
    shown, _ = covid(*words)
    assert rows[0] == ["topic", *shown["runs"]]
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == [
        list(row) for row in zip(*shown["scores"], strict=True)
    ]
