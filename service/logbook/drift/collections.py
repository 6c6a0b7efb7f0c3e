"""Whether two rounds were held on the same document collection.

A topic of the same name on other documents is another topic, and no bridge.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence


def collections_differ(first: str | None, second: str | None) -> bool:
    """Return whether two rounds declare different collections, whatever their capitals."""
    return first is not None and second is not None and first.casefold() != second.casefold()


def assumed(task: str, rounds: Sequence[tuple[str, str | None]]) -> str | None:
    """Say what had to be assumed of the rounds' collections; None if all declare theirs.

    Parameters
    ----------
    rounds : sequence of (label, collection)
    """
    undeclared = [label for label, collection in rounds if collection is None]
    if not undeclared:
        return None
    declared = {collection for _, collection in rounds if collection is not None}
    where = "the same document collection"
    if len(declared) == 1:
        where = f"the document collection '{declared.pop()}' too"
    which = shlex.quote(undeclared[0]) if len(undeclared) == 1 else "ROUND"
    return (
        f"Assumed: {_held(undeclared)} on {where}, since none is declared. Declare it with:"
        f" roundbook round set {shlex.quote(task)} {which} --collection NAME"
    )


def _held(labels: list[str]) -> str:
    if len(labels) == 1:
        return f"round '{labels[0]}' was held"
    if len(labels) > 3:
        return f"{len(labels)} rounds were held"
    named = [f"'{label}'" for label in labels]
    return f"rounds {', '.join(named[:-1])} and {named[-1]} were held"
