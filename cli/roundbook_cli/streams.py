"""Standard input, output and error, which may be closed, full or no longer read."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sys
from typing import TYPE_CHECKING, NoReturn, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


_UNWRITABLE = "roundbook.unwritable"
_OUTPUT, _ERROR = 1, 2


class OutputLostError(Exception):
    """Standard output could not be written.

    It is no error where it is `unread`: its reader has stopped reading, as after ``| head``.
    """

    def __init__(self, why: str, *, unread: bool = False) -> None:
        self.unread = unread
        super().__init__(
            f"The output could not be written: {why}. Whatever the command changed in the record"
            " is kept; 'roundbook events' shows it."
        )


class _Stream(io.FileIO):
    """A file on a descriptor that, once a write has failed, discards all later output.

    Otherwise what is still in the buffer would fail again, at the end of the program.
    """

    _lost = False

    def write(self, data: ReadableBuffer, /) -> int:
        size = memoryview(data).nbytes
        if self._lost:
            return size
        try:
            return super().write(data) or 0
        except OSError as error:
            self._lost = True
            if self.fileno() == _OUTPUT:
                unread = error.errno == errno.EPIPE
                raise OutputLostError(error.strerror or str(error), unread=unread) from error
            return size


def guard_streams() -> None:
    """Replace standard output and error by streams that fail in a defined way.

    A closed one, standard input too, becomes ``/dev/null``: otherwise its number would be given to
    the next file that is opened, and output would go there. A failed write to standard output raises
    `OutputLostError`; one to standard error, which has messages only, is ignored.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one
    codecs.register_error(_UNWRITABLE, _refuse_character)
    sys.stdin = sys.stdin or os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = _guarded(sys.stdout, _OUTPUT)
    sys.stderr = _guarded(sys.stderr, _ERROR)


def _refuse_character(error: UnicodeError) -> NoReturn:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    character = error.object[error.start]
    raise OutputLostError(
        f"{error.encoding} has no {character!a} (set PYTHONIOENCODING=utf-8)"
    ) from error


def _guarded(stream: TextIO | None, descriptor: int) -> TextIO:
    if os.name == "nt" and stream is not None and stream.isatty():
        return stream  # the console of Windows takes characters, not bytes
    errors = stream.errors if stream else "backslashreplace"
    buffer = io.BufferedWriter(_Stream(descriptor, "w", closefd=False))
    return io.TextIOWrapper(
        buffer,
        encoding=stream.encoding if stream else "utf-8",
        errors=_UNWRITABLE if errors == "strict" else errors,
        line_buffering=stream is None or os.isatty(descriptor) or descriptor == _ERROR,
    )
