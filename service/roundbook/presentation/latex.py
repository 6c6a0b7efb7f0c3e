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


def escaped(text: str) -> str:
    """Return plain text with the special characters of LaTeX escaped."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def latex(
    caption: str, rows: Sequence[Any], columns: Sequence[Column], *, long: bool = False
) -> str:
    """Return a floating LaTeX table with a caption, ruled by the package booktabs.

    Parameters
    ----------
    long : bool
        Whether it may take several pages; it does not float then, and needs the package longtable.
    """
    alignment = "".join("r" if column.justify == "right" else "l" for column in columns)
    above, heading = f"\\caption{{{escaped(caption)}}}", _line(column.heading for column in columns)
    if long:
        lines = [
            "% needs \\usepackage{booktabs,longtable}",
            f"\\begin{{longtable}}{{{alignment}}}",
            f"{above} \\\\",
            *("\\toprule", heading, "\\midrule", "\\endfirsthead"),
            *("\\toprule", heading, "\\midrule", "\\endhead"),
        ]
    else:
        lines = [
            "% needs \\usepackage{booktabs}",
            "\\begin{table}",
            "\\centering",
            above,
            f"\\begin{{tabular}}{{{alignment}}}",
            *("\\toprule", heading, "\\midrule"),
        ]
    lines += [_line(column.cell(row) for column in columns) for row in rows]
    closing = ["\\end{longtable}"] if long else ["\\end{tabular}", "\\end{table}"]
    return "\n".join([*lines, "\\bottomrule", *closing])


def _line(cells: Iterable[str]) -> str:
    return " & ".join(escaped(cell) for cell in cells) + r" \\"
