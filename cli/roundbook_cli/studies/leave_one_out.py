"""``roundbook study leave-one-out``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from roundbook.requests.studies import LeaveOneOutRequest, LeaveOneOutRoundsRequest, StudyRequest
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
    Task,
    refuse_beside_all_rounds,
)
from roundbook_cli.studies.running import run_and_print

EXAMPLE = (
    "Example: roundbook study leave-one-out covid round1 --measure nDCG@10 --reassessed\n\n"
    "Over all rounds: roundbook study leave-one-out covid --all-rounds --measure nDCG@10"
)


def leave_one_out(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    by: Annotated[Literal["team", "run"] | None, option(LeaveOneOutRequest, "by", "--by")] = None,
    reassessed: Annotated[bool, option(LeaveOneOutRequest, "reassessed", "--reassessed")] = False,
    pool_depth: Annotated[
        int | None, option(LeaveOneOutRequest, "pool_depth", "--pool-depth", metavar="DEPTH")
    ] = None,
    all_rounds: Annotated[
        bool,
        typer.Option(
            "--all-rounds",
            help="Study all rounds that have the measure, by the factors and, where runs and"
            " assessments are recorded, by the assessments too; beside it, how the first round's"
            " factors age.",
        ),
    ] = False,
    chart: Chart = None,
    save: Save = None,
    note: Note = None,
    files: Files = None,
    teams: Annotated[
        Path | None, option(LeaveOneOutRequest, "teams", "--teams", metavar="FILE")
    ] = None,
    qrels: Annotated[
        Path | None, option(LeaveOneOutRequest, "qrels", "--qrels", metavar="FILE")
    ] = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show whether a run that was not there would have been scored fairly by what the others left."""
    with usage_errors():
        if all_rounds:
            anew = "scores anew wherever runs and assessments are recorded"
            refuse_beside_all_rounds(
                context,
                reassessed=anew,
                pool_depth="goes by each round's own pool depth",
                teams="goes by the teams that are recorded",
                qrels=anew,
                **(
                    {"by": "leaves out teams, as run by run hardly anything can change"}
                    if by == "run"
                    else {}
                ),
            )
            every = LeaveOneOutRoundsRequest(
                task=task,
                round=round_label,
                measure=measure,
                scales=scale or default(LeaveOneOutRoundsRequest, "scales"),
                files=files or (),
                layout=layout,
                file_measure=file_measure,
                missing=missing,
                assessments=assessments,
            )
            run_and_print(context, every, save, note, form, database, chart)
            return
        request = LeaveOneOutRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or (),
            by=by,
            reassessed=reassessed,
            pool_depth=pool_depth,
            files=files or (),
            teams=teams,
            qrels=qrels,
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
