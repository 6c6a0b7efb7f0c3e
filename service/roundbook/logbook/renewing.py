"""Renewing saved results: computed again from what counts today, as their next versions."""

from __future__ import annotations

from typing import Literal

from roundbook.errors import (
    InputError,
    NotRecordedError,
)
from roundbook.logbook.kinds import find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import Result
from roundbook.logbook.saved_results import (
    ResultEntry,
    find_stored,
    is_latest,
    judge_result,
    judge_results,
    stored_results,
)
from roundbook.logbook.saving import save_version
from roundbook.logbook.session import Session
from roundbook.requests.results import RenewResults


class Renewed(Result):
    """A result computed again: the version that was renewed and the new one."""

    before: ResultEntry
    after: ResultEntry
    status: Literal["saved", "unchanged"]


class Renewal(Result):
    """What was renewed, or in a dry run would be, and what stays stale, each with why it does."""

    renewed: list[Renewed]
    left: list[tuple[ResultEntry, str]]
    dry_run: bool = False


def renew_results(session: Session, request: RenewResults) -> Renewal:
    """Compute saved results again from what counts today, as their next versions.

    Raises
    ------
    NotRecordedError
        When there is no such result or task.
    RoundbookError
        When one result is renewed that cannot be computed today.
    """
    connection = session.connection
    if request.name is not None:
        one = find_stored(connection, request.kind, request.name, None)
        entries = [judge_result(connection, one)]
    else:
        # What is stale by a correction under way is renewed with the rest.
        task_id = find_task(connection, request.task or "", lock=True)
        rows = stored_results(connection, task_id, request.kind)
        entries = [
            entry
            for entry in judge_results(connection, rows)
            if is_latest(entry) and entry.stale and entry.replaced_by is None
        ]
    renewed, left = [], []
    for before in entries:
        asked = find_kind(before.kind).request(**before.request)
        try:
            after = save_version(session, before.kind, asked, before.name, before.note)
        except (NotRecordedError, InputError) as error:
            # There is nothing to compute it from any more, or no result; nothing was written.
            if request.name is not None:
                raise
            left.append((before, str(error)))
            continue
        entry = ResultEntry(**{name: getattr(after, name) for name in ResultEntry.model_fields})
        renewed.append(Renewed(before=before, after=entry, status=after.status))
    return Renewal(renewed=renewed, left=left, dry_run=request.dry_run)
