"""The swap rate of a round's scores, scale by scale."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from roundbook.logbook.studies.scores import StudyScores
from roundbook.logbook.studies.study import Study
from roundbook.requests.studies import SwapRateRequest
from roundbook.statistics.studies.swap_rate import SwapRate, swap_rate


@dataclass(frozen=True)
class SwapRateOfScale(SwapRate):
    """The swap rate on one scale."""

    scale: str


class SwapRates(Study):
    """How often differences between two runs turn round on other topics.

    `topics_each` is how many topics either side has: the rates are about topic sets of that size.
    It may be smaller on a standardised scale that leaves topics out.
    """

    level: float
    with_replacement: bool
    topics_each: int
    scales: list[SwapRateOfScale]


def compute_swaps(
    given: StudyScores,
    request: SwapRateRequest,
    progress: Callable[[str, int, int], object],
) -> SwapRates:
    """Compute the study from scores."""
    scales = []
    for scale, scores in given.scales.items():

        def tell(done: int, of: int, scale: str = scale) -> object:
            return progress(f"{scale}: trials", done, of)

        swaps = swap_rate(
            scores,
            trials=request.trials,
            level=request.level,
            seed=request.seed,
            topics_each=request.topics_each,
            with_replacement=request.with_replacement,
            progress=tell,
        )
        scales.append(SwapRateOfScale(**vars(swaps), scale=scale))
    return SwapRates(
        **given.about,
        study=request.study,
        trials=request.trials,
        seed=request.seed,
        level=request.level,
        with_replacement=request.with_replacement,
        topics_each=scales[0].topics_each,
        scales=scales,
    )
