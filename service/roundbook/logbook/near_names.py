"""Names that a new one may be a slip for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

_LEAST_ALIKE = 0.82


def near_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that a new one is most likely a slip for, None where it is like none.

    ``roud4`` is near ``round4``. Other digits make another name, as do single letters apart from
    the rest and a last letter, which rounds are counted by: ``round5`` and ``round-b`` are not near
    ``round4`` and ``round-a``.
    """
    wanted = _folded(name)
    likeness = {
        other: _likeness(wanted, _folded(other))
        for other in known
        if other != name and _counted_by(other) == _counted_by(name)
    }
    best = max(likeness, key=likeness.__getitem__, default=None)
    if best is None or likeness[best] < _LEAST_ALIKE:
        return None
    there = _folded(best)
    if len(there) == len(wanted) and there[:-1] == wanted[:-1] and there != wanted:
        return None
    return best


def _likeness(one: str, other: str) -> float:
    # Two letters that changed places are a slip, in however short a name.
    return 1.0 if sorted(one) == sorted(other) else SequenceMatcher(None, one, other).ratio()


def _folded(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _counted_by(name: str) -> list[str]:
    return re.findall(r"[0-9]+|(?<![^\W\d_])[^\W\d_](?![^\W\d_])", name.casefold())
