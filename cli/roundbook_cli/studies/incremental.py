"""``roundbook study incremental``."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook.presentation.studies import incremental as words
from roundbook.presentation.studies.common import heading
from roundbook.presentation.tables import Column
from roundbook.requests.studies import IncrementalRequest, StudyRequest
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
    Seed,
    Task,
)
from roundbook_cli.studies.running import run_and_print

if TYPE_CHECKING:
    from roundbook.logbook.studies.incremental import IncrementalStudy

EXAMPLE = "Example: roundbook study incremental covid round1 --measure nDCG@10 --difference 0.1"
_CSV = (
    Column("scale", "Scale"),
    *words.STEPS[:1],
    Column("largest_sd", "Largest sd"),
    *words.STEPS[1:],
)


def incremental(
    context: typer.Context,
    measure: Measure,
    difference: Annotated[
        float, option(IncrementalRequest, "difference", "--difference", metavar="D")
    ],
    task: Task = None,
    round_label: Round = None,
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


def print_study(study: IncrementalStudy, form: Format, saved: dict[str, Any]) -> None:
    """Print the study; `saved` is what JSON has besides."""
    protocol = words.protocol(study)
    if form == "table":
        first, *others = study.scales
        above = [heading(study), *words.sentences(study), ""]
        if others:
            above.append(f"Topics to be planned on {first.scale}, by the spread of differences:")
        show(study, form, first.spreads, words.SPREADS, above=above)
        for scale in others:
            section(
                f"Topics to be planned on {scale.scale}, by the spread of differences:",
                rows=scale.spreads,
                columns=words.SPREADS,
            )
        for scale in study.scales:
            shown = words.steps(scale)
            some = "" if len(shown) == len(scale.steps) else " (CSV and JSON have all)"
            section(
                f"On {scale.scale}, after so many topics{some}: power for a hard pair, pairs they"
                " are enough for, random orders that have stopped:",
                rows=shown,
                columns=words.STEPS,
            )
        section(protocol)
        return
    rows = [
        SimpleNamespace(scale=scale.scale, **vars(one))
        for scale in study.scales
        for one in scale.steps
    ]
    show(study, form, rows, _CSV, extra=saved | {"protocol": protocol})
