"""Bad input: one sentence that names the place, exit 1, and a record that is as it was."""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import shlex
import signal
import subprocess

import numpy as np
import pytest
from sqlalchemy import text
from tests.factories import wide
from tests.waiting import sessions, wait_until

from roundbook.database.engine import unit_of_work

pytestmark = pytest.mark.one_server

GOOD = "topic,a,b\n1,.1,.2\n2,.3,.9\n"
VARIANCE = np.var([[0.1, 0.2], [0.3, 0.9]], axis=0, ddof=1).mean()


@pytest.fixture
def refused(roundbook, snapshot, write):
    """Log content that must be refused, and return the sentence without the folder's name."""

    def call(content, *options):
        path = write(content)
        before = snapshot()
        sentence = roundbook(
            "log", "t", "r", path, "--measure", "AP", "--create", *options
        ).refusal()
        assert snapshot() == before
        return sentence.replace(str(path), path.name)

    return call


@pytest.fixture
def good(roundbook, write):
    """Log GOOD as AP of round r."""
    path = write(GOOD, "good.csv")
    assert roundbook("log", "t", "r", path, "--measure", "AP", "--create").code == 0


PLACED = [
    ("topic,a,b\n1,.1,.2\n2,.3\n", "3:2", "3 fields"),
    ("topic,a,b\n1,.1,.2,.3\n2,.3,.4\n", "2:4", "found 4"),
    ("topic,a,b\n1,.1,.2\n2,.3,high\n", "3:3", "'high'"),
    ("topic,a,b\n1,.1,.2\n2,.3,0.4.5\n", "3:3", "'0.4.5'"),
    ('topic,a,b\n1,.1,"0,2"\n2,.3,.4\n', "2:3", "'0.2'"),
    ("topic,a,b\n1,.1,.2\n2,NaN,.4\n", "3:2", "'NaN'"),
    ("topic,a,b\n1,.1,inf\n2,.3,.4\n", "2:3", "'inf'"),
    ("topic,a,b\n1,.1,-Infinity\n2,.3,.4\n", "2:3", "'-Infinity'"),
    ("topic,a,b\n1,.1,1e999\n2,.3,.4\n", "2:3", "too large"),
    ("topic,a,b\n1,0.1,0.2\n2,1e308,0.5\n", "3:2", "'1e308' is too large"),
    ("topic,a,b\n1,.1,.2\n2,.2,.2\n1,.3,.4\n", "4:1", "line 2"),
    ("topic,a,a\n1,.1,.2\n2,.3,.4\n", "1:3", "column 2"),
    ("topic,a,b,a\n1,.1,.2,.3\n2,.3,.4,.3\n", "1:4", "column 2"),
    ("topic,a,\n1,.1,.2\n2,.3,.4\n", "1:3", "empty"),
    ("topic,a,b\n,.1,.2\n2,.3,.4\n", "2:1", "empty"),
    ("topic,a,b\n", "1", "nothing below"),
    ("topic,run,score\n1,a,.1\n1,b,.2\n1,a,.3\n", "4:1", "line 2"),
    ("topic,run,score\n1,a,.1\n1,b,x\n", "3:3", "'x'"),
    ("topic,run,score\n1,a,.1\n2,a\n", "3:2", "3 fields"),
    ("topic,run,measure,value\n1,a,AP,.1\n2,a,AP,nan\n", "3:4", "'nan'"),
    ("topic,run,score\n", "1", "nothing below"),
    ("map\t1\t.1\nmap\t1\t.2\n", "2:2", "line 1"),
    ("map\t1\t.1\nmap\t2\thigh\n", "2:3", "'high'"),
    ("map\t1\t.1\nmap\t2\n", "2", "3 fields"),
    ("map\t1\t.1\nmap\t2\tinf\n", "2:3", "'inf'"),
    ("1\tAP\t.1\n2\tAP\tNaN\n", "2:3", "'NaN'"),
    ("1\tAP\t.1\n1\tAP\t.2\n", "2:1", "line 1"),
    ("topic,a,b\r1,.1,.2\r2,.3,x\r", "3:3", "'x'"),
    ("topic,a,b\r\n1,.1,.2\r\n2,.3,x\r\n", "3:3", "'x'"),
    ("\ufefftopic,a,b\n1,.1,.2\n2,.3,x\n", "3:3", "'x'"),
    ("\n\ntopic,a,b\n\n1,.1,.2\n2,.3,x\n", "6:3", "'x'"),
    ("topic;a;b\n1;.1;.2\n2;.3;x\n", "3:3", "'x'"),
    ("topic\ta\tb\n1\t.1\t.2\n2\t.3\tx\n", "3:3", "'x'"),
    (b"topic,a,b\n1,.1,.2\n2,.3,\xff\n", "3", "UTF-8"),
    (b"topic,a,b\n1,.1,.2\nr\xe9sum\xe9,.3,.4\n", "3", "UTF-8"),
    (b"topic,a,b\n1,.1,.2\n2,\x00,.4\n", "3", "NUL"),
]


