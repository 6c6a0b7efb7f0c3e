"""Settings: what an empty environment variable means."""

from __future__ import annotations

import pytest

from service.settings import Settings

DEFAULTS = {"DATABASE_URL": None, "LOCK_TIMEOUT": 30, "CONNECT_TIMEOUT": 10, "DEBUG": False}


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    monkeypatch.setenv("ROUNDBOOK_CONFIG", str(path))
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ROUNDBOOK_{name.upper()}", raising=False)
    return path


def test_an_empty_variable_is_an_unset_one(file, monkeypatch):
    plain = Settings()
    for name in Settings.model_fields:
        monkeypatch.setenv(f"ROUNDBOOK_{name.upper()}", "")
    assert Settings() == plain
    assert {name: getattr(plain, name.lower()) for name in DEFAULTS} == DEFAULTS
    file.write_text('database_url = "postgresql://a@b/c"\nuser = "Ann"\n')
    found = Settings()
    assert found.database_url.get_secret_value() == "postgresql://a@b/c"
    assert found.user == "Ann"
