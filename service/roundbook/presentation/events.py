"""The details of events as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roundbook.logbook.events import Event


def details(values: Mapping[str, Any]) -> str:
    """Return the details of an event as text; for a changed value, the old and the new one."""
    return ", ".join(
        f"{name}: {_text(value['was'])} → {_text(value['is'])}"
        if isinstance(value, dict) and set(value) == {"was", "is"}
        else f"{name} {_text(value)}"
        for name, value in values.items()
    )


def differing_users(events: Sequence[Event]) -> list[Event]:
    """Return events with `database_user` set to None where it is the same as `who`."""
    return [
        event.model_copy(update={"database_user": None})
        if event.database_user == event.who
        else event
        for event in events
    ]


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, dict):
        return " ".join(f"{name} {_text(inner)}" for name, inner in value.items())
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "none" if value is None else str(value)
