"""The commands that fit factors on other runs, where it is said which runs standardise."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from roundbook.presentation.matrices import refittable_note

if TYPE_CHECKING:
    from roundbook.logbook.matrices.logged import LoggedMatrix
    from roundbook.logbook.teams import DescribedTeams, RefittableFactors


def refit_command(
    of_round: LoggedMatrix | DescribedTeams, measure: str, assessments: str, runs: str, reason: str
) -> str:
    """Return the command that fits a measure's factors on all runs, or the pooled ones."""
    words = ["roundbook", "factors", "fit", of_round.task, of_round.round, "--measure", measure]
    if assessments != "official":
        words += ["--assessments", assessments]
    return shlex.join([*words, "--runs", runs, "--reason", reason])


def refit_notes(
    of_round: LoggedMatrix | DescribedTeams,
    refittable: Sequence[RefittableFactors],
    *,
    corrected: bool = False,
) -> list[str]:
    """Return that factors rest on other runs than the pool, and how to fit them on it.

    `corrected` is whether another pool was known before.
    """
    if not refittable:
        return []
    reason = f"the pool is {'another one' if corrected else 'known'} now"
    commands = [
        refit_command(of_round, factors.measure, factors.assessments, "pooled", reason)
        for factors in refittable
    ]
    note = refittable_note(refittable, corrected=corrected)
    return ["\n  ".join([f"{note} To fit them on it:", *commands])]


def in_one_line(notes: Iterable[str]) -> list[str]:
    """Return notes with their commands behind the sentence, not on lines of their own."""
    return [note.replace(":\n  ", ": ").replace("\n  ", "; ") for note in notes]
