"""Options that several studies have."""

from __future__ import annotations

from typing import Annotated, get_args

import typer

from roundbook.requests.fields import VarianceScale
from roundbook.requests.studies import StudyRequest
from roundbook_cli.completion import offer
from roundbook_cli.request_options import argument, option

TASK = argument(StudyRequest, "task", metavar="TASK", autocompletion=offer("task"))
ROUND = argument(StudyRequest, "round", metavar="ROUND", autocompletion=offer("rounds"))
SCALES = option(StudyRequest, "scales", "--scale", metavar="|".join(get_args(VarianceScale)))
SEED = option(StudyRequest, "seed", "--seed")
FILES = option(StudyRequest, "files", "--file", metavar="FILE")
FILE_LAYOUT = option(StudyRequest, "layout", "--layout")
FILE_MEASURE = option(StudyRequest, "file_measure", "--file-measure", metavar="NAME")
MISSING_SCORES = option(StudyRequest, "missing", "--missing")
Save = Annotated[
    str | None,
    typer.Option("--save", metavar="NAME", help="Keep the study under this name, with its inputs."),
]
AllRounds = Annotated[
    bool,
    typer.Option(
        "--all-rounds",
        help="Study all rounds that have the measure: discriminative power, swap rate and needed"
        " difference, on all scales unless --scale names some.",
    ),
]
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="Share the work out to so many processes of this machine.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share the work out to the workers of this Dask scheduler, tcp://HOST:PORT.",
        show_default=False,
    ),
]
