"""The start of the program, which imports nothing but Python's own before it can be interrupted."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line this process was started with; an interrupt while it loads exits too."""
    try:
        from roundbook_cli.main import main as run_program
    except KeyboardInterrupt:
        print("Interrupted before it began.", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    run_program()
