"""New names that are near a recorded one: a question on a terminal, else a warning."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

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

        warning = str(near_note(new.kind, new.name, new.near))
        if ask:
            question = f"{new.name}: did you mean {new.near}? Make a new {new.kind} '{new.name}'?"
            confirm(warning, question)
        else:
            talk(f"Warning: {warning}")


def confirm_names(
    begin: Callable[..., AbstractContextManager[Session]],
    request: LoggingRequest | LogRuns | LogQrels | RecordVarianceRequest,
) -> None:
    """Ask whether the new task and round of a request are meant; see `confirm_name`."""
    if request.create:
        ask = not request.dry_run
        with begin(keep=False) as session:
            confirm_name(session, request.task, ask=ask)
            confirm_name(session, request.task, request.round, ask=ask)
