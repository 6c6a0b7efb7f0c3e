"""``roundbook impact``: what rests on a score matrix, and how to renew what is stale."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import typer

from roundbook.requests.matrices import ShowImpact
from roundbook_cli.options import Database, Form, MatrixNumber
from roundbook_cli.output import Column, print_commands, section, show, talk
from roundbook_cli.renewal import computed_anew, dependent_line, renewal_of_dependent
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.impact import Dependent

commands = typer.Typer()

_DEPENDENTS = (
    Column("name", "What"),
    Column("stale", "Stale", lambda stale: "yes" if stale else "no"),
    Column("why", "Why"),
)
_CSV = (
    *(Column(field, field) for field in ("kind", "name", "where", "saved_at", "saved_by")),
    *(Column(field, field) for field in ("stale", "why", "renew", "rests")),
)


@commands.command(epilog="Example: roundbook impact 3")
def impact(
    context: typer.Context,
    matrix: MatrixNumber,
    form: Form = "table",
    database: Database = None,
) -> None:
    """List what rests on a score matrix, what of it is stale, and the command that renews it."""
    from roundbook.logbook.impact import Scores, show_impact
    from roundbook.presentation.impact import impact_sentences, scores_sentence

    request = ShowImpact(matrix=matrix)
    with record(context, database) as session:
        shown = show_impact(session, request)
    why = None if shown.reason is None else scores_sentence(shown.reason)
    rows = [SimpleNamespace(**dependent_line(dependent)) for dependent in shown.dependents]
    show(
        shown,
        form,
        rows,
        _CSV if form == "csv" else _DEPENDENTS,
        above=[*impact_sentences(shown), ""],
        extra={"why": why, "dependents": dependents_json(shown.dependents)},
        without=("reason",),
    )
    # A command may renew several results.
    renewals = list(dict.fromkeys(row.renew for row in rows if row.renew))
    outdated = shown.source is not None and shown.source.outdated and shown.standing == "current"
    if form == "table" and outdated:
        section("To compute its scores anew:")
        print_commands(computed_anew(Scores(**shown.model_dump(include=set(Scores.model_fields)))))
    if form == "table" and renewals:
        section("To renew what is stale:")
        print_commands(*renewals)


def dependents_json(dependents: Sequence[Dependent]) -> list[dict[str, Any]]:
    """Return the JSON of dependents on the terminal."""
    lines = [dependent_line(dependent) for dependent in dependents]
    return [line | {"saved_at": f"{line['saved_at'].isoformat()}"} for line in lines]


def tell_impact(dependents: Sequence[Dependent], headline: str) -> None:
    """Print the stale dependents of scores on stderr, with the commands that renew them."""
    if not dependents:
        return
    from roundbook.presentation.impact import stale_lines

    talk(headline)
    for line in stale_lines(dependents):
        talk(line)
    # A command may renew several results.
    renewals = dict.fromkeys(filter(None, map(renewal_of_dependent, dependents)))
    if renewals:
        talk("To renew them:")
    for command in renewals:
        talk(f"  {command}")
