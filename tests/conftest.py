"""The databases and the real data that the tests run on."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import settings
from sqlalchemy import Engine
from sqlalchemy.engine import URL
from tests.databases import address_of, administer, database_on
from tests.savepoints import Savepoints, opening, savepoint_engine

import roundbook
from roundbook.database.engine import make_engine, parse_url
from roundbook.database.schema import upgrade
from roundbook.embedded.server import embedded_server
from roundbook.logbook import session as logbook_session
from roundbook.python import local
from roundbook.settings import Settings

ROOT = Path(__file__).parents[1]
IN_CI = os.environ.get("CI") == "true"
# A second server, addressed with a password over TCP; every database test then runs on both.
SECOND_SERVER = os.environ.get("ROUNDBOOK_TEST_SERVER")
# Debian's are where nobody, or only root, looks for programs; the wheel's speak no TLS.
DEBIAN_PROGRAMS = max(Path("/usr/lib/postgresql").glob("1[5-9]/bin"), default=None)
PGBOUNCER = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
CHROMIUM = shutil.which("chromium") if find_spec("playwright") else None
# By marker, what a test needs that only a system's own packages bring, where it is not there.
MISSING = {
    marker: program
    for marker, program, there in (
        ("pgbouncer", "pgbouncer", PGBOUNCER),
        ("debian_postgresql", "PostgreSQL as Debian installs it", DEBIAN_PROGRAMS),
        ("browser", "chromium, or the extra 'browser',", CHROMIUM),
    )
    if there is None
}
SHARED = Path(os.environ.get("ROUNDBOOK_SHARED", ROOT.parent / "shared"))
# Where it is large enough, the server's files stay in memory: making and dropping databases by the
# hundred takes a disk's file system half of their time.
IN_MEMORY = Path("/dev/shm")
ENOUGH = 4 * 2**30
# Of no other generator of the tests, so that no test draws a module's constants again.
SEED = 20_261_123
# Which random order a nightly run has; ROUNDBOOK_TEST_DAY repeats that of another day.
TODAY = os.environ.setdefault("ROUNDBOOK_TEST_DAY", datetime.now(UTC).date().isoformat())


# What speaks to the tests themselves, in every process that runs some of them.
FOR_TESTS = {
    "ROUNDBOOK_TEST_SERVER",
    "ROUNDBOOK_SHARED",
    "ROUNDBOOK_TEST_PROFILE",
    "ROUNDBOOK_TEST_PICTURES",
    "ROUNDBOOK_TEST_DAY",
}
PROFILE = os.environ.get("ROUNDBOOK_TEST_PROFILE", "ci" if IN_CI else "default")

# What passed once passes again: new examples are for the developers' machines to find, and for
# the night.
# A machine that is busy makes no test fail.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("nightly", max_examples=2000, derandomize=False, deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    # A run in the background may begin with interrupts ignored, which its children would inherit.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile(PROFILE)
    # What the person's own environment says must not reach the tests.
    for name in list(os.environ):
        if name.startswith("ROUNDBOOK_") and name not in FOR_TESTS:
            del os.environ[name]
    # Every core has its process: threads of linear algebra would only wait for each other.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["ROUNDBOOK_CONFIG"] = os.devnull
    os.environ["COLUMNS"] = "100"
    if IN_CI and not SECOND_SERVER:
        raise pytest.UsageError("CI must name a second server in ROUNDBOOK_TEST_SERVER")


def pytest_xdist_auto_num_workers() -> int:
    """Return one process more than there are cores: tests wait for servers and for other processes."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    # Modules and collected tests stay to the end; looking through them for garbage takes seconds.
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # Of what does not depend on the server, one is enough.
    out = {
        item
        for item in items
        if any(map(item.get_closest_marker, MISSING))
        or (_on_tcp(item) and _runs_on_one_server(item))
    }
    if out:
        config.hook.pytest_deselected(items=list(out))
        items[:] = [item for item in items if item not in out]
    if PROFILE == "nightly":
        # In another order every day, so that no test comes to depend on those before it. Tests of
        # a module stay together, as they share prepared records.
        order = Random(TODAY)
        modules = {item.path: order.random() for item in items}
        items.sort(key=lambda item: (modules[item.path], order.random()))


def _runs_on_one_server(item: pytest.Item) -> bool:
    closest = [
        mark.name for mark in item.iter_markers() if mark.name in ("one_server", "both_servers")
    ]
    return closest[:1] == ["one_server"]


def _on_tcp(item: pytest.Item) -> bool:
    call = getattr(item, "callspec", None)
    return call is not None and call.params.get("server") == "tcp"


def pytest_runtest_setup(item: pytest.Item) -> None:
    # Which tests ran before in the same process must not decide what a module's generator draws.
    for value in vars(getattr(item, "module", item)).values():
        if isinstance(value, np.random.Generator):
            value.bit_generator.state = np.random.default_rng(SEED).bit_generator.state


