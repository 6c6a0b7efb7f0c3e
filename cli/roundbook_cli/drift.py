"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import typer

from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook_cli.charts import check_chart
from roundbook_cli.drift_advice import log_teams, report_text, with_options
from roundbook_cli.drift_curve import draw_curve, show_curve
from roundbook_cli.options import Assessments, Database, Form, Measure, TaskName
from roundbook_cli.output import Column, counted, number, print_table, section, show, signed, talk
from roundbook_cli.request_options import default, option
from roundbook_cli.session import record
from roundbook_cli.table_layout import visible

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.logbook.drift.shared_topics import Consequence
    from roundbook.logbook.saving import SavedResult


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


FailOn = Literal["aged", "not-held"]


def _plain_number(text: str) -> float:
    """Read a difference of scores, which people also write as 5% or 0,05."""
    try:
        return float(text)
    except ValueError:
        message = f"'{text}' is no number; write a difference of scores such as 0.05"
        raise typer.BadParameter(message) from None


class _Row(NamedTuple):
    what: str
    first: str
    second: str = ""


def drift(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    from_round: Annotated[
        str | None, option(DriftRequest, "from_round", "--from", metavar="ROUND")
    ] = None,
    to_round: Annotated[
        str | None, option(DriftRequest, "to_round", "--to", metavar="ROUND")
    ] = None,
    margin: Annotated[
        float | None, option(DriftRequest, "margin", "--margin", metavar="SDS")
    ] = None,
    sd_ratio_margin: Annotated[
        float, option(DriftRequest, "sd_ratio_margin", "--sd-ratio-margin")
    ] = default(DriftRequest, "sd_ratio_margin"),
    curve: Annotated[
        bool, typer.Option("--curve", help="Every later round against the first, a row each.")
    ] = False,
    m: Annotated[int | None, option(DriftRequest, "m", "--m", metavar="m")] = None,
    min_d: Annotated[
        float | None,
        option(DriftRequest, "min_d", "--min-d", metavar="D", parser=_plain_number),
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Print also the tests, what is assumed, each topic.")
    ] = False,
    fail_on: Annotated[
        FailOn | None,
        typer.Option("--fail-on", help="End with exit code 5 on such a verdict, for scripts."),
    ] = None,
    save: Annotated[
        bool,
        typer.Option(
            "--save", help="Keep the report as printed, as the task's next; not with --curve."
        ),
    ] = False,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="With --save: why it is kept.")
    ] = None,
    assessments: Assessments = None,
    chart: Annotated[
        Path | None,
        typer.Option(
            "--chart",
            metavar="FILE",
            help="With --curve: also draw it, in a file that ends in .svg, .png or .html; one that"
            " is there is replaced.",
            show_default=False,
        ),
    ] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare two rounds' factors on their shared topics and say whether the first have aged."""
    if curve and not (to_round is None and m is None and not details):
        raise typer.BadParameter(
            "--curve compares every later round, a row each, and plans no topics: leave out --to,"
            " --m, --details"
        )
    if curve and margin is not None and min_d is not None:
        raise typer.BadParameter(
            "--curve plans no topics, and --min-d is there for the margin alone: give --margin or"
            " --min-d"
        )
    if chart is not None and not curve:
        raise typer.BadParameter("--chart draws the ageing curve: add --curve")
    if curve and save:
        raise typer.BadParameter("--save keeps the report on two rounds: leave out --curve")
    if note is not None and not save:
        raise typer.BadParameter("--note needs --save")
    check_chart(chart)
    from roundbook.logbook.drift.curve import trace_drift
    from roundbook.logbook.drift.report import DriftReport, report_drift
    from roundbook.logbook.saving import save_result

    asked = CurveRequest(
        task=task,
        measure=measure,
        from_round=from_round,
        margin=margin,
        sd_ratio_margin=sd_ratio_margin,
        min_d=min_d,
        assessments=assessments,
    )
    with record(context, database) as session:
        if curve:
            traced = trace_drift(session, asked)
        else:
            request = DriftRequest(
                **dict(asked),
                to_round=to_round,
                m=default(DriftRequest, "m") if m is None else m,
            )
            saved = save_result(session, "drift", request, None, note) if save else None
            report = saved.result if saved else report_drift(session, request)
    if curve:
        show_curve(traced, form)
        draw_curve(traced, chart)
        _fail(fail_on, {later.round: later.verdict for later in traced.rounds})
        return
    assert isinstance(report, DriftReport)
    extra: dict[str, Any] = _saved(saved) if saved else {}
    if form == "table":
        print_report(report, assessments, details=details)
    else:
        extra |= report_text(report, assessments)
        show(report, form, report.topics, TOPICS_CSV, extra=extra)
    _fail(fail_on, {report.to_round: report.verdict})


def _fail(fail_on: FailOn | None, verdicts: dict[str, str]) -> None:
    """End with exit code 5 where a round has a verdict that is to fail."""
    failing = [
        f"'{label}' {verdict}"
        for label, verdict in verdicts.items()
        if fail_on and (verdict == "aged" if fail_on == "aged" else verdict != "held")
    ]
    if failing:
        talk(f"--fail-on {fail_on}: {', '.join(failing)}.")
        raise typer.Exit(5)


