"""`serve --demo`: the demonstration's data as pages and over HTTP, and nothing left of it."""

from __future__ import annotations

import json
import re
import signal
import sys
import tempfile
from pathlib import Path
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.one_server


@pytest.mark.slow
def test_the_demonstration_is_served_and_thrown_away(start, monkeypatch):
    # Not in pytest's own directory, which a server that runs as another user cannot enter.
    with tempfile.TemporaryDirectory(prefix="roundbook-test-") as directory:
        Path(directory).chmod(0o755)
        monkeypatch.setenv("TMPDIR", directory)
        running = start("serve", "--demo", "--port", "0")
        try:
            assert running.stderr.readline().startswith("Making the demonstration's record")
            # Its worker may come first.
            lines = (running.stderr.readline() for _ in range(2))
            line = next(line for line in lines if line != "Taking jobs.\n")
            address = re.fullmatch(r"Serving on (http://127\.0\.0\.1:\d+) .*\n", line)[1]
            page = urlopen(f"{address}/task?task=simulated").read().decode()
            rounds = json.load(urlopen(f"{address}/api/v1/rounds?task=simulated"))["rounds"]
            results = json.load(urlopen(f"{address}/api/v1/results?task=simulated"))["results"]
        finally:
            running.send_signal(signal.SIGTERM)
            _, err = running.communicate(timeout=60)
        assert "AGED" in page
        assert [(one["round"], one["status"]) for one in rounds] == [
            ("round1", "published"),
            ("round2", "published"),
            ("round3", "draft"),
            ("round4", "draft"),
        ]
        assert {one["kind"]: one["name"] for one in results} == {
            "plan": "next-round",
            "drift": "simulated/drift-1",
        }
        assert not any(one["stale"] for one in results)
        assert "Traceback" not in err
        assert running.returncode == 0
        assert list(Path(directory).glob("roundbook-demo-*")) == []


@pytest.mark.parametrize(
    "words", [("--require-token",), ("--host", "0.0.0.0"), ("--database", "postgresql://x/y")]
)
def test_it_serves_no_other_record_and_no_other_machine(command, words):
    refused = command("serve", "--demo", *words)
    assert refused.code == 2
    assert "--demo serves a record of its own" in " ".join(refused.err.split())


def test_without_the_libraries_of_a_service_the_extra_is_named(command, monkeypatch):
    monkeypatch.delitem(sys.modules, "roundbook.api.callers", raising=False)
    monkeypatch.setitem(sys.modules, "fastapi", None)
    refused = command("serve", "--demo")
    assert refused.code == 1
    assert refused.err == "Error: A service needs fastapi: pip install 'roundbook[serve]'\n"
