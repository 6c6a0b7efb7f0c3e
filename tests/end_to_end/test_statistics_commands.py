"""The commands of the statistics at the terminal: what is said, in three formats, and refusals."""

from __future__ import annotations

import itertools
import re

import numpy as np
import pytest
from scipy import stats
from tests.factories import wide
from tests.savepoints import prepared

pytestmark = pytest.mark.one_server

SCORES = np.random.default_rng(23).random((8, 5)).round(4)
AP = ("--measure", "AP")


def flat(text):
    return " ".join(text.split())


@prepared
def logged(log, roundbook):
    log("r1", SCORES)
    log("r2", SCORES * 0.3)
    return roundbook


def never_nan(*outcomes):
    for done in outcomes:
        assert not re.search(r"\bnan\b|\binf\b|infinity", done.out + done.err, re.IGNORECASE), done


# variance


def limits_in(interval):
    return f"[{interval['low']:.5f}, {interval['high']:.5f}]"


def test_variance_show_says_the_intervals_and_what_they_mean(log, roundbook, write):
    teams = write("run,team\n" + "".join(f"run{i},T{i % 4}\n" for i in range(5)), "teams.csv")
    many = np.random.default_rng(4).random((30, 5)).round(4)
    log("r1", many, "--teams", teams)
    log("r2", np.random.default_rng(5).random((30, 5)).round(4))
    words = ("variance", "show", "t", *AP)
    shown = roundbook(*words, "--format", "json").json
    brief = flat(roundbook(*words).out)
    details = flat(roundbook(*words, "--details").out)
    for row, clusters in zip(shown["rounds"], (4, 5), strict=True):
        line = f"{row['round']} 30 5 {clusters} {row['variance']:.5f} {limits_in(row['interval'])}"
        assert f"{line} {row['two_way_variance']:.5f}" in details
    pooled = shown["pooled"]
    assert f"Pooled over 2 rounds by dof: {pooled['variance']:.5f}, 95% interval" in details
    assert f"{limits_in(pooled['interval'])}; 30 different topics" in details
    test, following = pooled["homogeneity"], pooled["next_round"]
    statistic = f"Wald F(1, {test['dof_residual']:g}) = {test['statistic']:.2f}"
    assert (
        f"No difference between the rounds' variances was found ({statistic}, p ="
        f" {test['p_value']:.3f}); that does not show that they are equal."
    ) in details
    assert (
        f"planning variance {following['u80']:.5f}. If rounds vary as in other campaigns, about 4 of"
        " 5 next rounds of this kind stay below it."
    ) in details
    assert (
        "If rounds vary as in other campaigns, of next rounds of this kind 19 of 20 stay below"
        f" {following['u95']:.5f}, and 95% lie between {following['low']:.5f} and"
        f" {following['high']:.5f}."
    ) in details
    more = "More with --details: further limits, the two-way variance, what is assumed."
    assert brief.endswith(more)
    assert details.startswith(brief.removesuffix(more))
    of_all = roundbook("variance", "show", "t", "--details")
    assert of_all.code == 2
    assert "--details are those of one --measure: name it" in of_all.err
    assert (
        "Two-way residual, for plans of runs that share topics: pooled"
        f" {pooled['two_way_variance']:.5f}, 95% interval {limits_in(pooled['two_way_interval'])}"
    ) in details
    assert "Intervals are for other systems on other topics like these" in details
    assert "Intervals do not count how much rounds vary; the planning variance does." in details
    assert "and the interval may cover less than it says (r1, r2)." in details
    assert (
        "Teams are unknown in r2, so every run there counts as its own team; if teams sent several"
        " runs, the intervals are too narrow. Log a team file: roundbook round teams t r2 FILE"
    ) in details
    assert "Pooled over 2 rounds by topics" in roundbook(*words, "--pool-by", "topics").out


