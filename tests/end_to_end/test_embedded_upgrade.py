"""An embedded record that an older PostgreSQL made: brought along whole, or left as it was."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text
from tests.databases import fingerprints
from tests.factories import create_task
from tests.releases.campaign import record_campaign
from tests.waiting import wait_until

from roundbook.database import server_library
from roundbook.database.dump import read_dump, restore_dump
from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.schema import alembic_config, upgrade
from roundbook.embedded import upgrade as embedded_upgrade
from roundbook.embedded.server import embedded_server
from roundbook.embedded.upgrade import bring_to_this_version
from roundbook.errors import DatabaseUnreachableError

OLD = 16


@contextlib.contextmanager
def old_server(directory):
    """Run PostgreSQL 16 on a directory, as a Roundbook of that time did."""
    library = server_library.load_library()
    server = library.get_server(directory, postgres_version=OLD)
    engine = make_engine(parse_url(server.get_uri()))
    try:
        yield engine
    finally:
        engine.dispose()
        server.cleanup()


@pytest.fixture(scope="module")
def made_of_old():
    """A data directory of PostgreSQL 16 with a campaign, and its fingerprints."""
    parent = Path(tempfile.mkdtemp(prefix="rb"))
    directory = parent / "postgres"
    with old_server(directory) as engine:
        upgrade(engine)
        record_campaign(engine)
        prints = fingerprints(engine)
    yield directory, prints
    shutil.rmtree(parent)


@pytest.fixture
def old(data_dir, made_of_old):
    """A copy of that directory where the product looks for it."""
    subprocess.run(["cp", "-a", made_of_old[0], data_dir / "postgres"], check=True)
    return data_dir / "postgres"


def fingerprints_in(directory):
    with embedded_server(directory) as address:
        engine = make_engine(parse_url(address))
        try:
            return fingerprints(engine)
        finally:
            engine.dispose()


def tasks(process, data_dir):
    listed = process("task", "list", "--format", "json", data_dir=data_dir).json["tasks"]
    return sorted(row["task"] for row in listed)


def version(directory):
    return int((directory / "PG_VERSION").read_text())


def names_in(directory):
    return sorted({path.name for path in directory.iterdir()} - {"postgres.machine"})


def assert_as_it_was(old, made_of_old):
    assert version(old) == OLD
    assert names_in(old.parent) in (["postgres"], ["postgres", "postgres.lock"])
    assert not (old / "postmaster.pid").exists()
    with old_server(old) as engine:
        assert fingerprints(engine) == made_of_old[1]
        with unit_of_work(engine) as connection:  # and it can be written to again
            connection.execute(text("INSERT INTO roundbook.task (name) VALUES ('x')"))


@pytest.mark.slow
def test_a_record_of_postgresql_16_is_taken_along(process, old, data_dir, made_of_old):
    done = process("task", "list", "--format", "json", data_dir=data_dir)
    assert [row["task"] for row in done.json["tasks"]] == ["web", "speech"]
    first, second, third = done.err.splitlines()
    assert "PostgreSQL 16" in first
    assert second == f"Saved it first, in {data_dir / 'postgres-16.dump'}"
    assert str(data_dir / "postgres-16") in third
    assert "equal" in third
    assert version(old) == 18
    assert names_in(data_dir) == ["postgres", "postgres-16", "postgres-16.dump", "postgres.lock"]
    assert (data_dir / "postgres-16.dump").stat().st_mode & 0o777 == 0o600
    assert fingerprints_in(old) == made_of_old[1]
    again = process("task", "list", "--format", "json", data_dir=data_dir)
    assert (again.json, again.err) == (done.json, "")
    # What was kept can be used: the dump, and the old directory by the old programs.
    with embedded_server(data_dir / "other") as address:
        engine = make_engine(parse_url(address))
        with unit_of_work(engine) as connection:
            assert read_dump(connection, data_dir / "postgres-16.dump").postgresql[:2] == "16"
            connection.rollback()
            restore_dump(connection, data_dir / "postgres-16.dump", replace=False)
        assert fingerprints(engine) == made_of_old[1]
        engine.dispose()
    with old_server(data_dir / "postgres-16") as engine:
        assert fingerprints(engine) == made_of_old[1]


@pytest.mark.slow
def test_its_schema_may_be_older_too(process, data_dir):
    with old_server(data_dir / "postgres") as engine, unit_of_work(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(text("INSERT INTO roundbook.task (name) VALUES ('ancient')"))
        connection.commit()
    assert tasks(process, data_dir) == ["ancient"]
    state = process("db", "check", "--format", "json", data_dir=data_dir).json
    assert state["current"] == state["expected"]


@pytest.mark.long
def test_a_directory_without_a_record(on_embedded, data_dir, caplog):
    with old_server(data_dir / "postgres"):
        pass
    assert on_embedded(data_dir, "db", "current").code == 0
    assert "was made by PostgreSQL 16 and is now brought to 18" in caplog.text
    assert names_in(data_dir) == ["postgres", "postgres-16", "postgres.lock"]


@pytest.mark.slow
def test_what_else_is_in_the_server_is_named(process, old, data_dir):
    with (
        old_server(old) as engine,
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        connection.execute(text("CREATE ROLE reader"))
        connection.execute(text("CREATE DATABASE thesis"))
    output = process("task", "list", data_dir=data_dir).err
    assert "stay the database thesis, the role reader." in output


@pytest.mark.slow
def test_a_server_that_crashed_is_recovered_first(process, old, data_dir, made_of_old):
    with old_server(old) as engine:
        create_task(engine, "the last", user="tester")
        expected = fingerprints(engine)
        pid = int((old / "postmaster.pid").read_text().split()[0])
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{pid}").exists())
    assert "the last" in tasks(process, data_dir)
    assert fingerprints_in(old) == expected != made_of_old[1]


@pytest.mark.slow
def test_several_processes_at_once(start, old, data_dir, made_of_old):
    running = [start("task", "list", "--format", "json", data_dir=data_dir) for _ in range(4)]
    lines = []
    for process in running:
        with process:
            out, err = process.communicate(timeout=120)
        assert process.returncode == 0, (out, err)
        assert [task["task"] for task in json.loads(out)["tasks"]] == ["web", "speech"]
        lines += err.splitlines()
    assert len([line for line in lines if line.startswith("Done")]) == 1
    assert names_in(data_dir) == ["postgres", "postgres-16", "postgres-16.dump", "postgres.lock"]
    assert fingerprints_in(old) == made_of_old[1]


# what goes wrong


@pytest.mark.slow
def test_tables_that_differ_afterwards(old, made_of_old, monkeypatch):
    make = embedded_upgrade._create

    def lossy(directory, dump):
        tables = make(directory, dump)
        return tables | {"factor": tables["factor"]._replace(rows=0)}

    monkeypatch.setattr(embedded_upgrade, "_create", lossy)
    with pytest.raises(DatabaseUnreachableError, match=r"as it was: the tables differ .*factor"):
        bring_to_this_version(old)
    assert_as_it_was(old, made_of_old)


@pytest.mark.slow
def test_an_older_roundbook_writes_meanwhile(old, made_of_old, monkeypatch):
    """It knows nothing of the lock, and what it wrote is not in what was saved."""
    make = embedded_upgrade._create

    def meanwhile(directory, dump):
        with old_server(old) as engine:
            create_task(engine, "late", user="tester")
        return make(directory, dump)

    with monkeypatch.context() as patch:
        patch.setattr(embedded_upgrade, "_create", meanwhile)
        with pytest.raises(DatabaseUnreachableError, match="used it meanwhile"):
            bring_to_this_version(old)
    assert version(old) == OLD
    bring_to_this_version(old)
    assert fingerprints_in(old)["task"].rows == made_of_old[1]["task"].rows + 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "error"),
    [
        ("write_dump", OSError("no space left")),
        ("restore_dump", OSError("no space left")),
        ("restore_dump", KeyboardInterrupt()),
    ],
)
def test_a_step_that_fails(old, made_of_old, monkeypatch, step, error):
    def fail(*arguments, **options):
        raise error

    monkeypatch.setattr(embedded_upgrade, step, fail)
    with pytest.raises((DatabaseUnreachableError, KeyboardInterrupt)) as caught:
        bring_to_this_version(old)
    if isinstance(error, OSError):
        assert "no space left" in str(caught.value)
        assert "as it was" in str(caught.value)
    assert_as_it_was(old, made_of_old)


@pytest.mark.slow
def test_a_rename_that_fails(old, made_of_old, monkeypatch):
    rename = Path.rename

    def fail(path, target):
        if path.name == "postgres.ready":
            raise OSError("no luck")
        return rename(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(DatabaseUnreachableError, match="no luck"):
            bring_to_this_version(old)
    assert version(old) == OLD
    bring_to_this_version(old)
    assert fingerprints_in(old) == made_of_old[1]


@pytest.mark.slow
def test_while_another_roundbook_uses_it(process, old, data_dir, made_of_old):
    with old_server(old):
        sentence = process("task", "list", data_dir=data_dir).refusal(4)
        assert "still serves it" in sentence
    assert_as_it_was(old, made_of_old)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("99", "made by PostgreSQL 99, and this program brings 18. Install the newer Roundbook"),
        ("14", "roundbook db backup FILE"),
        ("soup", "PG_VERSION does not hold"),
    ],
)
def test_versions_that_cannot_be_brought_here(on_embedded, data_dir, content, expected):
    old = data_dir / "postgres"
    old.mkdir()
    (old / "PG_VERSION").write_text(f"{content}\n")
    sentence = on_embedded(data_dir, "task", "list").refusal(4)
    assert expected in sentence
    assert str(old) in sentence
    assert names_in(data_dir) in (["postgres"], ["postgres", "postgres.lock"])


# killed


def killed_at(start, data_dir, reached):
    """Kill a command, and nothing that it started, as soon as something is so."""
    with start("task", "list", data_dir=data_dir) as it:
        while not reached():
            assert it.poll() is None, it.communicate()
            time.sleep(0.005)
        it.kill()
        it.communicate(timeout=60)


def ready(directory):
    with contextlib.suppress(OSError):
        return "ready" in (directory / "postmaster.pid").read_text()
    return False


@pytest.mark.slow
@pytest.mark.parametrize("which", ["postgres", "postgres.new"])
def test_killed_while_a_server_runs(start, process, old, data_dir, made_of_old, which):
    killed_at(start, data_dir, lambda: ready(data_dir / which))
    assert version(old) == OLD
    done = process("task", "list", "--format", "json", data_dir=data_dir)
    assert [row["task"] for row in done.json["tasks"]] == ["web", "speech"]
    assert fingerprints_in(old) == made_of_old[1]
    assert not (data_dir / "postgres.new").exists()
    kept = next(data_dir.glob("postgres-16*/PG_VERSION")).parent
    with old_server(kept) as engine:
        assert fingerprints(engine) == made_of_old[1]


@pytest.mark.slow
def test_killed_between_the_renames(process, old, data_dir, made_of_old):
    bring_to_this_version(old)
    old.rename(data_dir / "postgres.ready")
    assert tasks(process, data_dir) == ["speech", "web"]
    assert names_in(data_dir) == ["postgres", "postgres-16", "postgres-16.dump", "postgres.lock"]
    assert fingerprints_in(old) == made_of_old[1]


@pytest.mark.slow
def test_killed_before_the_renames(process, old, data_dir, made_of_old):
    """The old directory may have been used since: what was made from it is worth nothing."""
    for name in ("postgres.new", "postgres.ready"):
        (data_dir / name).mkdir()
        (data_dir / name / "PG_VERSION").write_text("18\n")
    assert tasks(process, data_dir) == ["speech", "web"]
    assert fingerprints_in(old) == made_of_old[1]
    assert names_in(data_dir) == ["postgres", "postgres-16", "postgres-16.dump", "postgres.lock"]
