"""``roundbook round teams``: the teams of a round's runs, once they are known or were wrong."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import typer

from roundbook.presentation.rounds import publication_note
from roundbook.presentation.runs import corrections, described_phrase
from roundbook.requests.runs import DescribeTeams
from roundbook_cli.impact import dependents_json, tell_impact
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, show, talk, talk_notes
from roundbook_cli.renewal import in_one_line, refit_notes
from roundbook_cli.request_options import argument, option
from roundbook_cli.series import RoundLabel, TaskName
from roundbook_cli.session import changing

commands = typer.Typer()

_CORRECTED = (Column("run", "Run"), Column("corrected", "Corrected"))
_CHANGES = tuple(Column(field, field) for field in ("run", "fact", "was", "now"))


@commands.command(
    epilog="Example: roundbook round teams covid round1 teams.csv --revise 'wrong file'"
)
def teams(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    file: Path = argument(DescribeTeams, "file", metavar="FILE"),
    revise: str | None = option(DescribeTeams, "revise", "--revise", metavar="REASON"),
    dry_run: bool = option(DescribeTeams, "dry_run", "--dry-run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record the teams of a round's runs from a file, or correct them with --revise.

    Scores and factors stay as they are. The intervals of variances, which count teams, are
    estimated anew.
    """
    from roundbook.logbook.teams import describe_teams
    from roundbook.presentation.decisions import (
        described_notes,
        pool_corrected,
    )
    from roundbook.settings import load_settings

    request = DescribeTeams(task=task, round=round_label, file=file, revise=revise, dry_run=dry_run)
    with changing(context, database, keep=not request.dry_run) as session:
        described = describe_teams(session, request, max_file_bytes=load_settings().max_file_bytes)
    refits = refit_notes(described, described.refittable, corrected=pool_corrected(described))
    notes = [*described_notes(described), *refits]
    rows = [
        SimpleNamespace(run=run, corrected=correction)
        for run, correction in corrections(described.changes).items()
    ]
    show(
        described,
        form,
        described.changes if form == "csv" else rows,
        _CHANGES if form == "csv" else _CORRECTED,
        above=[f"{described.task}, round '{described.round}': {described_phrase(described)}."],
        extra={"notes": in_one_line(notes), "impact": dependents_json(described.impact)},
    )
    talk_notes(notes)
    if published := publication_note(
        described.round, described.publication, dry_run=request.dry_run
    ):
        talk(f"Note: {published}")
    tell_impact(described)
