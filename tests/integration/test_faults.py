"""A database that fails, for real: one sentence, the right exit code, nothing half written."""

from __future__ import annotations

import logging
import os
import re
import resource
import select
import signal
import socket
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from sqlalchemy import exc, text
from tests.databases import address_of, administer, counts, scalar, served
from tests.factories import create_task, log_scores, wide
from tests.waiting import wait_until, waits_for_a_lock

from roundbook.database import vectors
from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.schema import upgrade
from roundbook.embedded.server import embedded_server, server_process
from roundbook.errors import DatabaseError, DatabaseUnreachableError
from roundbook.logbook import storing
from roundbook.logbook.session import begin
from roundbook.settings import load_settings
from roundbook_cli.main import run

TOPICS, RUNS = 120, 80


@pytest.fixture
def command(monkeypatch, capsys, caplog):
    """Run a command line in this process on a database; return its exit code and its stderr."""

    def call(url, *words):
        if url is None:  # the embedded server
            monkeypatch.delenv("ROUNDBOOK_DATABASE_URL", raising=False)
        else:
            monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address_of(url))
        load_settings.cache_clear()
        capsys.readouterr()
        code = run([str(word) for word in words])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        # What nobody handles would be printed by Python itself.
        stray = [record for record in caplog.records if not logging.getLogger(record.name).handlers]
        assert stray == []
        if code:
            assert out == ""
            assert len(err.splitlines()) == 1, err
            assert err.startswith("Error: ")
            assert not (url and url.password) or str(url.password) not in err
        return code, err

    yield call
    load_settings.cache_clear()


@pytest.fixture
def scores(tmp_path):
    """A file that is logged as AP of round r in task t."""
    path = tmp_path / "scores.csv"
    path.write_text(wide(np.random.default_rng(1).random((TOPICS, RUNS)).round(4)))
    return path


@pytest.fixture
def log(command, scores):
    """Log the file; return the exit code and stderr."""

    def call(url):
        return command(url, "log", "t", "r", scores, "--measure", "AP", "--create")

    return call


@pytest.fixture
def halfway(monkeypatch):
    """Have something happen once, when half of the scores are on their way to the server."""
    encode = vectors.encode

    def arrange(happens):
        waiting = [happens]

        def breaking(*arguments):
            stream = b"".join(encode(*arguments))
            half = len(stream) // 2
            yield stream[:half]
            if waiting:
                waiting.pop()()
            yield stream[half:]

        monkeypatch.setattr(vectors, "encode", breaking)
        return waiting

    return arrange


@pytest.fixture
def before_scores(monkeypatch):
    """Have something happen once, when the matrix is being stored and no score is written yet."""
    write = storing.write_vectors

    def arrange(happens):
        waiting = [happens]

        def first(*arguments):
            if waiting:
                waiting.pop()()
            write(*arguments)

        monkeypatch.setattr(storing, "write_vectors", first)

    return arrange


def copying(engine):
    """Return the process that serves the COPY into score_vector."""
    return scalar(
        engine,
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
        " AND state = 'active' AND query LIKE 'COPY roundbook.score_vector%FROM STDIN%'",
    )


def signalled(engine, how):
    """Return what ends the COPY from another connection."""

    def act():
        process = copying(engine)
        assert scalar(engine, f"SELECT {how}(:pid)", pid=process)

    return act


class Cable:
    """A relay on loopback between the program and a server, which can be cut.

    `cut_at` are bytes of the program's at which it cuts by itself: before it passes them on or,
    if they are to be `answered`, when the server has answered and the program has not heard.
    """

    def __init__(self, url, cut_at=None, *, answered=False):
        self.server, self.cut_at, self.answered = url, cut_at, answered
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = url.difference_update_query(["host"]).set(
            host="127.0.0.1", port=self.listener.getsockname()[1]
        )
        self.ends = []
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self):
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.cut()
        for connected in (self.listener, *self.ends):
            connected.close()

    def _serve(self):
        with suppress(OSError):
            while True:
                program, _ = self.listener.accept()
                server = self._to_server()
                self.ends += [program, server]
                threading.Thread(target=self._relay, args=(program, server), daemon=True).start()

    def _to_server(self):
        if self.server.host:
            return socket.create_connection((self.server.host, self.server.port))
        end = socket.socket(socket.AF_UNIX)
        end.connect(f"{self.server.query['host']}/.s.PGSQL.5432")
        return end

    def _relay(self, program, server):
        with suppress(OSError):
            while self._pass_on(program, server):
                pass
        self.cut()

    def _pass_on(self, program, server):
        for end in select.select([program, server], [], [])[0]:
            data = end.recv(65536)
            if end is program and self.cut_at and self.cut_at in data:
                if self.answered:
                    server.sendall(data)
                    server.recv(65536)
                return False
            if not data:
                return False
            (server if end is program else program).sendall(data)
        return True


