"""A person at the terminal: command lines run in this process or in one of their own."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine, text
from tests.databases import address_of
from tests.factories import wide
from tests.outcomes import PROGRAM, Outcome, environment
from tests.savepoints import opening, prepared

from roundbook.database.engine import unit_of_work
from roundbook.logbook import session as logbook_session
from roundbook.settings import load_settings
from roundbook_cli.main import run

# Nothing listens there: a command that should need no database fails if it opens one.
NOWHERE = "postgresql://nobody:nothing@127.0.0.1:1/nowhere"


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Outcome]]:
    """Run a command line in this process; any database it opens is unreachable."""
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", NOWHERE)

    def call(*words: object) -> Outcome:
        load_settings.cache_clear()
        capsys.readouterr()
        code = run([str(word) for word in words])
        outcome = Outcome(code, *capsys.readouterr())
        assert "Traceback" not in outcome.out + outcome.err, outcome
        return outcome

    yield call
    load_settings.cache_clear()


@pytest.fixture
def roundbook(
    command: Callable[..., Outcome], engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Run a command line in this process on an empty record; see `engine` for what it commits."""
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address_of(engine.url))
    monkeypatch.setattr(
        logbook_session, "open_record", opening(engine, logbook_session.open_record)
    )
    return command


@pytest.fixture
def client(engine: Engine) -> Iterator[object]:
    """A browser on the pages of an empty record, open to all; see `engine` for what it commits."""
    from fastapi.testclient import TestClient

    from roundbook.api.app import make_app

    with TestClient(make_app(load_settings(), engine, open_to_all=True)) as opened:
        yield opened


@pytest.fixture
def snapshot(engine: Engine) -> Callable[[], dict[str, tuple[int, str | None]]]:
    """Take down how many rows each table of the record has, and a fingerprint of them."""

    def take() -> dict[str, tuple[int, str | None]]:
        with unit_of_work(engine) as connection:
            tables = connection.execute(
                text("SELECT tablename FROM pg_tables WHERE schemaname = 'roundbook' ORDER BY 1")
            ).scalars()
            return {
                table: tuple(
                    connection.execute(
                        text(
                            "SELECT count(*), md5(string_agg(line, '|' ORDER BY line))"
                            f" FROM (SELECT row::text AS line FROM roundbook.{table} AS row) AS l"
                        )
                    ).one()
                )
                for table in list(tables)
            }

    return take


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """Start a command line in a process of its own, away from the checkout."""

    def begin(*words: object, **settings: object) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [*PROGRAM, *map(str, words)],
            cwd=tmp_path,
            env=environment(**settings),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


@pytest.fixture
def process(start: Callable[..., subprocess.Popen[str]]) -> Callable[..., Outcome]:
    """Run a command line in a process of its own."""

    def call(*words: object, **settings: object) -> Outcome:
        with start(*words, **settings) as running:
            out, err = running.communicate(timeout=120)
        assert "Traceback" not in out + err, (out, err)
        return Outcome(running.returncode, out, err)

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a file of these bytes or this text."""

    def put(content: str | bytes, name: str = "scores.csv") -> Path:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return put


@pytest.fixture
def log(roundbook: Callable[..., Outcome], write: Callable[..., Path]) -> Callable[..., None]:
    """Log scores as a round of the task t."""

    def call(
        label: str,
        scores: object,
        *options: object,
        measure: str = "AP",
        topics: Sequence[str] | None = None,
    ) -> None:
        path = write(wide(scores, topics), f"{label}.csv")
        done = roundbook("log", "t", label, path, "--measure", measure, "--create", *options)
        assert done.code == 0, done

    return call


@prepared
def covid(roundbook: Callable[..., Outcome], shared: Path) -> Callable[..., Outcome]:
    """Log the first three rounds of TREC-COVID; return what runs a command line."""
    for number in (1, 2, 3):
        path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
        label = f"round{number}"
        done = roundbook("log", "covid", label, path, "--measure", "nDCG@10", "--create")
        assert done.code == 0, done
    return roundbook


@pytest.fixture(scope="session")
def made_record(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The embedded server's directory with a round `r` of task `t`; the server is stopped."""
    scores = tmp_path_factory.mktemp("made") / "scores.csv"
    scores.write_text("topic,a,b\n" + "".join(f"{topic},.{topic},.5\n" for topic in range(1, 9)))
    directory = Path(tempfile.mkdtemp(prefix="rb")).resolve()
    subprocess.run(
        [*PROGRAM, "log", "t", "r", str(scores), "--measure", "AP", "--create"],
        env=environment(data_dir=directory),
        check=True,
        capture_output=True,
    )
    yield directory / "postgres"
    shutil.rmtree(directory)


@pytest.fixture
def copy_record(made_record: Path) -> Callable[[Path], None]:
    """Copy it into a data directory."""

    def copy(data_dir: Path) -> None:
        subprocess.run(["cp", "-a", made_record, data_dir / "postgres"], check=True)

    return copy


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A directory with a path short enough for a socket; servers that still run there are ended."""
    directory = Path(tempfile.mkdtemp(prefix="rb"))
    yield directory
    for pid_file in directory.glob("postgres*/postmaster.pid"):
        with suppress(OSError, ValueError):
            os.kill(int(pid_file.read_text().split()[0]), signal.SIGQUIT)
            time.sleep(0.5)
    shutil.rmtree(directory)


@pytest.fixture
def made(data_dir: Path, copy_record: Callable[[Path], None]) -> Path:
    """The test's own data directory with that round in it."""
    copy_record(data_dir)
    return data_dir


@pytest.fixture
def on_embedded(
    command: Callable[..., Outcome], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Run a command line in this process on the embedded server of a data directory."""

    def call(data_dir: Path, *words: object) -> Outcome:
        monkeypatch.delenv("ROUNDBOOK_DATABASE_URL", raising=False)
        monkeypatch.setenv("ROUNDBOOK_DATA_DIR", str(data_dir))
        return command(*words)

    return call
