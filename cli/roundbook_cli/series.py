"""Options of many commands that name a task, round, matrix, measure or assessments."""

from __future__ import annotations

from typing import Annotated

from roundbook.requests.matrices import ShowMatrix
from roundbook.requests.variances import RecordVarianceRequest, VarianceHistoryRequest
from roundbook_cli.options import matrix_number
from roundbook_cli.request_options import argument, option

TaskName = Annotated[str, argument(RecordVarianceRequest, "task", metavar="TASK")]
RoundLabel = Annotated[str, argument(RecordVarianceRequest, "round", metavar="ROUND")]
MatrixNumber = Annotated[
    int, argument(ShowMatrix, "matrix", metavar="MATRIX", parser=matrix_number)
]
Measure = Annotated[str, option(RecordVarianceRequest, "measure", "--measure", metavar="M")]
Assessments = Annotated[
    str | None,
    option(
        VarianceHistoryRequest,
        "assessments",
        "--assessments",
        metavar="LABEL",
        default=...,  # Typer takes it from the command's parameter
        show_default=False,
    ),
]
