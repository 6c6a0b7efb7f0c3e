"""Printing: results to stdout as a table, JSON or CSV; talk and progress to stderr."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from roundbook.presentation.tables import Column, count, number, signed
from roundbook_cli.options import Format

if TYPE_CHECKING:
    from rich.console import Console

    from roundbook.logbook.result import Result

__all__ = ["Column", "count", "number", "signed"]


def show(
    result: Result,
    form: Format,
    rows: Sequence[Any],
    columns: Sequence[Column],
    *,
    above: Iterable[str] = (),
    below: Iterable[str] = (),
    extra: Mapping[str, Any] | None = None,
    without: Iterable[str] = (),
) -> None:
    """Print a result.

    Parameters
    ----------
    rows, columns
        What of it is a table; CSV has the same columns, headed by the fields, numbers in full.
    above, below
        Sentences around the table.
    extra : mapping, optional
        What JSON has besides, or instead: sentences and commands, which no result holds.
    without : iterable of str
        The result's fields that JSON then leaves out.
    """
    if form == "json":
        if extra is None:
            typer.echo(result.model_dump_json(indent=2, by_alias=True))
        else:
            facts = result.model_dump(mode="json", by_alias=True, exclude=set(without))
            print_json(facts | dict(extra))
        return
    if form == "csv":
        print_csv(
            [column.field for column in columns],
            ([_plain(column, getattr(row, column.field)) for column in columns] for row in rows),
        )
        return
    print_table(rows, columns, above=above, below=below)


def print_json(printed: Mapping[str, Any]) -> None:
    """Print an object of JSON."""
    typer.echo(json.dumps(printed, indent=2, ensure_ascii=False))


def print_table(
    rows: Sequence[Any],
    columns: Sequence[Column],
    *,
    above: Iterable[str] = (),
    below: Iterable[str] = (),
) -> None:
    """Print a table, if it has rows, between sentences."""
    console = terminal()
    for line in above:
        console.print(line)
    if rows:
        table = _table(rows, columns)
        # A number that does not fit would be cut off unmarked: rather let the terminal wrap.
        unbounded = console.options.update(max_width=10_000)
        needed = console.measure(table, options=unbounded).minimum
        console.width = max(console.width, needed)
        console.print(table)
    for line in below:
        console.print(line)


def section(*above: str, rows: Sequence[Any] = (), columns: Sequence[Column] = ()) -> None:
    """Print a table, if it has rows, below an empty line and sentences."""
    print_table(rows, columns, above=["", *above])


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV on stdout."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: 1 topic, 2 topics."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def talk(line: str) -> None:
    """Say something to the person, on stderr."""
    typer.echo(line, err=True)


def terminal(*, talk: bool = False) -> Console:
    """Return the console of stdout (or of stderr), which marks up nothing a user wrote."""
    from rich.console import Console

    stream = sys.stderr if talk else sys.stdout
    # Without a terminal there is no width to fit: a line is as long as it is.
    width = None if stream.isatty() else 200
    return Console(
        file=stream, width=width, markup=False, highlight=False, emoji=False, soft_wrap=False
    )


def _table(rows: Sequence[Any], columns: Sequence[Column]) -> Any:  # noqa: ANN401
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    cells = [[_written(column, getattr(row, column.field)) for column in columns] for row in rows]
    for place, column in enumerate(columns):
        numeric = column.justify == "right"
        longest = max(len(row[place]) for row in cells)
        table.add_column(
            column.heading,
            justify="right" if numeric else "left",
            no_wrap=numeric,
            overflow="fold",
            min_width=longest if numeric else min(6, longest),
        )
    for row in cells:
        table.add_row(*row)
    return table


def _written(column: Column, value: Any) -> str:  # noqa: ANN401
    return "-" if value is None else column.write(value)


def _plain(column: Column, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return column.write(value) if isinstance(value, list) else value
