"""Requests about measures: to list them, and to merge two that are one."""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request


class ListMeasures(Request):
    """The measures of the record, or of a task."""

    task: str | None = Field(None, description="Only those of this task. (default: all)")


class MergeMeasures(Request):
    """Two measures that were recorded apart and are one, in every task."""

    merged: str = Field(description="The measure whose name goes; it stays a spelling of INTO.")
    into: str = Field(description="The measure that it becomes part of.")
    reason: str | None = Field(None, description="Why they are one; kept for good.")
