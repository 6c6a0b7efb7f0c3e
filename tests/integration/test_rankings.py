"""Rank agreement: raw against standardised and between factor versions, a pair at a time."""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats
from tests.factories import compare_rankings, fit_factor_set, log_scores

from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.presentation.rankings import reason

pytestmark = pytest.mark.one_server

RNG = np.random.default_rng(18)
# Runs that are close, on topics of very different spread: standardising reorders them.
SCORES = 0.4 + 0.02 * np.arange(9) + RNG.normal(size=(10, 9)) * np.geomspace(0.01, 0.3, 10)[:, None]


def fit(engine, runs, **options):
    return fit_factor_set(
        engine, "t", "r1", "AP", runs=runs, reason="x", user="u", **options
    ).version


def on_scale(scores, scale, columns=slice(None)):
    by = scores[:, columns]
    std = (scores - by.mean(1)[:, None]) / by.std(1, ddof=1)[:, None]
    return {
        "std": std,
        "std-ab": np.clip(0.15 * std + 0.5, 0, 1),
        "std-cdf": stats.norm.cdf(std),
    }[scale]


def naive_tau_a(first, second):
    signs = [
        np.sign(first[i] - first[j]) * np.sign(second[i] - second[j])
        for i, j in combinations(range(len(first)), 2)
    ]
    return sum(signs) / len(signs)


def naive_tau_ap(reference, estimate):
    """Yilmaz et al., rank by rank; no ties."""
    order = sorted(range(len(estimate)), key=lambda run: -estimate[run])
    total = 0.0
    for rank in range(1, len(order)):
        above = order[:rank]
        total += sum(reference[run] > reference[order[rank]] for run in above) / rank
    return 2 * total / (len(order) - 1) - 1


def tau_ap_over_orders(reference, estimate):
    """The mean over every order that the ties of the estimate allow; half for reference ties."""
    agreement = []
    for order in permutations(range(len(estimate))):
        if any(estimate[a] < estimate[b] for a, b in combinations(order, 2)):
            continue
        total = 0.0
        for rank in range(1, len(order)):
            mine = reference[order[rank]]
            above = [reference[run] for run in order[:rank]]
            total += sum((x > mine) + (x == mine) / 2 for x in above) / rank
        agreement.append(2 * total / (len(order) - 1) - 1)
    return sum(agreement) / len(agreement)


def naive_bootstrap(first, second, resamples, seed):
    topics = len(first)
    drawn = np.random.default_rng(seed).integers(topics, size=(resamples, topics), dtype=np.uint16)
    taus = [
        stats.kendalltau(first[rows].mean(0).round(12), second[rows].mean(0).round(12)).statistic
        for rows in drawn
    ]
    return np.quantile(taus, [0.025, 0.975])


def check(agreement, first, second, seed=0, resamples=2000):
    means = first.mean(0).round(13), second.mean(0).round(13)
    tau = stats.kendalltau(*means).statistic
    assert agreement.tau_b == pytest.approx(tau, abs=1e-12)
    assert agreement.tau_a == pytest.approx(naive_tau_a(*means), abs=1e-12)
    assert agreement.tau_ap == pytest.approx(naive_tau_ap(*means), abs=1e-12)
    runs = first.shape[1]
    half = 1.96 * math.sqrt(2 * (2 * runs + 5) / (9 * runs * (runs - 1)))
    assert agreement.published.method == "published"
    limits = [round(tau, 3) - half, round(tau, 3) + half]
    assert [agreement.published.low, agreement.published.high] == pytest.approx(limits)
    assert (agreement.bootstrap.method, agreement.resamples, agreement.seed) == (
        "bootstrap",
        resamples,
        seed,
    )
    limits = naive_bootstrap(first, second, resamples, seed)
    assert [agreement.bootstrap.low, agreement.bootstrap.high] == pytest.approx(limits, abs=1e-9)
    assert (agreement.topics, agreement.runs, reason(agreement)) == (*first.shape, None)
    by_run = {row.run: row for row in agreement.ranking}
    assert [row.rank_a for row in agreement.ranking] == sorted(
        row.rank_a for row in agreement.ranking
    )
    ranks = [stats.rankdata(-values) for values in means]
    for i in range(runs):
        row = by_run[f"run{i}"]
        # In full, though ranked without what rounding adds.
        assert (row.mean_a, row.mean_b) == pytest.approx((means[0][i], means[1][i]), rel=1e-14)
        assert (row.rank_a, row.rank_b) == (ranks[0][i], ranks[1][i])


@pytest.mark.parametrize("scale", ["std", "std-cdf", "std-ab"])
def test_raw_against_standardised(engine, scale):
    log_scores(engine, "r1", SCORES)
    agreement = compare_rankings(engine, "t", "r1", "AP", scale=scale, resamples=400)
    assert (agreement.a, agreement.b) == ("raw", f"{scale} by factor version 1")
    check(agreement, SCORES, on_scale(SCORES, scale), resamples=400)
    assert agreement.tau_b < 1


def test_runs_with_the_same_mean_share_their_rank(engine):
    values = [0.432630790805, 0.42278467327, 0.669297298575]
    scores = np.array([np.roll(values, turn) for turn in range(3)] + [[0.9, 0.8, 0.7]]).T
    assert np.unique(scores.mean(axis=0)).size > 2
    log_scores(engine, "r1", scores)
    ranking = compare_rankings(engine, "t", "r1", "AP", resamples=40).ranking
    assert {row.run: row.rank_a for row in ranking} == {"run3": 1, "run0": 3, "run1": 3, "run2": 3}


