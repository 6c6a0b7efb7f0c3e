"""Standard streams that are full, closed, or no longer read."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.outcomes import PROGRAM, environment

pytestmark = pytest.mark.one_server

GOOD = "topic,a,b\n1,.1,.2\n2,.3,.9\n"


@pytest.fixture
def shell(tmp_path, address):
    """Run `roundbook` with these words and redirections, by a shell, on an empty record."""

    def call(words, program=PROGRAM):
        done = subprocess.run(
            ["/bin/sh", "-c", f'"$0" "$1" "$2" {words}', *program],
            cwd=tmp_path,
            env=environment(database_url=address),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return call


LOG = "log t {} scores.csv --measure AP --create"


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_output_takes_nothing_back(shell, roundbook, write):
    write(GOOD)
    done = shell(LOG.format("r") + " >/dev/full")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines() == [
        "Error: The output could not be written: No space left on device. Whatever the command"
        " changed in the record is kept; 'roundbook events' shows it."
    ]
    assert [row["what"] for row in roundbook("events", "--format", "json").json["events"]] == [
        "task created",
        "round created",
        "matrix logged",
    ]
    for words in (
        *("--help", "--version", "task list", "matrix export 1", "log t r no.csv -h"),
        *("events --format csv", "events --format json"),
    ):
        done = shell(f"{words} >/dev/full")
        assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done


@pytest.mark.long
def test_a_closed_output_is_none(shell, roundbook, write):
    write(GOOD)
    for label, closed in (("out", ">&-"), ("err", "2>&-"), ("all", "<&- >&- 2>&-")):
        assert shell(f"{LOG.format(label)} {closed}").returncode == 0
        assert shell(f"matrix show 77 {closed}").returncode == 1
    listed = roundbook("matrix", "list", "t", "--format", "json").json["matrices"]
    assert [row["round"] for row in listed] == ["out", "err", "all"]


@pytest.mark.long
def test_a_closed_input_is_empty_and_nobody_is_asked(shell, write):
    write(GOOD)
    done = shell("log t r - --measure AP --create <&-")
    assert (done.returncode, done.stderr) == (1, "Error: standard input: the file is empty.\n")
    assert shell(LOG.format("r")).returncode == 0
    assert shell("round publish t r <&-").returncode == 0


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_talk_that_is_lost_stops_nothing(shell, write):
    write(GOOD)
    done = shell(f"{LOG.format('r')} --format csv 2>/dev/full")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)


@pytest.mark.long
def test_whoever_reads_no_further_had_enough(shell, write, start, address):
    write("topic,a\n" + "".join(f"{topic},0.5\n" for topic in range(20_000)))
    assert shell(LOG.format("r")).returncode == 0
    with start("matrix", "export", 1, database_url=address) as running:
        assert running.stdout.readline() == "topic,a\n"
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


@pytest.mark.long
def test_a_character_that_the_terminal_lacks(shell, write, monkeypatch):
    write(GOOD)
    monkeypatch.setenv("PYTHONIOENCODING", "latin-1")
    monkeypatch.setenv("COLUMNS", "60")  # so narrow that the help leaves words out
    assert shell(LOG.format("łódź")).returncode == 0
    for words in ("round list t", "--help"):
        done = shell(words)
        assert done.returncode == 1
        assert done.stderr.startswith("Error: The output could not be written: latin-1 has no '")
        assert "' (set PYTHONIOENCODING=utf-8). Whatever the command changed" in done.stderr


def test_an_interrupt_while_the_program_loads_is_a_sentence(shell):
    program = (
        "import builtins, sys\n"
        "load = builtins.__import__\n"
        "def interrupted(name, *more):\n"
        "    if name == 'typer': raise KeyboardInterrupt\n"
        "    return load(name, *more)\n"
        "builtins.__import__ = interrupted\n"
        "from roundbook_cli.entry_point import main; main()"
    )
    done = shell("task list", program=(sys.executable, "-c", program))
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "Interrupted before it began.\n"


def test_an_interrupt_that_a_callback_drops_comes_again(shell):
    program = (
        "import signal, time, weakref\n"
        "import roundbook_cli.main\n"
        "class Object: pass\n"
        "def run(arguments):\n"
        "    gone = Object()\n"
        "    reference = weakref.ref(gone, lambda _: signal.raise_signal(signal.SIGTERM))\n"
        "    del gone\n"
        "    time.sleep(30)\n"
        "roundbook_cli.main.run = run\n"
        "from roundbook_cli.entry_point import main; main()"
    )
    done = shell("task list", program=(sys.executable, "-c", program))
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "")


def test_a_signal_after_the_work_changes_nothing(shell):
    program = (
        "import atexit, signal\n"
        "from roundbook_cli.entry_point import main\n"
        "for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):\n"
        "    atexit.register(signal.raise_signal, number)\n"
        "main()"
    )
    done = shell("--version", program=(sys.executable, "-c", program))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_an_interrupted_pool_prints_no_traceback(shell):
    """Interrupted while a connection is closed, SQLAlchemy logs that with a traceback."""
    program = (
        "import psycopg\n"
        "def close(self): raise KeyboardInterrupt\n"
        "psycopg.Connection.close = close\n"
        "from roundbook_cli.entry_point import main; main()"
    )
    done = shell("task list", program=(sys.executable, "-c", program))
    assert "Exception" not in done.stderr
