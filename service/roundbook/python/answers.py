"""Answers: results with their frame, words, LaTeX table and chart."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, is_dataclass
from html import escape
from importlib import import_module
from importlib.util import find_spec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from roundbook.errors import InputError, MissingExtraError
from roundbook.presentation.latex import latex
from roundbook.presentation.tables import Column

if TYPE_CHECKING:
    import altair as alt

_Result = TypeVar("_Result", bound=BaseModel)


class Answer(Generic[_Result]):
    """What a `Book` answers: a result, whose fields are the answer's own.

    Attributes
    ----------
    model : pydantic model
        Frozen: ``model.model_dump(mode="json")`` is what the record keeps of one that is saved.
    """

    def __init__(self, model: _Result) -> None:
        self.model = model

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__") or name == "model":
            raise AttributeError(name)
        return getattr(self.model, name)

    def __repr__(self) -> str:
        return self.say() or repr(self.model)

    def to_frame(self) -> Any:  # noqa: ANN401
        """Return its rows as a pandas data frame, as one of polars where there is no pandas.

        What has fields within is a column a field: ``interval.low``.

        Raises
        ------
        MissingExtraError
            When neither is installed.
        """
        rows = self._rows()
        for library in ("pandas", "polars"):
            if find_spec(library):
                return import_module(library).DataFrame(rows)
        raise MissingExtraError(
            "A data frame takes pandas or polars; neither is installed.", "frames"
        )

    def to_latex(self) -> str:
        """Return its rows as a LaTeX table, in the manner of the package booktabs."""
        view = _view(self.model)
        if view.latex is not None:
            return view.latex()
        rows = self._rows()
        columns = [_column(name, [row[name] for row in rows]) for name in (rows[0] if rows else ())]
        caption = view.sentences[0] if view.sentences else type(self.model).__name__
        return latex(caption, [SimpleNamespace(**row) for row in rows], columns)

    def say(self) -> str:
        """Return what it says in sentences, the ones that the terminal prints."""
        return "\n".join(_view(self.model).sentences)

    def chart(self) -> alt.ConcatChart:
        """Return its chart.

        Raises
        ------
        InputError
            When there is none of such a result.
        """
        draw = _view(self.model).chart
        if draw is None:
            raise InputError(f"There is no chart of a {type(self.model).__name__}.")
        chart: alt.ConcatChart = draw()
        return chart

    def _rows(self) -> list[dict[str, Any]]:
        return [_flat(_fields(row)) for row in _view(self.model).rows]

    def _repr_html_(self) -> str:
        view = _view(self.model)
        parts = [f"<p>{escape(line)}</p>" for line in view.sentences]
        rows = self._rows()
        if rows:
            heads = "".join(f"<th>{escape(name)}</th>" for name in rows[0])
            body = "".join(
                "<tr>"
                + "".join(f"<td>{escape(_written(value))}</td>" for value in row.values())
                + "</tr>"
                for row in rows
            )
            parts.append(f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>")
        if view.chart is not None and find_spec("altair") and find_spec("vl_convert"):
            from roundbook.presentation.charts.files import svg

            parts.append(svg(view.chart()))
        return "\n".join(parts)


class _View(NamedTuple):
    """What is shown of a result: its rows, sentences, and where there are such, LaTeX and chart."""

    rows: Sequence[Any]
    sentences: Sequence[str] = ()
    latex: Callable[[], str] | None = None
    chart: Callable[[], Any] | None = None


def _view(result: Any) -> _View:  # noqa: ANN401
    make = _VIEWS.get(type(result).__name__)
    if make is not None:
        return make(result)
    saved = getattr(result, "result", None)  # of a saved result
    if isinstance(saved, BaseModel):
        return _view(saved)
    if hasattr(result, "study"):
        return _study(result)
    lists = [
        value
        for name in type(result).model_fields
        if isinstance(value := getattr(result, name), list)
        and value
        and not isinstance(value[0], (str, float, int, list))
    ]
    return _View(lists[0] if lists else [result])


# Nothing that computes or draws is imported before a result of the kind is shown.


def _variances(history: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import variances as words

    def chart() -> Any:  # noqa: ANN401
        from roundbook.presentation.charts.variances import variance_chart

        return variance_chart([history])

    sentences = [words.heading(history), *words.summary(history), *words.withdrawn_notes(history)]
    return _View(words.history_lines(history), sentences, chart=chart)


def _plan(plan: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import plan_table, plans
    from roundbook.presentation.plan_protocol import protocol

    def chart() -> Any:  # noqa: ANN401
        from roundbook.presentation.charts.plans import power_chart

        return power_chart(plan)

    sentences = [plans.headline(plan), protocol(plan)]
    return _View(plan_table.plan_rows(plan), sentences, lambda: plan_table.plan_latex(plan), chart)


def _drift(report: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import drift_verdict as words

    return _View(
        report.topics, [words.headline(report), words.reason(report), words.advice(report)]
    )


def _curve(curve: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation.drift_curve import summary

    def chart() -> Any:  # noqa: ANN401
        from roundbook.presentation.charts.drift import curve_chart

        return curve_chart(curve)

    return _View(curve.rounds, [summary(curve)], chart=chart)


def _factors(factors: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import factors as words

    def chart() -> Any:  # noqa: ANN401
        from roundbook.presentation.charts.factors import factor_chart

        return factor_chart(factors)

    sentences = [words.heading(factors), *words.withdrawn_note(factors)]
    return _View(factors.factors, sentences, chart=chart)


def _standardised(scores: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import factors as words

    by_topic = zip(*scores.scores, strict=True)
    rows = [
        {"topic": topic, **dict(zip(scores.runs, values, strict=True))}
        for topic, values in zip(scores.topics, by_topic, strict=True)
    ]
    sentences = [words.standardised_heading(scores), *words.standardised_remarks(scores)]
    return _View(rows, sentences)


def _ranking(agreement: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation.rankings import summary

    return _View(agreement.ranking, summary(agreement))


def _generalisability(report: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation import generalisability as words

    rows = list(map(words.line, report.rounds))
    return _View(rows, [words.heading(report), *words.remarks(report)])


def _study(study: Any) -> _View:  # noqa: ANN401
    from roundbook.presentation.studies.common import heading

    words = import_module(f"roundbook.presentation.studies.{study.study.replace('-', '_')}")
    return _View(
        getattr(study, "scales", [study]),
        [heading(study), *words.sentences(study), words.protocol(study)],
    )


_VIEWS: dict[str, Callable[[Any], _View]] = {
    "VarianceHistory": _variances,
    "Plan": _plan,
    "DriftReport": _drift,
    "DriftCurve": _curve,
    "FactorSet": _factors,
    "StandardisedScores": _standardised,
    "RankAgreement": _ranking,
    "GeneralisabilityReport": _generalisability,
}


def _fields(row: object) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    if isinstance(row, BaseModel):
        return row.model_dump()
    return asdict(row) if is_dataclass(row) and not isinstance(row, type) else vars(row)


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        # What an event tells is of other fields in every event.
        if name != "details" and isinstance(value, (BaseModel, Mapping)):
            flat |= {f"{name}.{key}": of for key, of in _flat(_fields(value)).items()}
        else:
            flat[name] = value
    return flat


def _column(name: str, values: Sequence[Any]) -> Column:
    numbers = all(isinstance(value, (int, float)) or value is None for value in values)
    return Column(name, name, _written, "right" if numbers else "left")


def _written(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
