"""Requests about drift: whether the standardisation factors of an earlier round still hold."""

from __future__ import annotations

from pydantic import Field

from roundbook.limits import SD_RATIO_MARGIN, SHIFT_MARGIN
from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, MeasureName, Positive, TaskName

# The difference that topic set sizes are to detect unless one is given.
DETECTED_MIN_D = 0.1


class CurveRequest(Request):
    """One round's factors against those of every later round."""

    task: TaskName
    measure: MeasureName
    from_round: str | None = Field(
        None, description="Whose factors are in question. (default: the first with factors)"
    )
    margin: Positive | None = Field(
        None,
        description="Largest shift, in first-round sds, that holds; above 0. (default:"
        f" {SHIFT_MARGIN:g})",
    )
    sd_ratio_margin: float = Field(
        SD_RATIO_MARGIN,
        gt=1,
        allow_inf_nan=False,
        description="Largest ratio of sds that holds, above 1.",
    )
    min_d: Positive | None = Field(
        None,
        description="Smallest std-AB difference that matters. It sets two things: the margin, D /"
        " 0.3 sds, unless `margin` does (without both:"
        f" {SHIFT_MARGIN:g}), and what the topics needed are to detect (without it:"
        f" {DETECTED_MIN_D:g}).",
    )
    assessments: Assessments = None


class DriftRequest(CurveRequest):
    """One round's factors against those of another round."""

    to_round: str | None = Field(
        None, description="Against which round. (default: the latest with factors)"
    )
    m: int = Field(10, ge=2, le=1_000_000, description="Topics needed: to compare m runs.")

    @property
    def detected(self) -> float:
        """Smallest difference that the topic set sizes are to detect."""
        return DETECTED_MIN_D if self.min_d is None else self.min_d
