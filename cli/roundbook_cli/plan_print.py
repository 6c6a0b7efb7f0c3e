"""Printing a plan: a table with its sentences, CSV, JSON, LaTeX, or its protocol paragraph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from roundbook_cli.output import Column, print_commands, print_table, show, talk, talk_notes
from roundbook_cli.plan_advice import no_power, plan_remarks
from roundbook_cli.plan_options import PlanFormat

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan

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

    Parameters
    ----------
    details : bool
        Print the power that earlier rounds had, however many they are.
    above : iterable of str
        Sentences above the table; they go to stderr where stdout has only data.
    copyable : str, optional
        A command below them.
    """
    from roundbook.presentation.plan_protocol import protocol
    from roundbook.presentation.plans import (
        beside,
        design_advice,
        fits,
        headline,
        plan_columns,
        plan_latex,
        plan_rows,
        tukey_instead,
    )

    if form != "table" or only_protocol:
        for line in (*above, *([f"  {copyable}"] if copyable else [])):
            talk(line)
        talk_notes(plan_remarks(plan))
    if only_protocol:
        typer.echo(protocol(plan))
    elif form == "latex":
        typer.echo(plan_latex(plan))
    elif form == "csv":
        show(plan, "csv", plan_rows(plan), (*_OF_TASK, *plan_columns(plan)))
    else:
        print_table([], (), above=above)
        if copyable:
            print_commands(copyable)
        design, fitting, runs = design_advice(plan), fits(plan), tukey_instead(plan)
        if fitting is None:
            below = [" ".join(filter(None, [design, _add_tukey(plan)])), *beside(plan)]
        else:
            prefer = f" {runs.capitalize()} prefer --design tukey." if runs else ""
            below = [*beside(plan), fitting + prefer]
        print_table(plan_rows(plan), plan_columns(plan), above=[headline(plan)], below=below)
        _print_rounds(plan, details=details)
        print_table([], (), below=plan_remarks(plan))


def _add_tukey(plan: Plan) -> str | None:
    """Return the options that plan by tukey at the planning variance, None at a given variance."""
    if plan.variance_at == "given":
        return None
    pooled = plan.variance_at == "pooled" and plan.variance_planning is not None
    return f"Add: --design tukey{' --variance-at planning' if pooled else ''}"


def _print_rounds(plan: Plan, *, details: bool) -> None:
    from roundbook.presentation.plans import powers_heading, round_columns

    rounds = len({row.round for row in plan.rounds})
    if rounds > _FEW_ROUNDS and not details:
        print_table([], (), below=[f"The power that each of {rounds} rounds had: add --details."])
    elif plan.rounds:
        print_table(
            plan.rounds,
            round_columns(plan),
            above=[powers_heading(plan)],
            below=[f"Round {row.round}: {no_power(row)}" for row in plan.rounds if row.reason],
        )
