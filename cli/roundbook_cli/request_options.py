"""Options of the terminal that are fields of a request: its default, bounds and description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer
from annotated_types import Ge, Le

from roundbook.errors import RequestError
from roundbook_cli.completion import BY_METAVAR

if TYPE_CHECKING:
    from roundbook.requests.base import Request


def option(
    request: type[Request],
    field: str,
    *names: str,
    metavar: str | None = None,
    **more: Any,  # noqa: ANN401
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
    text = _with_options(request.model_fields[field].description or "")
    more.setdefault("autocompletion", BY_METAVAR.get(metavar or ""))
    return typer.Option(*names, metavar=metavar, help=text, min=least, max=most, **more)


def argument(request: type[Request], field: str, *, metavar: str | None = None, **more: Any) -> Any:  # noqa: ANN401
    """Return the argument of a request's field; see `option`."""
    least, most = _bounds(request, field)
    text = _with_options(request.model_fields[field].description or "")
    more.setdefault("autocompletion", BY_METAVAR.get(metavar or ""))
    return typer.Argument(metavar=metavar, help=text, min=least, max=most, **more)


def default(request: type[Request], field: str) -> Any:  # noqa: ANN401
    """Return the default of a request's field."""
    return request.model_fields[field].get_default(call_default_factory=True)


@contextmanager
def usage_errors() -> Iterator[None]:
    """Refuse a request whose parts contradict each other as the options that they are.

    Raises
    ------
    typer.BadParameter
        In place of a RequestError.
    """
    try:
        yield
    except RequestError as error:
        raise typer.BadParameter(_with_options(error.reason)) from None


def _with_options(text: str) -> str:
    """Return a text with options in place of the fields of a request, which stand in backticks."""
    return re.sub(r"`(\w+)`", lambda field: "--" + field[1].replace("_", "-"), text)


def _bounds(request: type[Request], field: str) -> tuple[Any, Any]:
    bounds = request.model_fields[field].metadata
    least = next((bound.ge for bound in bounds if isinstance(bound, Ge)), None)
    return least, next((bound.le for bound in bounds if isinstance(bound, Le)), None)
