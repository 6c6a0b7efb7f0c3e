"""Warnings and notes of variances and plans with the options to use, and their JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from roundbook.requests.fields import DEFAULT_ASSESSMENTS
from roundbook_cli.ways_out import with_way_out

if TYPE_CHECKING:
    from roundbook.errors import WayOut
    from roundbook.logbook.plans.plan import Plan, RoundPower
    from roundbook.logbook.variance_history import VarianceHistory, VarianceKind


def history_json(history: VarianceHistory) -> dict[str, Any]:
    """Return the JSON of a variance history, with its warning and advice."""
    printed = history.model_dump(mode="json")
    printed["pooled"]["warning"] = history_warning(history)
    return printed


def history_warning(history: VarianceHistory) -> str | None:
    """Return the warning that rounds disagree about their variances, with advice, or None."""
    from roundbook.presentation.variance_differences import disagreement

    found = disagreement(history)
    return found and _advice(found.sentence, found.way_out, plan_command(history))


def with_advice(history: VarianceHistory, lines: Iterable[str]) -> list[str]:
    """Return lines about a variance history, with the command that each gives cause for."""
    from roundbook.presentation.variance_differences import disagreement
    from roundbook.presentation.variances import unknown_teams, unknown_teams_way_out

    advice: dict[str | None, tuple[WayOut | None, list[str]]] = {}
    kinds: tuple[VarianceKind, ...] = ("two-way", "one-way")
    for kind in kinds:
        if (found := disagreement(history, kind)) is not None:
            # Where both kinds of variance disagree the advice is the same, and is given once.
            advice = {line: other for line, other in advice.items() if other[0] != found.way_out}
            advice[found.sentence] = found.way_out, plan_command(history, kind)
    advice[unknown_teams(history)] = unknown_teams_way_out(history), []
    return [_advice(line, *advice.get(line, (None, []))) for line in lines]


def plan_command(history: VarianceHistory, kind: VarianceKind = "one-way") -> list[str]:
    """Return the command that plans from a variance history, with the options known from it.

    It plans by the one-way variance, or by tukey, which takes the two-way one.
    """
    command = ["roundbook", "plan", "--task", history.task, "--measure", history.measure]
    command += ["--design", "tukey"] if kind == "two-way" else []
    command += ["--scale", history.scale] if history.scale != "raw" else []
    labels = history.mixed or [history.assessments]
    if labels != [DEFAULT_ASSESSMENTS]:
        command += [word for label in labels for word in ("--assessments", label)]
    return command + (["--pool-by", "topics"] if history.pooled.weights == "topics" else [])


# By code of the advice to plan at another limit of the variance, that limit.
_LIMITS = {"plan at the planning variance": "planning", "plan at the latest": "latest"}


def _advice(line: str, way_out: WayOut | None, command: Sequence[str] = ()) -> str:
    """Return a line with the advice on it; an option is added to a command, if any."""
    if way_out is None or way_out.code not in _LIMITS:
        return with_way_out(line, way_out)
    typed = [*command, "--variance-at", _LIMITS[way_out.code]]
    sentence = with_way_out(line, way_out._replace(facts={"typed": typed}))
    # A command is copied without a period.
    return sentence.removesuffix(".") if command else sentence


def plan_json(plan: Plan) -> dict[str, Any]:
    """Return the JSON of a plan, with its sentences and advice."""
    from roundbook.presentation import plans
    from roundbook.presentation.plan_protocol import protocol

    warned = plans.warning(plan)
    return plan.model_dump(mode="json") | {
        "estimate": None if plan.estimate is None else history_json(plan.estimate),
        "warning": warned and _advice(*warned),
        "rounds": [
            row.model_dump(exclude={"arguments"}) | {"reason": no_power(row)} for row in plan.rounds
        ],
        "notes": [_advice(*note) for note in plans.notes(plan)],
        "protocol": protocol(plan),
    }


def plan_remarks(plan: Plan) -> list[str]:
    """Return the remarks on a plan as sentences, with advice where there is any."""
    from roundbook.presentation.plans import remarks

    return [_advice(*remark) for remark in remarks(plan)]


def no_power(row: RoundPower) -> str | None:
    """Return the sentence on why a round has no power, with advice; None where it has."""
    from roundbook.presentation import plans

    why = plans.no_power(row)
    return why and with_way_out(why, plans.reason_way_out(row.reason))
