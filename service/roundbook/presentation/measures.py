"""Measures in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.presentation.phrases import listed

if TYPE_CHECKING:
    from roundbook.logbook.recorded_measures import MergedMeasures


def new_measure_notes(measure: str, others: Sequence[str]) -> list[str]:
    """Return that a measure is new where its task has others: it may be one of them, mistyped."""
    if not others:
        return []
    return [f"The measure '{measure}' is new to the record; this task has {listed(others)}."]


def bounds_in_words(bounds: tuple[float, float]) -> str:
    """Return a measure's lowest and highest possible score."""
    return f"{bounds[0]:g} to {bounds[1]:g}"


def unknown_measure_note(done: MergedMeasures) -> str:
    """Return that a known measure becomes one that no evaluation tool knows."""
    return (
        f"{done.merged} is a measure that evaluation tools know, and {done.measure} is none:"
        f" whatever is called {done.merged} would be {done.measure}."
    )


def merge_sentence(done: MergedMeasures) -> str:
    """Return what it means that a measure was merged into another."""
    return (
        f"{done.merged} is {done.measure} from now on: whoever asks for it gets {done.measure}, and"
        " the variances of both are pooled."
    )
