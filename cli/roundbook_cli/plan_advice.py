"""Warnings and notes of variances and plans with the options to use, and their JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from roundbook_cli.ways_out import with_way_out

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan, RoundPower
    from roundbook.logbook.variance_history import VarianceHistory


def history_json(history: VarianceHistory) -> dict[str, Any]:
    """Return the JSON of a variance history, with its warning and advice."""
    printed = history.model_dump(mode="json")
    printed["pooled"]["warning"] = history_warning(history)
    return printed


def history_warning(history: VarianceHistory) -> str | None:
    """Return the warning that rounds disagree about their variances, with advice, or None."""
    from roundbook.presentation.variances import disagreement, disagreement_way_out

    warning = disagreement(history)
    return warning and with_way_out(warning, disagreement_way_out(history))


def advised(history: VarianceHistory, lines: Iterable[str]) -> list[str]:
    """Return lines about a variance history, with advice after warnings that rounds disagree."""
    from roundbook.presentation.variances import disagreement, disagreement_way_out

    advice = {}
    for two_way in (False, True):
        if warning := disagreement(history, two_way=two_way):
            way_out = disagreement_way_out(history, two_way=two_way)
            advice[warning] = with_way_out(warning, way_out)
    return [advice.get(line, line) for line in lines]


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the JSON of a plan, with its sentences and advice."""
    from roundbook.presentation.plan_protocol import protocol

    return plan.model_dump(mode="json") | {
        "estimate": None if plan.estimate is None else history_json(plan.estimate),
        "warning": plan_warning(plan),
        "rounds": [
            row.model_dump(exclude={"arguments"}) | {"reason": no_power(row)} for row in plan.rounds
        ],
        "notes": plan_notes(plan),
        "protocol": protocol(plan),
    }


def plan_remarks(plan: Plan) -> list[str]:
    """Return the remarks on a plan: its warning, the rounds left out and its notes."""
    from roundbook.presentation.plans import withdrawn_notes

    warning = plan_warning(plan)
    return [*([warning] if warning else []), *withdrawn_notes(plan), *plan_notes(plan)]


def plan_warning(plan: Plan) -> str | None:
    """Return the warning that the rounds of a plan disagree, with advice; None if they do not."""
    from roundbook.presentation.plans import warning, warning_way_out

    disagreeing = warning(plan)
    return disagreeing and with_way_out(disagreeing, warning_way_out(plan))


def plan_notes(plan: Plan) -> list[str]:
    """Return a plan's notes as sentences, with advice where there is any."""
    from roundbook.presentation.plans import note_way_out, notes

    pairs = zip(notes(plan), plan.notes, strict=True)
    return [with_way_out(sentence, note_way_out(plan, note)) for sentence, note in pairs]


def no_power(row: RoundPower) -> str | None:
    """Return the sentence on why a round has no power, with advice; None where it has."""
    from roundbook.presentation import plans

    why = plans.no_power(row)
    return why and with_way_out(why, plans.no_power_way_out(row))
