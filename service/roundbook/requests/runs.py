"""Requests about runs, what they retrieved, and relevance assessments: to log and to list."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import DEFAULT_ASSESSMENTS, RoundLabel, TaskName


class LogRuns(Request):
    """What runs of a round retrieved, in files."""

    task: TaskName
    round: RoundLabel
    files: tuple[Path, ...] = Field(
        min_length=1,
        description="TREC run files, gzipped or not, or a directory of them; - for standard input.",
    )
    create: bool = Field(default=False, description="Make the task and round if needed.")
    dry_run: bool = Field(default=False, description="Do it all, say what came out, write nothing.")


class LogQrels(Request):
    """The relevance assessments of a round, in a file."""

    task: TaskName
    round: RoundLabel
    file: Path = Field(description="TREC qrels, gzipped or not; - for standard input.")
    assessments: str = Field(DEFAULT_ASSESSMENTS, description="What these assessments are called.")
    create: bool = Field(default=False, description="Make the task and round if needed.")
    revise: str | None = Field(
        None, description="Replace what is recorded by a new revision, for this reason."
    )
    expected_revision: int | None = Field(
        None,
        description="The latest revision that the person who revises has seen, 0 for none; a later"
        " one is not revised. (default: whichever is the latest)",
    )
    dry_run: bool = Field(default=False, description="Do it all, say what came out, write nothing.")


class ListRuns(Request):
    """The uploads of runs to a task's rounds."""

    task: TaskName
    round: str | None = Field(None, description="Only this round: its runs one by one.")
    after: str | None = Field(
        None,
        description="Only those that the list has after this one: of a round a run, by its tag, else"
        " an upload, as ROUND:UPLOAD.",
    )
    limit: int | None = Field(
        None,
        ge=1,
        le=10**9,
        description="Only the first N: of a round its runs, else uploads. (default: all)",
    )


class ListQrels(Request):
    """The relevance assessments of a task's rounds, every revision."""

    task: TaskName
    round: str | None = Field(None, description="Only those of this round.")
