"""Databases set up in other ways than most: the record is the same, or one sentence says why not."""

from __future__ import annotations

import threading
from zipfile import ZipFile

import pytest
from sqlalchemy import text
from tests.databases import administer, database_on, scalar
from tests.factories import (
    export_archive,
    import_archive,
    log_scores,
    report_drift,
    show_variances,
    verify_record,
)
from tests.releases.campaign import record_campaign

from roundbook.database.engine import PINNED, make_engine, unit_of_work
from roundbook.database.schema import upgrade
from roundbook.errors import DatabaseError, RoundPublishedError
from roundbook.logbook.round_changes import publish_round
from roundbook.logbook.schema import read_database
from roundbook.logbook.session import begin
from roundbook.presentation.record import database_notes
from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook.requests.tasks import PublishRound
from roundbook.transfer.backup import restore_backup, save_backup

# What an administrator, or nobody on purpose, may have set for a database or a role.
ODD = {
    "client_encoding": "'LATIN1'",
    "DateStyle": "'German, DMY'",
    "default_transaction_isolation": "'repeatable read'",
    "extra_float_digits": "0",
    "IntervalStyle": "'sql_standard'",
    "search_path": "information_schema",
    "standard_conforming_strings": "off",
    "TimeZone": "'Asia/Kolkata'",
}


def set_up_oddly(engine, **settings):
    name = engine.url.database
    administer(
        engine.url,
        *(f'ALTER DATABASE {name} SET "{key}" TO {value}' for key, value in settings.items()),
    )
    engine.dispose()


def members(archive):
    with ZipFile(archive) as file:
        return {name: file.read(name) for name in file.namelist()}


@pytest.mark.long
def test_the_whole_path_on_databases_that_are_set_up_oddly(server, filled, whole, tmp_path):
    set_up_oddly(filled, **ODD)
    driver = filled.raw_connection()
    assert driver.execute("SHOW TimeZone").fetchone() == ("Asia/Kolkata",)
    driver.close()
    state = read_database(filled)
    assert (state.encoding, state.pooler, state.standby, state.read_only) == ("UTF8", False) + (
        False,
    ) * 2
    assert {setting.name for setting in state.settings} == set(ODD) - {
        "client_encoding",
        "TimeZone",
    }
    (sentence,) = database_notes(state)
    assert "extra_float_digits is '0', and '1' in Roundbook's transactions" in sentence
    export_archive(filled, tmp_path / "odd.zip")
    assert members(tmp_path / "odd.zip") == members(whole)
    with database_on(server) as other:
        again = {"DateStyle": "'SQL, MDY'", "default_transaction_isolation": "serializable"}
        set_up_oddly(other, **ODD | again)
        upgrade(other)
        import_archive(other, tmp_path / "odd.zip")
        export_archive(other, tmp_path / "again.zip")
        assert members(tmp_path / "again.zip") == members(whole)
        save_backup(other, BackupRequest(file=tmp_path / "backup"))
    with database_on(server) as third:
        set_up_oddly(third, **ODD)
        upgrade(third)
        record_campaign(third)
        for question in (show_variances, report_drift):
            here, there = (
                question(engine, "web", "nDCG@10", assessments="official").model_dump()
                for engine in (third, filled)
            )
            assert here == there
        assert verify_record(third).differences == []
        restored = restore_backup(third, RestoreRequest(file=tmp_path / "backup", replace=True))
        assert restored.replaced
        export_archive(third, tmp_path / "third.zip")
        assert members(tmp_path / "third.zip") == members(whole)


def test_a_round_published_meanwhile_takes_no_scores(engine, database):
    set_up_oddly(engine, **ODD)
    log_scores(engine, "r", [[0.1, 0.3], [0.2, 0.9]])
    refused, other = [], make_engine(database)

    def log():
        try:
            log_scores(other, "r", [[0.5, 0.3], [0.2, 0.9]], "nDCG")
        except RoundPublishedError as error:
            refused.append(error)

    with begin(engine) as session:
        publish_round(session, PublishRound(task="t", round="r"))
        late = threading.Thread(target=log)
        late.start()
        while not waiting_for_locks(session.connection):
            assert late.is_alive()
    late.join(30)
    other.dispose()
    assert len(refused) == 1
    assert scalar(engine, "SELECT count(*) FROM roundbook.matrix") == 1


def waiting_for_locks(connection):
    return connection.execute(
        text(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
            " WHERE NOT granted AND datname = current_database()"
        )
    ).scalar_one()


def test_what_is_pinned_holds_in_every_transaction_and_no_longer(engine, database):
    own = make_engine(database, lock_timeout=7)
    expected = PINNED | {"lock_timeout": "7s", "transaction_isolation": "read committed"}
    for _ in range(2):
        with unit_of_work(own) as connection:
            for name, value in expected.items():
                assert connection.execute(text(f"SHOW {name}")).scalar_one() == value
            driver = connection.connection.driver_connection
            connection.commit()
        assert driver.prepare_threshold is None
        assert driver.execute("SHOW lock_timeout").fetchone() == ("0",)
        driver.rollback()
    own.dispose()


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_another_encoding_than_utf8_is_refused(server, encoding):
    options = f"ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
    with database_on(server, options) as other:
        with pytest.raises(DatabaseError) as caught:
            upgrade(other)
        assert str(caught.value) == (
            f"The encoding of the database '{other.url.database}' is {encoding}, and Roundbook needs"
            " UTF8. Make another for it, in SQL: CREATE DATABASE roundbook ENCODING 'UTF8' TEMPLATE"
            " template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
