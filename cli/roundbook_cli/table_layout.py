"""How a table fits the terminal: what wraps, which columns are left out, when rows become lists."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from roundbook.presentation.tables import Column

_GAP = 3
# A column of words is at least so wide; a narrower one would be read down instead of across.
_NARROWEST = 12
# Text that is never split: a word, an interval, a size with its measure, p = 0.1, a date with its
# time, a drawn line.
_UNBROKEN = re.compile(
    r"\s*(?:\[[^\[\]A-Za-z]*\]|\S{0,40}[A-Z@]\S{0,40} \d+ x \d+|[-+]?\d[\d.]* (?:to|x) [-+]?\d[\d.]*"
    r"|\w+ [=<>] [-+]?\d[\d.]*|\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)?|[─│┊●]+(?: +[─│┊●]+)+|\S)+"
)
_COMMAND = re.compile(r"'roundbook [^'\n]*'")
# Control characters except a line feed, and marks that turn the direction of writing.
_UNFIT = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def lay_out(
    rows: Sequence[Any],
    columns: Sequence[Column],
    width: int,
    *,
    complete: bool = False,
    alike: Sequence[Any] = (),
) -> list[str]:
    """Return the lines of a table.

    Where it is too wide, sentences wrap, and names, numbers and intervals never. Where that is not
    enough, columns that may stand below the rest of their row do so, then columns are left out,
    those that can most be spared first, and a line below names them. Where that is not enough
    either, each row becomes a list, a line a field.

    Parameters
    ----------
    complete : bool
        Whether all columns are kept, even if the table is too wide.
    alike : sequence
        Rows of tables beside it, which are to have the same columns of the same widths.
    """
    cells, measured = (
        [[visible(column.cell(row)) for column in columns] for row in table]
        for table in (rows, alike or rows)
    )
    bounds = [
        _bounds(column, [row[index] for row in measured]) for index, column in enumerate(columns)
    ]
    kept = list(range(len(columns)))
    below: list[int] = []
    if not complete and _widths(bounds, width) is None:
        below = [index for index in kept if columns[index].below]
        kept = [index for index in kept if index not in below]
    while (widths := _widths([bounds[index] for index in kept], width)) is None and not complete:
        spare = [index for index in kept if columns[index].spare]
        if not spare:
            return _lists(cells, columns, width)
        kept.remove(max(spare, key=lambda index: (columns[index].spare, index)))
    if widths is None:
        widths = [column.least for column in bounds]
    lines = _table(
        [[row[index] for index in kept] for row in cells],
        [columns[index] for index in kept],
        widths,
        [
            [
                " " * _GAP + line
                for index in below
                for line in wrap(f"{columns[index].heading}: {row[index]}", width - _GAP)
            ]
            for row in cells
        ],
    )
    left_out = [
        column.heading for index, column in enumerate(columns) if index not in [*kept, *below]
    ]
    if left_out:
        beside = [bounds[index].least for index in range(len(columns)) if index not in below]
        needed = sum(beside) + _GAP * (len(beside) - 1)
        lines += wrap(
            f"Left out, as {width} columns are too few: {', '.join(left_out)}. For all, make the"
            f" terminal {needed} columns wide or add --format json.",
            width,
        )
    return lines


def wrap_sentence(sentences: str, width: int) -> list[str]:
    """Return sentences as wrapped lines that split no command; one at the end has its own line.

    What is indented stays so in all its lines.
    """
    lines = []
    for paragraph in sentences.split("\n"):
        sentence = paragraph.lstrip()
        indent = " " * (len(paragraph) - len(sentence))
        if cell_width(paragraph) <= width or sentence.startswith("roundbook "):
            lines.append(paragraph)
            continue
        before, colon, command = sentence.rpartition(": roundbook ")
        text = f"{before}:" if colon else sentence
        whole = _COMMAND.sub(lambda quoted: quoted[0].replace(" ", "\0"), text)
        wrapped = [line.replace("\0", " ") for line in wrap(whole, width - len(indent))]
        wrapped += [f"  roundbook {command}"] if colon else []
        lines += [indent + line for line in wrapped]
    return lines


def wrap(text: str, width: int) -> list[str]:
    """Return a text as wrapped lines that split no word, interval, size or time."""
    lines = []
    for paragraph in text.split("\n"):
        line = ""
        for part in _UNBROKEN.findall(paragraph):
            if line.strip() and cell_width(line + part) > width:
                lines.append(line)
                line = part.lstrip()
            else:
                line += part
        lines.append(line)
    return lines


def visible(text: str) -> str:
    """Return a text with the characters that would steer the terminal written as escapes."""
    return _UNFIT.sub(lambda unfit: unfit[0].encode("unicode_escape").decode(), text)


def cell_width(text: str) -> int:
    """Return how many columns of the terminal a text takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _longest_part(text: str) -> int:
    first, *rest = _UNBROKEN.findall(text) or [""]
    return max(cell_width(first), *(cell_width(part.lstrip()) for part in rest), 0)