def test_variance_show_says_that_rounds_disagree_and_that_topics_are_few(log, roundbook):
    other = [f"u{j}" for j in range(40)]
    log("r1", np.random.default_rng(5).random((40, 5)))
    log("r2", np.random.default_rng(6).random((40, 5)) * 0.3, topics=other)
    log("few", SCORES)
    shown = roundbook("variance", "show", "t", *AP, "--format", "json").json["pooled"]
    output = flat(roundbook("variance", "show", "t", *AP).out)
    assert (
        f"The rounds disagree (Wald F test, p < 0.001; largest over smallest"
        f" {shown['max_min_ratio']:.2f}): the pooled value is the mean of different variances."
        " Plan with the next round's planning variance, which counts how much rounds differ:"
        " roundbook plan --task t --measure AP --variance-at planning"
    ) in output
    # Every door of the terminal says so in the same words.
    assert shown["warning"] in output
    pooled = roundbook("variance", "pooled", "t", *AP, "--format", "json").json
    history = roundbook("variance", "history", "t", "--format", "json").json["histories"][0]
    assert pooled["warning"] == history["pooled"]["warning"] == shown["warning"]
    assert shown["warning"] in flat(roundbook("variance", "pooled", "t", *AP).out)
    assert "Few topics (under 25): the true variance may lie above the upper limit" in output
    assert "more often than in 2.5% of cases (few)." in output


def test_csv_of_variances_has_every_limit_in_its_own_column(logged):
    shown = logged("variance", "show", "t", *AP, "--format", "json").json
    for words in (("variance", "show", "t", *AP), ("variance", "history", "t")):
        printed = logged(*words, "--format", "csv")
        assert "method=" not in printed.out
        rows = printed.table
        assert [row["round"] for row in rows] == ["r1", "r2", ""]
        *of_rounds, last = rows
        # The pooled variance is of no round.
        pooled = shown["pooled"]
        assert (last["origin"], last["method"]) == ("pooled", "jackknife")
        assert [float(last[name]) for name in ("variance", "low", "two_way_variance", "dof")] == [
            pooled["variance"],
            pooled["interval"]["low"],
            pooled["two_way_variance"],
            pooled["dof"],
        ]
        for row, full in zip(of_rounds, shown["rounds"], strict=True):
            assert row["measure"] == "AP"
            assert float(row["low"]) == full["interval"]["low"]
            assert float(row["high"]) == full["interval"]["high"]
            assert row["method"] == full["interval"]["method"] == "jackknife"
            assert row["of"] == full["interval"]["of"] == "systems"
            assert float(row["two_way_variance"]) == full["two_way_variance"]
            assert float(row["two_way_low"]) == full["two_way_interval"]["low"]
            assert float(row["two_way_high"]) == full["two_way_interval"]["high"]
            assert int(row["clusters"]) == full["clusters"] == 5


def test_variance_pooled_in_three_formats(logged):
    words = ("variance", "pooled", "t", *AP, "--pool-by", "topics")
    full = logged(*words, "--format", "json").json
    variance = SCORES.var(axis=0, ddof=1).mean()
    assert full["variance"] == pytest.approx(variance * (1 + 0.09) / 2)
    (row,) = logged(*words, "--format", "csv").table
    printed = ("variance", "low", "high", "planning_variance", "two_way_variance", "max_min_ratio")
    assert [float(row[key]) for key in printed] == [
        *(full["variance"], full["interval"]["low"], full["interval"]["high"]),
        *(full["next_round"]["u80"], full["two_way_variance"], full["max_min_ratio"]),
    ]
    assert float(row["homogeneity_p"]) == full["homogeneity"]["p_value"]
    assert (row["weights"], row["rounds"]) == ("topics", "r1, r2")
    output = flat(logged(*words, "--details").out)
    assert output.startswith("t: AP, raw scale Pooled ")
    assert f"{full['interval']['low']:.5f}" in output
    assert "The rounds disagree" in output
    assert " --pool-by topics --variance-at planning" in output
    assert "Intervals do not count how much rounds vary" in output


