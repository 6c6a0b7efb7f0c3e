"""The options of ``roundbook plan`` and ``plan save``; nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import typer

from roundbook.requests.fields import PoolBy, VarianceScale
from roundbook.requests.plans import INTERVALS, Engine, PlanDesign, PlanRequest, Solve, VarianceOf
from roundbook_cli.request_options import option, usage_errors

PlanFormat = Literal["table", "json", "csv", "latex"]
PlanForm = Annotated[
    PlanFormat,
    typer.Option("--format", help="How to print the result; latex: a booktabs table of the grid."),
]
Protocol = Annotated[
    bool,
    typer.Option("--protocol", help="Print only a paragraph to paste into an overview paper."),
]

Variance = Annotated[float | None, option(PlanRequest, "variance", "--variance", metavar="V")]
Task = Annotated[str | None, option(PlanRequest, "task", "--task", metavar="TASK")]
Measure = Annotated[str | None, option(PlanRequest, "measure", "--measure", metavar="M")]
Scale = Annotated[VarianceScale, option(PlanRequest, "scale", "--scale")]
Assessments = Annotated[
    list[str] | None,
    option(PlanRequest, "assessments", "--assessments", metavar="LABEL", show_default=False),
]
Weights = Annotated[PoolBy, option(PlanRequest, "pool_by", "--pool-by")]
DifferenceVariance = Annotated[
    VarianceOf | None, option(PlanRequest, "variance_of", "--variance-of")
]
Limit = Annotated[str, option(PlanRequest, "variance_at", "--variance-at", metavar="WHICH")]
Design = Annotated[PlanDesign, option(PlanRequest, "design", "--design", metavar="DESIGN")]
SolvedFor = Annotated[Solve, option(PlanRequest, "solve", "--solve", metavar="WHAT")]
Runs = Annotated[list[int] | None, option(PlanRequest, "m", "--m", metavar="m")]
Differences = Annotated[list[float] | None, option(PlanRequest, "min_d", "--min-d", metavar="D")]
Widths = Annotated[
    list[float] | None,
    typer.Option(
        "--width",
        metavar="D",
        help="For an interval: its full width, another name of --min-d; repeat.",
    ),
]
Topics = Annotated[list[int] | None, option(PlanRequest, "topics", "--topics", metavar="N")]
Alpha = Annotated[float, option(PlanRequest, "alpha", "--alpha")]
Beta = Annotated[float | None, option(PlanRequest, "beta", "--beta")]
SizeEngine = Annotated[Engine, option(PlanRequest, "engine", "--engine")]
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Also the power that each earlier round had, where they are more than three.",
    ),
]


def plan_request(*, width: Sequence[float] | None, **fields: Any) -> PlanRequest:  # noqa: ANN401
    """Return the plan that options ask for; of an interval, the differences may be given as widths.

    Raises
    ------
    typer.BadParameter
        When they contradict each other.
    """
    if width is not None:
        if fields["design"] not in INTERVALS:
            raise typer.BadParameter("--width is of an interval: give --min-d")
        if fields["min_d"] is not None:
            raise typer.BadParameter("--width and --min-d are the same for an interval: give one")
        fields["min_d"] = width
    with usage_errors():
        return PlanRequest(**fields)
