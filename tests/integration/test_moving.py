"""Moving a record to another server: an archive of it, read in there, equal or not at all."""

from __future__ import annotations

import pytest
from alembic import command
from sqlalchemy import text
from tests.databases import (
    administer,
    database_on,
    execute,
    fingerprints,
    rows,
    run_alembic,
    scalar,
)
from tests.factories import create_task, export_archive, verify_record

from roundbook.database.engine import make_engine, unit_of_work
from roundbook.database.fingerprints import filled_tables
from roundbook.database.schema import current_revision, upgrade
from roundbook.errors import (
    AlreadyRecordedError,
    DatabaseBusyError,
    DatabaseError,
    RecordError,
    SchemaOutOfDateError,
)
from roundbook.logbook.session import begin
from roundbook.logbook.tokens import create_token
from roundbook.requests.access import CreateToken
from roundbook.transfer import move
from roundbook.transfer.move import move_record

pytestmark = [pytest.mark.one_server, pytest.mark.usefixtures("committed")]


@pytest.fixture(scope="module")
def source(embedded, template, tmp_path_factory):
    """A campaign in a database of the embedded server, whatever server the test runs on."""
    from tests.releases.campaign import record_campaign

    with database_on(embedded) as engine:
        upgrade(engine)
        record_campaign(engine)
        yield engine


def moved(source, target, progress=lambda _: None):
    return move_record(source, target, "mover", progress)


def assert_equal(source, target, tmp_path):
    """What an archive carries is the same, to the last byte."""
    export_archive(source, tmp_path / "source.zip", force=True)
    export_archive(target, tmp_path / "target.zip", force=True)
    assert (tmp_path / "source.zip").read_bytes() == (tmp_path / "target.zip").read_bytes()


def assert_untouched(source, target, before):
    assert fingerprints(source) == before
    with unit_of_work(target) as connection:
        assert filled_tables(connection) == []


@pytest.mark.both_servers
@pytest.mark.long
def test_a_record_moves_to_a_bare_database(source, bare, tmp_path):
    before, steps = fingerprints(source), []
    result = moved(source, bare, steps.append)
    assert fingerprints(source) == before
    assert_equal(source, bare, tmp_path)
    assert verify_record(bare).status == "verified"
    listed = {table.table: table.rows for table in result.tables}
    assert listed["factor"] == before["factor"].rows
    assert listed["event"] == before["event"].rows
    assert result.matrices == before["matrix"].rows
    assert result.postgresql_from.split(".")[0] == "18"
    assert int(result.postgresql_to.split(".")[0]) >= 15
    assert any("Reading scores/000001.csv" in step for step in steps)
    assert any("Verifying matrix 1 of" in step for step in steps)
    statuses = "SELECT string_agg(status, ' ' ORDER BY id) FROM roundbook.round"
    assert "published" in scalar(bare, statuses) == scalar(source, statuses)
    imported = "SELECT who FROM roundbook.event WHERE what = 'archive imported'"
    assert rows(bare, imported) == [("mover",)] * 2


@pytest.mark.long
def test_a_moved_record_works_and_its_rows_are_numbered_anew(source, engine):
    tokens = scalar(source, "SELECT count(*) FROM roundbook.access_token")
    with begin(source) as session:
        create_token(session, CreateToken(name="left behind", scope="read"))
    assert moved(source, engine).tokens_left == tokens + 1
    assert scalar(engine, "SELECT count(*) FROM roundbook.access_token") == 0
    for table in ("task", "round", "matrix", "factor_set", "variance_estimate", "result"):
        ids = rows(engine, f"SELECT id FROM roundbook.{table} ORDER BY id")
        assert ids == [(number,) for number in range(1, len(ids) + 1)]
    create_task(engine, "one more", user="tester")
    with pytest.raises(DatabaseError, match="refused"):
        execute(engine, "DELETE FROM roundbook.score_vector")
    with pytest.raises(DatabaseError, match="published"):
        execute(engine, "UPDATE roundbook.round SET status = 'draft' WHERE status = 'published'")
    assert scalar(engine, "SELECT count(*) FROM roundbook.score") > 500