class _Bounds(NamedTuple):
    """The least width of a column, the width of its widest cell, and the most that it can use."""

    least: int
    cells: int
    most: int


def _bounds(column: Column, cells: Sequence[str]) -> _Bounds:
    widest = max(map(cell_width, cells))
    heading = _longest_part(column.heading)
    needed = widest
    if column.justify != "right":
        needed = max(*map(_longest_part, cells), min(widest, _NARROWEST))
    return _Bounds(
        max(needed, heading), max(widest, heading), max(widest, cell_width(column.heading))
    )


def _widths(bounds: Sequence[_Bounds], width: int) -> list[int] | None:
    """Return widths that fit, or None: long headings wrap first, then the widest cells."""
    room = width - _GAP * (len(bounds) - 1)
    if sum(column.least for column in bounds) > room:
        return None
    widths = [column.most for column in bounds]
    while sum(widths) > room:
        overhanging = [index for index, (_, cells, _) in enumerate(bounds) if widths[index] > cells]
        if overhanging:
            widest = max(overhanging, key=lambda index: widths[index] - bounds[index].cells)
            widths[widest] = max(bounds[widest].cells, widths[widest] + room - sum(widths))
            continue
        narrower = [index for index, (least, *_) in enumerate(bounds) if widths[index] > least]
        widths[max(narrower, key=widths.__getitem__)] -= 1
    return widths


def _table(
    cells: Sequence[Sequence[str]],
    columns: Sequence[Column],
    widths: Sequence[int],
    below: Sequence[Sequence[str]],
) -> list[str]:
    """Return the lines of a table with columns of these widths, and the lines `below` each row."""
    heads = [wrap(column.heading, width) for column, width in zip(columns, widths, strict=True)]
    height = max(map(len, heads))
    rule = "─" * (sum(widths) + _GAP * (len(widths) - 1))
    rows: list[tuple[list[list[str]], Sequence[str]]] = [
        ([[""] * (height - len(head)) + head for head in heads], [rule])
    ]
    for row, more in zip(cells, below, strict=True):
        rows.append(([*map(wrap, row, widths)], more))
    lines = []
    for wrapped, more in rows:
        for texts in zip_longest(*wrapped, fillvalue=""):
            line = []
            for text, column, width in zip(texts, columns, widths, strict=True):
                blank = " " * (width - cell_width(text))
                line.append(blank + text if column.justify == "right" else text + blank)
            lines.append((" " * _GAP).join(line))
        lines += more
    return lines


def _lists(cells: Sequence[Sequence[str]], columns: Sequence[Column], width: int) -> list[str]:
    """Return rows as lists, a line a field; a word too long to be beside its heading goes below."""
    indent = max(cell_width(column.heading) for column in columns) + _GAP
    lines: list[str] = []
    for row in cells:
        lines += [""] if lines else []
        for column, cell in zip(columns, row, strict=True):
            blank = " " * (indent - cell_width(column.heading))
            if _longest_part(cell) <= width - indent:
                first, *rest = wrap(cell, width - indent)
                lines.append(column.heading + blank + first)
                lines += [" " * indent + more for more in rest]
            else:
                lines.append(column.heading)
                lines += ["  " + more for more in wrap(cell, width - 2)]
    return lines
