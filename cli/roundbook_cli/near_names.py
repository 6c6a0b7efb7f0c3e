"""What is new under a name that is near another one: a question on a terminal, else a warning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from roundbook.requests.base import is_kept
from roundbook_cli.output import confirm, talk

if TYPE_CHECKING:
    from roundbook.logbook.session import Session
    from roundbook.requests.matrices import LoggingRequest
    from roundbook.requests.runs import LogQrels, LogRuns
    from roundbook.requests.variances import RecordVarianceRequest


def confirm_task(session: Session, task: str, *, ask: bool = True) -> None:
    """Ask whether a new task near another one is meant; end the command where it is not."""
    from roundbook.logbook.tasks import near_task

    _confirm("task", task, near_task(session, task), ask=ask)


def confirm_round(session: Session, task: str, label: str, *, ask: bool = True) -> None:
    """Ask whether a new round near another one of its task is meant; see `confirm_task`."""
    from roundbook.logbook.rounds import near_round

    _confirm("round", label, near_round(session, task, label), ask=ask)


def confirm_names(
    begin: Callable[..., AbstractContextManager[Session]],
    request: LoggingRequest | LogRuns | LogQrels | RecordVarianceRequest,
) -> None:
    """Ask whether a task and a round that the request makes are meant; see `confirm_task`."""
    if request.create:
        ask = is_kept(request)
        with begin(keep=False) as session:
            confirm_task(session, request.task, ask=ask)
            confirm_round(session, request.task, request.round, ask=ask)


def _confirm(what: str, name: str, near: str | None, *, ask: bool) -> None:
    if near is None:
        return
    from roundbook.presentation.previews import near_note

    name = name.strip()
    warning = str(near_note(what, name, near))
    if ask:
        confirm(warning, f"{name}: did you mean {near}? Make a new {what} '{name}'?")
    else:
        talk(f"Warning: {warning}")
