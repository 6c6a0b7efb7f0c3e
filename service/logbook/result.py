"""What every use case returns: a frozen model that any door can print or send on."""

from __future__ import annotations

from importlib.metadata import version

from pydantic import BaseModel, ConfigDict

SOFTWARE = f"roundbook {version('roundbook')}"


class Result(BaseModel):
    """A frozen result. NaN and infinity are refused: what is unknown is None."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)
