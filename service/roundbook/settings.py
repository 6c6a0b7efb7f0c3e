"""The settings: from the environment, else from the settings file, else the default."""

from __future__ import annotations

import getpass
import os
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, field_validator

from roundbook.errors import InputError
from roundbook.limits import LARGEST_FILE

_Seconds = Annotated[int, Field(gt=0, le=1_000_000)]


def _data_dir() -> Path:
    # PostgreSQL refuses to run as root, so root's server runs as another user, who could not
    # (and should not) look into root's home.
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Path("/var/lib/roundbook")
    return platformdirs.user_data_path("roundbook")


def _user() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # a container's user id without a name
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"


class Settings(BaseModel):
    """All settings; each can be set by the environment variable ``ROUNDBOOK_<NAME>``."""

    model_config = ConfigDict(frozen=True, validate_default=True)

    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL 15 or later, as postgresql://user:password@host:port/database;"
        " unset means the embedded server.",
    )
    data_dir: Path = Field(
        default_factory=_data_dir, description="Where the embedded server keeps its data."
    )
    max_file_bytes: int = Field(
        default=LARGEST_FILE,
        gt=0,
        description="Largest file read or sent, also unpacked, in bytes.",
    )
    connect_timeout: _Seconds = Field(
        default=10, description="Seconds to wait for a server to answer."
    )
    lock_timeout: _Seconds = Field(
        default=30, description="Seconds to wait for somebody else's lock."
    )
    worker_timeout: _Seconds = Field(
        default=30,
        description="Seconds without a sign of life after which another worker takes up a job.",
    )
    proxies: str = Field(
        default="",
        description="Addresses of the proxies before the service, with commas between: whom they"
        " say that they ask for (X-Forwarded-For, X-Forwarded-Proto) is believed. None by default.",
    )
    user: str = Field(default_factory=_user, description="The name recorded beside each entry.")
    debug: bool = Field(default=False, description="Show tracebacks.")

    @field_validator("user")
    @classmethod
    def _check_user(cls, user: str) -> str:
        if not user.isprintable() or len(user) > 200:
            raise ValueError("a name is one printable line of at most 200 characters")
        return user


def read_settings() -> Settings:
    """Return the settings, read from the environment, the settings file (TOML) and the defaults.

    Raises
    ------
    InputError
        Naming each setting that cannot be used and where it came from; or when ``ROUNDBOOK_CONFIG``
        names no file, or the file a setting that there is not: without what was meant, another
        database would be used.
    """
    chosen = os.environ.get("ROUNDBOOK_CONFIG")
    file = Path(chosen) if chosen else platformdirs.user_config_path("roundbook") / "config.toml"
    if chosen and (not file.exists() or file.is_dir()):
        raise InputError(
            f"There is no settings file '{chosen}', which ROUNDBOOK_CONFIG names; mend the path, or"
            " unset it."
        )
    variables = {
        name: os.environ.get(f"ROUNDBOOK_{name.upper()}") for name in Settings.model_fields
    }
    in_file = _in_file(file) if file.is_file() else {}
    try:
        # An empty variable counts as not set.
        return Settings(**in_file | {name: value for name, value in variables.items() if value})
    except ValidationError as error:
        faults = "; ".join(
            f"{'ROUNDBOOK_' + '_'.join(map(str, fault['loc'])).upper()}: "
            + fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
            for fault in error.errors(include_input=False)
        )
        raise InputError(
            f"The settings cannot be used: {faults}. They come from the environment"
            f"{f' or from {file}' if file.exists() else ''}."
        ) from None


def _in_file(file: Path) -> dict[str, Any]:
    import tomllib  # noqa: PLC0415  # every command starts here, mostly without a file

    try:
        in_file = tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"The settings file {file} cannot be read: {error}.") from None
    if unknown := [name for name in in_file if name not in Settings.model_fields]:
        raise InputError(
            f"The settings file {file} has {', '.join(map(repr, unknown))}: there is no such"
            f" setting; there are {', '.join(Settings.model_fields)}."
        )
    return in_file


load_settings = lru_cache(read_settings)  # those of one command, which do not change
