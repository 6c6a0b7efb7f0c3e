"""What smaller pilots than a round would have found: what both studies of them have in common."""

from __future__ import annotations

from dataclasses import dataclass

from roundbook.logbook.studies.study import Study
from roundbook.requests.studies import PilotRequest
from roundbook.statistics.studies.pilot_results import Pilots, Setting


@dataclass(frozen=True)
class PilotsOfScale(Pilots):
    """What smaller pilots would have found on one scale."""

    scale: str


class PilotStudy(Study):
    """What smaller pilots would have found, of which `trials` were drawn for each size.

    `alpha`, `beta`, `min_d` and `m` are what topics are planned for.
    """

    alpha: float
    beta: float
    min_d: float
    m: int
    scales: list[PilotsOfScale]


def setting(request: PilotRequest) -> Setting:
    """Return what a request plans topics for."""
    return Setting(request.alpha, request.beta, request.min_d, request.m)
