"""Sentences on when, and on which document collection, rounds were held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.errors import WayOut

_FEW_PAIRS = 3

if TYPE_CHECKING:
    from roundbook.logbook.held_order import OutOfOrder
    from roundbook.logbook.rounds import Round


def assumed_collection(collections: Sequence[tuple[str, str | None]]) -> str | None:
    """Return the sentence on the document collections that rounds are assumed to be held on.

    Parameters
    ----------
    collections : sequence of (str, str or None)
        Rounds with the collection that each declares.

    Returns
    -------
    str or None
        None where all rounds declare theirs.
    """
    labels = [f"'{label}'" for label, collection in collections if collection is None]
    if not labels:
        return None
    declared = {collection for _, collection in collections if collection is not None}
    where = "the same document collection"
    if len(declared) == 1:
        where = f"the document collection '{declared.pop()}' too"
    if len(labels) == 1:
        rounds = f"round {labels[0]} was"
    elif len(labels) > 3:
        rounds = f"{len(labels)} rounds were"
    else:
        rounds = f"rounds {', '.join(labels[:-1])} and {labels[-1]} were"
    return f"Assumed: {rounds} held on {where}, since none is declared."


def out_of_order(pair: OutOfOrder) -> str:
    """Return the clause that a round was held before one that is recorded before it."""
    return (
        f"Round '{pair.round}' was held on {pair.held}, before round '{pair.recorded_after}'"
        f" ({pair.recorded_after_held}), but is recorded after it"
    )


def out_of_order_notes(rounds: Sequence[Round]) -> list[str]:
    """Return notes on rounds whose dates contradict the order of rounds, on a few of many."""
    pairs = list(dict.fromkeys(out_of_order(pair) for one in rounds for pair in one.out_of_order))
    if not pairs:
        return []
    clauses = pairs[:_FEW_PAIRS]
    if len(pairs) > _FEW_PAIRS:
        clauses.append(f"{len(pairs) - _FEW_PAIRS:,} other rounds have such dates")
    return [
        *(f"{clause}." for clause in clauses[:-1]),
        f"{clauses[-1]}: what compares rounds or takes the latest goes by the order of recording.",
    ]


def correct_date(task: str) -> WayOut:
    """Return the advice where the dates of a task's rounds contradict their order."""
    return WayOut("correct a date", {"task": task})
