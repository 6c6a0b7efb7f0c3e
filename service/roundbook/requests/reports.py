"""Requests for reports: a task, or a round of it, in files for others."""

from __future__ import annotations

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, Positive, RunsToCompare, ScoresScale, TaskName

_OF_TASK = "The measure. (default: the one that most rounds have, the first by name in a tie)"


class HtmlReport(Request):
    """The pages of a task, or of one of its rounds, as one file that needs nothing else."""

    task: TaskName
    round: str | None = Field(None, description="Only this round. (default: the whole task)")
    output: Path = Field(description="The file to write, such as covid.html.")
    measure: str | None = Field(None, description=_OF_TASK)
    assessments: Assessments = None
    scale: ScoresScale = "raw"
    force: bool = Field(default=False, description="Overwrite a file that is there.")


class LatexReport(Request):
    """The tables of an overview paper: variances, topic set sizes, factors, ranking."""

    task: TaskName
    round: str | None = Field(
        None, description="The round of factors and ranking. (default: the latest with scores)"
    )
    output: Path = Field(
        description="A file that ends in .tex for all tables, or a directory for a file each."
    )
    measure: str | None = Field(None, description=_OF_TASK)
    assessments: Assessments = None
    m: tuple[RunsToCompare, ...] = Field(
        (), description="Plan for this number of runs; repeat. (default: as plan)"
    )
    min_d: tuple[Positive, ...] = Field(
        (), description="Plan for this smallest difference; repeat. (default: as plan)"
    )
    plan: str | None = Field(
        None,
        description="The sizes of this saved plan of the task, in place of those of a plan made now.",
    )
    force: bool = Field(default=False, description="Replace an earlier report.")

    @model_validator(mode="after")
    def _of_a_saved_plan(self) -> Self:
        if self.plan is not None and (self.m or self.min_d):
            raise ValueError("A saved plan has its own m and min_d; they are not given beside it")
        return self


class DepositRequest(Request):
    """A bundle to deposit: the task's archive, its citation, its description for DataCite."""

    task: TaskName
    output: Path = Field(description="A file that ends in .zip, or a directory.")
    title: str | None = Field(
        None, description="The title. (default: the task's title, else its name)"
    )
    creators: tuple[str, ...] = Field(
        (),
        description="Who made it: 'Family, Given' of a person, or the name of an organisation;"
        " repeat. (default: said as unknown)",
    )
    publisher: str | None = Field(
        None, description="Where it is deposited, such as Zenodo. (default: said as unknown)"
    )
    year: int | None = Field(
        None, ge=1900, le=2999, description="The year it is made public. (default: left out)"
    )
    doi: str | None = Field(
        None, pattern=r"^10\.\d{4,9}/\S+$", description="Its DOI, 10.5281/... (default: left out)"
    )
    force: bool = Field(default=False, description="Replace an earlier bundle.")
