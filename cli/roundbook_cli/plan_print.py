"""Printing a plan: a table with its sentences, CSV, JSON, LaTeX, or its protocol paragraph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import typer

from roundbook_cli.output import print_table, show, talk
from roundbook_cli.plan_options import PlanFormat

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan


def print_plan(
    plan: Plan,
    form: PlanFormat,
    *,
    only_protocol: bool = False,
    above: Iterable[str] = (),
    copyable: str | None = None,
) -> None:
    """Print a plan, unless as JSON.

    Parameters
    ----------
    above : iterable of str
        Sentences over the table; said on stderr, where stdout has the bare data.
    copyable : str, optional
        A command below them.
    """
    from roundbook.presentation.plan_protocol import protocol
    from roundbook.presentation.plan_table import beside, plan_columns, plan_latex, plan_rows
    from roundbook.presentation.plans import fits, headline, remarks

    if form != "table" or only_protocol:
        for line in (*above, *([f"  {copyable}"] if copyable else [])):
            talk(line)
        for line in remarks(plan):
            talk(f"Note: {line}")
    if only_protocol:
        typer.echo(protocol(plan))
    elif form == "latex":
        typer.echo(plan_latex(plan))
    elif form == "csv":
        show(plan, "csv", plan_rows(plan), plan_columns(plan))
    else:
        print_table([], (), above=above)
        if copyable:
            typer.echo(f"  {copyable}")  # not wrapped, so that it can be copied
        below = [*_which_size(plan), *beside(plan), fits(plan)]
        print_table(plan_rows(plan), plan_columns(plan), above=[headline(plan)], below=below)
        _print_rounds(plan)
        print_table([], (), below=remarks(plan))


def _which_size(plan: Plan) -> list[str]:
    """Return which of the sizes to take, first of all."""
    if plan.design != "anova" or plan.solve != "topics" or not plan.alternatives:
        return []
    return [
        "Take tukey where all runs get the same topics, as in most campaigns; for its size at the"
        " planning variance add: --design tukey --variance-at planning."
    ]


def _print_rounds(plan: Plan) -> None:
    from roundbook.presentation.plan_table import round_columns
    from roundbook.presentation.plans import no_power, powers_heading

    if plan.rounds:
        print_table(
            plan.rounds,
            round_columns(plan),
            above=[powers_heading(plan)],
            below=[f"Round {row.round}: {no_power(row)}" for row in plan.rounds if row.reason],
        )
