"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from cli.options import Assessments, Database, Form, Measure, TaskName
from cli.output import Column, count, counted, number, print_csv, print_table, show
from cli.session import record

if TYPE_CHECKING:
    from service.logbook.drift import DriftReport
    from service.logbook.drift_consequence import Consequence
    from service.logbook.drift_curve import DriftCurve, LaterRound
    from service.logbook.drift_unbridged import Unbridged


def _p(value: float) -> str:
    return "<.0001" if value < 0.0001 else f"{value:.4f}"


def _signed(field: str, heading: str, digits: int = 3) -> Column:
    return Column(field, heading, lambda value: f"{value:+.{digits}f}", "right")


_FACTORS = (
    Column("topic", "Topic"),
    number("mean_from", "Mean from"),
    number("sd_from", "sd from"),
    number("mean_to", "Mean to"),
    number("sd_to", "sd to"),
    _signed("shift", "Shift"),
    number("sd_ratio", "sd ratio", 3),
)
_TOPICS = (
    *_FACTORS,
    Column("welch_p_holm", "p mean", _p, "right"),
    Column("brown_forsythe_p_holm", "p spread", _p, "right"),
)
_TESTS = ("welch_t", "welch_dof", "welch_p", "welch_p_holm", "brown_forsythe_f")
_TOPICS_CSV = (
    *_FACTORS,
    *(Column(field, field) for field in _TESTS),
    *(Column(f"brown_forsythe_{field}", field) for field in ("dof", "p", "p_holm")),
)
_CURVE = (
    Column("round", "Round"),
    Column("verdict", "Verdict"),
    count("shared_topics", "Topics"),
    _signed("mean_shift", "Shift"),
    Column("mean_shift_95", "95% interval", lambda ends: f"{ends[0]:+.3f} to {ends[1]:+.3f}"),
    number("sd_ratio", "sd ratio", 3),
    Column("sd_ratio_95", "95% interval", lambda ends: f"{ends[0]:.3f} to {ends[1]:.3f}"),
)
_CURVE_CSV = (
    *("round", "verdict", "shared_topics", "mean_shift", "mean_shift_low", "mean_shift_high"),
    *("sd_ratio", "sd_ratio_low", "sd_ratio_high"),
)
_REVIVED = (
    Column("system", "System"),
    _signed("mean_from", "Mean from"),
    _signed("mean_to", "Mean to"),
    _signed("difference", "Difference"),
)
_DRAWN = 60


class _Row(NamedTuple):
    what: str
    first: str
    second: str = ""


