"""Requests of studies: what the scores of a round, or of files, bear."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import Assessments, Layout, MeasureName, Missing, VarianceScale

_MOST_TRIALS = 1_000_000


class StudyRequest(Request):
    """A study of one score matrix: that of a round, or of files without a record.

    Raises
    ------
    RequestError
        When neither or both are named.
    """

    task: str | None = Field(None, description="The task's name; none with `file`.")
    round: str | None = Field(None, description="The round's label; none with `file`.")
    measure: MeasureName
    scales: tuple[VarianceScale, ...] = Field(
        ("raw",), description="A scale of the scores; repeat to see several beside each other."
    )
    seed: int = Field(0, ge=0, description="Of all that is drawn.")
    assessments: Assessments = None
    files: tuple[Path, ...] = Field(
        (), description="Study the scores in this file, without a record. Repeat."
    )
    layout: Layout = Field("auto", description="How the files are laid out.")
    file_measure: str | None = Field(
        None, description="What the files call the measure, if otherwise."
    )
    missing: Missing = Field("reject", description="Missing scores in the files.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """What of the record it is computed from."""
        return ("matrix",) if set(self.scales) == {"raw"} else ("factor_set",)

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Which rounds it is of; none stands for all that have the measure."""
        return (self.round,)

    @property
    def by_teams(self) -> bool:
        """Whether it rests on what is known of the runs' teams."""
        return False

    @field_validator("scales", mode="before")
    @classmethod
    def _known_and_once(cls, scales: tuple[str, ...]) -> tuple[str, ...]:
        known = get_args(VarianceScale)
        unknown = [scale for scale in scales if scale not in known]
        if unknown:
            message = f"`scale` takes {', '.join(known)}, not '{unknown[0]}'"
            raise ValueError(message)
        return tuple(dict.fromkeys(scales or ("raw",)))

    @model_validator(mode="after")
    def _round_or_files(self) -> Self:
        if bool(self.files) == (self.task is not None) or (self.task is None) != (
            self.round is None
        ):
            message = "A study is of a task's round, or of the scores in `file`"
            raise ValueError(message)
        return self


class DiscriminativePowerRequest(StudyRequest):
    """How many pairs of runs the scores tell apart, and which."""

    study: Literal["discriminative-power"] = "discriminative-power"
    trials: int = Field(
        10_000, ge=1, le=_MOST_TRIALS, description="Permutations of the Tukey HSD test."
    )
    resamples: int = Field(
        1_000, ge=1, le=_MOST_TRIALS, description="Of the bootstrap test beside it."
    )
    alpha: float = Field(0.05, description="A pair is told apart if its p value is below.")
    plus_one: bool = Field(
        default=False, description="Count the scores themselves as a permutation: (count+1)/(B+1)."
    )

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return _between("alpha", alpha)


class SwapRateRequest(StudyRequest):
    """How often a difference between two runs turns round on other topics."""

    study: Literal["swap-rate"] = "swap-rate"
    trials: int = Field(1_000, ge=1, le=_MOST_TRIALS, description="Pairs of topic sets.")
    level: float = Field(0.05, description="Largest swap rate of the needed difference.")
    topics_each: int | None = Field(
        None, ge=1, description="Topics on either side. (default: half of them)"
    )
    with_replacement: bool = Field(
        default=False,
        description="Take samples of all topics, which overlap, in place of disjoint halves; their"
        " rates are lower.",
    )

    @field_validator("level")
    @classmethod
    def _check_level(cls, level: float) -> float:
        return _between("level", level)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.with_replacement and self.topics_each is not None:
            message = "`with_replacement` takes samples of all topics: leave out `topics_each`"
            raise ValueError(message)
        return self


class AcrossRoundsRequest(StudyRequest):
    """Discriminative power and swap rate of every round of a task that has the measure."""

    study: Literal["across-rounds"] = "across-rounds"
    scales: tuple[VarianceScale, ...] = Field(
        get_args(VarianceScale), description="The scales that are beside each other."
    )
    trials: int = Field(
        10_000, ge=1, le=_MOST_TRIALS, description="Permutations of the Tukey HSD test."
    )
    alpha: float = Field(0.05, description="A pair is told apart if its p value is below.")
    plus_one: bool = Field(
        default=False, description="Count the scores themselves as a permutation: (count+1)/(B+1)."
    )
    swap_trials: int = Field(1_000, ge=1, le=_MOST_TRIALS, description="Pairs of topic sets.")
    level: float = Field(0.05, description="Largest swap rate of the needed difference.")
    topics_each: int | None = Field(
        None, ge=1, description="Topics on either side. (default: half of a round's)"
    )
    with_replacement: bool = Field(
        default=False, description="Take samples of all topics in place of disjoint halves."
    )

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """All that have the measure."""
        return ()

    @model_validator(mode="after")
    def _round_or_files(self) -> Self:
        if self.task is None or self.round is not None or self.files:
            message = (
                "`all_rounds` studies all rounds of a task: name the task, and no round or file"
            )
            raise ValueError(message)
        for name in ("alpha", "level"):
            _between(name, getattr(self, name))
        if self.with_replacement and self.topics_each is not None:
            message = "`with_replacement` takes samples of all topics: leave out `topics_each`"
            raise ValueError(message)
        return self