def test_variance_history(log, roundbook):
    roundbook("task", "create", "t")
    roundbook("round", "create", "t", "old", "--held", "2019-06-01")
    roundbook("round", "create", "t", "new", "--held", "2021-06-01")
    for label, factor in (("old", 1), ("new", 2), ("undated", 1.5)):
        log(label, SCORES * factor)
        log(label, SCORES, measure="P@5")
    words = ("variance", "history", "t")
    log("old", SCORES, measure="RR")
    stable = " ".join(roundbook(*words).out.split("\n\n")[0].split())
    assert stable == (
        "Largest variance over the smallest: AP 4.00 (the rounds disagree), P@5 1.00. It grows by"
        " chance with more rounds, fewer topics, and where few topics bring most of it, as with AP."
        " Whether RR is stable is unknown: it has one round."
    )
    assert [line for line in roundbook(*words).out.splitlines() if line.startswith("t: ")] == [
        "t: AP, raw scale",
        "t: P@5, raw scale",
        "t: RR, raw scale",
    ]
    since = roundbook(*words, "--since", "2020-01-01", "--measure", "AP", "--format", "json")
    assert [row["round"] for row in since.json["histories"][0]["rounds"]] == ["new"]
    assert (since.json["since"], since.json["undated"]) == ("2020-01-01", ["undated"])
    assert since.err == (
        "Note: left out, since their date is not recorded: undated. Record it with 'roundbook round"
        " set' and --held.\n"
    )
    rows = roundbook(
        *words, "--rounds", "old", "--rounds", "undated", "--scale", "std-ab", "--format", "csv"
    ).table
    assert [(row["measure"], row["round"]) for row in rows] == [
        ("AP", "old"),
        ("AP", "undated"),
        ("AP", ""),
        ("P@5", "old"),
        ("P@5", "undated"),
        ("P@5", ""),
        ("RR", "old"),
        ("RR", ""),
    ]
    assert "rounds without a date: undated" in roundbook(*words, "--since", "2030-01-01").refusal()
    assert roundbook(*words, "--since", "yesterday").code == 2


def test_a_published_estimate_is_marked(logged):
    logged(
        *("variance", "record", "t", "r0", *AP, "--value", "0.07", "--runs", "20"),
        *("--topics", "50", "--source", "Sakai 2016", "--create"),
    )
    words = ("variance", "history", "t")
    (line,) = (line for line in logged(*words).lines if line.startswith("r0"))
    row = logged(*words, "--format", "json").json["histories"][0]["rounds"][-1]
    low, high = limits_in(row["interval"]).split()
    assert line.split() == ["r0", "50", "20", "-", "0.07000", low, high, "-", "published"]
    output = flat(logged(*words).out)
    assert "its spread is taken from the task's own score matrices (r0)." in output
    assert "Sources: r0: Sakai 2016." in output
    teams = ("--revise", "teams are known", "--teams", "7")
    again = logged(
        *("variance", "record", "t", "r0", *AP, "--value", "0.07", "--runs", "20"),
        *("--topics", "50", "--source", "Sakai 2016", *teams),
    )
    assert again.code == 0, again
    assert any(line.split()[:4] == ["r0", "50", "20", "7"] for line in logged(*words).lines)
    huge = ("variance", "record", "t", "r9", *AP, "--runs", "9", "--topics", "9", "--source", "x")
    refused = logged(*huge, "--value", "1e308", "--create")
    assert "within what scores can have" in refused.usage_error


# factors, standardise


