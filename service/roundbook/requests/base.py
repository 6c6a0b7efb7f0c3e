"""The model that all requests are of."""

from __future__ import annotations

from unicodedata import normalize

from pydantic import BaseModel, ConfigDict, ValidationError

from roundbook.errors import RequestError

# By pydantic's name of a fault, what the field takes.
_TAKES = {
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "takes a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "takes a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "takes true or false"),
    "string_type": "takes a text",
    "path_type": "takes the name of a file",
    "tuple_type": "takes several values",
    "dict_type": "takes names with their values",
    "missing": "is not given",
}


class Request(BaseModel):
    """A frozen request: what is asked of a use case, complete with its defaults.

    Its texts are in NFC, so that a name is one however its accents are encoded.

    Raises
    ------
    RequestError
        Naming the first field that cannot be as it was given.
    """

    # Built when first used: a command uses one or two of a hundred and more.
    model_config = ConfigDict(
        frozen=True, extra="forbid", arbitrary_types_allowed=True, defer_build=True
    )

    def __init__(self, /, **values: object) -> None:
        for name, value in values.items():
            if _is_no_text(value):
                raise RequestError(name, f"`{name}` has a character that no text can be kept with")
        try:
            super().__init__(**{name: _normalised(value) for name, value in values.items()})
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, fault["loc"]))
            reason = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
            if fault["type"] == "extra_forbidden":
                reason = (
                    f"there is no `{field}` here; there are {', '.join(type(self).model_fields)}"
                )
            elif fault["type"] != "value_error":
                # Not by a validator of our own, which names the fields it means.
                reason = f"`{field}` {_TAKES.get(fault['type'], reason)}"
            raise RequestError(field, reason) from None


def is_kept(request: Request | None) -> bool:
    """Return whether what a request does is kept, which a dry run's is not."""
    return not getattr(request, "dry_run", False)


def _normalised(value: object) -> object:
    if isinstance(value, str):
        return normalize("NFC", value)
    if isinstance(value, (list, tuple)):
        return [_normalised(part) for part in value]
    return value


def _is_no_text(value: object) -> bool:
    """Return whether a text has a character that neither PostgreSQL nor UTF-8 takes."""
    if isinstance(value, str):
        return "\0" in value or any("\ud800" <= character <= "\udfff" for character in value)
    return isinstance(value, (list, tuple)) and any(map(_is_no_text, value))