def drift(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    from_round: Annotated[
        str | None, typer.Option("--from", metavar="ROUND", help="Default: the first.")
    ] = None,
    to_round: Annotated[
        str | None, typer.Option("--to", metavar="ROUND", help="Default: the latest.")
    ] = None,
    margin: Annotated[
        float, typer.Option("--margin", help="Largest mean shift, in first-round sds, that holds.")
    ] = 0.2,
    sd_ratio_margin: Annotated[
        float, typer.Option("--sd-ratio-margin", help="Largest ratio of sds that holds, above 1.")
    ] = 1.25,
    curve: Annotated[
        bool, typer.Option("--curve", help="Every later round against the first, a row each.")
    ] = False,
    m: Annotated[
        int | None,
        typer.Option("--m", metavar="m", help="Topics needed: to compare m runs. (default: 10)"),
    ] = None,
    min_d: Annotated[
        float | None,
        typer.Option(
            "--min-d",
            metavar="D",
            help="Topics needed: to detect a difference of D on std-AB. (default: 0.1)",
        ),
    ] = None,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare two rounds' factors on their shared topics and say whether the first have aged."""
    if curve and not (to_round is None and m is None and min_d is None):
        raise typer.BadParameter(
            "--curve compares every later round and plans no topics: leave out --to, --m, --min-d"
        )
    from service.logbook.drift import report_drift
    from service.logbook.drift_curve import trace_drift

    margins = {"margin": margin, "sd_ratio_margin": sd_ratio_margin}
    with record(context, database) as engine:
        if curve:
            traced = trace_drift(
                engine, task, measure, from_round=from_round, assessments=assessments, **margins
            )
            _show_curve(traced, form)
            return
        report = report_drift(
            engine,
            task,
            measure,
            from_round=from_round,
            to_round=to_round,
            m=10 if m is None else m,
            min_d=0.1 if min_d is None else min_d,
            assessments=assessments,
            **margins,
        )
    if form == "table":
        _print(report)
    else:
        show(report, form, report.topics, _TOPICS_CSV)


def _print(report: DriftReport) -> None:
    from service.logbook.drift_sentences import tests_sentences

    print_table([], (), above=[report.headline(), "", f"Why: {report.reason}"])
    _section(f"What to do: {report.advice}")
    for each in report.commands:
        # Not wrapped, so that it can be copied.
        typer.echo(f"  {each.purpose}:\n    {each.command}")
    if report.consequence:
        _print_consequence(report, report.consequence)
    elif report.verdict != "unbridged":
        _section(f"What it does to the scores cannot be said. {report.consequence_reason}")
    if report.revived:
        reason, systems = report.revived.reason, report.revived.systems
        _section(f"Revived systems: {reason}", rows=systems, columns=_REVIVED)
    if report.unbridged:
        _print_unbridged(report, report.unbridged)
    if report.tests:
        ends = (report.from_round, report.to_round)
        _section(*tests_sentences(report.tests, *ends, report.shared_topics))
    scope = (
        f"{report.measure}, {report.assessments} assessments; factor versions"
        f" {report.from_version} ({report.from_round}) and {report.to_version} ({report.to_round})."
    )
    _section(scope, *([report.assumed] if report.assumed else []))
    if report.topics:
        _section(
            f"The shared topics: the runs' mean and sd in '{report.from_round}' (from) and in"
            f" '{report.to_round}' (to), and the tests' Holm-adjusted p.",
            rows=report.topics,
            columns=_TOPICS,
        )


def _section(*above: str, rows: Sequence[Any] = (), columns: Sequence[Column] = ()) -> None:
    print_table(rows, columns, above=["", *above])


def _sides(rows: Iterable[_Row], what: str, first: str, second: str, *above: str) -> None:
    columns = (
        Column("what", what),
        Column("first", first, justify="right"),
        Column("second", second, justify="right"),
    )
    _section(*above, rows=list(rows), columns=columns)


def _print_consequence(report: DriftReport, done: Consequence) -> None:
    from service.logbook.drift_sentences import consequence_sentences

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
    print_table([], (), above=consequence_sentences(done, report.from_round))


def _print_unbridged(report: DriftReport, found: Unbridged) -> None:
    _section(f"What may still be laid side by side: all topics of each round. {found.note}")
    figures = (("Mean", "mean"), ("sd", "sd"), ("Least", "least"), ("Median", "median"))
    for name, compared in (("means", found.means), ("sds", found.sds)):
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


def _show_curve(traced: DriftCurve, form: Form) -> None:
    if form == "csv":
        print_csv(_CURVE_CSV, map(_plain, traced.rounds))
        return
    if form == "json":
        show(traced, form, traced.rounds, _CURVE)
        return
    _print_curve(traced)


def _plain(row: LaterRound) -> Sequence[object]:
    nothing = (None, None)
    return (
        *(row.round, row.verdict, row.shared_topics),
        *(row.mean_shift, *(row.mean_shift_95 or nothing)),
        *(row.sd_ratio, *(row.sd_ratio_95 or nothing)),
    )


def _print_curve(traced: DriftCurve) -> None:
    print_table([], (), above=[traced.summary])
    _section(
        f"{traced.measure}, {traced.assessments} assessments; shifts in standard deviations of"
        f" '{traced.from_round}', of which {traced.margin:g} either way does not matter, nor a"
        f" ratio of {1 / traced.sd_ratio_margin:.3g} to {traced.sd_ratio_margin:g}.",
        *([traced.assumed] if traced.assumed else []),
    )
    _section(rows=traced.rounds, columns=_CURVE)
    known = [end for row in traced.rounds for end in (*(row.mean_shift_95 or ()), row.mean_shift)]
    reach = [end for end in known if end is not None] + [-traced.margin, traced.margin]
    drawn = [
        _Row(row.round, _picture(row, traced.margin, min(reach), max(reach)))
        for row in traced.rounds
    ]
    _section(
        "│ no shift, ┊ the margins, ● the mean shift, ─ its 95% interval:",
        rows=drawn,
        columns=(Column("what", "Round"), Column("first", "Mean shift")),
    )


def _picture(row: LaterRound, margin: float, least: float, largest: float) -> str:
    def place(value: float) -> int:
        return round((value - least) / (largest - least) * (_DRAWN - 1))

    drawn = [" "] * _DRAWN
    if row.mean_shift_95:
        low, high = map(place, row.mean_shift_95)
        drawn[low : high + 1] = "─" * (high - low + 1)
    for mark, value in (("┊", -margin), ("┊", margin), ("│", 0.0), ("●", row.mean_shift)):
        if value is not None:
            drawn[place(value)] = mark
    return "".join(drawn).rstrip()


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
    )(drift)
