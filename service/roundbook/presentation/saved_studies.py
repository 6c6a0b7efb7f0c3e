"""A saved study in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a study's name and its figure on each scale."""
    figures = ", ".join(f"{scale} {100 * share:.1f}%" for scale, share in brief["scales"].items())
    return f"{brief['study']}: {figures}"


def place(entry: ResultEntry) -> str:
    """Return the round that a study is of."""
    return f"round '{entry.brief['round']}'"
