"""Printing a plan: a table with its sentences, CSV, JSON, LaTeX, or its protocol paragraph."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from cli.output import Column, count, print_table, show, talk
from cli.plan_latex import latex
from cli.plan_options import PlanFormat

if TYPE_CHECKING:
    from service.logbook.plans.plan import Plan
    from service.logbook.result import Result


def print_plan(
    plan: Plan,
    form: PlanFormat,
    *,
    only_protocol: bool = False,
    result: Result | None = None,
    above: Iterable[str] = (),
    copyable: str | None = None,
) -> None:
    """Print a plan.

    Parameters
    ----------
    result : Result, optional
        What JSON prints, if not the plan itself.
    above : iterable of str
        Sentences over the table; said on stderr, where stdout has the bare data.
    copyable : str, optional
        A command below them.
    """
    if form == "json":
        show(result or plan, "json", (), ())
        return
    from service.logbook.plans.protocol import headline

    columns = _columns(plan)
    history = plan.estimate
    left_out = (
        [each.sentence(history.pooled.rounds) for each in history.withdrawn] if history else []
    )
    remarks = [*([plan.warning] if plan.warning else []), *left_out, *plan.notes]
    if form != "table" or only_protocol:
        for line in (*above, *([f"  {copyable}"] if copyable else [])):
            talk(line)
        for line in remarks:
            talk(f"Note: {line}")
    if only_protocol:
        typer.echo(plan.protocol)
    elif form == "latex":
        typer.echo(latex(headline(plan), _rows(plan), columns))
    elif form == "csv":
        show(plan, "csv", _rows(plan), columns)
    else:
        print_table([], (), above=above)
        if copyable:
            typer.echo(f"  {copyable}")  # not wrapped, so that it can be copied
        print_table(_rows(plan), columns, above=[headline(plan)], below=_below(plan))
        _print_rounds(plan)
        print_table([], (), below=remarks)


_COLUMN = {
    "pooled": "Pooled",
    "planning": "Planning",
    "paired": "Paired",
    "conservative": "Conserv.",
    "anova": "anova",
    "tukey": "tukey",
}


def _below(plan: Plan) -> list[str]:
    """Say what each column beside is, and which design fits which experiment."""
    from service.logbook.plans.protocol import beside, fits

    lines = [f"{_COLUMN[each.name]}: {beside(each)}." for each in plan.alternatives]
    return [*lines, *fits(plan)]


def _print_rounds(plan: Plan) -> None:
    if plan.rounds:
        print_table(
            plan.rounds,
            (_ROUND, _TOPICS, _VARIANCE, *_columns_of(plan), *_POWERS),
            above=[
                "Power that each round had, with its own topics and variance; enough is"
                f" {1 - plan.beta:.10g}, by the engine {plan.engine}:"
            ],
        )
        for each in plan.rounds:
            if each.reason:
                print_table([], (), below=[f"Round {each.round}: {each.reason}"])


def _plain(field: str, heading: str, digits: int) -> Column:
    """Return a column of numbers with so many decimals, or more where those would not do."""

    def write(value: float) -> str:
        fixed = f"{value:.{digits}f}"
        return fixed if abs(float(fixed) - value) <= 1e-3 * abs(value) else f"{value:.4g}"

    return Column(field, heading, write, "right")


def _number(field: str, heading: str) -> Column:
    return Column(field, heading, lambda value: f"{value:.4f}", "right")


_ROUND = Column("round", "Round")
_TOPICS = count("topics", "Topics")
_VARIANCE = _plain("variance", "Variance", 5)
_POWERS = (
    _number("power_exact", "exact"),
    _number("power_sakai", "sakai"),
    Column("enough", "Enough", lambda enough: "yes" if enough else "no"),
)


def _columns_of(plan: Plan) -> tuple[Column, ...]:
    """Return the columns of what is given: m, where a design has it, and minD."""
    heading = "Width" if plan.design.endswith("-width") else "minD"
    m = (count("m", "m"),) if plan.m else ()
    return (*m, _plain("min_d", heading, 4 if plan.solve == "min-d" else 3))


def _columns(plan: Plan) -> tuple[Column, ...]:
    """Return what is given, solved for and achieved, both engines, and what stands beside."""
    interval = plan.design.endswith("-width")
    given = {column.field: column for column in (*_columns_of(plan), _TOPICS)}
    solved = {"topics": "topics", "min-d": "min_d", "m": "m"}.get(plan.solve)
    columns = [column for field, column in given.items() if field != solved]
    columns += [given[solved]] if solved else []
    columns += [_VARIANCE] if plan.solve == "variance" else []
    reached = _plain("width", "Expected", 4) if interval else _number("achieved_power", "Power")
    columns.append(reached)
    digits = {"topics": 0, "power": 4, "min-d": 4, "variance": 5, "m": 0}[plan.solve]
    if plan.solve == "topics":
        exact, sakai = count("topics_exact", "exact"), count("topics_sakai", "sakai")
    else:
        exact, sakai = (_plain(f"solved_{which}", which, digits) for which in ("exact", "sakai"))
    columns += [] if interval else [exact, sakai]
    prefix = "topics" if plan.solve == "topics" else "solved"
    beside = (
        _plain(f"{prefix}_{alternative.name}", _COLUMN[alternative.name], digits)
        for alternative in plan.alternatives
    )
    return (*columns, *beside)


def _rows(plan: Plan) -> list[SimpleNamespace]:
    """Return the cells with what stands beside them as fields of their own."""
    prefix = "topics" if plan.solve == "topics" else "solved"
    return [
        SimpleNamespace(
            **cell.model_dump(exclude={"beside"}),
            **{f"{prefix}_{name}": value for name, value in cell.beside.items()},
        )
        for cell in plan.cells
    ]
