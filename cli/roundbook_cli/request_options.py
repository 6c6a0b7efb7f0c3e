"""Options of the terminal that are fields of a request: its default, bounds and description.

What the help calls the values of all options, and how a value is refused, is here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import typer
from annotated_types import Ge, Le
from typer.core import TyperArgument, TyperOption

from roundbook.errors import RequestError
from roundbook_cli.completion import BY_METAVAR

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from typer._click import Context
    from typer._click.exceptions import UsageError

    from roundbook.requests.base import Request

_Request = TypeVar("_Request", bound="Request")

# By Typer's name of a type, the help's name of its values; choices are listed instead.
_METAVARS = {"bool": "", "int": "N", "float": "NUMBER", "str": "TEXT", "path": "FILE"}

# What a description says of the field's own default.
_DEFAULT = re.compile(r" \(default: [^)]*\)$")


def option(request: type[Request], field: str, *names: str, **more: Any) -> Any:  # noqa: ANN401
    """Return the option of a request's field: default, bounds and help are the field's.

    Without `names` it is called after the command's parameter. `more` are arguments of
    `typer.Option`; a `default` replaces that of the field.
    """
    usual, described = _described(request, field, more)
    if usual is False and not names:
        names = (f"--{field.replace('_', '-')}",)  # Typer would add a --no- to it
    return typer.Option(usual, *names, **described)


def argument(request: type[Request], field: str, **more: Any) -> Any:  # noqa: ANN401
    """Return the argument of a request's field; see `option`."""
    usual, described = _described(request, field, more)
    return typer.Argument(usual, **described)


def _described(
    request: type[Request], field: str, more: dict[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return a field's default, and the arguments of Typer for its help, completion and bounds."""
    bounds = _bounds(request.model_fields[field])
    described = {
        "help": _with_options(request.model_fields[field].description or ""),
        "min": next((bound.ge for bound in bounds if isinstance(bound, Ge)), None),
        "max": next((bound.le for bound in bounds if isinstance(bound, Le)), None),
        "autocompletion": BY_METAVAR.get(more.get("metavar") or ""),
        "case_sensitive": field != "scale",  # a scale may be in any case
    } | more
    if "default" in described:
        described["help"] = _DEFAULT.sub("", described["help"])
        return described.pop("default"), described
    usual = ... if request.model_fields[field].is_required() else default(request, field)
    # A list that is left out is None, for the request to fill in.
    return None if isinstance(usual, tuple) else usual, described


def _bounds(field: FieldInfo) -> list[Any]:
    """Return the bounds of a field, or of each of its values where it takes several."""
    bounds = list(field.metadata)
    for part in get_args(field.annotation):
        for constraint in getattr(part, "__metadata__", ()):
            bounds += getattr(constraint, "metadata", ())
    return bounds


def default(request: type[Request], field: str) -> Any:  # noqa: ANN401
    """Return the default of a request's field."""
    return request.model_fields[field].get_default(call_default_factory=True)


def request_of(request: type[_Request], parameters: Mapping[str, Any], **more: Any) -> _Request:  # noqa: ANN401
    """Return the request of a command's parameters, without those that are None or no fields of it.

    `more` are fields whose parameters have other names.
    """
    values = {**parameters, **more}
    fields = [name for name in request.model_fields if values.get(name) is not None]
    return request(**{name: values[name] for name in fields})


def is_given(context: Context, name: str) -> bool:
    """Return whether a parameter of a command stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _metavar(option: TyperArgument | TyperOption, ctx: Context) -> str:
    """Return the help's name of an option's values; empty for an argument, which has its own."""
    if isinstance(option, TyperOption) and option.metavar is not None:
        return option.metavar
    kind = option.type_descriptor
    if kind.is_choice:
        return option.display_type(ctx).strip("<>")
    if isinstance(option, TyperArgument):
        return ""
    name = option.display_type(ctx).strip("<>").removeprefix("list[").split(" ")[0]
    return _METAVARS.get(name.rstrip("]").lower(), "TEXT")


def _usage(argument: TyperArgument, _: Context) -> list[str]:
    """Return an argument for the line of usage, in brackets where it may be left out."""
    name = argument.display_name_raw
    if argument.nargs != 1:
        name = f"{name.removesuffix('...')}..."
    return [name if argument.required else f"[{name}]"]


# Typer has no setting for these, and would write the names of Python's types.
TyperOption.display_type_rich = _metavar  # type: ignore[method-assign, assignment]
TyperArgument.display_type_rich = _metavar  # type: ignore[method-assign, assignment]
TyperArgument.get_usage_pieces = _usage  # type: ignore[method-assign, assignment]


def reword(error: UsageError) -> None:
    """Replace the library's message about a refused value by Roundbook's own."""
    from pydantic import ValidationError

    from roundbook.requests.base import refusal_reason

    if isinstance(error.__cause__, ValidationError):
        fault = error.__cause__.errors(include_url=False)[0]
        own_sentence = fault["type"] == "value_error"
        error.message = "" if own_sentence else "it "
        error.message += refusal_reason(fault)
        error.message += _repeated(error, str(fault.get("input")))


def _repeated(error: UsageError, value: str) -> str:
    """Return how several values are given, where one option has them all and may be repeated."""
    option: Any = getattr(error, "param", None)
    values = re.split(r"[,;\s]+", value.strip())
    # Of two numbers with a comma between them it may be a decimal comma.
    if not getattr(option, "multiple", False) or len(values) == 1 or "; write" in error.message:
        return ""
    name = max(option.opts, key=len)
    return f"; give several as {' '.join(f'{name} {one}' for one in values)}"


@contextmanager
def usage_errors(**called: str) -> Iterator[None]:
    """Turn the refusal of a request into a usage error, with options in place of fields.

    `called` has the names on the command line of fields whose option has another name, or none.
    """
    try:
        yield
    except RequestError as error:
        raise typer.BadParameter(_with_options(error.reason, **called)) from None


def _with_options(text: str, **called: str) -> str:
    """Return a text with options in place of the fields of a request, which stand in backticks."""
    return re.sub(
        r"`(\w+)`",
        lambda field: called.get(field[1]) or "--" + field[1].replace("_", "-"),
        text,
    )
