"""The schema's version: what the database has, what this program needs, how to get there."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine

from roundbook.database.engine import unit_of_work
from roundbook.database.tables import SCHEMA
from roundbook.errors import SchemaOutOfDate


def alembic_config() -> Config:
    """Return Alembic's configuration for the migrations that ship with this program."""
    config = Config()
    config.set_main_option("script_location", str(files("roundbook_migrations")).replace("%", "%%"))
    return config


def expected_revision() -> str:
    """Return the schema revision that this program works with."""
    head = ScriptDirectory.from_config(alembic_config()).get_current_head()
    assert head is not None
    return head


def current_revision(engine: Engine) -> str | None:
    """Return the schema revision of the database, None where there is no schema."""
    with unit_of_work(engine) as connection:
        return _revision(connection)


def _revision(connection: Connection) -> str | None:
    context = MigrationContext.configure(connection, opts={"version_table_schema": SCHEMA})
    return context.get_current_revision()


def upgrade(
    engine: Engine, progress: Callable[[str], object] = lambda _: None
) -> tuple[str | None, str]:
    """Bring the schema up to date, each migration in one transaction of its own.

    Parameters
    ----------
    progress : callable
        Told in a few words what is done next, where a migration computes from scores.

    Returns
    -------
    (before, after) : revisions; equal where there was nothing to do
    """
    expected = expected_revision()
    before = current_revision(engine)
    if before == expected:
        return before, expected
    require_known(before)
    with unit_of_work(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        config.attributes["progress"] = progress
        command.upgrade(config, "head")
        connection.commit()
    return before, expected


def require_current(engine: Engine) -> None:
    """Raise SchemaOutOfDate, naming the command to run, unless the schema is up to date."""
    expected = expected_revision()
    current = current_revision(engine)
    if current == expected:
        return
    require_known(current)
    state = (
        "has no Roundbook schema yet"
        if current is None
        else f"has the schema of an earlier Roundbook (revision {current}, not {expected})"
    )
    raise SchemaOutOfDate(
        f"The database {state}. Run 'roundbook db upgrade' on it first.", current, expected
    )


def is_known(revision: str) -> bool:
    """Return whether this program has the migration that made a revision."""
    script = ScriptDirectory.from_config(alembic_config())
    return revision in {each.revision for each in script.walk_revisions()}


def require_known(revision: str | None, what: str = "The database") -> None:
    """Raise SchemaOutOfDate, naming the way out, where a later program made the schema."""
    if revision is not None and not is_known(revision):
        expected = expected_revision()
        raise SchemaOutOfDate(
            f"{what} has the schema of a later Roundbook (revision {revision}, this program"
            f" knows {expected}). Install the newer Roundbook to use it.",
            revision,
            expected,
        )
