"""A saved study in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a study's name and its figure on each scale."""
    figures = ", ".join(f"{scale} {_figure(value)}" for scale, value in brief["scales"].items())
    return f"{brief['study']}: {figures}"


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{100 * value:.1f}%"


def place(entry: ResultEntry) -> str:
    """Return the round that a study is of."""
    label = entry.brief["round"]
    return "all rounds" if label is None else f"round '{label}'"
