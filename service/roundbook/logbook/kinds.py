"""The kinds of saved results, each with the functions that compute, read and verify it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

from roundbook.errors import InputError
from roundbook.logbook.result import Result, read_result

if TYPE_CHECKING:
    # A plan from a given variance needs no SQLAlchemy.
    from sqlalchemy import Connection, Row

    from roundbook.logbook.input_rows import CurrentInputs
    from roundbook.logbook.session import Session
    from roundbook.logbook.staleness import Input
    from roundbook.logbook.verifying.differences import Facts, NotComputed
    from roundbook.requests.base import Request

# By kind, the package after which its modules are named. They are imported on first use:
# ``logbook.plans.kind`` holds its `KIND`, ``presentation.saved_plans`` its sentences, and
# ``roundbook_cli.saved_plans`` prints it.
KINDS = {"plan": "plans", "drift": "drift", "study": "studies"}


class Kind(NamedTuple):
    """One kind of saved result.

    Attributes
    ----------
    title : str
        Its name in sentences: ``plan``, ``drift report``.
    request : callable(**fields of a saved request) -> Request
    compute : callable(session, request) -> Result
    saved_request : callable(request, result) -> Request
        The request to save: defaults that may change with the record, such as the latest round, are
        replaced by names.
    inputs : callable(today's inputs, result) -> inputs
        The inputs that the result was computed from; by default all.
    today : callable(current inputs of a task, request) -> inputs
        The inputs that the request would have today, with what is known of them that the result
        depends on.
    brief : callable(stored result) -> dict
        The figures that a list shows.
    read : callable(stored result, its name in errors) -> Result
    differences : callable(connection, row of the result, result, request) -> differences
        The differences from a new computation, as fields of a `Difference`, or `NotComputed` where
        it cannot be computed again.
    renewable : callable(today's inputs) -> bool
        Whether it can be computed again.
    left_out : callable(stored result) -> list of str
        The rounds that it left out as withdrawn. Those of plans keep their labels: see
        `results_of_round`.
    in_event : tuple of str
        The fields of `brief` that the event of its saving has, besides the measure.
    beside : tuple of str
        The fields, besides the software, that are ignored in comparing two results.
    """

    title: str
    request: Callable[..., Request]
    compute: Callable[[Session, Any], Result]
    saved_request: Callable[[Any, Any], Request]
    today: Callable[[CurrentInputs, Any], list[Input]]
    brief: Callable[[Mapping[str, Any]], dict[str, Any]]
    read: Callable[[object, str], Result]
    differences: Callable[[Connection, Row[Any], Any, Any], Iterator[Facts | NotComputed]]
    inputs: Callable[[list[Input], Any], list[Input]] = lambda today, _: today
    renewable: Callable[[Sequence[Input]], bool] = bool
    left_out: Callable[[Mapping[str, Any]], list[str]] = lambda _: []
    in_event: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def imported(reference: str) -> Callable[..., Any]:
    """Return a function of the logbook, given as ``module:name`` and imported when it is called.

    Computing needs SciPy, whose import takes a third of a second; a list of results needs none.
    """

    def call(*arguments: Any) -> Any:  # noqa: ANN401
        return resolve_name(f"roundbook.logbook.{reference}")(*arguments)

    return call


def reading(reference: str) -> Callable[[object, str], Result]:
    """Return a function that reads a stored result as the model given as ``module:name``."""
    return lambda stored, name: read_result(
        resolve_name(f"roundbook.logbook.{reference}"), stored, name
    )


def find_kind(name: str) -> Kind:
    """Return a kind of saved result by its name."""
    if name not in KINDS:
        raise InputError(
            f"There is no kind of result '{name}'; there are {', '.join(KINDS)}.", kind=name
        )
    kind: Kind = resolve_name(f"roundbook.logbook.{KINDS[name]}.kind:KIND")
    return kind


def title_of(name: str) -> str:
    """Return a kind's name in sentences; for a kind of a later version, the name it is saved by."""
    return find_kind(name).title if name in KINDS else name


def kind_and_fields(name: str, fields: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the kind of a name and the fields of its request.

    The name of a study stands for the kind ``study``.
    """
    from roundbook.logbook.studies.studies import STUDIES  # noqa: PLC0415

    if name in STUDIES:
        return "study", {"study": name, **fields}
    return name, dict(fields)
