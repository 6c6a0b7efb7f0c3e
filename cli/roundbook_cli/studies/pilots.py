"""The options of what the commands that study smaller pilots plan for."""

from __future__ import annotations

from typing import Annotated

from roundbook.requests.studies import PilotRequest
from roundbook_cli.request_options import option

LeastDifference = Annotated[float, option(PilotRequest, "min_d", "--min-d", metavar="D")]
PlannedRuns = Annotated[int, option(PilotRequest, "m", "--m", metavar="m")]
Alpha = Annotated[float, option(PilotRequest, "alpha", "--alpha")]
Beta = Annotated[float, option(PilotRequest, "beta", "--beta")]
