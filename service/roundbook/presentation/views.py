"""Views of results, the same in every interface: rows, sentences, LaTeX, chart and tables."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

from pydantic import BaseModel

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
from roundbook.presentation.studies.common import study_text

if TYPE_CHECKING:
    from roundbook.presentation.tables import Table


# A LaTeX table of more rows than this takes several pages, and does not float.
_MOST_FLOATING = 40


class View(NamedTuple):
    """The view of a result: its rows and sentences, and LaTeX, a chart and tables if it has them.

    `rows` are for CSV and data frames, `tables` are for reading. `columns` are those of a list
    without rows.
    """

    rows: Sequence[Any]
    sentences: Sequence[str] = ()
    latex: Callable[[], str] | None = None
    chart: Callable[[], Any] | None = None
    tables: Sequence[Table] = ()
    columns: Sequence[str] = ()


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
    if name := _ROWS.get(type(result).__name__):
        return View(getattr(result, name), sentences, columns=_columns_of_list(result, name))
    lists = [
        value
        for name in type(result).model_fields
        if isinstance(value := getattr(result, name), list)
        and value
        and not isinstance(value[0], (str, float, int, list))
    ]
    if not lists and type(result).__name__.endswith("List"):
        fields = type(result).model_fields
        columns = next(filter(None, (_columns_of_list(result, name) for name in fields)), [])
        return View([], sentences, columns=columns)
    return View(lists[0] if lists else [result], sentences)


def _columns_of_list(result: BaseModel, name: str) -> list[str]:
    """Return the fields of the models that a field lists; an empty list for other fields."""
    annotation = type(result).model_fields[name].annotation
    for kind in (annotation, *get_args(annotation)):  # a list, or a list or None
        (model,) = get_args(kind) if get_origin(kind) is list else (None,)
        if isinstance(model, type) and issubclass(model, BaseModel):
            return list(model.model_fields)
    return []


# By result, the list that has its rows, also when it is empty or another list comes first.
_ROWS = {"ShownMatrix": "runs", "Verification": "differences"}


# Modules that compute or draw, or need SQLAlchemy, are imported when they are needed.


def _draw(module: str, chart: str, result: Any) -> Any:  # noqa: ANN401
    return getattr(import_module(f"roundbook.presentation.charts.{module}"), chart)(result)


def _variances(history: Any) -> View:  # noqa: ANN401
    chart = partial(_draw, "variances", "variance_chart", history)
    sentences = [variances.heading(history), *variances.summary(history)]
    sentences += variances.withdrawn_notes(history)
    table = partial(latex.variances_latex, history)
    return View(variances.history_lines(history), sentences, table, chart)


def _histories(result: Any) -> View:  # noqa: ANN401
    views = list(map(_variances, result.histories))
    rows = [row for view in views for row in view.rows]
    sentences = [sentence for view in views for sentence in view.sentences]
    sentences += variance_differences.stability(result.histories)
    return View(rows, sentences, lambda: "\n\n".join(map(latex.variances_latex, result.histories)))


def _plan(plan: Any) -> View:  # noqa: ANN401
    from roundbook.presentation import plans  # noqa: PLC0415
    from roundbook.presentation.plan_protocol import protocol  # noqa: PLC0415

    chart = partial(_draw, "plans", "power_chart", plan)
    beside = filter(None, (plans.design_advice(plan), plans.fits(plan), plans.warning(plan)))
    sentences = [plans.headline(plan), *beside, *plans.notes(plan), protocol(plan)]
    return View(plans.plan_rows(plan), sentences, lambda: plans.plan_latex(plan), chart)


def _drift(report: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.drift import brief_notes  # noqa: PLC0415
    from roundbook.presentation.drift_advice import advice  # noqa: PLC0415
    from roundbook.presentation.drift_verdict import headline, reason  # noqa: PLC0415

    chart = partial(_draw, "drift", "topics_chart", report)
    sentences = [headline(report), reason(report), *brief_notes(report), advice(report)]
    return View(report.topics, sentences, chart=chart)


def _curve(curve: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.drift_curve import curve_order, curve_row, summary  # noqa: PLC0415

    chart = partial(_draw, "drift", "curve_chart", curve)
    return View(
        list(map(curve_row, curve.rounds)), [summary(curve), *curve_order(curve)], chart=chart
    )


def _factors(factor_set: Any) -> View:  # noqa: ANN401
    chart = partial(_draw, "scores", "factor_chart", factor_set)
    sentences = [factors.heading(factor_set), *factors.withdrawn_note(factor_set)]
    return View(factor_set.factors, sentences, partial(latex.factors_latex, factor_set), chart)


def _standardised(scores: Any) -> View:  # noqa: ANN401
    by_topic = zip(*scores.scores, strict=True)
    # A run called `topic` would replace the column of topics.
    names = ["run topic" if run == "topic" else run for run in scores.runs]
    rows = [
        {"topic": topic, **dict(zip(names, values, strict=True))}
        for topic, values in zip(scores.topics, by_topic, strict=True)
    ]
    notes = [*factors.standardised_notes(scores), *factors.standardised_remarks(scores)]
    return View(rows, [factors.standardised_heading(scores), *notes])


def _impact(impact: Any) -> View:  # noqa: ANN401
    from roundbook.presentation.impact import (  # noqa: PLC0415
        DEPENDENT_COLUMNS,
        dependent_row,
        impact_sentences,
    )

    rows = list(map(dependent_row, impact.dependents))
    return View(rows, impact_sentences(impact), columns=DEPENDENT_COLUMNS)


def _round(contents: Any) -> View:  # noqa: ANN401
    lists = (contents.matrices, contents.uploads, contents.qrels, contents.published_variances)
    return View(next(filter(None, lists), [contents]), rounds.round_sentences(contents))


def _comparison(comparison: Any) -> View:  # noqa: ANN401
    columns = _columns_of_list(comparison, "cells_shown")
    sentences = [*runs.comparison_summary(comparison), *runs.comparison_notes(comparison)]
    return View(comparison.cells_shown, sentences, columns=columns)


def _generalisability(report: Any) -> View:  # noqa: ANN401
    sentences = [generalisability.heading(report), *generalisability.remarks(report)]
    return View(generalisability.csv_rows(report), sentences)


def _study(study: Any) -> View:  # noqa: ANN401
    text = study_text(study)
    main = text.main
    rows = [{field: getattr(row, field) for field in main.field_names()} for row in main.rows]

    def table() -> str:
        columns = [*([main.by] if main.by else []), *main.columns]
        return latex.latex(text.heading, main.rows, columns, long=len(main.rows) > _MOST_FLOATING)

    sentences = [text.heading, *text.sentences, *text.remarks, text.protocol]
    return View(
        rows, sentences, table, partial(_draw, "studies", "study_chart", study), text.tables
    )


def _exported(exported: Any) -> View:  # noqa: ANN401
    from roundbook.csv_names import unmarked  # noqa: PLC0415

    if exported.content is None or exported.layout != "wide":
        return View([exported])
    header, *lines = csv.reader(io.StringIO(exported.content))
    _, *names = map(unmarked, header)
    rows = [
        {"topic": unmarked(topic), **dict(zip(names, map(float, scores), strict=True))}
        for topic, *scores in lines
    ]
    return View(rows)


def _runs(listed: Any) -> View:  # noqa: ANN401
    name = "uploads" if listed.runs is None else "runs"
    return View(getattr(listed, name), columns=_columns_of_list(listed, name))


def _jobs(jobs: Any) -> View:  # noqa: ANN401
    sentences = list(map(saved_results.job_sentence, jobs.jobs))
    return View(jobs.jobs, sentences, columns=_columns_of_list(jobs, "jobs"))


_VIEWS: dict[str, Callable[[Any], View]] = {
    "ExportedMatrix": _exported,
    "RunList": _runs,
    "Impact": _impact,
    "RoundContents": _round,
    "ResultList": lambda listed: View(
        list(map(saved_results.entry_row, listed.results)), columns=saved_results.ENTRY_COLUMNS
    ),
    "Job": lambda job: View([job], [saved_results.job_sentence(job)]),
    "JobList": _jobs,
    "VarianceHistory": _variances,
    "VarianceHistories": _histories,
    "Plan": _plan,
    "DriftReport": _drift,
    "DriftCurve": _curve,
    "FactorSet": _factors,
    "StandardisedScores": _standardised,
    "RankAgreement": lambda agreement: View(
        agreement.ranking, rankings.summary(agreement), partial(latex.ranking_latex, agreement)
    ),
    "ScoreComparison": _comparison,
    "GeneralisabilityReport": _generalisability,
}


def _fields(row: object) -> Mapping[str, Any]:
    if isinstance(row, Mapping):
        return row
    return row.model_dump() if isinstance(row, BaseModel) else vars(row)


def _flat(fields: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in fields.items():
        # The details of every event have fields of their own.
        if name != "details" and isinstance(value, (BaseModel, Mapping)):
            flat |= {f"{name}.{key}": inner for key, inner in _flat(_fields(value)).items()}
        else:
            flat[name] = value
    return flat


def table_of(result: Any) -> tuple[list[str], list[dict[str, Any]]]:  # noqa: ANN401
    """Return the columns and rows of a result; nested fields are columns: ``interval.low``."""
    view = view_of(result)
    rows = [_flat(_fields(row)) for row in view.rows]
    # Rows may be of several kinds; every row gets the columns of all.
    columns = list(dict.fromkeys(name for row in rows for name in row) or view.columns)
    return columns, [{name: row.get(name) for name in columns} for row in rows]


def columns_of(result: Any) -> dict[str, list[Any]]:  # noqa: ANN401
    """Return the rows of a result as columns, the values of each of one type.

    Whole and decimal numbers count as one type. In a column of several types, or of mappings,
    values that are not text become JSON text.
    """
    names, rows = table_of(result)
    columns = {name: [row[name] for row in rows] for name in names}
    for name, values in columns.items():
        present = [value for value in values if value is not None]
        kinds = {float if type(value) is int else type(value) for value in present}
        if len(kinds) > 1 or dict in kinds:
            columns[name] = [
                value if value is None or isinstance(value, str) else json.dumps(value, default=str)
                for value in values
            ]
    return columns
