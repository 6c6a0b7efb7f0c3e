"""``roundbook report``: reports of a task as files, and saved drift reports by their numbers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.presentation.phrases import verdict_words
from roundbook.presentation.terminal import command
from roundbook.requests.fields import VarianceScale
from roundbook.requests.reports import DepositRequest, HtmlReport, LatexReport
from roundbook.requests.results import ListResults, ShowResult
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, progress, show, signed, talk, talk_notes
from roundbook_cli.renewal import SAVED, STALE
from roundbook_cli.request_options import argument, option, request_of, usage_errors
from roundbook_cli.saved_drift import Details, print_saved, report_facts, report_number
from roundbook_cli.series import Assessments, TaskName
from roundbook_cli.session import record
from roundbook_cli.ways_out import sentence

if TYPE_CHECKING:
    from roundbook.logbook.result import Result

app = typer.Typer(no_args_is_help=True)

_LISTED = (
    Column("task", "Task", spare=3),  # where there are several
    Column("name", "Name"),
    Column("measure", "Measure"),
    Column("from_round", "From"),
    Column("to_round", "To"),
    Column("verdict", "Verdict", verdict_words),
    signed("shift", "Shift"),
    SAVED,
    STALE,
    Column("note", "Note", spare=2),
)
_OF_CSV = (_LISTED[0], count("number", "Number"), *_LISTED[1:])
_OF_BRIEF = ("measure", "verdict", "shift")


@app.command("list", epilog="Example: roundbook report list --task covid")
def list_(
    context: typer.Context,
    task: str | None = option(ListResults, "task", metavar="TASK"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """List the saved drift reports, and whether each is stale."""
    from roundbook.logbook.saved_results import list_results

    with record(context, database) as session:
        listed = list_results(session, ListResults(task=task, kind="drift"))
    # Within a task by number, those with a name of their own first.
    entries = sorted(
        listed.results, key=lambda entry: (entry.task or "", report_number(entry) or 0)
    )
    rows = [
        SimpleNamespace(
            **dict.fromkeys(_OF_BRIEF) | dict(entry) | entry.brief,
            number=report_number(entry),
            from_round=entry.brief.get("from"),
            to_round=entry.brief.get("to"),
        )
        for entry in entries
    ]
    reports = [{"name": entry.name} | report_facts(entry) | entry.brief for entry in entries]
    columns = _LISTED if len({row.task for row in rows}) > 1 else _LISTED[1:]
    show(
        listed,
        form,
        rows,
        _OF_CSV if form == "csv" else columns,
        empty="No drift report is saved. Save one with: roundbook drift TASK --measure M --save",
        extra={"reports": reports},
        without=("results",),
    )


@app.command("show", epilog="Example: roundbook report show covid 1")
def show_(
    context: typer.Context,
    task: TaskName,
    number: Annotated[
        int | None,
        typer.Argument(
            metavar="NUMBER",
            help="Its number, as 1 of covid/drift-1; of a name, as report list prints it, none.",
            show_default=False,
        ),
    ] = None,
    details: Details = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a saved drift report as it was, and whether what it was computed from still counts."""
    from roundbook.logbook.saved_results import show_result
    from roundbook.logbook.stored_results import numbered_name

    with record(context, database) as session:
        name = task if number is None else numbered_name(task, "drift", number)
        saved = show_result(session, ShowResult(name=name, kind="drift"))
    print_saved(saved, form, details=details)


