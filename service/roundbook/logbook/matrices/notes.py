"""What is worth telling of a score matrix just logged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from roundbook.formats import RunTeam, SettledMatrix
from roundbook.logbook.factors import FittedFactors


def notes_on(settled: SettledMatrix, fitted: FittedFactors | None) -> list[str]:
    """Return what a person who logs this matrix should know of it, a sentence each."""
    notes = []
    if fitted is None:
        notes.append(
            "One run only: no standardisation factors, since the standard deviation over one run"
            " does not exist."
        )
    elif tied := [
        name for name, sd in zip(settled.topics, fitted.factors.sd.tolist(), strict=True) if sd == 0
    ]:
        treatment = "count as 0" if fitted.zero_sd == "average" else "are left out"
        notes.append(
            f"All standardising runs tie on {_listed('topic', tied)}: standardised scores there"
            f" {treatment}."
        )
    columns = {column.tobytes() for column in settled.scores.T}
    if twins := len(settled.runs) - len(columns):
        notes.append(
            f"{twins} of {len(settled.runs)} runs have the same scores as another run on every"
            " topic."
        )
    if settled.missing_cells:
        did = (
            f"topics left out: {', '.join(settled.dropped_topics)}"
            if settled.dropped_topics
            else "set to 0"
        )
        notes.append(f"Missing scores: {settled.missing_cells}; {did}.")
    return notes


def notes_on_renewed(measures: Sequence[str]) -> list[str]:
    """Return what became of variance estimates when teams became known, in a sentence.

    Parameters
    ----------
    measures : sequence of str
        One entry for each estimate that was renewed.
    """
    if not measures:
        return []
    names = ", ".join(dict.fromkeys(measures))
    count = "1 variance estimate" if len(measures) == 1 else f"{len(measures)} variance estimates"
    return [
        f"Teams of runs became known: the intervals of {count} ({names}) were estimated anew by"
        " team. What was saved on the earlier ones is stale."
    ]


def notes_on_teams(runs: Sequence[str], teams: Mapping[str, RunTeam]) -> list[str]:
    """Return which runs a team file names in vain, and which it leaves out, a sentence each."""
    if not teams:
        return []
    known = set(runs)
    notes = []
    if strange := [tag for tag in teams if tag not in known]:
        notes.append(
            f"The team file names what is not in the score files: {_listed('run', strange)}."
        )
    if left := [tag for tag in runs if tag not in teams]:
        notes.append(f"The team file says nothing of {_listed('run', left)}.")
    return notes


def _listed(noun: str, names: list[str]) -> str:
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"{noun} {shown}" if len(names) == 1 else f"{len(names)} {noun}s ({shown})"