def test_a_filled_record_is_not_moved_into(source, engine):
    create_task(engine, "mine", user="tester")
    before = fingerprints(engine)
    for record in (source, engine):
        with pytest.raises(AlreadyRecordedError, match="to move to already") as error:
            moved(record, engine)
        assert error.value.way_out.code == "move elsewhere"
    assert fingerprints(engine) == before


def test_another_schema_is_not_moved_into(source, bare):
    run_alembic(bare, command.upgrade, "0002")
    with unit_of_work(bare) as connection:
        connection.execute(text("INSERT INTO roundbook.task (name) VALUES ('t')"))
        connection.commit()
    with pytest.raises(SchemaOutOfDateError, match="earlier Roundbook"):
        moved(source, bare)
    with unit_of_work(bare) as connection:
        connection.execute(text("UPDATE roundbook.alembic_version SET version_num = 'z999'"))
        connection.commit()
    with pytest.raises(SchemaOutOfDateError, match="newer"):
        moved(source, bare)
    assert current_revision(bare) == "z999"


@pytest.mark.parametrize("step", ["Reading matrix.csv ...", "Verifying the events ..."])
def test_a_move_that_is_interrupted_leaves_nothing(source, engine, step):
    before = fingerprints(source)

    def interrupt(reached):
        if reached == step:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moved(source, engine, interrupt)
    assert_untouched(source, engine, before)


def test_a_copy_that_differs_is_not_kept(source, engine, monkeypatch):
    before = fingerprints(source)
    measure = move.measure_tables

    def with_a_difference(connection, progress):
        members = measure(connection, progress)
        return members | {"factor.csv": members["team.csv"]}

    monkeypatch.setattr(move, "measure_tables", with_a_difference)
    with pytest.raises(DatabaseError, match=r"differs from the original in factor\.csv,"):
        moved(source, engine)
    assert_untouched(source, engine, before)


@pytest.mark.long
def test_a_record_that_was_tampered_with_is_not_moved(filled, engine):
    execute(
        filled,
        "ALTER TABLE roundbook.factor DISABLE TRIGGER immutable",
        "UPDATE roundbook.factor SET mean = 0.5 WHERE factor_set_id = 1 AND mean > 0.6",
    )
    before = fingerprints(filled)
    damaged = "The record is damaged, so nothing was moved: 'web' round '2023', nDCG@10"
    with pytest.raises(RecordError, match=damaged) as refused:
        moved(filled, engine)
    assert "the mean of topic '1' is 0.5, and the scores" in str(refused.value)
    assert ".zip" not in str(refused.value)  # the archive was temporary
    assert_untouched(filled, engine, before)


@pytest.mark.long
def test_one_moment_is_moved(filled, engine, tmp_path):
    def written_meanwhile(step):
        if step == "Reading event.csv ..." and not late:
            create_task(filled, "late", user="tester")
            late.append(step)

    late = []
    export_archive(filled, tmp_path / "before.zip")
    moved(filled, engine, written_meanwhile)
    assert late
    export_archive(engine, tmp_path / "after.zip")
    assert (tmp_path / "after.zip").read_bytes() == (tmp_path / "before.zip").read_bytes()


@pytest.mark.both_servers
@pytest.mark.long
def test_nobody_writes_to_the_target_meanwhile(source, engine, tmp_path):
    impatient = make_engine(engine.url, lock_timeout=1)

    def write(step):
        if step == "Verifying the events ...":
            with pytest.raises(DatabaseBusyError):
                create_task(impatient, "mine", user="tester")

    moved(source, engine, write)
    impatient.dispose()
    assert_equal(source, engine, tmp_path)


@pytest.mark.long
@pytest.mark.both_servers
def test_the_server_that_fails_is_the_one_named(source, engine):
    for record, step in (
        (source, "Reading scores/000001.csv ..."),
        (engine, "Verifying the events ..."),
    ):

        def end(reached, record=record, step=step):
            if reached == step:
                disconnect(record)

        with pytest.raises(DatabaseError) as caught:
            moved(source, engine, end)
        assert str(record.url.database) in str(caught.value)


def disconnect(engine):
    """Cut the connections to a database, as a server does that is shut down."""
    administer(
        engine.url.set(database="postgres"),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{engine.url.database}'",
    )
