"""``roundbook study topic-subsets``."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.requests.studies import StudyRequest, TopicSubsetsRequest
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
from roundbook_cli.studies.pilots import Alpha, Beta, LeastDifference, PlannedRuns
from roundbook_cli.studies.running import run_and_print

EXAMPLE = (
    "Example: roundbook study topic-subsets covid round1 --measure nDCG@10 --topics 10 --topics 20"
)


def topic_subsets(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    topics: Annotated[
        list[int] | None, option(TopicSubsetsRequest, "topics", "--topics", metavar="N")
    ] = None,
    trials: Annotated[int, option(TopicSubsetsRequest, "trials", "--trials")] = default(
        TopicSubsetsRequest, "trials"
    ),
    min_d: LeastDifference = default(TopicSubsetsRequest, "min_d"),
    m: PlannedRuns = default(TopicSubsetsRequest, "m"),
    alpha: Alpha = default(TopicSubsetsRequest, "alpha"),
    beta: Beta = default(TopicSubsetsRequest, "beta"),
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
    """Show what variance, and which plan, a pilot with fewer topics would have given."""
    with usage_errors():
        request = TopicSubsetsRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            topics=topics or (),
            trials=trials,
            min_d=min_d,
            m=m,
            alpha=alpha,
            beta=beta,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
