"""``roundbook matrix``: what is logged, matrix by matrix, and its corrections."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.options import Database, Form
from cli.output import Column, count, show
from cli.session import record

app = typer.Typer(no_args_is_help=True, help="Score matrices: list, show, correct, export.")

Number = Annotated[
    int, typer.Argument(metavar="MATRIX", help="Its number, as log and matrix list print it.")
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept for good.")]

_DECIDED = (
    count("matrix", "Matrix"),
    Column("round", "Round"),
    Column("measure", "Measure"),
    count("revision", "Revision"),
    Column("standing", "Standing"),
    Column("reason", "Reason"),
    Column("status", "Status"),
)


@app.command(epilog="Example: roundbook matrix withdraw 3 --reason 'scored with the wrong qrels'")
def withdraw(
    context: typer.Context,
    matrix: Number,
    reason: Reason,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Withdraw a score matrix: it stays readable and counts in nothing, until restored."""
    from service.logbook.corrections import withdraw_matrix
    from service.settings import load_settings

    with record(context, database) as engine:
        decided = withdraw_matrix(engine, matrix, reason, user=load_settings().user)
    show(decided, form, [decided], _DECIDED)


@app.command(epilog="Example: roundbook matrix restore 3 --reason 'the qrels were right after all'")
def restore(
    context: typer.Context,
    matrix: Number,
    reason: Reason,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Take a withdrawal back: the score matrix counts again."""
    from service.logbook.corrections import restore_matrix
    from service.settings import load_settings

    with record(context, database) as engine:
        decided = restore_matrix(engine, matrix, reason, user=load_settings().user)
    show(decided, form, [decided], _DECIDED)
