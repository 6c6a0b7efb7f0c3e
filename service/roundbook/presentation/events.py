"""What events tell besides who did what and when, as text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def details(values: Mapping[str, Any]) -> str:
    """Return the details of an event; of what changed, from what to what."""
    return ", ".join(
        f"{name}: {_text(value['was'])} → {_text(value['is'])}"
        if isinstance(value, dict) and set(value) == {"was", "is"}
        else f"{name} {_text(value)}"
        for name, value in values.items()
    )


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return " ".join(f"{name} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "none" if value is None else str(value)
