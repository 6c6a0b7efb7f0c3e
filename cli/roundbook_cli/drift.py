"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from roundbook.presentation.phrases import verdict_words
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.results import SaveResult
from roundbook_cli.charts import chart_option, check_chart, draw
from roundbook_cli.drift_commands import curve_text, notes_with_commands, report_text
from roundbook_cli.options import Database, Form
from roundbook_cli.output import Column, count, number, print_sentences, section, show, signed, talk
from roundbook_cli.request_options import is_given, option, request_of, usage_errors
from roundbook_cli.saved_drift import TOPICS_CSV, Details, print_report, report_number
from roundbook_cli.series import Assessments, Measure, TaskName
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftCurve

commands = typer.Typer()

FailOn = Literal["aged", "not-held"]


@commands.command(
    epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
)
def drift(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    from_round: str | None = option(DriftRequest, "from_round", "--from", metavar="ROUND"),
    to_round: str | None = option(DriftRequest, "to_round", "--to", metavar="ROUND"),
    margin: float | None = option(DriftRequest, "margin", metavar="SDS"),
    sd_ratio_margin: float = option(DriftRequest, "sd_ratio_margin"),
    curve: Annotated[
        bool, typer.Option("--curve", help="Every later round against the first, a row each.")
    ] = False,
    m: int = option(DriftRequest, "m", metavar="m"),
    min_d: float | None = option(DriftRequest, "min_d", metavar="D"),
    details: Details = False,
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
    note: str | None = option(SaveResult, "note", metavar="TEXT"),
    assessments: Assessments = None,
    chart: Annotated[Path | None, chart_option("With --curve: also draw it")] = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare two rounds' factors on their shared topics and say whether the first have aged."""
    for contradicts, sentence in (
        (
            curve and (to_round is not None or is_given(context, "m") or details),
            "--curve compares every later round, a row each, and plans no topics: leave out --to,"
            " --m, --details",
        ),
        (
            curve and margin is not None and min_d is not None,
            "--curve plans no topics, and --min-d is there for the margin alone: give --margin or"
            " --min-d",
        ),
        (chart is not None and not curve, "--chart draws the ageing curve: add --curve"),
        (curve and save, "--save keeps the report on two rounds: leave out --curve"),
        (note is not None and not save, "--note needs --save"),
    ):
        if contradicts:
            raise typer.BadParameter(sentence)
    check_chart(chart)
    from roundbook.logbook.drift.report import DriftReport, report_drift, trace_drift
    from roundbook.logbook.saving import save_result

    with usage_errors():
        under = SaveResult(note=note)
        request = request_of(CurveRequest if curve else DriftRequest, locals())
    with (changing if save else record)(context, database) as session:
        if curve:
            traced = trace_drift(session, request)
        else:
            assert isinstance(request, DriftRequest)
            saved = save_result(session, "drift", request, under) if save else None
            report = saved.result if saved else report_drift(session, request)
    if curve:
        _show_curve(traced, form)
        draw(chart, traced)
        _fail(fail_on, {later.round: later.verdict for later in traced.rounds})
        return
    assert isinstance(report, DriftReport)
    extra: dict[str, Any] = {}
    if saved:
        from roundbook.presentation.decisions import saved_sentence

        talk(saved_sentence(saved))
        facts = saved.model_dump(mode="json", include={"note", "saved_at", "saved_by", "status"})
        extra = {"number": report_number(saved)} | facts
    if form == "table":
        print_report(report, assessments, details=details)
    else:
        extra |= report_text(report, assessments)
        show(report, form, report.topics, TOPICS_CSV, extra=extra)
    _fail(fail_on, {report.to_round: report.verdict})


def _fail(fail_on: FailOn | None, verdicts: dict[str, str]) -> None:
    """End with exit code 5 where a round has a verdict that `fail_on` covers."""
    failing = [
        f"'{label}' {verdict_words(verdict)}"
        for label, verdict in verdicts.items()
        if fail_on and (verdict == "aged" if fail_on == "aged" else verdict != "held")
    ]
    if failing:
        talk(f"--fail-on {fail_on}: {', '.join(failing)}.")
        raise typer.Exit(5)


_DRAWN = 60
_NARROWEST = 20


def _show_curve(traced: DriftCurve, form: Form) -> None:
    """Print the curve as a table with a picture, as JSON or as CSV."""
    from roundbook.presentation.drift_curve import curve_row

    rows = [SimpleNamespace(**curve_row(later)) for later in traced.rounds]
    if form != "table":
        columns = [Column(name, name) for name in vars(rows[0])]
        show(traced, form, rows, columns, extra=curve_text(traced))
        return
    for row in rows:
        row.shift_95 = None if row.shift_low is None else (row.shift_low, row.shift_high)
        row.sd_ratio_95 = (
            None if row.sd_ratio_low is None else (row.sd_ratio_low, row.sd_ratio_high)
        )
    _print_curve(traced, rows)


def _print_curve(traced: DriftCurve, rows: Sequence[SimpleNamespace]) -> None:
    from roundbook.presentation.drift_curve import summary
    from roundbook.presentation.drift_verdict import JUDGED_BY, writers

    print_sentences(summary(traced))
    section(
        f"{traced.measure}, {traced.assessments} assessments; for systems and topics like these."
        f" Shifts in standard deviations of '{traced.from_round}', of which {traced.margin:.3g}"
        f" either way does not matter, nor a ratio of {1 / traced.sd_ratio_margin:.3g} to"
        f" {traced.sd_ratio_margin:g}. {JUDGED_BY}",
        f"By factor version {traced.from_version} of '{traced.from_round}' (matrix"
        f" {traced.from_matrix}, revision {traced.from_revision}) and the latest of each later"
        " round.",
        *notes_with_commands(traced),
    )
    write_shift, write_ratio = writers(traced.margin, traced.sd_ratio_margin)
    columns = (
        Column("round", "Round"),
        # In 80 columns `verdict_words` would take the room of the numbers of topics.
        Column("verdict", "Verdict", lambda code: "none" if code == "unbridged" else code),
        count("shared_topics", "Topics", spare=1),
        signed("shift", "Shift"),
        Column("shift_95", "95% interval", lambda ends: " to ".join(map(write_shift, ends))),
        number("sd_ratio", "sd ratio", 3),
        Column("sd_ratio_95", "95% interval", lambda ends: " to ".join(map(write_ratio, ends))),
    )
    section(rows=rows, columns=columns)
    if all(row.shift is None for row in rows):
        section(
            "Nothing to draw: for systems and topics like these no later round has a shift from"
            f" '{traced.from_round}'."
        )
        return
    shifts = [shift for row in rows for shift in (*(row.shift_95 or ()), row.shift)]
    reach = [shift for shift in shifts if shift is not None] + [-traced.margin, traced.margin]
    left = shutil.get_terminal_size().columns - max(len(row.round) for row in rows) - 3
    width = max(_NARROWEST, min(_DRAWN, left))
    drawn = [
        SimpleNamespace(
            round=row.round, picture=_picture(row, traced.margin, min(reach), max(reach), width)
        )
        for row in rows
    ]
    section(
        "│ no shift, ┊ the margins, ● the shift, ─ its 95% interval:",
        rows=drawn,
        columns=(Column("round", "Round"), Column("picture", "Shift")),
    )


def _picture(
    row: SimpleNamespace, margin: float, least: float, largest: float, columns: int
) -> str:
    def column(value: float) -> int:
        return round((value - least) / (largest - least) * (columns - 1))

    drawn = [" "] * columns
    if row.shift_95:
        low, high = map(column, row.shift_95)
        drawn[low : high + 1] = "─" * (high - low + 1)
    for mark, value in (("┊", -margin), ("┊", margin), ("│", 0.0), ("●", row.shift)):
        if value is not None:
            drawn[column(value)] = mark
    return "".join(drawn).rstrip()
