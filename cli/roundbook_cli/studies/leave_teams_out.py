"""``roundbook study leave-teams-out``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from roundbook.requests.studies import LeaveTeamsOutRequest, StudyRequest
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
    "Example: roundbook study leave-teams-out covid round1 --measure nDCG@10 --teams-left 10"
    " --teams-left 5"
)


def leave_teams_out(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    teams_left: Annotated[
        list[int] | None, option(LeaveTeamsOutRequest, "teams_left", "--teams-left", metavar="N")
    ] = None,
    every_number: Annotated[
        bool, option(LeaveTeamsOutRequest, "every_number", "--every-number")
    ] = False,
    mode: Annotated[
        Literal["keep", "reduce"], option(LeaveTeamsOutRequest, "mode", "--mode")
    ] = default(LeaveTeamsOutRequest, "mode"),
    pool_depth: Annotated[
        int | None, option(LeaveTeamsOutRequest, "pool_depth", "--pool-depth", metavar="DEPTH")
    ] = None,
    trials: Annotated[int, option(LeaveTeamsOutRequest, "trials", "--trials")] = default(
        LeaveTeamsOutRequest, "trials"
    ),
    min_d: LeastDifference = default(LeaveTeamsOutRequest, "min_d"),
    m: PlannedRuns = default(LeaveTeamsOutRequest, "m"),
    alpha: Alpha = default(LeaveTeamsOutRequest, "alpha"),
    beta: Beta = default(LeaveTeamsOutRequest, "beta"),
    seed: Seed = default(StudyRequest, "seed"),
    chart: Chart = None,
    save: Save = None,
    note: Note = None,
    files: Files = None,
    teams: Annotated[
        Path | None, option(LeaveTeamsOutRequest, "teams", "--teams", metavar="FILE")
    ] = None,
    qrels: Annotated[
        Path | None, option(LeaveTeamsOutRequest, "qrels", "--qrels", metavar="FILE")
    ] = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show what variance, and which plan, a pilot with fewer teams would have given."""
    with usage_errors():
        request = LeaveTeamsOutRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            teams_left=teams_left or (),
            every_number=every_number,
            mode=mode,
            pool_depth=pool_depth,
            trials=trials,
            min_d=min_d,
            m=m,
            alpha=alpha,
            beta=beta,
            seed=seed,
            files=files or (),
            teams=teams,
            qrels=qrels,
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
