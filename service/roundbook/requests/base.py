"""The base model of all requests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from os import PathLike
from typing import Any
from unicodedata import normalize

from pydantic import BaseModel, ConfigDict, ValidationError

from roundbook.errors import RequestError

# What the field takes, by pydantic's error type.
_TAKES = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "takes a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "takes a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "takes true or false"),
    **dict.fromkeys(
        ("date_type", "date_parsing", "date_from_datetime_parsing", "date_from_datetime_inexact"),
        "takes a day, as 2020-04-15",
    ),
    "string_type": "takes a text",
    "path_type": "takes the name of a file",
    "tuple_type": "takes several values",
    "dict_type": "takes names with their values",
    "missing": "is not given",
    "extra_forbidden": "is no field here",
    "too_short": "takes one or more",
}
# Longer values are left out of the sentence.
_MOST_NAMED = 40


def refusal_reason(fault: Mapping[str, Any]) -> str:
    """Return the clause, after a field's name, on which values it takes, from pydantic's error.

    An error of Roundbook's own validators has the whole sentence already.
    """
    reason: str = fault["msg"].removeprefix("Input ").removeprefix("String ")
    if fault["type"] == "value_error":
        return reason.removeprefix("Value error, ")
    reason = re.sub(r"(?<![\d.])\d{4,}", lambda number: f"{int(number[0]):,}", reason)
    reason = _TAKES.get(fault["type"], reason)
    value = fault.get("input")
    named = _named(value)
    if not named or fault["type"] == "extra_forbidden":
        return reason
    reason += f", not {named}"
    if fault["type"] == "float_parsing" and re.fullmatch(r"\s*[+-]?\d*,\d+\s*", str(value)):
        reason += f"; write {str(value).strip().replace(',', '.')}"
    return reason


def _named(value: object) -> str:
    """Return how a sentence names a value; empty if it is too long, or no text or number."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _MOST_NAMED else ""
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_MOST_NAMED:
        return f"{value:,}"
    return ""


class Request(BaseModel):
    """A frozen request: the input of a use case, complete with its defaults.

    Texts are normalised to NFC, so that names are equal however their accents are encoded. A field
    that takes any number of values takes a single one too, and None for none. NumPy's numbers count
    as Python's. Scales may be in any case.

    Raises
    ------
    RequestError
        Naming the first field whose value cannot be used.
    """

    # Models are built on first use: a command uses one or two of more than a hundred.
    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True
    )

    def __init__(self, /, **values: object) -> None:
        read: dict[str, object] = {}
        for name, given in values.items():
            value = _storable(name, given)
            if name in ("scale", "scales"):
                value = _lower(value)  # shown as std-AB, it may be asked for so
            field = type(self).model_fields.get(name)
            if field is not None and ", ...]" in str(field.annotation):
                # It takes any number of values.
                single = isinstance(value, (str, int, float, PathLike))
                value = () if value is None else (value,) if single else value
            read[name] = value
        try:
            super().__init__(**read)
        except ValidationError as error:
            faults = error.errors(include_url=False)
            # A mistyped name comes first: it is why another field is missing.
            fault = min(faults, key=lambda fault: fault["type"] != "extra_forbidden")
            raised = fault.get("ctx", {}).get("error")
            if isinstance(raised, RequestError):
                raise raised from None
            # Without the index among several values.
            where = ".".join(part for part in fault["loc"] if isinstance(part, str))
            reason = refusal_reason(fault)
            if fault["type"] == "extra_forbidden":
                reason = (
                    f"there is no `{where}` here; there are {', '.join(type(self).model_fields)}"
                )
            elif fault["type"] != "value_error":
                # Roundbook's own validators name the fields in their sentence.
                reason = f"`{where}` {reason}"
            raise RequestError(where, reason) from None


def is_kept(request: Request | None) -> bool:
    """Return whether the changes of a request are kept; those of a dry run are not."""
    return not getattr(request, "dry_run", False)


def takes_several(request: type[BaseModel], name: str) -> bool:
    """Return whether a field of a request takes several values."""
    field = request.model_fields.get(name)
    return field is not None and "tuple[" in str(field.annotation)


def _lower(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_lower, value))
    return value.lower() if isinstance(value, str) else value


def _storable(field: str, value: object) -> object:
    """Return a field's value with texts in NFC; refuse what PostgreSQL or UTF-8 cannot hold."""
    if isinstance(value, str):
        if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
            raise RequestError(field, f"`{field}` has a character that no text can be kept with")
        return normalize("NFC", value)
    if isinstance(value, (list, tuple)):
        return tuple(_storable(field, part) for part in value)
    # NumPy's numbers and arrays, such as those of a data frame.
    return _storable(field, value.tolist()) if hasattr(value, "tolist") else value
