"""A saved drift report on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from roundbook_cli.drift_advice import report_json
from roundbook_cli.drift_report import TOPICS_CSV, print_report
from roundbook_cli.output import print_table, show
from roundbook_cli.renewal import entry_json, print_staleness

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

Details = Annotated[
    bool, typer.Option("--details", help="Print also the tests, what is assumed, each topic.")
]

_ENTRY = ("task", "note", "saved_at", "saved_by", "software", "stale")


def report_number(entry: ResultEntry) -> int | None:
    """Return the number of a saved drift report within its task, None of one with another name."""
    from roundbook.logbook.saved_results import numbered_name

    end = entry.name.rpartition("-")[2]
    number = int(end) if end.isascii() and end.isdecimal() else 0
    return number if entry.name == numbered_name(entry.task or "", "drift", number) else None


def report_facts(entry: ResultEntry) -> dict[str, Any]:
    """Return the facts of a saved report as JSON prints them: number, user, time, staleness."""
    numbers = {"number": report_number(entry), "version": entry.version}
    return numbers | entry_json(entry, _ENTRY)


def print_saved(saved: ShownResult, form: Any, *, details: bool) -> None:  # noqa: ANN401
    """Print a saved drift report, in brief or with all details, and whether it is stale."""
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.presentation.saved_results import saved_heading

    report = saved.result
    assert isinstance(report, DriftReport)
    if form != "table":
        extra = report_facts(saved) | {"report": report_json(report)}
        show(saved, form, report.topics, TOPICS_CSV, extra=extra, without=("result",))
        return
    version = f", version {saved.version} of {saved.versions}" if saved.versions > 1 else ""
    number = report_number(saved) or f"'{saved.name}'"
    title = f"Drift report {number} of task '{saved.task}'{version}"
    print_table([], (), above=[saved_heading(saved, title)])
    print_staleness(saved, "these are today's factors")
    print_table([], (), above=[""])
    print_report(report, details=details)
