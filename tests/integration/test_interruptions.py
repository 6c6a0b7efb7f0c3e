"""Commands that are interrupted or killed on their way: the record is as before, or whole."""

from __future__ import annotations

import random
import shlex
import signal
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Engine, event
from tests.databases import address_of, database_on, fingerprints, load_release, scalar
from tests.factories import (
    export_archive,
    list_events,
    log_scores,
    renew_results,
    show_plan,
    verify_record,
    withdraw_matrix,
)
from tests.forked import Forked, race, run_apart
from tests.waiting import sessions, wait_until

from roundbook.database.engine import make_engine
from roundbook.database.schema import EXPECTED_REVISION, REVISIONS, current_revision, upgrade
from roundbook.errors import AlreadyRecordedError
from roundbook.requests.record import BackupRequest, RestoreRequest
from roundbook.settings import load_settings
from roundbook.transfer.backup import restore_backup, save_backup
from roundbook.transfer.move import move_record
from roundbook_cli.main import run

SLOW = pytest.mark.slow
RELEASES = Path(__file__).parents[1] / "releases"


# SIGINT


WRITING = """
task create other
round create web later
round set web 2025 --held 2025-11-11
round publish web 2024
log web 2026 {scores} --measure P@5 --create
log web 2026 {scores} --measure nDCG@10 --create
matrix withdraw 4 --reason typo
matrix restore 4 --reason 'no typo'
factors fit web 2024 --measure nDCG@10 --assessments official --runs 2024-run1 --runs 2024-run2 --reason typo
variance record web 2027 --measure P@5 --value .1 --runs 5 --topics 9 --source paper --create
round rename web later soon
round remove web soon
task rename other another
task remove another
topic alias web {aliases}
topic unalias web x3
plan save again --task web --measure nDCG@10 --assessments official --m 5 --min-d 0.1
drift web --measure nDCG@10 --assessments official --from 2024 --save
result renew 'next web'
import {archive}
db restore {backup} --replace
"""


class Interruption:
    """Sends this process SIGINT when a transaction writes first, or when it is to be kept."""

    def __init__(self):
        self.waits_for = None
        event.listen(Engine, "before_cursor_execute", self._executing)
        event.listen(Engine, "commit", self._committing)

    def end(self):
        event.remove(Engine, "before_cursor_execute", self._executing)
        event.remove(Engine, "commit", self._committing)

    def _executing(self, _connection, _cursor, statement, *_):
        if statement.lstrip().startswith(("INSERT", "UPDATE")):
            self._interrupt("writing")

    def _committing(self, _):
        self._interrupt("committing")

    def _interrupt(self, moment):
        if self.waits_for == moment:
            self.waits_for = None
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def interruption():
    arranged = Interruption()
    yield arranged
    arranged.end()


@pytest.mark.long
@pytest.mark.one_server
def test_every_command_that_writes_is_interrupted(
    filled, server, interruption, tmp_path, monkeypatch, capsys
):
    address = address_of(filled.url)
    monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", address)
    load_settings.cache_clear()
    files = {name: tmp_path / name for name in ("scores", "aliases", "archive", "backup")}
    files["scores"].write_text("topic,a,b\n1,.1,.3\n2,.5,.4\nx3,.5,.9\n")
    files["aliases"].write_text("topic,round,id\n3,2026,x3\n")
    with database_on(server) as other:
        upgrade(other)
        log_scores(other, "r", [[0.1, 0.3], [0.2, 0.9]], task="imported")
        export_archive(other, files["archive"])
    save_backup(filled, BackupRequest(file=files["backup"]))
    for line in WRITING.strip().splitlines():
        words = [word.format(**files) for word in shlex.split(line)]
        before = fingerprints(filled)
        for moment in ("writing", "committing"):
            interruption.waits_for = moment
            if words[:2] == ["db", "restore"]:  # psql writes
                continue
            code = run(words)
            assert interruption.waits_for is None, (line, capsys.readouterr().err)
            err = capsys.readouterr().err
            assert code == 130, (line, err)
            assert "Interrupted" in err
            assert "Traceback" not in err
            assert fingerprints(filled) == before, line
        interruption.waits_for = None
        assert run(words) == 0, (line, capsys.readouterr().err)
        assert line.startswith("db restore") or fingerprints(filled) != before, line
    load_settings.cache_clear()


# SIGKILL


def moments(kills):
    """Return fractions of the time that something takes, spread over it."""
    draw = random.Random(10)
    return [(number + draw.random()) / kills for number in range(kills)]


def kill(url, work, seconds):
    """Kill ``work(engine)`` after so many seconds; return whether it was done by then."""
    process = Forked(url, work)
    process.let_go()
    time.sleep(seconds)
    process.kill()
    return process.end().reached == "done"


