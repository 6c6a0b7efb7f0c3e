"""The schema's version: the database's, the one this program needs, and the upgrade."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files
from typing import TYPE_CHECKING

from sqlalchemy import Engine, text

from roundbook.database.engine import unit_of_work
from roundbook.database.table_parts import SCHEMA, VERSION_TABLE
from roundbook.errors import SchemaOutOfDateError

if TYPE_CHECKING:
    from alembic.config import Config

# The schema's revisions, from the migrations' file names; this program needs the last of them.
REVISIONS = sorted(
    migration[1]
    for file in (files("roundbook_migrations") / "versions").iterdir()
    if (migration := re.fullmatch(r"(\d{4})_\w+\.py", file.name))
)
EXPECTED_REVISION = REVISIONS[-1]


def alembic_config() -> Config:
    """Return Alembic's configuration for the migrations that ship with this program."""
    # Importing Alembic takes a third of a second, and only an upgrade needs it.
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(files("roundbook_migrations")).replace("%", "%%"))
    return config


def current_revision(engine: Engine) -> str | None:
    """Return the schema revision of the database, None without a schema."""
    table = f"{SCHEMA}.{VERSION_TABLE}"
    with unit_of_work(engine) as connection:
        if connection.scalar(text("SELECT to_regclass(:table)"), {"table": table}) is None:
            return None
        revision: str | None = connection.scalar(text(f"SELECT version_num FROM {table}"))  # noqa: S608
        return revision


def upgrade(
    engine: Engine, progress: Callable[[str], object] = lambda _: None
) -> tuple[str | None, str]:
    """Bring the schema up to date, each migration in one transaction of its own.

    Parameters
    ----------
    progress : callable
        Called with a short text before each step of a migration that computes from scores.

    Returns
    -------
    (before, after) : revisions; equal where there was nothing to do
    """
    before = current_revision(engine)
    if before == EXPECTED_REVISION:
        return before, EXPECTED_REVISION
    require_known(before)
    from alembic import command  # noqa: PLC0415

    with unit_of_work(engine) as connection:
        config = alembic_config()
        config.attributes["connection"] = connection
        config.attributes["progress"] = progress
        command.upgrade(config, "head")
        connection.commit()
    return before, EXPECTED_REVISION


def require_current(engine: Engine) -> None:
    """Raise SchemaOutOfDateError unless the schema is up to date."""
    current = current_revision(engine)
    if current == EXPECTED_REVISION:
        return
    require_known(current)
    state = (
        "has no Roundbook schema yet"
        if current is None
        else f"has the schema of an earlier Roundbook (revision {current}, not {EXPECTED_REVISION})"
    )
    raise SchemaOutOfDateError(
        f"The database {state}.", current, EXPECTED_REVISION, way_out="upgrade the database"
    )


def require_known(revision: str | None, subject: str = "The database") -> None:
    """Raise SchemaOutOfDateError for a revision of a later Roundbook."""
    if revision is not None and revision not in REVISIONS:
        raise SchemaOutOfDateError(
            f"{subject} has the schema of a later Roundbook (revision {revision}, this program"
            f" knows {EXPECTED_REVISION}). Install the newer Roundbook to use it.",
            revision,
            EXPECTED_REVISION,
        )
