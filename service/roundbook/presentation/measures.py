"""Measures in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from roundbook.measure_names import is_known_measure
from roundbook.presentation.phrases import listed

if TYPE_CHECKING:
    from roundbook.logbook.recorded_measures import MergedMeasures


def new_measure_notes(measure: str, others: Sequence[str], near: str | None = None) -> list[str]:
    """Return a note if a measure is new to a task that has others, since it may be mistyped.

    `near` is that of an evaluation tool with nearly this name, noted in a task without others too.
    """
    known = is_known_measure(measure)
    # A known measure is no slip for one that is none.
    likely = [other for other in others if is_known_measure(other)] if known else others
    meant = f" Did you mean {near}?" if near else did_you_mean(measure, likely)
    if not others:
        return [f"No evaluation tool knows the measure '{measure}'.{meant}"] if near else []
    new = "new to the record" if known else "none that Roundbook knows"
    return [f"The measure '{measure}' is {new}; this task has {listed(others)}.{meant}"]


def ratio_notes(measure: str, ratio: float | None) -> list[str]:
    """Return a note if a variance is `ratio` times that of the measure's other rounds."""
    if ratio is None:
        return []
    times = f"{ratio:,.0f}" if 1 < ratio < 1e9 else f"{ratio:.2g}"
    return [
        f"The variance is {times} times that of the other rounds of {measure}; check that the"
        " scores are on the same scale."
    ]


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """Return the question whether a new name is a slip for a near one of `names`, or an empty text."""
    # It imports SQLAlchemy, which `--help` does without.
    from roundbook.logbook.names import near_name  # noqa: PLC0415

    near = near_name(name, names)
    return "" if near is None else f" Did you mean {near}?"


def bounds_phrase(bounds: tuple[float, float]) -> str:
    """Return a measure's lowest and highest possible score as text: ``0 to 1``."""
    return f"{bounds[0]:g} to {bounds[1]:g}"


def unknown_measure_note(merge: MergedMeasures) -> str:
    """Return the warning that a known measure is merged into one that no evaluation tool knows."""
    return (
        f"{merge.merged} is a measure that evaluation tools know, and {merge.measure} is none:"
        f" whatever is called {merge.merged} would be {merge.measure}."
    )


def merge_sentence(merge: MergedMeasures) -> str:
    """Return the sentence on the effect of merging a measure into another."""
    return (
        f"{merge.merged} is {merge.measure} from now on: whoever asks for it gets {merge.measure},"
        " and the variances of both are pooled."
    )
