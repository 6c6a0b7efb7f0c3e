"""Saved results of any kind in a line; the words of a kind are in ``saved_`` and its name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.logbook.kinds import import_kind

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry

_WORDS = "roundbook.presentation.saved_{}"


def brief_sentence(entry: ResultEntry) -> str:
    """Return a saved result's figures in a few words: topics of a plan, verdict of a report."""
    sentence: str = import_kind(entry.kind, _WORDS).brief_sentence(entry.brief)
    return sentence


def result_place(entry: ResultEntry) -> str:
    """Return where a saved result stands: its rounds, or its task."""
    place: str = import_kind(entry.kind, _WORDS).place(entry)
    return place
