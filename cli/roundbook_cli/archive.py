"""``roundbook export`` and ``roundbook import``: archives of the record or of some tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from roundbook.requests.record import ExportRequest, ImportRequest
from roundbook_cli.options import Database, Form, Format
from roundbook_cli.output import Column, count, progress, show
from roundbook_cli.request_options import argument, option
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.transfer.archive.exporting import Contents

commands = typer.Typer()

_CONTENTS = (
    Column("archive", "Archive"),
    Column("tasks", "Tasks", ", ".join),
    count("rounds", "Rounds"),
    count("matrices", "Matrices"),
    Column("scores", "Scores", "{:,}".format, "right"),
    count("plans", "Plans"),
    count("drift_reports", "Drift reports"),
)
_BESIDE = (
    count("studies", "Studies"),
    count("uploads", "Uploads of runs"),
    count("qrels", "Relevance assessments"),
)


@commands.command("export", epilog="Example: roundbook export campaign.zip --task covid")
def export(
    context: typer.Context,
    archive: Path = argument(ExportRequest, "archive", metavar="ARCHIVE"),
    tasks: list[str] | None = option(ExportRequest, "tasks", "--task", metavar="TASK"),
    force: bool = option(ExportRequest, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Write the record, or some tasks, into a zip of plain CSV and JSON.

    All history is in it: scores, runs, relevance assessments, factor versions, corrections, saved
    results and events. It names the teams of drafts too; only its owner may read it.
    """
    from roundbook.transfer.archive.exporting import export_archive

    request = ExportRequest(archive=archive, tasks=tuple(tasks or ()), force=force)
    with record(context, database) as session, progress("Exporting ...") as step:
        exported = export_archive(session, request, step)
    _show(exported, form)


@commands.command("import", epilog="Example: roundbook import campaign.zip")
def import_(
    context: typer.Context,
    archive: Path = argument(ImportRequest, "archive", metavar="ARCHIVE"),
    trusted: bool = option(ImportRequest, "trusted", "--no-verify"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Read an archive into the record: all of it, or nothing.

    Tasks and saved results that are there already are refused, never merged. Before anything is
    kept, everything derived is verified as by 'roundbook db verify'.
    """
    from roundbook.transfer.archive.importing import import_archive

    request = ImportRequest(archive=archive, trusted=trusted)
    with changing(context, database) as session, progress("Importing ...") as step:
        imported = import_archive(session, request, step)
    _show(imported, form)


def _show(archived: Contents, form: Format) -> None:
    # A terminal is not wide enough for all columns.
    columns = _CONTENTS if form == "table" else (*_CONTENTS, *_BESIDE)
    beside = [
        f"{column.heading.lower()}: {number}"
        for column in _BESIDE
        if (number := getattr(archived, column.field))
    ]
    below = [f"With {', '.join(beside)}."] if beside else []
    show(archived, form, [archived], columns, below=[*below, f"SHA-256 {archived.sha256}"])