class IncrementalRequest(StudyRequest):
    """Whether the topics judged so far have the power to find a difference, and how many would."""

    study: Literal["incremental"] = "incremental"
    difference: float = Field(
        gt=0, lt=math.inf, description="Between two runs' means, on the scale: worth detecting."
    )
    alpha: float = Field(0.05, description="Chance of finding a difference where there is none.")
    beta: float = Field(0.20, description="Chance of missing it: the power is 1 less this.")
    start: int = Field(10, ge=2, description="Topics judged before the first look.")
    step: int = Field(1, ge=1, description="Topics judged between two looks.")
    confidence: float = Field(
        0.8, description="Of the upper limit of the sd that the sure rule goes by."
    )
    pair: tuple[str, ...] = Field(
        (), description="Only the pair of this run and another: name both. (default: all pairs)"
    )
    trials: int = Field(
        10_000, ge=1, le=_MOST_TRIALS, description="Pairs and orders of topics to try stopping on."
    )

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return _between("alpha", alpha)

    @field_validator("confidence")
    @classmethod
    def _check_confidence(cls, confidence: float) -> float:
        return _between("confidence", confidence)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 0 < self.beta < 1 - self.alpha:
            message = f"`beta` must be between 0 and 1 - alpha, not {self.beta:g}"
            raise ValueError(message)
        if len(self.pair) not in (0, 2) or len(set(self.pair)) != len(self.pair):
            message = "`pair` names two runs: give it twice"
            raise ValueError(message)
        return self