def test_factors_fit(logged):
    words = ("factors", "fit", "t", "r1", *AP, "--reason", "baselines only")
    chosen = ("--runs", "run0", "--runs", "run3")
    done = logged(*words, *chosen, "--format", "json").json
    assert (done["status"], done["version"], done["versions"]) == ("fitted", 2, [1, 2])
    assert (done["standardising"], done["reason"]) == ("chosen", "baselines only")
    by = SCORES[:, [0, 3]]
    assert [row["mean"] for row in done["factors"]] == pytest.approx(by.mean(1))
    assert [row["sd"] for row in done["factors"]] == pytest.approx(by.std(1, ddof=1))
    again = logged(*words, *chosen)
    there = "These factors were there already, as version 2; the reason was not recorded."
    assert again.err == f"{there}\n"
    assert "factor version 2 (of 1, 2)" in flat(again.out)
    assert "chosen runs standardise" in flat(again.out)
    rows = logged(*words, "--runs", "all", "--zero-sd", "drop", "--format", "csv").table
    assert [float(row["mean"]) for row in rows] == pytest.approx(SCORES.mean(1))
    # The older version by its number.
    shown = logged(
        *("standardise", "t", "r1", *AP, "--factors-from", "r1:2", "--scale", "std"),
        *("--format", "json"),
    ).json
    std = (SCORES - by.mean(1)[:, None]) / by.std(1, ddof=1)[:, None]
    np.testing.assert_allclose(np.transpose(shown["scores"]), std, rtol=1e-9)


def test_factors_fit_says_which_runs_it_assumed_where_nothing_is_new(log, roundbook, write):
    pool = "".join(f"run{i},A,{str(i < 3).lower()}\n" for i in range(SCORES.shape[1]))
    log("r1", SCORES, "--teams", write(f"run,team,contributed_to_pool\n{pool}", "teams.csv"))
    words = ("factors", "fit", "t", "r1", *AP, "--reason", "x")
    there = "These factors were there already, as version 1; the reason was not recorded."
    assert roundbook(*words).err == f"{there} --runs was not given, so pooled was assumed.\n"
    assert roundbook(*words, "--runs", "pooled").err == f"{there}\n"
    assert roundbook(*words, "--runs", "all").err == ""
    assert roundbook(*words).err == ""  # the pooled runs anew, in force again
    assert roundbook(*words).err.startswith(there.replace("version 1", "version 3"))


def test_factors_fit_notes_ties_and_refuses(log, roundbook, snapshot):
    scores = SCORES.copy()
    scores[2, :2] = 0.5
    log("r1", scores)
    words = ("factors", "fit", "t", "r1", *AP, "--reason", "x")
    chosen = ("--runs", "run0", "--runs", "run1")
    assert "tie on 1 topic (t2): scores there count as average" in roundbook(*words, *chosen).err
    dropped = roundbook(*words, *chosen, "--zero-sd", "drop")
    assert "tie on 1 topic (t2): scores there are left out" in dropped.err
    before = snapshot()
    assert "contributed to the pool" in roundbook(*words).refusal()
    assert "at least 2" in roundbook(*words, "--runs", "run0").refusal()
    assert "no run 'nobody'" in roundbook(*words, "--runs", "nobody", "--runs", "run1").refusal()
    assert "stand alone" in roundbook(*words, "--runs", "all", "--runs", "run1").refusal()
    assert "--reason" in roundbook(*words[:-1], " ", "--runs", "all").refusal()
    assert roundbook("factors", "fit", "t", "r1", *AP).code == 2
    assert snapshot() == before


@pytest.mark.parametrize("form", ["argument", "option"])
def test_standardise_a_file_of_new_runs(logged, write, snapshot, form):
    new = np.array([[0.4, 0.9], [0.2, 0.1], [0.6, 0.3]])
    path = write(wide(new, ["t1", "t6", "unheard-of"], ["new", "newer"]), "new.csv")
    words = {
        "argument": (path, "--factors-from", "r1:1"),
        "option": ("r1", "--file", path),
    }[form]
    before = snapshot()
    done = logged("standardise", "t", *words, *AP, "--scale", "std", "--format", "json")
    std = (new[:2] - SCORES[[1, 6]].mean(1)[:, None]) / SCORES[[1, 6]].std(1, ddof=1)[:, None]
    np.testing.assert_allclose(np.transpose(done.json["scores"]), std, rtol=1e-9)
    assert (done.json["topics"], done.json["runs"]) == (["t1", "t6"], ["new", "newer"])
    assert (done.json["factor_version"], done.json["matrix"]) == (1, None)
    assert done.json["left_out"] == ["unheard-of"]
    assert "1 topic (unheard-of)" in done.err
    table = logged("standardise", "t", *words, *AP, "--scale", "std", "--format", "table")
    assert "new.csv: AP over 2 topics, by factor version 1 of round 'r1'" in flat(table.out)
    rows = logged("standardise", "t", *words, *AP, "--scale", "e-std").table
    reached = [(SCORES[1] <= score).mean() for score in new[0]]
    assert [float(rows[0][run]) for run in ("new", "newer")] == pytest.approx(reached)
    assert snapshot() == before


