"""The demonstration: published figures reproduced, a simulated campaign judged, nothing left."""

from __future__ import annotations

import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.resources import files
from pathlib import Path

import pytest
from tests.outcomes import PROGRAM

from roundbook.measure_names import canonical_measure
from roundbook_cli.demo import _program

pytestmark = pytest.mark.one_server


def published(name):
    return list(csv.DictReader((files("roundbook.logbook") / name).read_text().splitlines()))


def reference(shared, name):
    return list(csv.DictReader((shared / "reference" / name).read_text().splitlines()))


@pytest.fixture(scope="module")
def outcomes():
    """Keep what the demonstration printed, since it takes seconds."""
    return {}


@pytest.fixture
def demo(command, outcomes):
    def call(form="table"):
        if form not in outcomes:
            outcomes[form] = command("demo", "--format", form)
        return outcomes[form]

    return call


def test_the_typed_in_tables_are_the_published_ones(shared):
    columns = ("task", "subtask", "measure", "runs", "topics", "variance_raw", "variance_std_ab")

    def figures(row):
        return [*(row[name] for name in columns[:3]), *(float(row[name]) for name in columns[3:])]

    mine = [figures(row) for row in published("airs2016_table1.csv")]
    assert mine == [figures(row) for row in reference(shared, "airs2016_table1.csv")]
    assert len(mine) == 19
    sizes = [
        (row["m"], row["min_d"], row["n_published"])
        for row in reference(shared, "airs2016_table2_sections_I_IV.csv")
        if (row["section"], row["measure"]) == ("IV", "raw nG@1")
    ]
    stc = published("airs2016_table2_stc.csv")
    assert [(row["m"], row["min_d"], row["topics"]) for row in stc] == sizes
    assert len(sizes) == 20


@pytest.mark.long
def test_as_json(demo, shared):
    shown = demo("json").json
    assert shown["simulated"] is True
    sizes = {(cell["m"], cell["min_d"]): cell["topics"] for cell in shown["plan"]["cells"]}
    exact = {(cell["m"], cell["min_d"]): cell["topics_exact"] for cell in shown["plan"]["cells"]}
    paper = [
        row
        for row in reference(shared, "airs2016_table2_sections_I_IV.csv")
        if (row["section"], row["measure"]) == ("IV", "raw nG@1")
    ]
    keyed = {(int(row["m"]), float(row["min_d"])): row for row in paper}
    assert len(keyed) == 20
    assert sizes == {key: int(row["n_published"]) for key, row in keyed.items()}
    assert exact == {key: int(row["n_exact_noncentral_f"]) for key, row in keyed.items()}
    recorded = [
        (history["measure"], row["runs"], row["topics"], row["variance"], row["dof"])
        for history in shown["published"]
        for row in history["rounds"]
    ]
    assert recorded == [
        (
            canonical_measure(row["measure"]),
            int(row["runs"]),
            int(row["topics"]),
            float(row["variance_raw"]),
            int(row["runs"]) * (int(row["topics"]) - 1),
        )
        for row in reference(shared, "airs2016_table1.csv")
    ]
    history = shown["history"]
    assert [row["round"] for row in history["rounds"]] == ["round1", "round2", "round3", "round4"]
    weights = [row["dof"] for row in history["rounds"]]
    pooled = sum(row["dof"] * row["variance"] for row in history["rounds"]) / sum(weights)
    assert history["pooled"]["variance"] == pytest.approx(pooled)
    assert shown["next_round"]["variance"] == pytest.approx(pooled)
    for verdict, last in (("held", "round2"), ("undecided", "round3"), ("aged", "round4")):
        report = shown[f"drift_{verdict}"]
        assert (report["from"], report["to"], report["verdict"]) == ("round1", last, verdict)
        assert report["shared_topics"] == 40
    assert abs(shown["drift_held"]["mean_shift"]) < 0.2 < shown["drift_aged"]["mean_shift"]
    assert len(shown["factors"]["factors"]) == 50


@pytest.mark.long
def test_as_a_table(demo):
    done = demo()
    assert done.code == 0
    assert "20 of 20 sizes" in done.out
    assert "SIMULATED" in done.out
    assert "HELD: " in done.out
    assert "UNDECIDED: " in done.out
    assert "AGED: " in done.out
    assert "AIRS 2016" in done.out
    assert "4. Its next round. Topics needed: one-way ANOVA, alpha 0.05" in done.out
    assert "Take the size by tukey where all runs get the same topics" in done.out.replace(
        "\n", " "
    )
    headings = re.findall(r"^([0-9])\. ", done.out, re.MULTILINE)
    assert headings == sorted(headings)
    assert done.err == ""  # its steps are for a terminal


@pytest.mark.long
def test_as_csv(demo):
    rows = demo("csv").table
    assert [row["round"] for row in rows] == ["round1", "round2", "round3", "round4"]


@pytest.mark.long
def test_it_ends_in_three_commands_that_work(demo, roundbook, write, monkeypatch):
    *_, before, first, second, third = demo().lines
    assert before.strip().startswith("Try next")
    path = write("topic,a,b\n1,.1,.2\n2,.3,.9\n3,.2,.2\n")
    monkeypatch.chdir(path.parent)  # the commands speak of scores.csv
    for line in (first, second, third):
        words = shlex.split(line)
        assert words[0] == "roundbook"
        done = roundbook(*words[1:])
        assert done.code == 0, (line, done)
    assert "mytask" in roundbook("task", "list").out


def test_its_commands_begin_with_what_this_program_is_called_from_here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "my tools" / ".venv" / "bin" / "roundbook"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    assert _program() == "'my tools/.venv/bin/roundbook'"
    monkeypatch.setenv("PATH", str(program.parent))
    assert _program() == "roundbook"


def processes_naming(path):
    lines = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if path in line:
                lines.append(line)
    return lines


@pytest.mark.long
def test_it_needs_nothing_and_leaves_nothing(tmp_path):
    # A temporary directory of its own shows what is left there; short, for the socket's path.
    directory = Path(tempfile.mkdtemp(prefix="rb"))
    home, empty = tmp_path / "home", tmp_path / "empty"
    home.mkdir()
    empty.mkdir()
    settings = {k: v for k, v in os.environ.items() if not k.startswith(("ROUNDBOOK_", "XDG_"))}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*PROGRAM, "demo"],
            cwd=empty,
            env=settings | {"HOME": str(home), "TMPDIR": str(directory)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        took = time.monotonic() - began
        left = [
            path for path in directory.rglob("*") if path.is_file() and path.name != ".lockfile"
        ]
        folders = [path.name for path in directory.iterdir()]
    finally:
        shutil.rmtree(directory)
    assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    assert "20 of 20 sizes" in done.stdout
    assert left == []
    assert folders in ([], [f"roundbook-runtime-{os.getuid()}"])  # whose lock the next start takes
    assert list(home.iterdir()) == list(empty.iterdir()) == []
    assert processes_naming(str(directory)) == []
    assert took < 20
