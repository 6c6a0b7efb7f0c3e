"""``roundbook study leave-one-out``."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from roundbook.presentation.studies import leave_one_out as words
from roundbook.presentation.studies.common import heading
from roundbook.presentation.tables import Column
from roundbook.requests.studies import LeaveOneOutRequest, LeaveOneOutRoundsRequest, StudyRequest
from roundbook_cli.charts import Chart
from roundbook_cli.options import Assessments, Database, Form, Format, Measure
from roundbook_cli.output import section, show
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

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_one_out import LeaveOneOutStudy

EXAMPLE = (
    "Example: roundbook study leave-one-out covid round1 --measure nDCG@10 --reassessed\n\n"
    "Over all rounds: roundbook study leave-one-out covid --all-rounds --measure nDCG@10"
)
_CSV = (Column("scale", "Scale"), *words.RUNS)
_MOST_RUNS = 10
_MOST_TEAMS = 5


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


def print_study(study: LeaveOneOutStudy, form: Format, saved: dict[str, Any]) -> None:
    """Print the study; `saved` is what JSON has besides."""
    protocol = words.protocol(study)
    if form != "table":
        rows = [
            SimpleNamespace(scale=scale.scale, **dict(run))
            for scale in study.scales
            for run in scale.left_out
        ]
        show(study, form, rows, _CSV, extra=saved | {"protocol": protocol})
        return
    above = [heading(study), *words.sentences(study), ""]
    show(study, form, list(map(words.row, study.scales)), words.SCALES, above=above)
    for scale in study.scales:
        section(
            f"The runs that lose most on {scale.scale} where they are left out:",
            rows=scale.left_out[:_MOST_RUNS],
            columns=words.RUNS,
        )
    if study.pool is not None:
        by_relevant = sorted(
            study.pool.contributions, key=lambda team: (team.relevant, team.judged), reverse=True
        )
        section(
            "The teams without which most would be missing from the assessments:",
            rows=by_relevant[:_MOST_TEAMS],
            columns=words.CONTRIBUTIONS,
        )
    for remark in words.remarks(study):
        section(remark)
    section(protocol)
