"""Requests about the whole record: its archives and backups, its events, and to verify it."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import RoundLabel, TaskName


class ExportRequest(Request):
    """Write the record, or some tasks of it, into an archive."""

    archive: Path = Field(description="The archive.")
    tasks: tuple[str, ...] = Field(
        (), description="Only this task; repeat it for several. (default: the whole record)"
    )
    force: bool = Field(default=False, description="Overwrite an earlier archive.")


class ImportRequest(Request):
    """Read an archive into the record."""

    archive: Path = Field(description="The archive.")
    trusted: bool = Field(
        default=False,
        description="Trust the archive: do not compute again what is derived from its scores.",
    )


class BackupRequest(Request):
    """Save the whole record in a file."""

    file: Path = Field(description="The backup.")
    force: bool = Field(default=False, description="Overwrite an earlier backup.")


class RestoreRequest(Request):
    """Put a saved record into the database."""

    file: Path = Field(description="The backup.")
    replace: bool = Field(
        default=False, description="Put it in the place of the record that is there."
    )


class EventsRequest(Request):
    """Events, oldest first; all of them, or those that every filter lets through."""

    task: str | None = Field(None, description="Only those of this task.")
    round: str | None = Field(None, description="Only those of its round.")
    matrix: int | None = Field(None, description="Only those of this matrix.")
    what: str | None = Field(None, description="Only these, such as 'matrix withdrawn'.")
    who: str | None = Field(None, description="Only this person's.")
    since: date | None = Field(None, description="Only from this day (UTC) on.")
    after: int | None = Field(
        None, ge=0, le=2**63 - 1, description="Only those after this event, by its number."
    )
    limit: int | None = Field(
        None,
        ge=1,
        le=10**9,
        description="Only the latest N; with `after`, the first N after it. (default: all)",
    )

    @model_validator(mode="after")
    def _check_round(self) -> Self:
        if self.round is not None and self.task is None:
            raise ValueError("`round` needs `task`")
        return self


class VerifyRequest(Request):
    """Verify the record, or one task of it."""

    task: str | None = Field(None, description="Only this task. (default: the whole record)")


class RoundVerificationRequest(Request):
    """Compare a round with its fingerprint."""

    task: TaskName
    round: RoundLabel
    fingerprint: str | None = Field(
        None,
        description="The fingerprint, as it was printed. (default: that of its publication)",
    )

    @field_validator("fingerprint")
    @classmethod
    def _is_whole(cls, fingerprint: str | None) -> str | None:
        if fingerprint is not None and not re.fullmatch("[0-9a-fA-F]{64}", fingerprint):
            raise ValueError(
                f"A fingerprint is 64 hexadecimal digits, as it was printed; '{fingerprint}' is not"
                " one"
            )
        return fingerprint
