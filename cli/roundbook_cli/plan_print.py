"""Printing a plan: a table with its sentences, CSV, JSON, LaTeX, or its protocol paragraph."""

from __future__ import annotations

from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import typer

from roundbook_cli.output import Column, count, print_table, show, talk
from roundbook_cli.plan_latex import latex
from roundbook_cli.plan_options import PlanFormat

if TYPE_CHECKING:
    from roundbook.logbook.plans.plan import Plan
    from roundbook.logbook.result import Result


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
    from roundbook.logbook.plans.protocol import fits, headline

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
        caption = " ".join([f"{headline(plan)}.", *_beside(plan)])
        typer.echo(latex(caption, _rows(plan), columns))
    elif form == "csv":
        show(plan, "csv", _rows(plan), columns)
    else:
        print_table([], (), above=above)
        if copyable:
            typer.echo(f"  {copyable}")  # not wrapped, so that it can be copied
        below = [*_which_size(plan), *_beside(plan), fits(plan)]
        print_table(_rows(plan), columns, above=[headline(plan)], below=below)
        _print_rounds(plan)
        print_table([], (), below=remarks)


def _which_size(plan: Plan) -> list[str]:
    """Say which of the sizes to take, first of all."""
    if plan.design != "anova" or plan.solve != "topics" or not plan.alternatives:
        return []
    return [
        "Take tukey where all runs get the same topics, as in most campaigns; for its size at the"
        " planning variance add: --design tukey --variance-at planning."
    ]


def _beside(plan: Plan) -> list[str]:
    """Say what each column beside the plan is, which has the name of an option's value."""
    from roundbook.logbook.plans.protocol import beside

    lines = [f"{other.name}: {beside(other)}." for other in plan.alternatives]
    if _upper(plan) is not None:
        lines.append(f"{_UPPER}: at {_upper(plan):.5g}, the upper end of the variance's interval.")
    return lines


_UPPER = "upper"


def _upper(plan: Plan) -> float | None:
    """Return the variance at the upper end of its interval, which plans saved earlier have."""
    upper: float | None = getattr(plan, "variance_upper", None)
    return upper


def _print_rounds(plan: Plan) -> None:
    from roundbook.logbook.plans.variance import kind_of

    if plan.rounds:
        variance = "two-way variance" if kind_of(plan) == "two-way" else "variance"
        print_table(
            plan.rounds,
            (_ROUND, _TOPICS, _VARIANCE, *_columns_of(plan), *_POWERS),
            above=[
                f"Power that each round had, with its own topics and {variance}; enough is"
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
    beside = [alternative.name for alternative in plan.alternatives]
    beside += [_UPPER] if _upper(plan) is not None else []
    return (*columns, *(_plain(f"{prefix}_{name}", name, digits) for name in beside))


def _rows(plan: Plan) -> list[SimpleNamespace]:
    """Return the cells with what stands beside them as fields of their own."""
    whole = plan.solve == "topics"
    prefix = "topics" if whole else "solved"
    rows = []
    for cell in plan.cells:
        beside = {
            f"{prefix}_{name}": int(value) if whole and value is not None else value
            for name, value in cell.beside.items()
        }
        rows.append(SimpleNamespace(**cell.model_dump(exclude={"beside"}), **beside))
    return rows
