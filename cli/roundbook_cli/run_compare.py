"""``roundbook run compare``: logged scores beside those that runs and assessments give."""

from __future__ import annotations

import typer

from roundbook.presentation.run_scores import notes, summary
from roundbook.presentation.tables import Column, number, signed
from roundbook.requests.run_scores import CompareScores
from roundbook_cli.options import Database, Form
from roundbook_cli.output import progress, show, talk_notes
from roundbook_cli.request_options import asked, option
from roundbook_cli.series import Assessments, Measure, RoundLabel, TaskName
from roundbook_cli.session import record

_CELLS = (
    Column("topic", "Topic"),
    Column("run", "Run"),
    number("logged", "Logged"),
    number("computed", "Computed"),
    signed("difference", "Difference", 4),
)


def compare(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    tolerance: float = option(CompareScores, "tolerance", "--tolerance"),
    limit: int = option(CompareScores, "limit", "--limit", metavar="N"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare a round's logged scores with those computed from its runs and assessments."""
    from roundbook.logbook.runs.comparing import compare_scores

    request = asked(CompareScores, locals(), round=round_label)
    with progress("Computing ..."), record(context, database) as session:
        comparison = compare_scores(session, request)
    show(comparison, form, comparison.cells_shown, _CELLS, above=summary(comparison))
    talk_notes(notes(comparison))
