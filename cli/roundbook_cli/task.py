"""``roundbook task``: what the campaign evaluates."""

from __future__ import annotations

from typing import Annotated

import typer

from roundbook.requests.tasks import CreateTask
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, show
from roundbook_cli.request_options import argument, default, option
from roundbook_cli.session import record

app = typer.Typer(no_args_is_help=True, help="Tasks: what a campaign evaluates.")

_COLUMNS = (
    Column("task", "Task"),
    Column("title", "Title"),
    count("rounds", "Rounds"),
    Column("measures", "Measures", ", ".join),
)


@app.command(epilog="Example: roundbook task create covid --title 'TREC-COVID'")
def create(
    context: typer.Context,
    task: Annotated[str, argument(CreateTask, "task", metavar="TASK")],
    title: Annotated[str | None, option(CreateTask, "title", "--title")] = default(
        CreateTask, "title"
    ),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a new task."""
    from roundbook.logbook.tasks import create_task

    with record(context, database) as session:
        created = create_task(session, CreateTask(task=task, title=title))
    show(created, form, [created], _COLUMNS)


@app.command("list", epilog="Example: roundbook task list")
def list_(
    context: typer.Context,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the tasks, oldest first."""
    from roundbook.logbook.tasks import list_tasks

    with record(context, database) as session:
        listed = list_tasks(session)
    empty = ["No task yet. Make one with 'roundbook task create TASK'."] if not listed.tasks else []
    show(listed, form, listed.tasks, _COLUMNS, below=empty)
