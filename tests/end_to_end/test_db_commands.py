"""``roundbook db backup|restore|move|verify`` and ``round verify`` at the terminal."""

from __future__ import annotations

import csv
import json
import zipfile

import pytest
from alembic import command as alembic
from sqlalchemy import text
from tests.databases import address_of, fingerprints
from tests.savepoints import prepared
from tests.waiting import sessions, wait_until, waits_for_a_lock

from roundbook.database.engine import unit_of_work
from roundbook.database.schema import EXPECTED_REVISION, alembic_config
from roundbook.logbook.session import embedded_record
from roundbook.settings import load_settings

pytestmark = pytest.mark.usefixtures("committed")

RECORD = (
    *("variance", "record", "t", "r", "--measure", "AP", "--value", "0.1", "--runs", "4"),
    *("--topics", "10", "--source", "a paper", "--create"),
)
SECRET = "hunter2-is-secret"


@prepared
def logged(roundbook, write):
    path = write("topic,a,b,c\n1,.1,.4,.3\n2,.2,.9,.5\n3,0,.6,.7\n")
    assert roundbook("log", "t", "r1", path, "--measure", "AP", "--create").code == 0
    return roundbook


@pytest.fixture
def elsewhere(bare):
    """The address of a database without Roundbook's schema, as a person would write it."""
    return address_of(bare.url)


def shown(tables):
    return {row["table"]: (row["rows"], row["fingerprint"]) for row in tables}


def test_backup_and_restore(logged, engine, elsewhere, bare, tmp_path):
    file = tmp_path / "my backup.dump"
    saved = logged("db", "backup", file, "--format", "json").json
    assert (saved["file"], saved["bytes"]) == (str(file), file.stat().st_size)
    assert (saved["schema_revision"], saved["matrices"]) == (EXPECTED_REVISION, 1)
    assert shown(saved["tables"]) == fingerprints(engine)
    restored = logged("--database", elsewhere, "db", "restore", file, "--format", "json")
    assert restored.err == ""
    assert (restored.json["status"], restored.json["replaced"]) == ("up to date", False)
    assert restored.json["tables"] == saved["tables"]
    assert fingerprints(bare) == fingerprints(engine)
    listed = logged("--database", elsewhere, "task", "list", "--format", "json").json["tasks"]
    assert [(row["task"], row["measures"]) for row in listed] == [("t", ["AP"])]


@pytest.mark.one_server
@pytest.mark.long
def test_the_other_formats(logged, elsewhere, tmp_path):
    heading, _, line = logged("db", "backup", tmp_path / "x.dump").lines
    assert heading.split() == ["File", "Bytes", "Schema", "PostgreSQL", "Matrices"]
    assert line.split()[-1] == "1"
    (row,) = logged("db", "backup", tmp_path / "x.dump", "--force", "--format", "csv").table
    assert int(row["bytes"]) == (tmp_path / "x.dump").stat().st_size
    (row,) = logged("db", "restore", tmp_path / "x.dump", "--replace", "--format", "csv").table
    assert (row["status"], row["matrices"]) == ("up to date", "1")
    (row,) = logged("db", "move", "--to", elsewhere, "--format", "csv").table
    assert (row["schema_revision"], row["matrices"]) == (EXPECTED_REVISION, "1")


@pytest.mark.one_server
def test_refusals(logged, snapshot, elsewhere, address, tmp_path):
    file = tmp_path / "x.dump"
    assert logged("db", "backup", file).code == 0
    before = snapshot()
    assert "--force" in logged("db", "backup", file).refusal()
    assert "--replace" in logged("db", "restore", file).refusal()
    assert "no such file" in logged("db", "restore", tmp_path / "y.dump").refusal()
    (tmp_path / "text").write_text("topic,a\n1,0\n")
    assert "no backup" in logged("db", "restore", tmp_path / "text", "--replace").refusal()
    assert (
        "nothing to save"
        in logged("--database", elsewhere, "db", "backup", tmp_path / "y.dump").refusal()
    )
    assert "--to" in logged("db", "move", "--to", address).refusal()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["scores.csv", "text", "x.dump"]
    assert snapshot() == before


