"""The model of a job, without the queue, so that clients of a service can import it."""

from __future__ import annotations

from datetime import datetime
from operator import not_
from typing import Any, Literal

from pydantic import Field

from roundbook.logbook.result import Result

ENDED = ("done", "failed", "cancelled")


class Job(Result):
    """A study that a worker computes: what was asked, how far it is, and what came of it.

    While it runs, `done` of `total` pieces of its present `part` are done, and `seconds_left` is
    how long the part will take yet. `stopping` is whether it was cancelled and its worker has not
    stopped yet. `lost` counts how often its worker, or the database under it, was lost and it was
    taken up again. A job that is done saved `result`, in `version`; `saved` is ``unchanged`` where
    that was there already.
    `asked_before` has the former values of fields of the request that differ from those of the
    version before, such as another round under the same name.
    """

    job: int
    study: str
    task: str
    name: str | None
    note: str | None
    request: dict[str, Any]
    status: Literal["waiting", "running", "done", "failed", "cancelled"]
    stopping: bool
    lost: int
    asked_by: str
    asked_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    part: str | None
    done: int | None
    total: int | None
    seconds_left: float | None
    result: str | None
    version: int | None
    saved: Literal["saved", "unchanged"] | None
    asked_before: dict[str, Any] = Field(default_factory=dict, exclude_if=not_)
    error: str | None


class JobList(Result):
    """Jobs, latest first."""

    jobs: list[Job]