@pytest.mark.long
def test_refused_with_its_place(refused, subtests):
    for content, position, names in PLACED:
        with subtests.test(content):
            sentence = refused(content)
            assert sentence.startswith(f"scores.csv:{position}: "), sentence
            assert names in sentence


WHOLE = [
    (b"", "empty"),
    (b"\n\n  \n", "empty"),
    (b"\xef\xbb\xbf", "empty"),
    (b"PK\x03\x04 and so on", "spreadsheet"),
    (b"\x89PNG\r\n\x1a\n\x00\x00", "not text"),
    ("topic,a,b\n1,.1,.2\n".encode("utf-16"), "UTF-16"),
    (b"\x1f\x8b\x08\x00 no gzip", "gzip"),
    (gzip.compress(GOOD.encode() * 99, mtime=0)[:-20], "cut short"),
    (gzip.compress(b"topic,a,b\n1,.1,.2\n2,.3,x\n", mtime=0), "'x'"),
    (b"the quick brown fox\njumps over\n", "layout"),
    (b"topic,a,b\n1,.1,.2\n2,.3,\n", "topic 2 of run b"),
    (b"1 .1\n2 .3\n", "layout"),
]


def test_refused_as_a_whole(refused, subtests):
    for content, names in WHOLE:
        with subtests.test(content):
            sentence = refused(content)
            assert sentence.startswith("scores.csv")
            assert names in sentence


@pytest.mark.long
def test_refused_over_a_logged_round(good, refused, subtests):
    for content in [*(case[0] for case in PLACED), *(case[0] for case in WHOLE)]:
        with subtests.test(content):
            refused(content, "--revise", "a correction")


def test_missing_scores_are_listed_and_counted(refused):
    rows = "".join(f"{topic},.1,\n" for topic in range(1, 13))
    sentence = refused(f"topic,a,b\n0,.1,.2\n{rows}")
    assert "12 scores are missing" in sentence
    assert "topic 1 of run b" in sentence
    assert "--missing zero" in sentence


def test_ambiguous_files_name_the_option(refused):
    sentence = refused("P_5\tP_10\t.1\nP_10\tP_5\t.2\n")
    assert "--layout trec_eval" in sentence
    assert "--layout ir_measures" in sentence


def test_one_topic_is_refused_saying_which_statistic_is_impossible(refused):
    sentence = refused("topic,a,b\n1,.1,.2\n")
    assert "residual variance" in sentence
    assert "2 topic" in sentence


def test_one_run_is_logged_saying_which_statistic_is_impossible(roundbook, write):
    path = write("topic,a\n1,.1\n2,.3\n")
    done = roundbook("log", "t", "r", path, "--measure", "AP", "--create", "--format", "json")
    assert done.json["variance"] == pytest.approx(0.02)
    assert done.json["factor_version"] is None
    assert "no standardisation factors" in done.err
    for words in (
        ("factors", "show", "t", "r"),
        ("standardise", "t", "r"),
        ("variance", "show", "t", "--scale", "std-ab"),
        ("drift", "t"),
    ):
        roundbook(*words, "--measure", "AP").refusal()


def test_the_size_limit_is_a_setting(roundbook, write, snapshot, monkeypatch):
    size = len(GOOD)
    words = ("log", "t", "r", write(GOOD), "--measure", "AP", "--create", "--dry-run")
    before = snapshot()
    monkeypatch.setenv("ROUNDBOOK_MAX_FILE_BYTES", str(size - 1))
    sentence = roundbook(*words).refusal()
    assert f"{size - 1} bytes" in sentence
    assert "ROUNDBOOK_MAX_FILE_BYTES" in sentence
    monkeypatch.setenv("ROUNDBOOK_MAX_FILE_BYTES", str(size))
    assert roundbook(*words).code == 0
    large = write(gzip.compress(GOOD.encode() + b"\n" * 10_000), "large.csv.gz")
    monkeypatch.setenv("ROUNDBOOK_MAX_FILE_BYTES", "5000")
    assert large.stat().st_size < 5000
    sentence = roundbook("log", "t", "r", large, "--measure", "AP", "--create").refusal()
    assert "decompresses" in sentence
    teams = write("run,team\n" + "a,A\n" * 2000, "teams.csv")
    assert "larger" in roundbook(*words, "--teams", teams).refusal()
    named = {"t": "t", "r": "r", "f": teams}
    for command in (
        "run log t r {f} --create",
        "qrels log t r {f} --create",
        "round teams t r {f}",
        "topic alias t {f}",
        "standardise t {f} --factors-from r --measure AP",
        "study swap-rate --file {f} --measure AP",
    ):
        assert "larger" in roundbook(*command.format(**named).split()).refusal(), command
    for wrong in ("0", "-1", "much"):
        monkeypatch.setenv("ROUNDBOOK_MAX_FILE_BYTES", wrong)
        assert "ROUNDBOOK_MAX_FILE_BYTES" in roundbook(*words).refusal()
    assert snapshot() == before


