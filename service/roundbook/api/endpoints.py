"""Endpoints of the use cases: questions, whose answers are cached, and decisions."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from fastapi import Request
from fastapi.responses import Response
from pydantic import BaseModel, Field

from roundbook.api.access import permit, permit_saving, run_permitted
from roundbook.api.answers import (
    CSV,
    PARQUET,
    AnswerCache,
    Rendered,
    accepted,
    current_snapshot,
    render,
    respond,
    snapshot_of,
)
from roundbook.api.callers import Caller, allowed_caller
from roundbook.api.openapi import names_files
from roundbook.api.problems import NO_JSON, HttpError
from roundbook.api.turns import (
    SECONDS_TO_DECIDE,
    Limit,
    computed,
    decision_limit,
    in_turn,
    transaction,
)
from roundbook.errors import RequestError
from roundbook.logbook.kinds import find_kind, kind_and_fields
from roundbook.logbook.saving import SavedResult, save_long_result
from roundbook.logbook.session import Session
from roundbook.requests.access import Scope
from roundbook.requests.base import is_kept, takes_several
from roundbook.requests.matrices import ExportMatrix
from roundbook.requests.results import ResultName, ResultNote, SaveResult
from roundbook.use_cases import UseCase

# Answers that depend on the time of day, or check what is stored, are never cached.
_NEVER_KEPT = frozenset({"tokens", "verify", "verify_round"})
_ELSEWHERE = "`{}` names a file of this machine; files are sent and answered in the body."
Endpoint = Callable[[Request], Awaitable[Response]]


def question(name: str, case: UseCase) -> Endpoint:
    """Return the endpoint of a use case that only reads; its fields come from the query."""
    model = case.request

    async def ask(http: Request) -> Response:
        kind = accepted(http)
        cache: AnswerCache | None = http.app.state.cache if name not in _NEVER_KEPT else None

        def find_cached() -> tuple[Caller, object, Rendered | None]:
            """Return the caller, the cache key of the answer, and the cached answer or None."""
            caller = allowed_caller(http, case.scope)
            # Of the address as it was sent: `http.url` leaves out what follows a '#'.
            address = http.scope["path"], http.scope["query_string"]
            key = (*address, kind, caller.scope is None, caller.task)
            snapshot = None if cache is None else current_snapshot(http.app.state.engine)
            return caller, key, None if cache is None else cache.get(key, snapshot)

        def compute(caller: Caller, key: object, limit: Limit) -> Rendered:
            request = None if model is None else model(**query_fields(http, model))
            with transaction(http, caller, limit, one_snapshot=True) as session:
                snapshot = snapshot_of(session.connection) if cache is not None else None
                if isinstance(request, ExportMatrix) and kind == PARQUET:
                    return _scores_as_parquet(http, caller, session, case, request)
                result: BaseModel = run_permitted(caller, session, case.run, request)
            rendered = render(http, result, kind)
            if cache is not None:
                cache.put(key, snapshot, rendered)
            return rendered

        def read() -> Rendered:
            caller, key, rendered = find_cached()
            return rendered or compute(caller, key, Limit(http.app.state.turns))

        if not case.computes:
            return respond(http, await in_turn(http, read))
        caller, key, rendered = await in_turn(http, find_cached)
        if rendered is None:
            rendered = await computed(http, partial(compute, caller, key), caller=caller)
        return respond(http, rendered)

    return ask


def _scores_as_parquet(
    http: Request, caller: Caller, session: Session, case: UseCase, request: ExportMatrix
) -> Rendered:
    with tempfile.TemporaryDirectory(prefix="roundbook-") as directory:
        file = Path(directory) / "scores.parquet"
        request = request.model_copy(update={"output": file})
        result: BaseModel = run_permitted(caller, session, case.run, request)
        return render(http, result, CSV)._replace(body=file.read_bytes(), kind=PARQUET)


def decision(case: UseCase) -> Endpoint:
    """Return the endpoint of a use case that changes the record."""
    model = case.request
    assert model is not None

    async def decide(http: Request) -> Response:
        body = await http.body()

        def work(caller: Caller, limit: Limit) -> Rendered:
            request = model(**json_fields(http, body))
            with transaction(http, caller, limit, keep=is_kept(request)) as session:
                result = case.run(session, permit(caller, session, request))
            return render(http, result, accepted(http))

        return respond(http, await _decided(http, work, case.scope, computes=case.computes))

    return decide


async def save(http: Request, kind: str, saving: Saving) -> Response:
    """Compute a result of a kind and keep it with its inputs."""

    def work(caller: Caller, limit: Limit) -> Rendered:
        under = SaveResult(name=saving.name, note=saving.note)
        saved = save_permitted(http, caller, limit, kind, saving.request, under)
        return render(http, saved, accepted(http))

    return respond(http, await _decided(http, work, "log", computes=True))


def save_permitted(
    http: Request,
    caller: Caller,
    limit: Limit,
    kind: str,
    fields: dict[str, Any],
    under: SaveResult,
) -> SavedResult:
    """Compute and save a result, if the caller may see its inputs and any result of its name."""
    kind, fields = kind_and_fields(kind, fields)
    request = find_kind(kind).request(**fields)
    for name in type(request).model_fields:
        if names_files(type(request), name) and getattr(request, name):
            raise HttpError(422, _ELSEWHERE.format(name))
    begin_in_time = partial(transaction, http, caller, limit)
    with begin_in_time(one_snapshot=True) as session:
        request = permit(caller, session, request)
        permit_saving(caller, session, kind, request, under.name)
    return save_long_result(begin_in_time, kind, request, under)


async def _decided(
    http: Request, work: Callable[[Caller, Limit], Rendered], scope: Scope, *, computes: bool
) -> Rendered:
    """Return the response of a decision; a long computation waits for a turn to compute."""
    if http.query_params:  # where uploads take theirs: a `dry_run` would be ignored here
        raise HttpError(422, "The fields of a decision are in its body, none in the address.")
    if not computes:
        return await in_turn(http, lambda: work(allowed_caller(http, scope), decision_limit(http)))
    caller = await in_turn(http, lambda: allowed_caller(http, scope))
    return await computed(http, partial(work, caller), caller=caller, seconds=SECONDS_TO_DECIDE)


class Saving(BaseModel):
    """The result to save: its name, a note, and the fields of its request."""

    name: ResultName = None
    note: ResultNote = None
    request: Annotated[dict[str, Any], Field(description="What is asked of it.")]

    model_config = {
        "extra": "forbid",
        "json_schema_extra": {
            "example": {"name": "next-round", "request": {"task": "covid", "measure": "nDCG@10"}}
        },
    }


def query_fields(
    http: Request, request: type[BaseModel], file: str | None = None
) -> dict[str, Any]:
    """Return the fields of a request from the query; `file` is the field that the body fills.

    A field that names a file is refused: it would be a file of the service's machine.
    """
    fields: dict[str, Any] = {}
    for name in dict.fromkeys(http.query_params):
        if name == "filename" and file is not None:
            continue
        values: list[Any] = http.query_params.getlist(name)
        field, several = request.model_fields.get(name), takes_several(request, name)
        if len(values) > 1 and not several:
            raise RequestError(name, f"`{name}` is given {len(values)} times, and takes one value")
        if field is not None and (name == "force" or names_files(request, name)):
            raise HttpError(422, _ELSEWHERE.format(name))
        if field is not None and "Mapping" in str(field.annotation):
            try:
                values = [json.loads(value) for value in values]
            except (ValueError, RecursionError):
                raise RequestError(name, f"`{name}` is a JSON object") from None
        fields[name] = values if several else values[-1]
    return fields


def json_fields(http: Request, body: bytes) -> dict[str, Any]:
    """Return the fields of a JSON body; refuse other types, which other sites' forms can send."""
    kind = http.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        fields = json.loads(body) if kind == "application/json" else None
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise HttpError(422, NO_JSON)
    return fields
