"""The advice of drift reports and ageing curves as commands, and their JSON with sentences."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from roundbook_cli.renewal import command, measure_options, refit_command

if TYPE_CHECKING:
    from roundbook.logbook.drift.assessment import StandardisingRuns
    from roundbook.logbook.drift.report import DriftCurve, DriftReport

# By a name in backticks in a sentence, the terminal's word for it.
_OPTIONS = {
    "teams": "log --teams",
    "runs": "factors fit --runs",
    "min_d": "--min-d",
    "details": "drift --details",
    "alias_topics": "topic alias",
}


def with_options(text: str) -> str:
    """Return a sentence with options in place of the names in backticks."""
    return re.sub(r"`(\w+)`", lambda named: _OPTIONS.get(named[1], named[0]), text)


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


def record_teams(report: DriftReport) -> str:
    """Return the command that records the teams of a round's runs."""
    return command("round", "teams", report.task, "ROUND", "TEAMS.csv")


def next_commands(report: DriftReport, assessments: str | None) -> list[dict[str, str]]:
    """Return the commands that follow the advice, each with its purpose."""
    task, first, later = report.task, report.from_round, report.to_round
    # Those that the user named are named again: the task may have others.
    named = bool(assessments)
    of_measure = measure_options(
        report.measure, assessments or report.assessments, of_several=named
    )

    def standardise(purpose: str, label: str, by: str | None = None) -> dict[str, str]:
        source = ["--factors-from", by] if by else []
        typed = command("standardise", task, label, *of_measure, *source)
        return {"purpose": purpose, "command": typed}

    chosen = [
        *_in_order_held(report, of_measure),
        *_fit_on_pool(report, of_measure),
        *_fit_alike(report, of_measure),
    ]
    if report.verdict == "held":
        return [
            standardise(f"Standardise '{later}' by the factors of '{first}'", later, first),
            *chosen,
        ]
    if report.verdict == "aged":
        return [
            standardise(f"Standardise '{later}' by its own factors", later),
            standardise(f"Restate '{first}' by the factors of '{later}'", first, later),
            *chosen,
        ]
    purpose = "Standardise each round by its own factors"
    return [standardise(purpose, first), standardise(purpose, later), *chosen]


def _in_order_held(report: DriftReport, of_measure: list[str]) -> list[dict[str, str]]:
    """Return the command that compares the rounds in the order in which they were held."""
    pair = report.out_of_order
    if pair is None or report.backwards:
        return []
    rounds = ["--from", pair.round, "--to", pair.recorded_after]
    return [
        {
            "purpose": f"Ask whether the factors of '{pair.round}', which was held first, still hold",
            "command": command("drift", report.task, *of_measure, *rounds),
        }
    ]


def _fit_on_pool(report: DriftReport, of_measure: list[str]) -> list[dict[str, str]]:
    """Return the commands that fit factors on the pool known now, where they rest on another."""
    return [
        {
            "purpose": f"Fit the factors of '{label}' on the pool known now",
            "command": refit_command(report.task, label, of_measure, "pooled"),
        }
        for label, runs in _standardising(report)
        if (runs.pool_now or 0) > 1
    ]


def _fit_alike(report: DriftReport, of_measure: list[str]) -> list[dict[str, str]]:
    """Return the commands that fit both rounds' factors on the pool, or both on all runs.

    There are none if they are chosen alike.
    """
    from roundbook.presentation.drift import choice_note, effective_choice

    if choice_note(report) is None:
        return []
    on_pool = [label for label, runs in _standardising(report) if runs.which != "pooled"]
    on_all = [label for label, runs in _standardising(report) if effective_choice(runs) != "all"]
    have = "Have the factors of both rounds rest on"
    return [
        {"purpose": purpose, "command": refit_command(report.task, label, of_measure, choice)}
        for purpose, choice, labels in (
            (f"{have} the pool, if it is known", "pooled", on_pool),
            ("Or have both rest on all runs" if on_pool else f"{have} all runs", "all", on_all),
        )
        for label in labels
    ]


def _standardising(report: DriftReport) -> list[tuple[str, StandardisingRuns]]:
    """Return both rounds with the runs that their factors rest on, where they are known."""
    rounds = (
        (report.from_round, report.standardising_from),
        (report.to_round, report.standardising_to),
    )
    return [(label, runs) for label, runs in rounds if runs]


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
