"""Drift reports on the terminal, in brief or with all details; and the printing of saved ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from roundbook_cli.drift_commands import (
    next_commands,
    record_teams,
    report_json,
    report_text,
    with_options,
)
from roundbook_cli.output import (
    Column,
    counted,
    number,
    print_commands,
    print_sentences,
    section,
    show,
    signed,
)
from roundbook_cli.renewal import entry_json, print_heading
from roundbook_cli.table_layout import visible

if TYPE_CHECKING:
    from roundbook.logbook.drift.evidence import Consequence
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

Details = Annotated[
    bool, typer.Option("--details", help="Print also the tests, what is assumed, each topic.")
]

_ENTRY = ("task", "note", "saved_at", "saved_by", "software", "stale")


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


_FACTORS = (
    Column("topic", "Topic"),
    number("mean_from", "from"),
    number("sd_from", "sd"),
    number("mean_to", "to"),
    number("sd_to", "sd"),
    signed("shift", "Shift"),
    number("sd_ratio", "Ratio", 3),
)
_TOPICS = (
    *_FACTORS,
    Column("welch_p_holm", "p mean", _p, "right", spare=1),
    Column("brown_forsythe_p_holm", "p sd", _p, "right", spare=2),
)
_TESTS = ("welch_t", "welch_dof", "welch_p", "welch_p_holm", "brown_forsythe_f")
TOPICS_CSV = (
    *_FACTORS,
    *(Column(field, field) for field in _TESTS),
    *(Column(f"brown_forsythe_{field}", field) for field in ("dof", "p", "p_holm")),
)
_RECURRING = (
    Column("system", "System"),
    signed("mean_from", "Mean from"),
    signed("mean_to", "Mean to"),
    signed("difference", "Difference"),
)


class _Row(NamedTuple):
    label: str
    first: str
    second: str = ""


def print_report(
    report: DriftReport, assessments: str | None = None, *, details: bool = False
) -> None:
    """Print the verdict, its reasons, the advice and the consequence, or a report with `details`.

    `assessments` are those that the user named, if any.
    """
    if details:
        _print_details(report, report_text(report, assessments))
        return
    from roundbook.logbook.withdrawals import left_out
    from roundbook.presentation.drift import assumed, brief_notes, recurring_reason
    from roundbook.presentation.drift_advice import brief_advice, brief_consequence
    from roundbook.presentation.drift_verdict import brief_reason, headline

    # Sentences that an earlier Roundbook saved with a report stay as they were saved.
    saved = report.model_extra or {}
    reason = saved.get("reason") or brief_reason(report)
    notes = brief_notes(report)
    if report.provisional:
        notes.append(f"Say the teams: {record_teams(report)}")
    why = (headline(report), "", f"Why: {reason}")
    print_sentences(*why, *(f"- {note}" for note in notes))
    section(f"What to do: {saved.get('advice') or with_options(brief_advice(report))}")
    _print_steps(saved.get("commands", next_commands(report, assessments)))
    if report.consequence:
        section(f"What it does: {brief_consequence(report, report.consequence)}")
    if systems := report.recurring_systems:
        section(f"Recurring systems: {with_options(recurring_reason(report, systems))}")
    in_detail = {
        "the tests": report.tests,
        "what is assumed": saved.get("assumed", assumed(report)),
        "each topic": report.topics,
        "all topics of each round": report.no_shared_topics,
        "each system": report.recurring_systems,
    }
    more = ", ".join(subject for subject, facts in in_detail.items() if facts)
    print_sentences(f"More with --details: {more}.", *map(left_out, report.withdrawn))


def _print_steps(steps: Sequence[dict[str, str]]) -> None:
    """Print commands below their purposes, and what further factors do to a fingerprint."""
    for purpose, alike in groupby(steps, itemgetter("purpose")):
        typer.echo(visible(f"  {purpose}:"))
        print_commands(*(step["command"] for step in alike), indent=4)
    if any(step["command"].startswith("roundbook factors fit ") for step in steps):
        typer.echo("  Factors fitted anew change the fingerprint of a published round.")


def _print_details(report: DriftReport, text: dict[str, Any]) -> None:
    """Print a report with all its details."""
    from roundbook.logbook.withdrawals import left_out
    from roundbook.presentation.drift import tests_sentences
    from roundbook.presentation.drift_verdict import headline

    print_sentences(headline(report), "", f"Why: {text['reason']}")
    if text["notes"]:
        section(*(f"- {note}" for note in text["notes"]))
    section(f"What to do: {text['advice']}")
    _print_steps(text["commands"])
    if report.consequence:
        _print_consequence(report, report.consequence)
    elif report.verdict != "unbridged":
        section(f"What it does to the scores cannot be said. {text['consequence_reason']}")
    if report.recurring_systems:
        section(
            f"Recurring systems: {text['revived']['reason']}",
            rows=report.recurring_systems.systems,
            columns=_RECURRING,
        )
    if report.no_shared_topics:
        _print_no_shared_topics(report)
    if report.tests:
        section(*tests_sentences(report, report.tests))
    scope = (
        f"{report.measure}, {report.assessments} assessments; factor versions"
        f" {report.from_version} ({report.from_round}: matrix {report.from_matrix}, revision"
        f" {report.from_revision}) and {report.to_version} ({report.to_round}: matrix"
        f" {report.to_matrix}, revision {report.to_revision})."
    )
    assumed = [text["assumed"]] if text["assumed"] else []
    section(scope, *assumed, *map(left_out, report.withdrawn))
    if report.topics:
        section(
            f"The shared topics: the runs' mean and sd in '{report.from_round}' (from) and in"
            f" '{report.to_round}' (to), and the tests' Holm-adjusted p.",
            rows=report.topics,
            columns=_TOPICS,
        )


def _sides(rows: Iterable[_Row], heading: str, first: str, second: str, *above: str) -> None:
    columns = (
        Column("label", heading),
        Column("first", first, justify="right"),
        Column("second", second, justify="right"),
    )
    section(*above, rows=list(rows), columns=columns)


def _print_consequence(report: DriftReport, consequence: Consequence) -> None:
    from roundbook.presentation.drift_advice import consequence_sentences

    def row(label: str, field: str, form: str) -> _Row:
        values = [getattr(side, field) for side in (consequence.earlier, consequence.later)]
        return _Row(label, *("-" if value is None else form.format(value) for value in values))

    _sides(
        [
            row(f"Mean score (an average run has {consequence.b:g})", "mean", "{:.4f}"),
            row("Scores clipped at 1", "clipped_at_1", "{:.2%}"),
            row("Scores clipped at 0", "clipped_at_0", "{:.2%}"),
            row("Residual variance", "variance", "{:.5f}"),
            row(
                f"Topics needed (m {consequence.m}, minD {consequence.min_d:g})",
                "topics_needed",
                "{}",
            ),
        ],
        "On std-AB",
        f"by '{report.from_round}'",
        f"by '{report.to_round}'",
        f"What it does to the {counted(consequence.runs, 'run')} of '{report.to_round}', on"
        f" {counted(consequence.topics, 'shared topic')}:",
    )
    print_sentences(*map(with_options, consequence_sentences(consequence, report.from_round)))


def _print_no_shared_topics(report: DriftReport) -> None:
    from roundbook.presentation.drift import NO_EVIDENCE

    factors = report.no_shared_topics
    assert factors is not None
    section(f"What may still be laid side by side: all topics of each round. {NO_EVIDENCE}")
    figures = (("Mean", "mean"), ("sd", "sd"), ("Least", "least"), ("Median", "median"))
    for name, compared in (("means", factors.means), ("sds", factors.sds)):
        sides = (compared.earlier, compared.later)
        tests = (("Welch", compared.welch), ("Brown-Forsythe", compared.brown_forsythe))
        _sides(
            [
                _Row("Topics", *(str(side.topics) for side in sides)),
                *(
                    _Row(label, *(_digits(getattr(side, field)) for side in sides))
                    for label, field in (*figures, ("Largest", "largest"))
                ),
                *(_Row(f"p ({label})", "", _digits(test.p_value)) for label, test in tests),
            ],
            f"Topics' {name}",
            report.from_round,
            report.to_round,
        )


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def report_number(entry: ResultEntry) -> int | None:
    """Return the number of a saved drift report within its task, None of one with another name."""
    from roundbook.logbook.stored_results import numbered_name

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

    report = saved.result
    assert isinstance(report, DriftReport)
    if form != "table":
        extra = report_facts(saved) | {"report": report_json(report)}
        show(saved, form, report.topics, TOPICS_CSV, extra=extra, without=("result",))
        return
    version = f", version {saved.version} of {saved.versions}" if saved.versions > 1 else ""
    number = report_number(saved) or f"'{saved.name}'"
    title = f"Drift report {number} of task '{saved.task}'{version}"
    print_heading(saved, "these are today's factors", title)
    print_report(report, details=details)
