"""``roundbook impact``: what rests on a score matrix, and how to renew what is stale."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook.presentation.rounds import publication_note
from roundbook.requests.matrices import ShowImpact
from roundbook_cli.options import Database, Form, Format, matrix_number
from roundbook_cli.output import (
    Column,
    print_commands,
    print_sentences,
    section,
    show,
    talk,
    talk_notes,
)
from roundbook_cli.renewal import (
    STALE,
    dependent_line,
    recompute_command,
    renewal_of_dependent,
    renewal_of_task,
)
from roundbook_cli.request_options import argument
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.impact import Dependent

commands = typer.Typer()

MatrixNumber = Annotated[
    int, argument(ShowImpact, "matrix", metavar="MATRIX", parser=matrix_number)
]

_DEPENDENTS = (Column("name", "What"), STALE, Column("why", "Why"))
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
    from roundbook.logbook.impact import show_impact
    from roundbook.presentation.impact import impact_sentences, scores_sentence

    request = ShowImpact(matrix=matrix)
    with record(context, database) as session:
        result = show_impact(session, request)
    why = None if result.reason is None else scores_sentence(result.reason)
    rows = [SimpleNamespace(**dependent_line(dependent)) for dependent in result.dependents]
    if form != "table":
        extra = {"why": why, "dependents": dependents_json(result.dependents)}
        show(result, form, rows, _CSV, extra=extra, without=("reason",))
        return
    print_sentences(*impact_sentences(result))
    renewals = _renewals(result.dependents)
    if result.source is not None and result.source.outdated and result.status == "current":
        section("To compute its scores anew:")
        print_commands(recompute_command(result))
    if renewals:
        section("To renew what is stale:")
        print_commands(*renewals)
    section(rows=rows, columns=_DEPENDENTS)


def dependents_json(dependents: Sequence[Dependent]) -> list[dict[str, Any]]:
    """Return the JSON of dependents on the terminal."""
    lines = [dependent_line(dependent) for dependent in dependents]
    return [line | {"saved_at": f"{line['saved_at'].isoformat()}"} for line in lines]


def show_decision(
    decision: Any,  # noqa: ANN401
    form: Format,
    columns: Sequence[Column],
    notes: Sequence[str],
) -> None:
    """Print a decision with its notes and with what it made stale."""
    extra = {"notes": notes, "impact": dependents_json(decision.impact)}
    show(decision, form, [decision], columns, extra=extra)
    talk_notes(notes)
    tell_impact(decision)


def tell_impact(*decisions: Any) -> None:  # noqa: ANN401
    """Print on stderr a published round's new fingerprint, what is stale, and what renews it.

    Before what is stale, the note on a dry run says that nothing was written.
    """
    from roundbook.presentation.decisions import DRY_RUN, stale_headline
    from roundbook.presentation.impact import stale_count, stale_lines

    published = [decision for decision in decisions if getattr(decision, "publication", None)]
    for last in published[-1:]:  # whose fingerprint is after all of them
        note = publication_note(last.round, last.publication, dry_run=last.dry_run)
        talk(f"Note: {note}")
    if decisions[0].dry_run:
        talk(DRY_RUN)
    for decision in decisions:
        lines = stale_lines(decision.impact)
        if not lines:
            continue
        headline, count = stale_headline(decision), stale_count(decision.impact)
        talk(f"{headline} {count}." if count else headline)
        if renewals := _renewals(decision.impact):
            talk("To renew what is stale:")
            for command in renewals:
                talk(f"  {command}")
            talk("In detail:")
        for line in lines:
            talk(line)


def _renewals(dependents: Sequence[Dependent]) -> list[str]:
    """Return the commands that renew what is stale, with one for several saved results."""
    commands, of_results = [], {}
    for dependent in dependents:
        if command := renewal_of_dependent(dependent):
            if dependent.entry is None:
                commands.append(command)
            else:
                of_results[command] = dependent.entry.task
    tasks = dict.fromkeys(filter(None, of_results.values()))
    renewed = list(of_results) if len(of_results) == 1 else map(renewal_of_task, tasks)
    # A command may renew several dependents.
    return [*dict.fromkeys(commands), *renewed]
