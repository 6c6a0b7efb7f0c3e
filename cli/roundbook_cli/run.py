"""``roundbook run``: what the runs of a round retrieved, and what it scores."""

from __future__ import annotations

from pathlib import Path

import typer

from roundbook.presentation.runs import UPLOADS, comparison_notes, comparison_summary, run_notes
from roundbook.requests.runs import CompareScores, ListRuns, LogRuns
from roundbook_cli.impact import show_decision
from roundbook_cli.near_names import confirm_names
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, number, progress, show, signed, talk_notes
from roundbook_cli.request_options import argument, option, request_of
from roundbook_cli.series import Assessments, Measure, RoundLabel, TaskName
from roundbook_cli.session import record, sessions

app = typer.Typer(no_args_is_help=True)

_LOGGED = (
    count("upload", "Upload"),
    count("runs", "Runs"),
    count("topics", "Topics"),
    count("lists", "Lists"),
    count("documents", "Documents"),
    count("longest_list", "Longest list"),
    Column("status", "Status"),
)
_RUNS = (
    Column("run", "Run"),
    count("upload", "Upload", spare=1),
    count("topics", "Topics"),
    count("documents", "Documents"),
    Column("team", "Team"),
    Column("contributed_to_pool", "In the pool", lambda pooled: "yes" if pooled else "no"),
)

_CELLS = (
    Column("topic", "Topic"),
    Column("run", "Run"),
    number("logged", "Logged"),
    number("computed", "Computed"),
    signed("difference", "Difference", 4),
)


@app.command(epilog="Example: roundbook run log covid round1 runs/ --create")
def log(
    context: typer.Context,
    task: str = argument(LogRuns, "task", metavar="TASK"),
    round_label: str = argument(LogRuns, "round", metavar="ROUND"),
    files: list[Path] = argument(LogRuns, "files", metavar="FILE..."),
    create: bool = option(LogRuns, "create"),
    dry_run: bool = option(LogRuns, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Log what runs of a round retrieved: their documents and scores to depth 1,000.

    Files are in TREC's run format: topic, Q0, document, rank, score, tag. All of them are logged, or
    none. The same runs again change nothing, and what a run retrieved never changes.
    """
    from roundbook.logbook.runs.log_runs import log_runs

    request = request_of(LogRuns, locals(), round=round_label)
    with sessions(context, database) as begin:
        confirm_names(begin, request, *request.files)
        with progress("Reading the runs ...") as doing, begin(keep=not dry_run) as session:
            logged = log_runs(session, request, doing)
    show_decision(logged, form, _LOGGED, run_notes(logged))


@app.command("list", epilog="Example: roundbook run list covid round1")
def list_(
    context: typer.Context,
    task: str = argument(ListRuns, "task", metavar="TASK"),
    round_label: str | None = argument(ListRuns, "round", metavar="ROUND", show_default=False),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the uploads of runs to a task's rounds, or the runs of one round that have lists."""
    from roundbook.logbook.runs.listing import list_runs

    with record(context, database) as session:
        listed = list_runs(session, ListRuns(task=task, round=round_label))
    rows, columns = (listed.runs, _RUNS) if listed.runs is not None else (listed.uploads, UPLOADS)
    empty = None if listed.uploads else "No runs yet: 'roundbook run log' takes run files."
    show(listed, form, rows, columns, empty=empty)


@app.command(
    epilog="Example: roundbook run compare covid round1 --measure 'nDCG(gains=1:1,2:2)@10'"
)
def compare(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    tolerance: float = option(CompareScores, "tolerance"),
    limit: int = option(CompareScores, "limit", metavar="N"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare a round's logged scores with those computed from its runs and assessments."""
    from roundbook.logbook.runs.scoring import compare_scores

    request = request_of(CompareScores, locals(), round=round_label)
    with progress("Computing ..."), record(context, database) as session:
        comparison = compare_scores(session, request)
    show(comparison, form, comparison.cells_shown, _CELLS, above=comparison_summary(comparison))
    talk_notes(comparison_notes(comparison))
