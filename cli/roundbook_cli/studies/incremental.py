"""``roundbook study incremental``."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.requests.studies import IncrementalRequest, StudyRequest
from roundbook_cli.charts import Chart
from roundbook_cli.options import Assessments, Database, Form, Measure
from roundbook_cli.request_options import default, option, usage_errors
from roundbook_cli.studies.options import (
    FileLayout,
    FileMeasure,
    Files,
    MissingScores,
    Note,
    Round,
    Save,
    Scales,
    Seed,
    Task,
)
from roundbook_cli.studies.running import run_and_print

EXAMPLE = "Example: roundbook study incremental covid round1 --measure nDCG@10 --difference 0.1"


def incremental(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    difference: Annotated[
        float | None, option(IncrementalRequest, "difference", "--difference", metavar="D")
    ] = None,
    scale: Scales = None,
    alpha: Annotated[float, option(IncrementalRequest, "alpha", "--alpha")] = default(
        IncrementalRequest, "alpha"
    ),
    beta: Annotated[float, option(IncrementalRequest, "beta", "--beta")] = default(
        IncrementalRequest, "beta"
    ),
    start: Annotated[int, option(IncrementalRequest, "start", "--start", metavar="n")] = default(
        IncrementalRequest, "start"
    ),
    step: Annotated[int, option(IncrementalRequest, "step", "--step", metavar="n")] = default(
        IncrementalRequest, "step"
    ),
    confidence: Annotated[
        float, option(IncrementalRequest, "confidence", "--confidence")
    ] = default(IncrementalRequest, "confidence"),
    pair: Annotated[
        list[str] | None, option(IncrementalRequest, "pair", "--pair", metavar="RUN")
    ] = None,
    trials: Annotated[int, option(IncrementalRequest, "trials", "--trials")] = default(
        IncrementalRequest, "trials"
    ),
    seed: Seed = default(StudyRequest, "seed"),
    chart: Chart = None,
    save: Save = None,
    note: Note = None,
    files: Files = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show whether the topics judged so far have the power to find a difference."""
    if difference is None:
        raise typer.BadParameter(
            "name the difference between two runs' means that is to be found, such as 0.1, with"
            " --difference"
        )
    with usage_errors():
        request = IncrementalRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            difference=difference,
            alpha=alpha,
            beta=beta,
            start=start,
            step=step,
            confidence=confidence,
            pair=pair or (),
            trials=trials,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
