"""The study of the swap rate of a round's scores, on each scale."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import Scores, study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.studies import AcrossRoundsRequest, SwapRateRequest
from roundbook.statistics.studies.swap_rate import SwapRate, swap_rate


@dataclass(frozen=True)
class SwapRateOfScale(SwapRate):
    """The swap rate on one scale."""

    scale: str


class SwapRates(Study):
    """The study of the swap rate: how often a difference between two runs reverses on other topics.

    `topics_each` is the number of topics on each side: the rates are for topic sets of that size.
    It may be smaller on a standardised scale that leaves topics out.
    """

    level: float
    with_replacement: bool
    topics_each: int
    scales: list[SwapRateOfScale]


def _compute(
    session: Session | None, request: SwapRateRequest, work: Work, saved: SwapRates | None
) -> SwapRates:
    loaded = study_scores(session, request, work, saved)
    scales = [
        SwapRateOfScale(
            **vars(find_swaps(scale, scores, request, request.trials, work)), scale=scale
        )
        for scale, scores in loaded.scales.items()
    ]
    return SwapRates.of(request, loaded.source, topics_each=scales[0].topics_each, scales=scales)


def find_swaps(
    part: str,
    scores: Scores,
    request: SwapRateRequest | AcrossRoundsRequest,
    trials: int,
    work: Work,
) -> SwapRate:
    """Return the swap rate of scores for a request; `part` is its name in progress reports."""
    return swap_rate(
        scores,
        trials=trials,
        level=request.level,
        seed=request.seed,
        topics_each=request.topics_each,
        with_replacement=request.with_replacement,
        progress=partial(work.progress, f"{part}: trials"),
        mapped=work.mapped,
    )


def _seconds(study: SwapRates) -> float:
    return len(study.scales) * study.trials * study.runs * (study.runs - 1) * 2e-8


STUDIES = {"swap-rate": KindOfStudy(SwapRates, _compute, _seconds)}
