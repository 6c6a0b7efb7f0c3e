"""The pages of a task as one file: charts and style inside, no script, nothing to fetch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from roundbook.errors import InputError, MissingExtraError, NotRecordedError, RoundbookError
from roundbook.formats.text import shown_path
from roundbook.logbook.atomic_files import atomic_file
from roundbook.logbook.events import list_events
from roundbook.logbook.lookup import find_task, find_task_series, recorded_round
from roundbook.logbook.measures import find_measure
from roundbook.logbook.result import ErrorField, Result
from roundbook.logbook.rounds import Round, has_scores, other_measures
from roundbook.logbook.session import ReportProgress, Session, ignore_progress
from roundbook.presentation.rounds import several_assessments
from roundbook.reports.self_contained import self_contained
from roundbook.requests.record import EventsRequest
from roundbook.requests.reports import HtmlReport
from roundbook.requests.results import ShowResult

if TYPE_CHECKING:
    from roundbook.api.callers import Caller


class WrittenHtml(Result):
    """A report as one HTML file: its pages, and the rounds among them that are drafts.

    `left_out` has the errors of the pages that are missing, and why a page shows no scores.
    `measures_of_results` are the other measures of its saved results; `other_measures` are measures
    of the rounds that it has no pages of, where no measure was asked for. `assessments` is the label
    asked for, None without one.
    """

    report: str
    bytes: int
    task: str
    round: str | None
    measure: str
    assessments: str | None = None
    scale: str
    pages: list[str]
    drafts: list[str]
    left_out: dict[str, ErrorField]
    measures_of_results: list[str]
    other_measures: list[str]


class _Page(NamedTuple):
    """A page of the report: its anchor, title, HTML as the site writes it, and the links to it."""

    anchor: str
    title: str
    written: str
    links: Sequence[tuple[str, str]]


# By path, the fields of a page's address that name its round or result.
_NAMED_BY = {"/round": ("round",), "/result": ("kind", "name"), "/drift": ("to_round",)}


def write_html(
    session: Session, request: HtmlReport, progress: ReportProgress = ignore_progress
) -> WrittenHtml:
    """Write the pages of a task, or of a round, into one file.

    A task has the pages of the task, its rounds, its drift from the first round to the latest, and
    its saved results; a round has its own page, and that of its drift from the first round. The
    session's transaction must read one snapshot.

    Raises
    ------
    MissingExtraError
        When the libraries that write pages are not installed.
    NotRecordedError
        When there is no such task or round, or nothing to report of it.
    InputError
        When the file is there already or cannot be written.
    """
    if not all(map(find_spec, ("fastapi", "jinja2", "altair", "vl_convert"))):
        raise MissingExtraError("Reports as HTML need what pages are written with.", "serve")
    # A file that cannot be written is refused before any work is done.
    with atomic_file(request.output, force=request.force) as part:
        content, written = _compose(session, request, progress)
        part.write_bytes(content)
    return written


def _compose(
    session: Session, request: HtmlReport, progress: ReportProgress
) -> tuple[bytes, WrittenHtml]:
    from markupsafe import Markup  # noqa: PLC0415

    from roundbook.api.callers import Caller  # noqa: PLC0415
    from roundbook.pages.rendering import render  # noqa: PLC0415
    from roundbook.pages.tasks import task_context  # noqa: PLC0415

    connection, measure, label = session.connection, request.measure, request.assessments
    task_id = find_task(connection, request.task)
    if measure is not None:
        _, measure = find_measure(connection, task_id, request.task, measure)
    caller = Caller(session.user, "admin")  # who may see all that the writer may see
    of_task = task_context(session, caller, request.task, measure, label, request.scale)
    task, measure, rounds = of_task["task"].task, of_task["measure"], of_task["rounds"]
    if not measure:
        raise NotRecordedError(
            f"Task '{task}' has no scores to report.",
            way_out="log a round",
            task=task,
            measure="M",
        )
    if label is not None:
        # A label that the task does not have is refused, as an unknown measure is.
        label = find_task_series(connection, task, measure, label).assessments
    if request.round is not None:
        only = recorded_round(connection, task, request.round).label
        request = request.model_copy(update={"round": only})
    reported = [row for row in rounds if request.round in (None, row.round)]
    drafts = [row.round for row in reported if row.status == "draft"]
    pages, left_out = _pages(session, caller, request, of_task, reported, progress)
    event = list_events(session, EventsRequest(task=task, limit=1)).events[-1]
    anchor_of = partial(_anchor, pages)
    of_results: list[str] = []
    if request.round is None:
        saved = [row["entry"] for row in of_task["results"] if row["entry"].name not in left_out]
        of_results = sorted({entry.brief.get("measure") for entry in saved} - {measure, None})
    others = [] if request.measure else other_measures(reported, measure)
    document = render(
        "report.html",
        title=f"Report on {task}, {request.round}" if request.round else f"Report on {task}",
        css=Markup((files("roundbook.pages") / "static" / "style.css").read_text("utf-8")),  # noqa: S704
        event=event,
        measure=measure,
        assessments=label,
        scale=request.scale,
        of_results=of_results,
        drafts=drafts,
        # The pages of the site are escaped already.
        pages=[
            page._replace(written=Markup(self_contained(page.written, page.anchor, anchor_of)))  # noqa: S704
            for page in pages
        ],
    )
    content = document.encode()
    return content, WrittenHtml(
        report=shown_path(request.output),
        bytes=len(content),
        task=task,
        round=request.round,
        measure=measure,
        assessments=label,
        scale=request.scale,
        pages=[page.title for page in pages],
        drafts=drafts,
        left_out=left_out,
        measures_of_results=of_results,
        other_measures=[name for name in others if name not in of_results],
    )


def _pages(
    session: Session,
    caller: Caller,
    request: HtmlReport,
    of_task: dict[str, Any],
    reported: list[Round],
    progress: ReportProgress,
) -> tuple[list[_Page], dict[str, RoundbookError]]:
    """Return the pages as the site writes them, and the reasons why pages are left out."""
    from roundbook.pages.answers import drift_context  # noqa: PLC0415
    from roundbook.pages.rendering import render  # noqa: PLC0415
    from roundbook.pages.results import result_context  # noqa: PLC0415
    from roundbook.pages.rounds import round_context  # noqa: PLC0415

    task, measure, label = of_task["task"].task, of_task["measure"], of_task["assessments"]
    pages: list[_Page] = []
    left_out: dict[str, RoundbookError] = {}

    def add(
        anchor: str, title: str, kind: str, names: Sequence[str], make: Callable[[], dict[str, Any]]
    ) -> None:
        progress(f"Writing {title} ...")
        try:
            context = make()
            written = render(f"{kind}.html", **context, caller=caller, here="/", open_to_all=True)
        except RoundbookError as error:
            left_out[title] = error
            return
        pages.append(_Page(anchor, title, written, [(f"/{kind}", name) for name in names]))
        if context.get("labels") and context["assessments"] is None:
            several = several_assessments(context["measure"], None, context["labels"])
            left_out[f"scores of {title}"] = InputError(several, way_out="several assessments")

    whole = request.round is None
    if whole:
        add("task", "The task", "task", [""], lambda: of_task)
    scored = [row.round for row in of_task["rounds"] if has_scores(row, measure, label)]
    for row in reported:
        # A round with scores of other measures only shows these, unless assessments are named.
        of_round = measure if row.round in scored or label is not None else None
        make = partial(round_context, session, caller, task, row.round, of_round, label)
        add(f"round-{row.ordinal}", row.round, "round", [row.round], make)
    if (whole and len(scored) > 1) or request.round in scored[1:]:
        later = scored[-1] if request.round is None else request.round
        fields = {"task": task, "measure": measure, "to_round": later}
        if label is not None:
            fields["assessments"] = label
        add("drift", "Drift", "drift", ["", later], partial(drift_context, session, caller, fields))
    for number, result in enumerate(of_task["results"] if whole else (), 1):
        kind, name = result["entry"].kind, result["entry"].name
        make = partial(result_context, session, caller, ShowResult(name=name, kind=kind))
        add(f"result-{number}", name, "result", [f"{kind} {name}"], make)
    return pages, left_out


def _anchor(pages: Sequence[_Page], link: str) -> str | None:
    """Return the anchor of the page that a link leads to, None where the report lacks it."""
    parts = urlsplit(link)
    query = dict(parse_qsl(parts.query))
    name = " ".join(query.get(field, "") for field in _NAMED_BY.get(parts.path, ()))
    return next((page.anchor for page in pages if (parts.path, name) in page.links), None)
