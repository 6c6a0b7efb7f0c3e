"""The start of the program, which imports nothing but Python's own before it can be interrupted."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    """Run the command line this process was started with; an interrupt while it loads exits too."""
    # Else pydantic reads what every installed package says of itself, in search of plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    try:
        from roundbook_cli.main import INTERRUPTED, run
        from roundbook_cli.streams import guard_streams
    except KeyboardInterrupt:
        print("Interrupted before it began.", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    guard_streams()
    ended = _end_as_interrupted()
    code = run(sys.argv[1:])
    sys.exit(128 + signal.SIGTERM if ended and code == INTERRUPTED else code)


def _end_as_interrupted() -> list[int]:
    """Have SIGTERM interrupt a command, and SIGHUP be SIGTERM; return the list of those that come.

    They are sent by `timeout`, systemd, Docker and a terminal that is closed. Otherwise half a file
    and the embedded server would be left behind.
    """
    came: list[int] = []

    def end(number: int, _: object) -> None:
        came.append(number)
        raise KeyboardInterrupt

    def hang_up(*_: object) -> None:
        signal.raise_signal(signal.SIGTERM)  # which a service and a worker handle themselves

    for name, handler in (("SIGTERM", end), ("SIGHUP", hang_up)):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # not under nohup
            signal.signal(number, handler)
    return came
