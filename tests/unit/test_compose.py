"""The compose file and the image say what their users rely on (there is no engine here to run)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_compose():
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    services = compose["services"]
    database = services["database"]
    assert "pg_isready" in database["healthcheck"]["test"]
    (volume,) = database["volumes"]
    assert volume.split(":")[0] in compose["volumes"]
    assert database["environment"]["POSTGRES_PASSWORD"].startswith("${ROUNDBOOK_DB_PASSWORD:?")
    # What runs our program writes nowhere but in /tmp, may do nothing more, and has no password in
    # an address.
    ours = {name: one for name, one in services.items() if name != "database"}
    assert set(ours) == {"migration", "service", "worker", "roundbook"}
    for one in ours.values():
        assert one["build"] == "."
        assert one["read_only"]
        assert one["tmpfs"] == ["/tmp"]
        assert one["cap_drop"] == ["ALL"]
        assert one["security_opt"] == ["no-new-privileges:true"]
        assert "PASSWORD" not in one["environment"]["ROUNDBOOK_DATABASE_URL"]
        assert one["environment"]["PGPASSWORD"].startswith("${ROUNDBOOK_DB_PASSWORD:?")
    # The schema is brought up to date once, before whatever uses it, on a database that answers.
    assert ours["migration"]["restart"] == "no"
    assert ours["migration"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    for name in ("service", "worker", "roundbook"):
        assert ours[name]["depends_on"] == {
            "migration": {"condition": "service_completed_successfully"}
        }
    # The image's health check asks the service; no other container has one to be asked.
    assert "healthcheck" not in ours["service"]
    assert all(ours[name]["healthcheck"]["disable"] for name in set(ours) - {"service"})
    published = [port for one in services.values() for port in one.get("ports", [])]
    assert len(published) == 2
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_image():
    lines = (ROOT / "Dockerfile").read_text().replace("\\\n", "").splitlines()
    instructions = [tuple(line.split(maxsplit=1)) for line in lines if line and line[0].isalpha()]
    last = dict(instructions)
    assert last["USER"].isdigit()
    assert int(last["USER"]) > 0
    assert json.loads(last["ENTRYPOINT"]) == ["roundbook"]
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    service = compose["services"]["service"]
    assert json.loads(last["CMD"]) == service["command"]
    # One port, listened on, published and asked.
    assert service["ports"][0].endswith(f":{last['EXPOSE']}")
    assert f"127.0.0.1:{last['EXPOSE']}/readyz" in last["HEALTHCHECK"]
    # What is copied into it is let through.
    ignored = (ROOT / ".dockerignore").read_text().split()
    copied = [rest.split() for instruction, rest in instructions if instruction == "COPY"]
    for name in (name for words in copied if words[0][0] != "-" for name in words[:-1]):
        assert f"!{name.removeprefix('./')}" in ignored
        assert (ROOT / name).exists()
    assert re.search(r"--constraint constraints.txt +'\.\[serve\]'", "\n".join(lines))
