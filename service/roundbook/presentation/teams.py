"""What a team file changed about the runs of a round, in phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.phrases import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roundbook.logbook.runs.recorded_runs import RunChange
    from roundbook.logbook.teams import DescribedTeams

_FACTS = {
    "team": "team",
    "type": "type",
    "contributed_to_pool": "in the pool",
    "system": "system",
}
_ANSWERS: dict[str | bool | None, str] = {True: "yes", False: "no", None: "unknown"}


def described_phrase(described: DescribedTeams) -> str:
    """Return the numbers of runs that a team file corrected and filled in, as a phrase."""
    corrected = len(corrections(described.changes))
    filled_in = len({change.run for change in described.changes if change.was is None})
    parts = [f"corrected {corrected}"] if corrected else []
    parts += [f"told something new of {filled_in}"] if filled_in else []
    return f"{' and '.join(parts) or 'nothing new'} of its {counted(described.runs, 'run')}"


def corrections(changes: Sequence[RunChange]) -> dict[str, str]:
    """Return the corrected facts of each corrected run as text, ``team: A → B``, by run."""
    lines: dict[str, list[str]] = {}
    for change in changes:
        if change.was is not None:
            was, now = (_ANSWERS.get(value, value) for value in (change.was, change.now))
            lines.setdefault(change.run, []).append(f"{_FACTS[change.fact]}: {was} → {now}")
    return {run: "; ".join(parts) for run, parts in lines.items()}