@pytest.mark.long
@pytest.mark.one_server
@pytest.mark.parametrize("kills", [2, pytest.param(25, marks=SLOW)])
def test_a_killed_upgrade(server, kills):
    with database_on(server) as old:
        load_release(old, "0004")
        old.dispose()
        with database_on(server, f"TEMPLATE {old.url.database}") as spared:
            took = run_apart(spared.url, upgrade).seconds
            matrices = scalar(spared, "SELECT count(*) FROM roundbook.matrix")
            spared.dispose()
        for fraction in moments(kills):
            with database_on(server, f"TEMPLATE {old.url.database}") as engine:
                kill(engine.url, upgrade, fraction * took)
                wait_until(lambda: not sessions(engine))
                reached = current_revision(engine)
                assert reached in REVISIONS
                assert upgrade(engine) == (reached, EXPECTED_REVISION)
                assert scalar(engine, "SELECT count(*) FROM roundbook.matrix") == matrices
                assert verify_record(engine).differences == []


def move_to(target, engine):
    there = make_engine(target)
    move_record(engine, there)
    there.dispose()


@pytest.mark.long
@pytest.mark.one_server
@pytest.mark.parametrize("kills", [2, pytest.param(15, marks=SLOW)])
def test_a_killed_move(server, filled, kills):
    before, took, moved = fingerprints(filled), None, []
    for fraction in [None, *moments(kills)]:
        with database_on(server) as target:
            work = partial(move_to, target.url)
            if fraction is None:
                took = run_apart(filled.url, work).seconds
                continue
            kill(filled.url, work, fraction * took)
            wait_until(lambda: not sessions(target))
            there = current_revision(target) == EXPECTED_REVISION and scalar(
                target, "SELECT count(*) FROM roundbook.matrix"
            )
            if there:
                with pytest.raises(AlreadyRecordedError):
                    move_record(filled, target)
            else:
                move_record(filled, target)
            moved.append(bool(there))
            assert verify_record(target).differences == []
            assert fingerprints(filled) == before
    assert not all(moved)


@pytest.mark.long
@pytest.mark.one_server
@pytest.mark.parametrize("kills", [2, pytest.param(15, marks=SLOW)])
def test_killed_verification_and_renewal(server, filled, kills):
    before = fingerprints(filled)
    took = run_apart(filled.url, verify_record).seconds
    for fraction in moments(kills):
        kill(filled.url, verify_record, fraction * took)
    wait_until(lambda: not sessions(filled))
    assert fingerprints(filled) == before
    withdraw_matrix(filled, show_counted(filled), "typo", user="ann")
    versions = show_plan(filled, "next web").versions
    renew = partial(renew_results, name="next web")
    filled.dispose()
    with database_on(server, f"TEMPLATE {filled.url.database}") as spared:
        took = run_apart(spared.url, renew).seconds
        assert show_plan(spared, "next web").versions == versions + 1
    for fraction in moments(kills):
        with database_on(server, f"TEMPLATE {filled.url.database}") as engine:
            done = kill(engine.url, renew, fraction * took)
            wait_until(lambda: not sessions(engine))
            now = show_plan(engine, "next web").versions
            assert now in (versions, versions + 1)
            assert now == versions + 1 or not done
            if now == versions:
                renew(engine)
            assert show_plan(engine, "next web").versions == versions + 1
            assert verify_record(engine).differences == []


def show_counted(engine):
    """Return a matrix that the plan rests on."""
    statement = (
        "SELECT estimate.matrix_id FROM roundbook.variance_estimate AS estimate"
        " JOIN roundbook.result_input ON result_input.variance_estimate_id = estimate.id LIMIT 1"
    )
    return scalar(engine, statement)


# a backup among writers


def write_on(number, matrices, engine):
    values = [[0.1, 0.3, number / 10], [0.2, 0.9, 0.5], [0.4, 0.2, 0.1]]
    for label in range(matrices):
        log_scores(engine, f"r{label}", values, f"M{number}", user=f"writer {number}")


@pytest.mark.one_server
@pytest.mark.long
@pytest.mark.parametrize("matrices", [6, pytest.param(40, marks=SLOW)])
def test_a_backup_while_eight_log(server, database, matrices, tmp_path):
    engine = make_engine(database)
    log_scores(engine, "r0", [[0.1, 0.3], [0.2, 0.9]])
    saved, over = [], threading.Event()

    def save():
        while scalar(engine, "SELECT count(*) FROM roundbook.matrix") < 4:
            time.sleep(0.01)
        while not over.is_set():
            file = tmp_path / f"{len(saved)}.dump"
            saved.append((file, save_backup(engine, BackupRequest(file=file)).matrices))

    beside = threading.Thread(target=save)
    beside.start()
    outcomes = race(database, [partial(write_on, number, matrices) for number in range(8)])
    over.set()
    beside.join()
    assert [outcome.error for outcome in outcomes] == [None] * 8
    assert scalar(engine, "SELECT count(*) FROM roundbook.matrix") == 1 + 8 * matrices
    engine.dispose()
    assert 4 <= saved[0][1] < 1 + 8 * matrices
    for file, counted in {saved[0], saved[len(saved) // 2]}:
        with database_on(server) as other:
            restore_backup(other, RestoreRequest(file=file))
            assert scalar(other, "SELECT count(*) FROM roundbook.matrix") == counted
            assert verify_record(other).differences == []
            logged = [entry for entry in list_events(other).events if entry.what == "matrix logged"]
            assert len(logged) == counted
