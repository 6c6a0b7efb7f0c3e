"""``roundbook export`` and ``roundbook import``: the record, or some tasks, taken along."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, show, terminal
from roundbook_cli.session import record

ArchiveFile = Annotated[
    Path, typer.Argument(metavar="ARCHIVE", help="The archive.", show_default=False)
]

_CONTENTS = (
    Column("archive", "Archive"),
    Column("tasks", "Tasks", ", ".join),
    count("rounds", "Rounds"),
    count("matrices", "Matrices"),
    Column("scores", "Scores", "{:,}".format, "right"),
    count("plans", "Plans"),
    count("drift_reports", "Drift reports"),
)


def export(
    context: typer.Context,
    archive: ArchiveFile,
    tasks: Annotated[
        list[str] | None,
        typer.Option(
            "--task",
            metavar="TASK",
            help="Only this task; repeat it for several. (default: the whole record)",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an earlier archive.")] = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Write the record, or some tasks, into a zip of plain CSV and JSON.

    Everything is in it: scores, factor versions, corrections, plans and events. It names the teams
    of drafts too; only its owner may read it.
    """
    from roundbook.logbook.archive.exporting import export_archive

    with (
        record(context, database, one_moment=True) as session,
        terminal(talk=True).status("Exporting ...") as status,
    ):
        exported = export_archive(
            session, archive, tasks=tasks or (), force=force, progress=status.update
        )
    below = [f"SHA-256 {exported.sha256}"]
    show(exported, form, [exported], _CONTENTS, below=below)


def import_(
    context: typer.Context,
    archive: ArchiveFile,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Read an archive into the record: all of it, or nothing.

    Tasks and plans that are there already are refused, never merged. Every score is checked
    against the hash and the variance that were recorded with it.
    """
    from roundbook.logbook.archive.importing import import_archive

    with (
        record(context, database) as session,
        terminal(talk=True).status("Importing ...") as status,
    ):
        imported = import_archive(session, archive, progress=status.update)
    show(imported, form, [imported], _CONTENTS, below=[f"SHA-256 {imported.sha256}"])


def attach(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("export", epilog="Example: roundbook export campaign.zip --task covid")(export)
    app.command("import", epilog="Example: roundbook import campaign.zip")(import_)