@pytest.fixture
def cable():
    """Lay a cable to a database."""
    laid = []

    def lay(*arguments, **options):
        laid.append(Cable(*arguments, **options))
        return laid[-1]

    yield lay
    for line in laid:
        line.close()


# the connection is lost


@pytest.mark.long
@pytest.mark.parametrize("cut", ["terminated", "cable"])
def test_a_connection_lost_midway_through_the_scores(log, halfway, cable, database, engine, cut):
    line = cable(database)
    halfway(signalled(engine, "pg_terminate_backend") if cut == "terminated" else line.cut)
    before = counts(engine)
    code, sentence = log(line.url)
    assert code == 4
    assert "was lost" in sentence
    assert f"127.0.0.1:{line.url.port}" in sentence
    assert "nothing was written" in sentence
    assert counts(engine) == before
    assert log(database) == (0, "")
    assert counts(engine)["score_vector"] == RUNS


def test_a_kept_connection_that_was_lost_is_replaced(engine, database):
    """As that of a service is when its server was restarted between two requests."""
    for state in ({}, {"isolation_level": "REPEATABLE READ"}):
        used = engine.execution_options(**state)
        with unit_of_work(used) as connection:
            process = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
        administer(database, f"SELECT pg_terminate_backend({process}, 5000)")
        assert scalar(used, "SELECT pg_backend_pid()") != process


def test_a_connection_lost_midway_through_reading(log, command, cable, database, tmp_path):
    assert log(database) == (0, "")
    archive = tmp_path / "record.zip"
    for words in (("db", "verify"), ("matrix", "export", 1), ("export", archive)):
        line = cable(database, b"COPY (SELECT", answered=True)
        code, sentence = command(line.url, *words)
        assert (code, "was lost" in sentence) == (4, True), words
    assert not archive.exists()
    assert command(database, "db", "verify")[0] == 0


@pytest.mark.long
@pytest.mark.parametrize("answered", [True, False])
def test_a_commit_without_an_answer_claims_nothing(log, cable, database, engine, answered):
    before = counts(engine)
    code, sentence = log(cable(database, b"COMMIT\0", answered=answered).url)
    assert code == 4
    assert "may be there or not" in sentence
    assert "nothing was written" not in sentence
    assert "Run the same command again" in sentence
    if not answered:
        assert counts(engine) == before
    assert log(database)[0] == 0
    after = counts(engine)
    assert (after["matrix"], after["score_vector"]) == (1, RUNS)


@pytest.mark.long
def test_a_transaction_that_is_idle_for_longer_than_the_server_allows(
    log, before_scores, database, engine
):
    before = counts(engine)
    name = database.database
    administer(database, f"ALTER DATABASE {name} SET idle_in_transaction_session_timeout = '100ms'")
    before_scores(lambda: time.sleep(0.5))
    code, sentence = log(database)
    assert code == 4
    # Over TCP the reset of a closed connection may overtake the server's last message.
    last = (
        "terminating connection due to idle-in-transaction timeout|.*server closed the connection"
    )
    assert re.search(f"was lost: ({last})", sentence)
    assert "nothing was written" in sentence
    assert counts(engine) == before
    if engine.dialect.server_version_info >= (17,):  # the first that knows the other timeout
        administer(database, f"ALTER DATABASE {name} SET transaction_timeout = '400ms'")
        before_scores(lambda: time.sleep(1))
        assert log(database)[0] == 4
    administer(database, f"ALTER DATABASE {name} RESET ALL")
    assert log(database) == (0, "")


@pytest.fixture
def own():
    """Where a server is kept that may be maltreated; its record is empty."""
    with tempfile.TemporaryDirectory(prefix="roundbook-faults-") as room:
        directory = Path(room) / "postgres"
        with embedded_server(directory) as address:
            url = parse_url(address)
            administer(url, "ALTER SYSTEM SET fsync = off")
            engine = make_engine(url)
            upgrade(engine)
            engine.dispose()
        yield directory


