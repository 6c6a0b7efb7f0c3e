"""Views of results, the same in every interface: rows, sentences, LaTeX, chart and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

from roundbook.logbook.withdrawals import left_out
from roundbook.presentation import (
    factors,
    generalisability,
    latex,
    rankings,
    rounds,
    runs,
    saved_results,
    variance_differences,
    variances,
)
from roundbook.presentation.column_types import ColumnTypes, types_of, types_of_values
from roundbook.presentation.studies.common import study_text

if TYPE_CHECKING:
    from roundbook.presentation.tables import Table


class View(NamedTuple):
    """The view of a result: its rows and sentences, and LaTeX, a chart and tables if it has them.

    `rows` are for CSV and data frames, `tables` are for reading. `types` are those of the columns,
    also of a list without rows.
    """

    rows: Sequence[Any]
    sentences: Sequence[str] = ()
    latex: Callable[[], str] | None = None
    chart: Callable[[], Any] | None = None
    tables: Sequence[Table] = ()
    types: ColumnTypes = MappingProxyType({})


def view_of(result: Any) -> View:  # noqa: ANN401
    """Return the view of a result: its rows, sentences and, where it has them, LaTeX and chart."""
    make = _VIEWS.get(type(result).__name__)
    if make is not None:
        return make(result)
    from roundbook.presentation.decisions import decision_sentences  # noqa: PLC0415

    sentences = decision_sentences(result)
    saved = getattr(result, "result", None)  # of a saved result
    if isinstance(saved, BaseModel):
        view = view_of(saved)
        return view._replace(sentences=[*view.sentences, *sentences])
    if hasattr(result, "study"):
        return _study(result)
    if name := _ROWS.get(type(result).__name__) or _first_list(result):
        return _list(result, name, sentences)
    if type(result).__name__.endswith("List"):
        fields = type(result).model_fields
        types = next(filter(None, (_types_of_list(result, name) for name in fields)), {})
        return View([], sentences, types=types)
    return View([result], sentences, types=types_of(type(result)))


def _first_list(result: BaseModel) -> str | None:
    """Return the first field that lists something but plain values, or None."""
    for name in type(result).model_fields:
        value = getattr(result, name)
        if isinstance(value, list) and value and not isinstance(value[0], (str, float, int, list)):
            return name
    return None


def _list(result: BaseModel, name: str, sentences: Sequence[str] = ()) -> View:
    """Return the view of a result whose rows are those of a field."""
    if name == "impact":
        return _dependents(getattr(result, name), sentences)
    return View(getattr(result, name), sentences, types=_types_of_list(result, name))


def _types_of_list(result: BaseModel, name: str) -> dict[str, type]:
    """Return the types of the fields of the models that a field lists; none for other fields."""
    annotation = type(result).model_fields[name].annotation
    for kind in (annotation, *get_args(annotation)):  # a list, or a list or None
        (model,) = get_args(kind) if get_origin(kind) is list else (None,)
        if isinstance(model, type) and issubclass(model, BaseModel):
            return types_of(model)
    return {}


# By result, the list that has its rows, also when it is empty or another list comes first.
_ROWS = {"ShownMatrix": "runs", "Verification": "differences"}


# Modules that compute or draw, or need SQLAlchemy, are imported when they are needed.


def _draw(module: str, chart: str, result: Any) -> Any:  # noqa: ANN401
    return getattr(import_module(f"roundbook.presentation.charts.{module}"), chart)(result)


def _variances(history: Any) -> View:  # noqa: ANN401
    chart = partial(_draw, "variances", "variance_chart", history)
    sentences = [variances.heading(history), *variances.summary(history)]
    sentences += [*variances.in_detail(history), *variances.withdrawn_notes(history)]
    table = partial(latex.variances_latex, history)
    types = variances.history_types()
    return View(variances.history_lines(history), sentences, table, chart, types=types)


def _histories(result: Any) -> View:  # noqa: ANN401
    views = list(map(_variances, result.histories))
    rows = [row for view in views for row in view.rows]
    sentences = [sentence for view in views for sentence in view.sentences]
    sentences += variance_differences.stability(result.histories)
    sentences += variances.histories_notes(result)
    return View(
        rows,
        sentences,
        lambda: "\n\n".join(map(latex.variances_latex, result.histories)),
        types=variances.history_types(),
    )


def _plan(plan: Any) -> View:  # noqa: ANN401
    from roundbook.presentation import plans  # noqa: PLC0415
    from roundbook.presentation.plan_protocol import protocol  # noqa: PLC0415

    chart = partial(_draw, "plans", "power_chart", plan)
    remarks = [remark.sentence for remark in plans.remarks(plan)]
    sentences = [plans.headline(plan), *plans.guidance(plan), *remarks, protocol(plan)]
    rows, types = plans.plan_rows(plan), plans.plan_types(plan)
    return View(rows, sentences, lambda: plans.plan_latex(plan), chart, types=types)


def _drift(report: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.drift import brief_notes  # noqa: PLC0415
    from roundbook.presentation.drift_advice import advice  # noqa: PLC0415
    from roundbook.presentation.drift_verdict import headline, reason  # noqa: PLC0415

    chart = partial(_draw, "drift", "topics_chart", report)
    sentences = [headline(report), reason(report), *brief_notes(report), advice(report)]
    sentences += map(left_out, report.withdrawn)
    return _list(report, "topics", sentences)._replace(chart=chart)


def _curve(curve: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.drift_curve import (  # noqa: PLC0415
        curve_notes,
        curve_row,
        curve_types,
        summary,
    )

    chart = partial(_draw, "drift", "curve_chart", curve)
    sentences = [summary(curve), *curve_notes(curve)]
    return View(list(map(curve_row, curve.rounds)), sentences, chart=chart, types=curve_types())


def _factors(factor_set: Any) -> View:  # noqa: ANN401
    chart = partial(_draw, "scores", "factor_chart", factor_set)
    sentences = [factors.heading(factor_set), *factors.withdrawn_note(factor_set)]
    table = partial(latex.factors_latex, factor_set)
    return _list(factor_set, "factors", sentences)._replace(latex=table, chart=chart)


def _standardised(scores: Any) -> View:  # noqa: ANN401
    by_topic = zip(*scores.scores, strict=True)
    # A run called `topic` would replace the column of topics, and its new name another run's.
    beside = "run topic"
    while beside in scores.runs:
        beside = f"run {beside}"
    names = [beside if run == "topic" else run for run in scores.runs]
    rows = [
        {"topic": topic, **dict(zip(names, values, strict=True))}
        for topic, values in zip(scores.topics, by_topic, strict=True)
    ]
    notes = [*factors.standardised_notes(scores), *factors.standardised_remarks(scores)]
    types = {"topic": str, **dict.fromkeys(names, float)}
    return View(rows, [factors.standardised_heading(scores), *notes], types=types)


def _impact(impact: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.impact import impact_sentences  # noqa: PLC0415

    return _dependents(impact.dependents, impact_sentences(impact))


def _dependents(dependents: Sequence[Any], sentences: Sequence[str]) -> View:
    """Return the view of what rests on a score matrix, or of what a decision made stale."""
    from roundbook.presentation.impact import DEPENDENT_TYPES, dependent_row  # noqa: PLC0415

    return View(list(map(dependent_row, dependents)), sentences, types=DEPENDENT_TYPES)


def _round(contents: Any) -> View:  # noqa: ANN401
    sentences = rounds.round_sentences(contents)
    for name in ("matrices", "uploads", "qrels", "published_variances"):
        if getattr(contents, name):
            return _list(contents, name, sentences)
    return View([contents], sentences, types=types_of(type(contents)))


def _generalisability(report: Any) -> View:  # noqa: ANN401
    sentences = [generalisability.heading(report), *generalisability.remarks(report)]
    types = generalisability.csv_types()
    return View(generalisability.csv_rows(report), sentences, types=types)


def _study(study: Any) -> View:  # noqa: ANN401
    text = study_text(study)
    main = text.main
    rows = [{field: getattr(row, field) for field in main.field_names()} for row in main.rows]

    def table() -> str:
        columns = [*([main.by] if main.by else []), *main.columns]
        return latex.latex(text.heading, main.rows, columns)

    sentences = [text.heading, *text.sentences, *text.remarks, text.protocol]
    names = main.field_names()
    types = {name: _WITHOUT_VALUES.get(name, float) for name in names}
    types |= types_of_values(names, rows)
    chart = partial(_draw, "studies", "study_chart", study)
    return View(rows, sentences, table, chart, text.tables, types)


# The types of columns of studies that may hold nothing, of those that are no decimal numbers.
_WITHOUT_VALUES = {
    **dict.fromkeys(("team", "ageing"), str),
    **dict.fromkeys(("pool_depth", "pooled_runs"), int),
    **dict.fromkeys(("unstable", "misses"), bool),
}


def _exported(exported: Any) -> View:  # noqa: ANN401
    from roundbook.csv_names import unmarked  # noqa: PLC0415

    if exported.content is None or exported.layout != "wide":
        return View([exported], types=types_of(type(exported)))
    header, *lines = csv.reader(io.StringIO(exported.content))
    _, *names = map(unmarked, header)
    rows = [
        {"topic": unmarked(topic), **dict(zip(names, map(float, scores), strict=True))}
        for topic, *scores in lines
    ]
    return View(rows, types={"topic": str, **dict.fromkeys(names, float)})


_VIEWS: dict[str, Callable[[Any], View]] = {
    "ExportedMatrix": _exported,
    "RunList": lambda listed: _list(listed, "uploads" if listed.runs is None else "runs"),
    "Impact": _impact,
    "RoundContents": _round,
    "ResultList": lambda listed: View(
        list(map(saved_results.entry_row, listed.results)), types=saved_results.entry_types()
    ),
    "Job": lambda job: View([job], [saved_results.job_sentence(job)], types=types_of(type(job))),
    "JobList": lambda jobs: _list(jobs, "jobs", list(map(saved_results.job_sentence, jobs.jobs))),
    "VarianceHistory": _variances,
    "VarianceHistories": _histories,
    "Plan": _plan,
    "DriftReport": _drift,
    "DriftCurve": _curve,
    "FactorSet": _factors,
    "StandardisedScores": _standardised,
    "RankAgreement": lambda agreement: _list(
        agreement, "ranking", rankings.summary(agreement)
    )._replace(latex=partial(latex.ranking_latex, agreement)),
    "ScoreComparison": lambda comparison: _list(
        comparison,
        "cells_shown",
        [*runs.comparison_summary(comparison), *runs.comparison_notes(comparison)],
    ),
    "GeneralisabilityReport": _generalisability,
}


def _fields(row: object) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    return row.model_dump(by_alias=True) if isinstance(row, BaseModel) else vars(row)


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        # The details of every event have fields of their own.
        if name != "details" and isinstance(value, (BaseModel, Mapping)):
            flat |= {f"{name}.{key}": inner for key, inner in _flat(_fields(value)).items()}
        else:
            flat[name] = value
    return flat


def typed_table_of(result: Any) -> tuple[dict[str, type], list[dict[str, Any]]]:  # noqa: ANN401
    """Return the types of a result's columns, by name, and its rows.

    Nested fields are columns: ``interval.low``. The types do not depend on the values, but for
    columns that are the names of a mapping. A column of type `object` holds lists or mappings.
    """
    view = view_of(result)
    rows = [_flat(_fields(row)) for row in view.rows]
    # Rows may be of several kinds; every row gets the columns of all.
    in_rows = dict.fromkeys(name for row in rows for name in row)
    columns: list[str] = []
    for name, kind in view.types.items():
        # A run may be called as another one and a dot: numbers and texts are no mappings.
        inner = kind is object and [other for other in in_rows if other.startswith(f"{name}.")]
        columns += inner or [name]
    # A nested model that is None has a column a field, and none of its own.
    nested = {name.rpartition(".")[0] for name in view.types}
    columns += [name for name in in_rows if name not in columns and name not in nested]
    filled = [{name: row.get(name) for name in columns} for row in rows]
    types = dict.fromkeys(columns, object) | types_of_values(columns, filled)
    return types | {name: view.types[name] for name in columns if name in view.types}, filled


def table_of(result: Any) -> tuple[list[str], list[dict[str, Any]]]:  # noqa: ANN401
    """Return the columns and rows of a result; nested fields are columns: ``interval.low``."""
    types, rows = typed_table_of(result)
    return list(types), rows


def columns_of(result: Any) -> dict[str, tuple[type, list[Any]]]:  # noqa: ANN401
    """Return the rows of a result as columns, each of a type, as `typed_table_of` has them.

    In a column of several types, or of mappings, values that are not text become JSON text.
    """
    types, rows = typed_table_of(result)
    columns = {}
    for name, kind in types.items():
        values = [row[name] for row in rows]
        kinds = {type(value) for value in values if value is not None}
        if kind is object and (len(kinds) > 1 or dict in kinds):
            values = [
                value if value is None or isinstance(value, str) else json.dumps(value, default=str)
                for value in values
            ]
        columns[name] = kind, values
    return columns
