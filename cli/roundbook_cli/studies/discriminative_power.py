"""``roundbook study discriminative-power``."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.requests.studies import (
    AcrossRoundsRequest,
    DiscriminativePowerRequest,
    StudyRequest,
)
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
    refuse_beside_all_rounds,
)
from roundbook_cli.studies.running import run_and_print

EXAMPLE = (
    "Example: roundbook study discriminative-power covid round1 --measure nDCG@10"
    " --scale raw --scale std-ab\n\n"
    "Over all rounds: roundbook study discriminative-power covid --all-rounds --measure nDCG@10"
)


def discriminative_power(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    trials: Annotated[int, option(DiscriminativePowerRequest, "trials", "--trials")] = default(
        DiscriminativePowerRequest, "trials"
    ),
    resamples: Annotated[
        int, option(DiscriminativePowerRequest, "resamples", "--resamples")
    ] = default(DiscriminativePowerRequest, "resamples"),
    alpha: Annotated[float, option(DiscriminativePowerRequest, "alpha", "--alpha")] = default(
        DiscriminativePowerRequest, "alpha"
    ),
    plus_one: Annotated[bool, option(DiscriminativePowerRequest, "plus_one", "--plus-one")] = False,
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
    """Show which pairs of runs differ, and how many of all pairs are told apart."""
    with usage_errors():
        if all_rounds:
            refuse_beside_all_rounds(context, resamples="has no bootstrap test")
            across = AcrossRoundsRequest(
                task=task,
                round=round_label,
                measure=measure,
                scales=scale or default(AcrossRoundsRequest, "scales"),
                trials=trials,
                alpha=alpha,
                plus_one=plus_one,
                seed=seed,
                files=files or (),
                layout=layout,
                file_measure=file_measure,
                missing=missing,
                assessments=assessments,
            )
            run_and_print(context, across, save, note, form, database, chart)
            return
        request = DiscriminativePowerRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            trials=trials,
            resamples=resamples,
            alpha=alpha,
            plus_one=plus_one,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
