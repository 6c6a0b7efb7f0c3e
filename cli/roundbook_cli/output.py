"""Printing: results to stdout as a table, JSON or CSV; talk and progress to stderr."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from pydantic import BaseModel

from roundbook.csv_names import write_csv
from roundbook.presentation.phrases import counted
from roundbook.presentation.tables import Column, count, number, signed
from roundbook_cli.options import Format
from roundbook_cli.table_layout import lay_out, visible, wrap_sentence

if TYPE_CHECKING:
    from roundbook.logbook.result import Result

__all__ = ["Column", "count", "counted", "number", "signed"]

# Marks that can steer a terminal.
_STEERING = re.compile("[\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def show(
    result: Result,
    form: Format,
    rows: Sequence[Any],
    columns: Sequence[Column],
    *,
    above: Iterable[str] = (),
    below: Iterable[str] = (),
    empty: str | None = None,
    extra: Mapping[str, Any] | None = None,
    without: Iterable[str] = (),
) -> None:
    """Print a result.

    Parameters
    ----------
    rows, columns
        The table; CSV has the same columns, headed by the fields, with numbers in full.
    above, below
        Sentences around the table.
    empty : str, optional
        The first sentence below, where the table has no rows.
    extra : mapping, optional
        Further or replacing fields of JSON: sentences and commands, which no result holds.
    without : iterable of str
        The result's fields that JSON then leaves out.
    """
    if form == "json":
        if extra is None:
            _echo_json(result.model_dump_json(indent=2, by_alias=True))
        else:
            facts = result.model_dump(mode="json", by_alias=True, exclude=set(without))
            print_json(facts | dict(extra))
        return
    if form == "csv":
        print_csv(
            [column.key or column.field for column in columns],
            ([_plain(column, getattr(row, column.field)) for column in columns] for row in rows),
        )
        return
    none = [empty] if empty is not None and not rows else []
    print_table(rows, columns, above=above, below=[*none, *below])


def print_json(printed: Mapping[str, Any]) -> None:
    """Print an object of JSON."""
    _echo_json(json.dumps(printed, indent=2, ensure_ascii=False))


def _echo_json(text: str) -> None:
    # JSON itself escapes the other control characters, and these stand only within its texts.
    typer.echo(_STEERING.sub(lambda mark: f"\\u{ord(mark[0]):04x}", text))


def print_table(
    rows: Sequence[Any],
    columns: Sequence[Column],
    *,
    above: Iterable[str] = (),
    below: Iterable[str] = (),
    alike: Sequence[Any] = (),
) -> None:
    """Print a table, if it has rows, between sentences; see `lay_out` for one that is too wide."""
    terminal = sys.stdout.isatty()
    # Without a terminal there is no width to fit: a line is as long as it is.
    width = shutil.get_terminal_size().columns if terminal else 200
    lines = [line for sentence in above for line in wrap_sentence(visible(sentence), width)]
    if rows:
        lines += lay_out(rows, columns, width, complete=not terminal, alike=alike)
    lines += [line for sentence in below for line in wrap_sentence(visible(sentence), width)]
    plain = not str(sys.stdout.encoding).lower().startswith("utf")
    for line in lines:
        # Other encodings may lack the character of the line below the headings.
        typer.echo("-" * len(line) if plain and not line.strip("─") else line)


def print_sentences(*sentences: str) -> None:
    """Print sentences, each from the beginning of a line; see `section`."""
    print_table([], (), above=sentences)


def section(
    *above: str,
    rows: Sequence[Any] = (),
    columns: Sequence[Column] = (),
    below: Iterable[str] = (),
    alike: Sequence[Any] = (),
) -> None:
    """Print an empty line and a table, if it has rows, between sentences; see `print_table`."""
    print_table(rows, columns, above=["", *above], below=below, alike=alike)


def print_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows as CSV on stdout, with names marked that a spreadsheet takes for formulas."""
    write_csv(sys.stdout, (header, *rows))


def talk(line: str) -> None:
    """Print a message on stderr, wrapped on a terminal."""
    sentence = visible(line)
    width = shutil.get_terminal_size().columns
    for printed in wrap_sentence(sentence, width) if sys.stderr.isatty() else [sentence]:
        typer.echo(printed, err=True)


def talk_notes(notes: Iterable[str]) -> None:
    """Print the notes on a result on stderr, a line each."""
    for note in notes:
        talk(f"Note: {note}")


def print_commands(*commands: str, indent: int = 2) -> None:
    """Print commands as they are, a line each: not wrapped, so that they can be copied."""
    for command in commands:
        typer.echo(" " * indent + visible(command))


def is_person_there() -> bool:
    """Return whether a person can read a question and answer it."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def confirm(warning: str, question: str) -> None:
    """Ask whether to go on in spite of a warning; end the command where the answer is no.

    Where nobody can be asked, only warn.
    """
    if not is_person_there():
        talk(f"Warning: {warning}")
    elif not ask(question):
        talk("Nothing was written.")
        raise typer.Exit(1)


def ask(question: str) -> bool:
    """Ask the person a question on stderr; return whether the answer is yes."""
    typer.echo(f"{visible(question)} [y/N] ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


@contextmanager
def progress(doing: str) -> Iterator[Callable[[str], object]]:
    """Show the step under way on stderr, if that is a terminal; yield a function for the next."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.text import Text

    with Console(file=sys.stderr).status(Text(doing)) as status:
        yield lambda step: status.update(Text(visible(step)))


def _plain(column: Column, value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return column.write(value) if isinstance(value, list | BaseModel) else value
