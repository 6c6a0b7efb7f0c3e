"""Requests about tasks, their rounds and topics, and the measures of their scores."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import DryRun, FirstN, RoundLabel, TaskName


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

    collection: str | None = Field(
        None,
        description="Its document collection; rounds on different ones share no topics. Empty: it"
        " declares none any more.",
    )
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
    measure: str | None = Field(None, description="Only those in scores of this measure.")
    assessments: str | None = Field(None, description="Only those in scores by these assessments.")
    aliased: bool = Field(default=False, description="Only those with several ids.")
    after: str | None = Field(None, description="Only those that the list has after this topic.")
    limit: FirstN = None


class ListMeasures(Request):
    """The measures of the record, or of a task."""

    task: str | None = Field(None, description="Only those of this task. (default: all)")


class MergeMeasures(Request):
    """Two measures that were recorded apart and are one, in every task."""

    merged: str = Field(description="The measure whose name goes; it stays a spelling of INTO.")
    into: str = Field(description="The measure that it becomes part of.")
    reason: str | None = Field(None, description="Why they are one; kept for good.")
