"""Every command prints what it printed when its output was recorded."""

from __future__ import annotations

import pytest
from tests.recorded.campaign import write_files
from tests.recorded.commands import COMMANDS
from tests.recorded.outputs import (
    USER,
    empty_databases,
    first_difference,
    read_recording,
    run_commands,
)

# What is printed otherwise than recorded on purpose, and why: by command, then by path.
CHANGED_ON_PURPOSE: dict[str, dict[str, str]] = {}


@pytest.fixture
def printed(command, server, tmp_path, monkeypatch):
    """What the recorded commands print today, by name."""
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ROUNDBOOK_USER", USER)
    address = server.set(drivername="postgresql").render_as_string(hide_password=False)
    with empty_databases(address) as databases:
        monkeypatch.setenv("ROUNDBOOK_DATABASE_URL", databases.first)
        return run_commands(COMMANDS, lambda arguments: command(*arguments), databases)


def test_every_command_prints_what_was_recorded(printed):
    recorded = read_recording()
    assert list(printed) == list(recorded), "record the new commands: tests.recorded.record_outputs"
    differences = [
        f"roundbook {name}\n    {difference}"
        for name, output in recorded.items()
        if (difference := first_difference(output, printed[name], CHANGED_ON_PURPOSE.get(name, ())))
    ]
    if differences:
        pytest.fail("\n".join(differences), pytrace=False)
