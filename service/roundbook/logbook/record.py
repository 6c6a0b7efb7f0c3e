"""Opening of the record: the choice of database, and the check of its schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import Engine

from roundbook.database.engine import make_engine, parse_url
from roundbook.database.schema import require_current, upgrade
from roundbook.logbook.session import ReportProgress, ignore_progress
from roundbook.settings import Settings


@contextmanager
def open_record(
    settings: Settings,
    address: str | None = None,
    progress: ReportProgress = ignore_progress,
    *,
    any_schema: bool = False,
) -> Iterator[Engine]:
    """Yield an engine on the record, with its schema up to date.

    The embedded server's schema is upgraded here. A server's schema is only checked, as other
    people may use it too.

    Parameters
    ----------
    address : str, optional
        A server's address; default ``settings.database_url``, default the embedded server.
    any_schema : bool
        Accept any schema, and leave it as it is.

    Raises
    ------
    DatabaseUnreachableError
    SchemaOutOfDateError
        Naming the command to run.
    """
    chosen = chosen_address(settings, address)
    server = (
        _embedded_server(settings.data_dir / "postgres") if chosen is None else nullcontext(chosen)
    )
    with server as url, _engine(url, settings) as engine:
        if chosen is None and not any_schema:
            upgrade(engine, progress)
        elif not any_schema:
            require_current(engine)
        yield engine


@contextmanager
def embedded_record(
    directory: Path, settings: Settings, *, throw_away: bool = False
) -> Iterator[Engine]:
    """Yield an engine on the embedded server in `directory`, with its schema upgraded."""
    server = _embedded_server(directory, throw_away=throw_away)
    with server as url, _engine(url, settings) as engine:
        upgrade(engine)
        yield engine


@contextmanager
def record_if_up(
    settings: Settings, address: str | None = None, *, seconds: int
) -> Iterator[Engine | None]:
    """Yield an engine that waits at most `seconds`, or None if no server runs; start none."""
    url = chosen_address(settings, address)
    if url is None:
        from roundbook.embedded.server import running_address  # noqa: PLC0415

        url = running_address(settings.data_dir / "postgres")
    if url is None:
        yield None
        return
    waited = {"connect_timeout": seconds, "lock_timeout": seconds}
    with _engine(url, settings.model_copy(update=waited)) as engine:
        yield engine


def chosen_address(settings: Settings, address: str | None) -> str | None:
    """Return the address of the chosen PostgreSQL server, None for the embedded one."""
    if address:
        return address
    return settings.database_url.get_secret_value() if settings.database_url else None


def _embedded_server(directory: Path, *, throw_away: bool = False) -> AbstractContextManager[str]:
    # The modules that start and watch processes are not imported for a PostgreSQL server.
    from roundbook.embedded.server import embedded_server  # noqa: PLC0415

    return embedded_server(directory, throw_away=throw_away)


@contextmanager
def _engine(url: str, settings: Settings) -> Iterator[Engine]:
    engine = make_engine(
        parse_url(url), connect_timeout=settings.connect_timeout, lock_timeout=settings.lock_timeout
    )
    try:
        yield engine
    finally:
        engine.dispose()
