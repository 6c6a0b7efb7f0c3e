"""The request of whether runs that were not there would have been scored fairly."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, model_validator

from roundbook.requests.studies.study import StudyRequest, check_runs_in_files


class LeaveOneOutRequest(StudyRequest):
    """Whether runs that were not there would have been scored fairly."""

    study: Literal["leave-one-out"] = "leave-one-out"
    by: Literal["team", "run"] | None = Field(
        None,
        description="Leave out all runs of a team together, or run by run. (default: by team, where"
        " teams are known)",
    )
    reassessed: bool = Field(
        default=False,
        description="Score all runs anew, without the relevance assessments that are due to the"
        " team left out alone: needs the round's runs and assessments.",
    )
    pool_depth: int | None = Field(
        None,
        ge=1,
        description="With `reassessed`: to which rank runs fed the pool. (default: the largest to"
        " which 95% is judged)",
    )
    teams: Path | None = Field(None, description="With `file`: which team sent which run.")
    qrels: Path | None = Field(
        None,
        description="With `reassessed`, and runs in `file` in place of scores: their relevance"
        " assessments.",
    )

    @property
    def by_teams(self) -> bool:
        """Teams are what is left out, unless it is by run."""
        return self.by != "run"

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Factors of scores, or runs and relevance assessments and, unless raw, factors too."""
        if not self.reassessed:
            return super().rests_on
        factors = () if set(self.scales) == {"raw"} else ("factor_set",)
        return ("run_upload", "qrels", *factors)

    @model_validator(mode="before")
    @classmethod
    def _scales_that_change(cls, given: dict[str, Any]) -> dict[str, Any]:
        usual = ("raw", "std-ab", "std-cdf") if given.get("reassessed") else ("std-ab", "std-cdf")
        return {**given, "scales": given.get("scales") or usual}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.reassessed and self.by == "run":
            message = (
                "`reassessed` goes by team: what one run contributed to the pool, the other runs of"
                " its team mostly did too"
            )
            raise ValueError(message)
        check_runs_in_files(self, "`reassessed`", scored_anew=self.reassessed)
        if not self.reassessed and "raw" in self.scales:
            message = (
                "Raw scores stay as they are whoever is left out: choose another `scale`, or score"
                " all runs anew with `reassessed`"
            )
            raise ValueError(message)
        if not self.reassessed and self.pool_depth is not None:
            message = "`pool_depth` goes with `reassessed`: the assessments stay as they are"
            raise ValueError(message)
        if self.teams is not None and self.by == "run":
            message = "`teams` is for leaving out by team: leave out `by` run"
            raise ValueError(message)
        return self
