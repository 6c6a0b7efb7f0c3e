"""Requests about tasks and their rounds."""

from __future__ import annotations

from datetime import date

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import DryRun, RoundLabel, TaskName


class CreateTask(Request):
    """A new task."""

    task: TaskName
    title: str | None = Field(None, description="A longer name to print.")


class RenameTask(Request):
    """Another name for a task that was named by a slip."""

    task: TaskName
    name: str = Field(description="Its new name.")
    force: bool = Field(default=False, description="Rename it though it holds scores.")


class RemoveTask(Request):
    """A task that was made by a slip, with its rounds; none of them holds scores."""

    task: TaskName


class CreateRound(Request):
    """A new round, after the last one of its task."""

    task: TaskName
    round: RoundLabel
    held: date | None = Field(None, description="The day it was held.")
    collection: str | None = Field(
        None, description="Its document collection; rounds on different ones share no topics."
    )


class SetRound(CreateRound):
    """The day and the document collection of a round that is recorded already."""

    force: bool = Field(
        default=False, description="Change what is recorded, not only what is unknown."
    )
    dry_run: DryRun = False


class RenameRound(Request):
    """Another label for a round that was named by a slip."""

    task: TaskName
    round: RoundLabel
    name: str = Field(description="Its new label.")
    force: bool = Field(default=False, description="Rename it though it holds scores.")


class RemoveRound(Request):
    """A round that was made by a slip and holds no scores."""

    task: TaskName
    round: RoundLabel


class PublishRound(Request):
    """A round to publish for good."""

    task: TaskName
    round: RoundLabel
    reason: str | None = Field(None, description="What to note beside it.")
    dry_run: bool = Field(
        default=False, description="Show what would be published; publish nothing."
    )


class ListRounds(Request):
    """The rounds of a task."""

    task: TaskName


class ShowRound(Request):
    """One round, with all that was logged in it."""

    task: TaskName
    round: RoundLabel
