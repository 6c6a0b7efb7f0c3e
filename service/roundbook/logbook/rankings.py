"""Rank agreement of a round's run rankings: raw and standardised, or by two factor versions."""

from __future__ import annotations

from functools import partial
from typing import Any

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.factors import (
    OutdatedFactors,
    find_factor_set,
    load_factors,
    outdated_factors,
)
from roundbook.logbook.lookup import find_logged
from roundbook.logbook.pseudonyms import draft_pseudonyms
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import load_matrix
from roundbook.requests.rankings import RankRequest
from roundbook.statistics.ranking import bootstrap_tau, kendall_tau, published_interval, tau_ap
from roundbook.statistics.score_matrix import Floats
from roundbook.statistics.ties import mid_ranks, run_means

_LEVEL = 0.95


class Limits(Result):
    """An interval of tau at confidence `level`, with its method.

    ``published`` is tau-b, rounded to three places, +- 1.96 standard errors under no correlation,
    as papers print it; its limits may pass 1. ``bootstrap`` is the middle `level` of tau-b over
    resampled topic sets, and no confidence interval.
    """

    low: float
    high: float
    level: float
    method: str


class RankedRun(Result):
    """A run's mean score and rank (1 is best, ties share the mean rank) in both rankings."""

    run: str
    mean_a: float
    rank_a: float
    mean_b: float
    rank_b: float


class RankAgreement(Result):
    """The agreement of two rankings of the same runs.

    `a` and `b` name the scores by which the runs of a `matrix` are ranked, standardised by
    `factor_versions`; `outdated` are versions that no longer count. `tau_b` and `tau_ap` (with `a`
    as the reference) are None if all runs tie in one of them.
    """

    task: str
    round: str
    measure: str
    assessments: str
    matrix: int
    revision: int
    factor_versions: list[int]
    outdated: list[OutdatedFactors]
    anonymous: bool
    a: str
    b: str
    topics: int
    runs: int
    tau_a: float
    tau_b: float | None
    tau_ap: float | None
    published: Limits | None
    bootstrap: Limits | None
    resamples: int
    seed: int
    software: str = SOFTWARE
    ranking: list[RankedRun]


def compare_rankings(session: Session, request: RankRequest) -> RankAgreement:
    """Compare a round's run rankings by mean score.

    Without `versions`, the raw ranking is compared with the one on the scale by the latest factors;
    with `versions`, the rankings on the scale by these two factor versions. Both use the same
    topics, those with factors.

    Raises
    ------
    NotRecordedError
        When the matrix or its factors do not exist.
    RecordError
        When the round is published, and names are asked to be hidden.
    ImpossibleStatisticError
        When there are fewer than two runs.
    """
    connection = session.connection
    series, row = find_logged(
        connection, request.task, request.round, request.measure, request.assessments
    )
    loaded = load_matrix(connection, row)
    runs, scores = loaded.runs, loaded.scores
    if len(runs) < 2:
        raise ImpossibleStatisticError("Rank agreement needs at least 2 runs to rank, not 1.")
    if request.anonymous:
        runs, scores = draft_pseudonyms(connection, series.round_id).hide(runs, scores)
    sides = []
    for version in request.versions or (None,):
        factors = load_factors(connection, find_factor_set(connection, series, version))
        if factors.usable().keys().isdisjoint(loaded.topics):
            raise ImpossibleStatisticError(
                f"No topic of round '{series.round}' has usable factors in version"
                f" {factors.row.version}: there is nothing to rank by.",
                round=series.round,
                version=factors.row.version,
            )
        sides.append(factors)
    usable = set(loaded.topics).intersection(*(factors.usable() for factors in sides))
    if not usable:
        raise ImpossibleStatisticError("No topic of this round has usable factors on both sides.")
    topics = [name for name in loaded.topics if name in usable]
    scores = scores[[name in usable for name in loaded.topics]]
    compared = [
        (
            f"{request.scale} by factor version {factors.row.version}",
            factors.standardised(topics, scores, request.scale),
        )
        for factors in sides
    ]
    if request.versions is None:
        compared.insert(0, ("raw", scores))
    (a, first), (b, second) = compared
    outdated = [outdated_factors(connection, factors.row) for factors in sides]
    return RankAgreement(
        task=request.task,
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        matrix=row.id,
        revision=row.revision,
        factor_versions=[factors.row.version for factors in sides],
        outdated=[factors for factors in outdated if factors is not None],
        anonymous=request.anonymous,
        a=a,
        b=b,
        topics=len(topics),
        runs=len(runs),
        resamples=request.resamples,
        seed=request.seed,
        **_rank(runs, first, second, request, session.work),
    )


def _rank(
    runs: list[str], first: Floats, second: Floats, request: RankRequest, work: Work
) -> dict[str, Any]:
    """Return the fields of a `RankAgreement` with its statistics and its ranking."""
    means = run_means(first), run_means(second)
    tau = kendall_tau(*means)
    published = bootstrap = None
    if tau.tau_b is not None:
        low, high = published_interval(tau.tau_b, len(runs))
        published = Limits(low=low, high=high, level=_LEVEL, method="published")
    if tau.tau_b is not None and len(first) >= 2:
        interval = bootstrap_tau(
            first,
            second,
            resamples=request.resamples,
            level=_LEVEL,
            seed=request.seed,
            progress=partial(work.progress, "resamples of topics"),
        )
        if interval.low is not None:
            bootstrap = Limits(**vars(interval), level=_LEVEL, method="bootstrap")
    # Runs are ranked by means without rounding noise, but listed with their plain means.
    columns = zip(
        runs,
        first.mean(axis=0).tolist(),
        mid_ranks(-means[0]).tolist(),
        second.mean(axis=0).tolist(),
        mid_ranks(-means[1]).tolist(),
        strict=True,
    )
    ranking = [
        RankedRun(run=run, mean_a=mean_a, rank_a=rank_a, mean_b=mean_b, rank_b=rank_b)
        for run, mean_a, rank_a, mean_b, rank_b in columns
    ]
    return {
        "tau_a": tau.tau_a,
        "tau_b": tau.tau_b,
        "tau_ap": tau_ap(*means),
        "published": published,
        "bootstrap": bootstrap,
        "ranking": sorted(ranking, key=lambda ranked: ranked.rank_a),
    }