def test_what_is_no_file(roundbook, tmp_path, snapshot):
    before = snapshot()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, names in (("none.csv", "no such file"), ("folder", "directory"), ("pipe", "pipe")):
        path = tmp_path / name
        sentence = roundbook("log", "t", "r", path, "--measure", "AP", "--create").refusal()
        assert sentence.startswith(f"{path}: ")
        assert names in sentence
    assert snapshot() == before


def test_the_bad_one_of_several_files_is_named(roundbook, write, snapshot):
    before = snapshot()
    good = write(GOOD, "good.csv")
    for content, position in (
        ("topic,c,d\n1,.1,.2\n2,.3,x\n", "3:3"),
        ("topic,c,a\n1,.1,.2\n2,.3,.4\n", "2:3"),  # run a, topic 1 stands in the first file too
    ):
        bad = write(content, "bad.csv")
        sentence = roundbook("log", "t", "r", good, bad, "--measure", "AP", "--create").refusal()
        assert sentence.startswith(f"{bad}:{position}: "), sentence
    assert snapshot() == before


TEAMS = [
    ("run,team\na,A\na,B\n", "3:1"),
    ("run,type\na,manual\n", "1"),
    ("run,team\na\n", "2:1"),
    ("run,team,contributed_to_pool\na,A,maybe\n", "2:3"),
    ("run,team\n", "1"),
]


def test_a_bad_team_file_stops_the_logging(roundbook, write, snapshot, subtests):
    words = ("log", "t", "r", write(GOOD), "--measure", "AP", "--create", "--teams")
    before = snapshot()
    for teams, position in TEAMS:
        with subtests.test(teams):
            path = write(teams, "teams.csv")
            sentence = roundbook(*words, path).refusal()
            assert sentence.startswith(f"{path}:{position}: "), sentence
            assert snapshot() == before


def test_a_team_file_of_other_runs_or_that_contradicts(roundbook, write, snapshot):
    words = ("log", "t", "r", write(GOOD), "--measure", "AP", "--create")
    before = snapshot()
    roundbook(*words, "--teams", write("run,team\nx,X\n", "other.csv")).refusal()
    assert snapshot() == before
    assert roundbook(*words, "--teams", write("run,team\na,A\n", "teams.csv")).code == 0
    before = snapshot()
    sentence = roundbook(*words, "--teams", write("run,team\na,Z\n", "teams2.csv")).refusal()
    assert "'A'" in sentence
    assert "'Z'" in sentence
    assert snapshot() == before


def test_unknown_task_and_round_name_the_command_that_makes_them(roundbook, write, snapshot):
    path = write(GOOD)
    before = snapshot()
    sentence = roundbook("log", "my task", "r", path, "--measure", "AP").refusal()
    assert "roundbook task create 'my task'" in sentence
    assert "--create" in sentence
    assert snapshot() == before
    assert roundbook("log", "t", "r1", path, "--measure", "AP", "--create").code == 0
    before = snapshot()
    sentence = roundbook("log", "t", "r2", path, "--measure", "AP").refusal()
    assert "roundbook round create t r2" in sentence
    assert "--create" in sentence
    assert snapshot() == before
    for words in (
        ("round", "list", "nope"),
        ("round", "create", "nope", "r"),
        ("variance", "show", "nope", "--measure", "AP"),
        ("variance", "record", "nope", "r", "--measure", "AP", "--value", ".1", "--runs", "2",
         "--topics", "9", "--source", "s"),
        ("factors", "show", "nope", "r", "--measure", "AP"),
        ("standardise", "nope", "r", "--measure", "AP"),
        ("plan", "--task", "nope", "--measure", "AP"),
        ("drift", "nope", "--measure", "AP"),
    ):  # fmt: skip
        # What makes one is named where scores or rounds are to be recorded, the list elsewhere.
        makes = words[:2] in (("round", "create"), ("variance", "record"))
        way_out = "roundbook task create nope" if makes else "roundbook task list"
        assert way_out in roundbook(*words).refusal()
    for words in (
        ("factors", "show", "t", "nope", "--measure", "AP"),
        ("standardise", "t", "nope", "--measure", "AP"),
        ("standardise", "t", "r1", "--measure", "AP", "--factors-from", "nope"),
    ):
        sentence = roundbook(*words).refusal()
        assert "nope" in sentence
    assert "has AP" in roundbook("variance", "show", "t", "--measure", "P@10").refusal()
    assert snapshot() == before


