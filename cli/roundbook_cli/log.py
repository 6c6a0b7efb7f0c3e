"""``roundbook log``: a round's score matrix into the record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from roundbook.presentation.matrices import log_notes
from roundbook.requests.fields import Layout, Missing, ZeroSd
from roundbook.requests.matrices import LogRequest
from roundbook_cli.impact import dependents_json, tell_impact
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, number, show, talk, terminal
from roundbook_cli.request_options import argument, default, option
from roundbook_cli.session import sessions

_COLUMNS = (
    count("matrix", "Matrix"),
    count("revision", "Revision"),
    count("topics", "Topics"),
    count("runs", "Runs"),
    number("variance", "Variance", 5),
    count("factor_version", "Factors"),
    Column("status", "Status"),
)


def log(
    context: typer.Context,
    task: Annotated[str, argument(LogRequest, "task", metavar="TASK")],
    round_label: Annotated[str, argument(LogRequest, "round", metavar="ROUND")],
    files: Annotated[
        list[Path], argument(LogRequest, "files", metavar="FILE...", show_default=False)
    ],
    measure: Annotated[str, option(LogRequest, "measure", "--measure", metavar="M")],
    layout: Annotated[Layout, option(LogRequest, "layout", "--layout")] = default(
        LogRequest, "layout"
    ),
    file_measure: Annotated[
        str | None, option(LogRequest, "file_measure", "--file-measure", metavar="NAME")
    ] = default(LogRequest, "file_measure"),
    teams: Annotated[Path | None, option(LogRequest, "teams", "--teams", metavar="CSV")] = default(
        LogRequest, "teams"
    ),
    assessments: Annotated[
        str, option(LogRequest, "assessments", "--assessments", metavar="LABEL")
    ] = default(LogRequest, "assessments"),
    missing: Annotated[Missing, option(LogRequest, "missing", "--missing")] = default(
        LogRequest, "missing"
    ),
    zero_sd: Annotated[ZeroSd, option(LogRequest, "zero_sd", "--zero-sd")] = default(
        LogRequest, "zero_sd"
    ),
    bounds: Annotated[
        tuple[float, float] | None, option(LogRequest, "bounds", "--bounds", metavar="LOW HIGH")
    ] = default(LogRequest, "bounds"),
    tool: Annotated[str | None, option(LogRequest, "tool", "--tool", metavar="TEXT")] = default(
        LogRequest, "tool"
    ),
    create: Annotated[bool, option(LogRequest, "create", "--create")] = default(
        LogRequest, "create"
    ),
    revise: Annotated[
        str | None, option(LogRequest, "revise", "--revise", metavar="REASON", show_default=False)
    ] = default(LogRequest, "revise"),
    dry_run: Annotated[bool, option(LogRequest, "dry_run", "--dry-run")] = default(
        LogRequest, "dry_run"
    ),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Log a round's score matrix, with its variances and standardisation factors.

    The same content again changes nothing; other content is refused unless --revise says why.
    """
    from roundbook.logbook.matrices.logging import latest_revision, log_files
    from roundbook.settings import load_settings

    request = LogRequest(
        task=task,
        round=round_label,
        files=tuple(files),
        measure=measure,
        layout=layout,
        file_measure=file_measure,
        teams=teams,
        missing=missing,
        assessments=assessments,
        create=create,
        revise=revise,
        bounds=bounds,
        zero_sd=zero_sd,
        tool=tool,
        dry_run=dry_run,
    )
    with sessions(context, database) as begin, terminal(talk=True).status("Logging ..."):
        if revise is not None:
            # What is the latest before anybody is waited for is what this person has seen.
            with begin() as session:
                seen = latest_revision(session, request)
            request = request.model_copy(update={"expected_revision": seen})
        with begin(keep=not dry_run) as session:
            logged = log_files(session, request, max_file_bytes=load_settings().max_file_bytes)
    notes = log_notes(logged)
    extra = {"notes": notes, "impact": logged.impact and dependents_json(logged.impact)}
    show(logged, form, [logged], _COLUMNS, extra=extra)
    for note in notes:
        talk(f"Note: {note}")
    if logged.runs_described and logged.status == "unchanged":
        talk(f"The team file told something new of {logged.runs_described} runs.")
    if dry_run:
        talk("Dry run: nothing was written.")
    if logged.impact:
        tell_impact(
            logged.impact,
            "Stale once the scores are replaced:"
            if dry_run
            else "Stale now that the scores are replaced:",
        )


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(epilog="Example: roundbook log covid round1 scores.csv --measure nDCG@10 --create")(
        log
    )
