"""``roundbook study``: studies of the scores of a round, or of files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer
from typer.core import TyperGroup

from roundbook.requests.fields import Layout, Missing
from roundbook.requests.studies import (
    ChangeRequest,
    DiscriminativePowerRequest,
    IncrementalRequest,
    LeaveOneOutRequest,
    LeaveOneOutRoundsRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
    SwapRateRequest,
    TopicSubsetsRequest,
)
from roundbook_cli.charts import Chart
from roundbook_cli.completion import offer
from roundbook_cli.options import Database, Form, Top
from roundbook_cli.request_options import argument, option
from roundbook_cli.series import Assessments, Measure
from roundbook_cli.studying import (
    ALL_ROUNDS,
    FILE_LAYOUT,
    FILE_MEASURE,
    FILES,
    MISSING_SCORES,
    NOTE,
    ROUND,
    SAVE,
    SCALES,
    SEED,
    TASK,
    Dask,
    Workers,
    refuse_beside_all_rounds,
    run_and_print,
)

if TYPE_CHECKING:
    from typer._click import Command, Context

_SHORT = {
    "leave-out": "leave-one-out",
    "subsets": "topic-subsets",
    "topic-variance": "per-topic-variance",
}


class _Group(TyperGroup):
    """A group whose commands go by short names too."""

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Return a command by its name or its short name."""
        return super().get_command(ctx, _SHORT.get(cmd_name, cmd_name))


app = typer.Typer(cls=_Group, no_args_is_help=True)