def test_the_command_a_refusal_names_works(roundbook, write):
    path = write(GOOD)
    words = ("log", "it's a task", 'round "one"', path, "--measure", "AP")
    for _ in ("task", "round"):
        sentence = roundbook(*words).refusal()
        (command,) = re.findall(r"make it first: (roundbook .+)$", sentence)
        assert roundbook(*shlex.split(command)[1:]).code == 0, command
    assert roundbook(*words).code == 0


@pytest.mark.long
def test_names_unfit_to_print(roundbook, write, snapshot, subtests):
    path = write(GOOD)
    before = snapshot()
    for name in ("", "  ", "x" * 201, "a\tb", "a\nb", "\x1b[31mred"):
        with subtests.test(name):
            for task, label, measure, assessments in (
                (name, "r", "AP", "official"),
                ("t", name, "AP", "official"),
                ("t", "r", name, "official"),
                ("t", "r", "AP", name),
            ):
                roundbook(
                    *("log", task, label, path, "--measure", measure, "--create"),
                    *("--assessments", assessments),
                ).refusal()
            roundbook("task", "create", name).refusal()
            assert snapshot() == before


ALIKE = [
    GOOD,
    GOOD.replace("\n", "\r"),
    GOOD.replace("\n", "\r\n"),
    "\ufeff" + GOOD,
    "\ufeff" + GOOD.replace("\n", "\r"),
    GOOD.rstrip("\n"),
    GOOD.replace(",", ";"),
    GOOD.replace(",", "\t"),
    GOOD.replace("\n", "\n\n"),
    gzip.compress(GOOD.encode(), mtime=0),
    GOOD + "all,.2,.55\n",
]


@pytest.mark.long
def test_read_right(roundbook, write, subtests):
    for number, content in enumerate(ALIKE):
        with subtests.test(content):
            words = ("log", "t", f"r{number}", write(content), "--measure", "AP", "--create")
            done = roundbook(*words, "--format", "json").json
            assert (done["topics"], done["runs"]) == (2, 2)
            assert done["variance"] == pytest.approx(VARIANCE, rel=1e-12)
            words = ("log", "t", f"r{number}", write(GOOD), "--measure", "AP")
            assert roundbook(*words, "--format", "json").json["status"] == "unchanged"
            words = ("standardise", "t", f"r{number}", "--measure", "AP", "--format", "json")
            scores = roundbook(*words).json
            assert (scores["topics"], scores["runs"]) == (["1", "2"], ["a", "b"])


TAGS = [
    "a,b", "x/y\\z", "bm25+rm3", "IRC_RRF(BM25+Bo1-XSqrA_M-PL2)", "[run]{1}", 'say "hi"', "10.5",
    "été", "日本語", "=1+1", "a b", "'quoted'", "%s", "-dash", "#1", "{}", "NaN", "[bold]x[/bold]",
]  # fmt: skip


def test_run_tags_are_accepted_as_they_are(roundbook, write, engine):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["topic", *TAGS])
    generator = np.random.default_rng(7)
    scores = generator.random((3, len(TAGS))).round(4)
    writer.writerows([f"q/{j}, ({j})", *row] for j, row in enumerate(scores.tolist()))
    path = write(out.getvalue())
    done = roundbook("log", "t", "r", path, "--measure", "AP", "--create", "--format", "json").json
    assert (done["runs"], done["topics"]) == (len(TAGS), 3)
    words = ("standardise", "t", "r", "--measure", "AP", "--scale", "std")
    shown = roundbook(*words, "--format", "json").json
    assert shown["runs"] == TAGS
    assert shown["topics"] == [f"q/{j}, ({j})" for j in range(3)]
    std = (scores - scores.mean(1)[:, None]) / scores.std(1, ddof=1)[:, None]
    np.testing.assert_allclose(np.transpose(shown["scores"]), std, rtol=1e-10)
    rows = list(csv.reader(io.StringIO(roundbook(*words, "--format", "csv").out)))
    # What a spreadsheet would compute has an apostrophe before it.
    assert rows[0] == ["topic", *(f"'{tag}" if tag[0] in "=+-@" else tag for tag in TAGS)]
    assert [row[0] for row in rows[1:]] == shown["topics"]
    table = roundbook(*words, "--format", "table").out
    assert all(tag in table for tag in TAGS)
    with unit_of_work(engine) as connection:
        recorded = connection.execute(text("SELECT tag FROM roundbook.run ORDER BY id")).scalars()
        assert list(recorded) == TAGS


