"""Results as LaTeX tables of the package booktabs; those of a paper: variances, factors, ranking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from roundbook.presentation import factors, rankings, variances
from roundbook.presentation.tables import Column, number

if TYPE_CHECKING:
    from roundbook.logbook.factors import FactorSet
    from roundbook.logbook.rankings import RankAgreement
    from roundbook.logbook.variance_history import VarianceHistory

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
} | {character: f"\\{character}" for character in "&%$#_{}"}


def escaped(text: str) -> str:
    """Return plain text with the special characters of LaTeX escaped."""
    apart = "".join(_SPECIAL.get(character, character) for character in text)
    # Two hyphens together would be a dash.
    return re.sub("-(?=-)", "-{}", apart)


# More rows than this do not fit on a page.
_ON_A_PAGE = 30


def latex(caption: str, rows: Sequence[Any], columns: Sequence[Column]) -> str:
    """Return a LaTeX table with a caption, ruled by the package booktabs.

    One that does not fit on a page takes several: it does not float, and needs the package
    longtable.
    """
    long = len(rows) > _ON_A_PAGE
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
    line = " & ".join(map(escaped, cells))
    # Behind a rule or the end of a line, a bracket or an asterisk would be an argument of these.
    start = "{}" if line.startswith(("[", "*")) else ""
    return f"{start}{line} \\\\"


def variances_latex(history: VarianceHistory) -> str:
    """Return the variance of each round and the pooled one as a LaTeX table with a caption."""
    last = SimpleNamespace(
        **dict(history.pooled) | {"round": "pooled", "runs": None, "clusters": None}
    )
    caption = [
        variances.heading(history),
        "Residual variance of each round around its run means (two-way: around run and topic means)",
        *variances.summary(history),
        *variances.in_detail(history),
        *variances.withdrawn_notes(history),
    ]
    return _table(caption, [*history.rounds, last], variances.ROUNDS)


def factors_latex(factor_set: FactorSet) -> str:
    """Return the factors of a round as a LaTeX table with a caption."""
    columns = "Mean and sample standard deviation (sd) of each topic over the standardising runs"
    if factor_set.zero_sd_topics:
        scores = "count as average" if factor_set.zero_sd == "average" else "are left out"
        columns += f"; scores on topics without spread {scores}"
    caption = [factors.heading(factor_set), columns, *factors.withdrawn_note(factor_set)]
    return _table(caption, factor_set.factors, factors.FACTORS)


def ranking_latex(agreement: RankAgreement) -> str:
    """Return the ranking of runs on two scales as a LaTeX table with a caption."""
    # The factors are named in the caption.
    first, second = (side.partition(" by ")[0] for side in (agreement.a, agreement.b))
    columns = (
        Column("run", "Run"),
        number("mean_a", f"Mean {first}"),
        number("rank_a", "Rank", 1),
        number("mean_b", f"Mean {second}"),
        number("rank_b", "Rank", 1),
    )
    caption = [*rankings.summary(agreement), "1 is the best rank; ties share the mean rank"]
    return _table([*caption, *rankings.notes(agreement)], agreement.ranking, columns)


def _table(caption: Sequence[str], rows: Sequence[Any], columns: Sequence[Column]) -> str:
    sentences = " ".join(line if line.endswith(".") else f"{line}." for line in caption)
    return latex(sentences, rows, columns)
