"""``roundbook export`` and ``import`` at the terminal."""

from __future__ import annotations

import hashlib
import os
import re
import signal
import subprocess
import sys
import zipfile

import pytest
from tests.databases import address_of, database_on

pytestmark = pytest.mark.usefixtures("committed")

SECOND = "topic,a,b\n1,0.5,0.25\n2,0.75,0.5\n"


@pytest.fixture
def database(server, campaign):
    """The address of a campaign of the test's own."""
    with database_on(server, f"TEMPLATE {campaign} STRATEGY FILE_COPY") as engine:
        yield engine.url


@pytest.fixture
def exported(roundbook, database, tmp_path):
    file = tmp_path / "web.zip"
    about = roundbook("export", file, "--task", "web", "--format", "json").json
    return file, about


@pytest.mark.one_server
@pytest.mark.long
def test_export_says_what_is_in_it(exported):
    file, about = exported
    assert about["archive"] == str(file)
    assert about["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert about["bytes"] == file.stat().st_size
    assert (about["version"], about["whole"], about["tasks"]) == (4, False, ["web"])
    assert (about["rounds"], about["matrices"], about["plans"]) == (3, 11, 2)
    with zipfile.ZipFile(file) as content:
        assert content.testzip() is None
        assert about["events"] == content.read("event.csv").count(b"\n") - 1


@pytest.mark.one_server
@pytest.mark.long
def test_tables_and_csv_on_stdout_and_talk_on_stderr(roundbook, exported, tmp_path):
    shown = roundbook("export", tmp_path / "all.zip")
    assert shown.code == 0
    assert "web, speech" in shown.out
    assert f"SHA-256 {hashlib.sha256((tmp_path / 'all.zip').read_bytes()).hexdigest()}" in shown.out
    (row,) = roundbook("export", tmp_path / "b.zip", "--format", "csv").table
    assert (row["tasks"], row["matrices"], row["scores"]) == ("web, speech", "11", "984")


@pytest.mark.one_server
@pytest.mark.long
def test_import_elsewhere_and_again(roundbook, exported, bare, tmp_path, write):
    file, about = exported
    there = address_of(bare.url)
    assert "roundbook db upgrade" in roundbook("import", file, "--database", there).refusal(3)
    assert roundbook("db", "upgrade", "--database", there).code == 0
    log = ("log", "mine", "r1", write(SECOND), "--measure", "AP", "--create")
    assert roundbook(*log, "--database", there).code == 0
    imported = roundbook("import", file, "--database", there, "--format", "json").json
    assert imported.pop("software").startswith("roundbook ")
    assert imported == about
    again = tmp_path / "again.zip"
    assert roundbook("export", again, "--task", "web", "--database", there).code == 0
    assert again.read_bytes() == file.read_bytes()
    refused = roundbook("import", file, "--database", there).refusal()
    assert refused == (
        "The record has a task of this name already: 'web'. Import the archive into another"
        " database; tasks are never merged."
    )
    (event,) = roundbook(
        "events", "--what", "archive imported", "--database", there, "--format", "json"
    ).json["events"]
    assert event["details"]["sha256"] == about["sha256"]


@pytest.mark.one_server
@pytest.mark.long
def test_refusals_are_one_sentence(roundbook, exported, tmp_path, write):
    file, _ = exported
    assert "overwrite it by --force" in roundbook("export", file).refusal()
    assert roundbook("export", file, "--force").code == 0
    assert "no task 'none'" in roundbook("export", tmp_path / "x", "--task", "none").refusal()
    assert "not a stream" in roundbook("export", "-").refusal()
    assert "no zip file" in roundbook("import", write(SECOND)).refusal()
    assert "No such file" in roundbook("import", tmp_path / "none.zip").refusal()
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)
    assert re.search(r"web\.zip/[a-z0-9_/]+\.csv: ", roundbook("import", file).refusal())


KILLED = """
import os, signal, sys
from roundbook.transfer.archive import exporting
exporting.load_matrix = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from roundbook_cli.entry_point import main
main()
"""


@pytest.mark.one_server
@pytest.mark.long
def test_a_killed_export_leaves_no_file_of_the_name_asked_for(exported, address, tmp_path):
    target = tmp_path / "killed.zip"
    for program, code in (
        (KILLED, -signal.SIGKILL),
        ("from roundbook_cli.entry_point import main; main()", 0),
    ):
        assert not target.exists()
        done = subprocess.run(
            [sys.executable, "-c", program, "export", str(target)],
            env={**os.environ, "ROUNDBOOK_DATABASE_URL": address},
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == code, done
    assert zipfile.is_zipfile(target)
