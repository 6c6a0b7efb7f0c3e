"""What the record of the simulated campaign is asked, at its release and by every later one."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from sqlalchemy import Engine
from tests.factories import (
    list_rounds,
    report_drift,
    show_factors,
    show_plan,
    show_variances,
    standardise,
)

from roundbook.presentation.factors import standardised_notes
from roundbook_cli.drift_commands import report_text
from roundbook_cli.plan_advice import history_json

_ASK = {
    "variance": show_variances,
    "factors": show_factors,
    "drift": report_drift,
    "standardise": standardise,
    "rounds": list_rounds,
    "plan": show_plan,
}


def ask(engine: Engine, question: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the record's answer to a question, as JSON has it: with its sentences."""
    return _IN_JSON.get(question, _dump)(_ASK[question](engine, **arguments))


def _dump(answer: BaseModel) -> dict[str, Any]:
    return answer.model_dump(mode="json")


# By the names of its fields: a report's ``from_round`` is ``from`` in the terminal's JSON.
_IN_JSON = {
    "variance": history_json,
    "drift": lambda report: _dump(report) | report_text(report, report.assessments),
    "standardise": lambda scores: _dump(scores) | {"notes": standardised_notes(scores)},
}


def questions() -> list[tuple[str, dict[str, Any]]]:
    """Return the questions, each with its arguments."""
    asked: list[tuple[str, dict[str, Any]]] = [
        ("rounds", {"task": "web"}),
        ("rounds", {"task": "speech"}),
        ("variance", {"task": "speech", "measure": "nDCG@10"}),
        ("variance", {"task": "speech", "measure": "nDCG@10", "scale": "std-ab"}),
        ("plan", {"name": "next web"}),
        ("plan", {"name": "next web", "version": 1}),
        ("plan", {"name": "a guess"}),
    ]
    for measure in ("nDCG@10", "P@5"):
        series = {"task": "web", "measure": measure, "assessments": "official"}
        asked += [("variance", series | {"scale": scale}) for scale in ("raw", "std-ab", "std-cdf")]
        asked += [
            ("factors", series | {"round_label": label}) for label in ("2023", "2024", "2025")
        ]
        asked += [("drift", series), ("drift", series | {"to_round": "2024"})]
    bronze = {"task": "web", "measure": "nDCG@10", "assessments": "bronze"}
    first = {"task": "web", "round_label": "2023", "measure": "nDCG@10"}
    return [
        *asked,
        ("variance", bronze),
        ("factors", bronze | {"round_label": "2024"}),
        ("factors", first | {"version": 1}),
        ("standardise", first | {"scale": "std-cdf"}),
        ("standardise", first | {"factors_from": "2023:1"}),
    ]
