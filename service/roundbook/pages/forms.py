"""Requests to pages: the caller, the transaction, and the forms that are filled in."""

from collections.abc import AsyncIterator, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin
from unicodedata import normalize
from urllib.parse import parse_qs, urlsplit

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool, run_in_threadpool
from pydantic import BaseModel

from roundbook.api.access import permit
from roundbook.api.callers import Caller, find_caller
from roundbook.api.problems import HttpError, status_of
from roundbook.api.turns import Limit, Turns, computing_turn, transaction
from roundbook.errors import RequestError, RoundbookError
from roundbook.logbook.session import Session
from roundbook.measure_names import measure_key
from roundbook.pages.ways_out import next_step
from roundbook.requests.base import takes_several
from roundbook.requests.matrices import ListMatrices, ShowMatrix
from roundbook.requests.results import ShowResult
from roundbook.requests.tasks import ListRounds

_MOST_BYTES = 100_000
PageCaller = Annotated[Caller, Depends(find_caller)]


async def _opened(http: Request, caller: PageCaller) -> AsyncIterator[Session]:
    """Yield a session for a page, if the caller may see what its address names; else refuse.

    It reads one snapshot of the record, with a limit of time.
    """
    async with (
        _turn(http, caller) as limit,
        contextmanager_in_threadpool(
            transaction(http, caller, limit, one_snapshot=True)
        ) as session,
    ):
        await run_in_threadpool(permit_named, caller, session, http.query_params)
        yield session


PageSession = Annotated[Session, Depends(_opened)]


@asynccontextmanager
async def _turn(http: Request, caller: Caller) -> AsyncIterator[Limit]:
    """Wait for a turn to read, or, where the page names a study, for a turn to compute."""
    fields = filled_in(http)
    if "study" in fields and "form" not in fields:
        async with computing_turn(http, caller) as limit:
            yield limit
        return
    turns: Turns = http.app.state.turns
    async with turns.without_token if caller.scope is None else nullcontext(), turns.reading:
        yield Limit(turns)


def permit_named(caller: Caller, session: Session, fields: Mapping[str, str]) -> None:
    """Refuse fields that name a task, matrix or result that a caller may not see, recorded or not.

    The fields `task` and `round`, `matrix`, and `name` (of a saved result) mean the same on all
    pages and in all forms.

    Raises
    ------
    HttpError
        401 without a token, 403 for another task than the token's.
    """
    named = {name: value.strip() for name, value in fields.items() if value.strip()}
    if "task" in named:
        if "round" in named:
            permit(caller, session, ListMatrices(task=named["task"], round=named["round"]))
        permit(caller, session, ListRounds(task=named["task"]))
    if "matrix" in named:
        permit(caller, session, ShowMatrix(matrix=named["matrix"]))
    if "name" in named:
        permit(caller, session, ShowResult(name=named["name"]))


async def read_form(http: Request) -> dict[str, str]:
    """Return the fields of a form that was sent, the last value of each."""
    body = await http.body()
    if len(body) > _MOST_BYTES:
        raise HttpError(413, "The form is too long.")
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=False)
    return {name: values[-1].strip() for name, values in read.items()}


def own_address(address: str) -> str | None:
    """Return an address as one within these pages; None for one of another site."""
    inside = address.startswith("/") and not address.startswith("//") and "\\" not in address
    return address if inside else None


def came_from(http: Request) -> str | None:
    """Return the address of the page that sent a form; None where the browser does not say."""
    try:
        page = urlsplit(http.headers.get("referer", ""))
    except ValueError:
        return None
    if page.netloc != http.headers.get("host"):
        return None
    return own_address(f"{page.path}?{page.query}" if page.query else page.path)


def filled_in(http: Request) -> dict[str, str]:
    """Return the fields of an address that are not empty, in NFC."""
    fields = {name: normalize("NFC", value) for name, value in http.query_params.items()}
    return {name: value for name, value in fields.items() if value.strip()}


def recorded_name(measure: str, names: Iterable[str]) -> str:
    """Return the recorded name of a measure that is spelt as another tool spells it."""
    return next((name for name in names if measure_key(name) == measure_key(measure)), measure)


def labels_to_choose(chosen: str | None, recorded: Iterable[str]) -> list[str]:
    """Return the assessments labels to choose from, with that chosen; empty for a single label."""
    labels = sorted({*recorded, *filter(None, [chosen])})
    return labels if len(labels) > 1 else []


def fields_of(request: type[BaseModel], query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return request fields from an address: all values if a field takes several, else the last."""
    return {
        name: tuple(values) if takes_several(request, name) else values[-1]
        for name, values in query.items()
    }


class FormField(NamedTuple):
    """A field of a form, as its request has it: its description, its default, how it is filled in.

    `choices` are those of a list or, where `several` may be chosen, boxes to tick; a `tick` is a
    single box, and a `number` may have decimals.
    """

    name: str
    hint: str
    usual: str
    required: bool
    choices: tuple[str, ...]
    several: bool
    tick: bool
    number: bool


def form_field(request: type[BaseModel], name: str) -> FormField:
    """Return the field of a form for a field of a request."""
    field, several = request.model_fields[name], takes_several(request, name)
    parts = [field.annotation, *get_args(field.annotation)]
    literals = next((part for part in parts if get_origin(part) is Literal), None)
    lacks_default = field.is_required() or field.default is None or several
    return FormField(
        name=name,
        hint=field.description or "",
        usual="" if lacks_default else str(field.default),
        required=field.is_required(),
        choices=get_args(literals),
        several=several,
        tick=field.annotation is bool,
        number=float in parts and not several,
    )


class Refusal(NamedTuple):
    """The reason why a form was refused, and its field; empty for the form as a whole.

    `command` is what to type in a terminal, where no page does what would help.
    """

    field: str
    sentence: str
    command: str | None = None


def refusal(
    error: RoundbookError,
    form_fields: Collection[str],
    fields_by_error: Mapping[type[Exception], str] | None = None,
) -> Refusal:
    """Return the refusal of a form: what is wrong and what helps, and the field it stands beside.

    An error in a field that is not in `form_fields` stands beside the form as a whole.
    `fields_by_error` has, by the class of an error that names no field, the field it is about.
    """
    if isinstance(error, RequestError):
        name = error.field.partition(".")[0]
        field = name if name in form_fields else ""
    else:
        by_error = (fields_by_error or {}).items()
        field = next((name for kind, name in by_error if isinstance(error, kind)), "")
    step = next_step(error)
    if step is None:
        return Refusal(field, str(error))
    return Refusal(field, f"{error} {step.sentence}", step.command)


def refused_status(error: RoundbookError) -> int:
    """Return the HTTP status of a refused form; raise an error that refuses access."""
    status = status_of(error)
    if status in (401, 403):
        raise error
    return status
