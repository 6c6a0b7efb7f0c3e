"""The one-line description of a saved study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


# By study: the name of its main figure, and the figure's format.
_FIGURES = {
    "discriminative-power": ("pairs told apart", "{:.1%}"),
    "swap-rate": ("swap rate", "{:.1%}"),
    "across-rounds": ("pairs told apart", "{:.1%}"),
    "incremental": ("pairs with topics enough", "{:.1%}"),
    "change": ("systems that fell", "{:.1%}"),
    "leave-one-out": ("Kendall's tau", "{:.3f}"),
    "leave-one-out-rounds": ("lowest Kendall's tau", "{:.3f}"),
    "leave-teams-out": ("topics planned", "{:,}"),
    "topic-subsets": ("topics planned", "{:,}"),
    "per-topic-variance": ("Kendall's tau", "{:.3f}"),
}


def brief_sentence(brief: Mapping[str, Any]) -> str:
    """Return a study's name, and the name and value of its main figure on each scale."""
    name, form = _FIGURES[brief["study"]]
    figures = (
        f"{scale} {'-' if value is None else form.format(value)}"
        for scale, value in brief["scales"].items()
    )
    return f"{brief['study']}: {name} {', '.join(figures)}"


def scope(entry: ResultEntry) -> str:
    """Return the round that a study is of, or all rounds, as a phrase."""
    label = entry.brief["round"]
    return "all rounds" if label is None else f"round '{label}'"
