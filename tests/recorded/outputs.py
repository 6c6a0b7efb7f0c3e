"""What commands print: run in order, freed of what differs between runs, and compared."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import psycopg
from psycopg import sql
from sqlalchemy import make_url
from tests.recorded.commands import Command

RECORDING = Path(__file__).with_name("outputs.json")
# What is printed today where it is otherwise than in `RECORDING` on purpose, by command and path.
TODAY = Path(__file__).with_name("today.json")
USER = "organiser"
RELATIVE_TOLERANCE = 1e-12
# Sums that cancel leave rounding errors of scores, which are of order 1, instead of 0.
ABSOLUTE_TOLERANCE = 1e-15

Output = dict[str, Any]  # code: exit code; out: parsed JSON, else lines; err: lines
Run = Callable[[Sequence[str]], tuple[int, str, str]]

_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|\+00:00| UTC)?")
_VERSION = re.compile(r"\broundbook \d+\.\d+\.\d+\S*?(?=[\s\",;)]|$)")
_SCHEMA_REVISION = re.compile(r"(?<![\w.])0\d{3}(?![\w.])")
_PSEUDONYM = re.compile(r"\b(?:team\d+-run\d+|run\d+)\b")
_CHECKSUM_OF_ARCHIVE = re.compile(r"(?<=SHA-256 )[0-9a-f]{64}")
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_NUMBER = re.compile(r"(-?(?<![\w.])\d+\.\d+(?:[eE][-+]?\d+)?(?![\w.]))")
# An archive and a backup hold times and secret keys, so their bytes differ between runs.
_VARYING_KEYS = {
    "export": ("bytes", "sha256"),
    "import": ("bytes", "sha256"),
    "db": ("bytes", "postgresql", "postgresql_from", "postgresql_to", "fingerprint"),
    "events": ("bytes", "sha256"),
}
_VARYING = "{varies}"


class Databases(NamedTuple):
    """The addresses of three empty databases, and a role without rights."""

    first: str
    second: str
    third: str
    role: str


@contextmanager
def empty_databases(server: str) -> Iterator[Databases]:
    """Create three databases and a role on the server of this address, and drop them again."""
    names = [f"recorded_{uuid4().hex}" for _ in range(4)]
    *bases, role = map(sql.Identifier, names)
    with psycopg.connect(server, autocommit=True) as connection:
        for base in bases:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(base))
        connection.execute(sql.SQL("CREATE ROLE {}").format(role))
    first, second, third = (
        make_url(server).set(database=name).render_as_string(hide_password=False)
        for name in names[:3]
    )
    try:
        yield Databases(first, second, third, names[3])
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            for base in bases:
                connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(base))
            connection.execute(sql.SQL("DROP ROLE {}").format(role))


def run_commands(commands: Sequence[Command], run: Run, databases: Databases) -> dict[str, Output]:
    """Run commands in order and return their normalised outputs by name.

    Parameters
    ----------
    commands : sequence of Command
    run : callable
        Runs a command line on the first of the databases, in a directory with the files of
        `campaign`, and returns its exit code, standard output and standard error.
    databases : Databases
    """
    return {command.name: _run(command, run, databases) for command in commands}


def _run(command: Command, run: Run, databases: Databases) -> Output:
    values = databases._asdict()
    names = {value: f"{{{name}}}" for name, value in values.items()}
    arguments = [argument.format(**values) for argument in command.arguments]
    before = datetime.now(UTC)
    code, out, err = run(arguments)
    days = {f"{now:%Y-%m-%d}" for now in (before, datetime.now(UTC))}
    out, err = (_normalise(text, names, days) for text in (out, err))
    if "--anonymous" not in arguments:  # there they do not vary, see `campaign`
        out = _PSEUDONYM.sub("{pseudonym}", out)
    return {
        "code": code,
        "out": _parse(out, _VARYING_KEYS.get(command.arguments[0], ())),
        "err": err.splitlines(),
    }


def _normalise(text: str, names: Mapping[str, str], days: set[str]) -> str:
    for value, name in names.items():
        text = text.replace(value, name)
    text = _TIME.sub("{time}", text)
    for day in days:
        text = text.replace(day, "{day}")
    text = _VERSION.sub("roundbook {version}", text)
    text = _SCHEMA_REVISION.sub("{revision}", text)
    return _CHECKSUM_OF_ARCHIVE.sub(_VARYING, text)


def _parse(out: str, varying: Sequence[str]) -> Any:
    try:
        parsed = json.loads(out)
    except ValueError:
        return out.splitlines()
    _mask(parsed, varying)
    return parsed


def _mask(value: Any, keys: Sequence[str]) -> None:
    if isinstance(value, dict):
        for key in keys:
            if value.get(key) is not None:
                value[key] = _VARYING
    for inner in value.values() if isinstance(value, dict) else value:
        if isinstance(inner, dict | list):
            _mask(inner, keys)


def first_difference(
    recorded: Any, printed: Any, changed: Collection[str] = (), path: str = ""
) -> str | None:
    """Return where two outputs first differ, and how; None where what is recorded is printed.

    Keys may be added. Numbers, those in text too, are equal to a relative 1e-12.

    Parameters
    ----------
    recorded, printed : JSON
    changed : collection of str
        Paths, as in the result, below which anything may differ.
    path : str
        Of the two within their outputs.
    """
    if path in changed:
        return None
    if isinstance(recorded, dict) and isinstance(printed, dict):
        for key, value in recorded.items():
            inner = f"{path}.{key}".lstrip(".")
            if key not in printed and inner not in changed:
                return f"{inner} is missing"
            if difference := first_difference(value, printed.get(key), changed, inner):
                return difference
        return None
    if isinstance(recorded, list) and isinstance(printed, list):
        for index, (value, other) in enumerate(zip(recorded, printed, strict=False)):
            if difference := first_difference(value, other, changed, f"{path}[{index}]"):
                return difference
        if len(recorded) != len(printed):
            return f"{path} has {len(printed)} entries instead of {len(recorded)}"
        return None
    if _equal(recorded, printed):
        return None
    return f"{path}: {printed!r:.1000} instead of {recorded!r:.1000}"


def value_at(output: Any, path: str) -> Any:
    """Return what an output has at a path, as of `first_difference`; None where it has nothing."""
    for index, key in _STEP.findall(path):
        try:
            output = output[int(index)] if index else output[key]
        except (KeyError, IndexError, TypeError):
            return None
    return output


def _equal(recorded: Any, printed: Any) -> bool:
    if isinstance(recorded, str) and isinstance(printed, str):
        parts, others = _NUMBER.split(recorded), _NUMBER.split(printed)
        return (
            len(parts) == len(others)
            and parts[::2] == others[::2]
            and all(map(_close, map(float, parts[1::2]), map(float, others[1::2])))
        )
    if isinstance(recorded, bool) or isinstance(printed, bool):
        return recorded is printed
    if isinstance(recorded, int | float) and isinstance(printed, int | float):
        return _close(recorded, printed)
    return bool(recorded == printed)


def _close(recorded: float, printed: float) -> bool:
    return math.isclose(recorded, printed, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)


def read_recording(path: Path = RECORDING) -> dict[str, Output]:
    """Return the recorded outputs by the names of the commands."""
    recording: dict[str, Output] = json.loads(path.read_text(encoding="utf-8"))
    return recording


def write_recording(outputs: Mapping[str, Output], path: Path = RECORDING) -> None:
    """Write outputs as a recording, a command a line."""
    lines = (
        f"{json.dumps(name, ensure_ascii=False)}: "
        + json.dumps(output, ensure_ascii=False, separators=(",", ":"))
        for name, output in outputs.items()
    )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
