"""Requests about jobs: studies that a worker computes while nobody waits."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from roundbook.requests.base import Request

_MOST = 2**63 - 1


class StartStudy(Request):
    """A study for a worker to compute and save."""

    study: str = Field(description="Which one, such as swap-rate.")
    request: dict[str, Any] = Field(description="What is asked of it.")
    name: str | None = Field(
        None, description="What it is saved under. (default: the task, 'study' and a number)"
    )
    note: str | None = Field(None, description="Why.")


class ListJobs(Request):
    """The jobs, latest first."""

    task: str | None = Field(None, description="Of this task only.")
    before: int | None = Field(None, ge=1, le=_MOST, description="Only jobs with a smaller number.")
    limit: int = Field(50, ge=1, le=1_000, description="So many at most.")


class ShowJob(Request):
    """One job."""

    job: int = Field(ge=1, le=_MOST, description="Its number.")
