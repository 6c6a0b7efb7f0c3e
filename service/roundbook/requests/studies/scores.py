"""Requests of studies of scores as they are: of one round, of two, or of all."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from roundbook.errors import RequestError
from roundbook.limits import MOST_TOPICS, MOST_TRIALS
from roundbook.requests.fields import Positive, Share
from roundbook.requests.studies.study import AllRoundsRequest, StudyRequest, check_power

# Fields of studies of one round and of all rounds.
Permutations = Annotated[
    int, Field(ge=1, le=MOST_TRIALS, description="Permutations of the Tukey HSD test.")
]
TellingApart = Annotated[Share, Field(description="A pair is told apart if its p value is below.")]
PlusOne = Annotated[
    bool,
    Field(description="Count the scores themselves as a permutation: (count+1)/(B+1)."),
]
TopicSetPairs = Annotated[int, Field(ge=1, le=MOST_TRIALS, description="Pairs of topic sets.")]
LargestSwapRate = Annotated[Share, Field(description="Largest swap rate of the needed difference.")]
TopicsEach = Annotated[
    int | None, Field(ge=1, description="Topics on either side. (default: half of them)")
]
WithReplacement = Annotated[
    bool,
    Field(
        description="Take samples of all topics, which overlap, in place of disjoint halves; their"
        " rates are lower."
    ),
]


def _check_topic_sets(request: Any) -> Any:  # noqa: ANN401
    """Raise ValueError if `topics_each` is given for samples of all topics, with replacement."""
    if request.with_replacement and request.topics_each is not None:
        raise ValueError("`with_replacement` takes samples of all topics: leave out `topics_each`")
    return request


class DiscriminativePowerRequest(StudyRequest):
    """How many pairs of runs the scores tell apart, and which."""

    study: Literal["discriminative-power"] = "discriminative-power"
    trials: Permutations = 10_000
    resamples: int = Field(
        1_000, ge=1, le=MOST_TRIALS, description="Of the bootstrap test beside it."
    )
    alpha: TellingApart = 0.05
    plus_one: PlusOne = False
    pairs: bool = Field(
        default=False,
        description="Give every pair of runs too: its difference and its p values.",
    )


class SwapRateRequest(StudyRequest):
    """How often a difference between two runs turns round on other topics."""

    study: Literal["swap-rate"] = "swap-rate"
    trials: TopicSetPairs = 1_000
    level: LargestSwapRate = 0.05
    topics_each: TopicsEach = None
    with_replacement: WithReplacement = False

    _one_way = model_validator(mode="after")(_check_topic_sets)


class AcrossRoundsRequest(AllRoundsRequest):
    """Discriminative power and swap rate of every round of a task that has the measure."""

    study: Literal["across-rounds"] = Field(
        "across-rounds",
        description="Study all rounds that have the measure: discriminative power, swap rate and"
        " needed difference, on all scales unless `scale` names some.",
    )
    trials: Permutations = 10_000
    alpha: TellingApart = 0.05
    plus_one: PlusOne = False
    swap_trials: TopicSetPairs = 1_000
    level: LargestSwapRate = 0.05
    topics_each: TopicsEach = None
    with_replacement: WithReplacement = False

    _one_way = model_validator(mode="after")(_check_topic_sets)


class IncrementalRequest(StudyRequest):
    """Whether the topics judged so far have the power to find a difference, and how many would."""

    study: Literal["incremental"] = "incremental"
    difference: Positive = Field(
        description="Smallest difference between two runs' means worth detecting; needed."
    )
    alpha: Share = Field(0.05, description="Chance of finding a difference where there is none.")
    beta: float = Field(0.20, description="Chance of missing it: the power is 1 less this.")
    start: int = Field(10, ge=2, le=MOST_TOPICS, description="Topics judged before the first look.")
    step: int = Field(1, ge=1, le=MOST_TOPICS, description="Topics judged between two looks.")
    confidence: Share = Field(
        0.8, description="Of the upper limit of the sd that the sure rule goes by."
    )
    pair: tuple[str, ...] = Field(
        (), description="Only the pair of this run and another: name both. (default: all pairs)"
    )
    trials: int = Field(
        10_000, ge=1, le=MOST_TRIALS, description="Pairs and orders of topics to try stopping on."
    )

    @model_validator(mode="after")
    def _possible(self) -> Self:
        check_power(self.alpha, self.beta)
        if len(self.pair) not in (0, 2) or len(set(self.pair)) != len(self.pair):
            raise RequestError("pair", "`pair` takes the names of two different runs")
        return self


class ChangeRequest(StudyRequest):
    """How the systems of two rounds changed, alone and beside a pivot."""

    study: Literal["change"] = "change"
    round: str | None = Field(None, description="The earlier round; none with `file`.")
    to_round: str | None = Field(None, description="The later round; none with `file`.")
    pivot: str | None = Field(
        None,
        description="The system, or its run, that the others are compared with; needed.",
    )
    match: Literal["system", "tag"] = Field(
        "system",
        description="What makes runs of both rounds one system: that their system is recorded, or"
        " that they have one tag, as in files.",
    )
    files: tuple[Path, ...] = Field(
        (), description="Scores of the earlier round, without a record. Repeat."
    )
    to_files: tuple[Path, ...] = Field((), description="Scores of the other round. Repeat.")
    level: Share = Field(0.95, description="Of the intervals.")
    trials: int = Field(
        10_000, ge=1, le=MOST_TRIALS, description="Resamples of the topics of both rounds."
    )

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """Both rounds of the study."""
        return (self.round, self.to_round)

    @property
    def by_teams(self) -> bool:
        """Whether it depends on the runs' teams or systems: yes, if runs are matched by system."""
        return self.match == "system"

    @field_validator("to_round")
    @classmethod
    def _strip(cls, label: str | None) -> str | None:
        return None if label is None else label.strip()

    @model_validator(mode="after")
    def _two_rounds(self) -> Self:
        if (self.round is None) != (self.to_round is None):
            missing = "round" if self.round is None else "to_round"
            message = "a change is between two rounds of a task, and the other one is not given"
            raise RequestError(missing, message)
        if bool(self.files) != bool(self.to_files):
            raise ValueError(
                "A change is between two rounds of a task, or from `file` to `to_file`"
            )
        if set(self.scales) != {"raw"}:
            raise ValueError(
                "A change is of raw scores: those standardised within a round have one mean each"
                " round"
            )
        return self