def test_standardise_with_a_and_b(logged):
    shown = logged(
        *("standardise", "t", "r1", *AP, "--a", "0.1", "--b", "0.4", "--format", "json")
    ).json
    std = (SCORES - SCORES.mean(1)[:, None]) / SCORES.std(1, ddof=1)[:, None]
    np.testing.assert_allclose(np.transpose(shown["scores"]), np.clip(0.1 * std + 0.4, 0, 1))
    assert (shown["a"], shown["b"]) == (0.1, 0.4)
    np.testing.assert_allclose(shown["means"], np.mean(shown["scores"], axis=1))
    for wrong in ("nan", "inf", "-inf"):
        for name in ("--a", "--b"):
            refused = logged("standardise", "t", "r1", *AP, name, wrong)
            assert (refused.code, refused.out) == (2, "")
            assert f"{name} should be a finite number" in refused.err
    for wrong in ("0", "-1"):
        refused = logged("standardise", "t", "r1", *AP, "--a", wrong)
        assert (refused.code, refused.out) == (2, "")
        assert "--a should be greater than 0" in refused.err


def test_only_std_ab_takes_a_and_b(logged):
    for scale, option in itertools.product(("std", "std-cdf", "e-std"), ("--a", "--b")):
        done = logged("standardise", "t", "r1", *AP, "--scale", scale, option, "0.5")
        assert (done.code, done.out) == (2, "")
        output = flat(done.err)
        assert f"--a and --b are those of std-ab: --scale {scale} has none" in output


def test_standardise_refusals(logged, write, tmp_path):
    path = write(wide(SCORES[:2, :2]), "new.csv")
    assert "--factors-from" in logged("standardise", "t", path, *AP).refusal()
    nowhere = tmp_path / "nowhere.csv"
    logged("standardise", "t", nowhere, *AP, "--factors-from", "r1").refusal()
    logged("standardise", "t", "r1", "--file", nowhere, *AP).refusal()
    assert "7" in logged("standardise", "t", path, *AP, "--factors-from", "r1:7").refusal()
    assert "'r7'" in logged("standardise", "t", path, *AP, "--factors-from", "r7").refusal()
    for words, sentence in (
        (("r1", "--missing", "zero"), "are of files, and 'r1' is a round: leave them out"),
        (("r1", "--layout", "wide"), "or name a file with --file"),
        (("r7", "--file", path, "--factors-from", "r1"), "ROUND is whose factors score the runs"),
    ):
        refused = logged("standardise", "t", *words, *AP)
        assert (refused.code, refused.out) == (2, "")
        assert sentence in flat(refused.err.replace("│", " "))
    other = write(wide(SCORES[:2, :2], ["x", "y"]), "other.csv")
    sentence = logged("standardise", "t", other, *AP, "--factors-from", "r1").refusal()
    assert "None of the topics has usable factors in round 'r1'" in sentence


# rank


