"""Every error Roundbook raises on purpose, as one tree.

    RoundbookError
    ├── InputError                a value or a file the user gave cannot be used
    │   ├── BadFile               … at file:line:column
    │   │   ├── AmbiguousLayout   … whose layout cannot be told from its content
    │   │   └── MissingScores     … in which a run has no score for a topic
    │   └── ImpossibleStatistic   … for which the statistic asked for does not exist
    ├── RecordError               the record and the request do not fit together
    │   ├── NotRecorded           no such task, round, measure, matrix or version
    │   │   └── Withdrawn         … that counts: it is withdrawn
    │   ├── AlreadyRecorded       the name is taken by something else
    │   ├── ContentDiffers        other scores are already logged under this identity
    │   ├── RevisedMeanwhile      somebody else revised it while this correction was made
    │   └── Frozen                a published round takes no such change
    ├── SchemaOutOfDate           the database schema is older or newer than this program
    └── DatabaseError             PostgreSQL refused or broke off
        ├── DatabaseUnreachable   … or could not be reached at all
        └── DatabaseBusy          … or a lock was held longer than the timeout

Each message is one sentence, or two: what is wrong and where, then the way out.
"""

from __future__ import annotations

from collections.abc import Sequence


class RoundbookError(Exception):
    """Roundbook cannot do what was asked."""


class InputError(RoundbookError, ValueError):
    """A value or a file cannot be used as it is."""


class BadFile(InputError):
    """A file cannot be read as scores.

    Attributes
    ----------
    reason : str
        What is wrong and the way out, without the place.
    file : str
        The file as the user named it.
    line, column : int or None
        1-based place; ``column`` counts fields, not characters.
    """

    def __init__(
        self, reason: str, file: str, line: int | None = None, column: int | None = None
    ) -> None:
        self.reason = reason
        self.file = file
        self.line = line
        self.column = column
        place = ":".join(str(part) for part in (file, line, column) if part is not None)
        super().__init__(f"{place}: {reason}.")


class AmbiguousLayout(BadFile):
    """A file's content fits more than one layout, or none."""


class MissingScores(BadFile):
    """Some run has no score for some topic, and the policy is to reject that.

    Attributes
    ----------
    cells : sequence of (topic, run)
        Every missing cell, in the matrix's order.
    """

    def __init__(self, reason: str, file: str, cells: Sequence[tuple[str, str]]) -> None:
        self.cells = tuple(cells)
        super().__init__(reason, file)


class ImpossibleStatistic(InputError):
    """The statistic does not exist for this input."""


class RecordError(RoundbookError):
    """The record and the request do not fit together."""


class NotRecorded(RecordError, LookupError):
    """The record holds nothing under this name."""


class Withdrawn(NotRecorded):
    """What was asked for is withdrawn, and so does not count."""


class AlreadyRecorded(RecordError):
    """The record already holds something else under this name."""


class ContentDiffers(RecordError):
    """Other scores are already logged for this round, measure and assessments."""


class RevisedMeanwhile(RecordError):
    """Somebody else revised the matrix while this revision was made."""


class Frozen(RecordError):
    """The round is published and takes no such change."""


class SchemaOutOfDate(RoundbookError):
    """The schema of the database and this program do not belong together.

    Attributes
    ----------
    current, expected : str or None
        Alembic revisions; ``current`` is None for a database without the schema.
    """

    def __init__(self, message: str, current: str | None, expected: str | None) -> None:
        self.current = current
        self.expected = expected
        super().__init__(message)


class DatabaseError(RoundbookError):
    """PostgreSQL refused the request or broke it off; nothing was written."""


class DatabaseUnreachable(DatabaseError):
    """PostgreSQL could not be reached."""


class DatabaseBusy(DatabaseError):
    """Somebody else held a lock for longer than the timeout."""
