"""The commands that renew what is stale, and those that fit factors on other runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import typer

from roundbook.presentation.terminal import command
from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook_cli.output import Column, print_commands, print_sentences

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.impact import Dependent
    from roundbook.logbook.matrices.listing import Scores
    from roundbook.logbook.matrices.logged import LoggedMatrix
    from roundbook.logbook.matrices.showing import ShownMatrix
    from roundbook.logbook.saved_results import ResultEntry, ShownResult
    from roundbook.logbook.teams import DescribedTeams, RefittableFactors

# Columns of saved results.
SAVED = Column("saved_at", "Saved", "{:%Y-%m-%d}".format, spare=1)
STALE = Column("stale", "Stale", lambda stale: "yes" if stale else "no")


def renewal(entry: ResultEntry) -> str | None:
    """Return the command that renews a saved result, None where nothing needs or can be renewed."""
    # A result that is not stale may have new rounds to take in.
    renewable = entry.renewable or (entry.changes and not entry.stale)
    kind = ("--kind", entry.kind) if entry.name_is_shared else ()
    return command("result", "renew", entry.name, *kind) if renewable else None


def renewal_of_task(task: str) -> str:
    """Return the command that renews every stale result of a task."""
    return command("result", "renew", task, "--stale")


def entry_json(entry: ResultEntry, fields: Collection[str] | None = None) -> dict[str, Any]:
    """Return the JSON of a saved result: its fields (by default all), staleness and renewal."""
    from roundbook.presentation.saved_results import why_stale

    named = fields or set(type(entry).model_fields) - {"result"}
    facts = entry.model_dump(mode="json", include=set(named))
    return facts | {"why": why_stale(entry), "renew": renewal(entry)}


def print_heading(saved: ShownResult, clause: str, title: str | None = None) -> None:
    """Print the heading of a saved result, why it is stale, else the clause, and what renews it."""
    from roundbook.presentation.saved_results import saved_heading, why_stale

    why = why_stale(saved)
    stands = f"Stale: {why}." if why else f"It stands: {clause}."
    print_sentences(saved_heading(saved, title), stands)
    if renewing := renewal(saved):
        typer.echo("To renew it:")
        print_commands(renewing)
    print_sentences("")


def renewal_of_dependent(dependent: Dependent) -> str | None:
    """Return the command that renews what rests on a matrix, None where none does."""
    if dependent.entry is not None:
        return renewal(dependent.entry) if dependent.entry.stale else None
    if dependent.scores is not None:
        return recompute_command(dependent.scores)
    if (refit := dependent.refit) is None:
        return None
    of_measure = measure_options(refit.measure, refit.assessments, of_several=True)
    return refit_command(refit.task, refit.round, of_measure, *refit.runs, zero_sd=refit.zero_sd)


def recompute_command(scores: Scores) -> str:
    """Return the command that computes scores from the latest runs and assessments."""
    of_measure = measure_options(scores.measure, scores.assessments)
    logging = ("log", scores.task, scores.round, "--from-runs")
    return command(*logging, *of_measure, "--revise", "REASON")


def dependent_line(dependent: Dependent) -> dict[str, Any]:
    """Return the row of a dependent for JSON and tables, with the command that renews it."""
    from roundbook.presentation.impact import dependent_row

    row = dependent_row(dependent)
    rests = row.pop("rests")
    return row | {"renew": renewal_of_dependent(dependent), "rests": rests}


def measure_options(measure: str, assessments: str, *, of_several: bool = False) -> list[str]:
    """Return the options that name a measure, and its assessments if they are others or `of_several`."""
    named = of_several or assessments != DEFAULT_ASSESSMENTS
    return ["--measure", measure, *(["--assessments", assessments] if named else [])]


def refit_command(
    task: str, label: str, of_measure: Sequence[str], *runs: str, zero_sd: str = "average"
) -> str:
    """Return the command that fits a round's factors on runs: all, the pooled ones, or by tag.

    `of_measure` are options as `measure_options` returns them.
    """
    on_runs = [word for run in runs for word in ("--runs", run)]
    ties = ["--zero-sd", zero_sd] if zero_sd != "average" else []
    return command(
        "factors", "fit", task, label, *of_measure, *on_runs, *ties, "--reason", "REASON"
    )


def refit_notes(
    of_round: LoggedMatrix | DescribedTeams,
    refittable: Sequence[RefittableFactors],
    *,
    corrected: bool = False,
) -> dict[str, str]:
    """Return the notes that factors rest on other runs than the pool, each with commands to refit them.

    `corrected` is whether another pool was known before.
    """
    from roundbook.presentation.teams import refittable_notes

    labels = Counter(factors.measure for factors in refittable)
    notes = {}
    for note, of_note in refittable_notes(refittable, corrected=corrected):
        where, runs = ("it", "pooled") if of_note[0].pool_known else ("all runs", "all")
        commands = [
            refit_command(
                of_round.task,
                of_round.round,
                measure_options(
                    factors.measure, factors.assessments, of_several=labels[factors.measure] > 1
                ),
                runs,
            )
            for factors in of_note
        ]
        alike = f"To fit them on {where}, in all rounds alike"
        if of_round.publication is not None:
            alike += (
                f" (round '{of_round.round}' is published, and its fingerprint changes with them)"
            )
        notes[note] = "\n  ".join([f"{note} {alike}:", *commands])
    return notes


def print_refit(factors: FactorSet | ShownMatrix) -> None:
    """Print the command that fits factors of pooled runs on the pool known now."""
    typer.echo("To fit factors on the pool known now:")
    of_measure = measure_options(factors.measure, factors.assessments)
    print_commands(refit_command(factors.task, factors.round, of_measure, "pooled"))


def in_one_line(notes: Iterable[str]) -> list[str]:
    """Return notes with their commands behind the sentence, not on lines of their own."""
    return [note.replace(":\n  ", ": ").replace("\n  ", "; ") for note in notes]
