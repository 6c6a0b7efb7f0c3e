"""PostgreSQL's errors as Roundbook's: what failed, whether anything was written, the way out."""

from __future__ import annotations

import errno
import os
from typing import Literal, NamedTuple

import psycopg
from sqlalchemy import exc
from sqlalchemy.engine import URL

from roundbook.errors import DatabaseBusyError, DatabaseError, DatabaseUnreachableError

# The moment of an error, which decides whether the work may have been committed.
Moment = Literal["connecting", "working", "committing"]


class _Fault(NamedTuple):
    kind: type[DatabaseError]
    sentence: str
    way_out: str | None = None


_UNKNOWN_OPTION = _Fault(
    DatabaseUnreachableError,
    "The database address has an option that PostgreSQL does not know; write it as"
    " postgresql://USER:PASSWORD@HOST:PORT/DATABASE.",
)
_LOST = {
    "connecting": _Fault(
        DatabaseUnreachableError,
        "The database at {address} cannot be reached: {reason}.",
        way_out="check the address",
    ),
    "working": _Fault(
        DatabaseUnreachableError,
        "The connection to the database at {address} was lost: {reason}; nothing was written. Run"
        " the same command again when the server answers.",
    ),
    "committing": _Fault(
        DatabaseUnreachableError,
        "The connection to the database at {address} was lost just as the work was being kept, so"
        " it may be there or not, but not by half: {reason}. Run the same command again when the"
        " server answers; what is logged already stays unchanged.",
    ),
}
_BUSY = _Fault(
    DatabaseBusyError,
    "Somebody else is writing to the same place and held it longer than the lock timeout; nothing"
    " was written. Try again, or raise ROUNDBOOK_LOCK_TIMEOUT.",
)
_CROSSED = _Fault(
    DatabaseBusyError,
    "Somebody else was writing to the same place, and PostgreSQL let only them go on; nothing was"
    " written. Try again.",
)
# Sentences by SQLSTATE, or by its class, the first two characters.
_FAULTS = {
    "55P03": _BUSY,  # lock_not_available
    "40": _CROSSED,  # deadlock_detected, serialization_failure
    "57014": _Fault(
        DatabaseBusyError,
        "PostgreSQL broke the work off: {reason}; nothing was written. Try again; where the role or"
        " the database sets statement_timeout, have its owner raise that.",
    ),
    "25006": _Fault(
        DatabaseError,
        "The database at {address} is read-only; nothing was written.",
        way_out="name the primary",
    ),
    "42501": _Fault(
        DatabaseError,
        "The role that connects may not do this: {reason}; nothing was written.",
        way_out="grant the role",
    ),
    "53100": _Fault(
        DatabaseError,
        "The server's disk is full: {reason}; nothing was written. Make room there, then run the"
        " same command again.",
    ),
    "53": _Fault(
        DatabaseError,
        "The server has run out of something it needs: {reason}; nothing was written. Run the same"
        " command again when it has more.",
    ),
}
_BROKEN = _Fault(
    DatabaseError,
    "Something is wrong on the server: {reason}; nothing was written. Its log says more; mend that,"
    " then run the same command again.",
)
_FAULTS |= dict.fromkeys(("58", "XX"), _BROKEN)  # its files, its own invariants
_REFUSED = _Fault(DatabaseError, "PostgreSQL refused, so nothing was changed: {reason}.{hint}")
# What the server may not do with its own files has the state of what a role may not do with tables.
_NO_FILE = f": {os.strerror(errno.EACCES)}"
# A transaction was idle, or ran, for longer than the server allows.
_TIMED_OUT = ("25P03", "25P04")
# Connections that were lost, refused as too many, broken off or not yet accepted.
_LOSSES = ("08", "53300", "57P01", "57P02", "57P03", "57P05", *_TIMED_OUT)


def driver_error(error: exc.DBAPIError | psycopg.Error) -> psycopg.Error:
    """Return the driver's error; COPY raises it directly, without SQLAlchemy's wrapper."""
    if isinstance(error, psycopg.Error):
        return error
    assert isinstance(error.orig, psycopg.Error)
    return error.orig


def is_lost(error: psycopg.Error) -> bool:
    """Return whether the error means that the connection is lost."""
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_LOSSES)


def translate(error: psycopg.Error, url: URL, moment: Moment) -> DatabaseError:
    """Return the driver's error as one of Roundbook's; its message never has the password."""
    state = error.sqlstate or ""
    if state in _TIMED_OUT:
        fault = _LOST["working"]  # the server reports it when the commit is tried
    elif is_lost(error):
        fault = _LOST[moment]
    elif moment == "connecting" and not state:
        fault = _UNKNOWN_OPTION
    elif state == "42501" and str(error.diag.message_primary).endswith(_NO_FILE):
        fault = _BROKEN
    else:
        fault = _FAULTS.get(state) or _FAULTS.get(state[:2]) or _REFUSED
    hint = error.diag.message_hint
    # The directory of a Unix socket is among the URL's options.
    host = url.host or url.query.get("host") or "localhost"
    return fault.kind(
        fault.sentence.format(
            address=f"{host}:{url.port or 5432}/{url.database or ''}",
            reason=_first_line(str(error)),
            hint=f" {_first_line(hint)}." if hint else "",
        ),
        way_out=fault.way_out,
        role=url.username or "ROLE",
    )


def _first_line(message: str) -> str:
    lines = message.strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else "it gave no reason"
