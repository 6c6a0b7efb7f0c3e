"""What to verify: the record, or a round against its fingerprint."""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request


class VerifyRequest(Request):
    """Verify the record, or one task of it."""

    task: str | None = Field(None, description="Only this task. (default: the whole record)")


class RoundVerificationRequest(Request):
    """Compare a round with its fingerprint."""

    task: str = Field(description="The task's name.")
    round: str = Field(description="The round's label.")
    fingerprint: str | None = Field(
        None,
        pattern="^[0-9a-fA-F]{64}$",
        description="The fingerprint, as it was printed. (default: that of its publication)",
    )
