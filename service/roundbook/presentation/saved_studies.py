"""A saved study in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry


# By study: what its figure is called, and how it is written.
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
    """Return a study's name, what its figure is, and the figure on each scale."""
    name, form = _FIGURES[brief["study"]]
    figures = (
        f"{scale} {'-' if value is None else form.format(value)}"
        for scale, value in brief["scales"].items()
    )
    return f"{brief['study']}: {name} {', '.join(figures)}"


def place(entry: ResultEntry) -> str:
    """Return the round that a study is of."""
    label = entry.brief["round"]
    return "all rounds" if label is None else f"round '{label}'"
