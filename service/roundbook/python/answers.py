"""Answers: results that give a data frame, sentences, a LaTeX table and a chart."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from html import escape
from importlib import import_module
from importlib.util import find_spec
from types import NoneType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from roundbook.errors import InputError, MissingExtraError
from roundbook.formats.extras import import_extra
from roundbook.presentation.latex import latex
from roundbook.presentation.tables import Column
from roundbook.presentation.views import columns_of, table_of, typed_table_of, view_of
from roundbook.python.ways_out import in_python, with_ways_out

if TYPE_CHECKING:
    import altair as alt

_MOST_ROWS = 60
# The types of columns of pandas that hold nothing in some row; texts need none.
_WITH_GAPS = {
    int: "Int64",
    float: "float64",
    bool: "boolean",
    datetime: "datetime64[us, UTC]",
}


class Answer:
    """The answer of a `Book`: a result, whose fields are attributes of the answer.

    Attributes
    ----------
    model : pydantic model
        The result itself, frozen; a saved result is recorded as ``model.model_dump(mode="json")``.
    """

    model: Any

    def __init__(self, model: BaseModel) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self.model).model_fields]

    def __repr__(self) -> str:
        return self.say() or repr(self.model)

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return the rows as a pandas data frame, or a polars one where pandas is not installed.

        Nested fields become columns of their own, such as ``interval.low``.

        Raises
        ------
        MissingExtraError
            When neither is installed.
        """
        if find_spec("pandas"):
            types, rows = typed_table_of(self.model)
            frame = import_module("pandas").DataFrame(rows, columns=list(types))
            # Without a value to tell its type, or with a gap, a column would be of another one.
            with_gaps = {
                name: _WITH_GAPS[kind]
                for name, kind in types.items()
                if kind in _WITH_GAPS and (frame[name].isna().any() or frame.empty)
            }
            return frame.astype(with_gaps)
        if find_spec("polars"):
            polars, columns = import_module("polars"), columns_of(self.model)
            time = polars.Datetime("us", "UTC")
            kinds = {
                name: time if kind is datetime else kind
                for name, (kind, _) in columns.items()
                if kind is not object
            }
            values = {name: cells for name, (_, cells) in columns.items()}
            # Not strict: a column may begin with whole numbers and go on with decimals.
            return polars.DataFrame(values, strict=False, schema_overrides=kinds)
        with with_ways_out():
            raise MissingExtraError(
                "A data frame takes pandas or polars; neither is installed.", "frames"
            )

    def to_latex(self) -> str:
        """Return the rows as a LaTeX table for the package booktabs; long ones also need longtable."""
        view = view_of(self.model)
        if view.latex is not None:
            return view.latex()
        names, rows = table_of(self.model)
        columns = []
        for number, name in enumerate(names):
            numbers = all(isinstance(row[name], (int, float, NoneType)) for row in rows)
            # A run may be called as an attribute of Python's objects.
            columns.append(Column(f"cell{number}", name, _text, "right" if numbers else "left"))
        caption = view.sentences[0] if view.sentences else type(self.model).__name__
        cells = [{f"cell{number}": row[name] for number, name in enumerate(names)} for row in rows]
        return latex(caption, [SimpleNamespace(**row) for row in cells], columns)

    def say(self) -> str:
        """Return what the result says in sentences, a line each; empty for a table alone, as of lists.

        The terminal prints tables, commands and, with ``--details``, more.
        """
        return "\n".join(self._sentences())

    def _sentences(self) -> Sequence[str]:
        sentences = view_of(self.model).sentences
        result = getattr(self.model, "result", self.model)  # of a saved result
        if type(result).__name__ != "DriftReport":
            return sentences
        return [in_python(sentence, result) for sentence in sentences]

    def chart(self) -> alt.ConcatChart:
        """Return the result's chart.

        Raises
        ------
        InputError
            When this kind of result has no chart.
        MissingExtraError
            When the chart library is not installed.
        """
        draw = view_of(self.model).chart
        if draw is None:
            raise InputError("There is no chart of this answer.")
        with with_ways_out():
            import_extra("altair", "charts", "a chart")
        chart: alt.ConcatChart = draw()
        return chart

    def _repr_html_(self) -> str:
        view = view_of(self.model)
        parts = [f"<p>{escape(line)}</p>" for line in self._sentences()]
        for table in view.tables:
            for part, total in table.parts():
                parts.append(f"<p>{escape(part.heading)}</p>")
                cells = [[column.cell(row) for column in part.columns] for row in part.rows]
                parts += _html([column.heading for column in part.columns], cells, total)
        if not view.tables:
            names, rows = table_of(self.model)
            cells = [list(map(_text, row.values())) for row in rows]
            parts += _html(names, cells, len(rows))
        if view.chart is not None and find_spec("altair") and find_spec("vl_convert"):
            from roundbook.presentation.charts.files import svg

            with suppress(InputError):  # where there is nothing to draw
                parts.append(svg(view.chart()))
        return "\n".join(parts)


def _html(heads: Sequence[str], cells: Sequence[Sequence[str]], total: int) -> list[str]:
    """Return the HTML of a table's first rows, with the number of rows if not all are shown."""
    if not cells:
        return []
    first_rows = cells[:_MOST_ROWS]
    lines = [
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in first_rows
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    note = [f"<p>{len(first_rows)} of {total:,} rows.</p>"] if len(first_rows) < total else []
    return [table, *note]


def _text(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
