"""The base model of all results of use cases."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, PlainSerializer, PlainValidator, ValidationError

from roundbook.errors import RecordError, RoundbookError

SOFTWARE = f"roundbook {version('roundbook')}"


class Result(BaseModel):
    """A frozen result. NaN and infinity are refused; unknown values are None."""

    # Models are built on first use: a command uses a few of more than a hundred. Fields whose name
    # in JSON is no name in Python, such as ``from``, are made by either.
    model_config = ConfigDict(
        frozen=True, allow_inf_nan=False, defer_build=True, validate_by_name=True
    )


def _read_error(error: RoundbookError | str) -> RoundbookError:
    return error if isinstance(error, RoundbookError) else RoundbookError(error)


# An error as a field of a result, such as why one of several could not be renewed; its sentence in
# JSON.
ErrorField = Annotated[
    RoundbookError, PlainValidator(_read_error), PlainSerializer(str, return_type=str)
]

_Saved = TypeVar("_Saved", bound=Result)


def read_result(model: type[_Saved], saved: object, name: str) -> _Saved:
    """Return a saved result as a model, from its JSON.

    Raises
    ------
    RecordError
        When Roundbook did not save it, as the database accepts any JSON object; with its `name`.
    """
    try:
        return model.model_validate(saved)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise unreadable(name, f"{where}: {fault['msg'].lower()}") from None


def unreadable(name: str, reason: str) -> RecordError:
    """Return the error for something saved that this version of Roundbook cannot read."""
    return RecordError(
        f"{name} cannot be read: this Roundbook did not save it so ({reason}). If a later version"
        " did, use that one.",
        reason=reason,
    )
