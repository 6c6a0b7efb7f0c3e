"""Numbers with their nouns, lists of names, and the words of an interface, as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from roundbook.requests.fields import DEFAULT_ASSESSMENTS


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun as text: 1 topic, 2,000 topics; `plural` if irregular."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first names as text, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def named(noun: str, names: Sequence[str], most: int = 5) -> str:
    """Return the first names after their noun, and how many more there are: ``topics 1, 2``."""
    return f"{noun if len(names) == 1 else f'{noun}s'} {listed(names, most)}"


def counted_names(noun: str, names: Sequence[str]) -> str:
    """Return the only name after its noun, or how many there are and the first: ``2 runs (a, b)``."""
    return f"{noun} {names[0]}" if len(names) == 1 else f"{len(names)} {noun}s ({listed(names)})"


def joined(names: Sequence[str]) -> str:
    """Return all names as text: ``a, b and c``."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def with_words(text: str, words: Mapping[str, str]) -> str:
    """Return a text with an interface's words for names in backticks; names without one stay."""
    return re.sub(r"`(\w+)`", lambda named: words.get(named[1], named[0]), text)


def other_pool(runs: str, pool_now: int) -> str:
    """Return the noun phrase for runs behind factors that are not the pool known today."""
    return f"{runs}, not the pool known now ({pool_now})"


def under_label(assessments: str | None) -> str:
    """Return an assessments label as the end of a phrase, empty for the default one and None."""
    named = assessments not in (None, DEFAULT_ASSESSMENTS)
    return f", {assessments} assessments" if named else ""


def verdict_words(verdict: str) -> str:
    """Return a verdict on drift, or the lack of one, in words."""
    return "no shared topics" if verdict == "unbridged" else verdict


def of_task(name: str | None) -> str:
    """Return which task something is of, None for no task, as a phrase."""
    return "no task" if name is None else f"task '{name}'"
