"""``roundbook study``: what the scores of a round, or of files, bear."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from roundbook.presentation import studies as words
from roundbook.presentation.tables import Column
from roundbook.requests.fields import Layout, Missing, VarianceScale
from roundbook.requests.studies import DiscriminativePowerRequest, StudyRequest, SwapRateRequest
from roundbook_cli.completion import offer
from roundbook_cli.options import Assessments, Database, Form, Format, Measure
from roundbook_cli.output import progress, section, show, talk
from roundbook_cli.request_options import argument, default, option, usage_errors
from roundbook_cli.saved_studies import study_entry
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import SavedResult
    from roundbook.logbook.studies.study import Study

app = typer.Typer(no_args_is_help=True, help="Studies: what the scores of a round bear.")

Task = Annotated[
    str | None,
    argument(StudyRequest, "task", metavar="TASK", autocompletion=offer("task")),
]
Round = Annotated[
    str | None,
    argument(StudyRequest, "round", metavar="ROUND", autocompletion=offer("rounds")),
]
Scales = Annotated[
    list[str] | None,
    option(StudyRequest, "scales", "--scale", metavar="|".join(get_args(VarianceScale))),
]
Seed = Annotated[int, option(StudyRequest, "seed", "--seed")]
Files = Annotated[list[Path] | None, option(StudyRequest, "files", "--file", metavar="FILE")]
FileLayout = Annotated[Layout, option(StudyRequest, "layout", "--layout")]
FileMeasure = Annotated[
    str | None, option(StudyRequest, "file_measure", "--file-measure", metavar="NAME")
]
MissingScores = Annotated[Missing, option(StudyRequest, "missing", "--missing")]
Save = Annotated[
    str | None,
    typer.Option("--save", metavar="NAME", help="Keep the study under this name, with its inputs."),
]
Note = Annotated[
    str | None, typer.Option("--note", metavar="TEXT", help="With --save: why it is kept.")
]

_RANKING_CSV = (Column("scale", "Scale"), *words.RANKING)
_BINS_CSV = (Column("scale", "Scale"), *words.BINS)


@app.command(
    "discriminative-power",
    epilog="Example: roundbook study discriminative-power covid round1 --measure nDCG@10"
    " --scale raw --scale std-ab",
)
def discriminative_power(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    trials: Annotated[int, option(DiscriminativePowerRequest, "trials", "--trials")] = default(
        DiscriminativePowerRequest, "trials"
    ),
    resamples: Annotated[
        int, option(DiscriminativePowerRequest, "resamples", "--resamples")
    ] = default(DiscriminativePowerRequest, "resamples"),
    alpha: Annotated[float, option(DiscriminativePowerRequest, "alpha", "--alpha")] = default(
        DiscriminativePowerRequest, "alpha"
    ),
    plus_one: Annotated[bool, option(DiscriminativePowerRequest, "plus_one", "--plus-one")] = False,
    seed: Seed = default(StudyRequest, "seed"),
    save: Save = None,
    note: Note = None,
    files: Files = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show which pairs of runs differ, and how many of all pairs are told apart."""
    with usage_errors():
        request = DiscriminativePowerRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            trials=trials,
            resamples=resamples,
            alpha=alpha,
            plus_one=plus_one,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    _study(context, request, save, note, form, database)


@app.command(
    "swap-rate", epilog="Example: roundbook study swap-rate covid round1 --measure nDCG@10"
)
def swap_rate(
    context: typer.Context,
    measure: Measure,
    task: Task = None,
    round_label: Round = None,
    scale: Scales = None,
    trials: Annotated[int, option(SwapRateRequest, "trials", "--trials")] = default(
        SwapRateRequest, "trials"
    ),
    level: Annotated[float, option(SwapRateRequest, "level", "--level")] = default(
        SwapRateRequest, "level"
    ),
    topics_each: Annotated[
        int | None, option(SwapRateRequest, "topics_each", "--topics-each", metavar="n")
    ] = None,
    with_replacement: Annotated[
        bool, option(SwapRateRequest, "with_replacement", "--with-replacement")
    ] = False,
    seed: Seed = default(StudyRequest, "seed"),
    save: Save = None,
    note: Note = None,
    files: Files = None,
    layout: FileLayout = default(StudyRequest, "layout"),
    file_measure: FileMeasure = None,
    missing: MissingScores = default(StudyRequest, "missing"),
    assessments: Assessments = None,
    form: Form = "table",
    database: Database = None,
) -> None:
    """Show how often other topics turn a difference round, and how large one must be to hold."""
    with usage_errors():
        request = SwapRateRequest(
            task=task,
            round=round_label,
            measure=measure,
            scales=scale or default(StudyRequest, "scales"),
            trials=trials,
            level=level,
            topics_each=topics_each,
            with_replacement=with_replacement,
            seed=seed,
            files=files or (),
            layout=layout,
            file_measure=file_measure,
            missing=missing,
            assessments=assessments,
        )
    _study(context, request, save, note, form, database)