# interruption


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """A matrix large enough for its logging to be hit in the middle, and its variance."""
    topics, runs = 300, 400
    scores = np.random.default_rng(11).random((topics, runs)).round(6)
    path = tmp_path_factory.mktemp("large") / "large.csv"
    path.write_text(wide(scores))
    return path, topics, runs, scores.var(axis=0, ddof=1).mean()


# Other tests wait for locks on this server at the same time.
WAITING = (
    "SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database"
    " WHERE NOT granted AND datname = current_database()"
)

# Seconds from the first sight of its session to the signal.
MOMENTS = (0.1, 0.5, 2, 8)


@pytest.mark.long
@pytest.mark.parametrize(
    "how",
    [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)],
    ids=lambda s: s.name,
)
def test_interrupting_log_leaves_nothing_behind(
    start, roundbook, snapshot, engine, address, large, how
):
    path, topics, runs, variance = large
    words = ("log", "t", "r", path, "--measure", "AP", "--create", "--format", "json")
    empty = snapshot()
    interrupted, finished = 0, False
    for moment in MOMENTS:
        with start(*words, database_url=address) as running:
            wait_until(lambda: sessions(engine) > 0, "it never connected")
            try:
                out, err = running.communicate(timeout=moment)
            except subprocess.TimeoutExpired:
                running.send_signal(how)
                out, err = running.communicate(timeout=60)
        wait_until(lambda: sessions(engine) == 0, "its session is still there")
        assert "Traceback" not in err, err
        after = snapshot()
        if after == empty:
            interrupted += 1
            assert (out, running.returncode == 0) == ("", False), (out, err)
            continue
        # Whole: the scores, the factors and the variances of every scale.
        assert after["matrix"][0] == after["factor_set"][0] == 1
        assert after["score_vector"][0] == after["run"][0] == runs
        assert after["matrix_topic"][0] == after["factor"][0] == after["topic"][0] == topics
        assert after["variance_estimate"][0] == 3
        finished = True
        break
    assert interrupted >= 1
    done = roundbook(*words).json
    assert done["status"] == ("unchanged" if finished else "logged")
    assert (done["topics"], done["runs"]) == (topics, runs)
    assert done["variance"] == pytest.approx(variance, rel=1e-10)


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL], ids=lambda s: s.name)
def test_interrupted_while_it_writes(start, roundbook, snapshot, engine, address, write, how):
    """Hold the process between its writing and its commit, and break it off there."""
    path = write(GOOD)
    words = ("log", "t", "r", path, "--measure", "AP", "--create", "--format", "json")
    before = snapshot()
    with engine.connect() as blocker:
        # The last table written to: everything else is written by then.
        blocker.execute(text("LOCK TABLE roundbook.variance_estimate IN SHARE MODE"))
        with start(*words, database_url=address) as running:
            wait_until(
                lambda: blocker.execute(text(WAITING)).first() or running.poll() is not None,
                "it never came to the lock",
            )
            assert running.poll() is None, running.communicate()
            running.send_signal(how)
            out, err = running.communicate(timeout=60)
        blocker.rollback()
    assert running.returncode != 0
    assert (out, "Traceback" in err) == ("", False), err
    wait_until(lambda: sessions(engine) == 0, "its session is still there")
    assert snapshot() == before
    assert roundbook(*words).json["status"] == "logged"


@pytest.mark.long
def test_a_lock_held_by_somebody_else_is_one_sentence(
    roundbook, write, engine, committed, monkeypatch
):
    monkeypatch.setenv("ROUNDBOOK_LOCK_TIMEOUT", "1")
    words = ("log", "t", "r", write(GOOD), "--measure", "AP", "--create")
    with engine.connect() as blocker:
        blocker.execute(text("LOCK TABLE roundbook.matrix IN ACCESS EXCLUSIVE MODE"))
        sentence = roundbook(*words).refusal()
        assert "ROUNDBOOK_LOCK_TIMEOUT" in sentence
        blocker.rollback()
    assert roundbook(*words).code == 0
