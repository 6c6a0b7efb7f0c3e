"""Measures in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.presentation.phrases import listed

if TYPE_CHECKING:
    from roundbook.logbook.recorded_measures import MergedMeasures


def new_measure_notes(measure: str, others: Sequence[str], known: str | None = None) -> list[str]:
    """Return a note if a measure is new to a task that has others, as it may be a typing error.

    Parameters
    ----------
    known : str, optional
        A measure of evaluation tools that it is near, told of in a task without others too.
    """
    meant = did_you_mean(measure, others) or (f" Did you mean {known}?" if known else "")
    if not others:
        return [f"No evaluation tool knows the measure '{measure}'.{meant}"] if known else []
    return [f"The measure '{measure}' is new to the record; this task has {listed(others)}.{meant}"]


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """Return the question whether a new name is a slip for a known one; empty if none is near."""
    # It imports SQLAlchemy, which `--help` does without.
    from roundbook.logbook.near_names import near_name  # noqa: PLC0415

    near = near_name(name, known)
    return "" if near is None else f" Did you mean {near}?"


def bounds_in_words(bounds: tuple[float, float]) -> str:
    """Return a measure's lowest and highest possible score as text: ``0 to 1``."""
    return f"{bounds[0]:g} to {bounds[1]:g}"


def unknown_measure_note(done: MergedMeasures) -> str:
    """Return the warning that a known measure is merged into one that no evaluation tool knows."""
    return (
        f"{done.merged} is a measure that evaluation tools know, and {done.measure} is none:"
        f" whatever is called {done.merged} would be {done.measure}."
    )


def merge_sentence(done: MergedMeasures) -> str:
    """Return the sentence on the effect of merging a measure into another."""
    return (
        f"{done.merged} is {done.measure} from now on: whoever asks for it gets {done.measure}, and"
        " the variances of both are pooled."
    )
