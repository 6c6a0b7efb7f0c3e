"""``roundbook study swap-rate``."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.requests.studies import AcrossRoundsRequest, StudyRequest, SwapRateRequest
from roundbook_cli.charts import Chart
from roundbook_cli.options import Assessments, Database, Form, Measure
from roundbook_cli.request_options import default, option, usage_errors
from roundbook_cli.studies.options import (
    AllRounds,
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

EXAMPLE = (
    "Example: roundbook study swap-rate covid round1 --measure nDCG@10\n\n"
    "Over all rounds: roundbook study swap-rate covid --all-rounds --measure nDCG@10"
)


def swap_rate(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    trials: Annotated[int, option(SwapRateRequest, "trials", "--trials")] = default(
        SwapRateRequest, "trials"
    ),
    level: Annotated[float, option(SwapRateRequest, "level", "--level")] = default(
        SwapRateRequest, "level"
    ),
    topics_each: Annotated[
        int | None, option(SwapRateRequest, "topics_each", "--topics-each", metavar="n")
    ] = None,
    with_replacement: Annotated[
        bool, option(SwapRateRequest, "with_replacement", "--with-replacement")
    ] = False,
    seed: Seed = default(StudyRequest, "seed"),
    all_rounds: AllRounds = False,
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
    """Show how often other topics turn a difference round, and how large one must be to hold."""
    with usage_errors():
        if all_rounds:
            across = AcrossRoundsRequest(
                task=task,
                round=round_label,
                measure=measure,
                scales=scale or default(AcrossRoundsRequest, "scales"),
                swap_trials=trials,
                level=level,
                topics_each=topics_each,
                with_replacement=with_replacement,
                seed=seed,
                files=files or (),
                layout=layout,
                file_measure=file_measure,
                missing=missing,
                assessments=assessments,
            )
            run_and_print(context, across, save, note, form, database, chart)
            return
        request = SwapRateRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            trials=trials,
            level=level,
            topics_each=topics_each,
            with_replacement=with_replacement,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
