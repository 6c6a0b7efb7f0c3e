"""The discriminative power of a round's scores, scale by scale."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from roundbook.logbook.result import Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import Scores, study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.studies import AcrossRoundsRequest, DiscriminativePowerRequest
from roundbook.statistics.studies.common import pairs
from roundbook.statistics.studies.single_pairs import (
    BootstrapTest,
    PairedTTest,
    bootstrap_test,
    paired_t_tests,
)
from roundbook.statistics.studies.tukey import TukeyTest, asl_curve, share_limits, tukey_test


class RunApart(Result):
    """A run's mean, and the numbers of significantly worse and better runs.

    `better_than` and `worse_than` are by Tukey HSD, `holm_better_than` and `holm_worse_than` by the
    t test adjusted over pairs; studies saved earlier do not have these.
    """

    run: str
    mean: float
    better_than: int
    worse_than: int
    holm_better_than: int | None = Field(None, exclude_if=lambda value: value is None)
    holm_worse_than: int | None = Field(None, exclude_if=lambda value: value is None)


class ComparedPair(Result):
    """A pair of runs: the difference of their means, and its p values by four tests.

    `run` has the higher mean; `difference` is its mean less that of `other`. `p` is of the
    randomised Tukey HSD test, by which the pair is `significant`, and `holm_p` of the t test
    adjusted over all pairs; `bootstrap_p` and `t_p` are of this pair alone.
    """

    run: str
    other: str
    difference: float
    significant: bool
    p: float
    bootstrap_p: float
    t_p: float
    holm_p: float


class PowerOfScale(Result):
    """The discriminative power of one scale: how many pairs of runs differ significantly.

    `share`, its limits by other draws `share_low` and `share_high`, `significant`,
    `critical_difference` and `asl`, the p values in descending order (200 of them at evenly spaced
    ranks if there are more), are of the randomised Tukey HSD test, as is the `ranking`. The other
    shares are of tests of single pairs, except `holm_share`, which is of the t test adjusted over
    pairs. The bootstrap's needed differences are None if no pair has one. `compared` are all pairs,
    in the order of the ranking, if the request asks for them.
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
    compared: list[ComparedPair] | None = Field(None, exclude_if=lambda value: value is None)


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
    saved: DiscriminativePower | None,
) -> DiscriminativePower:
    loaded = study_scores(session, request, work, saved)
    scales = [
        _of_scale(scale, loaded.runs, scores, request, work)
        for scale, scores in loaded.scales.items()
    ]
    return DiscriminativePower.of(request, loaded.source, scales=scales)


def find_pairs_apart(
    part: str, scores: Scores, request: DiscriminativePowerRequest | AcrossRoundsRequest, work: Work
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
    scale: str, runs: list[str], scores: Scores, request: DiscriminativePowerRequest, work: Work
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
    means = scores.mean(axis=0).tolist()
    by_mean = sorted(range(len(runs)), key=lambda run: -means[run])
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
        ranking=_ranking(runs, by_mean, means, tukey, t.holm < request.alpha),
        compared=_compared(runs, by_mean, tukey, bootstrap, t) if request.pairs else None,
    )


def _ranking(
    runs: list[str],
    by_mean: list[int],
    means: list[float],
    tukey: TukeyTest,
    by_holm: NDArray[np.bool_],
) -> list[RunApart]:
    first, second = pairs(len(runs))
    up = tukey.differences > 0
    ahead, behind = np.where(up, first, second), np.where(up, second, first)
    better, worse, holm_better, holm_worse = (
        np.bincount(side[apart], minlength=len(runs)).tolist()
        for apart in (tukey.significant, by_holm)
        for side in (ahead, behind)
    )
    return [
        RunApart(
            run=runs[index],
            mean=means[index],
            better_than=better[index],
            worse_than=worse[index],
            holm_better_than=holm_better[index],
            holm_worse_than=holm_worse[index],
        )
        for index in by_mean
    ]


def _compared(
    runs: list[str], by_mean: list[int], tukey: TukeyTest, bootstrap: BootstrapTest, t: PairedTTest
) -> list[ComparedPair]:
    """Return all pairs, those of the best run first and of these the pair with the second best."""
    pair_of = np.empty((len(runs), len(runs)), dtype=np.intp)
    first, second = pairs(len(runs))
    pair_of[first, second] = pair_of[second, first] = np.arange(first.size)
    ranked = np.array(by_mean)
    ahead, behind = ranked[first], ranked[second]
    return [
        ComparedPair(
            run=runs[run],
            other=runs[other],
            difference=abs(tukey.differences[pair]),
            significant=tukey.significant[pair],
            p=tukey.p_values[pair],
            bootstrap_p=bootstrap.asl[pair],
            t_p=t.p_values[pair],
            holm_p=t.holm[pair],
        )
        for run, other, pair in zip(ahead, behind, pair_of[ahead, behind], strict=True)
    ]


def _seconds(study: DiscriminativePower) -> float:
    compared = study.runs * (study.runs - 1) / 2
    permuted = study.trials * study.topics * study.runs
    return len(study.scales) * 1e-7 * (permuted + study.resamples * compared * 2)


STUDIES = {"discriminative-power": KindOfStudy(DiscriminativePower, _compute, _seconds)}
