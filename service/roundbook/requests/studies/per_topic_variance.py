"""The request for per-topic variance: whether runs would rank alike if their lists varied."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from roundbook.limits import MOST_TRIALS
from roundbook.requests.fields import MeasureName
from roundbook.requests.studies.study import Share, StudyRequest


class PerTopicVarianceRequest(StudyRequest):
    """Whether the runs would rank alike if each run's list of documents varied for itself."""

    study: Literal["per-topic-variance"] = "per-topic-variance"
    measure: MeasureName = Field("AP", description="The measure; no other can be studied so.")
    files: tuple[Path, ...] = Field(
        (), description="Study the runs in this file or folder, without a record. Repeat."
    )
    qrels: Path | None = Field(None, description="With `file`: the relevance assessments.")
    model: Literal["bst", "kde"] = Field(
        "bst",
        description="Draw the documents of each list again, or scores from kernel density"
        " estimates of theirs.",
    )
    denominator: Literal["sampled", "fixed"] = Field(
        "sampled",
        description="Divide precisions by the relevant documents of the draw, or by those of the"
        " assessments.",
    )
    depth: int = Field(1_000, ge=1, le=1_000, description="Documents of a list that are looked at.")
    padded: bool = Field(
        default=False, description="Draw as many documents as `depth` of shorter lists too."
    )
    trials: int = Field(1_000, ge=1, le=MOST_TRIALS, description="Draws of all lists.")
    alpha: Share = Field(0.05, description="Of the paired t test in each draw.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """It depends on runs and relevance assessments."""
        return ("run_upload", "qrels")

    @model_validator(mode="after")
    def _of_runs(self) -> Self:
        if bool(self.files) != (self.qrels is not None):
            raise ValueError("Runs in `file` go with their relevance assessments in `qrels`")
        if set(self.scales) != {"raw"}:
            raise ValueError(
                "Per-topic variance is of raw scores: a draw has no standardisation factors"
            )
        return self
