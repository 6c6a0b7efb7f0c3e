"""The reasons why a saved result is stale, as clauses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry
    from roundbook.logbook.staleness import Change

_OF_ROUND = {
    "gone": "it has none that counts any more",
    "logged": "its score matrix was logged since",
    "estimated": "its teams became known or were corrected, which its interval rests on",
    "uploaded": "further runs were logged since",
    "collection": (
        "its document collection was declared, which tells the topics that rounds share"
    ),
    "topics": (
        "topics of it were declared to have other ids, or to have none, which tells the topics that"
        " rounds share"
    ),
    "runs": "teams or systems of its runs were corrected",
    "restored": "left out as withdrawn, and counts again",
    "added": "it did not count then, and does now",
}


def change_of_round(change: Change) -> str:
    """Return the clause on how the input from a round has changed since."""
    if change.code == "corrected" and change.origin == "qrels":
        return f"its relevance assessments were corrected (revision {change.revision})"
    if change.code == "corrected":
        published = change.origin == "published_variance"
        subject = "the published value" if published else "its score matrix"
        return f"{subject} was corrected (revision {change.revision})"
    if change.code == "withdrawn":
        return f"its score matrix was withdrawn: {(change.reason or '').rstrip('.')}"
    if change.code == "refitted":
        return f"its factors were fitted anew (version {change.version})"
    return _OF_ROUND[change.code]


def change_sentence(change: Change) -> str:
    """Return the reason why a change makes a result stale, as a clause."""
    if change.code == "rule":
        return "its verdict is by an earlier rule, which took the runs for fixed"
    if change.code in ("team", "system"):
        noun, runs = change.code, change.runs
        whose = f"the {noun} of one run" if runs == 1 else f"the {noun}s of {runs} runs"
        return f"{whose} became known since"
    return f"round '{change.round}': {change_of_round(change)}"


def stale_reasons(changes: Sequence[Change]) -> list[str]:
    """Return the reasons why a result is stale, a clause for each change that makes it so."""
    # A round may be an input twice over, by its scores and by its factors.
    return list(dict.fromkeys(change_sentence(change) for change in changes if change.stale))


def added_rounds(changes: Sequence[Change]) -> list[str]:
    """Return the rounds that a result was not computed from, and would be today."""
    return [change.round for change in changes if change.of_new_round]


_ILLEGIBLE = {
    "kind": "this Roundbook has no such kind of result",
    "request": "this Roundbook cannot compute what was asked",
    "result": "this Roundbook cannot read what came out",
}


def why_stale(entry: ResultEntry) -> str | None:
    """Return the reasons why a result is stale, with its replacement; None if it is not stale."""
    if not entry.stale:
        return None
    reasons = stale_reasons(entry.changes)
    if entry.illegible is not None:
        reasons.append(_ILLEGIBLE[entry.illegible])
    if entry.replaced_by is not None:
        from roundbook.logbook.kinds import find_kind  # noqa: PLC0415  # it needs SQLAlchemy

        replacement = entry.replaced_by
        if not replacement.startswith("version "):
            replacement = f"{find_kind(entry.kind).title} '{replacement}'"
        reasons.append(f"{replacement} takes its place")
    elif not entry.renewable and entry.illegible is None:
        reasons.append("nothing is left to compute it from")
    return "; ".join(reasons)
