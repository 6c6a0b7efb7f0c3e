"""The schema: made, checked, upgraded and taken back by the migrations alone."""

from __future__ import annotations

import os
import subprocess

import pytest
from alembic import command
from sqlalchemy import text
from tests.databases import address_of, run_alembic
from tests.outcomes import PROGRAM

from roundbook.database.engine import unit_of_work
from roundbook.database.schema import (
    EXPECTED_REVISION,
    current_revision,
    require_current,
    upgrade,
)
from roundbook.errors import SchemaOutOfDateError
from roundbook.logbook.schema import read_schema, upgrade_schema

OBJECTS = """
SELECT 'table ' || relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE nspname = :schema AND relkind IN ('r', 'v', 'S')
UNION ALL
SELECT 'function ' || proname FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
WHERE nspname = :schema
"""


def objects(engine, schema="roundbook"):
    with unit_of_work(engine) as connection:
        return set(connection.execute(text(OBJECTS), {"schema": schema}).scalars())


def test_upgrade_makes_everything_in_its_own_schema(bare):
    assert read_schema(bare).status == "none"
    elsewhere = objects(bare, "public")
    assert upgrade_schema(bare).status == "upgraded"
    assert {"table score", "table score_vector", "table alembic_version"} <= objects(bare)
    assert objects(bare, "public") == elsewhere
    assert upgrade_schema(bare).status == "up to date"
    require_current(bare)


def test_tables_and_migrations_agree(engine):
    run_alembic(engine, command.check)


@pytest.mark.long
def test_downgrade_leaves_no_trace_and_upgrade_makes_the_same_again(bare):
    upgrade(bare)
    made = objects(bare)
    run_alembic(bare, command.downgrade, "base")
    assert objects(bare) == {"table alembic_version"}
    upgrade(bare)
    assert objects(bare) == made


@pytest.mark.long
def test_upgrades_at_once_wait_for_each_other(bare):
    address = address_of(bare.url)
    upgrades = [
        subprocess.Popen(
            [*PROGRAM, "db", "upgrade"],
            env={**os.environ, "ROUNDBOOK_DATABASE_URL": address},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(2)
    ]
    outputs = [process.communicate(timeout=120) for process in upgrades]
    assert [process.returncode for process in upgrades] == [0, 0], outputs
    assert current_revision(bare) == EXPECTED_REVISION


def test_the_upgrade_leaves_no_lock_and_no_timeout_behind(bare):
    upgrade(bare)
    with unit_of_work(bare) as connection:
        # Other databases of the server are other tests' own, and may be upgrading just now.
        locks = (
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database ="
            " (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        assert connection.execute(text(locks)).scalar() == 0
        assert connection.execute(text("SHOW statement_timeout")).scalar() == "0"
        assert connection.execute(text("SHOW lock_timeout")).scalar() == "30s"


def test_an_out_of_date_schema_names_the_command(bare):
    with pytest.raises(SchemaOutOfDateError, match="has no Roundbook schema yet") as caught:
        require_current(bare)
    error = caught.value
    assert (error.current, error.expected) == (None, EXPECTED_REVISION)
    assert error.way_out.code == "upgrade the database"


def test_a_later_schema_is_left_alone(engine):
    with unit_of_work(engine) as connection:
        connection.execute(text("UPDATE roundbook.alembic_version SET version_num = '9999'"))
        connection.commit()
    for use in (require_current, upgrade):
        with pytest.raises(SchemaOutOfDateError, match="later Roundbook"):
            use(engine)
    assert current_revision(engine) == "9999"
