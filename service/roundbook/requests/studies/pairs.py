"""Requests of studies of all pairs of a round's runs."""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from roundbook.limits import MOST_TRIALS
from roundbook.requests.studies.study import Share, StudyRequest, check_power

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

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        check_topic_sets(self.topics_each, with_replacement=self.with_replacement)
        return self


def check_topic_sets(topics_each: int | None, *, with_replacement: bool) -> None:
    """Raise ValueError if `topics_each` is given for samples of all topics, with replacement."""
    if with_replacement and topics_each is not None:
        raise ValueError("`with_replacement` takes samples of all topics: leave out `topics_each`")


class IncrementalRequest(StudyRequest):
    """Whether the topics judged so far have the power to find a difference, and how many would."""

    study: Literal["incremental"] = "incremental"
    difference: float = Field(
        gt=0, lt=math.inf, description="Between two runs' means, on the scale: worth detecting."
    )
    alpha: Share = Field(0.05, description="Chance of finding a difference where there is none.")
    beta: float = Field(0.20, description="Chance of missing it: the power is 1 less this.")
    start: int = Field(10, ge=2, description="Topics judged before the first look.")
    step: int = Field(1, ge=1, description="Topics judged between two looks.")
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
            raise ValueError("`pair` names two runs: give it twice")
        return self
