"""Requests of studies of an altered round: without teams, runs or topics, or its lists drawn anew."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import Field, model_validator

from roundbook.limits import MOST_TRIALS, PILOT_TEAMS, PILOT_TOPICS
from roundbook.requests.fields import MeasureName, Positive, RunsToCompare, Share, VarianceScale
from roundbook.requests.plans import ALPHA, BETA
from roundbook.requests.studies.study import (
    AllRoundsRequest,
    StudyRequest,
    check_power,
    refuse_file_fields,
)

TeamFile = Annotated[Path | None, Field(description="With `file`: which team sent which run.")]


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
    teams: TeamFile = None
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
        every = get_args(VarianceScale)
        usual = every if values.get("reassessed") else every[1:]
        return {**values, "scales": values.get("scales") or usual}

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.reassessed and self.by == "run":
            raise ValueError(
                "`reassessed` goes by team: what one run contributed to the pool, the other runs of"
                " its team mostly did too"
            )
        _check_runs_in_files(self, "`reassessed`", scored_anew=self.reassessed)
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


class LeaveOneOutRoundsRequest(AllRoundsRequest):
    """Whether each round of a task would have scored teams fairly that were not there.

    By the factors of the others and, where runs and assessments are recorded, by the assessments
    that there had been without the team. Raw scores only change by the assessments.
    """

    shares_topics: ClassVar[bool] = True  # the ageing of factors depends on them

    study: Literal["leave-one-out-rounds"] = Field(
        "leave-one-out-rounds",
        description="Study all rounds that have the measure, by the factors and, where runs and"
        " assessments are recorded, by the assessments too; beside it, how the first round's factors"
        " age.",
    )

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The kinds of its inputs: factors, runs and relevance assessments."""
        return ("factor_set", "run_upload", "qrels")

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams: true, teams are left out."""
        return True

    @model_validator(mode="after")
    def _standardised(self) -> Self:
        if set(self.scales) == {"raw"}:
            raise ValueError(
                "Raw scores stay as they are by the factors, whoever is left out: name another"
                " `scale` too"
            )
        return self


class PilotRequest(StudyRequest):
    """What smaller pilots than a round would have found, and how many topics they would have planned.

    Topics are planned as by `plan` with one-way ANOVA: `m` runs, minD, alpha and beta.
    """

    trials: int = Field(100, ge=1, le=MOST_TRIALS, description="Pilots of each size, at random.")
    min_d: Positive = Field(
        0.15,
        description="The plan's smallest difference between the best and the worst run worth"
        " detecting.",
    )
    m: RunsToCompare = Field(10, description="The plan's number of runs to compare.")
    alpha: Share = Field(ALPHA, description="The plan's type I error rate.")
    beta: float = Field(BETA, description="The plan's type II error rate: 1 - power.")

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_power(self.alpha, self.beta)
        return self


class TopicSubsetsRequest(PilotRequest):
    """What pilots of all runs on fewer topics would have found."""

    study: Literal["topic-subsets"] = "topic-subsets"
    topics: tuple[int, ...] = Field(
        (),
        description=f"Topics of a pilot; repeat. (default: {', '.join(map(str, PILOT_TOPICS))}, where"
        " there are more; else half of them)",
    )


class LeaveTeamsOutRequest(PilotRequest):
    """What pilots of fewer teams would have found."""

    study: Literal["leave-teams-out"] = "leave-teams-out"
    teams_left: tuple[int, ...] = Field(
        (),
        description=f"Teams of a pilot; repeat. (default: {', '.join(map(str, PILOT_TEAMS))}, ten times"
        " these, and so on, where there are more)",
    )
    every_number: bool = Field(
        default=False, description="Pilots of every number of teams from 1 on."
    )
    mode: Literal["keep", "reduce"] = Field(
        "keep",
        description="keep: the scores as they are. reduce: computed anew from the round's runs,"
        " without the relevance assessments that are due to teams left out alone.",
    )
    pool_depth: int | None = Field(
        None,
        ge=1,
        description="With `mode` reduce: to which rank runs fed the pool. (default: the largest to"
        " which 95% is judged)",
    )
    teams: TeamFile = None
    qrels: Path | None = Field(
        None,
        description="With `mode` reduce, and runs in `file` in place of scores: their relevance"
        " assessments.",
    )

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams: true, teams are drawn."""
        return True

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The kinds of its inputs: scores, or runs and relevance assessments."""
        return ("run_upload", "qrels") if self.mode == "reduce" else super().rests_on

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.every_number and self.teams_left:
            raise ValueError("`every_number` is of all numbers of teams: leave out `teams_left`")
        if self.mode == "keep" and self.pool_depth is not None:
            raise ValueError(
                "`pool_depth` goes with `mode` reduce: the assessments are kept as they are"
            )
        _check_runs_in_files(self, "`mode` reduce", scored_anew=self.mode == "reduce")
        if self.mode == "reduce" and set(self.scales) != {"raw"}:
            raise ValueError(
                "`mode` reduce is of raw scores: fewer assessments would make other factors"
            )
        return self


def _check_runs_in_files(
    request: LeaveOneOutRequest | LeaveTeamsOutRequest, way: str, *, scored_anew: bool
) -> None:
    """Raise ValueError unless `teams` and `qrels` fit: only with files, both for runs in files.

    The message names the `way`: the field, and its value, by which runs are scored anew.
    """
    qrels, teams = request.qrels, request.teams
    if teams is not None and not request.files:
        raise ValueError("`teams` goes with `file`: the record knows the teams of a round's runs")
    if qrels is not None and not (request.files and scored_anew):
        raise ValueError(
            f"`qrels` goes with `file` and {way}: it is what runs in files are scored by"
        )
    if not request.files or not scored_anew:
        return
    if qrels is None or teams is None:
        raise ValueError(
            f"{way} of files takes runs in `file`, their relevance assessments in `qrels`, and in"
            " `teams` which team sent which run and which fed the pool"
        )
    refuse_file_fields(request, f"{way} takes runs")


class PerTopicVarianceRequest(StudyRequest):
    """Whether the runs would rank alike if each run's list of documents varied for itself."""

    study: Literal["per-topic-variance"] = "per-topic-variance"
    measure: MeasureName = Field("AP", description="The measure; no other can be studied so.")
    files: tuple[Path, ...] = Field(
        (), description="Study the runs in this file or folder, without a record. Repeat."
    )
    qrels: Path | None = Field(None, description="With `file`: the relevance assessments.")
    model: Literal["bst", "kde"] = Field(
        "bst",
        description="Draw the documents of each list again, or scores from kernel density"
        " estimates of theirs.",
    )
    denominator: Literal["sampled", "fixed"] = Field(
        "sampled",
        description="Divide precisions by the relevant documents of the draw, or by those of the"
        " assessments.",
    )
    depth: int = Field(1_000, ge=1, le=1_000, description="Documents of a list that are looked at.")
    padded: bool = Field(
        default=False, description="Draw as many documents as `depth` of shorter lists too."
    )
    trials: int = Field(1_000, ge=1, le=MOST_TRIALS, description="Draws of all lists.")
    alpha: Share = Field(0.05, description="Of the paired t test in each draw.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """It depends on runs and relevance assessments."""
        return ("run_upload", "qrels")

    @model_validator(mode="after")
    def _of_runs(self) -> Self:
        if bool(self.files) != (self.qrels is not None):
            raise ValueError("Runs in `file` go with their relevance assessments in `qrels`")
        if set(self.scales) != {"raw"}:
            raise ValueError(
                "Per-topic variance is of raw scores: a draw has no standardisation factors"
            )
        return self
