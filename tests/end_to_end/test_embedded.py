"""The embedded default: no server to start, none left running, whoever else uses it."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import pwd
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

import pytest
from tests.forked import run_apart
from tests.waiting import wait_until

import roundbook
from roundbook.database.server_library import load_library

ROOT = Path(__file__).parents[2]
RECORD = (
    *("variance", "record", "t", "r", "--measure", "AP", "--value", "0.1", "--runs", "4"),
    *("--topics", "10", "--source", "a paper", "--create"),
)
HOLD = """
import sys, time
from pathlib import Path
from roundbook.embedded.server import embedded_server
with embedded_server(Path(sys.argv[1])):
    print("up", flush=True)
    time.sleep(120)
"""


def postmaster(data_dir):
    return int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])


def state_of(pid):
    """Return the state of a process, Z (zombie) also where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    except OSError:
        return b"Z"


def assert_stopped(data_dir, pid=None):
    assert not (data_dir / "postgres" / "postmaster.pid").exists()
    assert json.loads((data_dir / "postgres" / ".handle_pids.json").read_text()) == []
    assert pid is None or state_of(pid) == b"Z"


def tasks(on_embedded, data_dir):
    listed = on_embedded(data_dir, "task", "list", "--format", "json").json["tasks"]
    return [(row["task"], row["rounds"]) for row in listed]


@pytest.mark.long
def test_what_one_process_records_the_next_one_reads(process, on_embedded, data_dir):
    # The first command of all, and the db commands: current looks only, and the schema is
    # brought up to date by itself.
    directory = data_dir / "made" / "on the way"
    state = on_embedded(directory, "db", "current", "--format", "json").json
    assert (state["current"], state["status"]) == (None, "none")
    assert process("task", "create", "covid", data_dir=directory).code == 0
    assert_stopped(directory)
    assert tasks(on_embedded, directory) == [("covid", 0)]
    state = on_embedded(directory, "db", "check", "--format", "json").json
    assert state["current"] == state["expected"]
    assert state["status"] == "up to date"
    assert_stopped(directory)


@pytest.mark.long
def test_several_processes_at_the_same_time(start, on_embedded, made):
    names = ("a", "b", "c")
    running = [start("task", "create", name, data_dir=made) for name in names]
    for process in running:
        with process:
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (out, err)
        assert "Traceback" not in err
    assert_stopped(made)
    assert sorted(tasks(on_embedded, made)) == [("a", 0), ("b", 0), ("c", 0), ("t", 1)]
    assert_stopped(made)


@contextlib.contextmanager
def holding(data_dir):
    """Use the server from another process meanwhile."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(data_dir / "postgres")], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "up\n"
        try:
            yield other
        finally:
            other.kill()


@pytest.mark.long
def test_the_last_to_leave_stops_the_server(on_embedded, made):
    with holding(made) as other:
        pid = postmaster(made)
        assert on_embedded(made, "task", "create", "more").code == 0
        assert postmaster(made) == pid  # the other still uses it
        other.send_signal(signal.SIGINT)
        other.wait(60)
    assert_stopped(made, pid)


@pytest.fixture
def here(made, monkeypatch):
    """The test's own data directory, as `roundbook.open()` takes it from the environment."""
    monkeypatch.delenv("ROUNDBOOK_DATABASE_URL", raising=False)
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(made))
    return made


@pytest.mark.long
def test_a_book_that_is_closed_leaves_the_server_to_the_others_of_its_process(here):
    book = roundbook.open()
    pid = postmaster(here)
    with roundbook.open() as second:
        second.create_task("more", "More")
    book = roundbook.open()  # as a cell of a notebook that is run again: the first one is closed
    assert [row.task for row in book.tasks().tasks] == ["t", "more"]
    assert postmaster(here) == pid
    book.close()
    assert_stopped(here, pid)


@pytest.mark.long
def test_a_forked_process_that_leaves_a_book_open_does_not_keep_the_server_up(here):
    book = roundbook.open()
    pid = postmaster(here)

    def ask(_):
        opened.append(roundbook.open())
        book.close()  # leaves the server to the parent
        return [row.task for row in opened[0].tasks().tasks]

    opened = []
    assert run_apart("postgresql://", ask).value == ["t"]
    assert [row.task for row in book.tasks().tasks] == ["t"]
    book.close()
    assert_stopped(here, pid)


