"""Charts of pages: drawn into a page for a desk and for a phone, and as SVG, PNG and CSV files."""

import csv
import io
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from roundbook.api.access import Caller, permit, visible
from roundbook.csv_names import marked
from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.session import Session, Work
from roundbook.pages.site import Asking, Who
from roundbook.presentation.charts.files import bare_svg, png, svg
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.matrices import ShowMatrix
from roundbook.requests.plans import PlanRequest
from roundbook.requests.variances import VarianceRequest
from roundbook.use_cases import find_use_case

router = APIRouter()
_Ask = Callable[[Session, Caller, dict[str, Any]], Any]
# In all, of a chart beside another one, of one that has the page's width, and on a phone.
HALF, WHOLE, PHONE = 480, 690, 336
# The page's policy allows no style but that of its style sheet, which says so too; and the page
# says what a chart shows, so that its marks have nothing to say.
_OF_PAGE = re.compile(r' (?:style|aria-[a-z]+|role)="[^"]*"')
Points = list[dict[str, Any]]
# Fields of which there may be several.
_SEVERAL = {"m", "min_d", "topics", "assessments", "scales"}

# How each chart is drawn, and its points. What draws is imported when something is drawn.


def _variances(history: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk, variances

    if width:
        return desk.variances(history, width)
    return variances.variance_chart([history]), variances.variance_points(history)


def _ageing(curve: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk, drift

    if width:
        return desk.ageing(curve, width)
    return drift.curve_chart(curve), drift.curve_points(curve, "shift")


def _means(report: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk, drift

    if width:
        return desk.means(report, width)
    return drift.topics_chart(report), drift.topic_points(report)


def _sds(report: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk

    return desk.sds(report, width) if width else (desk.sds(report, HALF), desk.sd_points(report))


def _factors(fitted: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk, factors

    if width:
        return desk.factors(fitted, width)
    return factors.factor_chart(fitted), factors.factor_points(fitted)


def _scores(overview: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk

    if width:
        return desk.scores(overview, width)
    return desk.scores(overview, WHOLE), desk.score_points(overview)


def _topics(overview: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import desk

    if width:
        return desk.topics(overview, width)
    return desk.topics(overview, WHOLE), [row.model_dump() for row in overview.topics]


def _plan(plan: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import plans
    from roundbook.presentation.charts.style import fitted

    if width:
        return fitted(plans.power_chart(plan), width)
    return plans.power_chart(plan), plans.power_points(plan)


def _study(study: Any, width: int) -> Any:  # noqa: ANN401
    from roundbook.presentation.charts import studies
    from roundbook.presentation.charts.style import fitted

    chart = studies.study_chart(study)
    return fitted(chart, width) if width else (chart, studies.study_points(study))


def _ask_study(session: Session, caller: Caller, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    from roundbook.logbook.studies.studies import STUDIES, run_study

    name = str(fields.pop("study", ""))
    if name not in STUDIES:
        raise NotRecordedError(f"There is no study '{name}'.")
    asked = STUDIES[name].request(**fields)
    if asked.files:
        raise InputError("A chart is of scores in the record, not of files.")
    return run_study(session, permit(caller, session, asked), Work())


def _ask_overview(session: Session, caller: Caller, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    from roundbook.logbook.matrices.overview import show_overview

    return show_overview(session, permit(caller, session, ShowMatrix(**fields)))


def _ask(name: str, request: Any) -> _Ask:  # noqa: ANN401
    return lambda session, caller, fields: find_use_case(name).run(
        session, permit(caller, session, request(**fields))
    )


class _Chart(NamedTuple):
    """A chart of pages.

    Attributes
    ----------
    ask : callable
        Returns what is drawn, from a session and the fields asked.
    draw : callable
        Returns the chart of that in a width, or, for 0, the chart of a file and its points.
    width : int
        In a page.
    """

    ask: _Ask
    draw: Callable[[Any, int], Any]
    width: int


_CHARTS = {
    "variances": _Chart(_ask("variances", VarianceRequest), _variances, HALF),
    "ageing": _Chart(_ask("ageing", CurveRequest), _ageing, HALF),
    "drift": _Chart(_ask("drift", DriftRequest), _means, HALF),
    "sds": _Chart(_ask("drift", DriftRequest), _sds, HALF),
    "factors": _Chart(_ask("factors", FactorsRequest), _factors, WHOLE),
    "scores": _Chart(_ask_overview, _scores, WHOLE),
    "topics": _Chart(_ask_overview, _topics, WHOLE),
    "plan": _Chart(_ask("plan", PlanRequest), _plan, WHOLE),
    "study": _Chart(_ask_study, _study, WHOLE),
}


class Figure(NamedTuple):
    """A chart in a page: drawn for a desk and a phone, said in a sentence, and its files."""

    desk: Markup
    phone: Markup
    sentence: str
    files: dict[str, str]


def figure(name: str, answer: Any, sentence: str, **query: Any) -> Figure | None:  # noqa: ANN401
    """Return a chart of an answer for a page, None where there is nothing to draw.

    Parameters
    ----------
    sentence : str
        What it shows, for whoever does not see it.
    **query
        The fields that were asked.
    """
    chart = _CHARTS[name]
    try:
        # vl-convert escapes what names hold.
        desk, phone = (
            Markup(_OF_PAGE.sub("", bare_svg(chart.draw(answer, width))))  # noqa: S704
            for width in (chart.width, PHONE)
        )
    except InputError:
        return None
    asked = urlencode({key: value for key, value in query.items() if value is not None}, doseq=True)
    files = {form.upper(): f"/charts/{name}.{form}?{asked}" for form in ("svg", "png", "csv")}
    return Figure(desk, phone, sentence, files)


@router.get("/charts/{name}.{form}")
def chart_file(
    http: Request, caller: Who, session: Asking, name: str, form: Literal["svg", "png", "csv"]
) -> Response:
    """Return a chart as a file."""
    if name not in _CHARTS:
        raise NotRecordedError(f"There is no chart '{name}'.")
    chart, fields = _CHARTS[name], fields_of(http)
    drawn, points = chart.draw(
        visible(caller, session, lambda: chart.ask(session, caller, fields)), 0
    )
    if form == "csv":
        return table(points)
    if form == "png":
        return Response(png(drawn), media_type="image/png")
    return Response(svg(drawn), media_type="image/svg+xml")


def table(rows: Sequence[dict[str, Any]]) -> Response:
    """Return rows as CSV."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(
        {key: marked(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in rows
    )
    return Response(stream.getvalue(), media_type="text/csv; charset=utf-8")


def fields_of(http: Request) -> dict[str, Any]:
    """Return the fields of an address: several values where a field takes several."""
    return {
        name: tuple(http.query_params.getlist(name)) if name in _SEVERAL else value
        for name, value in http.query_params.items()
    }