@pytest.mark.long
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGQUIT], ids=lambda number: number.name)
def test_a_server_that_is_gone_midway_through_the_scores(log, halfway, own, how):
    with served(own) as (url, engine):
        before = counts(engine)
        process = int((own / "postmaster.pid").read_text().split()[0])

        def kill():
            os.kill(process, how)
            wait_until(lambda: not running(process), "the server is still there")

        waiting = halfway(kill)
        code, sentence = log(url)
        assert waiting == []
        assert code == 4
        assert "was lost" in sentence
        assert "nothing was written" in sentence
        code, sentence = log(url)  # it is still down
        assert code == 4
        assert "cannot be reached" in sentence
    with served(own) as (url, engine):
        assert counts(engine) == before
        assert log(url) == (0, "")
        assert counts(engine)["score_vector"] == RUNS


def running(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.long
def test_the_embedded_server_is_killed_under_a_command(log, halfway, own, monkeypatch):
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(own.parent))

    def kill():
        process = int((own / "postmaster.pid").read_text().split()[0])
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: not running(process), "the server is still there")

    halfway(kill)
    code, sentence = log(None)
    assert code == 4
    assert "was lost" in sentence
    assert "nothing was written" in sentence
    assert log(None) == (0, "")
    with served(own) as (_, engine):
        after = counts(engine)
        assert (after["matrix"], after["score_vector"]) == (1, RUNS)


# the server refuses


def test_a_refusal_of_the_records_own_is_readable(log, database):
    assert log(database) == (0, "")
    engine = make_engine(database)
    with pytest.raises(DatabaseError) as caught, unit_of_work(engine) as connection:
        connection.execute(text("DELETE FROM roundbook.topic"))
    engine.dispose()
    assert str(caught.value) == (
        "PostgreSQL refused, so nothing was changed: DELETE of roundbook.topic is refused: what is"
        " logged stays as it is. Log a revision instead."
    )


def test_a_value_that_the_driver_refuses_is_no_lost_connection(engine):
    with pytest.raises(DatabaseError, match="NUL") as caught, unit_of_work(engine) as connection:
        connection.execute(text("SELECT :name"), {"name": "a\0b"})
    assert not isinstance(caught.value, DatabaseUnreachableError)


def test_too_many_connections(command, server, role):
    name, url = role(server, "CONNECTION LIMIT 0")
    code, sentence = command(url, "task", "list")
    assert code == 4
    assert "too many connections" in sentence
    assert name in sentence


@pytest.fixture
def role():
    """Make a role that may connect."""
    made = []

    def make(server, options=""):
        name, password = f"role_{uuid4().hex}", uuid4().hex
        administer(server, f"CREATE ROLE {name} LOGIN PASSWORD '{password}' {options}")
        made.append((server, name))
        return name, server.set(username=name, password=password)

    yield make
    for server, name in made:
        administer(server, f"DROP ROLE {name}")


def test_a_read_only_database(log, command, database, engine):
    before = counts(engine)
    administer(
        database, f"ALTER DATABASE {database.database} SET default_transaction_read_only = on"
    )
    code, sentence = log(database)
    assert code == 1
    assert "is read-only" in sentence
    assert "nothing was written" in sentence
    assert command(database, "task", "list")[0] == 0
    # A connection that served a question before is no exception.
    used = make_engine(database)
    with begin(used, one_snapshot=True):
        pass
    with pytest.raises(DatabaseError, match="is read-only"):
        create_task(used, "t")
    used.dispose()
    assert counts(engine) == before
    administer(
        database,
        "SET default_transaction_read_only = off",
        f"ALTER DATABASE {database.database} RESET default_transaction_read_only",
    )
    assert log(database) == (0, "")


def test_a_cancelled_statement(log, halfway, database, engine):
    halfway(signalled(engine, "pg_cancel_backend"))
    before = counts(engine)
    code, sentence = log(database)
    assert code == 1
    assert "broke the work off: canceling statement due to user request" in sentence
    assert "nothing was written" in sentence
    assert counts(engine) == before
    assert log(database) == (0, "")


@pytest.mark.long
def test_a_lock_held_past_the_timeout(log, database, engine, monkeypatch):
    monkeypatch.setenv("ROUNDBOOK_LOCK_TIMEOUT", "1")
    before = counts(engine)
    with engine.connect() as blocker:
        blocker.execute(text("LOCK TABLE roundbook.score_vector IN EXCLUSIVE MODE"))
        code, sentence = log(database)
        blocker.rollback()
    assert code == 1
    assert "ROUNDBOOK_LOCK_TIMEOUT" in sentence
    assert counts(engine) == before
    assert log(database) == (0, "")