def _saved(saved: SavedResult) -> dict[str, Any]:
    """Say that a report is saved; return what JSON has of that."""
    from roundbook_cli.saved_drift import report_number

    done = "Saved" if saved.status == "saved" else "Unchanged"
    number = report_number(saved)
    talk(
        f"{done}: drift report {number} of task '{saved.task}', {saved.saved_at:%Y-%m-%d} by"
        f" {saved.saved_by}."
    )
    facts = {"note", "saved_at", "saved_by", "status"}
    return {"number": number} | saved.model_dump(mode="json", include=facts)


def print_report(
    report: DriftReport, assessments: str | None = None, *, details: bool = False
) -> None:
    """Print a report as a person reads it.

    Parameters
    ----------
    assessments : str, optional
        The assessments if they had to be named.
    details : bool
        Whether to print also the figures in full, the tests, what is assumed and each topic.
    """
    from roundbook.presentation.drift_verdict import headline

    text = report_text(report, assessments)
    (_print_details if details else _print_brief)(report, text, headline(report))


def _print_brief(report: DriftReport, text: dict[str, Any], verdict: str) -> None:
    """Print the verdict, why, what to do, and what it does to the scores."""
    from roundbook.presentation.drift import (
        backwards_note,
        brief_consequence,
        choice_note,
        small_sds_note,
    )
    from roundbook.presentation.drift_verdict import brief_advice, brief_reason

    # What an earlier Roundbook saved with a report stays as it was saved.
    saved = report.model_extra or {}
    reason = saved.get("reason") or brief_reason(report)
    beside = (backwards_note(report), choice_note(report), small_sds_note(report))
    notes = [note for note in beside if note]
    if report.provisional:
        notes.append("Say the teams, with a team file for each round:")
    print_table([], (), above=[verdict, "", f"Why: {reason}", *(f"- {note}" for note in notes)])
    if report.provisional:
        # Not wrapped, as all commands, so that it can be copied.
        typer.echo(visible(f"    {log_teams(report)}"))
    section(f"What to do: {saved.get('advice') or with_options(brief_advice(report))}")
    for step in text["commands"]:
        typer.echo(visible(f"    {step['command']}"))
    if report.consequence:
        section(f"What it does: {brief_consequence(report, report.consequence)}")
    if report.recurring_systems:
        section(f"Revived systems: {text['revived']['reason']}")
    section("More with --details: the tests, what is assumed, each topic, each system.")


def _print_details(report: DriftReport, text: dict[str, Any], verdict: str) -> None:
    """Print all there is."""
    from roundbook.logbook.withdrawals import left_out
    from roundbook.presentation.drift import tests_sentences

    print_table([], (), above=[verdict, "", f"Why: {text['reason']}"])
    if text["notes"]:
        section(*(f"- {note}" for note in text["notes"]))
    section(f"What to do: {text['advice']}")
    for step in text["commands"]:
        typer.echo(visible(f"  {step['purpose']}:\n    {step['command']}"))
    if report.consequence:
        _print_consequence(report, report.consequence)
    elif report.verdict != "unbridged":
        section(f"What it does to the scores cannot be said. {text['consequence_reason']}")
    if report.recurring_systems:
        section(
            f"Revived systems: {text['revived']['reason']}",
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


def _sides(rows: Iterable[_Row], what: str, first: str, second: str, *above: str) -> None:
    columns = (
        Column("what", what),
        Column("first", first, justify="right"),
        Column("second", second, justify="right"),
    )
    section(*above, rows=list(rows), columns=columns)


def _print_consequence(report: DriftReport, done: Consequence) -> None:
    from roundbook.presentation.drift import consequence_sentences

    def row(what: str, field: str, form: str) -> _Row:
        values = [getattr(under, field) for under in (done.earlier, done.later)]
        return _Row(what, *("-" if value is None else form.format(value) for value in values))

    _sides(
        [
            row(f"Mean score (an average run has {done.b:g})", "mean", "{:.4f}"),
            row("Scores clipped at 1", "clipped_at_1", "{:.2%}"),
            row("Scores clipped at 0", "clipped_at_0", "{:.2%}"),
            row("Residual variance", "variance", "{:.5f}"),
            row(f"Topics needed (m {done.m}, minD {done.min_d:g})", "topics_needed", "{}"),
        ],
        "On std-AB",
        f"by '{report.from_round}'",
        f"by '{report.to_round}'",
        f"What it does to the {counted(done.runs, 'run')} of '{report.to_round}', on"
        f" {counted(done.topics, 'shared topic')}:",
    )
    print_table([], (), above=map(with_options, consequence_sentences(done, report.from_round)))


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
                    _Row(what, *(_digits(getattr(side, field)) for side in sides))
                    for what, field in (*figures, ("Largest", "largest"))
                ),
                *(_Row(f"p ({what})", "", _digits(test.p_value)) for what, test in tests),
            ],
            f"Topics' {name}",
            report.from_round,
            report.to_round,
        )


def _digits(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
    )(drift)
