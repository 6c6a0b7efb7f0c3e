"""``roundbook variance``: a measure's variance, round by round and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated

import typer

from roundbook.presentation.tables import Column, count, number, variance_column
from roundbook.presentation.variance_differences import stability
from roundbook.presentation.variances import (
    HISTORY_LINE,
    ROUNDS,
    conclusions,
    heading,
    histories_notes,
    history_lines,
    in_detail,
    pooled_line,
    recorded_notes,
    summary,
    withdrawn_notes,
)
from roundbook.requests.fields import DEFAULT_ASSESSMENTS, PoolBy, VarianceScale
from roundbook.requests.variances import (
    RecordVarianceRequest,
    VarianceHistoryRequest,
    VarianceRequest,
)
from roundbook_cli.charts import Chart, check_chart, write_chart
from roundbook_cli.near_names import confirm_names
from roundbook_cli.options import Database, Form, Format, read_day
from roundbook_cli.output import print_sentences, section, show, talk, talk_notes
from roundbook_cli.plan_advice import history_json, history_warning, with_advice
from roundbook_cli.request_options import option, request_of, usage_errors
from roundbook_cli.series import Assessments, Measure, RoundLabel, TaskName
from roundbook_cli.session import record, sessions

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import VarianceHistory

app = typer.Typer(no_args_is_help=True)

_MEASURES = (
    Column("measure", "Measure"),
    Column("rounds", "Rounds", lambda labels: str(len(labels)), "right"),
    variance_column("variance", "Pooled"),
    variance_column("low", "95% from", spare=2),
    variance_column("high", "to", spare=2),
    variance_column("planning_variance", "Planning", spare=1),
    number("max_min_ratio", "Max/min", 2, spare=3),
)
_ORIGIN = Column("origin", "From")
_ASSESSMENTS = Column("assessments", "Assessments")
_LINES = tuple(Column(name, name) for name in HISTORY_LINE)
Details = Annotated[
    bool,
    typer.Option(
        "--details", help="Print also further limits, the two-way variance, what is assumed."
    ),
]
_MORE = "More with --details: further limits, the two-way variance, what is assumed."
# Of what a pooled variance is, in CSV and JSON.
_LABELS = ("task", "measure", "scale", "assessments")


@app.command("show", epilog="Example: roundbook variance show covid --measure nDCG@10")
def show_(
    context: typer.Context,
    task: TaskName,
    measure: str | None = option(
        VarianceRequest, "measure", metavar="M", default=None, show_default="a line for each"
    ),
    scale: VarianceScale = option(VarianceRequest, "scale"),
    assessments: list[str] | None = option(VarianceRequest, "assessments", metavar="LABEL"),
    pool_by: PoolBy = option(VarianceRequest, "pool_by"),
    chart: Chart = None,
    details: Details = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show a measure's residual variance in every round, with intervals, and pooled."""
    check_chart(chart)
    if measure is None:
        if assessments is not None and len(assessments) > 1:
            raise typer.BadParameter("--assessments repeated mixes those of one --measure: name it")
        if details:
            raise typer.BadParameter("--details are those of one --measure: name it")
        label = assessments[0] if assessments else None
        of_all = request_of(VarianceHistoryRequest, locals(), assessments=label)
        _draw(chart, _show_measures(context, database, of_all, form))
        return
    request = request_of(VarianceRequest, locals())
    history = _history(context, database, request)
    show(
        history,
        form,
        history_lines(history) if form == "csv" else history.rounds,
        _LINES if form == "csv" else _columns(history),
        above=[heading(history)],
        below=[*_sentences(history, summary(history), details), *withdrawn_notes(history)],
        extra=history_json(history),
    )
    _draw(chart, [history])


def _show_measures(
    context: typer.Context, database: str | None, request: VarianceHistoryRequest, form: Format
) -> list[VarianceHistory]:
    """Print a table of measures, a line each, and return their variance histories."""
    from roundbook.logbook.variances import show_histories

    with record(context, database) as session:
        listed = show_histories(session, request)
    histories = sorted(listed.histories, key=lambda history: (history.measure, history.assessments))
    lines = [
        SimpleNamespace(
            measure=history.measure,
            assessments=history.assessments,
            **vars(pooled_line(history.pooled)),
        )
        for history in histories
    ]
    several = {history.assessments for history in histories} != {DEFAULT_ASSESSMENTS}
    show(
        listed,
        form,
        lines,
        (_MEASURES[0], *((_ASSESSMENTS,) if several or form == "csv" else ()), *_MEASURES[1:]),
        above=[
            f"{request.task}: variances on the {request.scale} scale. Name a --measure for its rounds."
        ],
        extra={"measures": list(map(vars, lines))},
        without=["since", "undated", "histories"],
    )
    talk_notes(histories_notes(listed))
    return histories


def _draw(path: Path | None, histories: Sequence[VarianceHistory]) -> None:
    if path is not None:
        from roundbook.presentation.charts.variances import variance_chart

        write_chart(path, variance_chart(*histories))


def _sentences(history: VarianceHistory, short: Sequence[str], details: bool) -> list[str]:
    more = in_detail(history)
    return [*with_advice(history, short), *(more if details or not more else [_MORE])]


def _columns(history: VarianceHistory) -> tuple[Column, ...]:
    """Return the columns of rounds, some only where rounds differ in them, to fit 80 characters."""
    published = any(row.origin != "matrix" for row in history.rounds)
    origin = (_ORIGIN,) if published else ()
    return (*ROUNDS, *origin, *((_ASSESSMENTS,) if history.mixed else ()))


