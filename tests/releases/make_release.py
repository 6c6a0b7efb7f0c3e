"""Make the dump of the current schema, to be kept for good when it is released.

    ROUNDBOOK_TEST_SERVER=$(tests/second_server start DIRECTORY) \\
        .venv/bin/python -m tests.releases.make_release
    tests/second_server stop DIRECTORY

Writes beside this file, named by the schema's revision, the record of a simulated campaign as
plain SQL (``0004.sql``), and what this version answers about it (``0004.json``). The server must
be the oldest PostgreSQL supported, so that every later one can load the dump.

``archive-1.zip`` and ``archive-2.zip`` are the campaign as archives of format versions 1 and 2,
each exported by the last Roundbook that wrote it. Before the format's version rises again, export
one of the version until then: `record_campaign`, then ``roundbook export``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from uuid import uuid4

from sqlalchemy import Engine, text
from sqlalchemy.engine import URL
from tests.releases.campaign import SEED, record_campaign
from tests.releases.questions import ask, questions

from roundbook.database.engine import make_engine, parse_url
from roundbook.database.schema import EXPECTED_REVISION, upgrade

HERE = Path(__file__).parent
OLDEST = 15
_HEADER = """\
-- Roundbook's schema as of revision {revision}, with a record in it.
-- All data is simulated (tests/releases/campaign.py, seed {seed}): no score of a real system.
-- Kept for good: never edit it, never make it again.

"""
# psql's own commands, which a server does not know.
_META = re.compile(r"^\\.*\n", re.MULTILINE)


def main() -> None:
    """Record the campaign, ask about it, and write both files."""
    server = parse_url(os.environ["ROUNDBOOK_TEST_SERVER"])
    revision = EXPECTED_REVISION
    name = f"release_{uuid4().hex}"
    _administer(server, f"CREATE DATABASE {name}")
    address = server.set(database=name)
    engine = make_engine(address)
    try:
        upgrade(engine)
        record_campaign(engine)
        _require_full(engine)
        answers = [
            {
                "question": question,
                "arguments": arguments,
                "answer": ask(engine, question, arguments),
            }
            for question, arguments in questions()
        ]
        dump = _HEADER.format(revision=revision, seed=SEED) + dump_record(address)
    finally:
        engine.dispose()
        _administer(server, f"DROP DATABASE {name} WITH (FORCE)")
    (HERE / f"{revision}.sql").write_text(dump, encoding="utf-8")
    (HERE / f"{revision}.json").write_text(json.dumps(answers, indent=1) + "\n", encoding="utf-8")


def dump_record(address: URL) -> str:
    """Return the record as plain SQL that any supported server loads in one go."""
    debian = f"/usr/lib/postgresql/{OLDEST}/bin/pg_dump"
    program = debian if Path(debian).exists() else shutil.which("pg_dump")
    assert program, "pg_dump is not installed"
    dumped = subprocess.run(
        [
            program,
            "--schema=roundbook",
            "--inserts",
            "--rows-per-insert=50",
            "--no-owner",
            "--no-privileges",
            f"--host={address.host}",
            f"--port={address.port}",
            f"--username={address.username}",
            f"--dbname={address.database}",
        ],
        env={**os.environ, "PGPASSWORD": address.password or ""},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=120,
    )
    return _META.sub("", dumped.stdout)


def _require_full(engine: Engine) -> None:
    """Refuse a campaign that leaves a table empty: its upgrade would show nothing."""
    with engine.connect() as connection:
        version = connection.execute(text("SHOW server_version_num")).scalar_one()
        assert int(version) // 10000 == OLDEST, f"the server must be PostgreSQL {OLDEST}"
        tables = connection.execute(
            text("SELECT tablename FROM pg_tables WHERE schemaname = 'roundbook'")
        ).scalars()
        empty = [
            table
            for table in tables
            if not connection.execute(text(f"SELECT count(*) FROM roundbook.{table}")).scalar_one()
        ]
    assert not empty, f"the campaign records nothing in {', '.join(sorted(empty))}"


def _administer(server: URL, statement: str) -> None:
    engine = make_engine(server)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(statement))
    engine.dispose()


if __name__ == "__main__":
    main()
