"""The model that all requests are of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, ValidationError

from roundbook.errors import RequestError


class Request(BaseModel):
    """A frozen request: what is asked of a use case, complete with its defaults.

    Raises
    ------
    RequestError
        Naming the first field that cannot be as it was given.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    def __init__(self, **values: object) -> None:
        try:
            super().__init__(**values)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            field = ".".join(map(str, fault["loc"]))
            reason = fault["msg"].removeprefix("Value error, ").removeprefix("Input ")
            if fault["type"] != "value_error":
                # Not by a validator of our own, which names the fields it means.
                reason = f"`{field}` {reason}"
            raise RequestError(field, reason) from None
