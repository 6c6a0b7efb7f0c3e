"""The discriminative power of a round's scores, scale by scale."""

from __future__ import annotations

from functools import partial
from operator import is_

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import Scores, study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.studies import AcrossRoundsRequest, DiscriminativePowerRequest
from roundbook.statistics.studies.discriminative_power import (
    TukeyTest,
    asl_curve,
    bootstrap_test,
    paired_t_tests,
    share_limits,
    tukey_test,
)


class RunApart(Result):
    """A run's mean, and the numbers of significantly worse and better runs.

    `better_than` and `worse_than` are by Tukey HSD, `holm_better_than` and `holm_worse_than` by the
    t test adjusted over pairs; studies saved earlier do not have these.
    """

    run: str
    mean: float
    better_than: int
    worse_than: int
    holm_better_than: int | None = Field(None, exclude_if=partial(is_, None))
    holm_worse_than: int | None = Field(None, exclude_if=partial(is_, None))


class PowerOfScale(Result):
    """The discriminative power of one scale: how many pairs of runs differ significantly.

    `share`, its limits by other draws `share_low` and `share_high`, `significant`,
    `critical_difference` and `asl`, the p values in descending order (200 of them at evenly spaced
    ranks if there are more), are of the randomised Tukey HSD test, as is the `ranking`. The other
    shares are of tests of single pairs, except `holm_share`, which is of the t test adjusted over
    pairs. The bootstrap's needed differences are None if no pair has one.
    """

    scale: str
    topics: int
    pairs: int
    share: float
    share_low: float
    share_high: float
    significant: int
    critical_difference: float | None
    asl: list[float]
    bootstrap_share: float
    bootstrap_needed_most: float | None
    bootstrap_needed_median: float | None
    t_share: float
    holm_share: float
    ranking: list[RunApart]


class DiscriminativePower(Study):
    """The study of discriminative power; `trials` are those of Tukey HSD."""

    resamples: int
    alpha: float
    plus_one: bool
    scales: list[PowerOfScale]


def _compute(
    session: Session | None,
    request: DiscriminativePowerRequest,
    work: Work,
    recorded: DiscriminativePower | None,
) -> DiscriminativePower:
    loaded = study_scores(session, request, work, recorded)
    scales = [
        _of_scale(scale, loaded.runs, scores, request, work)
        for scale, scores in loaded.scales.items()
    ]
    return DiscriminativePower.of(request, loaded.about, scales=scales)


def find_pairs_apart(
    part: str,
    scores: Scores,
    request: DiscriminativePowerRequest | AcrossRoundsRequest,
    work: Work,
) -> TukeyTest:
    """Return the Tukey test of all pairs for a request; `part` is its name in progress reports."""
    return tukey_test(
        scores,
        trials=request.trials,
        alpha=request.alpha,
        seed=request.seed,
        plus_one=request.plus_one,
        progress=partial(work.progress, f"{part}: permutations"),
        mapped=work.mapped,
    )


def _of_scale(
    scale: str,
    runs: list[str],
    scores: Scores,
    request: DiscriminativePowerRequest,
    work: Work,
) -> PowerOfScale:
    tukey = find_pairs_apart(scale, scores, request, work)
    low, high = share_limits(tukey)
    bootstrap = bootstrap_test(
        scores,
        trials=request.resamples,
        alpha=request.alpha,
        seed=request.seed,
        progress=partial(work.progress, f"{scale}: pairs resampled"),
        mapped=work.mapped,
    )
    t = paired_t_tests(scores, alpha=request.alpha)
    return PowerOfScale(
        scale=scale,
        topics=len(scores),
        pairs=tukey.p_values.size,
        share=tukey.share,
        share_low=low,
        share_high=high,
        significant=int(tukey.significant.sum()),
        critical_difference=tukey.critical_difference,
        asl=asl_curve(tukey.p_values).tolist(),
        bootstrap_share=bootstrap.share,
        bootstrap_needed_most=bootstrap.needed_most,
        bootstrap_needed_median=bootstrap.needed_median,
        t_share=t.share,
        holm_share=t.holm_share,
        ranking=_ranking(runs, scores, tukey, t.holm < request.alpha),
    )


def _ranking(
    runs: list[str], scores: Scores, tukey: TukeyTest, by_holm: NDArray[np.bool_]
) -> list[RunApart]:
    first, second = np.triu_indices(len(runs), 1)
    up = tukey.differences > 0
    ahead, behind = np.where(up, first, second), np.where(up, second, first)
    better, worse, holm_better, holm_worse = (
        np.bincount(side[apart], minlength=len(runs)).tolist()
        for apart in (tukey.significant, by_holm)
        for side in (ahead, behind)
    )
    means = scores.mean(axis=0).tolist()
    return [
        RunApart(
            run=runs[index],
            mean=means[index],
            better_than=better[index],
            worse_than=worse[index],
            holm_better_than=holm_better[index],
            holm_worse_than=holm_worse[index],
        )
        for index in sorted(range(len(runs)), key=lambda index: -means[index])
    ]


def _seconds(study: DiscriminativePower) -> float:
    pairs = study.runs * (study.runs - 1) / 2
    permuted = study.trials * study.topics * study.runs
    return len(study.scales) * 1e-7 * (permuted + study.resamples * pairs * 2)


STUDY = KindOfStudy(DiscriminativePower, _compute, _seconds)
