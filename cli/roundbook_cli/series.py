"""Options of many commands that name a task, round, measure or assessments."""

from __future__ import annotations

from typing import Annotated

from roundbook.requests.variances import RecordVarianceRequest, VarianceHistoryRequest
from roundbook_cli.request_options import argument, option

TaskName = Annotated[str, argument(RecordVarianceRequest, "task", metavar="TASK")]
RoundLabel = Annotated[str, argument(RecordVarianceRequest, "round", metavar="ROUND")]
Measure = Annotated[str, option(RecordVarianceRequest, "measure", metavar="M")]
Assessments = Annotated[
    str | None,
    option(
        VarianceHistoryRequest,
        "assessments",
        metavar="LABEL",
        default=...,  # Typer takes it from the command's parameter
        show_default=False,
    ),
]
