"""Saved results of any kind in a line; the words of a kind are in ``saved_`` and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import import_kind
from roundbook.presentation.staleness import why_stale

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry

_WORDS = "roundbook.presentation.saved_{}"


def saved_heading(title: str, entry: ResultEntry) -> str:
    """Return the line above a saved result: what it is, which version, who saved it, when, why.

    Parameters
    ----------
    title : str
        The result's name with the kind before it.
    """
    note = f" Note: {entry.note}" if entry.note else ""
    return (
        f"{title}, saved {entry.saved_at:%Y-%m-%d} by {entry.saved_by} with {entry.software}.{note}"
    )


_IN_ROWS = ("kind", "name", "version", "task", "saved_at", "saved_by", "stale")


def entry_row(entry: ResultEntry) -> dict[str, Any]:
    """Return a saved result as the rows of every door have it."""
    facts = {name: getattr(entry, name) for name in _IN_ROWS}
    return facts | {"why": why_stale(entry), "note": entry.note}


def brief_sentence(entry: ResultEntry) -> str:
    """Return a saved result's figures in a few words: topics of a plan, verdict of a report."""
    sentence: str = import_kind(entry.kind, _WORDS).brief_sentence(entry.brief)
    return sentence


def result_place(entry: ResultEntry) -> str:
    """Return where a saved result stands: its rounds, or its task."""
    place: str = import_kind(entry.kind, _WORDS).place(entry)
    return place
