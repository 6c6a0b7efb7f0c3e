"""Sentences and table rows of the results that rest on a score matrix."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from roundbook.logbook.kinds import title_of
from roundbook.logbook.stored_results import is_latest
from roundbook.presentation.phrases import counted, joined
from roundbook.presentation.saved_results import result_scope, why_stale

if TYPE_CHECKING:
    from roundbook.logbook.impact import Dependent, Impact, Reason, ReasonCode

_REASONS = {
    "no factors": "which has no factors",
    "refitted": "factor version {version} was fitted since",
    "estimated": "teams became known or were corrected since; estimate {version} takes its place",
    "revision follows": "that of revision {revision} takes its place",
    "factors follow": "factor version {version} takes its place",
    "assessed anew": "computed before revision {revision} of the assessments",
    "further runs": "computed without the runs of upload {version}",
    "run gone": "its standardising run '{run}' is not in revision {revision}",
}


def scores_sentence(reason: Reason) -> str:
    """Return the reason why a score matrix does not count, as a clause."""
    why = (reason.reason or "").rstrip(".")
    if reason.code == "withdrawn":
        return f"matrix {reason.matrix} is withdrawn: {why}"
    number = "" if reason.matrix is None else f" (matrix {reason.matrix})"
    superseded = f"superseded by revision {reason.revision}{number}"
    return f"{superseded}, which is withdrawn: {why}" if why else superseded


def impact_sentences(impact: Impact) -> list[str]:
    """Return the sentences on a score matrix: whether it counts, its source, its stale results."""
    why = "it counts" if impact.reason is None else scores_sentence(impact.reason)
    resting = [dependent for dependent in impact.dependents if dependent.rests]
    lacking = len(impact.dependents) - len(resting)
    stale = sum(dependent.stale for dependent in resting)
    left = any(dependent.stale and can_be_renewed(dependent) for dependent in impact.dependents)
    nothing = "" if left or not stale else "; nothing is left to renew"
    summary = f"{counted(len(resting), 'result')} resting on it, {stale} stale{nothing}."
    if lacking:
        summary += f" {counted(lacking, 'plan')} stale for not resting on it."
    sentences = [
        f"Matrix {impact.matrix}: {impact.measure} of round '{impact.round}' of '{impact.task}',"
        f" {impact.assessments} assessments, revision {impact.revision}: {why}."
    ]
    if (source := impact.source) is not None and source.outdated:
        sentences.append(
            f"Computed from upload {source.upload} of runs and revision {source.revision} of the"
            f" assessments; the latest are upload {source.latest_upload} and revision"
            f" {source.latest_revision}, so its scores are to be computed anew."
        )
    return [*sentences, summary]


def why_dependent(dependent: Dependent) -> str | None:
    """Return the reasons why a dependent is stale, and its replacement; None if it is not stale."""
    if dependent.entry is not None:
        return why_stale(dependent.entry)
    clauses: list[str] = []
    for reason in dependent.reasons:
        if reason.code in ("superseded", "withdrawn"):
            clauses.append(scores_sentence(reason))
        elif reason.code == "no factors":
            clauses[-1:] = [f"{clauses[-1] if clauses else ''}, {_REASONS[reason.code]}"]
        else:
            clauses.append(_REASONS[reason.code].format_map(reason.model_dump()))
    return "; ".join(clauses) or None


# The columns of `dependent_row`, and their types.
DEPENDENT_TYPES = {
    **dict.fromkeys(("kind", "name", "where"), str),
    "saved_at": datetime,
    "saved_by": str,
    "stale": bool,
    "why": str,
    "rests": bool,
}


def dependent_row(dependent: Dependent) -> dict[str, Any]:
    """Return the table row of a dependent, the same in every interface."""
    entry = dependent.entry
    return {
        "kind": dependent.kind if entry is None else title_of(entry.kind),
        "name": dependent_name(dependent),
        "where": dependent_scope(dependent),
        "saved_at": dependent.saved_at,
        "saved_by": dependent.saved_by,
        "stale": dependent.stale,
        "why": why_dependent(dependent),
        "rests": dependent.rests,
    }


def can_be_renewed(dependent: Dependent) -> bool:
    """Return whether a stale dependent can be renewed: saved, computed or fitted anew."""
    entry = dependent.entry
    if entry is not None:
        return entry.renewable
    return dependent.scores is not None or dependent.refit is not None


def stale_count(dependents: Sequence[Dependent]) -> str | None:
    """Return how much is stale that has to be renewed, by kind, as a phrase; None if nothing is.

    Of a saved result only the latest version is counted.
    """
    matrices = sum(dependent.scores is not None for dependent in dependents)
    factors = sum(
        dependent.kind == "factor version" and dependent.refit is not None
        for dependent in dependents
    )
    results = sum(
        dependent.entry is not None and is_latest(dependent.entry) for dependent in dependents
    )
    parts = [
        counted(number, noun, plural)
        for number, noun, plural in (
            (matrices, "score matrix", "score matrices"),
            (factors, "factor version", None),
            (results, "saved result", None),
        )
        if number
    ]
    return joined(parts) if parts else None


def stale_lines(dependents: Sequence[Dependent]) -> list[str]:
    """Return a line for each stale dependent, with the reasons.

    Factors and variances that need nothing are counted in the last line, without the versions that
    were stale before. Of a saved result only the latest version has a line.
    """
    lines = []
    # Whose replacement is there, or is not needed, by kind and scale.
    following: dict[tuple[str, str | None], Dependent] = {}
    for dependent in dependents:
        codes = {reason.code for reason in dependent.reasons}
        if dependent.entry is None and not can_be_renewed(dependent) and codes.isdisjoint(_LOST):
            if codes.isdisjoint(_OF_EARLIER_VERSIONS):
                following[dependent.kind, dependent.scale] = dependent
        elif dependent.entry is None or is_latest(dependent.entry):
            name, scope = dependent_name(dependent), dependent_scope(dependent)
            lines.append(f"  {name} ({scope}): {why_dependent(dependent)}")
    if following:
        nouns = {"factor version": "factors", "variance estimate": "variances"}
        kinds = {kind for kind, _ in following}
        subject = " and ".join(noun for kind, noun in nouns.items() if kind in kinds)
        # Of the reasons, only withdrawals have a text.
        withdrawn = any(
            reason.reason for dependent in following.values() for reason in dependent.reasons
        )
        status = "they no longer count" if withdrawn else "computed anew, nothing is to be done"
        lines.append(f"  {subject} ({len(following)}): {status}")
    return lines


# Codes of reasons by which factors are lost, if they cannot be fitted again.
_LOST: tuple[ReasonCode, ...] = ("no factors", "run gone")
# Codes of reasons by which a version is stale as long as there is a later one of the same scores.
_OF_EARLIER_VERSIONS: tuple[ReasonCode, ...] = ("refitted", "estimated")


def dependent_name(dependent: Dependent) -> str:
    """Return the name of a dependent: a factor version, a matrix, an estimate or a saved result."""
    entry = dependent.entry
    if entry is not None:
        return f"{title_of(entry.kind)} '{entry.name}' version {entry.version}"
    if dependent.kind == "factor version":
        return f"factor version {dependent.version}"
    if dependent.scores is not None:
        return f"matrix {dependent.scores.matrix}, {dependent.scores.measure}"
    by = "" if dependent.version is None else f" by factor version {dependent.version}"
    estimate = dependent.estimate_version
    by += "" if estimate is None else f", estimate {estimate}"
    return f"{dependent.scale} variance{by}"


def dependent_scope(dependent: Dependent) -> str:
    """Return the round or rounds that a dependent is of, or else its task, as a phrase."""
    entry = dependent.entry
    return f"round '{dependent.round}'" if entry is None else result_scope(entry)