@app.command(
    epilog="Example: roundbook variance history covid --since 2020-05-01 --scale std-ab\n\n"
    "Drawn: roundbook variance history covid --chart variances.svg"
)
def history(
    context: typer.Context,
    task: TaskName,
    measure: list[str] | None = option(VarianceHistoryRequest, "measures", metavar="M"),
    rounds: list[str] | None = option(VarianceHistoryRequest, "rounds", metavar="ROUND"),
    since: date | None = option(VarianceHistoryRequest, "since", metavar="DATE", parser=read_day),
    scale: VarianceScale = option(VarianceHistoryRequest, "scale"),
    assessments: Assessments = None,
    pool_by: PoolBy = option(VarianceRequest, "pool_by"),
    chart: Chart = None,
    details: Details = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variances of all measures over all rounds, and whether the rounds differ."""
    request = request_of(VarianceHistoryRequest, locals(), measures=measure)
    check_chart(chart)
    from roundbook.logbook.variances import show_histories

    with record(context, database) as session:
        listed = show_histories(session, request)
    if listed.undated:
        talk(
            f"Note: left out, since their date is not recorded: {', '.join(listed.undated)}. Record"
            " it with 'roundbook round set' and --held."
        )
    talk_notes(histories_notes(listed))
    if form == "table":
        print_sentences(*stability(listed.histories))
        for of_measure in listed.histories:
            section(
                heading(of_measure),
                rows=of_measure.rounds,
                columns=_columns(of_measure),
                below=with_advice(of_measure, summary(of_measure))
                + (in_detail(of_measure) if details else []),
            )
        if not details and any(map(in_detail, listed.histories)):
            section(_MORE)
    else:
        lines = [line for of_measure in listed.histories for line in history_lines(of_measure)]
        extra = {"histories": list(map(history_json, listed.histories))}
        show(listed, form, lines, _LINES, extra=extra)
    _draw(chart, listed.histories)


@app.command(epilog="Example: roundbook variance pooled covid --measure nDCG@10 --scale std-ab")
def pooled(
    context: typer.Context,
    task: TaskName,
    measure: Measure,
    scale: VarianceScale = option(VarianceRequest, "scale"),
    assessments: list[str] | None = option(VarianceRequest, "assessments", metavar="LABEL"),
    pool_by: PoolBy = option(VarianceRequest, "pool_by"),
    details: Details = False,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show the variance pooled over all rounds, with its interval and a homogeneity test."""
    request = request_of(VarianceRequest, locals())
    history = _history(context, database, request)
    result, labels = history.pooled, {name: getattr(history, name) for name in _LABELS}
    columns: tuple[Column, ...] = (
        variance_column("variance", "Pooled"),
        variance_column("low", "95% from"),
        variance_column("high", "to"),
        variance_column("planning_variance", "Planning"),
        variance_column("two_way_variance", "Two-way"),
        count("dof", "dof"),
        Column("weights", "Weighed by"),
    )
    if form != "table":
        columns = (
            *(Column(name, name) for name in _LABELS),
            *columns,
            Column("rounds", "Rounds", ", ".join),
            number("max_min_ratio", "Max/min", 2),
            Column("homogeneity_p", "Wald p"),
        )
    talk_notes(withdrawn_notes(history))
    show(
        result,
        form,
        [SimpleNamespace(**labels, **vars(pooled_line(result)))],
        columns,
        above=[heading(history)],
        below=[
            f"Rounds: {', '.join(result.rounds)}.",
            *_sentences(history, conclusions(history), details),
        ],
        extra={**labels, "warning": history_warning(history)},
    )


def _history(
    context: typer.Context, database: str | None, request: VarianceRequest
) -> VarianceHistory:
    from roundbook.logbook.variances import show_variances

    with record(context, database) as session:
        return show_variances(session, request)


@app.command(
    "record",
    epilog="Example: roundbook variance record stc ntcir12 --measure nG@1 --value 0.1144 --runs 44"
    " --topics 100 --source 'Sakai, AIRS 2016, Table 1' --create",
)
def record_(
    context: typer.Context,
    task: TaskName,
    round_label: RoundLabel,
    measure: Measure,
    value: float = option(RecordVarianceRequest, "variance", metavar="V"),
    runs: int = option(RecordVarianceRequest, "runs", metavar="m"),
    topics: int = option(RecordVarianceRequest, "topics", metavar="n"),
    source: str = option(RecordVarianceRequest, "source", metavar="TEXT"),
    teams: int | None = option(RecordVarianceRequest, "teams", metavar="G"),
    scale: VarianceScale = option(RecordVarianceRequest, "scale"),
    assessments: str = option(RecordVarianceRequest, "assessments", metavar="LABEL"),
    create: bool = option(RecordVarianceRequest, "create"),
    revise: str | None = option(RecordVarianceRequest, "revise", metavar="REASON"),
    dry_run: bool = option(RecordVarianceRequest, "dry_run"),
    form: Form = "table",
    database: Database = None,
) -> None:
    """Record a variance that was published without its score matrix."""
    from roundbook.logbook.published import record_variance
    from roundbook_cli.impact import show_decision

    with usage_errors():
        request = request_of(RecordVarianceRequest, locals(), round=round_label, variance=value)
    with sessions(context, database) as begin:
        confirm_names(begin, request)
        with begin(keep=not dry_run) as session:
            recorded = record_variance(session, request)
    columns = (
        Column("round", "Round"),
        Column("measure", "Measure"),
        Column("scale", "Scale"),
        variance_column("variance", "Variance"),
        count("dof", "dof"),
        Column("source", "Source"),
        Column("status", "Status"),
    )
    show_decision(recorded, form, columns, recorded_notes(recorded, request.revise))
