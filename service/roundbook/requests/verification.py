"""Requests to verify the record, or a round against its fingerprint."""

from __future__ import annotations

import re

from pydantic import Field, field_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import RoundLabel, TaskName


class VerifyRequest(Request):
    """Verify the record, or one task of it."""

    task: str | None = Field(None, description="Only this task. (default: the whole record)")


class RoundVerificationRequest(Request):
    """Compare a round with its fingerprint."""

    task: TaskName
    round: RoundLabel
    fingerprint: str | None = Field(
        None,
        description="The fingerprint, as it was printed. (default: that of its publication)",
    )

    @field_validator("fingerprint")
    @classmethod
    def _is_whole(cls, fingerprint: str | None) -> str | None:
        if fingerprint is not None and not re.fullmatch("[0-9a-fA-F]{64}", fingerprint):
            raise ValueError(
                f"A fingerprint is 64 hexadecimal digits, as it was printed; '{fingerprint}' is not"
                " one"
            )
        return fingerprint
