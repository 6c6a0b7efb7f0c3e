"""The compose file says what its users rely on (there is no engine here to run it)."""

from __future__ import annotations

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_compose():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    database = compose["services"]["database"]
    assert "pg_isready" in database["healthcheck"]["test"]
    (volume,) = database["volumes"]
    assert volume.split(":")[0] in compose["volumes"]
    assert database["environment"]["POSTGRES_PASSWORD"].startswith("${ROUNDBOOK_DB_PASSWORD:?")
    assert all(port.startswith("127.0.0.1:") for port in database["ports"])
    tool = compose["services"]["roundbook"]
    assert tool["depends_on"]["database"]["condition"] == "service_healthy"
    assert "PASSWORD" not in tool["environment"]["ROUNDBOOK_DATABASE_URL"]
