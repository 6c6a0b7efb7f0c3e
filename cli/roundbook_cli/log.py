"""``roundbook log``: logging the score matrices of a round."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from roundbook.presentation.matrices import log_notes, standardising_note
from roundbook.presentation.tables import variance_column
from roundbook.presentation.teams import team_file_news
from roundbook.presentation.terminal import command
from roundbook.requests.fields import Layout, Missing, ZeroSd
from roundbook.requests.matrices import LogFilesRequest
from roundbook_cli.impact import dependents_json, tell_impact
from roundbook_cli.near_names import confirm_names
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, print_json, progress, show, talk, talk_notes
from roundbook_cli.renewal import (
    in_one_line,
    measure_options,
    refit_command,
    refit_notes,
)
from roundbook_cli.request_options import argument, option, request_of, usage_errors
from roundbook_cli.session import sessions

if TYPE_CHECKING:
    from roundbook.logbook.matrices.logged import LoggedMatrix

commands = typer.Typer()

_COLUMNS = (
    count("matrix", "Matrix"),
    count("revision", "Revision", spare=2),
    count("topics", "Topics"),
    count("runs", "Runs"),
    variance_column("variance", "Variance"),
    count("factor_version", "Factors", spare=1),
    Column("status", "Status"),
)
_SEVERAL = (Column("measure", "Measure"), *_COLUMNS)


@commands.command(
    epilog="Example: roundbook log covid round1 *.eval --measure nDCG@10 --measure AP --create"
    "\n\nExample: roundbook log covid round1 --from-runs --measure 'nDCG(gains=1:1,2:3)@10'"
)
def log(
    context: typer.Context,
    task: str = argument(LogFilesRequest, "task", metavar="TASK"),
    round_label: str = argument(LogFilesRequest, "round", metavar="ROUND"),
    files: list[Path] | None = argument(
        LogFilesRequest, "files", metavar="FILE...", show_default=False
    ),
    from_runs: bool = option(LogFilesRequest, "from_runs"),
    measures: list[str] | None = option(
        LogFilesRequest, "measures", "--measure", metavar="M", show_default=False
    ),
    all_measures: bool = option(LogFilesRequest, "all_measures"),
    layout: Layout = option(LogFilesRequest, "layout"),
    file_measure: str | None = option(LogFilesRequest, "file_measure", metavar="NAME"),
    teams: Path | None = option(LogFilesRequest, "teams", metavar="CSV"),
    assessments: str = option(LogFilesRequest, "assessments", metavar="LABEL"),
    missing: Missing = option(LogFilesRequest, "missing"),
    zero_sd: ZeroSd = option(LogFilesRequest, "zero_sd"),
    bounds: tuple[float, float] | None = option(LogFilesRequest, "bounds", metavar="LOW HIGH"),
    tool: str | None = option(LogFilesRequest, "tool", metavar="TEXT"),
    create: bool = option(LogFilesRequest, "create"),
    revise: str | None = option(LogFilesRequest, "revise", metavar="REASON", show_default=False),
    dry_run: bool = option(LogFilesRequest, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Log a round's score matrix, with its variances and standardisation factors.

    Several measures are logged together, all or none. The same content again changes nothing; other
    content is refused unless --revise says why.
    """
    from roundbook.logbook.matrices.log_matrix import log_files

    with usage_errors():
        request = request_of(LogFilesRequest, locals(), round=round_label)
    with sessions(context, database) as begin:
        confirm_names(begin, request, *request.files)
        with progress("Logging ..."), begin(keep=not dry_run) as session:
            logged = log_files(session, request)
    matrices, several = logged.matrices, len(request.measures) != 1
    if form != "json":
        show(logged, form, matrices, _SEVERAL if several else _COLUMNS)
    elif several:
        print_json(logged.model_dump(mode="json") | {"matrices": list(map(_json, matrices))})
    else:
        print_json(_json(matrices[0]))
    _tell(matrices)
    tell_impact(*matrices)


def _json(logged: LoggedMatrix) -> dict[str, Any]:
    """Return the JSON of a logged matrix, with its notes and commands."""
    return logged.model_dump(mode="json") | {
        "notes": in_one_line(_notes(logged, [logged.measure])),
        "impact": dependents_json(logged.impact),
    }


def _notes(logged: LoggedMatrix, measures: Sequence[str]) -> list[str]:
    """Return the notes on a matrix just logged, with a command for each measure on its own line."""
    with_commands = refit_notes(logged, logged.remarks.refittable)
    if note := standardising_note(logged):
        if logged.standardising == "pooled":
            commands = [
                refit_command(
                    logged.task, logged.round, measure_options(measure, logged.assessments), "all"
                )
                for measure in measures
            ]
            with_commands[note] = "\n  ".join([f"{note} To have all standardise:", *commands])
        elif logged.pool == "partly known":
            recording = command("round", "teams", logged.task, logged.round, "FILE")
            with_commands[note] = f"{note} To record it:\n  {recording}"
    return [with_commands.get(note, note) for note in log_notes(logged)]


def _tell(matrices: Sequence[LoggedMatrix]) -> None:
    """Print the notes on logged matrices on stderr; those that all of them share last, once."""
    measures = [matrix.measure for matrix in matrices]
    notes = [_notes(matrix, measures) for matrix in matrices]
    shared = [note for note in notes[0] if all(note in of_matrix for of_matrix in notes)]
    for matrix, of_matrix in zip(matrices, notes, strict=True):
        for note, own in zip(of_matrix, _notes(matrix, [matrix.measure]), strict=True):
            if note not in shared:
                talk(f"Note ({matrix.measure}): {own}")
    talk_notes(shared)
    for matrix in matrices:
        if news := team_file_news(matrix):
            talk(news)
