"""What pages are asked: by whom, in which transaction, and the forms that are filled in."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Annotated, Any, NamedTuple
from urllib.parse import parse_qs

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool
from pydantic import BaseModel
from starlette.requests import ClientDisconnect

from roundbook.api.access import permit
from roundbook.api.callers import Caller, find_caller
from roundbook.api.problems import HttpError, status_of
from roundbook.api.turns import Limit, Turns, computing_turn, transaction
from roundbook.errors import RequestError, RoundbookError
from roundbook.logbook.session import Session
from roundbook.requests.base import takes_several
from roundbook.requests.matrices import ListMatrices, ShowMatrix
from roundbook.requests.results import ShowResult
from roundbook.requests.tasks import ListRounds

_MOST_BYTES = 100_000
Who = Annotated[Caller, Depends(find_caller)]


async def opened(http: Request, caller: Who) -> AsyncIterator[Session]:
    """Yield a transaction that reads the record as one moment saw it, and ends in time."""
    async with (
        _turn(http, caller) as limit,
        contextmanager_in_threadpool(transaction(http, caller, limit, one_moment=True)) as session,
    ):
        yield session


@asynccontextmanager
async def _turn(http: Request, caller: Caller) -> AsyncIterator[Limit]:
    """Wait for a turn to read, and for a page that names a study for one to compute."""
    if "study" in http.query_params:
        async with computing_turn(http, caller) as limit:
            yield limit
        return
    turns: Turns = http.app.state.turns
    async with turns.strangers if caller.scope is None else nullcontext(), turns.reading:
        yield Limit(turns)


def permitted(http: Request, caller: Who, session: Annotated[Session, Depends(opened)]) -> Session:
    """Return the session of a page, once who asks may see what its address names."""
    permit_named(caller, session, http.query_params)
    return session


Asking = Annotated[Session, Depends(permitted)]


def permit_named(caller: Caller, session: Session, fields: Mapping[str, str]) -> None:
    """Refuse fields that name what a caller may not see, whether it is there or not.

    Whatever the page or the form, `task` and `round`, `matrix`, and `name`, of a saved result, mean
    the same.

    Raises
    ------
    HttpError
        401 without a token, 403 for another task than the token's.
    """
    given = {name: value.strip() for name, value in fields.items() if value.strip()}
    if "task" in given:
        if "round" in given:
            permit(caller, session, ListMatrices(task=given["task"], round=given["round"]))
        permit(caller, session, ListRounds(task=given["task"]))
    if "matrix" in given:
        permit(caller, session, ShowMatrix(matrix=given["matrix"]))
    if "name" in given:
        permit(caller, session, ShowResult(name=given["name"]))


async def read_form(http: Request) -> dict[str, str]:
    """Return the fields of a form that was sent, the last of each."""
    body = b""
    try:
        async for chunk in http.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                raise HttpError(413, "The form is too long.")
    except ClientDisconnect:
        raise HttpError(400, "The form broke off; nothing was kept of it.") from None
    read = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=False)
    return {name: values[-1].strip() for name, values in read.items()}


def filled_in(http: Request) -> dict[str, str]:
    """Return the fields of an address that something was typed into."""
    return {name: value for name, value in http.query_params.items() if value.strip()}


def fields_of(request: type[BaseModel], query: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the fields of a request in an address: several values where a field takes several."""
    return {
        name: tuple(values) if takes_several(request, name) else values[-1]
        for name, values in query.items()
    }


class Refusal(NamedTuple):
    """Why a form was refused, and the field that it stands beside; empty for the form as a whole."""

    field: str
    sentence: str


def refusal(
    error: Exception, shown: Collection[str], fields: Mapping[type[Exception], str] | None = None
) -> Refusal:
    """Return why a form was refused.

    Parameters
    ----------
    shown : collection of str
        The fields of the form; what is wrong with another stands beside the form as a whole.
    fields : mapping, optional
        By the class of an error that names no field of a request, the field that it is about.
    """
    sentence = str(error)
    if isinstance(error, RequestError):
        field = error.field.partition(".")[0]
        return Refusal(field if field in shown else "", sentence)
    of = (field for kind, field in (fields or {}).items() if isinstance(error, kind))
    return Refusal(next(of, ""), sentence)


def refused_status(error: RoundbookError) -> int:
    """Return the status of a form that was refused; who may not see a page is told so in its place."""
    status = status_of(error)
    if status in (401, 403):
        raise error
    return status
