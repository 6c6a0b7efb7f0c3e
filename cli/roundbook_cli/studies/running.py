"""Running a study, keeping it, and printing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from roundbook_cli.options import Format
from roundbook_cli.output import progress, talk
from roundbook_cli.saved_studies import study_entry
from roundbook_cli.session import record

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import SavedResult
    from roundbook.logbook.studies.study import Study
    from roundbook.requests.studies import StudyRequest


def run_and_print(
    context: typer.Context,
    request: StudyRequest,
    save: str | None,
    note: str | None,
    form: Format,
    database: str | None,
) -> None:
    """Compute a study, keep it if that is wanted, and print it.

    Parameters
    ----------
    save, note : str, optional
        The name that it is kept under, and why.
    """
    if note is not None and save is None:
        raise typer.BadParameter("--note needs --save")
    if request.files and save is not None:
        raise typer.BadParameter("--save keeps a study of a round: a file is in no record")
    from roundbook.logbook.saved_results import save_result
    from roundbook.logbook.session import Work
    from roundbook.logbook.studies.studies import run_study
    from roundbook.logbook.studies.study import Study
    from roundbook.settings import load_settings

    saved = None
    with progress("Studying ...") as step:
        work = Work(progress=_timed(step), max_file_bytes=load_settings().max_file_bytes)
        if request.files:
            study: object = run_study(None, request, work)
        else:
            with record(context, database) as opened:
                session = opened._replace(work=work)
                if save:
                    saved = save_result(session, "study", request, save, note)
                study = saved.result if saved else run_study(session, request)
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
    """Print a study as a table to read, JSON or CSV, as the module named after it does.

    Parameters
    ----------
    saved : mapping, optional
        What JSON has besides of a study that is saved.
    """
    module = import_module(f"roundbook_cli.studies.{study.study.replace('-', '_')}")
    module.print_study(study, form, dict(saved or {}))
