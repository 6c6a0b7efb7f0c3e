"""The one-line description of a saved plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.presentation.phrases import of_task

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a plan's design and its fewest and most topics, as a phrase."""
    few, most = brief["fewest_topics"], brief["most_topics"]
    if few is None:
        return f"{brief['design']}: no design"
    return f"{brief['design']}: {f'{few:,}' if few == most else f'{few:,} to {most:,}'} topics"


def scope(entry: ResultEntry) -> str:
    """Return the task that a plan is for, as a phrase."""
    return of_task(entry.task)
