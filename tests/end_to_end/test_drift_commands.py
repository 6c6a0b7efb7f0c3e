"""Drift at the terminal: what an organiser reads, and the collections of rounds."""

from __future__ import annotations

import itertools
import json
import re
import shlex
import sys

import numpy as np
import pytest

pytestmark = pytest.mark.one_server

SCORES = np.random.default_rng(21).random((12, 8))
DRIFT = ("drift", "t", "--measure", "AP")


@pytest.mark.long
def test_the_report_on_covid_reads_from_the_verdict_to_the_topics(covid):
    done = covid("drift", "covid", "--measure", "nDCG@10", "--details")
    printed = " ".join(done.out.split())
    order = [
        "AGED: the factors of round 'round1' no longer hold in round 'round3' (provisional: teams"
        " unknown).",
        "Why: For systems and topics like these, the mean score moved by +0.815 standard deviations"
        " of round 'round1' (95% interval +0.384 to +1.246), where -0.2 to +0.2 does not matter."
        " The spread of the runs is 1.006 times what it was (90% interval 0.848 to 1.192), where"
        " 0.8 to 1.25 does not matter. The interval of the shift lies wholly outside. Held is judged by"
        " the 90% interval, aged by the 95% one. This rests on the 30 topics that both rounds"
        " share and on 57 groups of runs of 'round1' and 38 of"
        " 'round3', inferred from the scores where no team is known.",
        "- For these very runs, on topics like these, the mean moved by +0.822 standard deviations"
        " (95% interval +0.536 to +1.109), and the spread is 0.995 times what it was (95% interval"
        " 0.894 to 1.107).",
        "- Provisional: the teams of 222 runs are not known,",
        "roundbook round teams covid ROUND TEAMS.csv",
        "What to do: Standardise 'round3' by its own factors, which are fitted already. If it",
        "roundbook standardise covid round3 --measure nDCG@10",
        "roundbook standardise covid round1 --measure nDCG@10 --factors-from round3",
        "What it does to the 79 runs of 'round3', on 30 shared topics:",
        "0.6309 0.5000",
        "3.67%",
        "0.02493 0.01080",
        "79 35",
        "0.1309 higher on average",
        "0.964",
        "Tests on the 143 runs of 'round1' and the 79 runs of 'round3'.",
        "the mean moved on 27 of 30 topics (Welch's t), the spread on 13 (Brown-Forsythe)",
        "Paired t 6.241, p < 0.0001; Wilcoxon W 33.000, p < 0.0001.",
        "Pearson 0.368, p = 0.0455; Kendall 0.320, p = 0.0129",
        "Assumed: rounds 'round1' and 'round3' were held on the same document collection",
        "Topic from sd to sd Shift Ratio p mean p sd",
        "30 0.5316 0.2654 0.7554 0.2868 +0.843 1.081 <.0001 1.0000",
    ]
    positions = [printed.find(line) for line in order]
    assert -1 not in positions, order[positions.index(-1)]
    assert positions == sorted(positions)
    assert done.lines[0] == order[0]


