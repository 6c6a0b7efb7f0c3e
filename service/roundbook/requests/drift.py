"""Requests about drift: whether the standardisation factors of an earlier round still hold."""

from __future__ import annotations

import math

from pydantic import Field, field_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, MeasureName, TaskName

# What the topic set sizes are to detect where no smallest difference is named.
DETECTED_MIN_D = 0.1
_MOST_RUNS = 1_000_000


class CurveRequest(Request):
    """One round's factors against those of every later round."""

    task: TaskName
    measure: MeasureName
    from_round: str | None = Field(None, description="Default: the first.")
    margin: float | None = Field(
        None, description="Largest shift, in first-round sds, that holds. (default: 0.2)"
    )
    sd_ratio_margin: float = Field(1.25, description="Largest ratio of sds that holds, above 1.")
    min_d: float | None = Field(
        None,
        description="Smallest std-AB difference that matters. It sets two things: the margin, D /"
        " 0.3 sds, unless `margin` does (without both: 0.2), and what the topics needed are to"
        " detect (without it: 0.1).",
    )
    assessments: Assessments = None

    @field_validator("margin")
    @classmethod
    def _check_margin(cls, margin: float | None) -> float | None:
        if margin is not None and not 0 < margin < math.inf:
            message = f"The margin of the shift must be positive, not {margin}"
            raise ValueError(message)
        return margin

    @field_validator("sd_ratio_margin")
    @classmethod
    def _check_sd_ratio_margin(cls, margin: float) -> float:
        if not 1 < margin < math.inf:
            message = f"The margin of the sd ratio must exceed 1, not {margin}"
            raise ValueError(message)
        return margin

    @field_validator("min_d")
    @classmethod
    def _check_min_d(cls, min_d: float | None) -> float | None:
        if min_d is not None and not 0 < min_d < math.inf:
            message = f"A minD must be positive and finite, not {min_d}"
            raise ValueError(message)
        return min_d


class DriftRequest(CurveRequest):
    """One round's factors against those of another round."""

    to_round: str | None = Field(None, description="Default: the latest.")
    m: int = Field(10, description="Topics needed: to compare m runs. (default: 10)")

    @field_validator("m")
    @classmethod
    def _check_m(cls, m: int) -> int:
        if not 2 <= m <= _MOST_RUNS:
            message = f"A topic set is planned for 2 to {_MOST_RUNS:,} runs, not {m}"
            raise ValueError(message)
        return m

    @property
    def detected(self) -> float:
        """The difference that the topic set sizes are to detect."""
        return DETECTED_MIN_D if self.min_d is None else self.min_d
