"""Settings: what an empty environment variable means."""

from __future__ import annotations

import pytest

from roundbook.errors import InputError
from roundbook.settings import Settings, load_settings

DEFAULTS = {"DATABASE_URL": None, "LOCK_TIMEOUT": 30, "CONNECT_TIMEOUT": 10, "DEBUG": False}


@pytest.fixture
def file(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    path.touch()
    monkeypatch.setenv("ROUNDBOOK_CONFIG", str(path))
    for name in Settings.model_fields:
        monkeypatch.delenv(f"ROUNDBOOK_{name.upper()}", raising=False)
    return path


@pytest.fixture
def loaded():
    load_settings.cache_clear()
    yield load_settings
    load_settings.cache_clear()


def test_an_empty_variable_is_an_unset_one(file, loaded, monkeypatch):
    plain = loaded()
    for name in Settings.model_fields:
        monkeypatch.setenv(f"ROUNDBOOK_{name.upper()}", "")
    load_settings.cache_clear()
    assert loaded() == plain == Settings()
    assert {name: getattr(plain, name.lower()) for name in DEFAULTS} == DEFAULTS
    file.write_text('database_url = "postgresql://a@b/c"\nuser = "Ann"\n')
    load_settings.cache_clear()
    settings = loaded()
    assert settings.database_url.get_secret_value() == "postgresql://a@b/c"
    assert settings.user == "Ann"
    monkeypatch.setenv("ROUNDBOOK_USER", "Bea")
    load_settings.cache_clear()
    assert loaded().user == "Bea"
    file.write_text("user = Ann")
    load_settings.cache_clear()
    with pytest.raises(InputError, match=r"config\.toml cannot be read: "):
        loaded()


def test_a_file_that_is_named_must_be_there(file, loaded, tmp_path, monkeypatch):
    assert loaded().user
    for name in (tmp_path / "confg.toml", tmp_path):
        load_settings.cache_clear()
        monkeypatch.setenv("ROUNDBOOK_CONFIG", str(name))
        with pytest.raises(InputError, match=f"no settings file '{name}', which ROUNDBOOK_CONFIG"):
            loaded()


def test_a_name_in_the_file_that_is_no_setting_is_refused(file, loaded):
    """A slip would leave the record that was meant."""
    file.write_text(
        'databse_url = "postgresql://a@b/c"\nROUNDBOOK_USER = "Ann"\nlock_timeout = 5\n'
    )
    with pytest.raises(InputError, match="no such setting; there are database_url, ") as caught:
        loaded()
    assert f"{file} has 'databse_url', 'ROUNDBOOK_USER': " in str(caught.value)


def test_a_timeout_that_no_server_takes(file, loaded, monkeypatch):
    monkeypatch.setenv("ROUNDBOOK_LOCK_TIMEOUT", "9" * 22)
    with pytest.raises(InputError, match="ROUNDBOOK_LOCK_TIMEOUT: should be less") as caught:
        loaded()
    assert str(caught.value).endswith(f"They come from the environment or from {file}.")


def test_a_file_that_is_not_there_is_not_named(loaded, tmp_path, monkeypatch):
    monkeypatch.delenv("ROUNDBOOK_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("ROUNDBOOK_LOCK_TIMEOUT", "0")
    with pytest.raises(InputError, match=r"They come from the environment\.$"):
        loaded()


@pytest.mark.parametrize("user", ["\x1b[31mAnn", "Ann\nBob", "n" * 201])
def test_a_user_that_no_list_could_show(file, loaded, monkeypatch, user):
    monkeypatch.setenv("ROUNDBOOK_USER", user)
    with pytest.raises(InputError, match=r"ROUNDBOOK_USER: .* one printable line") as caught:
        loaded()
    assert "\x1b" not in str(caught.value)