def test_without_details_the_report_is_a_page_of_eighty_columns(covid, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    for later in ("round2", "round3"):
        done = covid("drift", "covid", "--measure", "nDCG@10", "--to", later)
        assert len(done.lines) <= 27, done.out
        long = [line for line in done.lines if len(line) > 80]
        assert all(line.startswith("    roundbook ") for line in long)
    printed = " ".join(done.out.split())
    order = [
        "AGED: the factors of round 'round1' no longer hold in round 'round3'",
        "Why: For systems and topics like these the mean score moved by +0.815 standard deviations"
        " of round 'round1' (95% interval +0.384 to +1.246; up to 0.2 does not matter), and the spread is"
        " 1.006 times what it was (90% interval 0.848 to 1.192; 0.8 to 1.25 does not matter)."
        " The interval of the shift lies wholly outside. Held is judged by the 90% interval, aged by"
        " the 95% one. It rests on the 30 topics that both rounds"
        " share, 57 groups of runs of 'round1' and 38 of 'round3'",
        "- Say the teams: roundbook round teams covid ROUND TEAMS.csv",
        "What to do: Standardise 'round3' by its own factors, which are fitted already. If it",
        "Standardise 'round3' by its own factors: roundbook standardise covid round3",
        "Restate 'round1' by the factors of 'round3': roundbook standardise covid round1 --measure"
        " nDCG@10 --factors-from round3",
        "What it does: by the factors of 'round1' the 79 runs of 'round3' score 0.1309 higher on"
        " std-AB (0.6309 in place of 0.5000, 3.67% clipped at 1). Topics needed on std-AB"
        " (one-way ANOVA, m 10, minD 0.1): 79 in place of 35, if runs have topics of their own."
        " Kendall's tau of the two rankings: 0.964.",
        "More with --details: the tests, what is assumed, each topic.",
    ]
    positions = [printed.find(line) for line in order]
    assert -1 not in positions, order[positions.index(-1)]
    assert positions == sorted(positions)
    assert not {"Welch", "Assumed", "Topic "} & set(re.findall(r"Welch|Assumed|Topic ", done.out))


@pytest.mark.long
def test_factors_on_differently_chosen_runs(covid, shared, roundbook):
    """With its team file, round 2 is standardised by the runs that fed the pool."""
    folder = shared / "data/treccovid"
    words = ("log", "pool", "round2", folder / "treccovid_round2_ndcg10.csv", "--create")
    words += ("--measure", "nDCG@10", "--teams", folder / "round2_run_team.csv")
    assert roundbook(*words).code == 0
    for number in (1, 3):
        path = folder / f"treccovid_round{number}_ndcg10.csv"
        words = ("log", "pool", f"round{number}", path, "--measure", "nDCG@10", "--create")
        assert roundbook(*words).code == 0
    words = ("drift", "pool", "--measure", "nDCG@10", "--from", "round1", "--to", "round2")
    chosen = (
        "The factors of 'round1' rest on all 143 runs, those of 'round2' on the 52 of 136 runs that"
        " contributed to the pool: part of what moved may be that choice."
    )
    shown = covid(*words, "--format", "json").json
    # Round 2 was logged first here.
    assert shown["backwards"]
    assert shown["notes"][0].startswith("This comparison runs backwards")
    assert shown["notes"][1] == chosen
    assert shown["standardising_from"] == {"which": "all", "runs": 143, "of": 143}
    assert shown["standardising_to"] == {"which": "pooled", "runs": 52, "of": 136}
    fit = "roundbook factors fit pool round2 --measure nDCG@10 --runs all --reason REASON"
    assert shown["commands"][-2:] == [
        {
            "purpose": "Have the factors of both rounds rest on the pool, if it is known",
            "command": fit.replace("round2", "round1").replace("--runs all", "--runs pooled"),
        },
        {"purpose": "Or have both rest on all runs", "command": fit},
    ]
    for details in ((), ("--details",)):
        done = covid(*words, *details)
        assert f"- {chosen}" in done.out
        at = done.lines.index(f"    {fit}")
        assert done.lines[at - 1] == "  Or have both rest on all runs:"
        assert done.lines[at + 1] == (
            "  Factors fitted anew change the fingerprint of a published round."
        )
    curve = ("drift", "pool", "--measure", "nDCG@10", "--from", "round2", "--curve")
    assert (
        "those of 'round1' on all 143 runs, 'round3' on all 79 runs: part of what moved"
        in covid(*curve).out
    )
    assert covid(*shlex.split(fit)[1:]).code == 0
    after = covid(*words, "--format", "json").json
    assert chosen not in after["notes"]
    assert fit not in [step["command"] for step in after["commands"]]


@pytest.mark.long
def test_the_verdict_as_an_exit_code(covid):
    words = ("drift", "covid", "--measure", "nDCG@10", "--fail-on")
    aged, undecided = ("--to", "round3"), ("--to", "round2")
    held = (*aged, "--margin", "3", "--sd-ratio-margin", "3")
    codes = {
        (condition, asked): covid(*words, condition, *asked).code
        for condition in ("aged", "not-held")
        for asked in (aged, undecided, held, ("--curve",), ("--curve", "--from", "round2"))
    }
    assert [code for (condition, _), code in codes.items() if condition == "aged"] == [
        5,
        0,
        0,
        5,
        0,
    ]
    assert list(codes.values())[5:] == [5, 5, 0, 5, 5]
    done = covid(*words, "aged", *aged, "--save", "--format", "json")
    shown = json.loads(done.out)
    assert (done.code, shown["verdict"], shown["status"]) == (5, "aged", "saved")
    assert done.err.endswith("--fail-on aged: 'round3' aged.\n")
    assert covid(*words, "undecided").code == 2


@pytest.mark.long
@pytest.mark.parametrize("columns", [3, None], ids=["without the pool", "as they are"])
def test_the_verdicts_on_covid_by_team(covid, shared, write, columns):
    """The files as they are come too late to choose the runs: the factors are those of all."""
    for number in (1, 2, 3):
        folder = shared / "data/treccovid"
        rows = (folder / f"round{number}_run_team.csv").read_text(encoding="utf-8").splitlines()
        teams = write("\n".join(",".join(row.split(",")[:columns]) for row in rows), "teams.csv")
        path = folder / f"treccovid_round{number}_ndcg10.csv"
        words = ("log", "covid", f"round{number}", path, "--measure", "nDCG@10", "--teams", teams)
        assert covid(*words).code == 0
    verdicts = {}
    for first, later in itertools.combinations(("round1", "round2", "round3"), 2):
        words = ("drift", "covid", "--measure", "nDCG@10", "--from", first, "--to", later)
        verdicts[first, later] = covid(*words).lines[0].partition(":")[0]
        shown = covid(*words, "--format", "json").json
        assert shown["provisional"] is False
        assert shown["units"]["by"] == "team"
    assert verdicts == {
        ("round1", "round2"): "UNDECIDED",
        ("round1", "round3"): "AGED",
        ("round2", "round3"): "UNDECIDED",
    }
    printed = " ".join(
        covid("drift", "covid", "--measure", "nDCG@10", "--to", "round2", "--details").out.split()
    )
    assert (
        "With other teams it would take: for the shift, known to ±0.221 by its 90% interval where 0.2"
        " does not matter (61% of its variance comes from which systems took part), 3.8 times"
        " the teams and topics (210 and 191 teams, 113 topics) for HELD in 4 of 5 cases if nothing"
        " moved. (56 and 51 teams and 30 topics today.)" in printed
    )
    assert (
        "running the same systems again in both rounds is far cheaper than any others: some 20 of"
        " them, unchanged, named in the column system of both team files (log --teams), on more"
        " topics than these 30, which moved too unevenly. With other teams" in printed
    )
    assert (
        "They take these very runs as fixed and independent: with other systems in each round they"
        " often find a move where nothing moved. The verdict does not rest on them." in printed
    )
    assert "though the scores did move" in printed
    assert "- The scores did move; whether by enough to matter is open." in printed
    assert "- As the 31 teams that came again see it: undecided; a shift of +0.348" in printed


def test_the_json_keys_of_the_report(covid):
    shown = covid("drift", "covid", "--measure", "nDCG@10", "--format", "json").json
    assert set(shown["these_runs"]) == {"shift_95", "sd_ratio_95"}
    assert set(shown["systems_like_these"]) == {
        *("shift", "shift_90", "shift_95", "sd_ratio", "sd_ratio_90", "sd_ratio_95")
    }
    unknown = {"runs_without_team", "runs_without_system"}
    assert set(shown["units"]) == {"from", "to", "shared", "by"} | unknown
    assert set(shown["tied"]) == {"from", "to"}
    assert set(shown["verdicts"]) == {"shift", "sd_ratio"}
    for statistic in ("shift", "sd_ratio"):
        assert {"topics", "runs", "both", "dof"} <= set(shown["variance_parts"][statistic])
        assert set(shown["needed"][statistic]) == {
            *("half_width_90", "aged_from", "share_of_runs", "if_unmoved", "if_as_measured")
        }
    assert (shown["why"], shown["moved"], shown["topics_used"]) == ("shift", True, 30)
    assert (shown["recurring"], shown["margin_from"], shown["provisional"]) == (
        None,
        "default",
        True,
    )
    gone = {f"{name}_{level}" for name in ("mean_shift", "sd_ratio") for level in (90, 95)}
    assert not gone & set(shown)


def test_a_margin_from_min_d(covid):
    words = ("drift", "covid", "--measure", "nDCG@10", "--min-d", "0.3")
    shown = covid(*words, "--format", "json").json
    assert (shown["margin"], shown["margin_from"], shown["min_d"]) == (
        pytest.approx(1),
        "min-d",
        0.3,
    )
    assert "- The margin of the shift is minD 0.3 / (2 x 0.15)" in covid(*words, "--details").out
    given = covid(*words, "--margin", "0.2", "--format", "json").json
    assert (given["margin"], given["margin_from"], given["min_d"]) == (0.2, "given", 0.3)
    curve = covid(*words, "--curve", "--format", "json").json
    assert (curve["margin"], curve["margin_from"]) == (pytest.approx(1), "min-d")


@pytest.mark.long
@pytest.mark.parametrize(
    ("later", "margins", "verdict"),
    [
        ("round3", (), "aged"),
        ("round3", ("--margin", "3", "--sd-ratio-margin", "3"), "held"),
        ("round2", (), "undecided"),
    ],
)
def test_the_commands_of_the_advice_work(covid, later, margins, verdict):
    words = ("drift", "covid", "--measure", "nDCG@10", "--to", later, *margins)
    done = covid(*words, "--details")
    named = [line.strip() for line in done.lines if line.startswith("    roundbook ")]
    assert named
    shown = covid(*words, "--format", "json").json
    assert shown["verdict"] == verdict
    assert named == [step["command"] for step in shown["commands"]]
    for line in named:
        assert covid(*shlex.split(line)[1:]).code == 0, line


def test_the_csv_holds_the_topics_with_their_tests(log, roundbook):
    log("a", SCORES)
    log("b", SCORES + 0.3)
    shown = roundbook(*DRIFT, "--format", "json").json
    rows = roundbook(*DRIFT, "--format", "csv").table
    assert list(rows[0]) == [key for key in shown["topics"][0] if key != "untested"]
    for row, topic in zip(rows, shown["topics"], strict=True):
        assert row.pop("topic") == topic["topic"]
        assert {key: float(cell) for key, cell in row.items()} == {key: topic[key] for key in row}


def test_the_curve(covid):
    words = ("drift", "covid", "--measure", "nDCG@10", "--curve")
    shown = covid(*words, "--format", "json").json
    assert (shown["from"], [row["round"] for row in shown["rounds"]]) == (
        "round1",
        ["round2", "round3"],
    )
    rows = covid(*words, "--format", "csv").table
    assert [(row["round"], row["verdict"]) for row in rows] == [
        (row["round"], row["verdict"]) for row in shown["rounds"]
    ]
    for row, curve_row in zip(rows, shown["rounds"], strict=True):
        like = curve_row["systems_like_these"]
        for name in ("shift", "sd_ratio"):
            ends = [float(row[f"{name}_low"]), float(row[f"{name}_high"])]
            assert ends == like[f"{name}_95"]
            assert float(row[name]) == like[name]
        assert (row["why"], row["provisional"]) == (curve_row["why"], str(curve_row["provisional"]))
        units = [int(row[f"units_{end}"]) for end in ("from", "to", "shared")]
        assert units == [curve_row["units"][end] for end in ("from", "to", "shared")]
    lines = covid(*words).lines
    assert lines[0] == (
        "The factors of round 'round1' in 2 later rounds: 1 aged, 1 undecided. The first round in"
        " which they had aged is 'round3'. The verdicts are not adjusted for their number."
    )
    assert "Provisional: teams are unknown behind the verdicts here; the report says more." in lines
    assert (
        "round2   undecided       30   +0.457   +0.141 to +0.774      0.939   0.818 to 1.077"
        in lines
    )
    *_, second, third = lines
    for line in (second, third):
        assert set(line.split(maxsplit=1)[1]) == set("┊│●─ ")
    assert second.index("●") < third.index("●")
    assert second.index("│") == third.index("│")
    later = covid(*words, "--from", "round2", "--format", "json").json
    assert [row["round"] for row in later["rounds"]] == ["round3"]
    # Three decimals would write the lower limit on the other side of this margin.
    low = shown["rounds"][0]["systems_like_these"]["shift_95"][0]
    margin = (low + round(low, 3)) / 2
    beside = covid(*words, "--margin", repr(margin)).out
    (written,) = re.findall(r"^round2 .* ([+-][\d.]+) to [+-].* to ", beside, re.MULTILINE)
    assert float(written) == pytest.approx(low, abs=0.0005)
    assert (float(written) > margin) is (low > margin)


def test_the_curve_to_a_round_in_percent(log, roundbook):
    log("a", SCORES)
    log("percent", 100 * SCORES)
    out = " ".join(roundbook(*DRIFT, "--curve").out.split())
    assert (
        "The spread in 'percent' is so far from that in 'a' that perhaps the scores on one" in out
    )


def test_the_curve_past_a_round_without_shared_topics(log, roundbook):
    log("a", SCORES)
    log("other", SCORES, topics=[f"u{j}" for j in range(12)])
    log("one", np.vstack([SCORES[:1], SCORES[1:]]), topics=["t0", *(f"v{j}" for j in range(11))])
    done = roundbook(*DRIFT, "--curve")
    assert "1 undecided, 1 without shared topics. The verdicts are not" in done.lines[0]
    (row,) = [line for line in done.lines if line.startswith("other   none ")]
    assert row.split()[2:] == ["0", "-", "-", "-", "-"]
    assert done.lines[-1] == (
        "Nothing to draw: for systems and topics like these no later round has a shift from 'a'."
    )
    rows = roundbook(*DRIFT, "--curve", "--format", "csv").table
    assert [row["verdict"] for row in rows] == ["unbridged", "undecided"]
    assert rows[0]["shift"] == rows[0]["shift_low"] == rows[1]["sd_ratio_high"] == ""


def test_rounds_without_shared_topics_side_by_side(log, roundbook):
    log("a", SCORES)
    log("b", SCORES[:5], topics=[f"u{j}" for j in range(5)])
    done = roundbook(*DRIFT, "--details")
    assert done.lines[0] == "NO SHARED TOPICS: rounds 'a' and 'b' have no usable shared topic."
    assert done.out.count("No evidence that factors moved") == 1
    assert "nan" not in done.out.lower()
    # In brief, only what the details do tell is promised.
    assert roundbook(*DRIFT).lines[-1] == "More with --details: all topics of each round."
    assert roundbook(*DRIFT, "--save").code == 0
    (row,) = roundbook("result", "list", "t").lines[2:]
    assert "a to b: no shared topics" in row
    (saved,) = roundbook("result", "list", "t", "--format", "json").json["results"]
    assert saved["brief"]["verdict"] == "unbridged"
    assert "no shared topics" in " ".join(roundbook("report", "list", "--task", "t").out.split())
    failed = roundbook(*DRIFT, "--fail-on", "not-held")
    assert (failed.code, failed.err) == (5, "--fail-on not-held: 'b' no shared topics.\n")


def test_recurring_systems_are_shown(log, roundbook, write):
    for label, topics in (("a", None), ("b", [f"u{j}" for j in range(12)])):
        teams = write("run,team,system\nrun1,A,bm25\nrun2,A,dense\nrun3,B,\n", "teams.csv")
        log(label, SCORES, "--teams", teams, topics=topics)
    brief = roundbook(*DRIFT)
    assert "Recurring systems: 2 systems ran in both rounds;" in brief.out
    assert brief.lines[-1] == "More with --details: all topics of each round, each system."
    out = roundbook(*DRIFT, "--details").out
    assert "Recurring systems: 2 systems ran in both rounds;" in out
    assert (
        "they stand where they stood among the very runs of these two rounds; other runs might have"
        " moved them." in " ".join(out.split())
    )
    assert re.search(r"^bm25 +[-+]\d\.\d{3} +[-+]\d\.\d{3} +\+0\.000$", out, re.MULTILINE)


@pytest.mark.long
def test_systems_that_are_all_runs_of_both_longeval_rounds_tell_nothing(roundbook, shared, write):
    """Their mean standardised score is 0 in either round, so held would be true whatever happened."""
    folder = shared / "data/longeval2023"
    for round_ in ("wt", "st"):
        path = folder / f"longeval2023irc_{round_}_ndcg.csv"
        runs = path.read_text(encoding="utf-8").splitlines()[0].split(",")[1:]
        listed = "".join(f"{run},IRC,{run}\n" for run in runs)
        teams = write(f"run,team,system\n{listed}", "teams.csv")
        words = ("log", "longeval", round_, path, "--measure", "nDCG", "--teams", teams, "--create")
        assert roundbook(*words, "--missing", "drop-topic").code == 0
    words = ("drift", "longeval", "--measure", "nDCG")
    verdict = roundbook(*words, "--format", "json").json["revived"]
    assert verdict["mean_difference"] == pytest.approx(0, abs=1e-12)
    assert (verdict["verdict"], verdict["why"]) == ("undecided", "all standardising runs recur")
    assert verdict["standardising"] == verdict["of_recurring"] == {"from": 5, "to": 5}
    out = roundbook(*words).out
    assert "5 of 5 in 'wt' and 5 of 5 in 'st' are theirs, which makes that score 0" in out
    assert "other runs alone (factors fit --runs)." in out


def test_constant_matrices_say_what_cannot_be_known(log, roundbook):
    for label, value in (("a", 0.5), ("b", 0.7)):
        log(label, np.full((4, 3), value))
    for first, later in itertools.permutations("ab"):
        done = roundbook(*DRIFT, "--from", first, "--to", later)
        assert done.lines[0].startswith("NO SHARED TOPICS: ")
        assert f"all standardising runs of '{first}' tie" in done.out
        assert "nan" not in done.out.lower().split()
    assert roundbook(*DRIFT, "--format", "csv").code == 0
    assert roundbook(*DRIFT, "--curve").lines[0].endswith("1 without shared topics.")


@pytest.mark.parametrize("curve", [(), ("--curve",)])
def test_refusals(log, roundbook, snapshot, curve):
    assert "roundbook task list" in roundbook(*DRIFT, *curve).refusal()
    log("a", SCORES)
    assert "only round 'a' has" in roundbook(*DRIFT, *curve).refusal()
    log("b", SCORES + 0.1)
    before = snapshot()
    for option, least, wrong in (
        *(("--margin", 0, wrong) for wrong in ("0", "-0.1", "nan", "inf")),
        *(("--sd-ratio-margin", 1, wrong) for wrong in ("1", "0.8", "nan")),
        *(("--min-d", 0, wrong) for wrong in ("0", "-1", "nan", "inf")),
    ):
        refused = roundbook(*DRIFT, *curve, option, wrong)
        assert refused.code == 2
        bound = "a finite number" if wrong in ("nan", "inf") else f"greater than {least}"
        assert f"{option} should be {bound}" in " ".join(refused.err.split())
    assert "no round 'z'" in roundbook(*DRIFT, *curve, "--from", "z").refusal()
    missing = ("--from", "z") if curve else ("--to", "z")
    error = roundbook(*DRIFT, *curve, *missing).refusal()
    assert error.endswith(
        "Task 't' has no round 'z'; 'roundbook round list t' shows those there are."
    )
    assert roundbook(*DRIFT, *curve, "--from", "b").refusal()
    for wrong in ("5%", "0,05"):
        done = roundbook(*DRIFT, *curve, "--min-d", wrong)
        assert done.code == 2
        sentence = " ".join(done.err.replace("│", " ").split())
        assert f"'--min-d': it takes a number, not '{wrong}'" in sentence
    if not curve:
        assert "'a' is both" in roundbook(*DRIFT, "--from", "a", "--to", "a").refusal()
        for wrong in ("1", "0", "-3", "9" * 400):
            assert roundbook(*DRIFT, "--m", wrong).code == 2
    assert snapshot() == before


@pytest.mark.parametrize("extra", [("--to", "b"), ("--m", "5"), ("--details",)])
def test_the_curve_takes_no_second_round_and_no_design(roundbook, extra):
    done = roundbook(*DRIFT, "--curve", *extra)
    assert done.code == 2
    assert "leave out --to, --m, --details" in " ".join(done.err.replace("│", " ").split())
    done = roundbook(*DRIFT, "--curve", "--margin", "0.2", "--min-d", "0.1")
    assert done.code == 2
    assert "give --margin or --min-d" in " ".join(done.err.replace("│", " ").split())


# The collections of rounds


def test_collections_at_creation_and_later(roundbook, snapshot):
    roundbook("task", "create", "t")
    made = roundbook("round", "create", "t", "2004", "--collection", "Disks 4&5")
    assert "Disks 4&5" in made.out
    roundbook("round", "create", "t", "2005")
    words = ("round", "set", "t", "2005")
    done = roundbook(
        *words, "--collection", "AQUAINT", "--held", "2005-11-15", "--format", "json"
    ).json
    assert (done["round"], done["collection"], done["held"]) == ("2005", "AQUAINT", "2005-11-15")
    before = snapshot()
    assert "add --force" in roundbook(*words, "--collection", "GOV2").refusal()
    assert "add --force" in roundbook(*words, "--held", "2005-11-16").refusal()
    # One that fits does not carry through one that does not.
    assert roundbook(*words, "--collection", "AQUAINT", "--held", "2006-01-01").refusal()
    assert "--collection" in roundbook(*words).refusal()
    assert (
        "no round '2006'" in roundbook("round", "set", "t", "2006", "--collection", "X").refusal()
    )
    assert roundbook(*words, "--collection", "AQUAINT").code == 0
    assert snapshot() == before
    assert roundbook(*words, "--collection", "GOV2", "--force").code == 0
    listed = roundbook("round", "list", "t", "--format", "json").json["rounds"]
    assert [(entry["collection"], entry["held"]) for entry in listed] == [
        ("Disks 4&5", None),
        ("GOV2", "2005-11-15"),
    ]
    rows = roundbook("round", "list", "t", "--format", "csv").table
    assert [row["collection"] for row in rows] == ["Disks 4&5", "GOV2"]
    assert "GOV2" in roundbook("round", "list", "t").out


def test_rounds_on_other_collections_share_no_topic(log, roundbook, write):
    teams = write("run,team\n" + "".join(f"run{i},team{i}\n" for i in range(8)), "teams.csv")
    log("2004", SCORES, "--teams", teams)
    log("2005", SCORES, "--teams", teams)
    assert roundbook(*DRIFT).lines[0].startswith("HELD: ")
    roundbook("round", "set", "t", "2004", "--collection", "Disks 4&5")
    out = " ".join(roundbook(*DRIFT, "--details").out.split())
    assert "Assumed: round '2005' was held on the document collection 'Disks 4&5' too" in out
    roundbook("round", "set", "t", "2005", "--collection", "AQUAINT")
    done = roundbook(*DRIFT)
    assert (
        done.lines[0] == "NO SHARED TOPICS: rounds '2004' and '2005' have no usable shared topic."
    )
    assert "a topic of the same name on other documents is another topic" in done.out


def test_withdrawn_scores_are_said_to_be_left_out(log, roundbook):
    for label in ("a", "b", "c"):
        log(label, SCORES)
    assert "Left out" not in roundbook(*DRIFT).out
    assert roundbook("matrix", "withdraw", 3, "--reason", "wrong qrels").code == 0
    note = (
        "Left out: round 'c', whose AP scores (matrix 3, revision 1, official assessments) are"
        " withdrawn: wrong qrels."
    )
    for beside in ((), ("--details",), ("--curve",), ("--save",)):
        assert note in " ".join(roundbook(*DRIFT, *beside).out.split())
    assert note in " ".join(roundbook("report", "show", "t/drift-1").out.split())
    assert roundbook("matrix", "withdraw", 2, "--reason", "wrong qrels").code == 0
    refused = roundbook(*DRIFT).refusal()
    assert "only round 'a' has AP factors" in refused
    assert note in refused


def test_standardising_across_collections_is_refused_with_a_way_out(log, roundbook):
    for label in ("a", "b"):
        log(label, SCORES)
    across = ("standardise", "t", "b", "--measure", "AP", "--factors-from", "a")
    assert roundbook("round", "set", "t", "a", "--collection", "A").code == 0
    assumed = roundbook(*across, "--format", "json")
    note = (
        "Assumed: round 'b' was held on the document collection 'A' too, since none is declared."
        " Declare it with: roundbook round set t b --collection NAME"
    )
    assert assumed.json["notes"] == [note]
    assert f"Note: {note}" in assumed.err
    assert roundbook("round", "set", "t", "b", "--collection", "B").code == 0
    refused = roundbook(*across)
    assert (refused.code, refused.out) == (1, "")
    assert (
        "so round 'a' has factors of none of these topics. Standardise it by its own factors:\n"
        "  roundbook standardise t b --measure AP\n"
        "If the collection only grew, declare this round under the other's name of it:\n"
        "  roundbook round set t b --collection A --force\n" in refused.err
    )
    assert roundbook("standardise", "t", "b", "--measure", "AP").code == 0
    assert roundbook("round", "set", "t", "b", "--collection", "A", "--force").code == 0
    assert roundbook(*across).code == 0


def test_dates_that_contradict_the_order_of_rounds_are_noted(log, roundbook):
    for label in ("may", "april"):
        log(label, SCORES)
    assert roundbook("round", "set", "t", "may", "--held", "2020-05-01").err == ""
    clause = (
        "Round 'april' was held on 2020-04-01, before round 'may' (2020-05-01), but is recorded"
        " after it"
    )
    note = (
        f"{clause}: what compares rounds or takes the latest goes by the order of recording. If a"
        " date is wrong: roundbook round set t ROUND --held DATE --force"
    )
    dated = roundbook("round", "set", "t", "april", "--held", "2020-04-01")
    assert f"Note: {note}" in dated.err
    assert note in " ".join(roundbook("round", "list", "t").out.split())
    brief = roundbook(*DRIFT)
    assert f"- {clause}: by the dates this comparison runs backwards." in brief.out
    assert "    roundbook drift t --measure AP --from april --to may" in brief.lines
    curve = roundbook(*DRIFT, "--curve")
    assert f"{clause}, and the curve goes by the order of recording." in " ".join(curve.out.split())
    plan = ("plan", "--task", "t", "--measure", "AP", "--m", "5", "--min-d", "0.1")
    planned = roundbook(*plan, "--variance-at", "latest", "--format", "json")
    assert planned.json["notes"][-1].startswith(f"{clause}: the plan takes the variance of")
    variance = re.search(
        r"To plan with that of may: --variance-at (\S+)\.$", planned.json["notes"][-1]
    )
    assert roundbook(*plan, "--variance-at", variance[1]).code == 0


def test_factors_on_another_pool_than_that_known_now_name_the_command(log, roundbook, write):
    def teams(*pooled):
        rows = [f"run{i},team {i},{'yes' if i in pooled else 'no'}" for i in range(8)]
        return write("\n".join(["run,team,contributed_to_pool", *rows]) + "\n", "teams.csv")

    log("a", SCORES, "--teams", teams(0, 1, 2, 3))
    log("b", SCORES)
    show = ("factors", "show", "t", "a", "--measure", "AP")
    assert "pooled runs standardise" in " ".join(roundbook(*show).out.split())
    corrected = ("round", "teams", "t", "a", teams(0, 1, 2), "--revise", "a slip")
    assert roundbook(*corrected).code == 0
    phrase = "4 runs, not the pool known now (3)"
    fit = "roundbook factors fit t a --measure AP --runs pooled --reason REASON"
    shown = roundbook(*show)
    assert f"{phrase}, standardise" in " ".join(shown.out.split())
    assert f"  {fit}" in shown.lines
    assert roundbook(*show, "--format", "json").json["pool_now"] == 3
    matrix = roundbook("matrix", "show", "1")
    assert "not the pool known now (3)" in matrix.out
    assert f"  {fit}" in matrix.lines
    details = roundbook(*DRIFT, "--details")
    assert f"Tests on the {phrase}, of 'a'" in " ".join(details.out.split())
    assert f"    {fit}" in details.lines
    tables = write("", "teams.csv").with_name("tables.tex")
    assert roundbook("report", "latex", "t", "a", "--output", tables).code == 0
    assert phrase in tables.read_text(encoding="utf-8")

    assert roundbook(*shlex.split(fit)[1:]).code == 0
    for words in (show, (*show, "--version", "1"), ("matrix", "show", "1"), (*DRIFT, "--details")):
        assert fit not in roundbook(*words).out
    assert "pooled runs standardise" in " ".join(roundbook(*show).out.split())
