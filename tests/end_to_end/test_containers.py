"""What the containers start, started by hand: migration, token, service, health check, worker."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import yaml
from tests.databases import address_of

pytestmark = pytest.mark.one_server
ROOT = Path(__file__).parents[2]
COMMANDS = {
    name: one["command"]
    for name, one in yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"].items()
    if "command" in one
}
HEALTH = re.search(r"HEALTHCHECK.*?CMD (\[.*?\])\n", (ROOT / "Dockerfile").read_text(), re.DOTALL)[
    1
]


def healthy(port):
    """Return whether the image's health check finds a service well that listens on a port."""
    python, option, program = json.loads(HEALTH)
    assert python == "python"
    words = [sys.executable, option, program.replace(":8765/", f":{port}/")]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def end(running):
    running.send_signal(signal.SIGTERM)  # as an engine ends a container
    out, err = running.communicate(timeout=60)
    assert "Traceback" not in out + err
    return err


@pytest.mark.long
def test_the_commands_of_the_containers(bare, start, process):
    address = address_of(bare.url)
    settings = {"database_url": address, "data_dir": "/nonexistent/roundbook"}
    service = [*COMMANDS["service"], "--port", "0"]

    assert process(*service, **settings).code == 3  # before the migration
    assert process(*COMMANDS["migration"], **settings).code == 0
    assert process(*COMMANDS["migration"], **settings).code == 0  # at every later start
    assert "roundbook token create" in process(*service, **settings).refusal()
    made = process(
        "token",
        "create",
        "organiser",
        "--scope",
        "admin",
        **settings,
    )
    assert made.code == 0

    running = start(*service, **settings)
    try:
        line = running.stderr.readline()
        port = int(re.fullmatch(r"Serving on http://0\.0\.0\.0:(\d+) .*\n", line)[1])
        assert healthy(port)
        assert urlopen(f"http://127.0.0.1:{port}/healthz").read() == b"ok\n"
    finally:
        end(running)
    assert running.returncode == 0
    assert not healthy(port)

    working = start(*COMMANDS["worker"], **settings)
    try:
        assert working.stderr.readline().startswith("Taking jobs")
    finally:
        end(working)
    assert COMMANDS["roundbook"] == ["--help"]
