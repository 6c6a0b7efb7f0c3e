"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from roundbook.presentation.phrases import verdict_words
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook_cli.charts import chart_option, check_chart, draw
from roundbook_cli.drift_advice import report_text
from roundbook_cli.drift_curve import show_curve
from roundbook_cli.drift_report import TOPICS_CSV, print_report
from roundbook_cli.options import Database, Form, Note
from roundbook_cli.output import show, talk
from roundbook_cli.request_options import is_given, option, request_of, usage_errors
from roundbook_cli.saved_drift import Details, report_number
from roundbook_cli.series import Assessments, Measure, TaskName
from roundbook_cli.session import changing, record

if TYPE_CHECKING:
    from roundbook.logbook.saving import SavedResult

commands = typer.Typer()

FailOn = Literal["aged", "not-held"]


def _plain_number(text: str) -> float:
    """Return a typed difference of scores; refuse other spellings, such as 5% or 0,05."""
    try:
        return float(text)
    except ValueError:
        message = f"'{text}' is no number; write a difference of scores such as 0.05"
        raise typer.BadParameter(message) from None


@commands.command(
    epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
)
def drift(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    from_round: str | None = option(DriftRequest, "from_round", "--from", metavar="ROUND"),
    to_round: str | None = option(DriftRequest, "to_round", "--to", metavar="ROUND"),
    margin: float | None = option(DriftRequest, "margin", "--margin", metavar="SDS"),
    sd_ratio_margin: float = option(DriftRequest, "sd_ratio_margin", "--sd-ratio-margin"),
    curve: Annotated[
        bool, typer.Option("--curve", help="Every later round against the first, a row each.")
    ] = False,
    m: int = option(DriftRequest, "m", "--m", metavar="m"),
    min_d: float | None = option(
        DriftRequest, "min_d", "--min-d", metavar="D", parser=_plain_number
    ),
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
    note: Note = None,
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
        request = request_of(CurveRequest if curve else DriftRequest, locals())
    with (changing if save else record)(context, database) as session:
        if curve:
            traced = trace_drift(session, request)
        else:
            assert isinstance(request, DriftRequest)
            saved = save_result(session, "drift", request, None, note) if save else None
            report = saved.result if saved else report_drift(session, request)
    if curve:
        show_curve(traced, form)
        draw(chart, traced)
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
    """End with exit code 5 where a round has a verdict that `fail_on` covers."""
    failing = [
        f"'{label}' {verdict_words(verdict)}"
        for label, verdict in verdicts.items()
        if fail_on and (verdict == "aged" if fail_on == "aged" else verdict != "held")
    ]
    if failing:
        talk(f"--fail-on {fail_on}: {', '.join(failing)}.")
        raise typer.Exit(5)


def _saved(saved: SavedResult) -> dict[str, Any]:
    """Print that a report is saved, and return the JSON fields of that."""
    from roundbook.presentation.decisions import saved_sentence

    talk(saved_sentence(saved))
    facts = {"note", "saved_at", "saved_by", "status"}
    return {"number": report_number(saved)} | saved.model_dump(mode="json", include=facts)
