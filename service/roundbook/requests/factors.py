"""Requests about the standardisation factors of a round, and scores standardised by them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    Anonymous,
    Assessments,
    DryRun,
    FileMeasure,
    Layout,
    MeasureName,
    Missing,
    Positive,
    RoundLabel,
    TaskName,
    ZeroSd,
)

Scale = Literal["std", "std-cdf", "std-ab", "e-std"]


class FactorsRequest(Request):
    """One version of a round's factors."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    version: int | None = Field(None, description="Which version. (default: the latest)")
    assessments: Assessments = None


class FitRequest(Request):
    """A further version of a round's factors, fitted on other standardising runs."""

    task: TaskName
    round: RoundLabel
    measure: MeasureName
    reason: str = Field(description="Why a further version is fitted.")
    runs: tuple[str, ...] = Field(
        ("pooled",),
        description="The standardising runs: pooled, all, or a run's tag; repeat.",
    )
    zero_sd: ZeroSd = Field("average", description="Topics on which these runs tie: 0, or dropped.")
    assessments: Assessments = None
    dry_run: DryRun = False


class _Scaling(Request):
    task: TaskName
    measure: MeasureName
    scale: Scale = Field("std-ab", description="The scale.")
    a: Positive = Field(0.15, description="std-AB: what one sd counts; above 0.")
    b: float = Field(0.5, allow_inf_nan=False, description="std-AB: the score of an average run.")
    factors_version: int | None = Field(
        None,
        description="Which version of the factors; `factors_from` is then a round's label as it"
        " is.",
    )
    assessments: Assessments = None


class StandardiseRequest(_Scaling):
    """A round's scores, standardised by its own factors or another round's."""

    round: RoundLabel
    factors_from: str | None = Field(
        None, description="Another round's factors, by default its latest."
    )
    anonymous: Anonymous = False


class StandardiseFilesRequest(_Scaling):
    """The scores of new runs, read from files, standardised by a round's factors."""

    factors_from: str = Field(description="The round whose factors score the runs.")
    files: tuple[Path, ...] = Field(
        description="Score the runs in this file by the round's factors; nothing is logged. Repeat."
    )
    layout: Layout = Field("auto", description="How the files are laid out.")
    file_measure: FileMeasure = None
    missing: Missing = Field("reject", description="Missing scores in the files.")
