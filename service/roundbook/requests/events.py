"""The request for the record's events."""

from __future__ import annotations

from datetime import date
from typing import Self

from pydantic import Field, model_validator

from roundbook.requests.base import Request


class EventsRequest(Request):
    """Events, oldest first; all of them, or those that every filter lets through."""

    task: str | None = Field(None, description="Only those of this task.")
    round: str | None = Field(None, description="Only those of its round.")
    matrix: int | None = Field(None, description="Only those of this matrix.")
    what: str | None = Field(None, description="Only these: 'matrix withdrawn'.")
    who: str | None = Field(None, description="Only this person's.")
    since: date | None = Field(None, description="Only from this day (UTC) on.")
    after: int | None = Field(
        None, ge=0, le=2**63 - 1, description="Only those after this event, by its number."
    )
    limit: int | None = Field(
        None,
        ge=1,
        le=10**9,
        description="Only the latest N; with `after`, the first N after it. (default: all)",
    )

    @model_validator(mode="after")
    def _check_round(self) -> Self:
        if self.round is not None and self.task is None:
            raise ValueError("`round` needs `task`")
        return self
