"""Every error Roundbook raises on purpose, as one tree.

    RoundbookError
    ├── InputError                       a value or a file the user gave cannot be used
    │   ├── RequestError                 … as a field of a request
    │   ├── BadFileError                 … at file:line:column
    │   │   ├── AmbiguousLayoutError     … whose content does not decide its layout
    │   │   └── MissingScoresError       … in which a run has no score for a topic
    │   └── ImpossibleStatisticError     … for which the statistic does not exist
    │       └── ImpossibleDesignError    … as a topic set size design
    ├── RecordError                      the record and the request do not fit together
    │   ├── NotRecordedError             no such task, round, measure, matrix or version
    │   │   └── WithdrawnError           … that counts: it is withdrawn
    │   ├── AlreadyRecordedError         the name is taken by something else
    │   ├── ContentDiffersError          other scores are already logged under this identity
    │   ├── RevisedMeanwhileError        somebody else revised it while this correction was made
    │   └── RoundPublishedError          a published round takes no such change
    ├── MissingExtraError                an optional library is not installed
    ├── WorkersError                     a study's workers cannot be reached, or lost its work
    ├── SchemaOutOfDateError             the database schema is older or newer than this program
    └── DatabaseError                    PostgreSQL refused or broke off
        ├── DatabaseUnreachableError     … or could not be reached at all
        └── DatabaseBusyError            … or a lock was held longer than the timeout

A message is a sentence on what is wrong and where. A way out that is a command or an option is a
code, for which each door has its own sentence.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class WayOut(NamedTuple):
    """The code of a remedy, with the facts that its sentence takes, which each door has."""

    code: str
    facts: Mapping[str, object]


class RoundbookError(Exception):
    """The base class of all errors that Roundbook raises on purpose.

    Attributes
    ----------
    facts : mapping
        The names and numbers that the message is about, such as task, round, measure and matrix.
    way_out : WayOut or None
        The remedy, None where the message has it already.
    """

    def __init__(self, message: str, *, way_out: str | None = None, **facts: object) -> None:
        self.facts: Mapping[str, object] = facts
        self.way_out = None if way_out is None else WayOut(way_out, facts)
        super().__init__(message)

    def __reduce__(self) -> tuple[Any, ...]:
        # As it is: the arguments that made it are not its message, which is all that is kept.
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class InputError(RoundbookError, ValueError):
    """A value or a file cannot be used as it is."""


class RequestError(InputError):
    """A request has a field that no request of its kind can have.

    Attributes
    ----------
    field : str
        The field, as the request names it; empty where fields contradict each other.
    reason : str
        What is wrong, as a clause in which fields stand in backticks.
    """

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        self.reason = reason
        super().__init__(f"{reason[:1].upper()}{reason[1:]}.")


class BadFileError(InputError):
    """A file cannot be read as scores.

    Attributes
    ----------
    reason : str
        What is wrong, without the position.
    file : str
        The file as the user named it.
    line, column : int or None
        1-based position; ``column`` counts fields, not characters.
    """

    def __init__(
        self,
        reason: str,
        file: str,
        line: int | None = None,
        column: int | None = None,
        *,
        way_out: str | None = None,
        **facts: object,
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        position = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{position}: {reason}.", way_out=way_out, **facts)


class AmbiguousLayoutError(BadFileError):
    """A file's content fits more than one layout, or none."""


class MissingScoresError(BadFileError):
    """Some run has no score for some topic, and the policy is to reject that.

    Attributes
    ----------
    cells : sequence of (topic, run)
        Every missing cell, in the matrix's order.
    """

    def __init__(
        self, reason: str, file: str, cells: Sequence[tuple[str, str]], *, way_out: str
    ) -> None:
        self.cells = tuple(cells)
        super().__init__(reason, file, way_out=way_out)


class ImpossibleStatisticError(InputError):
    """The statistic does not exist for this input."""


class ImpossibleDesignError(ImpossibleStatisticError):
    """No topic set size design has these numbers.

    Attributes
    ----------
    code : str
        Why, see `roundbook.statistics.design.inputs`.
    arguments : mapping
        The numbers and names that the sentence of the code takes.
    """

    def __init__(
        self, message: str, code: str, arguments: Mapping[str, str | float], way_out: str | None
    ) -> None:
        self.code = code
        self.arguments = dict(arguments)
        super().__init__(message, way_out=way_out)


class RecordError(RoundbookError):
    """The record and the request do not fit together."""


class NotRecordedError(RecordError, LookupError):
    """The record holds nothing under this name."""


class WithdrawnError(NotRecordedError):
    """The requested matrix is withdrawn."""


class AlreadyRecordedError(RecordError):
    """The record already holds something else under this name."""


class ContentDiffersError(RecordError):
    """Other scores are already logged for this round, measure and assessments."""


class RevisedMeanwhileError(RecordError):
    """Somebody else revised the matrix while this revision was made."""


class RoundPublishedError(RecordError):
    """The round is published and takes no such change."""


class MissingExtraError(RoundbookError):
    """The request needs libraries of an `extra` of the package, as in ``roundbook[charts]``."""

    def __init__(self, message: str, extra: str) -> None:
        super().__init__(message, way_out="install the extra", extra=extra)


class WorkersError(RoundbookError):
    """The worker processes or machines of a study cannot be reached, or lost its work."""


class SchemaOutOfDateError(RoundbookError):
    """The schema of the database and this program do not belong together.

    Attributes
    ----------
    current, expected : str or None
        Alembic revisions; ``current`` is None for a database without the schema.
    """

    def __init__(
        self, message: str, current: str | None, expected: str | None, way_out: str | None = None
    ) -> None:
        self.current = current
        self.expected = expected
        super().__init__(message, way_out=way_out)


class DatabaseError(RoundbookError):
    """PostgreSQL refused the request or broke it off; nothing was written."""


class DatabaseUnreachableError(DatabaseError):
    """PostgreSQL could not be reached."""


class DatabaseBusyError(DatabaseError):
    """Somebody else held a lock for longer than the timeout."""
