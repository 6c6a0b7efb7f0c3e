"""``roundbook impact``: what rests on a score matrix, and how to renew what is stale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from roundbook_cli.matrix_number import MatrixNumber
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, counted, section, show, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.impact.dependents import Dependent

_DEPENDENTS = (
    Column("name", "What"),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("why", "Why"),
)
_CSV = (
    *(Column(field, field) for field in ("kind", "name", "where", "saved_at", "saved_by")),
    *(Column(field, field) for field in ("stale", "why", "renew", "rests")),
)


def impact(
    context: typer.Context,
    matrix: MatrixNumber,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List what rests on a score matrix, what of it is stale, and the command that renews it."""
    from roundbook.logbook.impact.listing import show_impact

    with record(context, database) as session:
        found = show_impact(session, matrix)
    resting = [each for each in found.dependents if each.rests]
    lacking = len(found.dependents) - len(resting)
    summary = (
        f"{counted(len(resting), 'result')} resting on it, {sum(each.stale for each in resting)}"
        " stale."
    )
    if lacking:
        summary += f" {counted(lacking, 'plan')} stale for not resting on it."
    scores = f"Matrix {found.matrix}: {found.measure} of round '{found.round}' of '{found.task}'"
    show(
        found,
        form,
        found.dependents,
        _CSV if form == "csv" else _DEPENDENTS,
        above=[
            f"{scores}, {found.assessments} assessments, revision {found.revision}:"
            f" {found.why or 'it counts'}.",
            summary,
            "",
        ],
    )
    renewals = _renewals(found.dependents)
    if form == "table" and renewals:
        section("To renew what is stale:")
        for command in renewals:
            # Not wrapped, so that it can be copied.
            typer.echo(f"  {command}")


def _renewals(dependents: Sequence[Dependent]) -> list[str]:
    """Return each command once: one may renew several results."""
    return list(dict.fromkeys(each.renew for each in dependents if each.renew))


def tell_impact(dependents: Sequence[Dependent], headline: str) -> None:
    """Say on stderr what is stale since something happened to the scores it rests on."""
    if not dependents:
        return
    talk(headline)
    for each in dependents:
        talk(f"  {each.name} ({each.where}): {each.why}")
    renewals = _renewals(dependents)
    if renewals:
        talk("To renew them:")
    for command in renewals:
        talk(f"  {command}")


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook impact 3")(impact)
