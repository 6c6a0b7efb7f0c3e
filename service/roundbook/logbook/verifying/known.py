"""Verification of what was known of the inputs of a saved result, besides their scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Row, or_, select, text

from roundbook.database.tables import event, round_
from roundbook.logbook.input_rows import saved_inputs
from roundbook.logbook.result import SOFTWARE
from roundbook.logbook.staleness import Input
from roundbook.logbook.verifying.differences import Facts, figure

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


def known_differences(
    connection: Connection, saved: Row[Any], today: Sequence[Input], *, earlier: bool
) -> Iterator[Facts]:
    """Yield the facts on a saved result's inputs that none has, or that nothing since has changed.

    Parameters
    ----------
    today : sequence of Input
        The inputs it would have today.
    earlier : bool
        Whether it was saved in an earlier form, which may lack facts.
    """
    current = {(row.origin, row.id): row.known for row in today}
    possible = {"other_ids"}.union(*(row.known for row in today))
    changed = _changed_since(connection, saved)
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
            impossible = bool(today) and name not in possible
            unexplained = now is not None and recorded != computed and not since
            if not (impossible or unexplained):
                continue
            if name == "runs" and _spelled_otherwise(connection, saved, was.round):
                continue
            yield {
                "what": f"{name} of known",
                "round": was.round,
                "recorded": figure(recorded),
                "computed": figure(computed),
            }


def _changed_since(connection: Connection, saved: Row[Any]) -> set[str | None]:
    """Return the rounds of a result's task with events since it was saved, and None for topics."""
    events = (
        select(round_.c.label)
        .select_from(event.outerjoin(round_, round_.c.id == event.c.round_id))
        .where(event.c.task_id == saved.task_id, event.c.at >= saved.saved_at)
        .where(
            or_(
                event.c.round_id.is_not(None),
                event.c.what.in_(("topics aliased", "topic unaliased")),
            )
        )
    )
    return set(connection.execute(events).scalars())


def _spelled_otherwise(connection: Connection, saved: Row[Any], label: str) -> bool:
    about = {"task": saved.task_id, "round": label}
    return bool(connection.execute(_SPELLED_OTHERWISE, about).scalar())