def test_an_empty_address_is_refused(logged, snapshot):
    """Not taken for the record that the settings name."""
    before = snapshot()
    for empty in ("", " "):
        assert logged("db", "move", "--to", empty).refusal().startswith("--to is empty;")
        for words in (
            ("task", "list", "--database", empty),
            ("--database", empty, "task", "list"),
            ("db", "backup", "x.dump", "--database", empty),
        ):
            assert "--database is empty; give it a server's address" in logged(*words).refusal()
    assert snapshot() == before


@pytest.mark.long
def test_an_older_backup_on_a_server(command, bare, elsewhere, address, tmp_path):
    with unit_of_work(bare) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        alembic.upgrade(config, "0001")
        connection.execute(text("INSERT INTO roundbook.task (name) VALUES ('ancient')"))
        connection.commit()
    assert command("--database", elsewhere, "db", "backup", tmp_path / "x.dump").code == 0
    done = command("--database", address, "db", "restore", tmp_path / "x.dump")
    assert "roundbook db upgrade" in done.err
    assert "out of date" in done.out
    assert "roundbook db upgrade" in command("--database", address, "task", "list").refusal(3)
    assert command("--database", address, "db", "upgrade").code == 0
    listed = command("--database", address, "task", "list", "--format", "json").json["tasks"]
    assert [row["task"] for row in listed] == ["ancient"]


@pytest.mark.slow
def test_an_embedded_record_of_an_older_schema_is_brought_up_to_date_aloud(
    command, data_dir, monkeypatch, write
):
    """What the new schema stores is computed from every matrix, which may take long."""
    monkeypatch.delenv("ROUNDBOOK_DATABASE_URL")
    monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(data_dir))
    path = write("topic,a,b,c\n1,.1,.4,.3\n2,.2,.9,.5\n3,0,.6,.7\n")
    assert command("log", "t", "r1", path, "--measure", "AP", "--create").err.count("brought") == 0
    shown = ("variance", "show", "t", "--measure", "AP", "--format", "json")
    before = command(*shown)
    with (
        embedded_record(data_dir / "postgres", load_settings()) as engine,
        unit_of_work(engine) as connection,
    ):
        config = alembic_config()
        config.attributes["connection"] = connection
        alembic.downgrade(config, "0004")
    after = command(*shown)
    assert after.err == "The record is brought up to date with this version of Roundbook ...\n"
    assert after.out == before.out
    assert command(*shown).err == ""


@pytest.mark.long
def test_move(logged, elsewhere, tmp_path):
    done = logged("db", "move", "--to", elsewhere, "--format", "json")
    assert done.json["matrices"] == 1
    assert "ROUNDBOOK_DATABASE_URL" in done.err
    assert_same_archive(logged, elsewhere, tmp_path, shown(done.json["tables"]))


def assert_same_archive(roundbook, elsewhere, tmp_path, tables):
    """What an archive carries is equal here and there, and what the move said of it."""
    archives = tmp_path / "here.zip", tmp_path / "there.zip"
    assert roundbook("export", archives[0]).code == 0
    assert roundbook("--database", elsewhere, "export", archives[1]).code == 0
    assert archives[0].read_bytes() == archives[1].read_bytes()
    with zipfile.ZipFile(archives[0]) as content:
        members = json.loads(content.read("manifest.json"))["members"]
    assert tables == {
        name.removesuffix(".csv"): (member["rows"], member["sha256"])
        for name, member in members.items()
        if name.endswith(".csv") and "/" not in name
    }


