"""A person at the terminal whose command lines work on a test's own engine."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import NamedTuple

import pytest

from roundbook.logbook import record
from roundbook.settings import load_settings
from roundbook_cli.main import run


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        assert self.code == 0, self
        return json.loads(self.out)


@pytest.fixture
def terminal(engine, monkeypatch, capsys):
    """Run a command line in this process as the user eve; return what it printed."""

    @contextmanager
    def open_record(*_):
        yield engine

    monkeypatch.setattr(record, "open_record", open_record)
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
