"""Record what a ``roundbook`` prints, or compare it with the recording.

    python -m tests.recorded.record_outputs PROGRAM SERVER          writes outputs.json
    python -m tests.recorded.record_outputs PROGRAM SERVER --check  compares

PROGRAM is the executable ``roundbook`` of any version, SERVER the address of a PostgreSQL whose
user may create databases and roles (``tests/second_server start DIRECTORY`` starts one).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.recorded.campaign import write_files
from tests.recorded.commands import COMMANDS
from tests.recorded.outputs import (
    USER,
    empty_databases,
    first_difference,
    read_recording,
    run_commands,
    write_recording,
)


def main() -> int:
    """Record or compare, and return the exit code: 1 where an output differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("server")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    start = time.monotonic()
    with empty_databases(given.server) as databases, tempfile.TemporaryDirectory() as directory:
        write_files(Path(directory))
        environment = {
            **{name: value for name, value in os.environ.items() if "ROUNDBOOK" not in name},
            "ROUNDBOOK_CONFIG": os.devnull,
            "ROUNDBOOK_USER": USER,
            "ROUNDBOOK_DATABASE_URL": databases.first,
            "COLUMNS": "100",
        }

        def run(arguments: Sequence[str]) -> tuple[int, str, str]:
            done = subprocess.run(
                [given.program.absolute(), *arguments],
                cwd=directory,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                check=False,
            )
            return done.returncode, done.stdout, done.stderr

        outputs = run_commands(COMMANDS, run, databases)
    print(f"{len(outputs)} commands in {time.monotonic() - start:.0f} s", file=sys.stderr)  # noqa: T201
    if not given.check:
        write_recording(outputs)
        return 0
    recorded = read_recording()
    differences = [
        f"roundbook {name}\n  {difference}"
        for name, output in recorded.items()
        if (difference := first_difference(output, outputs.get(name)))
    ]
    print("\n".join(differences) or "As recorded.")  # noqa: T201
    return int(bool(differences))


if __name__ == "__main__":
    sys.exit(main())
