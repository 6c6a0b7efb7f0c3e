"""``roundbook token``: who may use the service."""

from __future__ import annotations

import typer

from roundbook.requests.access import CreateToken, RevokeToken, Scope
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, show, talk
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing, record

app = typer.Typer(no_args_is_help=True)

_COLUMNS = (
    Column("name", "Token"),
    Column("scope", "Scope"),
    Column("task", "Task"),
    Column("status", "Status"),
    Column("expires_at", "Expires (UTC)", lambda at: f"{at:%Y-%m-%d}"),
    Column("created_at", "Made (UTC)", lambda at: f"{at:%Y-%m-%d}", spare=1),
    Column("created_by", "By", spare=2),
)


@app.command(epilog="Example: roundbook token create ann --scope log --task covid --days 90")
def create(
    context: typer.Context,
    name: str = argument(CreateToken, "name", metavar="NAME"),
    scope: Scope = option(CreateToken, "scope"),
    task: str | None = option(CreateToken, "task", metavar="TASK"),
    days: int | None = option(CreateToken, "days", metavar="N"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Make a token for the service, and show it this once."""
    from roundbook.logbook.tokens import create_token

    request = CreateToken(name=name, scope=scope, task=task, days=days)
    with changing(context, database) as session:
        token = create_token(session, request)
    columns = (*_COLUMNS, Column("token", "Secret")) if form == "csv" else _COLUMNS
    show(token, form, [token], columns)
    if form == "table":
        typer.echo(f"\n{token.token}")
        talk("Keep it: the record has its hash alone, and it is not shown again.")


@app.command("list", epilog="Example: roundbook token list")
def list_(context: typer.Context, form: Form = "table", database: Database = None) -> None:
    """List the tokens that were made, without the tokens themselves."""
    from roundbook.logbook.tokens import list_tokens

    with record(context, database) as session:
        listed = list_tokens(session)
    empty = "No token. Make one: roundbook token create NAME"
    show(listed, form, listed.tokens, _COLUMNS, empty=empty)


@app.command(epilog="Example: roundbook token revoke ann")
def revoke(
    context: typer.Context,
    name: str = argument(RevokeToken, "name", metavar="NAME"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Refuse a token from now on."""
    from roundbook.logbook.tokens import revoke_token

    request = RevokeToken(name=name)
    with changing(context, database) as session:
        revoked = revoke_token(session, request)
    show(revoked, form, [revoked], _COLUMNS)
    if form == "table":
        talk(
            "Jobs that it started go on, and their results are saved in its name; cancel on the page"
            " of a job what should not be."
        )
