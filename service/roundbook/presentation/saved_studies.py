"""The one-line description of a saved study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.presentation.studies.common import study_module

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a study's name, and the name and value of its main figure on each scale."""
    name, form = study_module(brief["study"]).FIGURE
    figures = (
        f"{scale} {'-' if value is None else form.format(value)}"
        for scale, value in brief["scales"].items()
    )
    return f"{brief['study']}: {name} {', '.join(figures)}"


def scope(entry: ResultEntry) -> str:
    """Return the round that a study is of, or the two or all rounds, as a phrase."""
    label, other = entry.brief["round"], entry.request.get("to_round")
    if other is not None:
        return f"rounds '{label}' and '{other}'"
    return "all rounds" if label is None else f"round '{label}'"
