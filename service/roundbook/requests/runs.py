"""Requests about runs, their teams, and relevance assessments to compute scores from."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    DEFAULT_ASSESSMENTS,
    ROUNDING,
    Assessments,
    Create,
    DryRun,
    MeasureName,
    Revise,
    RoundLabel,
    SeenRevision,
    TaskName,
)


class LogRuns(Request):
    """What runs of a round retrieved, in files."""

    task: TaskName
    round: RoundLabel
    files: tuple[Path, ...] = Field(
        min_length=1,
        description="TREC run files, gzipped or not, or a directory of them; - for standard input.",
    )
    create: Create = False
    dry_run: DryRun = False


class LogQrels(Request):
    """The relevance assessments of a round, in a file."""

    task: TaskName
    round: RoundLabel
    file: Path = Field(description="TREC qrels, gzipped or not; - for standard input.")
    assessments: str = Field(DEFAULT_ASSESSMENTS, description="What these assessments are called.")
    create: Create = False
    revise: Revise = None
    expected_revision: SeenRevision = None
    dry_run: DryRun = False


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


class CompareScores(Request):
    """A logged score matrix to compare with the scores computed from runs and assessments."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    assessments: Assessments = None
    tolerance: float = Field(
        ROUNDING,
        ge=0,
        description="Scores that differ by no more are the same: tools print 4 digits.",
    )
    limit: int = Field(20, ge=0, le=10**9, description="List so many of the cells that differ.")


class DescribeTeams(Request):
    """A team file for the recorded runs of a round, to fill in what is unknown or to correct them."""

    task: TaskName
    round: RoundLabel
    file: Path = Field(
        description="A CSV of run, team and optionally type, contributed_to_pool, system; - for"
        " standard input."
    )
    revise: str | None = Field(
        None, description="Change what is recorded of these runs too, for this reason."
    )
    dry_run: bool = Field(default=False, description="Say what would change, write nothing.")
