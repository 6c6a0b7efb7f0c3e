"""``roundbook plan``: how many topics the next round needs, and what was decided."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, print_table, show
from roundbook_cli.plan_options import (
    PlanForm,
    PlanFormat,
    PlanOptions,
    Protocol,
    takes_plan_options,
)
from roundbook_cli.plan_print import print_plan
from roundbook_cli.session import check, record

if TYPE_CHECKING:
    from roundbook.logbook.plans.saved import ListedPlan, PlanEntry, ShownPlan

PlanName = Annotated[str, typer.Argument(metavar="NAME", help="The plan's name.")]

_BRIEFLY = (
    Column("name", "Plan"),
    count("version", "Version"),
    Column("task", "Task"),
    Column("measure", "Measure"),
    Column("design", "Design"),
    count("topics", "Topics"),
    Column("saved_at", "Saved", lambda when: f"{when:%Y-%m-%d}"),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("note", "Note"),
)
_LISTED = (
    *("name", "version", "versions", "task", "measure", "scale", "design", "solve", "engine"),
    *("fewest_topics", "most_topics", "saved_at", "saved_by", "software", "note", "stale"),
)


@takes_plan_options
def plan(
    context: typer.Context,
    options: PlanOptions,
    form: PlanForm = "table",
    only_protocol: Protocol = False,
) -> None:
    """Compute topic set sizes for the next round, from a task's rounds or a given variance."""
    if context.invoked_subcommand is not None:
        _refuse_options(context, context.invoked_subcommand)
        return
    check(context)
    _check_form(form, only_protocol)
    design = options.checked()
    if options.task is None:
        found = options.compute(design, None)
    else:
        with record(context, options.database) as session:
            found = options.compute(design, session)
    print_plan(found, form, only_protocol=only_protocol)


def _refuse_options(context: typer.Context, verb: str) -> None:
    """Refuse what stands before a verb, and would be lost."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise typer.BadParameter(f"give the options after '{verb}', not before it")


def _check_form(form: PlanFormat, only_protocol: bool) -> None:
    if only_protocol and form in ("csv", "latex"):
        raise typer.BadParameter(f"--protocol prints a paragraph: leave out --format {form}")


@takes_plan_options
def save(
    context: typer.Context,
    name: PlanName,
    options: PlanOptions,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="Why: it is kept with the plan.")
    ] = None,
    form: PlanForm = "table",
    only_protocol: Protocol = False,
) -> None:
    """Compute a plan and save it, with what it rests on, as the next version of that name."""
    _check_form(form, only_protocol)
    design = options.checked()
    # What needs no record is computed before one is opened: it may be impossible.
    given = options.compute(design, None) if options.task is None else None
    from roundbook.logbook.plans.saved import save_plan

    with record(context, options.database) as session:
        found = given or options.compute(design, session)
        saved = save_plan(session, name, found, note=note)
    done = "Saved" if saved.status == "saved" else "Unchanged"
    print_plan(
        saved.plan,
        form,
        only_protocol=only_protocol,
        result=saved,
        above=[f"{done}: {_head(saved)}"],
    )


def show_(
    context: typer.Context,
    name: PlanName,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Default: the latest.")
    ] = None,
    form: PlanForm = "table",
    only_protocol: Protocol = False,
    database: Database = None,
) -> None:
    """Show a saved plan as it was decided, and whether what it rests on still stands."""
    _check_form(form, only_protocol)
    from roundbook.logbook.plans.saved import show_plan

    with record(context, database) as session:
        shown = show_plan(session, name, version=version)
    print_plan(
        shown.plan,
        form,
        only_protocol=only_protocol,
        result=shown,
        above=[_head(shown), *_standing(shown)],
        copyable=shown.renew,
    )


def _head(entry: PlanEntry) -> str:
    note = f" Note: {entry.note}" if entry.note else ""
    return (
        f"Plan '{entry.name}', version {entry.version} of {entry.versions}, saved"
        f" {entry.saved_at:%Y-%m-%d} by {entry.saved_by} with {entry.software}.{note}"
    )


def _standing(shown: ShownPlan) -> list[str]:
    lines = [
        f"Stale: round {each.round} counts with {each.was:.5g}"
        + (f", and is {each.now:.5g} today" if each.now is not None else "")
        + f": {each.why}."
        for each in shown.stale
    ]
    if shown.new_rounds:
        lines.append(f"Not in it, since they did not count then: {', '.join(shown.new_rounds)}.")
    return [*lines, *(["To renew it:"] if shown.renew else [])]


def list_(
    context: typer.Context,
    task: Annotated[
        str | None, typer.Option("--task", metavar="TASK", help="Only plans of this task.")
    ] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved plans, the latest version of each, and whether it still stands."""
    from roundbook.logbook.plans.saved import list_plans

    with record(context, database) as session:
        found = list_plans(session, task)
    hint = "No plan is saved. Save one with: roundbook plan save NAME, and the options of plan."
    if form == "table":
        rows = [_briefly(each) for each in found.plans]
        print_table(rows, _BRIEFLY, below=[] if rows else [hint])
    else:
        show(found, form, found.plans, tuple(Column(name, name) for name in _LISTED))


class _InBrief(NamedTuple):
    """A saved plan in one line of a table, which has no room for all of it."""

    name: str
    version: int
    task: str | None
    measure: str | None
    design: str
    topics: str
    saved_at: datetime
    stale: bool
    note: str | None


def _briefly(plan: ListedPlan) -> _InBrief:
    few, most = plan.fewest_topics, plan.most_topics
    topics = str(few) if few == most else f"{few}-{most}"
    return _InBrief(
        plan.name,
        plan.version,
        plan.task,
        plan.measure,
        plan.design,
        topics,
        plan.saved_at,
        plan.stale,
        plan.note,
    )


def attach(app: typer.Typer) -> None:
    """Add the command and its verbs."""
    group = typer.Typer(
        invoke_without_command=True,
        epilog="Example: roundbook plan --variance 0.05 --m 10 --min-d 0.1\n\nFrom a task, for"
        " runs on the same topics: roundbook plan --task covid --measure nDCG@10 --design tukey",
    )
    group.callback()(plan)
    group.command(
        "save",
        epilog="Example: roundbook plan save round6 --task covid --measure nDCG@10 --m 10"
        " --min-d 0.1 --note 'agreed at the round table'",
    )(save)
    group.command("list", epilog="Example: roundbook plan list --task covid")(list_)
    group.command("show", epilog="Example: roundbook plan show round6 --version 1")(show_)
    app.add_typer(group, name="plan")
