"""What is kept of a command that Ctrl-C interrupts: nothing, or all that it did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import typer

EXIT_CODE = 130  # as shells have it for a program that SIGINT ended

_kept: Literal["nothing", "unknown", "all"] = "nothing"
_SENTENCES = {
    "nothing": "Interrupted. The record is as it was.",
    "unknown": "Interrupted while the work was being kept: all of it is, or nothing. 'roundbook"
    " events' shows which; the same command again completes it.",
    "all": "Interrupted when the work was done. Whatever the command changed in the record is"
    " kept; 'roundbook events' shows it.",
}


def begin_command() -> None:
    """Take note that nothing is kept yet."""
    global _kept  # noqa: PLW0603
    _kept = "nothing"


@contextmanager
def keeping() -> Iterator[None]:
    """Take note that what the block does is kept as a whole when it ends, if not before."""
    global _kept  # noqa: PLW0603
    _kept = "unknown"
    yield
    _kept = "all"


def tell() -> int:
    """Tell the person on stderr what is kept, and return the exit code."""
    typer.echo(_SENTENCES[_kept], err=True)
    return EXIT_CODE
