"""Common parts of the studies of pilots smaller than a round."""

from __future__ import annotations

from dataclasses import dataclass

from roundbook.logbook.studies.study import Study
from roundbook.requests.studies import PilotRequest
from roundbook.statistics.studies.pilot_results import Pilots, Setting


@dataclass(frozen=True)
class PilotsOfScale(Pilots):
    """The results of smaller pilots on one scale."""

    scale: str


class PilotStudy(Study):
    """The results of smaller pilots, of which `trials` were drawn for each size.

    `alpha`, `beta`, `min_d` and `m` are the parameters of the topic set size design.
    """

    alpha: float
    beta: float
    min_d: float
    m: int
    scales: list[PilotsOfScale]


def setting(request: PilotRequest) -> Setting:
    """Return the parameters of a request's topic set size design."""
    return Setting(request.alpha, request.beta, request.min_d, request.m)