@pytest.mark.one_server
def test_verify(logged, engine):
    done = logged("db", "verify")
    assert done.lines[-1] == "Nothing differs."
    assert done.lines[0].startswith(
        "Verified: score matrices 1, factor versions 1, variances 3, saved"
    )
    assert logged("db", "verify", "--task", "t", "--format", "json").json["status"] == "verified"
    assert "no task 'none'" in logged("db", "verify", "--task", "none").refusal()
    with unit_of_work(engine) as connection:
        connection.execute(text("ALTER TABLE roundbook.factor DISABLE TRIGGER USER"))
        connection.execute(text("UPDATE roundbook.factor SET mean = mean + 0.25"))
        connection.commit()
    shown = logged("db", "verify")
    assert shown.code == 1
    assert "standardisation factors" in shown.out
    assert "the mean of topic '1' is" in " ".join(shown.out.split())
    outcome = logged("db", "verify", "--format", "json")
    assert (outcome.code, outcome.err) == (1, "")
    first, *others = json.loads(outcome.out)["differences"]
    assert (first["kind"], first["count"], first["first"]["table"]) == ("factors", 3, "factor")
    assert first["first"]["recorded"] == pytest.approx(first["first"]["computed"] + 0.25)
    assert {difference["kind"] for difference in others} == {"variance", "variance-parts"}
    row, *_ = csv.DictReader(logged("db", "verify", "--format", "csv").out.splitlines())
    assert (row["kind"], row["count"]) == ("factors", "3")
    assert ": the mean of topic '1' is 0.51" in row["first"]


@pytest.mark.one_server
@pytest.mark.long
def test_a_round_and_its_fingerprint(logged, write):
    assert "No fingerprint was noted" in logged("round", "verify", "t", "r1").refusal()
    published = logged("round", "publish", "t", "r1")
    (line,) = [line for line in published.lines if line.startswith("Fingerprint ")]
    fingerprint = line.split()[1]
    again = logged("round", "publish", "t", "r1", "--format", "json").json
    assert (again["status"], again["fingerprint"]) == ("unchanged", fingerprint)
    (event,) = logged("events", "--what", "round published", "--format", "json").json["events"]
    assert event["details"]["fingerprint"] == fingerprint
    verified = logged("round", "verify", "t", "r1", "--format", "json").json
    assert (verified["status"], verified["fingerprint"]) == ("same", fingerprint)
    assert "same" in logged("round", "verify", "t", "r1", fingerprint).out
    other = logged("round", "verify", "t", "r1", "0" * 64)
    assert other.code == 1
    assert other.out.splitlines()[-2:] == [
        f"Expected {'0' * 64}",
        "The round is as it was published; the fingerprint given is another one.",
    ]
    assert logged("round", "verify", "t", "r1", "x").code in (1, 2)
    path = write("topic,a,b,c\n1,.1,.4,.3\n2,.2,.9,.5\n3,0,.6,.8\n", "corrected.csv")
    words = ("log", "t", "r1", path, "--measure", "AP", "--revise", "Topic 3 was wrong")
    assert logged(*words).code == 0
    changed = logged("round", "verify", "t", "r1")
    assert (changed.code, "The fingerprint given" in changed.out) == (1, False)
    assert "Changed since it was published by:" in changed.out
    other = logged("round", "verify", "t", "r1", "0" * 64)
    assert "The fingerprint given is not that of its publication either." in other.out
    assert logged("round", "verify", "t", "r1", fingerprint).out == changed.out


def test_move_onto_a_bare_or_older_record(command, logged, elsewhere, bare, address):
    """Nothing is there to move from a bare database, and an older schema is upgraded first."""
    sentence = command("--database", elsewhere, "db", "move", "--to", address).refusal(3)
    assert "roundbook db upgrade" in sentence


