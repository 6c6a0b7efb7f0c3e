"""The commands that drift reports and ageing curves give cause for, and their JSON with sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from roundbook.presentation.phrases import with_words
from roundbook.presentation.terminal import command
from roundbook_cli.renewal import measure_options, refit_command

if TYPE_CHECKING:
    from roundbook.logbook.drift.report import DriftCurve, DriftReport

# By a name in backticks in a sentence on drift, the terminal's word for it.
_OPTIONS = {
    "teams": "log --teams",
    "runs": "factors fit --runs",
    "min_d": "--min-d",
    "details": "drift --details",
    "alias_topics": "topic alias",
}


def with_options(text: str) -> str:
    """Return a sentence with options in place of the names in backticks."""
    return with_words(text, _OPTIONS)


def report_text(report: DriftReport, assessments: str | None = None) -> dict[str, Any]:
    """Return the sentences and commands of a report by their JSON keys.

    Those that an earlier Roundbook saved with a report stay as they were saved. `assessments` are
    those that the user named, if any.
    """
    from roundbook.presentation.drift import sentences

    text = sentences(report)
    text["assumed"] = _declare(report, text["assumed"])
    if report.provisional and text["notes"]:
        text["notes"][-1] += (
            " To say the teams, give each round's team file, which fills in what was unknown:"
            f" {record_teams(report)}"
        )
    text["advice"] = with_options(text["advice"])
    if text["revived"]:
        text["revived"]["reason"] = with_options(text["revived"]["reason"])
    for side in ("earlier", "later"):
        if text["consequence"] and text["consequence"][side]["reason"]:
            text["consequence"][side]["reason"] = with_options(text["consequence"][side]["reason"])
    text["commands"] = next_commands(report, assessments)
    saved = report.model_extra or {}
    return text | {key: saved[key] for key in text if key in saved}


def report_json(report: DriftReport) -> dict[str, Any]:
    """Return the JSON of a report, with its sentences and commands."""
    return report.model_dump(mode="json", by_alias=True) | report_text(report)


def curve_text(curve: DriftCurve) -> dict[str, Any]:
    """Return the sentences of a curve by their JSON keys."""
    from roundbook.presentation.drift_curve import curve_sentences

    text = curve_sentences(curve)
    return text | {"assumed": _declare(curve, text["assumed"])}


def notes_with_commands(curve: DriftCurve) -> list[str]:
    """Return the notes on a curve, with the command that declares collections which are assumed."""
    from roundbook.presentation.drift import assumed
    from roundbook.presentation.drift_curve import curve_notes

    declared = {assumed(curve): curve_text(curve)["assumed"]}
    return [declared.get(note, note) for note in curve_notes(curve)]


def record_teams(report: DriftReport) -> str:
    """Return the command that records the teams of a round's runs."""
    return command("round", "teams", report.task, "ROUND", "TEAMS.csv")


def next_commands(report: DriftReport, assessments: str | None) -> list[dict[str, str]]:
    """Return the commands that follow the advice, each with its purpose."""
    from roundbook.presentation.drift_advice import near_collection

    task, first, later = report.task, report.from_round, report.to_round
    # Those that the user named are named again: the task may have others.
    named = bool(assessments)
    of_measure = measure_options(
        report.measure, assessments or report.assessments, of_several=named
    )

    def standardise(label: str, *source: str) -> str:
        return command("standardise", task, label, *of_measure, *source)

    if report.verdict == "held":
        by_first = standardise(later, "--factors-from", first)
        steps = [(f"Standardise '{later}' by the factors of '{first}'", by_first)]
    elif report.verdict == "aged":
        by_later = standardise(first, "--factors-from", later)
        steps = [
            (f"Standardise '{later}' by its own factors", standardise(later)),
            (f"Restate '{first}' by the factors of '{later}'", by_later),
        ]
    else:
        purpose = "Standardise each round by its own factors"
        steps = [(purpose, standardise(label)) for label in (first, later)]
    if (near := near_collection(report)) is not None:
        purpose = f"If '{later}' was held on '{near}' too, declare it"
        same = command("round", "set", task, later, "--collection", near, "--force")
        steps.append((purpose, same))
    if (pair := report.out_of_order) is not None and not report.backwards:
        purpose = f"Ask whether the factors of '{pair.round}', which was held first, still hold"
        rounds = ("--from", pair.round, "--to", pair.recorded_after)
        steps.append((purpose, command("drift", task, *of_measure, *rounds)))
    if (pair := report.latest_not_held_last) is not None:
        purpose = f"Compare with round '{pair.recorded_after}', which was held last"
        rounds = ("--from", first, "--to", pair.recorded_after)
        steps.append((purpose, command("drift", task, *of_measure, *rounds)))
    steps += [
        (purpose, refit_command(task, label, of_measure, runs))
        for purpose, label, runs in _fits(report)
    ]
    return [{"purpose": purpose, "command": typed} for purpose, typed in steps]


def _fits(report: DriftReport) -> Iterator[tuple[str, str, str]]:
    """Yield the fits of factors that a report gives cause for: purpose, round, and the runs.

    They are on the pool known now where factors rest on another, and for both rounds on the pool or
    for both on all runs where these are chosen differently.
    """
    from roundbook.presentation.drift import choice_note, effective_choice

    rounds = [
        (label, runs)
        for label, runs in (
            (report.from_round, report.standardising_from),
            (report.to_round, report.standardising_to),
        )
        if runs
    ]
    for label, runs in rounds:
        if (runs.pool_now or 0) > 1:
            yield f"Fit the factors of '{label}' on the pool known now", label, "pooled"
    if choice_note(report) is None:
        return
    have, alone = "Have the factors of both rounds rest on", True
    for label, runs in rounds:
        if runs.which != "pooled":
            yield f"{have} the pool, if it is known", label, "pooled"
            alone = False
    for label, runs in rounds:
        if effective_choice(runs) != "all":
            yield f"{have} all runs" if alone else "Or have both rest on all runs", label, "all"


def _declare(result: DriftReport | DriftCurve, assumed: str | None) -> str | None:
    """Return the sentence on assumed collections, with the command to declare them, or None."""
    from roundbook.presentation.drift import undeclared

    if assumed is None:
        return None
    labels = undeclared(result)
    label = labels[0] if len(labels) == 1 else "ROUND"
    grown = "Rounds whose collections only grew may be declared under one common name."
    return f"{assumed} {grown} {declare_collection(result.task, label)}"


def declare_collection(task: str, label: str) -> str:
    """Return the sentence with the command that declares a round's document collection."""
    return f"Declare it with: {command('round', 'set', task, label, '--collection', 'NAME')}"
