"""Every study by its name: what is asked, what comes out, how it is computed, how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from roundbook.errors import InputError
from roundbook.logbook.session import Session
from roundbook.logbook.studies.discriminative_power import DiscriminativePower, compute_power
from roundbook.logbook.studies.scores import StudyScores, file_scores, round_scores
from roundbook.logbook.studies.study import Study
from roundbook.logbook.studies.swap_rate import SwapRates, compute_swaps
from roundbook.requests.studies import StudyRequest

Progress = Callable[[str, int, int], object]


class KindOfStudy(NamedTuple):
    """One kind of study.

    Attributes
    ----------
    result : its type
    compute : from scores, a request and what is told of progress to the result
    seconds : from a result to about how long it took
    """

    result: type[Study]
    compute: Callable[[StudyScores, Any, Progress], Study]
    seconds: Callable[[Any], float]


def _power_seconds(study: DiscriminativePower) -> float:
    pairs = study.runs * (study.runs - 1) / 2
    permuted = study.trials * study.topics * study.runs
    return len(study.scales) * 1e-7 * (permuted + study.resamples * pairs * 2)


def _swap_seconds(study: SwapRates) -> float:
    return len(study.scales) * study.trials * study.runs * (study.runs - 1) * 2e-8


STUDIES = {
    "discriminative-power": KindOfStudy(DiscriminativePower, compute_power, _power_seconds),
    "swap-rate": KindOfStudy(SwapRates, compute_swaps, _swap_seconds),
}


def find_study(name: str) -> KindOfStudy:
    """Return a kind of study by its name.

    Raises
    ------
    InputError
        When there is none.
    """
    if name not in STUDIES:
        raise InputError(f"There is no study '{name}'; there are {', '.join(STUDIES)}.")
    return STUDIES[name]


def run_study(
    session: Session | None, request: StudyRequest, progress: Progress = lambda *_: None
) -> Study:
    """Compute a study of a round's scores or, without a record, of files.

    Parameters
    ----------
    session : Session or None
        None for a request that names files.
    progress : callable
        Told what is done, how many of them, and of how many.

    Raises
    ------
    NotRecordedError
        When the matrix or its factors are not there.
    ImpossibleStatisticError
        When the scores are too few, or all runs tie.
    """
    kind = find_study(getattr(request, "study", ""))
    if request.files:
        return kind.compute(file_scores(request), request, progress)
    assert session is not None
    return kind.compute(round_scores(session, request), request, progress)
