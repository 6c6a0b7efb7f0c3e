"""A data directory that several machines or containers can reach is used by one at a time."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from roundbook.database.server_library import _put
from roundbook.embedded import locks, server
from roundbook.embedded.locks import use_here
from roundbook.embedded.server import running_address
from roundbook.errors import DatabaseUnreachableError

HERE = {"name": "alpha", "boot": "1", "processes": "pid:[1]"}
RENAMED = HERE | {"name": "beta"}
RESTARTED = HERE | {"boot": "2", "processes": "pid:[7]"}
CONTAINER = HERE | {"processes": "pid:[9]"}
ELSEWHERE = {"name": "gamma", "boot": "3", "processes": "pid:[1]"}


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "postgres"
    path.mkdir()
    return path


@pytest.fixture
def use(directory, monkeypatch):
    """Use the directory as this or that machine."""

    def use(facts):
        monkeypatch.setattr(locks, "_here", lambda: facts)
        return use_here(directory)

    return use


def test_one_machine_at_a_time(use, directory):
    with use(HERE), use(HERE):
        for other in (ELSEWHERE, CONTAINER):
            with pytest.raises(DatabaseUnreachableError) as caught, use(other):
                pass
            assert f"The embedded server in {directory} is in use on 'alpha'" in str(caught.value)
            assert "ROUNDBOOK_DATABASE_URL" in str(caught.value)
    with use(ELSEWHERE), pytest.raises(DatabaseUnreachableError, match="'gamma'"), use(HERE):
        pass


def test_a_server_that_another_machine_may_have_left_running(use, directory):
    with use(HERE):
        (directory / "postmaster.pid").touch()
    for same in (RESTARTED, HERE, RENAMED, CONTAINER):
        with use(same), use(same):
            pass
    with pytest.raises(DatabaseUnreachableError) as caught, use(ELSEWHERE):
        pass
    lock = directory.with_name("postgres.machine")
    assert str(caught.value).endswith(f"make sure that it does not and delete {lock}.")
    lock.unlink()
    with use(ELSEWHERE):
        assert json.loads(lock.read_text())["name"] == "gamma"


@pytest.mark.parametrize("content", ["", "{", "[1]", '{"name": 1}'])
def test_a_file_that_cannot_be_read_keeps_nobody_out(use, directory, content):
    directory.with_name("postgres.machine").write_text(content)
    with use(HERE):
        pass


def test_the_list_of_users_is_written_on_a_full_disk():
    with tempfile.TemporaryDirectory() as room:
        users = SimpleNamespace(path=Path(room) / "users.json")
        users.path.write_text("[123456, 7]")
        (Path(room) / "users.new").symlink_to("/dev/full")
        _put(users, [7])
        assert json.loads(users.path.read_text()) == [7]
        _put(users, [7, 123456, 99])
        assert [file.name for file in Path(room).iterdir()] == ["users.json"]


def test_a_server_that_still_starts_has_no_address_yet(directory, monkeypatch):
    """Its file has no sockets at first: a client would connect to the machine's own server."""
    monkeypatch.setattr(server, "_is_server", lambda *_: True)
    file = directory / "postmaster.pid"
    assert running_address(directory) is None
    started = ["77", str(directory), "1764400000", "5432", ""]
    file.write_text("\n".join(started) + "\n")
    assert running_address(directory) is None
    started[4:] = [str(directory), "", "5432001 7", "starting"]
    file.write_text("\n".join(started) + "\n")
    assert running_address(directory) is None
    file.write_text("\n".join([*started[:7], "ready   "]) + "\n")
    address = running_address(directory)
    assert (
        address == f"postgresql://postgres@/postgres?{urlencode({'host': directory, 'port': 5432})}"
    )
