"""A hot standby: what reads works there as on its primary, what writes is refused in a sentence."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from tests.databases import address_of, scalar
from tests.factories import create_task, list_events
from tests.releases.campaign import record_campaign
from tests.waiting import wait_until

from roundbook.database.engine import make_engine, parse_url, unit_of_work
from roundbook.database.programs import find_program
from roundbook.database.schema import upgrade
from roundbook.database.server_library import load_library, target_version
from roundbook.embedded import upgrade as servers
from roundbook.embedded.server import embedded_server
from roundbook.logbook.events import record_event
from roundbook.logbook.session import Session

READING = """
task list
round list web
round verify web 2023
matrix list web --all
matrix show 1
matrix history 1
impact 1
variance show web --measure nDCG@10 --assessments official
variance history web --assessments official
factors show web 2023 --measure nDCG@10
standardise web 2023 --measure nDCG@10
rank web 2023 --measure nDCG@10
generalisability web --measure nDCG@10 --round 2023 --assessments official
plan --task web --measure nDCG@10 --assessments official --m 5 --min-d 0.1
drift web --measure nDCG@10 --assessments official
drift web --measure nDCG@10 --assessments official --curve
result list web
result show 'next web'
report list
events
db current
db verify
"""
WRITING = """
task create other
round create web later
round publish web 2024
matrix withdraw 1 --reason typo
variance record web 2026 --measure P@5 --value .1 --runs 5 --topics 9 --source paper --create
factors fit web 2023 --measure nDCG@10 --reason typo
plan save again --task web --measure nDCG@10 --assessments official --m 5 --min-d 0.1
result renew 'next web'
"""


@pytest.fixture
def standby(data_dir):
    """Yield the addresses of a server with the campaign and of its standby."""
    with embedded_server(data_dir / "postgres") as primary:
        engine = make_engine(parse_url(primary))
        upgrade(engine)
        record_campaign(engine)
        copy, sockets = data_dir / "standby", data_dir / "sockets"
        version = target_version()
        user = load_library().PostgresServer(data_dir / "postgres").system_user
        backup = str(find_program("pg_basebackup", version))
        host = engine.url.query["host"]
        source = ["--host", host, "--username", "postgres", "--checkpoint=fast", "--no-sync"]
        subprocess.run([backup, *source, "--write-recovery-conf", "-D", copy], check=True)
        sockets.mkdir()
        if user is not None:
            for path in (copy, sockets, *copy.rglob("*")):
                shutil.chown(path, user)
        options = f"-h '' -k {sockets}"
        servers._control(copy, version, "-l", str(copy / "log"), "-o", options, "start")
        try:
            yield engine, f"postgresql://postgres@/postgres?host={sockets}"
        finally:
            engine.dispose()
            servers._control(copy, version, "-m", "fast", "stop")


@pytest.mark.long
def test_a_standby_answers_and_takes_no_change(standby, command, data_dir):
    primary, address = standby
    engine = make_engine(parse_url(address))
    last = list_events(primary).events[-1].event
    with unit_of_work(primary) as under_way:
        record_event(Session(under_way), "under way")
        create_task(primary, "late")
        wait_until(
            lambda: scalar(engine, "SELECT count(*) FROM roundbook.task WHERE name = 'late'")
        )
        # Who follows the events of a standby misses none either.
        assert list_events(engine, after=last).events == []
    engine.dispose()
    here = address_of(primary.url)
    for line in READING.strip().splitlines():
        words = shlex.split(line)
        there = command("--database", address, *words)
        assert there.code == 0, (line, there)
        assert there.out == command("--database", here, *words).out, line
    checked = command("db", "check", "--format", "json", "--database", address).json
    assert checked["standby"]
    assert not command("db", "check", "--format", "json", "--database", here).json["standby"]
    assert "is a standby" in command("db", "check", "--database", address).out
    for words in (
        ("export", data_dir / "campaign.zip"),
        ("db", "backup", data_dir / "campaign.dump"),
    ):
        done = command(*words, "--database", address)
        assert done.code == 0, done
    for line in WRITING.strip().splitlines():
        refused = command("--database", address, *shlex.split(line))
        assert refused.code == 1, (line, refused)
        assert "is read-only; nothing was written" in refused.refusal(1), line
