"""``roundbook qrels``: the relevance assessments of a round."""

from __future__ import annotations

from pathlib import Path

import typer

from roundbook.presentation.runs import QRELS, qrels_notes
from roundbook.requests.runs import ListQrels, LogQrels
from roundbook_cli.impact import show_decision
from roundbook_cli.near_names import confirm_names
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, progress, show
from roundbook_cli.request_options import argument, option, request_of
from roundbook_cli.session import record, sessions

app = typer.Typer(no_args_is_help=True)

# From the assessments' label to how many are relevant.
_LOGGED = (*QRELS[1:6], Column("status", "Status"))


@app.command(epilog="Example: roundbook qrels log covid round1 round1.qrels.gz")
def log(
    context: typer.Context,
    task: str = argument(LogQrels, "task", metavar="TASK"),
    round_label: str = argument(LogQrels, "round", metavar="ROUND"),
    file: Path = argument(LogQrels, "file", metavar="FILE"),
    assessments: str = option(LogQrels, "assessments", metavar="LABEL"),
    create: bool = option(LogQrels, "create"),
    revise: str | None = option(LogQrels, "revise", metavar="REASON", show_default=False),
    dry_run: bool = option(LogQrels, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Log the relevance assessments of a round.

    The file is in TREC's format: topic, iteration, document, grade. The same content again changes
    nothing; other content is refused unless --revise says why.
    """
    from roundbook.logbook.runs.assessing import log_qrels

    request = request_of(LogQrels, locals(), round=round_label)
    with sessions(context, database) as begin:
        confirm_names(begin, request, request.file)
        with progress("Logging the assessments ..."), begin(keep=not dry_run) as session:
            logged = log_qrels(session, request)
    show_decision(logged, form, _LOGGED, qrels_notes(logged, revise))


@app.command("list", epilog="Example: roundbook qrels list covid")
def list_(
    context: typer.Context,
    task: str = argument(ListQrels, "task", metavar="TASK"),
    round_label: str | None = argument(ListQrels, "round", metavar="ROUND", show_default=False),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the relevance assessments of a task's rounds, or of one, every revision."""
    from roundbook.logbook.runs.listing import list_qrels

    with record(context, database) as session:
        listed = list_qrels(session, ListQrels(task=task, round=round_label))
    empty = "No assessments yet: 'roundbook qrels log' takes a file."
    show(listed, form, listed.qrels, QRELS, empty=empty)