@app.command(
    epilog="Example: roundbook report html covid --output covid.html\n\nOne round: roundbook report"
    " html covid round3 --output round3.html"
)
def html(
    context: typer.Context,
    task: TaskName,
    output: Path = option(HtmlReport, "output", metavar="FILE"),
    round_label: str | None = argument(HtmlReport, "round", metavar="ROUND"),
    measure: str | None = option(HtmlReport, "measure", metavar="M"),
    assessments: Assessments = None,
    scale: VarianceScale = option(HtmlReport, "scale"),
    force: bool = option(HtmlReport, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Write the pages of a task, or of a round, as one file to mail or to publish.

    The charts and the style are inside; it has no script, and fetches nothing.
    """
    from roundbook.reports.html_report import write_html

    request = request_of(HtmlReport, locals(), round=round_label)
    with record(context, database) as session, progress("Writing the pages ...") as step:
        written = write_html(session, request, step)
    columns = (
        Column("report", "Report"),
        Column("measure", "Measure"),
        Column("pages", "Pages", ", ".join),
    )
    show(written, form, [written], columns)
    _note(written)


@app.command(
    epilog="Example: roundbook report latex covid round3 --output tables\n\nIn one file, with other"
    " sizes: roundbook report latex covid --output tables.tex --m 10 --min-d 0.1\n\n"
    "With the sizes of a saved plan: roundbook report latex covid --output tables --plan next"
)
def latex(
    context: typer.Context,
    task: TaskName,
    output: Path = option(LatexReport, "output", metavar="DIR_OR_FILE"),
    round_label: str | None = argument(LatexReport, "round", metavar="ROUND"),
    measure: str | None = option(LatexReport, "measure", metavar="M"),
    assessments: Assessments = None,
    m: list[int] | None = option(LatexReport, "m", metavar="M"),
    min_d: list[float] | None = option(LatexReport, "min_d", metavar="D"),
    plan: str | None = option(LatexReport, "plan", metavar="NAME"),
    force: bool = option(LatexReport, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Write the tables of an overview paper: variances, topic set sizes, factors, ranking.

    Each caption says what was assumed. They need the LaTeX packages booktabs and longtable.
    """
    from roundbook.reports.latex import write_latex

    with usage_errors():
        request = request_of(LatexReport, locals(), round=round_label)
    with record(context, database) as session, progress("Computing the tables ...") as step:
        written = write_latex(session, request, step)
    columns = (
        Column("report", "Report"),
        Column("round", "Round"),
        Column("measure", "Measure"),
        Column("tables", "Tables", ", ".join),
    )
    show(written, form, [written], columns)
    _note(written)
    if written.plan_stale:
        talk(f"To renew the plan: {command('result', 'renew', str(written.plan))}")


@app.command(
    epilog="Example: roundbook report datacite covid --output covid.zip --creator 'Sakai, Tetsuya'"
    " --publisher Zenodo --year 2026"
)
def datacite(
    context: typer.Context,
    task: TaskName,
    output: Path = option(DepositRequest, "output", metavar="DIR_OR_ZIP"),
    title: str | None = option(DepositRequest, "title", metavar="TEXT"),
    creators: list[str] | None = option(DepositRequest, "creators", "--creator", metavar="NAME"),
    publisher: str | None = option(DepositRequest, "publisher", metavar="NAME"),
    year: int | None = option(DepositRequest, "year", metavar="YEAR"),
    doi: str | None = option(DepositRequest, "doi", metavar="DOI"),
    force: bool = option(DepositRequest, "force"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Write a bundle to deposit: the task's archive, CITATION.cff, and datacite.json.

    All rounds with scores must be published; datacite.json has their fingerprints. What nobody gave
    is said as unknown, or left out.
    """
    from roundbook.reports.deposit import write_deposit

    with usage_errors():
        request = request_of(DepositRequest, locals())
    with record(context, database) as session, progress("Exporting ...") as step:
        deposit = write_deposit(session, request, step)
    columns = (Column("round", "Round"), Column("fingerprint", "Fingerprint"))
    above = [f"{deposit.report}: {deposit.title} ({', '.join(deposit.files)})"]
    below = [f"SHA-256 of the archive {deposit.sha256}"]
    if deposit.unknown:
        options = ", ".join(f"--{name}" for name in deposit.unknown)
        below.append(f"Not given, and so said as unknown or left out: {options}.")
    show(deposit, form, deposit.rounds, columns, above=above, below=below)
    _note(deposit)


def _note(written: Result) -> None:
    from roundbook.presentation.decisions import report_notes

    talk_notes(report_notes(written, sentence))
