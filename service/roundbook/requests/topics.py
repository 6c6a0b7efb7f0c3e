"""Requests about topics and the other ids under which they returned."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import DryRun, TaskName


class AliasTopics(Request):
    """A file of topics that returned under another id."""

    task: TaskName
    file: Path = Field(
        description="A CSV file with the columns topic, round, id: the topic, a round, its id there."
    )
    dry_run: DryRun = False


class UnaliasTopic(Request):
    """An id to be a topic of its own again."""

    task: TaskName
    name: str = Field(description="The other id.")
    dry_run: DryRun = False


class ListTopics(Request):
    """The topics of a task."""

    task: TaskName
    aliased: bool = Field(default=False, description="Only those with several ids.")
    after: str | None = Field(None, description="Only those that the list has after this topic.")
    limit: int | None = Field(None, ge=1, le=10**9, description="Only the first N. (default: all)")
