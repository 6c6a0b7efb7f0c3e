"""Requests about archives and backups."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request


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
        default=False, description="In the place of the record that is there, all of it."
    )
