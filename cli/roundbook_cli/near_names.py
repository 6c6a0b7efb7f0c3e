"""Questions on names that may be slips: a new one near a recorded one, a file where a task is due."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING

from roundbook.errors import InputError
from roundbook_cli.output import confirm, talk

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.requests.matrices import LoggingRequest
    from roundbook.requests.runs import LogQrels, LogRuns
    from roundbook.requests.variances import RecordVarianceRequest


def confirm_name(
    session: Session, task: str, label: str | None = None, *, ask: bool = True
) -> None:
    """Ask whether a new task near another one is meant, or a new round near another of its task.

    The command ends where it is not.
    """
    from roundbook.logbook.names import near_recorded

    for new in near_recorded(session, task, label):
        from roundbook.presentation.previews import near_note

        warning = near_note(new.kind, new.name, new.near)
        if ask:
            question = f"{new.name}: did you mean {new.near}? Make a new {new.kind} '{new.name}'?"
            confirm(warning, question)
        else:
            talk(f"Warning: {warning}")


def confirm_names(
    begin: Callable[..., AbstractContextManager[Session]],
    request: LoggingRequest | LogRuns | LogQrels | RecordVarianceRequest,
    *files: Path,
) -> None:
    """Ask whether the new task and round of a request are meant; see `confirm_name`.

    A file in the task's place is refused.
    """
    refuse_file_first(request.task, request.round, *files)
    if request.create:
        ask = not request.dry_run
        with begin(keep=False) as session:
            confirm_name(session, request.task, ask=ask)
            confirm_name(session, request.task, request.round, ask=ask)


def refuse_file_first(task: str, label: str, *files: Path) -> None:
    """Refuse files before the names of task and round, which come first."""
    given = [task, label, *map(str, files)]
    names = [name for name in given if not Path(name).exists()]
    if Path(task).is_file() and len(names) == 2:
        meant = shlex.join([*names, *(name for name in given if name not in names)])
        raise InputError(
            f"'{task}' is a file, and task and round come before it. Did you mean: {meant}"
        )
