"""What rests on a score matrix, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import find_kind
from roundbook.presentation.saved_results import result_place
from roundbook.presentation.staleness import why_stale

if TYPE_CHECKING:
    from roundbook.logbook.impact import Dependent, Reason
    from roundbook.logbook.matrices.sources import Source

_REASONS = {
    "no factors": "which has no factors",
    "refitted": "factor version {version} was fitted since",
    "estimated": "teams became known or were corrected since; estimate {version} takes its place",
    "factors follow": "factor version {version} takes its place",
    "assessed anew": "computed before revision {revision} of the assessments",
    "further runs": "computed without the runs of upload {version}",
    "run gone": "its standardising run '{run}' is not in revision {revision}",
}


def scores_sentence(reason: Reason) -> str:
    """Return why a score matrix does not count, as a clause."""
    why = (reason.reason or "").rstrip(".")
    if reason.code == "withdrawn":
        return f"matrix {reason.matrix} is withdrawn: {why}"
    number = "" if reason.matrix is None else f" (matrix {reason.matrix})"
    superseded = f"superseded by revision {reason.revision}{number}"
    return f"{superseded}, which is withdrawn: {why}" if why else superseded


def source_sentences(source: Source | None) -> list[str]:
    """Return what scores were computed from, where there are later runs or assessments."""
    if source is None or not source.outdated:
        return []
    return [
        f"Computed from upload {source.upload} of runs and revision {source.revision} of the"
        f" assessments; the latest are upload {source.latest_upload} and revision"
        f" {source.latest_revision}."
    ]


def why_dependent(dependent: Dependent) -> str | None:
    """Return why a dependent is stale and what takes its place; None where it is not stale."""
    if dependent.entry is not None:
        return why_stale(dependent.entry)
    clauses: list[str] = []
    for reason in dependent.reasons:
        if reason.code in ("superseded", "withdrawn"):
            clauses.append(scores_sentence(reason))
        elif reason.code == "no factors":
            clauses[-1:] = [f"{clauses[-1] if clauses else ''}, {_REASONS[reason.code]}"]
        elif reason.code == "revision follows":
            clauses.append(f"that of revision {reason.revision} takes its place")
        else:
            clauses.append(_REASONS[reason.code].format_map(reason.model_dump()))
    return "; ".join(clauses) or None


def dependent_row(dependent: Dependent) -> dict[str, Any]:
    """Return a dependent as the rows of every door have it."""
    entry = dependent.entry
    return {
        "kind": dependent.kind if entry is None else find_kind(entry.kind).title,
        "name": dependent_name(dependent),
        "where": dependent_place(dependent),
        "saved_at": dependent.saved_at,
        "saved_by": dependent.saved_by,
        "stale": dependent.stale,
        "why": why_dependent(dependent),
        "rests": dependent.rests,
    }


def stale_lines(dependents: Sequence[Dependent]) -> list[str]:
    """Return what is stale and why, a line each."""
    return [
        f"  {dependent_name(one)} ({dependent_place(one)}): {why_dependent(one)}"
        for one in dependents
    ]


def dependent_name(dependent: Dependent) -> str:
    """Return what a dependent is: a factor version, an estimate, or a saved result by its name."""
    entry = dependent.entry
    if entry is not None:
        return f"{find_kind(entry.kind).title} '{entry.name}' version {entry.version}"
    if dependent.kind == "factor version":
        return f"factor version {dependent.version}"
    if dependent.scores is not None:
        return f"matrix {dependent.scores.matrix}, {dependent.scores.measure}"
    by = "" if dependent.version is None else f" by factor version {dependent.version}"
    estimate = dependent.estimate_version
    by += "" if estimate is None else f", estimate {estimate}"
    return f"{dependent.scale} variance{by}"


def dependent_place(dependent: Dependent) -> str:
    """Return where a dependent stands: its round, its rounds, or its task."""
    entry = dependent.entry
    if entry is None:
        return f"round '{dependent.round}'"
    return result_place(entry)
