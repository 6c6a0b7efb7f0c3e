"""Charts of pages: drawn into a page for a desk and for a phone, and as SVG, PNG and CSV files."""

import re
from collections.abc import Callable, Sequence
from hashlib import sha256
from pkgutil import resolve_name
from threading import Lock
from typing import Any, Literal, NamedTuple, TypeVar
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup
from pydantic import BaseModel

from roundbook.api.access import run_permitted
from roundbook.api.answers import csv_text
from roundbook.api.callers import Caller
from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.drift.report import DriftReport, report_drift, trace_drift
from roundbook.logbook.factors import show_factors
from roundbook.logbook.matrices.overview import show_overview
from roundbook.logbook.plans.plan import Plan
from roundbook.logbook.plans.planning import plan_topics
from roundbook.logbook.saved_results import show_result
from roundbook.logbook.session import Session
from roundbook.logbook.studies.studies import find_entry
from roundbook.logbook.studies.study import Study
from roundbook.logbook.variances import show_variances
from roundbook.pages.forms import PageCaller, PageSession, fields_of
from roundbook.pages.rendering import link
from roundbook.pages.study_form import run_kept_study, study_fields
from roundbook.presentation import figures
from roundbook.presentation.charts.files import bare_svg, png, svg
from roundbook.presentation.views import view_of
from roundbook.requests.base import Request as UseCaseRequest
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.matrices import ShowMatrix
from roundbook.requests.plans import PlanRequest
from roundbook.requests.results import ShowResult
from roundbook.requests.variances import VarianceRequest

router = APIRouter()
_Request = TypeVar("_Request", bound=UseCaseRequest)
_Ask = Callable[[Session, Caller, dict[str, list[str]]], BaseModel]
# Widths in pixels: of a chart beside another one, of one as wide as the page, and on a phone.
HALF, WHOLE, PHONE = 480, 690, 336
# A cloud of points has at most so many of them in a page.
_MOST_POINTS = 300
# Left out of drawings in a page: styles, which the page's policy forbids and its style sheet has,
# and roles and labels, since the figure's label describes the whole chart. The label of a mark
# becomes its text at the pointer.
_STYLES_AND_ROLES = re.compile(r' (?:style|aria-[a-z]+|role)="[^"]*"')
_MARK = re.compile(
    r' aria-label="([^"]*)" role="graphics-symbol"'
    r' aria-roledescription="(?!line|area|trail|text|image)[a-z ]+"'
)
_LONG_NUMBER = re.compile(r"-?\d+\.\d{5,}")


def _ask_study(session: Session, caller: Caller, query: dict[str, list[str]]) -> BaseModel:
    name = query.get("study", [""])[-1]
    request = find_entry(name).request(**study_fields(name, query))
    return run_permitted(caller, session, run_kept_study, request)


def _ask_result(session: Session, caller: Caller, query: dict[str, list[str]]) -> BaseModel:
    request = ShowResult(**fields_of(ShowResult, query))
    return run_permitted(caller, session, show_result, request).result


def _ask(use_case: Callable[[Session, _Request], BaseModel], request: type[_Request]) -> _Ask:
    return lambda session, caller, query: run_permitted(
        caller, session, use_case, request(**fields_of(request, query))
    )


class _Chart(NamedTuple):
    """A chart of pages: the function that computes its result, and its width in a page.

    `draw` and `points` name the functions that draw it and return its points, as ``module:name``,
    imported when something is drawn; `sized` is whether the drawing depends on the width, and
    `by_topic` whether its points are topics, of which a page may have fewer.
    """

    ask: _Ask
    draw: str
    points: str
    width: int
    sized: bool = True
    by_topic: bool = False


_variances, _curve = _ask(show_variances, VarianceRequest), _ask(trace_drift, CurveRequest)
_drift, _overview = _ask(report_drift, DriftRequest), _ask(show_overview, ShowMatrix)
_factors, _plan = _ask(show_factors, FactorsRequest), _ask(plan_topics, PlanRequest)
_CHARTS = {
    "variances": _Chart(_variances, "variances:variance_chart", "variances:variance_points", HALF),
    "ageing": _Chart(_curve, "drift:curve_chart", "drift:curve_points", HALF),
    "drift": _Chart(_drift, "drift:topics_chart", "drift:topic_points", HALF, by_topic=True),
    "sds": _Chart(_drift, "drift:sds_chart", "drift:sd_points", HALF, by_topic=True),
    "factors": _Chart(
        _factors, "scores:factor_chart", "scores:factor_points", WHOLE, by_topic=True
    ),
    "scores": _Chart(_overview, "scores:score_chart", "scores:score_points", WHOLE),
    "topics": _Chart(_overview, "scores:mean_chart", "scores:mean_points", WHOLE, by_topic=True),
    "result": _Chart(_ask_result, "", "", WHOLE),
    "plan": _Chart(_plan, "plans:power_chart", "plans:power_points", WHOLE, sized=False),
    "study": _Chart(_ask_study, "studies:study_chart", "studies:study_points", WHOLE, sized=False),
}
# By class of a saved result, the chart that shows it; other classes have none.
_OF_RESULTS = {Plan: "plan", DriftReport: "drift", Study: "study"}


