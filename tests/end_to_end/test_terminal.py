"""What a person meets at a terminal of 80 columns: tables, questions, Tab, Ctrl-C, progress."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import time
from contextlib import nullcontext

import pytest
from tests.savepoints import prepared

from roundbook.logbook import schema, tasks
from roundbook.logbook import session as logbook_session
from roundbook_cli import task as task_commands
from roundbook_cli.output import progress
from roundbook_cli.table_layout import cell_width

pytestmark = pytest.mark.one_server

TASK = "adhoc-retrieval-over-all-collections"
FIRST = "spring-round-with-the-first-assessors"
SECOND = "autumn-round-with-the-second-assessors"
LABEL = "second-assessors-at-both-sites"
TEAM = "Laboratory-of-Information-Retrieval-Evaluation"
RUNS = [f"baseline-with-pseudo-relevance-feedback-variant-{letter}" for letter in "abcdef"]
REASON = "judged again since the pool of the first round had left out two systems of four teams"
NAMES = [TASK, FIRST, SECOND, LABEL, TEAM, *RUNS]

TABLES = f"""
task list
round list {TASK}
round show {TASK} {FIRST}
matrix list {TASK}
matrix list {TASK} --all
matrix show 1
matrix history 1
variance show {TASK} --measure nDCG@10
variance show {TASK}
variance history {TASK}
variance pooled {TASK} --measure nDCG@10
factors show {TASK} {FIRST} --measure nDCG@10
standardise {TASK} {SECOND} --measure nDCG@10 --format table
rank {TASK} {FIRST} --measure nDCG@10 --resamples 50
generalisability {TASK} --measure nDCG@10
drift {TASK} --measure nDCG@10
drift {TASK} --measure nDCG@10 --details
drift {TASK} --measure nDCG@10 --curve
impact 1
events
plan --task {TASK} --measure nDCG@10 --details
plan list
plan show {TASK}-next
report list
report show {TASK} 1
result list {TASK}
result list {TASK} --stale
result show {TASK}-next
round verify {TASK} {FIRST}
topic list {TASK}
measure list
db check
db verify
"""


def on_a_terminal(monkeypatch, *streams):
    monkeypatch.setenv("COLUMNS", "80")
    for stream in streams:
        monkeypatch.setattr(stream, "isatty", lambda: True)


@prepared
def filled(roundbook, write, monkeypatch):
    """A record in which everything has a long name, two rounds, a correction and saved results."""
    monkeypatch.setenv("ROUNDBOOK_USER", "organiser-of-the-whole-campaign")

    def scores(seed):
        lines = [
            f"t{topic}," + ",".join(f"{(topic * run * seed) % 89 / 97:.3f}" for run in range(2, 8))
            for topic in range(1, 13)
        ]
        return write("\n".join(["topic," + ",".join(RUNS), *lines]))

    teams = write("run,team\n" + "".join(f"{run},{TEAM} {run[-1]}\n" for run in RUNS), "teams.csv")
    more = ("--measure", "nDCG@10", "--teams", teams, "--assessments", LABEL)
    for label, seed in ((FIRST, 5), (SECOND, 7)):
        assert roundbook("log", TASK, label, scores(seed), *more, "--create").code == 0
    measured = ("--task", TASK, "--measure", "nDCG@10")
    assert roundbook("plan", "save", f"{TASK}-next", *measured, "--note", REASON).code == 0
    assert roundbook("drift", TASK, "--measure", "nDCG@10", "--save", "--note", REASON).code == 0
    assert roundbook("log", TASK, FIRST, scores(11), *more, "--revise", REASON).code == 0
    assert roundbook("round", "publish", TASK, FIRST, "--reason", REASON).code == 0
    return roundbook


def test_every_table_fits_80_columns_and_breaks_nothing(filled, monkeypatch):
    on_a_terminal(monkeypatch, sys.stdout)
    faults = []
    for words in TABLES.strip().splitlines():
        done = filled(*words.split())
        assert done.code == 0, done
        # A command that can be copied is not wrapped, nor is a path.
        lines = [line for line in done.lines if not line.strip().startswith(("roundbook ", "/"))]
        faults += [(words, printed) for printed in lines if cell_width(printed) > 80]
        faults += [(words, printed) for printed in lines if re.search(r"\[-?[\d.]+,\s*$", printed)]
        text = "\n".join(lines)
        # Wherever a name begins, all of it follows.
        starts = "|".join({re.escape(name[:12]) for name in NAMES})
        begun = re.findall(rf"(?<![\w-])(?:{starts})", text)
        whole = re.findall("|".join(map(re.escape, NAMES)), text)
        faults += [(words, begun, whole)] if len(begun) != len(whole) else []
    assert faults == []


def test_a_wide_table_says_what_it_leaves_out_and_leaves_the_next_line_alone(
    roundbook, write, monkeypatch
):
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0
    on_a_terminal(monkeypatch, sys.stdout)
    monkeypatch.setenv("COLUMNS", "50")
    lines = roundbook("matrix", "list", "t").lines
    (start,) = [index for index, line in enumerate(lines) if line.startswith("Left out, as 50")]
    assert "Revision, Logged" in " ".join(lines[start : start + 2])
    assert max(map(len, lines)) <= 50
    monkeypatch.setenv("COLUMNS", "200")
    assert "Left out" not in roundbook("matrix", "list", "t").out


def test_generalisability_leaves_nothing_out_at_80_columns(roundbook, write, monkeypatch):
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0
    on_a_terminal(monkeypatch, sys.stdout)
    lines = roundbook("generalisability", "t", "--measure", "AP").lines
    assert max(map(len, lines)) <= 80
    shown = [line.split() for line in lines if line.startswith(("Round  ", "r  "))]
    assert [words[1] for words in shown[::2]] == ["Topics", "By", "Matrix"]
    assert shown[1][1:3] == ["3", "2"]
    assert "Left out" not in "".join(lines)


def test_a_round_is_published_after_a_question(roundbook, write, monkeypatch, snapshot):
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0
    publish, before = ("round", "publish", "t", "r"), snapshot()
    seen = roundbook(*publish, "--dry-run", "--format", "json")
    assert (seen.json["status"], seen.err) == ("draft", "Dry run: nothing was published.\n")
    assert snapshot() == before

    def answer(text):
        answers = io.StringIO(text)
        monkeypatch.setattr(sys, "stdin", answers)
        on_a_terminal(monkeypatch, answers, sys.stderr)
        return roundbook(*publish)

    refused = answer("n\n")
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("Publish round 'r' for good: AP 3 x 2? There is no way back.")
    assert refused.err.endswith("Nothing was published.\n")
    assert snapshot() == before
    assert f"Fingerprint {seen.json['fingerprint']}" in answer("y\n").out
    assert "[y/N]" not in answer("").err  # it is published already
    assert "published already" in roundbook(*publish, "--yes").err


def test_an_interrupted_command_says_what_is_kept(roundbook, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    create = ("task", "create", "t")
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "create_task", interrupt)
        done = roundbook(*create)
    assert (done.code, done.out) == (130, "")
    assert done.err == "Interrupted. The record is as it was.\n"
    with monkeypatch.context() as patch:
        patch.setattr("sqlalchemy.engine.Connection.commit", interrupt)
        done = roundbook(*create)
    assert done.code == 130
    assert done.err == (
        "Interrupted while the work was being kept: all of it is, or nothing. 'roundbook events'"
        " shows which; where nothing is, give the same command again.\n"
    )
    # An upgrade has no event.
    with monkeypatch.context() as patch:
        patch.setattr(schema, "upgrade_schema", interrupt)
        done = roundbook("db", "upgrade")
    assert (done.code, "'roundbook db current' shows which" in done.err) == (130, True)
    assert roundbook("task", "list", "--format", "json").json == {"tasks": []}
    with monkeypatch.context() as patch:
        patch.setattr(task_commands, "show", interrupt)
        done = roundbook(*create)
    assert (done.code, "Interrupted when the work was done." in done.err) == (130, True)
    assert len(roundbook("task", "list", "--format", "json").json["tasks"]) == 1
    # The next command of the same process begins anew.
    with monkeypatch.context() as patch:
        patch.setattr(tasks, "list_tasks", interrupt)
        assert roundbook("task", "list").err == "Interrupted. The record is as it was.\n"


def test_tab_offers_names_also_from_what_was_noted(
    roundbook, address, write, monkeypatch, tmp_path
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")
    for task, measure in (("adhoc", "RBP(p=0.8)"), ("web", "AP")):
        log = ("log", task, f"{task}-2021", path, "--measure", measure)
        assert roundbook(*log, "--create").code == 0
    assert roundbook("plan", "save", "next", "--variance", "0.05").code == 0
    again = ("log", "web", "web-2022", path, "--measure", "AP", "--create")
    assert roundbook(*again).code == 0
    assert roundbook("drift", "web", "--measure", "AP", "--save").code == 0

    def offered(words, shell="bash"):
        with monkeypatch.context() as patch:
            patch.setenv("_ROUNDBOOK_COMPLETE", f"complete_{shell}")
            patch.setenv("COMP_WORDS", words)
            patch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
            done = roundbook()
        assert done.err == ""
        return done.out.split()

    def check():
        assert offered("roundbook variance show ") == ["adhoc", "web"]
        assert offered("roundbook round publish web ") == ["web-2021", "web-2022"]
        assert offered("roundbook matrix list web --round web-2021") == ["web-2021"]
        assert offered("roundbook variance show adhoc --measure ") == ["'RBP(p=0.8)'"]
        assert offered("roundbook result show ") == ["next", "web/drift-1"]
        assert offered("roundbook plan show ") == ["next"]

    check()
    (noted,) = (tmp_path / "cache" / "roundbook").iterdir()
    assert "postgres" not in noted.name
    old = time.time() - 3600
    os.utime(noted, (old, old))
    with monkeypatch.context() as patch:  # the server is down
        patch.setattr(logbook_session, "record_if_up", lambda *_, **__: nullcontext())
        check()
        noted.unlink()
        assert offered("roundbook variance show ") == []
    # A person's own command notes the names down.
    on_a_terminal(monkeypatch, sys.stderr)
    assert roundbook("task", "list").code == 0
    assert [task["task"] for task in json.loads(noted.read_text())["tasks"]] == ["adhoc", "web"]
    # No embedded server is started.
    monkeypatch.delenv("ROUNDBOOK_DATABASE_URL")
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(tmp_path / "data"))
    assert offered("roundbook variance show ") == []
    assert not (tmp_path / "data").exists()


def test_tab_knows_a_task_by_its_whole_name(roundbook, address, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for task, label in (("web", "a"), ("the web", "b")):
        assert roundbook("task", "create", task).code == 0
        assert roundbook("round", "create", task, label).code == 0
    monkeypatch.setenv("_ROUNDBOOK_COMPLETE", "complete_bash")
    for typed, offered in (
        ("'the web' ", "b"),
        ('"the web" ', "b"),
        ("the\\ web ", "b"),
        ("web ", "a"),
    ):
        monkeypatch.setenv("COMP_WORDS", f"roundbook round publish {typed}")
        monkeypatch.setenv("COMP_CWORD", "4")
        assert roundbook().out.split() == [offered]


def test_progress_is_for_a_terminal_only(monkeypatch, capsys):
    with progress("Reading ...") as step:
        step("Reading the first half ...")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setenv("TERM", "xterm")
    on_a_terminal(monkeypatch, sys.stderr)
    with progress("Reading ...") as step:
        step("Reading [b]all[/b] of it\x1b ...")
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Reading [b]all[/b] of it\\x1b ..." in shown.err


def test_saved_results_stand_by_the_numbers_in_their_names(roundbook):
    for name in ("p-10", "p-2", "p-1"):
        assert roundbook("plan", "save", name, "--variance", "0.05").code == 0
    listed = roundbook("result", "list", "--format", "json").json["results"]
    assert [entry["name"] for entry in listed] == ["p-1", "p-2", "p-10"]
    assert "Task" not in roundbook("result", "list").out
    assert roundbook("task", "create", "t").code == 0
    words = ("--measure", "AP", "--value", ".05", "--runs", "9", "--topics", "20", "--source", "x")
    assert roundbook("variance", "record", "t", "r", *words, "--create").code == 0
    assert roundbook("plan", "save", "of-t", "--task", "t", "--measure", "AP").code == 0
    rows = roundbook("result", "list").out.splitlines()
    assert [row.split()[:2] for row in rows if row.split()[1:2] in (["of-t"], ["p-1"])] == [
        ["t", "of-t"],
        ["-", "p-1"],
    ]


def test_a_plan_and_a_report_of_one_name(filled):
    name, measured = f"{TASK}/drift-1", ("--task", TASK, "--measure", "nDCG@10")
    assert filled("plan", "save", name, *measured).code == 0
    for words in (("renew", name), ("show", name)):
        assert filled("result", *words).refusal().endswith("drift and plan: name one with --kind.")
    renewed = filled("result", "renew", name, "--kind", "drift", "--format", "json").json
    assert [one["after"]["kind"] for one in renewed["renewed"]] == ["drift"]
