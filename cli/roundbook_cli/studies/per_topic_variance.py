"""``roundbook study per-topic-variance``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from roundbook.requests.studies import PerTopicVarianceRequest, StudyRequest
from roundbook_cli.charts import Chart
from roundbook_cli.options import Assessments, Database, Form
from roundbook_cli.request_options import default, option, usage_errors
from roundbook_cli.studies.options import Note, Round, Save, Seed, Task
from roundbook_cli.studies.running import run_and_print

EXAMPLE = "Example: roundbook study per-topic-variance covid round1 --model kde --trials 10000"


def per_topic_variance(
    context: typer.Context,
    task: Task = None,
    round_label: Round = None,
    measure: Annotated[
        str, option(PerTopicVarianceRequest, "measure", "--measure", metavar="AP")
    ] = default(PerTopicVarianceRequest, "measure"),
    model: Annotated[
        Literal["bst", "kde"], option(PerTopicVarianceRequest, "model", "--model")
    ] = default(PerTopicVarianceRequest, "model"),
    denominator: Annotated[
        Literal["sampled", "fixed"],
        option(PerTopicVarianceRequest, "denominator", "--denominator"),
    ] = default(PerTopicVarianceRequest, "denominator"),
    depth: Annotated[
        int, option(PerTopicVarianceRequest, "depth", "--depth", metavar="N")
    ] = default(PerTopicVarianceRequest, "depth"),
    padded: Annotated[bool, option(PerTopicVarianceRequest, "padded", "--padded")] = False,
    trials: Annotated[int, option(PerTopicVarianceRequest, "trials", "--trials")] = default(
        PerTopicVarianceRequest, "trials"
    ),
    alpha: Annotated[float, option(PerTopicVarianceRequest, "alpha", "--alpha")] = default(
        PerTopicVarianceRequest, "alpha"
    ),
    seed: Seed = default(StudyRequest, "seed"),
    chart: Chart = None,
    save: Save = None,
    note: Note = None,
    files: Annotated[
        list[Path] | None, option(PerTopicVarianceRequest, "files", "--file", metavar="FILE")
    ] = None,
    qrels: Annotated[
        Path | None, option(PerTopicVarianceRequest, "qrels", "--qrels", metavar="FILE")
    ] = None,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show whether the runs would rank alike on another sample of the documents."""
    with usage_errors():
        request = PerTopicVarianceRequest(
            task=task,
            round=round_label,
            measure=measure,
            model=model,
            denominator=denominator,
            depth=depth,
            padded=padded,
            trials=trials,
            alpha=alpha,
            seed=seed,
            files=files or (),
            qrels=qrels,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
