"""The kinds of results that can be saved, and where each says how it is computed and read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row

from roundbook.errors import InputError
from roundbook.logbook.result import Result, read_result
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Change, Input
from roundbook.logbook.verifying.differences import Facts, NotComputed
from roundbook.requests.base import Request

# By kind, what its modules are named after, which are imported when a result of the kind is met:
# ``logbook.plans.kind`` holds its `KIND`, ``presentation.saved_plans`` has its words, and
# ``roundbook_cli.saved_plans`` prints one.
_PACKAGES = {"plan": "plans", "drift": "drift", "study": "studies"}
KINDS = tuple(_PACKAGES)


class Kind(NamedTuple):
    """One kind of saved result.

    Attributes
    ----------
    title : str
        What it is called: ``plan``, ``drift report``.
    request : from the fields of a saved request to the request
    compute : from a session and a request to the result
    asked : from a request and its result to the request that is saved
        What was left to a default that may be another one day, such as the latest round, is named.
    inputs : from a connection, the request that is saved and its result to what it was computed from
    today : from a connection, a task's id and a request to what it would be computed from today
    brief : from the stored result to what a list shows of it
    read : from the stored result and what to call it to the result
    differences : from a connection, the result's row, the result and its request to what differs
        What is yielded of what its inputs do not give are fields of a verification's `Difference`,
        and where it cannot be computed again `NotComputed`.
    renewable : from what changed and today's inputs to whether it can be computed again
    left_out : from the stored result to the rounds that it left out as withdrawn
    today_by : from a request to what `today` takes of it, by default all
        Results that have it alike share one look into the record.
    in_event : what of `brief` its event tells beside the measure
    beside : the fields of a result that make it no other one, beside the software
    """

    title: str
    request: Callable[..., Request]
    compute: Callable[[Session, Any], Result]
    asked: Callable[[Any, Any], Request]
    inputs: Callable[[Connection, Any, Any], list[Input]]
    today: Callable[[Connection, int, Any], list[Input]]
    brief: Callable[[Mapping[str, Any]], dict[str, Any]]
    read: Callable[[object, str], Result]
    differences: Callable[[Connection, Row[Any], Any, Any], Iterator[Facts | NotComputed]]
    renewable: Callable[[Sequence[Change], Sequence[Input]], bool] = lambda _, today: bool(today)
    left_out: Callable[[Mapping[str, Any]], list[str]] = lambda _: []
    today_by: Callable[[Any], Hashable] = lambda request: request.model_dump_json()
    in_event: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def imported(reference: str) -> Callable[..., Any]:
    """Return a function of the logbook, by ``module:name``, that is imported when it is called.

    What computes takes SciPy, a third of a second that a list of results is spared.
    """

    def call(*given: Any) -> Any:  # noqa: ANN401
        return _load(reference)(*given)

    return call


def reading(reference: str) -> Callable[[object, str], Result]:
    """Return what reads a stored result as a model of the logbook, by ``module:name``."""
    return lambda stored, what: read_result(_load(reference), stored, what)


def _load(reference: str) -> Any:  # noqa: ANN401
    module, _, name = reference.partition(":")
    return getattr(import_module(f"roundbook.logbook.{module}"), name)


def find_kind(name: str) -> Kind:
    """Return a kind of saved result by its name."""
    if name not in _PACKAGES:
        raise InputError(f"There is no kind of result '{name}'; there are {', '.join(_PACKAGES)}.")
    kind: Kind = import_kind(name, "roundbook.logbook.{}.kind").KIND
    return kind


def kind_of(name: str, fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind that a name stands for, and the fields of its request.

    A study goes by its own name too.
    """
    from roundbook.logbook.studies.studies import STUDIES  # noqa: PLC0415

    if name in STUDIES:
        return "study", {"study": name, **fields}
    return name, dict(fields)


def import_kind(name: str, modules: str) -> ModuleType:
    """Return the module of a kind in another room, such as ``roundbook_cli.saved_{}``."""
    return import_module(modules.format(_PACKAGES[name]))
