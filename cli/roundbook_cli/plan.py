"""``roundbook plan``: how many topics the next round needs, and what was decided."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Annotated, Any

import typer

from roundbook.requests.fields import PoolBy, VarianceScale
from roundbook.requests.plans import INTERVALS, Engine, PlanDesign, PlanRequest, Solve, VarianceOf
from roundbook.requests.results import ListResults, SaveResult, ShowResult
from roundbook_cli.charts import Chart, check_chart, draw
from roundbook_cli.completion import offer
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, print_json, show
from roundbook_cli.plan_advice import plan_json
from roundbook_cli.renewal import SAVED, STALE
from roundbook_cli.request_options import argument, is_given, option, usage_errors
from roundbook_cli.saved_plans import PlanFormat, plan_entry, print_plan, print_saved
from roundbook_cli.session import changing, check, record

app = typer.Typer(
    invoke_without_command=True,
    epilog="Example: roundbook plan --variance 0.05 --m 10 --min-d 0.1\n\nFrom a task, for"
    " runs on the same topics: roundbook plan --task covid --measure nDCG@10 --design tukey\n\n"
    "Drawn: roundbook plan --variance 0.05 --m 10 --chart power.svg",
)

_PlanForm = Annotated[
    PlanFormat,
    typer.Option("--format", help="How to print the result; latex: a booktabs table of the grid."),
]
_Protocol = Annotated[
    bool, typer.Option("--protocol", help="Print only a paragraph to paste into an overview paper.")
]

_VARIANCE = option(PlanRequest, "variance", metavar="V")
_TASK = option(PlanRequest, "task", metavar="TASK")
_MEASURE = option(PlanRequest, "measure", metavar="M")
_SCALE = option(PlanRequest, "scale")
_ASSESSMENTS = option(PlanRequest, "assessments", metavar="LABEL", show_default=False)
_POOL_BY = option(PlanRequest, "pool_by")
_VARIANCE_OF = option(PlanRequest, "variance_of")
_VARIANCE_AT = option(PlanRequest, "variance_at", metavar="WHICH")
_DESIGN = option(PlanRequest, "design", metavar="DESIGN")
_SOLVE = option(PlanRequest, "solve", metavar="WHAT")
_M = option(PlanRequest, "m", metavar="m")
_MIN_D = option(PlanRequest, "min_d", metavar="D")
_WIDTH = option(PlanRequest, "min_d", "--width", metavar="D")
_TOPICS = option(PlanRequest, "topics", metavar="N")
_ALPHA = option(PlanRequest, "alpha")
_BETA = option(PlanRequest, "beta")
_ENGINE = option(PlanRequest, "engine")
_Details = Annotated[
    bool,
    typer.Option(
        "--details",
        help="Also the power that each earlier round had, where they are more than three.",
    ),
]

_BRIEFLY = (
    Column("name", "Plan"),
    count("version", "Version", spare=4),
    Column("task", "Task"),
    Column("measure", "Measure"),
    Column("design", "Design", spare=2),
    count("sizes", "Topics"),
    SAVED,
    STALE,
    Column("note", "Note", spare=3),
)
_LISTED = (
    *("name", "version", "versions", "task", "measure", "scale", "design", "solve", "engine"),
    *("fewest_topics", "most_topics", "saved_at", "saved_by", "software", "note", "stale"),
)


@app.callback()
def plan(
    context: typer.Context,
    variance: float | None = _VARIANCE,
    task: str | None = _TASK,
    measure: str | None = _MEASURE,
    scale: VarianceScale = _SCALE,
    assessments: list[str] | None = _ASSESSMENTS,
    pool_by: PoolBy = _POOL_BY,
    variance_of: VarianceOf | None = _VARIANCE_OF,
    variance_at: str = _VARIANCE_AT,
    design: PlanDesign = _DESIGN,
    solve: Solve = _SOLVE,
    m: list[int] | None = _M,
    min_d: list[float] | None = _MIN_D,
    width: list[float] | None = _WIDTH,
    topics: list[int] | None = _TOPICS,
    alpha: float = _ALPHA,
    beta: float = _BETA,
    engine: Engine = _ENGINE,
    database: Database = None,
    form: _PlanForm = "table",
    only_protocol: _Protocol = False,
    details: _Details = False,
    chart: Chart = None,
) -> None:
    """Compute topic set sizes for the next round, from a task's rounds or a given variance."""
    parameters = locals()
    if (verb := context.invoked_subcommand) is not None:
        # The verb would lose them.
        if any(is_given(context, name) for name in context.params):
            raise typer.BadParameter(f"give the options after '{verb}', not before it")
        return
    check(context)
    _check_output(form, only_protocol, chart)
    request = _request(context, parameters)
    from roundbook.logbook.plans.planning import plan_topics

    if request.task is None:
        computed = plan_topics(None, request)
    else:
        with record(context, database) as session:
            computed = plan_topics(session, request)
    if form == "json":
        print_json(plan_json(computed))
    else:
        print_plan(computed, form, only_protocol=only_protocol, details=details)
    draw(chart, computed)


