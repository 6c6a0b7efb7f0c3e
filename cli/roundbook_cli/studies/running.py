"""Running a study, keeping it, and printing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import typer

from roundbook_cli.charts import check_chart, write_chart
from roundbook_cli.options import Format
from roundbook_cli.output import Column, print_table, progress, section, show, talk
from roundbook_cli.saved_studies import study_entry
from roundbook_cli.session import sessions
from roundbook_cli.studies.across_rounds import ageing_beside
from roundbook_cli.studies.options import Dask, Top, Workers

if TYPE_CHECKING:
    from roundbook.logbook.saving import SavedResult
    from roundbook.logbook.studies.study import Study
    from roundbook.requests.studies import StudyRequest


def shared_out(command: Callable[..., None]) -> Callable[..., None]:
    """Return a study's command with the options of who does its work and how much is printed.

    `run_and_print` reads them. They are nothing that a study is asked: its numbers are the same.
    """
    own = signature(command, eval_str=True)
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in (
            ("workers", 1, Workers),
            ("dask", None, Dask),
            ("top", None, Top),
        )
    ]

    @wraps(command)
    def with_workers(*, workers: int, dask: str | None, top: int | None, **given: Any) -> None:  # noqa: ANN401, ARG001
        task, named = given["task"], given.get("round_label") or given.get("from_round")
        if task and not (named or given["files"] or given.get("all_rounds")):
            every = ", or take all with --all-rounds" if "all_rounds" in given else ""
            raise typer.BadParameter(
                f"name a round of task '{task}' ('roundbook round list {quote(task)}' shows those"
                f" there are){every}"
            )
        command(**given)

    parameters = [*own.parameters.values(), *more]
    with_workers.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_workers.__annotations__ = {one.name: one.annotation for one in parameters}
    return with_workers


def run_and_print(
    context: typer.Context,
    request: StudyRequest,
    save: str | None,
    note: str | None,
    form: Format,
    database: str | None,
    chart: Path | None = None,
) -> None:
    """Compute a study, keep it if that is wanted, and print it.

    Parameters
    ----------
    context : typer.Context
        Its ``workers`` and ``dask`` say who does the work, ``top`` how many rows are printed; see
        `shared_out`.
    save, note : str, optional
        The name that it is kept under, and why.
    chart : Path, optional
        The file that it is drawn in.
    """
    if note is not None and save is None:
        raise typer.BadParameter("--note needs --save")
    if request.files and save is not None:
        raise typer.BadParameter("--save keeps a study of a round: a file is in no record")
    workers, dask = context.params["workers"], context.params["dask"]
    if dask is not None and workers > 1:
        raise typer.BadParameter("--dask has the cluster's own workers: leave out --workers")
    check_chart(chart)
    from roundbook.logbook.saving import save_long_result
    from roundbook.logbook.session import Work
    from roundbook.logbook.studies.across_rounds import AcrossRounds
    from roundbook.logbook.studies.studies import run_study
    from roundbook.logbook.studies.study import Study
    from roundbook.logbook.studies.workers import share_out
    from roundbook.settings import load_settings

    saved = None
    extra: dict[str, Any] = {}
    with progress("Studying ...") as step, share_out(workers, dask) as mapped:
        work = Work(_timed(step), mapped, load_settings().max_file_bytes)
        if request.files:
            study: object = run_study(None, request, work)
        else:
            with sessions(context, database) as begin:
                if save:
                    saved = save_long_result(begin, "study", request, save, note, work)
                with begin(one_moment=True) as session:
                    study = saved.result if saved else run_study(session, request, work)
                    assert isinstance(study, Study)
                    if isinstance(study, AcrossRounds):
                        extra = ageing_beside(session, study)
    assert isinstance(study, Study)
    told = [beside["summary"] for beside in extra.values()]
    extra |= _saved(saved) if saved else {}
    print_study(study, form, saved=extra, told=told, top=context.params["top"], more="--top {}")
    if chart is not None:
        from roundbook.presentation.charts.studies import study_chart

        write_chart(chart, study_chart(study))


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
    from roundbook.presentation.decisions import saved_sentence

    talk(saved_sentence(saved))
    return study_entry(saved) | {"status": saved.status}


def print_study(
    study: Study,
    form: Format,
    *,
    saved: Mapping[str, Any] | None = None,
    told: Sequence[str] = (),
    top: int | None = None,
    more: str = "--format json",
) -> None:
    """Print a study as tables to read, JSON or CSV.

    Parameters
    ----------
    saved : mapping, optional
        What JSON has besides: of a study that is saved, or beside it.
    told : sequence of str
        Remarks besides its own.
    top : int, optional
        How many rows of a long table are printed, in place of its own number.
    more : str
        The option that shows all, with ``{}`` for how many there are.
    """
    from roundbook.presentation.studies.common import study_words

    words = study_words(study)
    if form != "table":
        held = [Column(field, field) for field in words.main.held()]
        extra = dict(saved or {}) | {"protocol": words.protocol}
        show(study, form, words.main.rows, held, extra=extra)
        return
    print_table([], (), above=[words.heading, *words.sentences])
    for table in words.tables:
        parts = list(table.parts(top))
        alike = [row for part, _ in parts for row in part.rows]
        for part, there in parts:
            left = [f"{len(part.rows)} of {there:,} rows: {more.format(there)} shows all."]
            print_table(
                part.rows,
                part.columns,
                above=["", part.heading],
                below=left if len(part.rows) < there else [],
                alike=alike,
            )
    for remark in [*words.remarks, *told]:
        section(remark)
    section(words.protocol)
