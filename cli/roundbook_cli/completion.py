"""What a shell offers after Tab: the names of tasks, rounds, measures and saved results.

They come from a server that is up, else from a file that the last command that a person ran on this
record wrote; no server is started for them.
"""

from __future__ import annotations

import json
import os
import shlex
import time
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from roundbook.errors import RoundbookError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from roundbook.settings import Settings

_FRESH_SECONDS = 60
_WAITED_SECONDS = 2  # the longest that a person waits for a server while typing
Kind = Literal["task", "rounds", "measures", "results", "plans"]


def offer(kind: Kind) -> Callable[[typer.Context, str], list[str]]:
    """Return the function that completes an argument or option with names of a kind."""

    def complete(ctx: typer.Context, incomplete: str) -> list[str]:
        with suppress(RoundbookError, OSError, ValueError, KeyError, TypeError):
            names = _names(ctx)
            if kind in ("results", "plans"):
                offered = names[kind]
            elif kind == "task":
                offered = [task["task"] for task in names["tasks"]]
            else:
                # The command line is not parsed before it is whole.
                line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
                typed = _words(line)
                named = [task for task in names["tasks"] if task["task"] in typed]
                tasks = named or names["tasks"]
                offered = list(dict.fromkeys(name for task in tasks for name in task[kind]))
            # bash inserts a name as it is, other shells quote it.
            quote = shlex.quote if "bash" in os.environ.get("_ROUNDBOOK_COMPLETE", "") else str
            return [quote(name) for name in offered if name.startswith(incomplete)]
        return []

    return complete


def _words(line: str) -> list[str]:
    """Return the words of a command line, of which the last may lack its closing quote."""
    for quote in ("", "'", '"'):
        with suppress(ValueError):
            return shlex.split(line + quote)
    return line.split()


BY_METAVAR = {"TASK": offer("task"), "ROUND": offer("rounds"), "M": offer("measures")}


def note_names(engine: Engine, settings: Settings, address: str | None) -> None:
    """Write the names of a record to a file for later, unless something prevents it."""
    from roundbook.logbook.completion_names import list_names
    from roundbook.logbook.session import begin

    with suppress(RoundbookError, OSError), begin(engine, one_snapshot=True) as session:
        file, content = _file(settings, address), list_names(session).model_dump_json()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(content, encoding="utf-8")
        part.replace(file)


def _names(context: typer.Context) -> dict[str, Any]:
    from roundbook.settings import load_settings

    settings = load_settings()
    address = context.params.get("database") or context.find_root().params.get("database")
    file = _file(settings, address)
    fresh = file.exists() and time.time() - file.stat().st_mtime < _FRESH_SECONDS
    if not fresh:
        from roundbook.logbook.session import record_if_up

        with record_if_up(settings, address, seconds=_WAITED_SECONDS) as engine:
            if engine is not None:
                note_names(engine, settings, address)
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return read


def _file(settings: Settings, address: str | None) -> Path:
    """Return the file with the names of a record; its own name reveals no password."""
    import platformdirs

    url = address or (settings.database_url.get_secret_value() if settings.database_url else None)
    record = (
        str(settings.data_dir.expanduser().resolve()) if url is None else url.rpartition("@")[2]
    )
    key = sha256(record.encode()).hexdigest()[:16]
    return platformdirs.user_cache_path("roundbook") / f"names-{key}.json"
