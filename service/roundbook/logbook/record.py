"""Opening the record: which database, and is its schema the one this program works with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

from roundbook.database.engine import make_engine, parse_url
from roundbook.database.schema import require_current, upgrade
from roundbook.settings import Settings


@contextmanager
def open_record(
    settings: Settings,
    address: str | None = None,
    progress: Callable[[str], object] = lambda _: None,
) -> Iterator[Engine]:
    """Yield an engine on the record, its schema up to date.

    The embedded server's schema is brought up to date here; a server's schema is other
    people's too, so there it is only checked.

    Parameters
    ----------
    settings : Settings
    address : str, optional
        A server's address; default ``settings.database_url``, default the embedded server.
    progress : callable
        Told in a few words what is done, where bringing the schema up to date takes long.

    Raises
    ------
    DatabaseUnreachableError
    SchemaOutOfDateError
        Naming the command to run.
    """
    if chosen_address(settings, address) is None:
        directory = settings.data_dir / "postgres"
        with embedded_record(directory, settings, progress=progress) as engine:
            yield engine
    else:
        with open_server(settings, address) as engine:
            require_current(engine)
            yield engine


@contextmanager
def open_server(settings: Settings, address: str | None = None) -> Iterator[Engine]:
    """Yield an engine on the chosen database, whatever its schema."""
    chosen = chosen_address(settings, address)
    if chosen is None:
        with _embedded_engine(settings.data_dir / "postgres", settings) as engine:
            yield engine
    else:
        with _engine(chosen, settings) as engine:
            yield engine


@contextmanager
def embedded_record(
    directory: Path,
    settings: Settings,
    *,
    throw_away: bool = False,
    progress: Callable[[str], object] = lambda _: None,
) -> Iterator[Engine]:
    """Yield an engine on the embedded server in `directory`, its schema brought up to date."""
    with _embedded_engine(directory, settings, throw_away=throw_away) as engine:
        upgrade(engine, progress)
        yield engine


@contextmanager
def record_if_up(
    settings: Settings, address: str | None = None, *, seconds: int
) -> Iterator[Engine | None]:
    """Yield an engine that waits `seconds` for an answer, or None; start no server."""
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
    """Return the address of the chosen server, None for the embedded one."""
    if address:
        return address
    return settings.database_url.get_secret_value() if settings.database_url else None


@contextmanager
def _embedded_engine(
    directory: Path, settings: Settings, *, throw_away: bool = False
) -> Iterator[Engine]:
    # What starts and watches processes is not imported for a server that others run.
    from roundbook.embedded.server import embedded_server  # noqa: PLC0415

    with (
        embedded_server(directory, throw_away=throw_away) as url,
        _engine(url, settings) as engine,
    ):
        yield engine


@contextmanager
def _engine(url: str, settings: Settings) -> Iterator[Engine]:
    engine = make_engine(
        parse_url(url),
        connect_timeout=settings.connect_timeout,
        lock_timeout=settings.lock_timeout,
    )
    try:
        yield engine
    finally:
        engine.dispose()