@pytest.mark.long
def test_a_pool_of_processes_with_books_leaves_no_server(here):
    with roundbook.open():
        pid = postmaster(here)  # up for as long as the pool works
        pool = multiprocessing.get_context("fork").Pool(2, open_book)
        assert pool.map(tasks_of_book, range(4)) == [["t"]] * 4
    assert postmaster(here) == pid  # for the pool's books
    pool.close()
    pool.join()
    assert_stopped(here, pid)


OPENED = []  # by the processes of a pool


def open_book():
    OPENED.append(roundbook.open())


def tasks_of_book(_):
    return [row.task for row in OPENED[0].tasks().tasks]


@pytest.mark.long
def test_an_interrupted_start_leaves_no_server(here, monkeypatch):
    def interrupted(server):
        start(server)
        raise KeyboardInterrupt

    server_type = load_library().PostgresServer
    start = server_type.ensure_postgres_running
    monkeypatch.setattr(server_type, "ensure_postgres_running", interrupted)
    with pytest.raises(KeyboardInterrupt):
        roundbook.open()
    assert_stopped(here)


@pytest.mark.long
def test_a_killed_process_does_not_keep_the_server_alive(on_embedded, made):
    with holding(made) as other:
        other.kill()
        other.wait(60)
    pid = postmaster(made)  # nobody stopped it
    assert state_of(pid) != b"Z"
    assert other.pid in json.loads((made / "postgres" / ".handle_pids.json").read_text())
    assert on_embedded(made, "task", "create", "more").code == 0
    assert_stopped(made, pid)


@pytest.mark.long
def test_a_killed_server_recovers(on_embedded, made):
    with holding(made):
        pid = postmaster(made)
        os.kill(pid, signal.SIGKILL)
        wait_until(
            lambda: not Path(f"/proc/{pid}").exists()
        )  # a moment as a zombie, until init has seen to it
    assert tasks(on_embedded, made) == [("t", 1)]
    assert_stopped(made, pid)


@pytest.mark.long
@pytest.mark.parametrize(
    "how",
    [signal.SIGINT, signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.slow)],
    ids=lambda s: s.name,
)
def test_an_interrupted_command_leaves_no_server(start, on_embedded, made, tmp_path, how):
    path = tmp_path / "large.csv"
    rows = "".join(f"{j}{',0.25' * 1000}\n" for j in range(1000))
    path.write_text(f"topic{''.join(f',run{i}' for i in range(1000))}\n{rows}")
    with start("log", "t", "r9", path, "--measure", "AP", "--create", data_dir=made) as it:
        users = made / "postgres" / ".handle_pids.json"
        while it.pid not in json.loads(users.read_text() or "[]"):
            assert it.poll() is None, it.communicate()
            time.sleep(0.02)
        it.send_signal(how)
        out, err = it.communicate(timeout=60)
    code = 130 if how == signal.SIGINT else 143
    assert (it.returncode, out, err) == (code, "", "Interrupted. The record is as it was.\n")
    assert_stopped(made)
    assert tasks(on_embedded, made) == [("t", 1)]  # and nothing of it is there
    assert_stopped(made)


@pytest.mark.parametrize("below", ["file", "file/below", "file/further/below"])
def test_a_data_directory_that_cannot_be_made(on_embedded, tmp_path, below):
    (tmp_path / "file").write_text("in the way")
    sentence = on_embedded(tmp_path / below, "task", "list").refusal(4)
    assert str(tmp_path / below) in sentence
    assert "ROUNDBOOK_DATA_DIR" in sentence


def test_a_data_directory_that_holds_something_else(on_embedded, data_dir):
    (data_dir / "postgres").mkdir()
    (data_dir / "postgres" / "thesis.tex").write_text("precious")
    sentence = on_embedded(data_dir, "task", "list").refusal(4)
    assert str(data_dir / "postgres") in sentence
    assert (data_dir / "postgres" / "thesis.tex").read_text() == "precious"


