"""Saved results of any kind in a line; the words of a kind are in ``saved_`` and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.kinds import import_kind

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


def brief_sentence(entry: ResultEntry) -> str:
    """Return a saved result's figures in a few words: topics of a plan, verdict of a report."""
    sentence: str = import_kind(entry.kind, _WORDS).brief_sentence(entry.brief)
    return sentence


def result_place(entry: ResultEntry) -> str:
    """Return where a saved result stands: its rounds, or its task."""
    place: str = import_kind(entry.kind, _WORDS).place(entry)
    return place
