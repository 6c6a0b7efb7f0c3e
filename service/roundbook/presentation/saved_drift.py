"""The one-line description of a saved drift report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.presentation.phrases import verdict_words

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a report's rounds, verdict and the shift that the verdict rests on, as a phrase."""
    shift = brief.get("shift")
    moved = "" if shift is None else f", shift {shift:+z.3f}"
    return f"{brief['from']} to {brief['to']}: {verdict_words(brief['verdict'])}{moved}"


def scope(entry: ResultEntry) -> str:
    """Return the rounds that a report compares, as a phrase."""
    return f"rounds '{entry.brief['from']}' and '{entry.brief['to']}'"
