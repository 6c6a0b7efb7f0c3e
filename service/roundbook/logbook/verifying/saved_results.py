"""Verification of saved results: readable, with inputs of their task, and equal when recomputed.

Of those that cannot be computed again, what was known of their inputs is verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import event, result, round_, task
from roundbook.errors import RecordError, RoundbookError
from roundbook.logbook.input_rows import CurrentInputs, saved_inputs
from roundbook.logbook.kinds import Kind, find_kind
from roundbook.logbook.lookup import find_task
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import ReportProgress
from roundbook.logbook.staleness import Input
from roundbook.logbook.stored_results import read_request, read_stored
from roundbook.logbook.verifying.differences import (
    Difference,
    Facts,
    NotComputed,
    ResultNotComputed,
    figure,
    unlike,
)
from roundbook.requests.base import Request

_BATCH = 100
# What results of an earlier form may have otherwise: they are by an earlier rule, or count the runs
# of two rounds together.
_OF_EARLIER_FORM = frozenset({"rule", "runs_without_team", "runs_without_system"})

# The spelling of teams in a checksum of runs is that of the record that a task was imported from.
_SPELLED_OTHERWISE = text("""
SELECT EXISTS (
    SELECT FROM roundbook.event WHERE task_id = :task AND what = 'archive imported'
) AND EXISTS (
    SELECT FROM roundbook.run
    JOIN roundbook.round ON round.id = run.round_id
    JOIN roundbook.run AS other ON other.team_id = run.team_id
    JOIN roundbook.round AS elsewhere ON elsewhere.id = other.round_id
    WHERE round.task_id = :task AND round.label = :round AND elsewhere.task_id <> :task
)
""")


def result_differences(
    connection: Connection, results: Sequence[int], progress: ReportProgress
) -> Iterator[Difference | ResultNotComputed]:
    """Yield saved results that cannot be read, and differences from a new computation.

    They are computed again from their saved inputs; those that cannot be computed are yielded too.
    """
    current: dict[int, CurrentInputs] = {}
    for number, row in enumerate(_rows(connection, results), 1):
        progress(f"Verifying saved result {number} of {len(results)} ...")
        about = _about(row)
        try:
            kind = find_kind(row.kind)
            about["result_kind"] = kind.title
            read, request = kind.read(row.result, "a result"), kind.request(**row.request)
            differences = list(kind.differences(connection, row, read, request))
            if all(isinstance(facts, NotComputed) for facts in differences):
                wrong = list(_request_differences(connection, row, kind, request, read))
                if not wrong and row.task_id is not None:
                    of_task = current.setdefault(
                        row.task_id, CurrentInputs(connection, row.task_id)
                    )
                    today = kind.inputs(kind.today(of_task, request), read)
                    earlier = NotComputed("form") in differences
                    wrong = list(_known_differences(connection, row, today, earlier=earlier))
                differences = [*wrong] or differences
            for facts in differences:
                if isinstance(facts, NotComputed):
                    yield ResultNotComputed(**about, reason=facts.reason)
                else:
                    yield Difference(**_OF_RESULT, **about, **facts)
        # An altered result may fail anywhere; the verification goes on.
        except (RoundbookError, ValueError, LookupError, TypeError) as error:
            reason = error
            if not isinstance(error, RoundbookError):
                why = f"{type(error).__name__}: {str(error).rstrip('.')}"
                reason = RecordError(f"it cannot be computed again ({why}).", why=why)
            yield Difference(**_OF_RESULT, **about, what="result", reason=reason)


def _request_differences(
    connection: Connection, row: Row[Any], kind: Kind, request: Request, read: Result
) -> Iterator[Facts]:
    """Yield the fields of a saved request that contradict the result's task or the result."""
    task_name: str | None = getattr(request, "task", None)
    if (task_name and find_task(connection, task_name)) != row.task_id:
        yield {"what": "task", "recorded": task_name, "computed": row.task}
    resolved = kind.saved_request(request, read)
    yield from unlike(request.model_dump(mode="json"), resolved.model_dump(mode="json"))


def _known_differences(
    connection: Connection, saved: Row[Any], today: Sequence[Input], *, earlier: bool
) -> Iterator[Facts]:
    """Yield the saved facts on a result's inputs that are impossible, or differ without a cause.

    Impossible is a fact that no input of its kind has; without a cause, one that differs from
    `today`, the inputs it would have now, although no event since explains it. A result of an
    `earlier` form may lack facts.
    """
    current = {(row.origin, row.id): row.known for row in today}
    possible = {row.origin: {"other_ids"} for row in today}
    for row in today:
        possible[row.origin] |= row.known.keys()
    changed = changed_since(connection, saved)
    for was in saved_inputs(connection, [saved.id])[saved.id]:
        now = current.get((was.origin, was.id))
        for name in sorted(was.known.keys() | (now or {}).keys()):
            recorded, computed = was.known.get(name), (now or {}).get(name)
            # Another version of Roundbook may have noted fewer facts.
            if name not in was.known and (earlier or saved.software != SOFTWARE):
                continue
            if earlier and name in _OF_EARLIER_FORM:
                continue
            # Topics are shared with other rounds.
            since = changed if name == "other_ids" else changed & {was.round}
            impossible = was.origin in possible and name not in possible[was.origin]
            unexplained = now is not None and recorded != computed and not since
            if not (impossible or unexplained):
                continue
            of_round = {"task": saved.task_id, "round": was.round}
            if name == "runs" and connection.execute(_SPELLED_OTHERWISE, of_round).scalar():
                continue
            yield {
                "what": f"{name} of known",
                "round": was.round,
                "recorded": figure(recorded),
                "computed": figure(computed),
            }


def changed_since(connection: Connection, saved: Row[Any]) -> set[str | None]:
    """Return the rounds of a result's task with events since it was saved, and None for topics."""
    events = (
        select(round_.c.label)
        .select_from(event.outerjoin(round_, round_.c.id == event.c.round_id))
        .distinct()
        .where(event.c.task_id == saved.task_id, event.c.at >= saved.saved_at)
        .where(
            event.c.round_id.is_not(None) | event.c.what.in_(("topics aliased", "topic unaliased"))
        )
    )
    return set(connection.execute(events).scalars())


def illegible_results(connection: Connection, results: Sequence[int]) -> Iterator[Difference]:
    """Yield the saved results that cannot be read; none is computed again."""
    for row in _rows(connection, results):
        try:
            read_request(row)
            read_stored(row)
        except RecordError as error:
            why = error.facts["reason"]
            reason = RecordError(f"this Roundbook cannot read it ({why}).", why=why)
            yield Difference(**_OF_RESULT, **_about(row), what="result", reason=reason)


_OF_RESULT: dict[str, Any] = {"kind": "result", "table": "result"}


def _about(row: Row[Any]) -> dict[str, Any]:
    names = {"task": row.task, "result_kind": row.kind}
    return names | {"result": row.name, "version": row.version}


def _rows(connection: Connection, results: Sequence[int]) -> Iterator[Row[Any]]:
    for first in range(0, len(results), _BATCH):
        rows = connection.execute(
            select(result, task.c.name.label("task"))
            .outerjoin(task)
            .where(result.c.id.in_(results[first : first + _BATCH]))
            .order_by(result.c.id)
        )
        yield from rows.all()
