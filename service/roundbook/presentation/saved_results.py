"""Saved results in sentences: in one line, and why they are stale.

The line of each kind is in a module of its own, such as ``saved_plans``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import KINDS, find_kind
from roundbook.presentation.column_types import types_of
from roundbook.presentation.phrases import of_task, under_label

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry
    from roundbook.logbook.staleness import Change


def saved_heading(entry: ResultEntry, title: str | None = None) -> str:
    """Return the heading of a saved result: title or name, day, user, software and note."""
    title = title or (
        f"{entry.kind.capitalize()} '{entry.name}', version {entry.version} of {entry.versions}"
    )
    note = f" Note: {entry.note}" if entry.note else ""
    return (
        f"{title}, saved {entry.saved_at:%Y-%m-%d} by {entry.saved_by} with {entry.software}.{note}"
    )


_IN_ROWS = ("kind", "name", "version", "task", "saved_at", "saved_by", "stale")


def entry_types() -> dict[str, type]:
    """Return the types of the columns of `entry_row`."""
    from roundbook.logbook.saved_results import ResultEntry  # noqa: PLC0415

    types = types_of(ResultEntry)
    return {name: types[name] for name in _IN_ROWS} | {"why": str, "note": str}


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
    sentence = _of_kind(entry.kind, "brief_sentence")(entry.brief)
    return sentence + under_label(entry.brief.get("assessments"))


def _of_kind(kind: str, name: str) -> Callable[[Any], str]:
    """Return a function of the module that has the phrases of a kind."""
    function: Callable[[Any], str] = resolve_name(
        f"roundbook.presentation.saved_{KINDS[kind]}:{name}"
    )
    return function


def other_question(version: int, asked_before: Mapping[str, Any]) -> str | None:
    """Return the sentence on what the version before asked otherwise; None where it did not."""
    if not asked_before:
        return None
    options = []
    for name, value in asked_before.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
        options.append(f"{name.replace('_', ' ')} {text}")
    return f"Version {version - 1} was of another question: {', '.join(options)}."


def result_scope(entry: ResultEntry) -> str:
    """Return the rounds that a saved result is of, or else its task, as a phrase."""
    if not entry.brief:
        return of_task(entry.task)
    return _of_kind(entry.kind, "scope")(entry)


_OF_ROUND = {
    "gone": "it has none that counts any more",
    "logged": "its score matrix was logged since",
    "estimated": "its teams became known or were corrected, which its interval rests on",
    "uploaded": "further runs were logged since",
    "collection": (
        "its document collection was declared or taken back, which tells the topics that rounds"
        " share"
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
        replacement = entry.replaced_by
        if not replacement.startswith("version "):
            replacement = f"{find_kind(entry.kind).title} '{replacement}'"
        reasons.append(f"{replacement} takes its place")
    elif not entry.renewable and entry.illegible is None:
        reasons.append("nothing is left to compute it from")
    return "; ".join(reasons)


def job_sentence(job: Any) -> str:  # noqa: ANN401
    """Return the state of a job as a sentence: its progress, its result or its error."""
    about = f"Job {job.job}: {job.study} of {job.task}"
    if job.status == "done":
        other = other_question(job.version, job.asked_before)
        done = f"{about} is {job.saved}: '{job.result}', version {job.version}."
        return f"{done} {other}" if other else done
    if job.status == "failed":
        return f"{about} failed. {job.error}"
    if job.status == "cancelled":
        return f"{about} is cancelled; nothing is saved."
    if job.status == "waiting" or job.stopping:
        return f"{about} is {'being stopped' if job.stopping else 'waiting for a worker'}."
    if not job.part:
        return f"{about} is begun."
    left = f", about {job.seconds_left:.0f} s left" if job.seconds_left else ""
    return f"{about} is running. {job.part}: {job.done:,} of {job.total:,}{left}."
