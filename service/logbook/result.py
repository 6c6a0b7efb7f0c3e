"""What every use case returns: a frozen model that any door can print or send on."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from service import __version__

SOFTWARE = f"roundbook {__version__}"


class Result(BaseModel):
    """A frozen result. NaN and infinity are refused: what is unknown is None."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)