def _request(context: typer.Context, parameters: Mapping[str, Any]) -> PlanRequest:
    """Return the plan request of options; for an interval, differences may be given as widths."""
    fields = {name: parameters[name] for name in PlanRequest.model_fields}
    if fields["task"] is not None and fields["measure"] is None:
        from roundbook_cli.measure import measures_sentence

        sentence = measures_sentence(context)
        raise typer.BadParameter("--task needs --measure" + (f". {sentence}" if sentence else ""))
    if (width := parameters["width"]) is not None:
        if fields["design"] not in INTERVALS:
            raise typer.BadParameter("--width is of an interval: give --min-d")
        if fields["min_d"] is not None:
            raise typer.BadParameter("--width and --min-d are the same for an interval: give one")
        fields["min_d"] = width
    with usage_errors(**({} if width is None else {"min_d": "--width"})):
        return PlanRequest(**fields)


def _check_output(form: PlanFormat, only_protocol: bool, chart: Path | None) -> None:
    if only_protocol and form in ("csv", "latex"):
        raise typer.BadParameter(f"--protocol prints a paragraph: leave out --format {form}")
    check_chart(chart)


@app.command(
    epilog="Example: roundbook plan save round6 --task covid --measure nDCG@10 --m 10"
    " --min-d 0.1 --note 'agreed at the round table'"
)
def save(
    context: typer.Context,
    name: str = argument(
        SaveResult, "name", metavar="NAME", default=..., autocompletion=offer("plans")
    ),
    variance: float | None = _VARIANCE,
    task: str | None = _TASK,
    measure: str | None = _MEASURE,
    scale: VarianceScale = _SCALE,
    assessments: list[str] | None = _ASSESSMENTS,
    pool_by: PoolBy = _POOL_BY,
    variance_of: VarianceOf | None = _VARIANCE_OF,
    variance_at: str = _VARIANCE_AT,
    design: PlanDesign = _DESIGN,
    solve: Solve = _SOLVE,
    m: list[int] | None = _M,
    min_d: list[float] | None = _MIN_D,
    width: list[float] | None = _WIDTH,
    topics: list[int] | None = _TOPICS,
    alpha: float = _ALPHA,
    beta: float = _BETA,
    engine: Engine = _ENGINE,
    database: Database = None,
    note: str | None = option(SaveResult, "note", metavar="TEXT"),
    form: _PlanForm = "table",
    only_protocol: _Protocol = False,
    details: _Details = False,
    chart: Chart = None,
) -> None:
    """Compute a plan and save it, with what it rests on, as the next version of that name."""
    parameters = locals()
    _check_output(form, only_protocol, chart)
    request = _request(context, parameters)
    with usage_errors(name="NAME"):
        under = SaveResult(name=name, note=note)
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.plans.planning import plan_topics
    from roundbook.logbook.saving import save_result
    from roundbook.presentation.decisions import saved_sentence

    if request.task is None:
        plan_topics(None, request)  # it may be impossible, and that needs no record
    with changing(context, database) as session:
        saved = save_result(session, "plan", request, under)
    assert isinstance(saved.result, Plan)
    if form == "json":
        print_json(plan_entry(saved) | {"status": saved.status, "plan": plan_json(saved.result)})
    else:
        print_plan(
            saved.result,
            form,
            only_protocol=only_protocol,
            details=details,
            above=[saved_sentence(saved)],
        )
    draw(chart, saved.result)


@app.command("list", epilog="Example: roundbook plan list --task covid")
def list_(
    context: typer.Context,
    task: str | None = option(ListResults, "task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved plans, the latest version of each, and whether it still stands."""
    from roundbook.logbook.saved_results import list_results

    with record(context, database) as session:
        listed = list_results(session, ListResults(task=task, kind="plan"))
    plans = [plan_entry(entry) | entry.brief | {"stale": entry.stale} for entry in listed.results]
    rows = [
        SimpleNamespace(
            **dict.fromkeys(_LISTED) | dict(entry) | entry.brief, sizes=_sizes(entry.brief)
        )
        for entry in listed.results
    ]
    show(
        listed,
        form,
        rows,
        tuple(Column(name, name) for name in _LISTED) if form == "csv" else _BRIEFLY,
        empty="No plan is saved. Save one with: roundbook plan save NAME, and the options of plan.",
        extra={"plans": plans},
        without=("results",),
    )


def _sizes(brief: Mapping[str, Any]) -> str | None:
    """Return the fewest and most topics of a saved plan; None where it cannot be read."""
    few, most = brief.get("fewest_topics"), brief.get("most_topics")
    if few is None:
        return None
    return f"{few:,}" if few == most else f"{few:,}-{most:,}"


@app.command("show", epilog="Example: roundbook plan show round6 --version 1")
def show_(
    context: typer.Context,
    name: str = argument(ShowResult, "name", metavar="NAME", autocompletion=offer("plans")),
    version: int | None = option(ShowResult, "version", metavar="N"),
    form: _PlanForm = "table",
    only_protocol: _Protocol = False,
    details: _Details = False,
    chart: Chart = None,
    database: Database = None,
) -> None:
    """Show a saved plan as it was decided, and whether what it rests on still stands."""
    _check_output(form, only_protocol, chart)
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.saved_results import show_result

    with record(context, database) as session:
        saved = show_result(session, ShowResult(name=name, kind="plan", version=version))
    print_saved(saved, form, only_protocol=only_protocol, details=details)
    assert isinstance(saved.result, Plan)
    draw(chart, saved.result)