@pytest.mark.long
def test_a_deadlock(log, before_scores, database, engine):
    before = counts(engine)
    with engine.connect() as other:
        # The other one waits on, so that the program's is the one that PostgreSQL gives up.
        other.execute(text("SET LOCAL deadlock_timeout = '60s'"))
        other.execute(text("LOCK TABLE roundbook.score_vector IN EXCLUSIVE MODE"))
        takes = threading.Thread(
            target=other.execute, args=[text("LOCK TABLE roundbook.matrix IN EXCLUSIVE MODE")]
        )

        def cross():
            takes.start()
            wait_until(lambda: waits_for_a_lock(engine), "the other one does not wait")

        before_scores(cross)
        code, sentence = log(database)
        takes.join(30)
        other.rollback()
    assert code == 1
    assert "let only them go on" in sentence
    assert "nothing was written" in sentence
    assert counts(engine) == before
    assert log(database) == (0, "")


# the disk is full


def stored(engine, topics, runs):
    """Log a score matrix of that size."""
    return log_scores(engine, "r", np.random.default_rng(2).random((topics, runs)))


def refused(engine, *size):
    """Return the sentence in which a matrix is refused, which leaves nothing behind."""
    before = counts(engine)
    with pytest.raises(DatabaseError) as caught:
        stored(engine, *size)
    assert not isinstance(caught.value, DatabaseUnreachableError)  # so the exit code is 1
    assert "nothing was written" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert counts(engine) == before
    return str(caught.value)


@pytest.mark.long
def test_a_full_device(own):
    with served(own) as (_, engine):
        file = own / scalar(engine, "SELECT pg_relation_filepath('roundbook.score_vector')")
        engine.dispose()
        file.rename(own / "aside")
        file.symlink_to("/dev/full")
        sentence = refused(engine, 20, 10)
        assert "disk is full" in sentence
        assert "No space left on device" in sentence
        engine.dispose()
        file.unlink()
        (own / "aside").rename(file)
        assert stored(engine, 20, 10).status == "logged"
        assert counts(engine)["score_vector"] == 10


@pytest.mark.one_server
def test_what_the_server_may_not_do_with_files_is_no_matter_of_roles(engine, tmp_path):
    file = tmp_path / "names"
    file.touch(mode=0)
    with (
        pytest.raises(DatabaseError, match="wrong on the server: could not open"),
        begin(engine) as session,
    ):
        session.connection.execute(text(f"COPY roundbook.task (name) FROM '{file}'"))


@pytest.mark.long
def test_a_file_limit(own):
    size = (1000, 2400)  # more than the limit, which PostgreSQL's own log needs nearly all of
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (17 * 2**20, before[1]))
    try:
        with served(own) as (_, engine):
            sentence = refused(engine, *size)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert "File too large" in sentence
    with served(own) as (_, engine):
        assert stored(engine, *size).status == "logged"
        assert counts(engine)["score_vector"] == size[1]


@pytest.mark.long
def test_the_embedded_server_finds_no_room_for_its_log(log, halfway, own, monkeypatch):
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(own.parent))
    with served(own) as (_, engine):
        before = counts(engine)

    def fill():
        (own / "pg_wal").chmod(0o500)
        with served(own) as (url, _), suppress(exc.DBAPIError):
            administer(url, "SELECT pg_switch_wal()")
        # It breaks down as it writes that it stops, if not before.
        if pid := server_process(own):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGINT)
        wait_until(lambda: server_process(own) is None)

    waiting = halfway(fill)
    code, sentence = log(None)
    assert waiting == []
    assert code == 1
    assert f"The embedded server in {own} broke down: could not create file" in sentence
    assert server_process(own) is None
    code, sentence = log(None)
    assert server_process(own) is None
    assert code in (1, 4)
    assert "could not create file" in sentence
    (own / "pg_wal").chmod(0o700)
    with served(own) as (_, engine):
        assert counts(engine) == before
    assert log(None) == (0, "")
    # What its log tells of an earlier start is no reason of this one.
    (own / "postgresql.auto.conf").write_text("no_such_setting = 1\n")
    code, sentence = log(None)
    assert code == 4
    assert "no_such_setting" in sentence or "auto.conf" in sentence
    assert "could not create file" not in sentence
