"""Requests about drift: do the standardisation factors of an earlier round still hold?"""

from __future__ import annotations

from pydantic import Field

from roundbook.requests.base import Request

# What the topic set sizes are to detect where no smallest difference is named.
DETECTED_MIN_D = 0.1


class CurveRequest(Request):
    """One round's factors against those of every later round."""

    task: str = Field(description="The task's name.")
    measure: str = Field(description="The measure: nDCG@10, AP, RBP(p=0.8), ...")
    from_round: str | None = Field(None, description="Default: the first.")
    margin: float | None = Field(
        None, description="Largest shift, in first-round sds, that holds. (default: 0.2)"
    )
    sd_ratio_margin: float = Field(1.25, description="Largest ratio of sds that holds, above 1.")
    min_d: float | None = Field(
        None,
        description="Smallest std-AB difference that matters: the margin is D / 0.3 sds, unless a"
        " margin is given. Topics needed: to detect it. (default: 0.1)",
    )
    assessments: str | None = Field(
        None, description="Which assessments, where there are several."
    )


class DriftRequest(CurveRequest):
    """One round's factors against those of another round."""

    to_round: str | None = Field(None, description="Default: the latest.")
    m: int = Field(10, description="Topics needed: to compare m runs. (default: 10)")
