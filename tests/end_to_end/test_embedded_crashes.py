"""Killed commands on the embedded server: the next one works, and no server is left running."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pytest
from sqlalchemy import text
from tests.factories import wide
from tests.outcomes import PROGRAM, environment
from tests.waiting import wait_until

from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.embedded.server import embedded_server

SEED = 7


@pytest.fixture
def data_dir():
    """A directory with a path short enough for a socket; no server may be left in it."""
    directory = Path(tempfile.mkdtemp(prefix="rb")).resolve()
    yield directory
    left = server_processes(directory)
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, timeout=30)
    shutil.rmtree(directory)
    assert left == []


def server_processes(data_dir):
    processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            words = " ".join([process.cwd(), *process.cmdline()])
            if process.name() in ("postgres", "initdb", "pg_ctl") and str(data_dir) in words:
                processes.append(process)
    return processes


@pytest.fixture
def scores(tmp_path):
    """Write a file of scores."""

    def write(number, topics=150, runs=100):
        path = tmp_path / f"scores{number}.csv"
        path.write_text(wide(np.random.default_rng(number).random((topics, runs)).round(4)))
        return path

    return write


def log(path, label, *more):
    return (
        *("log", "t", label, path, "--measure", "AP", "--create", "--format", "json"),
        *more,
    )


def matrices(process, data_dir):
    listed = process("round", "list", "t", "--format", "json", data_dir=data_dir).json["rounds"]
    return {row["round"]: len(row["matrices"]) for row in listed}


def rounds(data_dir):
    """Return the rounds in the record, read from this process."""
    with embedded_server(data_dir / "postgres") as address:
        engine = make_engine(parse_url(address))
        with unit_of_work(engine) as connection:
            labels = connection.execute(text("SELECT label FROM roundbook.round")).scalars().all()
        engine.dispose()
    return labels


def assert_nothing_is_left(data_dir):
    assert server_processes(data_dir) == []
    assert not (data_dir / "postgres" / "postmaster.pid").exists()
    assert json.loads((data_dir / "postgres" / ".handle_pids.json").read_text()) == []
    assert {path.name for path in data_dir.iterdir()} == {"postgres", "postgres.machine"}


def moments(count, seconds):
    """Return moments spread over the time that the work takes, from first to last."""
    draw = random.Random(SEED)
    return [seconds * (number + draw.random()) / count for number in range(count)]


def kills(start, process, data_dir, scores, count):
    """Kill commands that had started the server themselves; return how it went for each."""
    began = time.monotonic()
    assert process(*log(scores(0), "spared"), data_dir=data_dir / "spared").code == 0
    first = time.monotonic() - began
    began = time.monotonic()
    assert process(*log(scores(1), "spared1"), data_dir=data_dir / "spared").code == 0
    further = time.monotonic() - began
    outcomes = Counter()
    for number, moment in enumerate(moments(count, 1.1 * first)):  # makes the directory too
        directory = data_dir / f"new{number}"
        outcomes["new", killed(start, process, directory, scores(number), "r", moment)] += 1
        assert_nothing_is_left(directory)
    directory = data_dir / "spared"
    for number, moment in enumerate(moments(2 * count, 1.1 * further)):
        status = killed(start, process, directory, scores(number), f"r{number}", moment)
        outcomes["made", status] += 1
        assert_nothing_is_left(directory)
    assert matrices(process, directory) == {
        "spared": 1,
        "spared1": 1,
        **{f"r{number}": 1 for number in range(2 * count)},
    }
    assert_nothing_is_left(directory)
    return outcomes


def killed(start, process, directory, path, label, moment):
    """Kill a logging at a moment, then log again; return what that found."""
    with start(*log(path, label), data_dir=directory) as running:
        time.sleep(moment)
        running.kill()
        running.communicate(timeout=60)
    return process(*log(path, label), data_dir=directory).json["status"]


@pytest.mark.long
def test_a_killed_command(start, process, made, scores):
    assert killed(start, process, made, scores(1), "r1", 0.5) in ("logged", "unchanged")
    assert_nothing_is_left(made)


@pytest.mark.slow
def test_many_killed_commands(start, process, data_dir, scores):
    outcomes = kills(start, process, data_dir, scores, 40)
    for there in ("logged", "unchanged"):
        assert outcomes["new", there] > 0, outcomes
        assert outcomes["made", there] > 0, outcomes


@pytest.mark.slow
def test_a_killed_initdb_leaves_nothing_that_looks_like_a_record(process, data_dir, scores):
    # The command and the programs it runs, all at once, as when the machine stops.
    directory = data_dir / "new"
    program, settings = [*PROGRAM, "task", "list"], environment(data_dir=directory)
    with subprocess.Popen(program, env=settings, start_new_session=True) as running:
        while not any(directory.glob("postgres*/PG_VERSION")):
            assert running.poll() is None
            time.sleep(0.002)
        os.killpg(running.pid, signal.SIGKILL)
    assert not (directory / "postgres" / "PG_VERSION").exists()
    assert process(*log(scores(0), "r"), data_dir=directory).json["status"] == "logged"
    assert_nothing_is_left(directory)


@pytest.mark.long
def test_a_file_of_a_dead_server_that_names_a_stranger(made):
    # As after a restart of the machine or the container, which count processes anew.
    with subprocess.Popen(["sleep", "120"]) as stranger:
        lines = (stranger.pid, made / "postgres", 1500000000, 5432, made / "postgres", "")
        text = "\n".join(map(str, lines)) + "\n    12345      9\nready   \n"
        for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
            (made / "postgres" / name).write_text(text)
        assert rounds(made) == ["r"]
        assert stranger.poll() is None
        stranger.kill()
    assert_nothing_is_left(made)


@pytest.mark.long
@pytest.mark.parametrize("lines", [0, 1, 5, 7])
def test_a_file_that_a_server_was_killed_while_writing(made, lines):
    with subprocess.Popen(["true"]) as gone:
        pass
    whole = [str(gone.pid), str(made / "postgres"), "1500000000", "5432", str(made / "postgres")]
    whole += ["", "    12345      9", "starting"]
    (made / "postgres" / "postmaster.pid").write_text("\n".join(whole[:lines]))
    assert rounds(made) == ["r"]
    assert_nothing_is_left(made)


@pytest.mark.long
def test_a_server_that_is_just_stopping(start, process, made):
    postgres = made / "postgres"
    with embedded_server(postgres) as address:
        engine = make_engine(parse_url(address))
        connection = engine.connect()
        number = int((postgres / "postmaster.pid").read_text().split()[0])
        os.kill(number, signal.SIGTERM)  # it waits for its clients
        wait_until(lambda: "stopping" in (postgres / "postmaster.pid").read_text())
        with start("task", "list", "--format", "json", data_dir=made) as running:
            time.sleep(1.5)  # by then it has found the server
            connection.close()
            engine.dispose()
            out, err = running.communicate(timeout=60)
        assert running.returncode == 0, err
        assert [row["task"] for row in json.loads(out)["tasks"]] == ["t"]
    assert_nothing_is_left(made)


@pytest.mark.slow
def test_a_server_that_is_just_starting(start, process, made):
    postgres = made / "postgres"
    with embedded_server(postgres):
        number = int((postgres / "postmaster.pid").read_text().split()[0])
        text = (postgres / "postmaster.pid").read_text()
        (postgres / "postmaster.pid").write_text(text.replace("ready   ", "starting"))
        with start("task", "list", "--format", "json", data_dir=made) as running:
            time.sleep(1.5)
            assert running.poll() is None
            (postgres / "postmaster.pid").write_text(text)
            _, err = running.communicate(timeout=60)
        assert running.returncode == 0, err
        assert int((postgres / "postmaster.pid").read_text().split()[0]) == number
    assert_nothing_is_left(made)


# several command lines at once


def all_at_once(start, lines, data_dir):
    """Start command lines at the same moment; return their exit codes and what they said."""
    running = [start(*line, data_dir=data_dir) for line in lines]
    done = []
    for process in running:
        with process:
            out, err = process.communicate(timeout=120)
        assert "Traceback" not in out + err, err
        done.append((process.returncode, out, err))
    return done


def in_turn(start, lines, data_dir, done):
    for line in lines:
        done += all_at_once(start, [line], data_dir)


@pytest.mark.slow
def test_command_lines_share_a_server(start, process, data_dir, scores):
    # Each thread is a person who logs two files, which others log too.
    people = 8
    lines = [
        [log(scores(number % people, 20, 10), f"r{number % people}") for number in (n, n + 1)]
        for n in range(people)
    ]
    done = [[] for _ in range(people)]
    threads = [
        threading.Thread(target=in_turn, args=(start, line, data_dir, mine))
        for line, mine in zip(lines, done, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    results = [outcome for mine in done for outcome in mine]
    assert [(code, err) for code, _, err in results if code != 0] == []
    assert len(results) == 2 * people
    statuses = Counter(
        (answer["round"], answer["status"]) for answer in (json.loads(out) for _, out, _ in results)
    )
    for number in range(people):
        assert statuses[f"r{number}", "logged"] == 1
        assert statuses[f"r{number}", "unchanged"] == 1
    assert matrices(process, data_dir) == {f"r{number}": 1 for number in range(people)}
    assert_nothing_is_left(data_dir)


@pytest.mark.slow
def test_two_command_lines_that_revise_at_once(start, process, made, scores):
    names, revision = ("ann", "bob"), 1
    for seed in range(20, 50, 10):
        lines = [
            log(scores(seed + person), "r", "--revise", f"reason of {person}")
            for person in range(2)
        ]
        running = [
            start(*line, data_dir=made, user=name) for line, name in zip(lines, names, strict=True)
        ]
        done = []
        for reviser in running:
            with reviser:
                done.append((*reviser.communicate(timeout=120), reviser.returncode))
        codes = [code for _, _, code in done]
        revision += codes.count(0)
        if codes == [0, 0]:  # on a busy machine one was done before the other looked
            continue
        assert sorted(codes) == [0, 1], done
        winner = names[codes.index(0)]
        out, err, _ = done[codes.index(1)]
        (sentence,) = err.splitlines()
        assert sentence.startswith(f"Error: {winner} logged revision {revision} of AP in round 'r'")
        assert out == ""
        assert json.loads(done[codes.index(0)][0])["revision"] == revision
    again = process(*log(scores(99), "r", "--revise", "the last"), data_dir=made, user="bob")
    assert again.json["revision"] == revision + 1
    assert_nothing_is_left(made)
