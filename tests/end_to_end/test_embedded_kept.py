"""The embedded server kept up between commands: started once, stopped on time or on request."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
import pytest
from tests.databases import address_of
from tests.waiting import wait_until

from roundbook.embedded.keeper import keep_up, stop_server
from roundbook.embedded.locks import MODULE, find_keeper
from roundbook.embedded.server import embedded_server, server_process

HOUR = timedelta(hours=1)
HOLD = """
import sys
from pathlib import Path
from roundbook.embedded.server import embedded_server, server_process
with embedded_server(Path(sys.argv[1])):
    print("up", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def data_dir(copy_record):
    """A record in a directory with a path short enough for a socket; nothing may be left there."""
    directory = Path(tempfile.mkdtemp(prefix="rb")).resolve()
    copy_record(directory)
    yield directory
    left = processes(directory)
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, timeout=30)
    shutil.rmtree(directory)
    assert left == []


def processes(data_dir):
    """Return the servers and keepers of a data directory."""
    kept_processes = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            line = " ".join([process.cwd(), *process.cmdline()])
            if str(data_dir) in line and (process.name() == "postgres" or MODULE in line):
                kept_processes.append(process)
    return kept_processes


def keepers(data_dir):
    return [process.pid for process in processes(data_dir) if process.name() != "postgres"]


def postmaster(data_dir):
    """Return the number of the server's process and when it started."""
    lines = (data_dir / "postgres" / "postmaster.pid").read_text().split()
    return int(lines[0]), int(lines[2])


def users(data_dir):
    return json.loads((data_dir / "postgres" / ".handle_pids.json").read_text())


def db(process, data_dir, *words):
    return process("db", *words, "--format", "json", data_dir=data_dir).json


def kill(pid):
    os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)
    wait_until(lambda: not psutil.pid_exists(pid))


@pytest.mark.long
def test_commands_use_the_server_that_is_kept_up(process, on_embedded, data_dir):
    postgres = data_dir / "postgres"
    before = datetime.now(UTC)
    started = db(process, data_dir, "start", "--for", "10m")
    assert (started["status"], started["directory"]) == ("started", str(postgres))
    until = datetime.fromisoformat(started["until"])
    assert timedelta(minutes=10) <= until - before < timedelta(minutes=11)
    server, (keeper,) = postmaster(data_dir), keepers(data_dir)
    assert process("task", "create", "more", data_dir=data_dir).code == 0
    for words in (("db", "check"), ("task", "list"), ("events",)):
        assert on_embedded(data_dir, *words).code == 0
    assert (postmaster(data_dir), users(data_dir)) == (server, [keeper])

    # A second start makes no second keeper, and the later of the two times counts.
    assert keep_up(postgres, timedelta(minutes=5)) == ("unchanged", (keeper, until))
    assert keepers(data_dir) == [keeper]
    status, longer = keep_up(postgres, timedelta(days=1))
    assert status == "extended"
    assert longer.until - until > timedelta(hours=23)
    assert postmaster(data_dir) == server
    assert keepers(data_dir) == users(data_dir) == [longer.process]

    outcome = process("db", "stop", data_dir=data_dir)
    assert outcome.lines == [f"The embedded server in {postgres} is stopped."]
    wait_until(lambda: processes(data_dir) == [])
    assert users(data_dir) == []
    assert stop_server(postgres) == "not running"


@pytest.mark.long
def test_the_server_stops_by_itself(data_dir):
    status, keeper = keep_up(data_dir / "postgres", timedelta(seconds=2))
    assert status == "started"
    wait_until(lambda: processes(data_dir) == [])
    assert datetime.now(UTC) >= keeper.until
    assert users(data_dir) == []
    assert find_keeper(data_dir / "postgres") is None
    assert stop_server(data_dir / "postgres") == "not running"


@pytest.mark.long
def test_a_killed_keeper_and_a_killed_server(data_dir):
    postgres = data_dir / "postgres"
    _, first = keep_up(postgres, HOUR)
    server = postmaster(data_dir)
    kill(first.process)
    assert find_keeper(postgres) is None
    assert postmaster(data_dir) == server
    status, second = keep_up(postgres, HOUR)
    assert (status, postmaster(data_dir)) == ("started", server)
    assert users(data_dir) == [second.process]

    kill(server[0])  # the next command starts it anew, and it stays up
    with embedded_server(postgres):
        assert postmaster(data_dir)[0] != server[0]
    assert keepers(data_dir) == [second.process]
    assert server_process(postgres) is not None

    kill(second.process)  # nobody keeps it up now, so the next to leave stops it
    assert stop_server(postgres) == "stopped"
    wait_until(lambda: processes(data_dir) == [])


