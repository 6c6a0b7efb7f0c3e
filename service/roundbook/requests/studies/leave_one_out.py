"""The request for leave-one-out: whether runs left out would have been scored fairly."""

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
        """Whether it depends on the runs' teams: yes, unless it leaves out run by run."""
        return self.by != "run"

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Inputs: factors of scores; or runs, relevance assessments and, unless raw, factors."""
        if not self.reassessed:
            return super().rests_on
        factors = () if set(self.scales) == {"raw"} else ("factor_set",)
        return ("run_upload", "qrels", *factors)

    @model_validator(mode="before")
    @classmethod
    def _scales_that_change(cls, values: dict[str, Any]) -> dict[str, Any]:
        usual = ("raw", "std-ab", "std-cdf") if values.get("reassessed") else ("std-ab", "std-cdf")
        return {**values, "scales": values.get("scales") or usual}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.reassessed and self.by == "run":
            raise ValueError(
                "`reassessed` goes by team: what one run contributed to the pool, the other runs of"
                " its team mostly did too"
            )
        check_runs_in_files(self, "`reassessed`", scored_anew=self.reassessed)
        if not self.reassessed and "raw" in self.scales:
            raise ValueError(
                "Raw scores stay as they are whoever is left out: choose another `scale`, or score"
                " all runs anew with `reassessed`"
            )
        if not self.reassessed and self.pool_depth is not None:
            raise ValueError(
                "`pool_depth` goes with `reassessed`: the assessments stay as they are"
            )
        if self.teams is not None and self.by == "run":
            raise ValueError("`teams` is for leaving out by team: leave out `by` run")
        return self
