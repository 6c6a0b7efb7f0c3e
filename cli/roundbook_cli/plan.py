"""``roundbook plan``: how many topics the next round needs, and what was decided."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.requests.fields import PoolBy, VarianceScale
from roundbook.requests.plans import Engine, PlanDesign, Solve, VarianceOf
from roundbook.requests.results import ListResults, ShowResult
from roundbook_cli import plan_options as options
from roundbook_cli.charts import Chart, check_chart, draw
from roundbook_cli.completion import offer
from roundbook_cli.measure import refuse_no_measure
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, print_json, print_table, show
from roundbook_cli.plan_advice import plan_json
from roundbook_cli.plan_print import print_plan
from roundbook_cli.request_options import is_given, option
from roundbook_cli.saved_plans import plan_entry, print_saved
from roundbook_cli.session import changing, check, record

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry

app = typer.Typer(
    invoke_without_command=True,
    epilog="Example: roundbook plan --variance 0.05 --m 10 --min-d 0.1\n\nFrom a task, for"
    " runs on the same topics: roundbook plan --task covid --measure nDCG@10 --design tukey\n\n"
    "Drawn: roundbook plan --variance 0.05 --m 10 --chart power.svg",
)

PlanName = Annotated[
    str, typer.Argument(metavar="NAME", help="The plan's name.", autocompletion=offer("plans"))
]

_BRIEFLY = (
    Column("name", "Plan"),
    count("version", "Version", spare=4),
    Column("task", "Task"),
    Column("measure", "Measure"),
    Column("design", "Design", spare=2),
    count("sizes", "Topics"),
    Column("saved_at", "Saved", lambda when: f"{when:%Y-%m-%d}", spare=1),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("note", "Note", spare=3),
)
_LISTED = (
    *("name", "version", "versions", "task", "measure", "scale", "design", "solve", "engine"),
    *("fewest_topics", "most_topics", "saved_at", "saved_by", "software", "note", "stale"),
)


@app.callback()
def plan(
    context: typer.Context,
    variance: float | None = options.VARIANCE,
    task: str | None = options.TASK,
    measure: str | None = options.MEASURE,
    scale: VarianceScale = options.SCALE,
    assessments: list[str] | None = options.ASSESSMENTS,
    pool_by: PoolBy = options.WEIGHTS,
    variance_of: VarianceOf | None = options.DIFFERENCE_VARIANCE,
    variance_at: str = options.LIMIT,
    design: PlanDesign = options.DESIGN,
    solve: Solve = options.SOLVED_FOR,
    m: list[int] | None = options.RUNS,
    min_d: list[float] | None = options.DIFFERENCES,
    width: options.Widths = None,
    topics: list[int] | None = options.TOPICS,
    alpha: float = options.ALPHA,
    beta: float = options.BETA,
    engine: Engine = options.SIZE_ENGINE,
    database: Database = None,
    form: options.PlanForm = "table",
    only_protocol: options.Protocol = False,
    details: options.Details = False,
    chart: Chart = None,
) -> None:
    """Compute topic set sizes for the next round, from a task's rounds or a given variance."""
    parameters = locals()
    if context.invoked_subcommand is not None:
        _refuse_options(context, context.invoked_subcommand)
        return
    check(context)
    _check_form(form, only_protocol)
    check_chart(chart)
    refuse_no_measure(context)
    request = options.plan_request(parameters)
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


def _refuse_options(context: typer.Context, verb: str) -> None:
    """Refuse options before a verb, where they would be lost."""
    for name in context.params:
        if is_given(context, name):
            raise typer.BadParameter(f"give the options after '{verb}', not before it")


def _check_form(form: options.PlanFormat, only_protocol: bool) -> None:
    if only_protocol and form in ("csv", "latex"):
        raise typer.BadParameter(f"--protocol prints a paragraph: leave out --format {form}")


@app.command(
    epilog="Example: roundbook plan save round6 --task covid --measure nDCG@10 --m 10"
    " --min-d 0.1 --note 'agreed at the round table'"
)
def save(
    context: typer.Context,
    name: PlanName,
    variance: float | None = options.VARIANCE,
    task: str | None = options.TASK,
    measure: str | None = options.MEASURE,
    scale: VarianceScale = options.SCALE,
    assessments: list[str] | None = options.ASSESSMENTS,
    pool_by: PoolBy = options.WEIGHTS,
    variance_of: VarianceOf | None = options.DIFFERENCE_VARIANCE,
    variance_at: str = options.LIMIT,
    design: PlanDesign = options.DESIGN,
    solve: Solve = options.SOLVED_FOR,
    m: list[int] | None = options.RUNS,
    min_d: list[float] | None = options.DIFFERENCES,
    width: options.Widths = None,
    topics: list[int] | None = options.TOPICS,
    alpha: float = options.ALPHA,
    beta: float = options.BETA,
    engine: Engine = options.SIZE_ENGINE,
    database: Database = None,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="Why: it is kept with the plan.")
    ] = None,
    form: options.PlanForm = "table",
    only_protocol: options.Protocol = False,
    details: options.Details = False,
    chart: Chart = None,
) -> None:
    """Compute a plan and save it, with what it rests on, as the next version of that name."""
    parameters = locals()
    _check_form(form, only_protocol)
    check_chart(chart)
    refuse_no_measure(context)
    request = options.plan_request(parameters)
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.plans.planning import plan_topics
    from roundbook.logbook.saving import save_result
    from roundbook.presentation.decisions import saved_sentence

    if request.task is None:
        plan_topics(None, request)  # it may be impossible, and that needs no record
    with changing(context, database) as session:
        saved = save_result(session, "plan", request, name, note)
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
    task: str | None = option(ListResults, "task", "--task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved plans, the latest version of each, and whether it still stands."""
    from roundbook.logbook.saved_results import list_results

    with record(context, database) as session:
        listed = list_results(session, ListResults(task=task, kind="plan"))
    if form == "json":
        plans = [
            plan_entry(entry) | entry.brief | {"stale": entry.stale} for entry in listed.results
        ]
        print_json({"task": listed.task, "plans": plans})
        return
    rows = [
        SimpleNamespace(
            **dict.fromkeys(_LISTED) | dict(entry) | entry.brief,
            sizes=_sizes(entry) if entry.brief else None,
        )
        for entry in listed.results
    ]
    if form == "csv":
        show(listed, form, rows, tuple(Column(name, name) for name in _LISTED))
        return
    hint = "No plan is saved. Save one with: roundbook plan save NAME, and the options of plan."
    print_table(rows, _BRIEFLY, below=[] if rows else [hint])


def _sizes(entry: ResultEntry) -> str:
    few, most = entry.brief["fewest_topics"], entry.brief["most_topics"]
    return f"{few:,}" if few == most else f"{few:,}-{most:,}"


@app.command("show", epilog="Example: roundbook plan show round6 --version 1")
def show_(
    context: typer.Context,
    name: PlanName,
    version: int | None = option(ShowResult, "version", "--version", metavar="N"),
    form: options.PlanForm = "table",
    only_protocol: options.Protocol = False,
    details: options.Details = False,
    chart: Chart = None,
    database: Database = None,
) -> None:
    """Show a saved plan as it was decided, and whether what it rests on still stands."""
    _check_form(form, only_protocol)
    check_chart(chart)
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.saved_results import show_result

    with record(context, database) as session:
        saved = show_result(session, ShowResult(name=name, kind="plan", version=version))
    print_saved(saved, form, only_protocol=only_protocol, details=details)
    assert isinstance(saved.result, Plan)
    draw(chart, saved.result)
