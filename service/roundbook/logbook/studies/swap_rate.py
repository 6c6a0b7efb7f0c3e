"""The swap rate of a round's scores, scale by scale."""

from __future__ import annotations

from dataclasses import dataclass

from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
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


def _compute(
    session: Session | None, request: SwapRateRequest, work: Work, recorded: SwapRates | None
) -> SwapRates:
    given = study_scores(session, request, work, recorded)
    scales = []
    for scale, scores in given.scales.items():

        def tell(done: int, of: int, scale: str = scale) -> object:
            return work.progress(f"{scale}: trials", done, of)

        swaps = swap_rate(
            scores,
            trials=request.trials,
            level=request.level,
            seed=request.seed,
            topics_each=request.topics_each,
            with_replacement=request.with_replacement,
            progress=tell,
            mapped=work.mapped,
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


def _seconds(study: SwapRates) -> float:
    return len(study.scales) * study.trials * study.runs * (study.runs - 1) * 2e-8


STUDY = KindOfStudy(SwapRates, _compute, _seconds)
