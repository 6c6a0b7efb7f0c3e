"""Requests of plans: how many topics the next round needs, or what a number of topics is good for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from roundbook.requests.base import Request
from roundbook.requests.fields import (
    MixedAssessments,
    Positive,
    RunsToCompare,
    ScoresScale,
    Share,
    TopicSetSize,
    Weights,
)

PlanDesign = Literal[
    "anova", "two-way", "tukey", "paired-t", "two-sample-t", "paired-width", "two-sample-width"
]
Solve = Literal["topics", "power", "min-d", "variance", "m"]
Engine = Literal["exact", "sakai"]
# The variance of a paired difference: twice V_2, its mean over pairs of runs, or twice V_E, as in
# published plans.
VarianceOf = Literal["paired", "conservative"]
VarianceLimit = Literal["pooled", "planning", "latest"]

PAIRED: tuple[PlanDesign, ...] = ("paired-t", "paired-width")
INTERVALS: tuple[PlanDesign, ...] = ("paired-width", "two-sample-width")
# The names of the designs that compare two runs; the others compare m.
TWO_RUNS: dict[PlanDesign, str] = {
    "paired-t": "paired t test",
    "two-sample-t": "two-sample t test",
    "paired-width": "interval of a paired difference",
    "two-sample-width": "interval of a two-sample difference",
}
_LIMITS: tuple[VarianceLimit, ...] = get_args(VarianceLimit)
_RUNS, _CANDIDATES, _MIN_D = (2, 10, 50), (2, 3, 5, 10, 20, 50, 100), (0.05, 0.1, 0.2)
# Error rates of a topic set size design unless others are given.
ALPHA, BETA = 0.05, 0.20
_MOST_CELLS = 10_000
_OF_TASK = ("measure", "scale", "assessments", "pool_by", "variance_of", "variance_at")


def _listed(numbers: Iterable[float]) -> str:
    return " ".join(map("{:g}".format, numbers))


class PlanRequest(Request):
    """A grid of topic set size designs, and which one quantity to solve for.

    The variance is given, or that of a task's measure, or what is solved for. `m` are numbers of
    runs to be compared, each at least 2, for the designs that compare several; the others compare
    two. What is solved for is left out, but `m`: solved for, it is chosen from those listed. What
    else is left out is filled in, so that a request can be asked again as it was.

    Numbers for which no design exists are refused where the design is solved.
    """

    variance: Positive | None = Field(
        None,
        description="The residual variance of scores (two-way and tukey: the two-way one; paired"
        " designs take twice it); no record is opened.",
    )
    task: str | None = Field(None, description="Take the variance pooled over its rounds.")
    measure: str | None = Field(None, description="The task's measure.")
    scale: ScoresScale = "raw"
    assessments: MixedAssessments = ()
    pool_by: Weights = "dof"
    variance_of: VarianceOf | None = Field(
        None,
        description="What a paired difference varies by: twice the two-way variance (default, where"
        " there is one), or twice the one-way, as published plans do (Sakai).",
    )
    variance_at: VarianceLimit | float = Field(
        "pooled",
        description="Which variance of the task: pooled over its rounds; planning, which about 4 of 5"
        " next rounds stay below; latest, the latest round's; or a value.",
    )
    design: PlanDesign = Field(
        "anova",
        description="The test: anova (each run on topics of its own), two-way or tukey (runs on the"
        " same topics), paired-t, two-sample-t. Or the interval whose width is to be small:"
        " paired-width, two-sample-width.",
    )
    solve: Solve = Field(
        "topics",
        description="What to compute: topics, power, min-d, variance, or m, the most runs of those"
        " listed.",
    )
    m: tuple[RunsToCompare, ...] = Field(
        (),
        description="Number of runs to compare, for anova, two-way and tukey; repeat. (default:"
        f" {_listed(_RUNS)}; for `solve` m: {_listed(_CANDIDATES)})",
    )
    min_d: tuple[Positive, ...] = Field(
        (),
        description="Smallest difference between the best and the worst run worth detecting, or the"
        f" full width of the interval; repeat. (default: {_listed(_MIN_D)})",
    )
    topics: tuple[TopicSetSize, ...] = Field(
        (), description="Number of topics, unless solved for; repeat."
    )
    alpha: Share = Field(ALPHA, description="Type I error rate.")
    beta: Share = Field(BETA, description="Type II error rate: 1 - power.")
    engine: Engine = Field(
        "exact", description="exact: noncentral F or t. sakai: the published spreadsheets."
    )

    @model_validator(mode="before")
    @classmethod
    def _fill_in(cls, values: dict[str, Any]) -> dict[str, Any]:
        filled = {
            name: value for name, value in values.items() if value is not None and value != ()
        }
        solve = filled.get("solve", "topics")
        usual: dict[str, Any] = {}
        if filled.get("design", "anova") not in list(TWO_RUNS):
            usual["m"] = _CANDIDATES if solve == "m" else _RUNS
        if solve != "min-d":
            usual["min_d"] = _MIN_D
        return usual | filled

    @field_validator("variance_at", mode="before")
    @classmethod
    def _limit_or_value(cls, value: object) -> object:
        if value in _LIMITS:
            return value
        with suppress(ValueError):
            if 0 < (variance := float(str(value))) < math.inf:
                return variance
        raise ValueError(
            f"`variance_at` takes {', '.join(_LIMITS)} or a number above 0, not '{value}'"
        )

    @model_validator(mode="after")
    def _refuse_contradictions(self) -> Self:
        two_runs = TWO_RUNS.get(self.design)
        solves_variance = self.solve == "variance"
        of_task = (
            name
            for name in _OF_TASK
            if getattr(self, name) != type(self).model_fields[name].default
        )
        contradictions = (
            (
                solves_variance and (self.variance, self.task) != (None, None),
                "the variance is what is solved for: leave out `variance` and `task`",
            ),
            (
                not solves_variance and (self.variance is None) == (self.task is None),
                "give either `variance`, or `task` and `measure`",
            ),
            (self.task is not None and self.measure is None, "`task` needs `measure`"),
            (
                self.task is None and any(of_task),
                "`measure`, `scale`, `assessments`, `pool_by`, `variance_of` and `variance_at` go"
                " with `task`",
            ),
            (
                self.variance_of is not None and self.design not in PAIRED,
                f"`variance_of` is of a paired difference: give `design` {' or '.join(PAIRED)}",
            ),
            (
                bool(self.topics) and self.solve == "topics",
                "`topics` goes with `solve` power, min-d, variance or m: otherwise the topics are"
                " what is solved for",
            ),
            (
                (self.design in INTERVALS or self.solve == "power") and self.beta != BETA,
                "there is no power to ask for here: leave out `beta`",
            ),
            (
                self.solve == "m" and two_runs,
                f"the {two_runs} compares two runs: m is nothing to solve for",
            ),
            (
                self.solve == "power" and self.design in INTERVALS,
                f"the {two_runs} has no power to solve for",
            ),
            (self.m and two_runs, f"the {two_runs} compares two runs: leave out m"),
            (
                not self.topics and self.solve != "topics",
                f"solving for {self.solve} needs topics",
            ),
            (
                bool(self.min_d) and self.solve == "min-d",
                "min-d is what is solved for: leave it out",
            ),
            (
                len(self.m or "1") * len(self.min_d or "1") * len(self.topics or "1") > _MOST_CELLS,
                f"there are more than {_MOST_CELLS:,} cells to solve: ask for fewer at a time",
            ),
        )
        for contradicts, sentence in contradictions:
            if contradicts:
                raise ValueError(sentence)
        return self