def test_rank(logged):
    shown = logged("rank", "t", "r1", *AP, "--format", "json").json
    std = (SCORES - SCORES.mean(1)[:, None]) / SCORES.std(1, ddof=1)[:, None]
    means = SCORES.mean(0), np.clip(0.15 * std + 0.5, 0, 1).mean(0)
    assert shown["tau_b"] == pytest.approx(stats.kendalltau(*means).statistic)
    output = flat(logged("rank", "t", "r1", *AP).out)
    assert "5 runs over 8 topics (matrix 1, revision 1) ranked raw and std-ab" in output
    assert "std-ab by factor version 1" in output
    assert f"Kendall tau-b {shown['tau_b']:.3f} (tau-a {shown['tau_a']:.3f})" in output
    assert shown["published"]["level"] == shown["bootstrap"]["level"] == 0.95
    resampled, printed = (
        f"[{limits['low']:.3f}, {limits['high']:.3f}]"
        for limits in (shown["bootstrap"], shown["published"])
    )
    assert (
        "Bootstrap over topics, the middle 95% of tau-b in 2,000 resampled topic sets:"
        f" {resampled} 95% interval of tau-b as"
    ) in output
    assert (
        "95% interval of tau-b as the papers print it, as if the rankings were unrelated:"
        f" {printed}"
    ) in output
    assert "equivalent" not in output
    orders = [np.sign(one[:, None] - one)[np.triu_indices(5, 1)] for one in means]
    turned = np.count_nonzero(orders[0] != orders[1])
    assert f"Standardising turns round {turned} of 10 pairs of runs ({10 * turned}" in output
    assert "rows" not in output
    capped = logged("rank", "t", "r1", *AP, "--top", "2").lines
    assert [line.split()[0] for line in capped[-3:-1]] == [
        f"run{i}" for i in np.argsort(-means[0])[:2]
    ]
    assert capped[-1] == "2 of 5 rows: --top 5 shows all."
    assert (
        len(logged("rank", "t", "r1", *AP, "--top", "2", "--format", "json").json["ranking"]) == 5
    )
    rows = logged("rank", "t", "r1", *AP, "--format", "csv", "--top", "2").table
    assert [row["run"] for row in rows] == [f"run{i}" for i in np.argsort(-means[0])]
    assert [float(row["rank_a"]) for row in rows] == [1, 2, 3, 4, 5]


def test_rank_between_versions(logged):
    logged("factors", "fit", "t", "r1", *AP, "--runs", "run0", "--runs", "run1", "--reason", "x")
    words = ("rank", "t", "r1", *AP, "--versions", "1", "2", "--scale", "std")
    words += ("--resamples", "45")
    output = flat(logged(*words).out)
    assert "ranked std by factor version 1 and std by factor version 2" in output
    assert re.search(r"The other factors turn round \d+ of 10 pairs of runs \(", output)
    seeded = [logged(*words, "--seed", seed, "--format", "json").json for seed in (1, 1, 2)]
    assert seeded[0] == seeded[1]
    assert [answer["seed"] for answer in seeded] == [1, 1, 2]
    assert {answer["resamples"] for answer in seeded} == {45}
    assert "9" in logged("rank", "t", "r1", *AP, "--versions", "1", "9").refusal()
    assert "resamples" in logged("rank", "t", "r1", *AP, "--resamples", "5").refusal()
    refused = logged("rank", "t", "r1", *AP, "--seed", "-1")
    assert "'--seed': it should be greater than or equal to 0, not '-1'" in refused.usage_error
    assert logged("rank", "t", "r1", *AP, "--resamples", "nan").code == 2


# generalisability


def test_generalisability(covid):
    words = ("generalisability", "covid", "--measure", "nDCG@10")
    output = covid(*words).out
    for label, relative, absolute, topics in (
        ("round1", "0.966", "0.948", ("21", "32", "168")),
        ("round2", "0.960", "0.918", ("28", "60", "225")),
        ("round3", "0.976", "0.946", ("19", "44", "225")),
    ):
        lines = (line.split() for line in output.splitlines() if line.startswith(label))
        reliability, needed, components = lines
        assert relative in reliability
        assert absolute in reliability
        assert [cell for cell in needed if cell in topics] == list(topics)
        assert len(components) == 5
    assert (
        "The intervals take scores for normal, of one residual variance on all topics, and runs for"
        " independent, which those of one team are not: by teams they covered 0.72 to 0.85 in"
    ) in flat(output)
    assert "By ANOVA" in output
    shown = covid(*words, "--format", "json").json
    assert (shown["alpha"], shown["beta"]) == (0.05, 0.2)
    full = shown["rounds"]
    rows = covid(*words, "--format", "csv").table
    for row, entry in zip(rows, full, strict=True):
        for name in ("e_rho_squared", "phi"):
            limits = [float(row[f"{name}_low"]), float(row[f"{name}_high"])]
            assert limits == entry[f"{name}_interval"]
            topics = [int(row[f"{name}_topics_low"]), int(row[f"{name}_topics_high"])]
            assert topics == entry[f"{name}_topics_interval"]
    (alone,) = covid(*words, "--round", "round2", "--format", "json").json["rounds"]
    assert alone == full[1]