def _study(
    context: typer.Context,
    request: StudyRequest,
    save: str | None,
    note: str | None,
    form: Format,
    database: str | None,
) -> None:
    """Compute a study, keep it if that is wanted, and print it."""
    if note is not None and save is None:
        raise typer.BadParameter("--note needs --save")
    if request.files and save is not None:
        raise typer.BadParameter("--save keeps a study of a round: a file is in no record")
    from roundbook.logbook.saved_results import save_result
    from roundbook.logbook.studies.studies import run_study
    from roundbook.logbook.studies.study import Study

    with progress("Studying ...") as step:
        if request.files:
            print_study(run_study(None, request, _timed(step)), form)
            return
        with record(context, database) as session:
            saved = save_result(session, "study", request, save, note) if save else None
            study = saved.result if saved else run_study(session, request, _timed(step))
    assert isinstance(study, Study)
    print_study(study, form, saved=_saved(saved) if saved else None)


def _timed(step: Callable[[str], object]) -> Callable[[str, int, int], None]:
    """Return what tells how much of a study is done, and how long the part will take yet."""
    began: dict[str, float] = {}

    def tell(what: str, done: int, of: int) -> None:
        started = began.setdefault(what, time.monotonic())
        taken = time.monotonic() - started
        left = f", {taken * (of - done) / done:.0f} s left" if taken > 1 else ""
        step(f"{what}: {done:,} of {of:,}{left}")

    return tell


def _saved(saved: SavedResult) -> dict[str, Any]:
    done = "Saved" if saved.status == "saved" else "Unchanged"
    talk(f"{done}: study '{saved.name}', version {saved.version}, of task '{saved.task}'.")
    return study_entry(saved) | {"status": saved.status}


def print_study(study: Study, form: Format, *, saved: Mapping[str, Any] | None = None) -> None:
    """Print a study as a table to read, JSON or CSV.

    Parameters
    ----------
    saved : mapping, optional
        What JSON has besides of a study that is saved.
    """
    from roundbook.logbook.studies.discriminative_power import DiscriminativePower

    (_print_power if isinstance(study, DiscriminativePower) else _print_swaps)(
        study, form, dict(saved or {})
    )


def _print_power(study: Any, form: Format, saved: dict[str, Any]) -> None:  # noqa: ANN401
    protocol = words.power_protocol(study)
    if form == "table":
        above = [words.heading(study), *words.power_sentences(study), ""]
        show(study, form, study.scales, words.POWER, above=above)
        for scale in study.scales:
            section(
                f"Runs on {scale.scale}, and how many runs each is told apart from by Tukey HSD:",
                rows=scale.ranking,
                columns=words.RANKING,
            )
        section(protocol)
        return
    rows = [
        SimpleNamespace(scale=scale.scale, **dict(run))
        for scale in study.scales
        for run in scale.ranking
    ]
    show(study, form, rows, _RANKING_CSV, extra=saved | {"protocol": protocol})


def _print_swaps(study: Any, form: Format, saved: dict[str, Any]) -> None:  # noqa: ANN401
    protocol = words.swap_protocol(study)
    if form == "table":
        rows = [
            SimpleNamespace(
                **vars(scale), needed_in_sds=scale.in_sds and scale.in_sds.needed_difference
            )
            for scale in study.scales
        ]
        above = [words.heading(study), *words.swap_sentences(study), ""]
        show(study, form, rows, words.SWAPS, above=above)
        for scale in study.scales:
            section(
                f"Comparisons on {scale.scale}, by the difference on the first topics:",
                rows=scale.bins,
                columns=words.BINS,
            )
        section(protocol)
        return
    rows = [
        SimpleNamespace(scale=scale.scale, **vars(one))
        for scale in study.scales
        for one in scale.bins
    ]
    show(study, form, rows, _BINS_CSV, extra=saved | {"protocol": protocol})
