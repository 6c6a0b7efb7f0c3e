"""Previews of scores, runs or assessments before they are logged: the facts read from a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from roundbook.presentation.phrases import counted
from roundbook.presentation.tables import fixed
from roundbook.requests.fields import VarianceScale

if TYPE_CHECKING:
    from roundbook.formats.text import StoredFile
    from roundbook.logbook.matrices.logged import LoggedMatrix
    from roundbook.logbook.runs.assessing import LoggedQrels
    from roundbook.logbook.runs.log_runs import LoggedRuns

_NAMED = 4


def score_file_facts(
    logged: LoggedMatrix, topics: Sequence[str], runs: Sequence[str]
) -> dict[str, str]:
    """Return the facts read from a score file, by label such as ``Measure`` or ``Topics``."""
    variances = ", ".join(
        f"{fixed(logged.variances[scale], 5)} {scale}"
        for scale in get_args(VarianceScale)
        if scale in logged.variances
    )
    facts = {
        "Measure": f"{logged.measure}, {logged.assessments} assessments",
        "Layout": logged.layout,
        "Topics": f"{logged.topics}: {names(topics)}",
        "Runs": f"{logged.runs}: {names(runs)}",
        "Missing scores": _missing(logged),
        "Variance": variances,
    }
    return facts | {"Revision": _revision(logged, "scores")}


def run_file_facts(logged: LoggedRuns, runs: Sequence[str]) -> dict[str, str]:
    """Return the facts read from run files, by label; `runs` are the runs that are new."""
    facts = {"Files": _files(logged.files)}
    if logged.status == "unchanged":
        return {"Runs": f"{logged.unchanged_runs}, with these very lists"} | facts
    return {
        "Runs": f"{logged.runs}: {names(runs)}",
        "Topics": f"{logged.topics}",
        "Documents": f"{logged.documents:,} in {logged.lists:,} lists, the longest of"
        f" {logged.longest_list:,}; {logged.new_documents:,} documents are new to the round",
    } | facts


def qrels_file_facts(logged: LoggedQrels) -> dict[str, str]:
    """Return the facts read from relevance assessments, by label."""
    return {
        "Assessments": logged.assessments,
        "Topics": f"{logged.topics}",
        "Judgments": f"{logged.judged:,}, of which {logged.relevant:,} relevant",
        "Documents": f"{logged.new_documents:,} are new to the round",
        "Files": _files(logged.files),
        "Revision": _revision(logged, "judgments"),
    }


def _revision(logged: LoggedMatrix | LoggedQrels, noun: str) -> str:
    if logged.status == "unchanged":
        return f"{logged.revision}, with these very {noun}"
    replaces = f", in place of {logged.revision - 1}" if logged.revision > 1 else ""
    return f"{logged.revision}{replaces}"


def _files(files: Sequence[StoredFile]) -> str:
    listed = names([f"{file.file} ({file.size:,} bytes)" for file in files])
    return listed if len(files) == 1 else f"{len(files)}: {listed}"


def near_note(noun: str, name: str, near: str) -> str:
    """Return the question whether a new name is a slip for a near one."""
    return f"The {noun} {name} is new. Did you mean {near}?"


def names(listed: Sequence[str]) -> str:
    """Return the first names and the last as text."""
    if len(listed) <= _NAMED + 1:
        return ", ".join(listed)
    return f"{', '.join(listed[:_NAMED])}, … {listed[-1]}"


def _missing(logged: LoggedMatrix) -> str:
    if not logged.missing_cells:
        return "none"
    dropped = len(logged.dropped_topics)
    how = f"{counted(dropped, 'topic')} left out" if dropped else "counted as 0"
    return f"{logged.missing_cells}, {how}"