@app.command(
    "discriminative-power",
    epilog="Example: roundbook study discriminative-power covid round1 --measure nDCG@10"
    " --scale raw --scale std-ab\n\n"
    "Over all rounds: roundbook study discriminative-power covid --all-rounds --measure nDCG@10",
)
def discriminative_power(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    scales: list[str] | None = SCALES,
    trials: int = option(DiscriminativePowerRequest, "trials"),
    resamples: int = option(DiscriminativePowerRequest, "resamples"),
    alpha: float = option(DiscriminativePowerRequest, "alpha"),
    plus_one: bool = option(DiscriminativePowerRequest, "plus_one"),
    pairs: bool = option(DiscriminativePowerRequest, "pairs"),
    seed: int = SEED,
    all_rounds: bool = ALL_ROUNDS,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show which pairs of runs differ, and how many of all pairs are told apart."""
    options = locals()
    if all_rounds:
        refuse_beside_all_rounds(
            context, resamples="has no bootstrap test", pairs="compares no single pairs of runs"
        )
    run_and_print(DiscriminativePowerRequest, options)


@app.command(
    "swap-rate",
    epilog="Example: roundbook study swap-rate covid round1 --measure nDCG@10\n\n"
    "Over all rounds: roundbook study swap-rate covid --all-rounds --measure nDCG@10",
)
def swap_rate(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    scales: list[str] | None = SCALES,
    trials: int = option(SwapRateRequest, "trials"),
    level: float = option(SwapRateRequest, "level"),
    topics_each: int | None = option(SwapRateRequest, "topics_each", metavar="n"),
    with_replacement: bool = option(SwapRateRequest, "with_replacement"),
    seed: int = SEED,
    all_rounds: bool = ALL_ROUNDS,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show how often other topics turn a difference round, and how large one must be to hold."""
    run_and_print(SwapRateRequest, locals())


@app.command(
    epilog="Example: roundbook study incremental covid round1 --measure nDCG@10 --difference 0.1"
)
def incremental(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    difference: float | None = option(IncrementalRequest, "difference", metavar="D", default=None),
    scales: list[str] | None = SCALES,
    alpha: float = option(IncrementalRequest, "alpha"),
    beta: float = option(IncrementalRequest, "beta"),
    start: int = option(IncrementalRequest, "start", metavar="n"),
    step: int = option(IncrementalRequest, "step", metavar="n"),
    confidence: float = option(IncrementalRequest, "confidence"),
    pair: list[str] | None = option(IncrementalRequest, "pair", metavar="RUN"),
    trials: int = option(IncrementalRequest, "trials"),
    seed: int = SEED,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show whether the topics judged so far have the power to find a difference."""
    run_and_print(
        IncrementalRequest,
        locals(),
        difference="name the difference between two runs' means that is to be found, such as 0.1,"
        " with --difference",
    )


@app.command(epilog="Example: roundbook study change web 2010 2011 --measure nDCG@20 --pivot bm25")
def change(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = argument(
        ChangeRequest, "round", metavar="FROM", autocompletion=offer("rounds")
    ),
    to_round: str | None = argument(
        ChangeRequest, "to_round", metavar="TO", autocompletion=offer("rounds")
    ),
    pivot: str | None = option(ChangeRequest, "pivot", metavar="SYSTEM"),
    match: Literal["system", "tag"] = option(ChangeRequest, "match"),
    level: float = option(ChangeRequest, "level"),
    trials: int = option(ChangeRequest, "trials"),
    seed: int = SEED,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = option(ChangeRequest, "files", "--file", metavar="FILE"),
    to_files: list[Path] | None = option(ChangeRequest, "to_files", "--to-file", metavar="FILE"),
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show how the systems that ran in two rounds changed, alone and beside a pivot."""
    run_and_print(ChangeRequest, locals())


@app.command(
    "leave-one-out",
    epilog="Example: roundbook study leave-one-out covid round1 --measure nDCG@10 --reassessed\n\n"
    "Over all rounds: roundbook study leave-one-out covid --all-rounds --measure nDCG@10",
)
def leave_one_out(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    scales: list[str] | None = SCALES,
    by: Literal["team", "run"] | None = option(LeaveOneOutRequest, "by"),
    reassessed: bool = option(LeaveOneOutRequest, "reassessed"),
    pool_depth: int | None = option(LeaveOneOutRequest, "pool_depth", metavar="DEPTH"),
    all_rounds: bool = option(LeaveOneOutRoundsRequest, "study", "--all-rounds", default=False),
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    teams: Path | None = option(LeaveOneOutRequest, "teams", metavar="FILE"),
    qrels: Path | None = option(LeaveOneOutRequest, "qrels", metavar="FILE"),
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show whether a run that was not there would have been scored fairly by what the others left."""
    options = locals()
    if all_rounds:
        anew = "scores anew wherever runs and assessments are recorded"
        by_run = {"by": "leaves out teams, as run by run hardly anything can change"}
        refuse_beside_all_rounds(
            context,
            reassessed=anew,
            pool_depth="goes by each round's own pool depth",
            teams="goes by the teams that are recorded",
            qrels=anew,
            **(by_run if by == "run" else {}),
        )
    run_and_print(LeaveOneOutRequest, options)


@app.command(
    "leave-teams-out",
    epilog="Example: roundbook study leave-teams-out covid round1 --measure nDCG@10 --teams-left 10"
    " --teams-left 5",
)
def leave_teams_out(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    scales: list[str] | None = SCALES,
    teams_left: list[int] | None = option(LeaveTeamsOutRequest, "teams_left", metavar="N"),
    every_number: bool = option(LeaveTeamsOutRequest, "every_number"),
    mode: Literal["keep", "reduce"] = option(LeaveTeamsOutRequest, "mode"),
    pool_depth: int | None = option(LeaveTeamsOutRequest, "pool_depth", metavar="DEPTH"),
    trials: int = option(LeaveTeamsOutRequest, "trials"),
    min_d: float = option(LeaveTeamsOutRequest, "min_d", metavar="D"),
    m: int = option(LeaveTeamsOutRequest, "m", metavar="m"),
    alpha: float = option(LeaveTeamsOutRequest, "alpha"),
    beta: float = option(LeaveTeamsOutRequest, "beta"),
    seed: int = SEED,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    teams: Path | None = option(LeaveTeamsOutRequest, "teams", metavar="FILE"),
    qrels: Path | None = option(LeaveTeamsOutRequest, "qrels", metavar="FILE"),
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show what variance, and which plan, a pilot with fewer teams would have given."""
    run_and_print(LeaveTeamsOutRequest, locals())


@app.command(
    "topic-subsets",
    epilog="Example: roundbook study topic-subsets covid round1 --measure nDCG@10 --topics 10"
    " --topics 20",
)
def topic_subsets(
    context: typer.Context,
    measure: Measure,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    scales: list[str] | None = SCALES,
    topics: list[int] | None = option(TopicSubsetsRequest, "topics", metavar="N"),
    trials: int = option(TopicSubsetsRequest, "trials"),
    min_d: float = option(TopicSubsetsRequest, "min_d", metavar="D"),
    m: int = option(TopicSubsetsRequest, "m", metavar="m"),
    alpha: float = option(TopicSubsetsRequest, "alpha"),
    beta: float = option(TopicSubsetsRequest, "beta"),
    seed: int = SEED,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = FILES,
    layout: Layout = FILE_LAYOUT,
    file_measure: str | None = FILE_MEASURE,
    missing: Missing = MISSING_SCORES,
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show what variance, and which plan, a pilot with fewer topics would have given."""
    run_and_print(TopicSubsetsRequest, locals())


@app.command(
    "per-topic-variance",
    epilog="Example: roundbook study per-topic-variance covid round1 --model kde --trials 10000",
)
def per_topic_variance(
    context: typer.Context,
    task: str | None = TASK,
    round_label: str | None = ROUND,
    measure: str = option(PerTopicVarianceRequest, "measure", metavar="AP"),
    model: Literal["bst", "kde"] = option(PerTopicVarianceRequest, "model"),
    denominator: Literal["sampled", "fixed"] = option(PerTopicVarianceRequest, "denominator"),
    depth: int = option(PerTopicVarianceRequest, "depth", metavar="N"),
    padded: bool = option(PerTopicVarianceRequest, "padded"),
    trials: int = option(PerTopicVarianceRequest, "trials"),
    alpha: float = option(PerTopicVarianceRequest, "alpha"),
    seed: int = SEED,
    chart: Chart = None,
    save: str | None = SAVE,
    note: str | None = NOTE,
    files: list[Path] | None = option(PerTopicVarianceRequest, "files", "--file", metavar="FILE"),
    qrels: Path | None = option(PerTopicVarianceRequest, "qrels", metavar="FILE"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
    workers: Workers = 1,
    dask: Dask = None,
    top: Top = None,
) -> None:
    """Show whether the runs would rank alike if each run's list of documents varied for itself."""
    run_and_print(PerTopicVarianceRequest, locals())
