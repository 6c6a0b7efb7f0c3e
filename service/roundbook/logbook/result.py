"""What every use case returns: a frozen model that any door can print or send on."""

from __future__ import annotations

from importlib.metadata import version
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from roundbook.errors import RecordError

SOFTWARE = f"roundbook {version('roundbook')}"


class Result(BaseModel):
    """A frozen result. NaN and infinity are refused: what is unknown is None."""

    # Built when first used: a command uses a few of a hundred and more.
    model_config = ConfigDict(frozen=True, allow_inf_nan=False, defer_build=True)


_Saved = TypeVar("_Saved", bound=Result)


def read_result(model: type[_Saved], saved: object, what: str) -> _Saved:
    """Read a result back that was saved as it was printed.

    Raises
    ------
    RecordError
        Naming it, when it was not Roundbook that saved it: the database takes any JSON object.
    """
    try:
        return model.model_validate(saved)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, fault["loc"]))
        raise RecordError(
            f"{what} cannot be read: this Roundbook did not save it so ({where}:"
            f" {fault['msg'].lower()}). If a later version did, use that one."
        ) from None