def _study_caption(study: BaseModel) -> str:
    """Return the title of a study's chart, without the heading that is above the chart already."""
    view = view_of(study)
    assert view.chart is not None
    title = " ".join(view.chart().title)
    return title.removeprefix(view.sentences[0]).strip() or title


# By chart, what returns its caption, also for readers who cannot see it.
_CAPTIONS: dict[str, Callable[[Any], str]] = {
    "variances": figures.variances_caption,
    "ageing": figures.ageing_caption,
    "drift": figures.means_caption,
    "sds": figures.sds_caption,
    "factors": figures.factors_caption,
    "scores": figures.scores_caption,
    "topics": figures.topics_caption,
    "plan": figures.plan_caption,
    "study": _study_caption,
}


def _find_chart(name: str, result: BaseModel) -> str | None:
    """Return the name of a chart, that of a saved result by its class; None where it has none."""
    if name != "result":
        return name
    return next((chart for kind, chart in _OF_RESULTS.items() if isinstance(result, kind)), None)


def _function(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = resolve_name(f"roundbook.presentation.charts.{name}")
    return function


class Figure(NamedTuple):
    """A chart in a page: drawings for a desk and a phone, a caption, and the links to its files.

    `desk_note` and `phone_note` say of how many topics or points not all are drawn. `cells` is the
    address of a heat map's scores, which the page reads to show them at the pointer.
    """

    desk: Markup
    desk_note: str
    phone: Markup
    phone_note: str
    sentence: str
    files: dict[str, str]
    cells: str | None = None


def figure(name: str, result: BaseModel, /, **query: object) -> Figure | None:
    """Return the chart of a result for a page, None where there is nothing to draw.

    `query` is the request's fields.
    """
    chart = _find_chart(name, result)
    drawn = chart and _draw(chart, result)
    if not drawn:
        return None
    files = {
        form.upper(): link(f"/charts/{name}.{form}", **query) for form in ("svg", "png", "csv")
    }
    cells = files["CSV"] if name == "scores" else None
    return drawn._replace(files=files, cells=cells)


# Pages are viewed more often than their results change: the latest drawings are kept.
_KEPT: dict[tuple[str, bytes], Figure] = {}
_MOST_KEPT = 64
_LOCK = Lock()


def _draw(name: str, result: BaseModel) -> Figure | None:
    """Return a chart without its files, None where there is nothing to draw."""
    from roundbook.presentation.charts.style import bounded, fitted, most_drawn

    chart, key = _CHARTS[name], (name, sha256(result.model_dump_json().encode()).digest())
    if kept := _KEPT.get(key):
        return kept
    parts: list[Any] = []
    for width in (chart.width, PHONE):
        try:
            drawing = _function(chart.draw)(result, **({"width": width} if chart.sized else {}))
        except InputError:
            return None
        drawing, number = bounded(drawing, _MOST_POINTS)
        shown, noun = _MOST_POINTS, "points"
        if chart.by_topic:
            number, shown = len(_function(chart.points)(result)), most_drawn(drawing)
            noun = "topics"
        # vl-convert escapes the names in it.
        parts.append(Markup(_of_page(bare_svg(fitted(drawing, width)))))  # noqa: S704
        parts.append(f"Of {number:,} {noun}, {shown} are drawn." if number > shown else "")
    drawn = Figure._make([*parts, _CAPTIONS[name](result), {}, None])
    with _LOCK:
        while len(_KEPT) >= _MOST_KEPT:
            del _KEPT[next(iter(_KEPT))]
        _KEPT[key] = drawn
    return drawn


def _of_page(drawn: str) -> str:
    """Return a drawing as a part of a page, each mark with the text to show at the pointer."""

    def pointer_text(mark: re.Match[str]) -> str:
        text = _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.4g}", mark[1])
        return f' data-says="{text}"'

    return _STYLES_AND_ROLES.sub("", _MARK.sub(pointer_text, drawn))


@router.get("/charts/{name}.{form}")
def chart_file(
    http: Request,
    caller: PageCaller,
    session: PageSession,
    name: str,
    form: Literal["svg", "png", "csv"],
) -> Response:
    """Return a chart as a file."""
    if name not in _CHARTS:
        raise NotRecordedError(f"There is no chart '{name}'.")
    query = parse_qs(http.url.query)
    result = _CHARTS[name].ask(session, caller, query)
    drawn_as = _find_chart(name, result)
    if drawn_as is None:
        raise NotRecordedError("This result has no chart.")
    chart = _CHARTS[drawn_as]
    if form == "csv":
        return csv_file(_function(chart.points)(result))
    drawn = _function(chart.draw)(result)
    if form == "png":
        return Response(png(drawn), media_type="image/png")
    return Response(svg(drawn), media_type="image/svg+xml")


def csv_file(rows: Sequence[dict[str, Any]], names: Sequence[str] = ()) -> Response:
    """Return rows as CSV; the columns are those of the first row unless named."""
    names = names or list(rows[0] if rows else ())
    return Response(csv_text(names, rows), media_type="text/csv; charset=utf-8")
