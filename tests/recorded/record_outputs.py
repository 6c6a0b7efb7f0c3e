"""Record what ``roundbook`` prints, or compare it with the recording.

    python -m tests.recorded.record_outputs               writes outputs.json
    python -m tests.recorded.record_outputs --only WORDS  adds commands to it
    python -m tests.recorded.record_outputs --today       writes today.json
    python -m tests.recorded.record_outputs --check       compares with outputs.json

`outputs.json` is what was printed once, which shows what is otherwise today. With ``--only``, given
once or several times, the commands that begin with these words are recorded into it and all others
are left as they are. `today.json` is what is printed today where it is otherwise on purpose, by
command and path.

The commands are those of this checkout, run in this process on an embedded server. ``--program``
names an executable ``roundbook`` of any version instead, and ``--server`` the address of a PostgreSQL
whose user may create databases and roles.
"""

from __future__ import annotations

import argparse
import io
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

from tests.end_to_end.test_recorded_outputs import CHANGED_ON_PURPOSE
from tests.recorded.campaign import write_files
from tests.recorded.commands import COMMANDS
from tests.recorded.outputs import (
    TODAY,
    USER,
    Output,
    empty_databases,
    first_difference,
    read_recording,
    run_commands,
    value_at,
    write_recording,
)

from roundbook.embedded.server import embedded_server
from roundbook.settings import load_settings
from roundbook_cli.main import run as run_command_line


def main() -> int:
    """Record or compare, and return the exit code: 1 where an output differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--program", type=Path, metavar="FILE")
    parser.add_argument("--server", metavar="URL")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--only", action="append", metavar="WORDS", help="such as 'study swap-rate'")
    what.add_argument("--today", action="store_true")
    what.add_argument("--check", action="store_true")
    given = parser.parse_args()
    only = chosen(given.only or ())
    if given.only and not only:
        parser.error(f"no recorded command begins with {' or '.join(given.only)}")
    start = time.monotonic()
    outputs = _outputs(given.program, given.server)
    print(f"{len(outputs)} commands in {time.monotonic() - start:.0f} s", file=sys.stderr)  # noqa: T201
    if only:
        write_recording(with_only(read_recording(), outputs, only))
    elif given.today:
        write_recording(changed(outputs), TODAY)
    elif not given.check:
        write_recording(outputs)
    if not given.check:
        return 0
    differences = [
        f"roundbook {name}\n  {difference}"
        for name, output in read_recording().items()
        if (difference := first_difference(output, outputs.get(name)))
    ]
    print("\n".join(differences) or "As recorded.")  # noqa: T201
    return int(bool(differences))


def _outputs(program: Path | None, server: str | None) -> dict[str, Output]:
    """Return the outputs of all commands, run in a directory and databases made for them."""
    before, variables = Path.cwd(), dict(os.environ)
    with ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        if server is None:
            directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rb")))
            server = stack.enter_context(embedded_server(directory / "postgres", throw_away=True))
        databases = stack.enter_context(empty_databases(server))
        write_files(Path(directory))
        environment = {
            **{name: value for name, value in variables.items() if "ROUNDBOOK" not in name},
            "ROUNDBOOK_CONFIG": os.devnull,
            "ROUNDBOOK_USER": USER,
            "ROUNDBOOK_DATABASE_URL": databases.first,
            "COLUMNS": "100",
        }
        if program is not None:
            run = partial(_run_program, program.absolute(), directory, environment)
            return run_commands(COMMANDS, run, databases)
        stack.callback(os.chdir, before)
        os.chdir(directory)
        os.environ.clear()
        os.environ.update(environment)
        return run_commands(COMMANDS, _run_here, databases)


def _run_here(arguments: Sequence[str]) -> tuple[int, str, str]:
    """Run a command line in this process, in the working directory and environment it has."""
    load_settings.cache_clear()
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(out), redirect_stderr(err):
        code = run_command_line(list(arguments))
    out.seek(0)
    err.seek(0)
    return code, out.read(), err.read()


def _run_program(
    program: Path, directory: str, environment: Mapping[str, str], arguments: Sequence[str]
) -> tuple[int, str, str]:
    """Run a command line of an executable in a directory."""
    done = subprocess.run(
        [program, *arguments],
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def chosen(beginnings: Sequence[str]) -> set[str]:
    """Return the names of the commands that begin with some of these words."""
    words = [tuple(shlex.split(beginning)) for beginning in beginnings]
    return {
        command.name
        for command in COMMANDS
        if any(command.arguments[: len(begin)] == begin for begin in words)
    }


def with_only(
    recorded: Mapping[str, Output], printed: Mapping[str, Output], only: Collection[str]
) -> dict[str, Output]:
    """Return a recording in which only some outputs are new, in the order of the commands."""
    return {
        name: output if name in only else recorded[name]
        for name, output in printed.items()
        if name in only or name in recorded
    }


def changed(printed: Mapping[str, Output]) -> dict[str, Output]:
    """Return what is printed where it is otherwise than recorded on purpose."""
    return {
        name: {path: value_at(printed[name], path) for path in CHANGED_ON_PURPOSE[name]}
        for name in printed
        if name in CHANGED_ON_PURPOSE
    }


if __name__ == "__main__":
    sys.exit(main())
