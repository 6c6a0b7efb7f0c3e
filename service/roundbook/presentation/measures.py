"""Measures in sentences."""

from __future__ import annotations

from collections.abc import Sequence


def new_measure_notes(measure: str, others: Sequence[str]) -> list[str]:
    """Return that a measure is new where its task has others: it may be one of them, mistyped."""
    if not others:
        return []
    more = f" and {len(others) - 5} more" if len(others) > 5 else ""
    return [
        f"The measure '{measure}' is new to the record; this task has"
        f" {', '.join(others[:5])}{more}."
    ]
