"""The options of ``roundbook plan`` and ``plan save``; nothing heavy is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from roundbook.requests.plans import INTERVALS, PlanRequest
from roundbook_cli.request_options import option, usage_errors

PlanFormat = Literal["table", "json", "csv", "latex"]
PlanForm = Annotated[
    PlanFormat,
    typer.Option("--format", help="How to print the result; latex: a booktabs table of the grid."),
]
Protocol = Annotated[
    bool, typer.Option("--protocol", help="Print only a paragraph to paste into an overview paper.")
]

VARIANCE = option(PlanRequest, "variance", "--variance", metavar="V")
TASK = option(PlanRequest, "task", "--task", metavar="TASK")
MEASURE = option(PlanRequest, "measure", "--measure", metavar="M")
SCALE = option(PlanRequest, "scale", "--scale")
ASSESSMENTS = option(
    PlanRequest, "assessments", "--assessments", metavar="LABEL", show_default=False
)
WEIGHTS = option(PlanRequest, "pool_by", "--pool-by")
DIFFERENCE_VARIANCE = option(PlanRequest, "variance_of", "--variance-of")
LIMIT = option(PlanRequest, "variance_at", "--variance-at", metavar="WHICH")
DESIGN = option(PlanRequest, "design", "--design", metavar="DESIGN")
SOLVED_FOR = option(PlanRequest, "solve", "--solve", metavar="WHAT")
RUNS = option(PlanRequest, "m", "--m", metavar="m")
DIFFERENCES = option(PlanRequest, "min_d", "--min-d", metavar="D")
Widths = Annotated[
    list[float] | None,
    typer.Option(
        "--width",
        metavar="D",
        help="For an interval: its full width, another name of --min-d; repeat.",
    ),
]
TOPICS = option(PlanRequest, "topics", "--topics", metavar="N")
ALPHA = option(PlanRequest, "alpha", "--alpha")
BETA = option(PlanRequest, "beta", "--beta")
SIZE_ENGINE = option(PlanRequest, "engine", "--engine")
Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Also the power that each earlier round had, where they are more than three.",
    ),
]


def plan_request(parameters: Mapping[str, Any]) -> PlanRequest:
    """Return the plan request of options; for an interval, differences may be given as widths.

    Parameters
    ----------
    parameters : mapping
        The parameters of the command by name.

    Raises
    ------
    typer.BadParameter
        When they contradict each other.
    """
    fields = {name: parameters[name] for name in PlanRequest.model_fields}
    if (width := parameters["width"]) is not None:
        if fields["design"] not in INTERVALS:
            raise typer.BadParameter("--width is of an interval: give --min-d")
        if fields["min_d"] is not None:
            raise typer.BadParameter("--width and --min-d are the same for an interval: give one")
        fields["min_d"] = width
    with usage_errors():
        return PlanRequest(**fields)