def pytest_report_header() -> list[str]:
    lines = [f"{program} is not installed: its tests are left out" for program in MISSING.values()]
    return [*lines, f"in the order of {TODAY}"] if PROFILE == "nightly" else lines


def pytest_sessionfinish(session: pytest.Session) -> None:
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and reporter is not None and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session")
def nightly() -> bool:
    """Whether this run may take hours."""
    return PROFILE == "nightly"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real matrices and published tables."""
    if not SHARED.is_dir():
        pytest.skip(f"no shared data in {SHARED}; name its folder in ROUNDBOOK_SHARED")
    return SHARED


@pytest.fixture(scope="session")
def embedded() -> Iterator[URL]:
    """The embedded server, without the durability that no test here needs."""
    # Not in pytest's own directory, which another run may clear away.
    quick = IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ENOUGH
    where = IN_MEMORY if quick else None
    with (
        tempfile.TemporaryDirectory(prefix="roundbook-test-", dir=where) as directory,
        embedded_server(Path(directory) / "postgres", throw_away=True) as address,
    ):
        url = parse_url(address)
        off = ("fsync", "full_page_writes", "synchronous_commit", "autovacuum")
        administer(url, *(f"ALTER SYSTEM SET {name} = off" for name in off))
        administer(url, "SELECT pg_reload_conf()")
        yield url


@pytest.fixture(
    scope="session", params=["embedded", *(["tcp"] if SECOND_SERVER else [])], name="server"
)
def _server(request: pytest.FixtureRequest) -> URL:
    """The server to run on: the embedded one, then the second one."""
    if request.param == "tcp":
        assert SECOND_SERVER
        return parse_url(SECOND_SERVER)
    url: URL = request.getfixturevalue("embedded")
    return url


@pytest.fixture(scope="session")
def template(server: URL) -> Iterator[str]:
    """An empty record, migrated once and copied for every test."""
    with database_on(server) as engine:
        upgrade(engine)
        engine.dispose()
        yield engine.url.database


@pytest.fixture(scope="session")
def campaign(server: URL, template: str) -> Iterator[str]:
    """The name of a database that holds the campaign, to be copied."""
    from tests.releases.campaign import record_campaign

    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as engine:
        record_campaign(engine)
        engine.dispose()
        yield engine.url.database


@pytest.fixture
def database(server: URL, template: str) -> Iterator[URL]:
    """The address of an empty record."""
    # Copying the files is quicker than logging every page of them, which is the default.
    with database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as made:
        yield made.url


@pytest.fixture
def bare(server: URL) -> Iterator[Engine]:
    """An engine on a database without Roundbook's schema."""
    with database_on(server) as made:
        yield made


@pytest.fixture(scope="session")
def shared_record(server: URL, template: str) -> Iterator[tuple[Engine, Savepoints]]:
    """One empty record for all tests that commit nothing, and the only connection to it."""
    with (
        database_on(server, f"TEMPLATE {template} STRATEGY FILE_COPY") as made,
        savepoint_engine(made.url) as shared,
    ):
        yield shared


# What asks for a database of its own, as others connect to it too.
_OWN_DATABASE = {"database", "address", "committed", "start", "process"}


@pytest.fixture
def engine(request: pytest.FixtureRequest, server: URL) -> Iterator[Engine]:
    """An engine on an empty record; its commits are savepoints unless the test needs real ones."""
    if _OWN_DATABASE & set(request.fixturenames):
        own = make_engine(request.getfixturevalue("database"))
        yield own
        own.dispose()
        return
    shared, connection = request.getfixturevalue("shared_record")
    connection.hold([(request.module, name) for name in request.fixturenames])
    yield shared
    connection.take_back()


@pytest.fixture
def committed() -> None:
    """Ask for a database of the test's own, in which commits are commits."""


@pytest.fixture
def address(database: URL) -> str:
    """The address of an empty record as a person would write it."""
    return address_of(database)


@pytest.fixture
def book(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """An empty record, opened in Python; see `engine` for what it commits."""
    monkeypatch.setattr(local, "open_record", opening(engine, local.open_record))
    with roundbook.open(address_of(engine.url)) as opened:
        yield opened


@pytest.fixture
def kept_engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let the command lines of a test share an engine, and so its connection, a database."""
    open_engine, engines = logbook_session._engine, {}
    with ExitStack() as stack:

        @contextmanager
        def kept(url: str, settings: Settings) -> Iterator[Engine]:
            key = (url, settings.connect_timeout, settings.lock_timeout)
            if key not in engines:
                engines[key] = stack.enter_context(open_engine(url, settings))
            yield engines[key]

        monkeypatch.setattr(logbook_session, "_engine", kept)
        yield
