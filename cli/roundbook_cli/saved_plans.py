"""Plans on the terminal, with their sentences or as data; and the printing of saved ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

import typer

from roundbook_cli.output import (
    Column,
    print_commands,
    print_json,
    print_sentences,
    print_table,
    show,
    talk,
    talk_notes,
)
from roundbook_cli.plan_advice import no_power, plan_json, plan_remarks

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.saved_results import ResultEntry, ShownResult

PlanFormat = Literal["table", "json", "csv", "latex"]

_ENTRY = ("name", "version", "versions", "task", "note", "saved_at", "saved_by", "software")
_OF_TASK = (Column("task", "Task"), Column("measure", "Measure"))
# The power of more rounds than this is printed with --details only.
_FEW_ROUNDS = 3


def print_plan(
    plan: Plan,
    form: PlanFormat,
    *,
    only_protocol: bool = False,
    details: bool = False,
    above: Iterable[str] = (),
    copyable: str | None = None,
) -> None:
    """Print a plan in any form but JSON.

    The sentences `above` it, and the command `copyable` below these, go to stderr where stdout has
    only data.
    """
    from roundbook.presentation import plans
    from roundbook.presentation.plan_protocol import protocol

    if form != "table" or only_protocol:
        for line in (*above, *([f"  {copyable}"] if copyable else [])):
            talk(line)
        talk_notes(plan_remarks(plan))
    if only_protocol:
        typer.echo(protocol(plan))
    elif form == "latex":
        typer.echo(plans.plan_latex(plan))
    elif form == "csv":
        show(plan, "csv", plans.plan_rows(plan), (*_OF_TASK, *plans.plan_columns(plan)))
    else:
        print_sentences(*above)
        if copyable:
            print_commands(copyable)
        advice, beside = plans.design_advice(plan), plans.beside(plan)
        if (fitting := plans.fits(plan)) is not None:
            runs = plans.tukey_instead(plan)
            prefer = f" {runs.capitalize()} prefer --design tukey." if runs else ""
            below = [*beside, fitting + prefer]
        elif plan.variance_at == "given":
            below = [str(advice), *beside]
        else:
            pooled = plan.variance_at == "pooled" and plan.variance_planning is not None
            limit = " --variance-at planning" if pooled else ""
            below = [f"{advice} Add: --design tukey{limit}", *beside]
        rows, columns = plans.plan_rows(plan), plans.plan_columns(plan)
        print_table(rows, columns, above=[plans.headline(plan)], below=below)
        _print_rounds(plan, details=details)
        print_sentences(*plan_remarks(plan))


def _print_rounds(plan: Plan, *, details: bool) -> None:
    from roundbook.presentation.plans import powers_heading, round_columns

    rounds = len({row.round for row in plan.rounds})
    if rounds > _FEW_ROUNDS and not details:
        print_sentences(f"The power that each of {rounds} rounds had: add --details.")
    elif plan.rounds:
        print_table(
            plan.rounds,
            round_columns(plan),
            above=[powers_heading(plan)],
            below=[f"Round {row.round}: {no_power(row)}" for row in plan.rounds if row.reason],
        )


def print_saved(
    saved: ShownResult, form: PlanFormat, *, only_protocol: bool = False, details: bool
) -> None:
    """Print a saved plan, and whether the scores it was computed from still count."""
    from roundbook.logbook.plans.plan import Plan
    from roundbook.presentation.plans import plan_changes
    from roundbook.presentation.saved_results import saved_heading, why_stale
    from roundbook_cli.renewal import renewal

    assert isinstance(saved.result, Plan)
    changes, renew = plan_changes(saved), renewal(saved)
    if form == "json":
        facts = {"illegible": saved.illegible, "renew": renew, "plan": plan_json(saved.result)}
        print_json(plan_entry(saved) | changes | facts)
        return
    above = [saved_heading(saved), *_changes(**changes), *(["To renew it:"] if renew else [])]
    if saved.illegible is not None:
        above.append(f"Stale: {why_stale(saved)}.")
    print_plan(
        saved.result,
        form,
        only_protocol=only_protocol,
        details=details,
        above=above,
        copyable=renew,
    )


def plan_entry(entry: ResultEntry) -> dict[str, Any]:
    """Return the facts of a saved plan as JSON prints them: its name, version, user and time."""
    printed = entry.model_dump(mode="json", include=set(_ENTRY))
    return {field: printed[field] for field in _ENTRY}


def _changes(stale: list[dict[str, Any]], new_rounds: list[str]) -> list[str]:
    lines = [
        f"Stale: round '{change['round']}'{_variances(change['was'], change['now'])}:"
        f" {change['why']}."
        for change in stale
    ]
    if new_rounds:
        lines.append(f"Not in it, since they did not count then: {', '.join(new_rounds)}.")
    return lines


def _variances(was: float | None, now: float | None) -> str:
    """Return the variance then and today, as a clause; empty where they are printed alike."""
    if was is None:
        return ""
    texts = [f"{value:.5g}" for value in (was, now) if value is not None]
    if not any("e" in text for text in texts):
        decimals = max(len(text.partition(".")[2]) for text in texts)
        texts = [f"{value:.{decimals}f}" for value in (was, now) if value is not None]
    if now is None:
        return f" counts with {texts[0]}"
    return "" if texts[0] == texts[1] else f" counts with {texts[0]}, and is {texts[1]} today"
