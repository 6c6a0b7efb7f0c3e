"""Running a study, keeping it, and printing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import typer

from roundbook_cli.charts import check_chart, write_chart
from roundbook_cli.options import Format
from roundbook_cli.output import progress, talk
from roundbook_cli.saved_studies import study_entry
from roundbook_cli.session import sessions
from roundbook_cli.studies.options import Dask, Workers

if TYPE_CHECKING:
    from roundbook.logbook.saving import SavedResult
    from roundbook.logbook.studies.study import Study
    from roundbook.requests.studies import StudyRequest


def shared_out(command: Callable[..., None]) -> Callable[..., None]:
    """Return a study's command with the options of who does its work, which `run_and_print` reads.

    They are nothing that a study is asked: its numbers are the same.
    """
    own = signature(command, eval_str=True)
    more = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, default, annotation in (("workers", 1, Workers), ("dask", None, Dask))
    ]

    @wraps(command)
    def with_workers(*, workers: int, dask: str | None, **given: Any) -> None:  # noqa: ANN401, ARG001
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
        Its ``workers`` and ``dask`` say who does the work; see `shared_out`.
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
                    beside = getattr(_module(study), "beside", None)
                    extra = beside(session, study) if beside else {}
    assert isinstance(study, Study)
    print_study(study, form, saved=(_saved(saved) if saved else {}) | extra)
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
    done = "Saved" if saved.status == "saved" else "Unchanged"
    talk(f"{done}: study '{saved.name}', version {saved.version}, of task '{saved.task}'.")
    return study_entry(saved) | {"status": saved.status}


def print_study(study: Study, form: Format, *, saved: Mapping[str, Any] | None = None) -> None:
    """Print a study as a table to read, JSON or CSV, as the module named after it does.

    Parameters
    ----------
    saved : mapping, optional
        What JSON has besides of a study that is saved.
    """
    _module(study).print_study(study, form, dict(saved or {}))


def _module(study: Study) -> ModuleType:
    return import_module(f"roundbook_cli.studies.{study.study.replace('-', '_')}")
