"""Requests about score matrices: to log, list, show, export and correct them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    DEFAULT_ASSESSMENTS,
    Anonymous,
    Assessments,
    Create,
    DryRun,
    FileMeasure,
    FirstN,
    Layout,
    MatrixNumber,
    MeasureName,
    Missing,
    Revise,
    RoundLabel,
    TaskName,
    ZeroSd,
)

ExportLayout = Literal["wide", "long", "trec_eval"]


class LoggingRequest(Request):
    """Where scores are to be logged, and what is to be done with them."""

    task: TaskName
    round: RoundLabel
    assessments: str = Field(
        DEFAULT_ASSESSMENTS,
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
    create: Create = False
    revise: Revise = None
    expected_revisions: Mapping[str, int] | None = Field(
        None,
        description="By the measures' names in the record, the latest revisions that the person who"
        " revises has seen; a later one is not revised. (default: the latest when it is asked)",
    )
    dry_run: DryRun = False


class LogRequest(LoggingRequest):
    """A round's score matrix to log, already read."""

    measure: MeasureName


class LogFilesRequest(LoggingRequest):
    """A score matrix to log for each of several measures, all of them or none.

    They are in score files, or computed from the round's runs and relevance assessments.
    """

    files: tuple[Path, ...] = Field(
        (), description="Score files of one layout; - for standard input."
    )
    from_runs: bool = Field(
        default=False,
        description="In place of files: compute the scores from the round's runs and its relevance"
        " assessments.",
    )
    measures: tuple[str, ...] = Field(
        (),
        description="The measure: nDCG@10, AP, RBP(p=0.8), ... Repeat for several in the files.",
    )
    all_measures: bool = Field(
        default=False, description="All measures in the files, but for counts such as num_ret."
    )
    layout: Layout = Field("auto", description="How the files are laid out; auto looks inside.")
    file_measure: FileMeasure = None
    teams: Path | None = Field(
        None, description="A CSV of run, team and optionally type, contributed_to_pool, system."
    )

    @model_validator(mode="after")
    def _check_measures(self) -> Self:
        if self.from_runs:
            if self.files:
                raise ValueError("give score files, or take `from_runs`, not both")
            if self.all_measures or self.file_measure is not None:
                raise ValueError("`from_runs` computes measures; name them with `measure` alone")
            if self.layout != "auto":
                raise ValueError("`from_runs` reads no score files: leave out `layout`")
            if self.missing != "reject":
                raise ValueError(
                    "`from_runs` leaves no score missing, as a topic for which a run retrieved"
                    " nothing counts 0: leave out `missing`"
                )
        elif not self.files:
            raise ValueError("give score files, or compute the scores with `from_runs`")
        if not self.measures and not self.all_measures:
            raise ValueError("name the measure with `measure`, or take `all_measures`")
        if self.measures and self.all_measures:
            raise ValueError("give `measure` or `all_measures`, not both")
        twice = [name for name in self.measures if self.measures.count(name) > 1]
        if twice:
            raise ValueError(f"`measure` names '{twice[0]}' twice")
        if self.file_measure is not None and len(self.measures) != 1:
            raise ValueError("`file_measure` is the name of one measure; give a single `measure`")
        return self


class ListMatrices(Request):
    """The score matrices of a task, or those that every filter lets through."""

    task: TaskName
    round: str | None = Field(None, description="Only those of this round.")
    measure: str | None = Field(None, description="Only those of this measure.")
    assessments: str | None = Field(None, description="Only those by these assessments.")
    superseded: bool = Field(
        default=False, description="Also those whose place a later revision took."
    )
    after: int | None = Field(
        None, description="Only those that the list has after this matrix, by its number."
    )
    limit: FirstN = None


class ShowMatrix(Request):
    """All that is known of a score matrix but its scores."""

    matrix: MatrixNumber
    anonymous: Anonymous = False


class ShowHistory(Request):
    """The history of a round's scores; `matrix` is any of their revisions."""

    matrix: MatrixNumber


class ShowImpact(Request):
    """Everything that rests on a matrix."""

    matrix: MatrixNumber


class ExportMatrix(Request):
    """A score matrix as text, or written to a file, or to a directory with a file a run."""

    matrix: int | None = Field(
        None, description="Its number; or else `task`, `round` and `measure`, for the current one."
    )
    task: str | None = Field(None, description="The task's name, without `matrix`.")
    round: str | None = Field(None, description="The round's label, without `matrix`.")
    measure: str | None = Field(None, description="The measure, without `matrix`.")
    assessments: Assessments = None
    layout: ExportLayout = Field("wide", description="How to lay it out.")
    output: Path | None = Field(
        None,
        description="The file, or for trec_eval the directory, to write: CSV, or by its ending"
        " .xlsx or .parquet. (default: stdout)",
    )
    runs: tuple[str, ...] = Field((), description="Only this run. Repeat for several.")
    force: bool = Field(default=False, description="Replace the file or directory that is there.")
    anonymous: Anonymous = False

    @model_validator(mode="after")
    def _either(self) -> Self:
        names = {"task", "round", "measure"}
        fields = {*names, "matrix", "assessments"}
        filled = {name for name in fields if getattr(self, name) is not None}
        if filled != {"matrix"} and filled - {"assessments"} != names:
            raise ValueError("give either `matrix`, or `task`, `round` and `measure`")
        return self


class WithdrawMatrix(Request):
    """A score matrix to withdraw."""

    matrix: MatrixNumber
    reason: str = Field(description="Why; kept for good.")
    dry_run: DryRun = False


class RestoreMatrix(WithdrawMatrix):
    """A score matrix whose withdrawal is to be taken back."""
