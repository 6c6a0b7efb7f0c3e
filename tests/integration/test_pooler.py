"""A record behind a pooler in transaction mode, which gives each transaction another session."""

from __future__ import annotations

import os
import pwd
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.conftest import PGBOUNCER
from tests.databases import address_of, database_on, scalar
from tests.factories import (
    export_archive,
    import_archive,
    list_events,
    log_scores,
    report_drift,
    show_variances,
    verify_record,
)
from tests.forked import race
from tests.releases.campaign import record_campaign

from roundbook.database.engine import make_engine, unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import AlreadyRecordedError, InputError
from roundbook.jobs.job_queue import make_queue
from roundbook.jobs.studies import show_job, start_study
from roundbook.jobs.worker import run_worker
from roundbook.logbook.schema import read_database
from roundbook.logbook.session import begin
from roundbook.logbook.tasks import create_task
from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook.requests.results import ShowJob, StartStudy
from roundbook.requests.tasks import CreateTask
from roundbook.settings import load_settings
from roundbook.transfer.backup import restore_backup, save_backup
from roundbook.transfer.move import move_record

CONFIGURATION = """
[databases]
* = {server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
server_round_robin = 1
"""


def test_nothing_is_asked_for_that_a_pooler_in_transaction_mode_refuses(database):
    engine = make_engine(database)
    with unit_of_work(engine) as connection:
        driver = connection.connection.driver_connection
        asked = set(driver.info.get_parameters()) - {"host", "port", "sslmode"}
        assert "options" not in asked
        for number in range(20):
            connection.execute(text("SELECT :number"), {"number": number})
        prepared = text("SELECT count(*) FROM pg_prepared_statements")
        assert connection.execute(prepared).scalar_one() == 0
    engine.dispose()


@pytest.fixture
def pooled(server):
    """Return how to reach a database of the server by PgBouncer."""
    with tempfile.TemporaryDirectory(prefix="roundbook-pooler-") as room:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        host = server.host or server.query["host"]
        parts = {
            "host": host,
            "port": server.port or 5432,
            "user": server.username,
            "password": server.password,
        }
        line = " ".join(f"{name}='{value}'" for name, value in parts.items() if value)
        file = Path(room) / "pgbouncer.ini"
        file.write_text(CONFIGURATION.format(server=line, port=port))
        command = [PGBOUNCER, "--quiet", str(file)]
        if os.geteuid() == 0:  # which it refuses to run as; and only its owner reaches the socket
            owner = Path(host).stat().st_uid if not server.host else pwd.getpwnam("nobody").pw_uid
            for path in (room, file):
                os.chown(path, owner, -1)
            command += ["--user", pwd.getpwuid(owner).pw_name]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        try:
            for _ in range(100):
                try:
                    socket.create_connection(("127.0.0.1", port)).close()
                    break
                except OSError:
                    assert process.poll() is None
                    time.sleep(0.05)
            yield lambda url: url.difference_update_query(["host"]).set(
                host="127.0.0.1", port=port, password="any"
            )
        finally:
            process.terminate()
            process.wait(20)


def make_task(engine):
    with begin(engine, "ann") as session:
        create_task(session, CreateTask(task="race"))


@pytest.mark.long
@pytest.mark.pgbouncer
def test_the_whole_path_behind_pgbouncer(server, bare, pooled, recorded, whole, tmp_path):
    engine = make_engine(pooled(bare.url))
    upgrade(engine)
    record_campaign(engine)
    for question in (show_variances, report_drift):
        here, there = (
            question(record, "web", "nDCG@10", assessments="official").model_dump()
            for record in (engine, recorded)
        )
        assert here == there
    assert verify_record(engine).differences == []
    outcomes = race(pooled(bare.url), [make_task] * 6)  # more than there are sessions
    assert sorted(outcome.error or "" for outcome in outcomes) == [
        "",
        *[AlreadyRecordedError.__name__] * 5,
    ]
    assert len(list_events(engine, "race").events) == 1
    with database_on(server) as other, database_on(server) as third:
        there = make_engine(pooled(other.url))
        upgrade(there)
        import_archive(there, whole)
        export_archive(there, tmp_path / "again.zip")
        assert (tmp_path / "again.zip").read_bytes() == whole.read_bytes()
        move_record(engine, third)
        assert verify_record(third).differences == []
        assert read_database(there).pooler
        assert not read_database(other).pooler
        with pytest.raises(InputError, match="need the server itself"):
            save_backup(there, BackupRequest(file=tmp_path / "backup"))
        save_backup(other, BackupRequest(file=tmp_path / "backup"))
        with pytest.raises(InputError, match="need the server itself"):
            restore_backup(there, RestoreRequest(file=tmp_path / "backup", replace=True))
        there.dispose()
    # A session that others get next has kept nothing of ours.
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for _ in range(6):
            assert connection.execute(text("SHOW lock_timeout")).scalar_one() == "0"
    own = "(SELECT oid FROM pg_database WHERE datname = current_database())"
    locks = f"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = {own}"
    assert scalar(engine, locks) == 0
    engine.dispose()


@pytest.mark.one_server
@pytest.mark.pgbouncer
def test_jobs_are_taken_behind_pgbouncer(database, pooled):
    url = pooled(database)
    engine = make_engine(url)
    log_scores(engine, "1", [[0.1, 0.2], [0.3, 0.1], [0.4, 0.6], [0.5, 0.1]])
    make_queue(engine)
    request = {"task": "t", "round": "1", "measure": "AP"}
    with begin(engine) as session:
        start_study(session, StartStudy(study="swap-rate", request=request))
    address = address_of(url)
    run_worker(load_settings(), address, until_idle=True)
    with begin(engine) as session:
        assert show_job(session, ShowJob(job=1)).status == "done"
    engine.dispose()
