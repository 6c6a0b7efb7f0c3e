"""``roundbook db grant``: the rights that another role needs, and no more."""

from __future__ import annotations

import typer

from roundbook.requests.access import Access, GrantRequest
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, show
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing

commands = typer.Typer()

_COLUMNS = (Column("on", "On"), Column("privileges", "May", ", ".join))


@commands.command(epilog="Example: roundbook db grant analyst --as reader")
def grant(
    context: typer.Context,
    role: str = argument(GrantRequest, "role", metavar="ROLE"),
    access: Access = option(GrantRequest, "access", "--as"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Give a role what it needs to work with the record or to read it, and no more.

    Only the record's owner can. Do it again after each upgrade, for the tables that are new.
    """
    from roundbook.logbook.privileges import grant_access

    request = GrantRequest(role=role, access=access)
    with changing(context, database) as session:
        granted = grant_access(session, request)
    show(
        granted,
        form,
        granted.grants,
        _COLUMNS,
        above=[f"Role '{granted.role}' is now a {granted.access} of the record:"],
    )