@pytest.mark.long
@pytest.mark.parametrize(
    ("option", "wrong", "says"),
    [("--target", "nan", "must be between 0 and 1"), ("--target", "1", "must be between 0 and 1"),
     ("--level", "nan", "must be between 0 and 1"), ("--level", "0", "must be between 0 and 1"),
     ("--m", "1", "should be greater than or equal to 2"),
     ("--m", "1" + "0" * 400, "should be less than or equal to 1,000,000,000"),
     ("--min-d", "nan", "should be a finite number"), ("--min-d", "0", "should be greater than 0"),
     ("--topics", "0", "should be greater than or equal to 1")],
)  # fmt: skip
def test_generalisability_refuses(logged, option, wrong, says):
    said = logged("generalisability", "t", *AP, option, wrong).usage_error
    assert option in said
    assert says in said
    logged("generalisability", "t", *AP, "--round", "r9").refusal()


# bad input


def all_answers(roundbook, *extra):
    for form in ("table", "csv", "json"):
        for words in (
            ("variance", "show", "t", *AP),
            ("variance", "pooled", "t", *AP),
            ("variance", "history", "t"),
            ("variance", "history", "t", "--scale", "std-ab"),
            ("standardise", "t", "r1", *AP),
            ("standardise", "t", "r1", *AP, "--scale", "e-std"),
            ("rank", "t", "r1", *AP),
            ("generalisability", "t", *AP),
        ):
            yield roundbook(*words, "--format", form)


@pytest.mark.long
def test_constant_matrices_say_plainly_what_cannot_be_known(log, roundbook):
    log("r1", np.full((5, 4), 0.25))
    answers = list(all_answers(roundbook))
    assert {done.code for done in answers} == {0}
    never_nan(*answers)
    output = flat(roundbook("variance", "show", "t", *AP).out)
    assert "0.00000, no interval (a variance of 0 shows no spread to judge it by)" in output
    assert "No interval: a variance of 0 shows no spread to judge it by (r1)." in output
    output = flat(roundbook("rank", "t", "r1", *AP).out)
    assert "Kendall tau-b unknown (tau-a 0.000), tau_AP unknown" in output
    assert "All runs tie in one of the rankings" in output
    output = flat(roundbook("generalisability", "t", *AP).out)
    assert "Round 'r1': Runs and topics explain every score, without a residual" in output


def test_a_single_run_says_plainly_what_cannot_be_known(log, roundbook):
    log("r1", SCORES[:, :1])
    answers = list(all_answers(roundbook))
    never_nan(*answers)
    assert {done.code for done in answers} == {0, 1}
    assert "two runs" in roundbook("standardise", "t", "r1", *AP).refusal()
    assert "at least 2 runs" in roundbook("rank", "t", "r1", *AP).refusal()
    assert "at least two runs" in roundbook("generalisability", "t", *AP).refusal()
    log("r2", SCORES)
    output = flat(roundbook("generalisability", "t", *AP).out)
    assert "Round 'r1' is left out: a single run leaves nothing to rank." in output


def test_topics_that_all_tie(log, roundbook):
    log("r1", np.repeat(SCORES[:, :1], 4, axis=1))
    answers = list(all_answers(roundbook))
    assert {done.code for done in answers} == {0}
    never_nan(*answers)
    log("r2", np.repeat(SCORES[:, :1], 4, axis=1), "--zero-sd", "drop")
    assert "usable factors" in roundbook("standardise", "t", "r2", *AP).refusal()
    assert "usable factors" in roundbook("rank", "t", "r2", *AP).refusal()