@pytest.mark.long
def test_a_dead_keeper_whose_number_another_process_has(data_dir):
    # As after a restart of the machine or the container, which count processes anew.
    postgres = data_dir / "postgres"
    stranger = os.getppid()
    (postgres / ".handle_pids.json").write_text(json.dumps([stranger]))
    (postgres / ".kept_up.json").write_text(
        json.dumps({"process": stranger, "until": "2999-01-01T00:00:00+00:00"})
    )
    assert stop_server(postgres) == "not running"
    with embedded_server(postgres):
        assert users(data_dir) == [os.getpid()]
    wait_until(lambda: processes(data_dir) == [])


@pytest.mark.long
def test_a_server_that_somebody_uses_is_left_to_the_last(data_dir):
    postgres = data_dir / "postgres"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, postgres], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"up\n"
        server = postmaster(data_dir)
        keep_up(postgres, HOUR)
        assert stop_server(postgres) == "in use"
        assert postmaster(data_dir) == server
        assert users(data_dir) == [other.pid]
        other.communicate(timeout=60)
    wait_until(lambda: processes(data_dir) == [])


@pytest.mark.slow
def test_a_kept_server_of_an_older_postgresql_is_upgraded(process, data_dir, monkeypatch):
    shutil.rmtree(data_dir / "postgres")
    with monkeypatch.context() as patch:
        patch.setenv("PGSERVER_POSTGRES_VERSION", "16")  # as in an earlier Roundbook
        db(process, data_dir, "start")
        assert process("task", "create", "t", data_dir=data_dir).code == 0
    assert (data_dir / "postgres" / "PG_VERSION").read_text() == "16\n"
    done = process("task", "list", "--format", "json", data_dir=data_dir)
    assert [row["task"] for row in done.json["tasks"]] == ["t"]
    assert (data_dir / "postgres" / "PG_VERSION").read_text() == "18\n"
    wait_until(lambda: processes(data_dir) == [])
    assert db(process, data_dir, "start")["status"] == "started"
    assert db(process, data_dir, "stop")["status"] == "stopped"


@pytest.mark.slow
def test_backup_and_move_with_a_kept_server(process, data_dir, bare, tmp_path):
    db(process, data_dir, "start")
    server = postmaster(data_dir)
    backup = tmp_path / "record.dump"
    assert process("db", "backup", backup, data_dir=data_dir).code == 0
    assert process("db", "restore", backup, "--replace", data_dir=data_dir).code == 0
    to = address_of(bare.url)
    assert process("db", "move", "--to", to, data_dir=data_dir).code == 0
    moved = process("task", "list", "--format", "json", database_url=to).json["tasks"]
    assert [row["task"] for row in moved] == ["t"]
    assert postmaster(data_dir) == server
    assert db(process, data_dir, "stop")["status"] == "stopped"


@pytest.mark.slow
def test_starts_at_once_leave_one_keeper(process, start, data_dir):
    running = [
        start("db", "start", "--for", f"{hours}h", "--format", "json", data_dir=data_dir)
        for hours in (1, 3, 2)
    ]
    for starting in running:
        with starting:
            _, err = starting.communicate(timeout=120)
        assert (starting.returncode, err) == (0, "")
    assert len(keepers(data_dir)) == 1
    assert users(data_dir) == keepers(data_dir)
    left = find_keeper(data_dir / "postgres").until - datetime.now(UTC)
    assert timedelta(hours=2.5) < left <= timedelta(hours=3)
    assert db(process, data_dir, "stop")["status"] == "stopped"


def test_a_server_of_its_own_is_refused(command):
    for verb in ("start", "stop"):
        assert "is on a server of its own" in command("db", verb).refusal(1)


@pytest.mark.parametrize("time_up", ["1", "h", "0h", "1.5h", "-1h", "1w", "100000d", "1h30m"])
def test_a_time_that_cannot_be_read(command, time_up):
    refused = command("db", "start", f"--for={time_up}")
    assert refused.code == 2
    assert "is no time" in refused.err
