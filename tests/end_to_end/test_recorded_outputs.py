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

pytestmark = pytest.mark.one_server

# What is printed otherwise than recorded on purpose, and why: by command, then by path.
RENEWAL = "one rule and one set of sentences for all saved results; `result renew` renews them"
EVENTS = "events name a saved report as all results are named, and a published round's fingerprint"
FINGERPRINT = "a published round has a fingerprint"
ARCHIVE = "archives of version 3 hold saved results in one table"
TABLES = "result, result_input and matrix_run instead of plan, plan_estimate and drift_report"
MOVE = "the way out is the terminal's own sentence"
CHANGED_ON_PURPOSE: dict[str, dict[str, str]] = {
    "impact 1 --format json": {
        "out.dependents[12].name": RENEWAL,
    },
    "impact 21": {
        "out": RENEWAL,
    },
    "log web 2021 web-2021-corrected.csv --measure nDCG@10 --teams teams-2021.csv --revise 'Topic 2 was judged again' --format json": {  # noqa: E501
        "out.impact": RENEWAL,
        "err": RENEWAL,
    },
    "matrix withdraw 21 --reason 'Wrong topics'": {
        "err[5]": RENEWAL,
        "err[6]": RENEWAL,
        "err[8]": RENEWAL,
    },
    "impact 1 --format json # 2": {
        "out.dependents": RENEWAL,
    },
    "impact 21 --format json": {
        "out.dependents[4].why": RENEWAL,
        "out.dependents[4].renew": RENEWAL,
        "out.dependents[5].name": RENEWAL,
        "out.dependents[5].why": RENEWAL,
    },
    "impact 21 --format csv": {
        "out[5]": RENEWAL,
        "out[6]": RENEWAL,
    },
    "plan show next --format json # 2": {
        "out.renew": RENEWAL,
    },
    "plan show pairs": {
        "out[1]": RENEWAL,
        "out[3]": RENEWAL,
    },
    "report show drift 1 --format json # 2": {
        "out.why": RENEWAL,
    },
    "report show drift 1": {
        "out[79]": RENEWAL,
    },
    "report show web 1": {
        "out[58]": RENEWAL,
        "out[60]": RENEWAL,
    },
    "matrix restore 21 --reason 'They were right after all'": {
        "err[3]": RENEWAL,
    },
    "round publish draft d1": {
        "out": FINGERPRINT,
    },
    "log web 2022 tied.csv --measure nDCG@10 --revise 'To see' --dry-run": {
        "err[13]": RENEWAL,
    },
    "events --format json": {
        "out.events[62].details.report": EVENTS,
        "out.events[63].details.report": EVENTS,
        "out.events[64].details.report": EVENTS,
        "out.events[75].details.report": EVENTS,
    },
    "events --task web --round 2021": {
        "out": EVENTS,
    },
    "export whole.zip --format json": {
        "out.version": ARCHIVE,
    },
    "import whole.zip --database '{second}' --format json": {
        "out.version": ARCHIVE,
    },
    "impact 21 --database '{second}' --format json": {
        "out.dependents[5].renew": RENEWAL,
        "out.dependents[6].name": RENEWAL,
    },
    "events --database '{second}' --format json": {
        "out.events[62].details.report": EVENTS,
        "out.events[63].details.report": EVENTS,
        "out.events[64].details.report": EVENTS,
        "out.events[75].details.report": EVENTS,
    },
    "db backup record.dump --format json": {
        "out.tables": TABLES,
    },
    "db restore record.dump --replace --database '{second}' --format json": {
        "out.tables": TABLES,
    },
    "db move --to '{third}' --format json": {
        "out.tables": TABLES,
    },
    "db grant '{role}' --as reader --format json": {
        "out.grants": TABLES,
    },
    "db grant '{role}' --as service": {
        "out": TABLES,
    },
    "matrix withdraw 3 --reason 'For what rests on it'": {
        "err[5]": RENEWAL,
        "err[6]": RENEWAL,
        "err[7]": RENEWAL,
    },
    "result list web --stale --format json": {
        "out.results[1].why": RENEWAL,
    },
    "report show drift 9": {
        "err[0]": RENEWAL,
    },
    "db move --to '{second}'": {
        "err[0]": MOVE,
    },
}


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
