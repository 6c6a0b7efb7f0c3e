"""What all commands of ``roundbook study`` share: options, running, saving and printing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from roundbook.requests.fields import VarianceScale
from roundbook.requests.results import SaveResult
from roundbook.requests.studies import AcrossRoundsRequest, StudyRequest
from roundbook_cli.charts import check_chart, draw
from roundbook_cli.completion import offer
from roundbook_cli.output import progress, talk
from roundbook_cli.request_options import argument, is_given, option, request_of, usage_errors
from roundbook_cli.saved_studies import print_study, saved_study_json
from roundbook_cli.session import sessions

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.logbook.studies.across_rounds import AcrossRounds

TASK = argument(StudyRequest, "task", metavar="TASK", autocompletion=offer("task"))
ROUND = argument(StudyRequest, "round", metavar="ROUND", autocompletion=offer("rounds"))
SCALES = option(StudyRequest, "scales", "--scale", metavar="|".join(get_args(VarianceScale)))
SEED = option(StudyRequest, "seed")
FILES = option(StudyRequest, "files", "--file", metavar="FILE")
FILE_LAYOUT = option(StudyRequest, "layout", "--layout")
FILE_MEASURE = option(StudyRequest, "file_measure", "--file-measure", metavar="NAME")
MISSING_SCORES = option(StudyRequest, "missing")
SAVE = option(SaveResult, "name", "--save", metavar="NAME", default=None)
NOTE = option(SaveResult, "note", metavar="TEXT")
ALL_ROUNDS = option(AcrossRoundsRequest, "study", "--all-rounds", default=False)
Workers = Annotated[
    int,
    typer.Option(
        "--workers",
        metavar="N",
        min=1,
        max=256,
        help="Share the work out to so many processes of this machine.",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Share the work out to the workers of this Dask scheduler, tcp://HOST:PORT.",
        show_default=False,
    ),
]


def refuse_beside_all_rounds(context: typer.Context, **why: str) -> None:
    """Refuse options that ``--all-rounds`` would ignore; `why` has what it does instead, by name."""
    for name, reason in why.items():
        if is_given(context, name):
            raise typer.BadParameter(f"--all-rounds {reason}: leave out --{name.replace('_', '-')}")


def run_and_print(model: type[StudyRequest], options: Mapping[str, Any], **needed: str) -> None:
    """Compute a study, save it with ``--save``, and print it.

    `options` are the command's parameters by name; with `all_rounds` the study of all rounds is
    computed in place of `model`. `needed` has the error for parameters that are not given.
    """
    if options.get("all_rounds"):
        from roundbook.logbook.studies.studies import STUDIES, of_all_rounds

        name, options = of_all_rounds(model.model_fields["study"].default, options)
        model = STUDIES[name].request
    request = _request(model, options, needed)
    save, note, chart, dask = (options[name] for name in ("save", "note", "chart", "dask"))
    if note is not None and save is None:
        raise typer.BadParameter("--note needs --save")
    with usage_errors(name="--save"):
        under = SaveResult(name=save, note=note)
    if request.files and save is not None:
        raise typer.BadParameter("--save keeps a study of a round: a file is in no record")
    if dask is not None and options["workers"] > 1:
        raise typer.BadParameter("--dask has the cluster's own workers: leave out --workers")
    check_chart(chart)
    from roundbook.logbook.saving import save_long_result
    from roundbook.logbook.session import Work
    from roundbook.logbook.studies.across_rounds import AcrossRounds
    from roundbook.logbook.studies.studies import run_study
    from roundbook.logbook.studies.study import Study
    from roundbook.logbook.studies.workers import study_workers
    from roundbook.presentation.decisions import saved_sentence
    from roundbook.settings import load_settings

    saved = None
    beside: dict[str, Any] = {}
    with progress("Studying ...") as step, study_workers(options["workers"], dask) as mapped:
        work = Work(_timed(step), mapped, load_settings().max_file_bytes)
        if request.files:
            study: object = run_study(None, request, work)
        else:
            with sessions(options["context"], options["database"]) as begin:
                if save:
                    saved = save_long_result(partial(begin, work=work), "study", request, under)
                with begin(one_snapshot=True, work=work) as session:
                    study = saved.result if saved else run_study(session, request)
                    if isinstance(study, AcrossRounds):
                        beside = _ageing(session, study)
    assert isinstance(study, Study)
    remarks = [ageing["summary"] for ageing in beside.values()]
    if saved:
        talk(saved_sentence(saved))
        beside |= saved_study_json(saved) | {"status": saved.status}
    print_study(
        study, options["form"], beside=beside, remarks=remarks, top=options["top"], more="--top {}"
    )
    draw(chart, study)


def _request(
    model: type[StudyRequest], options: Mapping[str, Any], needed: Mapping[str, str]
) -> StudyRequest:
    task = options["task"]
    if task and not (options["round_label"] or options["files"] or options.get("all_rounds")):
        every = ", or take all with --all-rounds" if "all_rounds" in options else ""
        raise typer.BadParameter(
            f"name a round of task '{task}' ('roundbook round list {quote(task)}' shows those"
            f" there are){every}"
        )
    for name, sentence in needed.items():
        if options[name] is None:
            raise typer.BadParameter(sentence)
    with usage_errors():
        return request_of(model, options, round=options["round_label"])


def _timed(step: Callable[[str], object]) -> Callable[[str, int, int], None]:
    """Return a function that shows how much of a part of a study is done, and the time left."""
    began: dict[str, float] = {}

    def report(part: str, done: int, total: int) -> None:
        started = began.setdefault(part, time.monotonic())
        taken = time.monotonic() - started
        left = f", {taken * (total - done) / done:.0f} s left" if taken > 1 else ""
        step(f"{part}: {done:,} of {total:,}{left}")

    return report


def _ageing(session: Session, study: AcrossRounds) -> dict[str, Any]:
    """Return the JSON of the ageing of the first round's factors; empty without later factors."""
    request = study.ageing_request
    if request is None:
        return {}
    from roundbook.logbook.drift.report import trace_drift
    from roundbook.presentation.drift_curve import summary

    curve = trace_drift(session, request)
    verdicts = [{"round": later.round, "verdict": later.verdict} for later in curve.rounds]
    return {"ageing": {"summary": summary(curve), "rounds": verdicts}}
