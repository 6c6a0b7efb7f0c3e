"""Requests about saved results, and about jobs: studies that a worker computes and saves."""

from __future__ import annotations

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from roundbook.limits import LONGEST_NAME, LONGEST_TEXT
from roundbook.requests.base import Request

_MOST = 2**63 - 1
_KINDS = "plan, drift or study"
KindOfResult = Annotated[
    str | None,
    Field(description=f"Its kind, where two kinds have the name: {_KINDS}."),
]
ResultName = Annotated[
    str | None,
    Field(
        max_length=LONGEST_NAME,
        description="Keep it under this name, with its inputs. (default: the task, the kind of result"
        " and a number)",
    ),
]
ResultNote = Annotated[str | None, Field(max_length=LONGEST_TEXT, description="Why it is kept.")]


class SaveResult(Request):
    """The name under which a result is saved, and a note on it."""

    name: ResultName = None
    note: ResultNote = None


class ListResults(Request):
    """Which saved results to list: the latest version of each."""

    task: str | None = Field(None, description="Only results of this task.")
    kind: str | None = Field(None, description=f"Only results of this kind: {_KINDS}.")
    stale: bool = Field(default=False, description="Only results that are stale.")


class ShowResult(Request):
    """Which version of a saved result to show."""

    name: str = Field(description="The result's name, as the list of results has it.")
    kind: KindOfResult = None
    version: int | None = Field(None, description="Which version. (default: the latest)")


class RenewResults(Request):
    """Which saved results to compute again from what counts today, as their next versions."""

    name: str | None = Field(None, description="The result's name.")
    task: str | None = Field(
        None, description="In place of one result: all that is stale of the task of this name."
    )
    kind: KindOfResult = None
    dry_run: bool = Field(default=False, description="Say what would be renewed, save nothing.")

    @model_validator(mode="after")
    def _either(self) -> Self:
        if (self.name is None) == (self.task is None):
            raise ValueError(
                "Either one result is renewed, by its name, or all stale ones of a task"
            )
        return self


class StartStudy(SaveResult):
    """A study for a worker to compute and save."""

    study: str = Field(description="Which one, such as swap-rate.")
    request: dict[str, Any] = Field(description="What is asked of it.")


class ListJobs(Request):
    """The jobs, latest first."""

    task: str | None = Field(None, description="Of this task only.")
    before: int | None = Field(None, ge=1, le=_MOST, description="Only jobs with a smaller number.")
    limit: int = Field(50, ge=1, le=1_000, description="So many at most.")


class ShowJob(Request):
    """One job."""

    job: int = Field(ge=1, le=_MOST, description="Its number.")
