"""``roundbook study change``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from roundbook.requests.studies import ChangeRequest, StudyRequest
from roundbook_cli.charts import Chart
from roundbook_cli.completion import offer
from roundbook_cli.options import Assessments, Database, Form, Measure
from roundbook_cli.request_options import argument, default, option, usage_errors
from roundbook_cli.studies.options import (
    FileLayout,
    FileMeasure,
    MissingScores,
    Note,
    Save,
    Seed,
    Task,
)
from roundbook_cli.studies.running import run_and_print

EXAMPLE = "Example: roundbook study change web 2010 2011 --measure nDCG@20 --pivot bm25"


def change(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    from_round: Annotated[
        str | None,
        argument(ChangeRequest, "round", metavar="FROM", autocompletion=offer("rounds")),
    ] = None,
    to_round: Annotated[
        str | None,
        argument(ChangeRequest, "to_round", metavar="TO", autocompletion=offer("rounds")),
    ] = None,
    pivot: Annotated[
        str | None, option(ChangeRequest, "pivot", "--pivot", metavar="SYSTEM")
    ] = None,
    match: Annotated[Literal["system", "tag"], option(ChangeRequest, "match", "--match")] = default(
        ChangeRequest, "match"
    ),
    level: Annotated[float, option(ChangeRequest, "level", "--level")] = default(
        ChangeRequest, "level"
    ),
    trials: Annotated[int, option(ChangeRequest, "trials", "--trials")] = default(
        ChangeRequest, "trials"
    ),
    seed: Seed = default(StudyRequest, "seed"),
    chart: Chart = None,
    save: Save = None,
    note: Note = None,
    files: Annotated[
        list[Path] | None, option(ChangeRequest, "files", "--file", metavar="FILE")
    ] = None,
    to_files: Annotated[
        list[Path] | None, option(ChangeRequest, "to_files", "--to-file", metavar="FILE")
    ] = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show how the systems that ran in two rounds changed, alone and beside a pivot."""
    with usage_errors():
        request = ChangeRequest(
            task=task,
            round=from_round,
            to_round=to_round,
            measure=measure,
            pivot=pivot,
            match=match,
            level=level,
            trials=trials,
            seed=seed,
            files=files or (),
            to_files=to_files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    run_and_print(context, request, save, note, form, database, chart)
