"""The start of the program, which imports nothing but Python's own before it can be interrupted."""

from __future__ import annotations

import os
import signal
import sys
from _thread import get_ident


def main() -> None:
    """Run the command line this process was started with; an interrupt while it loads exits too."""
    # Else pydantic reads what every installed package says of itself, in search of plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    ended = _end_as_interrupted()
    try:
        from roundbook_cli.main import INTERRUPTED, run
        from roundbook_cli.streams import guard_streams
    except KeyboardInterrupt:
        print("Interrupted before it began.", file=sys.stderr)  # noqa: T201
        sys.exit(128 + signal.SIGTERM if ended else 130)
    guard_streams()
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED  # by a second signal, while the message on the first was printed
    for name in _SIGNALS:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)  # nothing is left to interrupt
    sys.exit(128 + signal.SIGTERM if ended and code == INTERRUPTED else code)


_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP


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

    def send_again(lost: sys.UnraisableHookArgs) -> None:
        """Interrupt anew where an interrupt fell into a callback, whose exceptions are dropped."""
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        from threading import Timer

        number = signal.SIGTERM if came else signal.SIGINT
        Timer(0.01, signal.pthread_kill, (main_thread, number)).start()

    if hasattr(signal, "pthread_kill"):
        main_thread, sys.unraisablehook = get_ident(), send_again
    for name, handler in (("SIGTERM", end), ("SIGHUP", hang_up)):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:  # not under nohup
            signal.signal(number, handler)
    return came
