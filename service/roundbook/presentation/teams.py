"""Sentences on runs' teams: notes on a team file, and on what rests on other teams than known now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.phrases import counted, counted_names, listed, named

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.matrices.logged import LoggedMatrix, Remarks
    from roundbook.logbook.teams import DescribedTeams, RefittableFactors


def team_file_notes(about: Remarks | DescribedTeams, where: str) -> list[str]:
    """Return the notes on a team file: new teams, runs not in `where`, runs it lacks, unread columns."""
    notes = []
    if about.new_teams:
        notes.append(
            f"No other round of the task has {named('team', about.new_teams)}: new or mistyped."
        )
    if about.unknown_runs:
        runs = counted_names("run", about.unknown_runs)
        notes.append(
            f"The team file names what is not in {where}: {runs}. Check that it is of this round; if"
            " it is not, the right one, with the same columns and a reason (round teams), takes back what"
            " it filled in."
        )
    if about.undescribed_runs:
        notes.append(
            f"The team file says nothing of {counted_names('run', about.undescribed_runs)}."
        )
    if about.unread_columns:
        notes.append(
            f"Columns of the team file that are not read: {listed(about.unread_columns)}. Beside run"
            " and team it may have type, contributed_to_pool and system."
        )
    return notes


def team_file_news(logged: LoggedMatrix) -> str | None:
    """Return the note that only the team file of scores has something new; None where it has not."""
    if logged.status != "unchanged" or not logged.runs_described:
        return None
    tells = "tells" if logged.dry_run else "told"
    return f"The team file {tells} something new of {counted(logged.runs_described, 'run')}."


def renewed_note(
    renewed: Sequence[str], *, corrected: bool = False, dry_run: bool = False
) -> str | None:
    """Return the note that variances were estimated anew as teams became known; None if none were.

    `renewed` has the measure of each new estimate.
    """
    if not renewed:
        return None
    measures = ", ".join(dict.fromkeys(renewed))
    intervals = f"the intervals of {counted(len(renewed), 'variance estimate')} ({measures})"
    if dry_run:
        change = "be corrected" if corrected else "become known"
        return (
            f"Teams of runs would {change}: {intervals} would be estimated anew by team. Any result"
            " saved on the earlier ones would be stale."
        )
    change = "were corrected" if corrected else "became known"
    return (
        f"Teams of runs {change}: {intervals} were estimated anew by team. Any result saved on the"
        " earlier ones is stale."
    )


def refittable_notes(
    refittable: Sequence[RefittableFactors], *, corrected: bool = False
) -> list[tuple[str, list[RefittableFactors]]]:
    """Return the notes that factors rest on other runs than the pool known now, with these factors.

    Factors for which the pool is known and those for which it is not have a note each. `corrected`
    is whether another pool was known before.
    """
    notes = []
    if known := [factors for factors in refittable if factors.pool_known]:
        all_runs = all(factors.standardising_runs == factors.runs for factors in known)
        pool = "another one" if corrected else "known"
        note = (
            f"The pool is {pool} now: {known[0].contributed} of {known[0].runs} runs contributed. The"
            f" factors of {_measures(known)} still rest on {'all' if all_runs else 'other'} runs."
        )
        notes.append((note, known))
    if unknown := [factors for factors in refittable if not factors.pool_known]:
        note = (
            f"The factors of {_measures(unknown)} rest on runs of which it is not known any more"
            " whether they contributed to the pool."
        )
        notes.append((note, unknown))
    return notes


def _measures(refittable: Sequence[RefittableFactors]) -> str:
    return ", ".join(dict.fromkeys(factors.measure for factors in refittable))
