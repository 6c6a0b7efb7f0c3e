"""Charts of pages as files: SVG, PNG, and their data as CSV; into a page they are drawn as SVG."""

import csv
import io
from collections.abc import Callable
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import Response
from markupsafe import Markup

from roundbook.api.access import visible
from roundbook.csv_names import marked
from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.session import Session
from roundbook.pages.site import Asking, Who
from roundbook.presentation.charts.files import bare_svg, png, svg
from roundbook.requests.drift import CurveRequest, DriftRequest
from roundbook.requests.factors import FactorsRequest
from roundbook.requests.plans import PlanRequest
from roundbook.requests.variances import VarianceRequest
from roundbook.use_cases import find_use_case

router = APIRouter()


def _variances(history: Any) -> tuple[Any, list[dict[str, Any]]]:  # noqa: ANN401
    from roundbook.presentation.charts import variances  # noqa: PLC0415

    return variances.variance_chart([history]), variances.variance_points(history)


def _ageing(curve: Any) -> tuple[Any, list[dict[str, Any]]]:  # noqa: ANN401
    from roundbook.presentation.charts import drift  # noqa: PLC0415

    return drift.curve_chart(curve), drift.curve_points(curve, "shift")


def _drift(report: Any) -> tuple[Any, list[dict[str, Any]]]:  # noqa: ANN401
    from roundbook.presentation.charts import drift  # noqa: PLC0415

    return drift.topics_chart(report), drift.topic_points(report)


def _factors(factors: Any) -> tuple[Any, list[dict[str, Any]]]:  # noqa: ANN401
    from roundbook.presentation.charts import factors as drawing  # noqa: PLC0415

    return drawing.factor_chart(factors), drawing.factor_points(factors)


def _plan(plan: Any) -> tuple[Any, list[dict[str, Any]]]:  # noqa: ANN401
    from roundbook.presentation.charts import plans  # noqa: PLC0415

    return plans.power_chart(plan), plans.power_points(plan)


# By name: the request, the use case that answers it, and how the answer is drawn.
_CHARTS: dict[str, tuple[Any, str, Callable[[Any], tuple[Any, list[dict[str, Any]]]]]] = {
    "variances": (VarianceRequest, "variances", _variances),
    "ageing": (CurveRequest, "ageing", _ageing),
    "drift": (DriftRequest, "drift", _drift),
    "factors": (FactorsRequest, "factors", _factors),
    "plan": (PlanRequest, "plan", _plan),
}


class Figure(NamedTuple):
    """A chart in a page: drawn, said in a sentence, and where it is as a file."""

    svg: Markup
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
    try:
        drawn, _ = _CHARTS[name][2](answer)
    except InputError:
        return None
    asked = urlencode({key: value for key, value in query.items() if value is not None}, doseq=True)
    files = {form.upper(): f"/charts/{name}.{form}?{asked}" for form in ("svg", "png", "csv")}
    # vl-convert escapes what names hold.
    return Figure(Markup(bare_svg(drawn)), sentence, files)  # noqa: S704


@router.get("/charts/{name}.{form}")
def chart(
    http: Request, caller: Who, session: Asking, name: str, form: Literal["svg", "png", "csv"]
) -> Response:
    """Return a chart as a file."""
    if name not in _CHARTS:
        raise NotRecordedError(f"There is no chart '{name}'.")
    drawn, points = _draw(session, caller, name, _fields(http))
    if form == "csv":
        stream = io.StringIO()
        writer = csv.DictWriter(stream, list(points[0]) if points else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(
            {key: marked(value) if isinstance(value, str) else value for key, value in row.items()}
            for row in points
        )
        return Response(stream.getvalue(), media_type="text/csv; charset=utf-8")
    if form == "png":
        return Response(png(drawn), media_type="image/png")
    return Response(svg(drawn), media_type="image/svg+xml")


def _fields(http: Request) -> dict[str, Any]:
    several = {"m", "min_d", "topics", "assessments"}
    return {
        name: tuple(http.query_params.getlist(name)) if name in several else value
        for name, value in http.query_params.items()
    }


def _draw(session: Session, caller: Any, name: str, fields: dict[str, Any]) -> Any:  # noqa: ANN401
    request, use_case, draw = _CHARTS[name]
    asked = request(**fields)
    return draw(visible(caller, session, lambda: find_use_case(use_case).run(session, asked)))
