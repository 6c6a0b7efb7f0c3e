"""``roundbook task``: the tasks of a campaign."""

from __future__ import annotations

import typer

from roundbook.requests.tasks import CreateTask, RemoveTask, RenameTask
from roundbook_cli.near_names import confirm_name
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, print_commands, show, talk
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing, record

app = typer.Typer(no_args_is_help=True)

_COLUMNS = (
    Column("task", "Task"),
    Column("title", "Title"),
    count("rounds", "Rounds"),
    Column("measures", "Measures", ", ".join),
)


_REMOVED = (Column("task", "Removed task"), Column("rounds", "Its rounds", ", ".join))


@app.command(epilog="Example: roundbook task create covid --title 'TREC-COVID'")
def create(
    context: typer.Context,
    task: str = argument(CreateTask, "task", metavar="TASK"),
    title: str | None = option(CreateTask, "title"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a new task."""
    from roundbook.logbook.tasks import create_task

    request = CreateTask(task=task, title=title)
    with changing(context, database) as session:
        confirm_name(session, request.task)
        created = create_task(session, request)
    show(created, form, [created], _COLUMNS)


@app.command(epilog="Example: roundbook task rename covdi covid")
def rename(
    context: typer.Context,
    task: str = argument(RenameTask, "task", metavar="TASK"),
    name: str = argument(RenameTask, "name", metavar="NAME"),
    force: bool = option(RenameTask, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Give a task another name, before a round of it is published or a result is saved."""
    from roundbook.logbook.tasks import rename_task
    from roundbook.presentation.decisions import renamed_sentence

    request = RenameTask(task=task, name=name, force=force)
    with changing(context, database) as session:
        renamed = rename_task(session, request)
    show(renamed, form, [renamed], _COLUMNS)
    talk(renamed_sentence("Task", renamed.was, renamed.task))


@app.command(epilog="Example: roundbook task remove covdi")
def remove(
    context: typer.Context,
    task: str = argument(RemoveTask, "task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Remove a task that was made by a slip, with its rounds; none may hold scores."""
    from roundbook.logbook.tasks import remove_task

    request = RemoveTask(task=task)
    with changing(context, database) as session:
        removed = remove_task(session, request)
    show(removed, form, [removed], _REMOVED)


@app.command("list", epilog="Example: roundbook task list")
def list_(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """List the tasks, oldest first."""
    from roundbook.logbook.tasks import list_tasks

    with record(context, database) as session:
        listed = list_tasks(session)
    empty = "No task yet. Make one by logging its first round:"
    show(listed, form, listed.tasks, _COLUMNS, empty=empty)
    if not listed.tasks and form == "table":
        print_commands("roundbook log TASK ROUND FILE --measure M --create")