def test_between_factor_versions(engine):
    log_scores(engine, "r1", SCORES)
    fit(engine, ["run0", "run1", "run2"])
    agreement = compare_rankings(
        engine, "t", "r1", "AP", scale="std", versions=(1, 2), seed=3, resamples=400
    )
    assert (agreement.a, agreement.b) == ("std by factor version 1", "std by factor version 2")
    first, second = on_scale(SCORES, "std"), on_scale(SCORES, "std", slice(3))
    check(agreement, first, second, seed=3, resamples=400)
    turned = compare_rankings(engine, "t", "r1", "AP", scale="std", versions=(2, 1), resamples=50)
    assert turned.tau_b == agreement.tau_b
    assert turned.tau_ap == pytest.approx(naive_tau_ap(second.mean(0), first.mean(0)))
    same = compare_rankings(engine, "t", "r1", "AP", versions=(2, 2), resamples=50)
    assert (same.tau_b, same.tau_ap, same.bootstrap.low) == (1.0, 1.0, 1.0)
    # The raw ranking is compared by the latest version.
    assert compare_rankings(engine, "t", "r1", "AP", resamples=50).b == "std-ab by factor version 2"


def test_ties(engine):
    scores = SCORES[:, :6].copy()
    scores[:, 1] = scores[:, 0]
    scores[:, 4] = scores[:, 3]
    log_scores(engine, "r1", scores)
    agreement = compare_rankings(engine, "t", "r1", "AP", scale="std", resamples=50)
    means = scores.mean(0).round(13), on_scale(scores, "std").mean(0).round(13)
    assert agreement.tau_b == pytest.approx(stats.kendalltau(*means).statistic, abs=1e-12)
    assert agreement.tau_a == pytest.approx(naive_tau_a(*means), abs=1e-12)
    assert agreement.tau_a < agreement.tau_b
    assert agreement.tau_ap == pytest.approx(tau_ap_over_orders(*means), abs=1e-12)
    ranks = {row.run: (row.rank_a, row.rank_b) for row in agreement.ranking}
    assert ranks["run0"] == ranks["run1"]
    assert ranks["run3"] == ranks["run4"]
    assert [ranks[f"run{i}"][0] for i in range(6)] == stats.rankdata(-means[0]).tolist()


def test_topics_without_spread(engine):
    scores = SCORES.copy()
    scores[4] = 0.5
    log_scores(engine, "r1", scores, zero_sd="drop")
    kept = np.delete(scores, 4, axis=0)
    agreement = compare_rankings(engine, "t", "r1", "AP")
    check(agreement, kept, on_scale(kept, "std-ab"))  # with the usual number of resamples
    fit(engine, "all")  # the policy average keeps the topic, but only on its side
    both = compare_rankings(engine, "t", "r1", "AP", versions=(1, 2), resamples=50)
    assert (both.topics, both.tau_b) == (9, 1.0)
    assert compare_rankings(engine, "t", "r1", "AP", resamples=50).topics == 10


def test_constant_matrices_say_that_nothing_is_ranked(engine):
    log_scores(engine, "r1", np.full((5, 4), 0.5))
    agreement = compare_rankings(engine, "t", "r1", "AP")
    assert (agreement.tau_a, agreement.tau_b, agreement.tau_ap) == (0.0, None, None)
    assert (agreement.published, agreement.bootstrap) == (None, None)
    assert reason(agreement) == "All runs tie in one of the rankings: tau-b does not exist."
    assert {row.rank_a for row in agreement.ranking} == {2.5}
    assert "NaN" not in agreement.model_dump_json()
    log_scores(engine, "r2", np.full((5, 4), 0.5), zero_sd="drop")
    with pytest.raises(ImpossibleStatisticError, match="usable factors"):
        compare_rankings(engine, "t", "r2", "AP")


def test_runs_that_tie_on_the_mean_only_once_standardised(engine):
    log_scores(engine, "r1", [[0.9, 0.1], [0.4, 0.5]])
    agreement = compare_rankings(engine, "t", "r1", "AP")
    assert (agreement.tau_a, agreement.tau_b) == (0.0, None)
    assert agreement.ranking[0].rank_b == 1.5
    assert "tie in one of the rankings" in reason(agreement)


def test_refused(engine):
    log_scores(engine, "r1", SCORES)
    log_scores(engine, "alone", SCORES[:, :1])
    with pytest.raises(ImpossibleStatisticError, match="at least 2 runs"):
        compare_rankings(engine, "t", "alone", "AP")
    with pytest.raises(NotRecordedError, match="7"):
        compare_rankings(engine, "t", "r1", "AP", versions=(1, 7))
    with pytest.raises(NotRecordedError):
        compare_rankings(engine, "t", "r9", "AP")
    for options in ({"resamples": 39}, {"resamples": 10**7}, {"seed": -1}, {"resamples": 0}):
        with pytest.raises(InputError, match=r"resamples|seed"):
            compare_rankings(engine, "t", "r1", "AP", **options)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_trec_covid_raw_against_std_ab(engine, shared, number):
    path = shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv"
    scores = np.genfromtxt(path, delimiter=",", skip_header=1)[:, 1:]
    log_scores(engine, "r1", scores, "nDCG@10")
    agreement = compare_rankings(engine, "t", "r1", "nDCG@10", resamples=200)
    means = scores.mean(0).round(12), on_scale(scores, "std-ab").mean(0).round(12)
    assert agreement.tau_b == pytest.approx(stats.kendalltau(*means).statistic, abs=1e-12)
    assert agreement.tau_a == pytest.approx(naive_tau_a(*means), abs=1e-12)
    assert agreement.bootstrap.low < agreement.bootstrap.high <= 1 < agreement.published.high