class ChangeRequest(StudyRequest):
    """How the systems of two rounds changed, alone and beside a pivot."""

    study: Literal["change"] = "change"
    round: str | None = Field(None, description="The round to compare with; none with `file`.")
    to_round: str | None = Field(None, description="The other round; none with `file`.")
    pivot: str = Field(description="The system, or its run, that the others are compared with.")
    match: Literal["system", "tag"] = Field(
        "system",
        description="What makes runs of both rounds one system: that their system is recorded, or"
        " that they have one tag, as in files.",
    )
    files: tuple[Path, ...] = Field(
        (), description="Scores of the earlier round, without a record. Repeat."
    )
    to_files: tuple[Path, ...] = Field((), description="Scores of the other round. Repeat.")
    level: float = Field(0.95, description="Of the intervals.")
    trials: int = Field(
        10_000, ge=1, le=_MOST_TRIALS, description="Resamples of the topics of both rounds."
    )

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Both rounds."""
        return (self.round, self.to_round)

    @property
    def by_teams(self) -> bool:
        """Whether it rests on what is known of the runs, as their systems are."""
        return self.match == "system"

    @field_validator("to_round")
    @classmethod
    def _strip(cls, label: str | None) -> str | None:
        return None if label is None else label.strip()

    @field_validator("level")
    @classmethod
    def _check_level(cls, level: float) -> float:
        return _between("level", level)

    @model_validator(mode="after")
    def _two_rounds(self) -> Self:
        if (self.round is None) != (self.to_round is None) or bool(self.files) != bool(
            self.to_files
        ):
            message = "A change is between two rounds of a task, or from `file` to `to_files`"
            raise ValueError(message)
        if set(self.scales) != {"raw"}:
            message = (
                "A change is of raw scores: those standardised within a round have one mean each"
                " round"
            )
            raise ValueError(message)
        return self


class PilotRequest(StudyRequest):
    """What smaller pilots than a round would have found, and how many topics they would have planned.

    Topics are planned as by `plan` with one-way ANOVA: `m` runs, minD, alpha and beta.
    """

    trials: int = Field(100, ge=1, le=_MOST_TRIALS, description="Pilots of each size, at random.")
    min_d: float = Field(
        0.15,
        gt=0,
        lt=math.inf,
        description="The plan's smallest difference between the best and the worst run worth"
        " detecting.",
    )
    m: int = Field(10, ge=2, description="The plan's number of runs to compare.")
    alpha: float = Field(0.05, description="The plan's type I error rate.")
    beta: float = Field(0.20, description="The plan's type II error rate: 1 - power.")

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return _between("alpha", alpha)

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not 0 < self.beta < 1 - self.alpha:
            message = f"`beta` must be between 0 and 1 - alpha, not {self.beta:g}"
            raise ValueError(message)
        return self


class TopicSubsetsRequest(PilotRequest):
    """What pilots of all runs on fewer topics would have found."""

    study: Literal["topic-subsets"] = "topic-subsets"
    topics: tuple[int, ...] = Field(
        (),
        description="Topics of a pilot; repeat. (default: 75, 50, 25 and 10, where there are more)",
    )


class LeaveTeamsOutRequest(PilotRequest):
    """What pilots of fewer teams would have found."""

    study: Literal["leave-teams-out"] = "leave-teams-out"
    teams_left: tuple[int, ...] = Field(
        (),
        description="Teams of a pilot; repeat. (default: 1, 2, 3, 5, 10, 20, 30, 50, 100, ..., where"
        " there are more)",
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
        description="With mode reduce: to which rank runs fed the pool. (default: the largest to"
        " which 95% is judged)",
    )
    teams: Path | None = Field(None, description="With `file`: which team sent which run.")

    @property
    def by_teams(self) -> bool:
        """Teams are what is drawn."""
        return True

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Scores, or runs and relevance assessments."""
        return ("run_upload", "qrels") if self.mode == "reduce" else super().rests_on

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.every_number and self.teams_left:
            message = "`every_number` is of all numbers of teams: leave out `teams_left`"
            raise ValueError(message)
        if self.teams is not None and not self.files:
            message = "`teams` goes with `file`: the record knows the teams of a round's runs"
            raise ValueError(message)
        if self.mode == "keep" and self.pool_depth is not None:
            message = "`pool_depth` goes with `mode` reduce: the assessments are kept as they are"
            raise ValueError(message)
        if self.mode == "reduce" and self.files:
            message = (
                "`mode` reduce needs runs and relevance assessments, which are in the record and"
                " not in a score file"
            )
            raise ValueError(message)
        if self.mode == "reduce" and set(self.scales) != {"raw"}:
            message = "`mode` reduce is of raw scores: fewer assessments would make other factors"
            raise ValueError(message)
        return self


class PerTopicVarianceRequest(StudyRequest):
    """Whether the runs would rank alike if the document collection were another sample."""

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
    trials: int = Field(1_000, ge=1, le=_MOST_TRIALS, description="Draws of all lists.")
    alpha: float = Field(0.05, description="Of the paired t test in each draw.")

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Runs and relevance assessments."""
        return ("run_upload", "qrels")

    @field_validator("alpha")
    @classmethod
    def _check_alpha(cls, alpha: float) -> float:
        return _between("alpha", alpha)

    @model_validator(mode="after")
    def _of_runs(self) -> Self:
        if bool(self.files) != (self.qrels is not None):
            message = "Runs in `file` go with their relevance assessments in `qrels`"
            raise ValueError(message)
        if set(self.scales) != {"raw"}:
            message = "Per-topic variance is of raw scores: a draw has no standardisation factors"
            raise ValueError(message)
        return self


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

    @property
    def by_teams(self) -> bool:
        """Teams are what is left out, unless it is by run."""
        return self.by != "run"

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Factors of scores, or runs and relevance assessments."""
        return ("run_upload", "qrels") if self.reassessed else super().rests_on

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
        if self.reassessed and self.files:
            message = (
                "`reassessed` needs runs and relevance assessments, which are in the record and not"
                " in a score file"
            )
            raise ValueError(message)
        if not self.reassessed and "raw" in self.scales:
            message = (
                "Raw scores stay as they are whoever is left out: choose another `scale`, or score"
                " all runs anew with `reassessed`"
            )
            raise ValueError(message)
        if not self.reassessed and self.pool_depth is not None:
            message = "`pool_depth` goes with `reassessed`: the assessments stay as they are"
            raise ValueError(message)
        if self.teams is not None and not self.files:
            message = "`teams` goes with `file`: the record knows the teams of a round's runs"
            raise ValueError(message)
        if self.teams is not None and self.by == "run":
            message = "`teams` is for leaving out by team: leave out `by` run"
            raise ValueError(message)
        return self


def _between(name: str, share: float) -> float:
    if not 0 < share < 1:
        message = f"`{name}` must be between 0 and 1, not {share:g}"
        raise ValueError(message)
    return share