def test_servers_that_cannot_be_reached(logged, tmp_path):
    closed = f"postgresql://organiser:{SECRET}@127.0.0.1:1/roundbook"
    for words in (
        ("--database", closed, "db", "backup", tmp_path / "x.dump"),
        ("--database", closed, "db", "restore", tmp_path / "scores.csv"),
        ("db", "move", "--to", closed),
        ("--database", closed, "db", "move", "--to", closed),
    ):
        sentence = logged(*words).refusal(4)
        assert "127.0.0.1:1" in sentence
        assert SECRET not in sentence
    sentence = logged("db", "move", "--to", f"mysql://me:{SECRET}@h/x").refusal()
    assert "postgresql://USER:PASSWORD@HOST:PORT/DATABASE" in sentence
    assert SECRET not in sentence
    assert logged("db", "move").code == 2


@pytest.mark.one_server
@pytest.mark.long
def test_a_killed_restore_changes_nothing(logged, start, engine, address, tmp_path):
    """Killed while psql waits for a table: of what psql has by then, nothing is kept."""
    assert logged("db", "backup", tmp_path / "x.dump").code == 0
    assert logged("task", "create", "more").code == 0
    before = fingerprints(engine)
    with (
        unit_of_work(engine) as holder,
        start("db", "restore", tmp_path / "x.dump", "--replace", database_url=address) as it,
    ):
        holder.execute(text("LOCK TABLE roundbook.matrix IN SHARE MODE"))
        wait_until(lambda: waits_for_a_lock(engine) or it.poll() is not None)
        it.kill()
        it.communicate(timeout=60)
        holder.rollback()
        wait_until(lambda: sessions(engine) <= 1)  # psql has noticed, and is gone
    assert fingerprints(engine) == before


@pytest.mark.one_server
@pytest.mark.long
def test_a_killed_move_leaves_nothing(logged, start, engine, bare, address, elsewhere, tmp_path):
    assert logged("--database", elsewhere, "db", "upgrade").code == 0
    with (
        unit_of_work(bare) as holder,
        start("db", "move", "--to", elsewhere, database_url=address) as it,
    ):
        holder.execute(text("LOCK TABLE roundbook.score_vector IN SHARE MODE"))
        wait_until(lambda: waits_for_a_lock(bare) or it.poll() is not None)
        it.kill()
        it.communicate(timeout=60)
        holder.rollback()
        wait_until(lambda: sessions(bare) <= 1)
    assert {name for name, table in fingerprints(bare).items() if table.rows} == {"alembic_version"}
    moved = logged("db", "move", "--to", elsewhere, "--format", "json").json
    assert_same_archive(logged, elsewhere, tmp_path, shown(moved["tables"]))


# the embedded record


@pytest.mark.slow
def test_the_embedded_record_there_and_back(process, data_dir, tmp_path):
    first, second = data_dir / "first", data_dir / "second"
    assert process(*RECORD, data_dir=first).code == 0
    words = ("db", "backup", tmp_path / "x.dump", "--format", "json")
    saved = process(*words, data_dir=first).json
    words = ("db", "restore", tmp_path / "x.dump", "--format", "json")
    restored = process(*words, data_dir=second).json
    assert restored["tables"] == saved["tables"]
    words = ("task", "list", "--format", "json")
    assert process(*words, data_dir=second).json == process(*words, data_dir=first).json
    assert "--replace" in process("db", "restore", tmp_path / "x.dump", data_dir=second).refusal()


@pytest.mark.slow
def test_the_embedded_record_moves_to_a_server(process, data_dir, elsewhere):
    assert process(*RECORD, data_dir=data_dir).code == 0
    moved = process("db", "move", "--to", elsewhere, "--format", "json", data_dir=data_dir).json
    assert moved["postgresql_from"].startswith("18.")
    assert moved["matrices"] == 0
    assert shown(moved["tables"])["published_variance"][0] == 1
    words = ("task", "list", "--format", "json")
    here = process(*words, data_dir=data_dir)
    assert process(*words, database_url=elsewhere).json == here.json
    assert [row["task"] for row in here.json["tasks"]] == ["t"]
