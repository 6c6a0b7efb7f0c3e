"""One-line descriptions of saved results; each kind has a module, such as ``saved_plans``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import import_kind
from roundbook.presentation.phrases import of_task, under_label
from roundbook.presentation.staleness import why_stale

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry

_MODULES = "roundbook.presentation.saved_{}"


def saved_heading(entry: ResultEntry, title: str | None = None) -> str:
    """Return the heading of a saved result: its title, day, user, software version and note.

    Parameters
    ----------
    title : str, optional
        Default: its kind, name and version.
    """
    title = title or (
        f"{entry.kind.capitalize()} '{entry.name}', version {entry.version} of {entry.versions}"
    )
    note = f" Note: {entry.note}" if entry.note else ""
    return (
        f"{title}, saved {entry.saved_at:%Y-%m-%d} by {entry.saved_by} with {entry.software}.{note}"
    )


_IN_ROWS = ("kind", "name", "version", "task", "saved_at", "saved_by", "stale")
# The columns of `entry_row`.
ENTRY_COLUMNS = (*_IN_ROWS, "why", "note")


def entry_row(entry: ResultEntry) -> dict[str, Any]:
    """Return the table row of a saved result, the same in every interface."""
    facts = {name: getattr(entry, name) for name in _IN_ROWS}
    return facts | {"why": why_stale(entry), "note": entry.note}


def brief_sentence(entry: ResultEntry) -> str:
    """Return a saved result's main figures as a phrase: a plan's topics, a report's verdict.

    It ends in the assessments of a study or report, if they are not the default ones.
    """
    if not entry.brief:
        return "cannot be read"
    sentence: str = import_kind(entry.kind, _MODULES).brief_sentence(entry.brief)
    return sentence + under_label(entry.brief.get("assessments"))


def other_question(version: int, asked_before: Mapping[str, Any]) -> str | None:
    """Return the sentence on what the version before asked otherwise; None where it did not.

    Parameters
    ----------
    version : int
        The version that was saved.
    asked_before : mapping
        The former values of fields of the request, by name.
    """
    if not asked_before:
        return None
    before = ", ".join(
        f"{name.replace('_', ' ')} {_option_text(value)}" for name, value in asked_before.items()
    )
    return f"Version {version - 1} was of another question: {before}."


def _option_text(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def result_scope(entry: ResultEntry) -> str:
    """Return the rounds that a saved result is of, or else its task, as a phrase."""
    if not entry.brief:
        return of_task(entry.task)
    phrase: str = import_kind(entry.kind, _MODULES).scope(entry)
    return phrase
