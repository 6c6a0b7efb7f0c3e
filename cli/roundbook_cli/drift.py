"""``roundbook drift``: whether the first round's factors still hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from roundbook_cli.drift_curve import show_curve
from roundbook_cli.options import Assessments, Database, Form, Measure, TaskName
from roundbook_cli.output import Column, counted, number, print_table, section, show, signed, talk
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.drift.consequence import Consequence
    from roundbook.logbook.drift.report import DriftReport
    from roundbook.logbook.drift.saved import SavedDriftReport
    from roundbook.logbook.drift.unbridged import Unbridged
    from roundbook.logbook.session import Session


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
    Column("welch_p_holm", "p mean", _p, "right"),
    Column("brown_forsythe_p_holm", "p sd", _p, "right"),
)
_TESTS = ("welch_t", "welch_dof", "welch_p", "welch_p_holm", "brown_forsythe_f")
TOPICS_CSV = (
    *_FACTORS,
    *(Column(field, field) for field in _TESTS),
    *(Column(f"brown_forsythe_{field}", field) for field in ("dof", "p", "p_holm")),
)
_REVIVED = (
    Column("system", "System"),
    signed("mean_from", "Mean from"),
    signed("mean_to", "Mean to"),
    signed("difference", "Difference"),
)


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
        float | None,
        typer.Option(
            "--margin",
            metavar="SDS",
            help="Largest shift, in first-round sds, that holds. (default: 0.2)",
        ),
    ] = None,
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
            help="Smallest std-AB difference that matters: the margin is D / 0.3 sds, unless"
            " --margin is given. Topics needed: to detect it. (default: 0.1)",
        ),
    ] = None,
    save: Annotated[
        bool, typer.Option("--save", help="Keep the report as printed, as the task's next.")
    ] = False,
    note: Annotated[
        str | None, typer.Option("--note", metavar="TEXT", help="With --save: why it is kept.")
    ] = None,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Compare two rounds' factors on their shared topics and say whether the first have aged."""
    if curve and not (to_round is None and m is None):
        raise typer.BadParameter(
            "--curve compares every later round and plans no topics: leave out --to, --m"
        )
    if curve and save:
        raise typer.BadParameter("--save keeps the report on two rounds: leave out --curve")
    if note is not None and not save:
        raise typer.BadParameter("--note needs --save")
    from roundbook.logbook.drift.curve import trace_drift
    from roundbook.logbook.drift.report import report_drift

    with record(context, database) as session:
        if curve:
            traced = trace_drift(
                session,
                task,
                measure,
                from_round=from_round,
                margin=margin,
                sd_ratio_margin=sd_ratio_margin,
                min_d=min_d,
                assessments=assessments,
            )
            show_curve(traced, form)
            return
        report = report_drift(
            session,
            task,
            measure,
            from_round=from_round,
            to_round=to_round,
            margin=margin,
            sd_ratio_margin=sd_ratio_margin,
            m=10 if m is None else m,
            min_d=min_d,
            assessments=assessments,
        )
        saved = _save(session, report, note) if save else None
    report = saved or report
    if form == "table":
        print_report(report)
    else:
        show(report, form, report.topics, TOPICS_CSV)


def _save(session: Session, report: DriftReport, note: str | None) -> SavedDriftReport:
    from roundbook.logbook.drift.saved import save_report

    saved = save_report(session, report, note=note)
    done = "Saved" if saved.status == "saved" else "Unchanged"
    talk(
        f"{done}: drift report {saved.number} of task '{saved.task}', {saved.saved_at:%Y-%m-%d} by"
        f" {saved.saved_by}."
    )
    return saved


def print_report(report: DriftReport) -> None:
    """Print a report as a person reads it."""
    from roundbook.logbook.drift.topics import tests_sentences

    print_table([], (), above=[report.headline(), "", f"Why: {report.reason}"])
    if report.notes:
        section(*(f"- {note}" for note in report.notes))
    section(f"What to do: {report.advice}")
    for each in report.commands:
        # Not wrapped, so that it can be copied.
        typer.echo(f"  {each.purpose}:\n    {each.command}")
    if report.consequence:
        _print_consequence(report, report.consequence)
    elif report.verdict != "unbridged":
        section(f"What it does to the scores cannot be said. {report.consequence_reason}")
    if report.revived:
        reason, systems = report.revived.reason, report.revived.systems
        section(f"Revived systems: {reason}", rows=systems, columns=_REVIVED)
    if report.unbridged:
        _print_unbridged(report, report.unbridged)
    if report.tests:
        ends = (report.from_round, report.to_round)
        section(*tests_sentences(report.tests, *ends, report.shared_topics))
    scope = (
        f"{report.measure}, {report.assessments} assessments; factor versions"
        f" {report.from_version} ({report.from_round}: matrix {report.from_matrix}, revision"
        f" {report.from_revision}) and {report.to_version} ({report.to_round}: matrix"
        f" {report.to_matrix}, revision {report.to_revision})."
    )
    left_out = [each.sentence() for each in report.withdrawn]
    section(scope, *([report.assumed] if report.assumed else []), *left_out)
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
    from roundbook.logbook.drift.consequence import consequence_sentences

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
    section(f"What may still be laid side by side: all topics of each round. {found.note}")
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


def attach(app: typer.Typer) -> None:
    """Add the command."""
    app.command(
        epilog="Example: roundbook drift covid --measure nDCG@10 --from round1 --to round3"
    )(drift)
