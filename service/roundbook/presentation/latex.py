"""A table of results as LaTeX, in the manner of the package booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from roundbook.presentation.tables import Column

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def escaped(words: str) -> str:
    """Return plain words as LaTeX that prints them."""
    return "".join(_SPECIAL.get(character, character) for character in words)


def latex(caption: str, rows: Sequence[Any], columns: Sequence[Column]) -> str:
    """Return a floating table with a caption, ruled by the package booktabs."""
    alignment = "".join("r" if column.justify == "right" else "l" for column in columns)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        f"\\caption{{{escaped(caption)}}}",
        f"\\begin{{tabular}}{{{alignment}}}",
        "\\toprule",
        _line(column.heading for column in columns),
        "\\midrule",
    ]
    for row in rows:
        values = [(column, getattr(row, column.field)) for column in columns]
        lines.append(
            _line("-" if value is None else column.write(value) for column, value in values)
        )
    return "\n".join([*lines, "\\bottomrule", "\\end{tabular}", "\\end{table}"])


def _line(cells: Iterable[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"