# root and an ordinary user on one machine

PEOPLE = ("nobody", "daemon")


def run_as(user, words, **options):
    return subprocess.run(
        [str(word) for word in words],
        cwd="/",
        user=user.pw_uid,
        group=user.pw_gid,
        extra_groups=[],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **options,
    )


def usable_by(user, *words):
    try:
        return run_as(user, words).returncode == 0
    except OSError:
        return False


@pytest.fixture
def as_ordinary_user():
    """How an ordinary user runs this very program: a command prefix and the environment.

    The interpreter and the libraries may lie where only root looks, such as a Python under
    the home of root. Then the user gets the system's Python of the same version, or a copy.
    """
    user = next(entry for entry in pwd.getpwall() if entry.pw_name in PEOPLE)
    stage = Path(tempfile.mkdtemp(prefix="rb"))
    stage.chmod(0o755)
    home = stage / "home"
    home.mkdir()
    os.chown(home, user.pw_uid, user.pw_gid)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    same = f"import sys; assert sys.version_info[:2] == {sys.version_info[:2]!r}; import ctypes"
    systems = (f"/usr/bin/python{version}", "/usr/bin/python3", f"/usr/local/bin/python{version}")
    python = next(
        (
            interpreter
            for interpreter in (sys.executable, *systems)
            if usable_by(user, interpreter, "-c", same)
        ),
        None,
    )
    if python is None:
        unneeded = shutil.ignore_patterns("site-packages", "test", "__pycache__", "*.a", "share")
        shutil.copytree(sys.base_prefix, stage / "python", ignore=unneeded, symlinks=True)
        python = str(stage / "python" / "bin" / f"python{version}")
    libraries, program = Path(sysconfig.get_paths()["purelib"]), ROOT
    if not usable_by(user, python, "-c", f"import os; os.listdir({str(libraries)!r})"):
        shutil.copytree(libraries, stage / "libraries", symlinks=True)
        libraries = stage / "libraries"
    if not usable_by(
        user, python, "-c", f"open({str(ROOT / 'cli' / 'roundbook_cli' / 'main.py')!r})"
    ):
        program = stage / "program"
        for room in ("cli", "service", "migrations"):
            shutil.copytree(ROOT / room, program / room)
    settings = {
        "HOME": str(home),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": f"{program}/service:{program}/cli:{program}/migrations:{libraries}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ROUNDBOOK_CONFIG": os.devnull,
    }

    def call(*words, **more):
        program_line = (
            python,
            "-W",
            "error",
            "-c",
            "from roundbook_cli.entry_point import main; main()",
        )
        return run_as(user, (*program_line, *words), env=settings | more)

    yield home, call
    shutil.rmtree(stage)


@pytest.mark.slow
@pytest.mark.skipif(
    os.geteuid() != 0 and not os.environ.get("CI"), reason="only root can become somebody else"
)
def test_an_ordinary_user_after_root(process, on_embedded, data_dir, as_ordinary_user):
    assert process(*RECORD, data_dir=data_dir).code == 0  # root goes first
    home, call = as_ordinary_user
    for settings in ({}, {"ROUNDBOOK_DATA_DIR": str(home / "elsewhere")}):
        made = call("task", "create", "mine", **settings)
        assert (made.returncode, made.stderr) == (0, "")
        listed = call("task", "list", "--format", "json", **settings)
        assert (listed.returncode, listed.stderr) == (0, "")
        assert [row["task"] for row in json.loads(listed.stdout)["tasks"]] == ["mine"]
    kept = home / ".local" / "share" / "roundbook" / "postgres"  # the default place
    assert (kept / "PG_VERSION").exists()
    assert not (kept / "postmaster.pid").exists()
    refused = call("task", "list", ROUNDBOOK_DATA_DIR=str(data_dir))  # root's own
    assert (refused.returncode, refused.stdout) == (4, "")
    assert "Traceback" not in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert tasks(on_embedded, data_dir) == [("t", 1)]  # and root again
    assert_stopped(data_dir)
