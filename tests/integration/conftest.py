"""A terminal on a test's own engine; copies of the campaign, and its archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlalchemy.engine import URL
from tests.databases import database_on
from tests.factories import export_archive
from tests.outcomes import Outcome
from tests.savepoints import Savepoints, savepoint_engine

from roundbook.database.engine import make_engine
from roundbook.logbook import session as logbook_session
from roundbook.settings import load_settings
from roundbook_cli.main import run


@pytest.fixture
def terminal(engine, monkeypatch, capsys):
    """Run a command line in this process as the user eve; return what it printed."""

    @contextmanager
    def open_record(*_):
        yield engine

    monkeypatch.setattr(logbook_session, "open_record", open_record)
    monkeypatch.setenv("ROUNDBOOK_USER", "eve")
    load_settings.cache_clear()

    def call(*words):
        capsys.readouterr()
        code = run(list(words))
        outcome = Outcome(code, *capsys.readouterr())
        assert "Traceback" not in outcome.out + outcome.err, outcome
        return outcome

    yield call
    load_settings.cache_clear()


@pytest.fixture(scope="session")
def shared_campaign(server: URL, campaign: str) -> Iterator[tuple[Engine, Savepoints]]:
    """A copy of the campaign for all tests that only read it."""
    with (
        database_on(server, f"TEMPLATE {campaign} STRATEGY FILE_COPY") as copy,
        savepoint_engine(copy.url) as shared,
    ):
        yield shared


@pytest.fixture
def recorded(shared_campaign: tuple[Engine, Savepoints]) -> Iterator[Engine]:
    """An engine on the campaign, which the test only reads."""
    shared, connection = shared_campaign
    connection.hold(number=False)
    yield shared
    connection.take_back()


@pytest.fixture
def filled(server: URL, campaign: str) -> Iterator[Engine]:
    """An engine on a campaign of the test's own."""
    with database_on(server, f"TEMPLATE {campaign} STRATEGY FILE_COPY") as engine:
        yield engine


@pytest.fixture(scope="session")
def whole(server: URL, campaign: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of the whole campaign."""
    file = tmp_path_factory.mktemp("archives") / "campaign.zip"
    engine = make_engine(server.set(database=campaign))
    export_archive(engine, file)
    engine.dispose()
    return file


@pytest.fixture(scope="session")
def second_shared_record(server: URL, template: str) -> Iterator[tuple[Engine, Savepoints]]:
    """Another empty record, for tests that copy from one into the other."""
    with (
        database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as copy,
        savepoint_engine(copy.url) as shared,
    ):
        yield shared


@pytest.fixture
def second(second_shared_record: tuple[Engine, Savepoints]) -> Iterator[Engine]:
    """An engine on a second empty record."""
    shared, connection = second_shared_record
    connection.hold()
    yield shared
    connection.take_back()
