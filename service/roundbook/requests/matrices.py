"""Requests about score matrices: to log, list, show, export and correct them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    Anonymous,
    Layout,
    MeasureName,
    Missing,
    RoundLabel,
    TaskName,
    ZeroSd,
)

ExportLayout = Literal["wide", "long", "trec_eval"]


class LogRequest(Request):
    """A round's score matrix to log, from files or already read."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    files: tuple[Path, ...] = Field((), description="Score files of one layout.")
    layout: Layout = Field("auto", description="How the files are laid out; auto looks inside.")
    file_measure: str | None = Field(
        None, description="What the files call the measure, if otherwise."
    )
    teams: Path | None = Field(
        None, description="A CSV of run, team and optionally type, contributed_to_pool, system."
    )
    assessments: str = Field(
        "official",
        description="Which relevance assessments the scores rest on; labels are never mixed.",
    )
    missing: Missing = Field(
        "reject", description="Missing scores: refuse, count 0, or drop topics."
    )
    zero_sd: ZeroSd = Field(
        "average", description="Topics on which all runs tie: standardise to 0, or drop."
    )
    bounds: tuple[float, float] | None = Field(
        None, description="The measure's lowest and highest possible score; others are refused."
    )
    tool: str | None = Field(None, description="The tool and version that made the scores.")
    create: bool = Field(default=False, description="Make the task and round if needed.")
    revise: str | None = Field(
        None, description="Replace what is recorded by a new revision, for this reason."
    )
    expected_revision: int | None = Field(
        None,
        ge=0,
        description="The latest revision that the person who revises has seen, 0 where there was"
        " none; a later one is not revised. (default: whichever is the latest)",
    )
    dry_run: bool = Field(default=False, description="Do it all, say what came out, write nothing.")


class ListMatrices(Request):
    """The score matrices of a task, or those that every filter lets through."""

    task: TaskName
    round: str | None = Field(None, description="Only those of this round.")
    measure: str | None = Field(None, description="Only those of this measure.")
    assessments: str | None = Field(None, description="Only those by these.")
    superseded: bool = Field(
        default=False, description="Also those whose place a later revision took."
    )


class ShowMatrix(Request):
    """All that is known of a score matrix but its scores."""

    matrix: int
    anonymous: Anonymous = False


class ShowHistory(Request):
    """The history of a round's scores; `matrix` is any of their revisions."""

    matrix: int


class ExportMatrix(Request):
    """A score matrix as text, or written to a file, or to a directory with a file a run."""

    matrix: int
    layout: ExportLayout = Field("wide", description="How to lay it out.")
    output: Path | None = Field(
        None,
        description="The file, or for trec_eval the directory, to write. (default: stdout)",
    )
    runs: tuple[str, ...] = Field((), description="Only this run. Repeat for several.")
    force: bool = Field(default=False, description="Replace the file or directory that is there.")
    anonymous: Anonymous = False


class WithdrawMatrix(Request):
    """A score matrix to withdraw."""

    matrix: int
    reason: str = Field(description="Why; kept for good.")


class RestoreMatrix(WithdrawMatrix):
    """A score matrix whose withdrawal is to be taken back."""
