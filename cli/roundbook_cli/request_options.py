"""Options of the terminal that are fields of a request: its default, bounds and description."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer
from annotated_types import Ge, Le

if TYPE_CHECKING:
    from roundbook.requests.base import Request


def option(
    request: type[Request], field: str, *names: str, metavar: str | None = None, **more: Any
) -> Any:  # noqa: ANN401
    """Return the option of a request's field: its help is the field's description.

    Parameters
    ----------
    names : str
        The option, such as ``--min-d``.
    more
        What else `typer.Option` takes.
    """
    least, most = _bounds(request, field)
    text = request.model_fields[field].description
    return typer.Option(*names, metavar=metavar, help=text, min=least, max=most, **more)


def argument(request: type[Request], field: str, *, metavar: str | None = None, **more: Any) -> Any:  # noqa: ANN401
    """Return the argument of a request's field; see `option`."""
    least, most = _bounds(request, field)
    text = request.model_fields[field].description
    return typer.Argument(metavar=metavar, help=text, min=least, max=most, **more)


def default(request: type[Request], field: str) -> Any:  # noqa: ANN401
    """Return the default of a request's field."""
    return request.model_fields[field].get_default(call_default_factory=True)


def _bounds(request: type[Request], field: str) -> tuple[Any, Any]:
    bounds = request.model_fields[field].metadata
    least = next((bound.ge for bound in bounds if isinstance(bound, Ge)), None)
    return least, next((bound.le for bound in bounds if isinstance(bound, Le)), None)
