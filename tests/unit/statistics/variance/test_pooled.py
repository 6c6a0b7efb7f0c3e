"""Pooled variances: check values, the formula on whole matrices, and what has no interval."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.interval import variance_intervals, variance_quantile
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import PublishedVariance, StoredVariance, topic_influences

TAU2_PRIOR = 0.016


def random_rounds(seed, count=3, topics=12, least=6):
    rng = np.random.default_rng(seed)
    rounds = []
    for _ in range(count):
        size = int(rng.integers(least, topics + 1))
        by_topic = rng.gamma(1.5, size=size)
        ids = rng.choice(topics, size, replace=False)
        rounds.append(
            StoredVariance(
                float(by_topic.sum() / size),
                9.0 * (size - 1),
                9,
                ids,
                by_topic,
                rng.uniform(0, 0.05),
            )
        )
    return rounds


def influence_matrix(rounds):
    ids = sorted({int(topic) for entry in rounds for topic in entry.topics})
    matrix = np.zeros((len(rounds), len(ids)))
    for row, entry in zip(matrix, rounds, strict=True):
        values = topic_influences([entry.by_topic]).values
        for topic, value in zip(entry.topics.tolist(), values, strict=True):
            row[ids.index(topic)] = value
    return matrix


def fixed(rounds):
    """The same rounds with runs that are no sample, as their part of the variance is not known."""
    return [replace(entry, runs_part=None) for entry in rounds]


def limits(interval):
    return [round(interval.low, 5), round(interval.high, 5)]


def test_treccovid_one_way(treccovid):
    rounds = [matrix.variance("one_way") for matrix in treccovid]
    pooled = pool(rounds)
    assert round(pooled.variance, 6) == 0.065045
    assert (pooled.topics, pooled.dof) == (40, 19.5)
    assert limits(pooled.interval) == [0.05599, 0.07646]
    assert pooled.interval.of == "systems"
    these_runs = pool(fixed(rounds)).interval
    assert (limits(these_runs), these_runs.of) == ([0.05636, 0.07588], "these runs")
    apart = [
        matrix.variance("one_way", topics=matrix.topics + 1000 * number)
        for number, matrix in enumerate(treccovid)
    ]
    assert limits(pool(apart).interval) == [0.05775, 0.07382]
    assert pool(apart).topics == 105


def test_treccovid_two_way(treccovid):
    pooled = pool([matrix.variance("two_way") for matrix in treccovid])
    assert round(pooled.variance, 6) == 0.032856
    assert limits(pooled.interval) == [0.03029, 0.03576]


def test_average_precision(adhoc):
    pooled = pool([adhoc[f"TREC-{number}"].variance("one_way") for number in (3, 5, 6, 7)])
    assert round(pooled.variance, 6) == 0.035599
    assert limits(pooled.interval) == [0.02925, 0.04427]
    assert round(pooled.homogeneity.p_value, 4) == 0.3709
    assert round(pooled.next_round.u80, 5) == 0.04084


@pytest.mark.parametrize(
    ("kind", "variance", "expected", "p_value"),
    [
        ("one_way", 0.036064, [0.02992, 0.04432], 0.3750),
        ("two_way", 0.012781, [0.01099, 0.01505], 0.000266),
    ],
)
def test_topics_that_return_years_later(adhoc, kind, variance, expected, p_value):
    pooled = pool([adhoc[name].variance(kind) for name in ("TREC-6", "TREC-7", "Robust 2003")])
    assert pooled.topics == 167
    assert round(pooled.variance, 6) == variance
    assert limits(pooled.interval) == expected
    assert pooled.homogeneity.p_value == pytest.approx(
        p_value, abs=5e-7 if p_value < 1e-3 else 5e-5
    )


@given(st.integers(0, 10**6), st.integers(1, 5))
def test_equals_the_formula_on_whole_matrices(seed, count):
    rounds = random_rounds(seed, count)
    pooled = pool(rounds)
    weights = np.array([entry.weight for entry in rounds])
    variances = np.array([entry.variance for entry in rounds])
    runs_parts = np.array([entry.runs_part for entry in rounds])
    assert pooled.variance == pytest.approx(np.average(variances, weights=weights), rel=1e-12)
    shares = weights * variances / (weights * variances).sum()
    assert pooled.shares == pytest.approx(shares, rel=1e-12)
    influences = influence_matrix(rounds)
    spread = np.square(shares @ influences).sum() + (shares**2 * runs_parts).sum()
    assert pooled.spread == pytest.approx(spread, rel=1e-10)
    assert pooled.topics == influences.shape[1]
    covariance = influences @ influences.T + np.diag(runs_parts)
    centring = np.eye(count) - 1 / count
    logs = np.log(variances)
    raw = max(0.0, np.square(logs - logs.mean()).sum() - np.trace(centring @ covariance))
    expected = (3 * TAU2_PRIOR + raw) / (2 + count)
    assert pooled.next_round.tau2 == pytest.approx(expected, rel=1e-9)


def test_one_round_is_its_own_interval():
    (entry,) = random_rounds(1, 1)
    pooled = pool([entry])
    assert pooled.variance == pytest.approx(entry.variance, rel=1e-15)
    (alone,) = variance_intervals([entry])
    assert pooled.interval.low == pytest.approx(alone.low, rel=1e-12)
    assert pooled.interval.high == pytest.approx(alone.high, rel=1e-12)
    assert pooled.homogeneity.reason == "one_round"
    assert pooled.next_round.tau2 == TAU2_PRIOR


def test_the_same_round_twice_tells_no_more_of_topics():
    (entry,) = random_rounds(2, 1)
    once, twice = pool(fixed([entry])), pool(fixed([entry, entry]))
    assert twice.spread == pytest.approx(once.spread, rel=1e-12)
    assert twice.interval.high == pytest.approx(once.interval.high, rel=1e-12)


@given(st.integers(0, 10**6), st.randoms(use_true_random=False), st.floats(1e-9, 1e9))
def test_order_ids_and_unit_change_nothing(seed, random, unit):
    rounds = random_rounds(seed, 3, topics=30, least=10)
    before = pool(rounds)
    names = list(range(1000, 1030))
    random.shuffle(names)
    changed = [
        StoredVariance(
            entry.variance * unit,
            entry.weight,
            entry.runs,
            np.array(names)[entry.topics],
            entry.by_topic * unit,
            entry.runs_part,
        )
        for entry in rounds
    ]
    random.shuffle(changed)
    after = pool(changed)
    assert after.variance == pytest.approx(before.variance * unit, rel=1e-12)
    assert after.interval.low == pytest.approx(before.interval.low * unit, rel=1e-9)
    assert after.interval.high == pytest.approx(before.interval.high * unit, rel=1e-9)
    assert after.homogeneity.statistic == pytest.approx(before.homogeneity.statistic, rel=1e-6)
    assert after.next_round.u80 == pytest.approx(before.next_round.u80 * unit, rel=1e-9)


def test_teams_that_return_move_all_rounds_alike():
    rounds = random_rounds(6)
    published = PublishedVariance(0.8, 50.0, 40, 0.03, 0.01, None)
    pooled = pool([*rounds, published])
    p, r = pooled.shares, np.array([entry.runs_part for entry in rounds] + [0.01])
    of_topics = np.square(p[:3] @ influence_matrix(rounds)).sum() + p[3] ** 2 * 0.03
    spread = of_topics + (p[:3] @ np.sqrt(r[:3])) ** 2 + p[3] ** 2 * r[3]
    expected = variance_quantile(pooled.variance, spread, pooled.topics, [0.025, 0.975])
    interval = pooled.returning_interval
    assert [interval.low, interval.high] == pytest.approx(expected, rel=1e-12)
    assert interval.low < pooled.interval.low < pooled.interval.high < interval.high
    # Of one round there is nobody to return; of these runs, teams are no sample.
    alone = pool(rounds[:1])
    assert limits(alone.returning_interval) == limits(alone.interval)
    these = pool(fixed(rounds))
    assert these.returning_interval == these.interval


def test_unknown_runs_part_makes_it_of_these_runs():
    rounds = random_rounds(3)
    mixed = pool([*rounds[:2], *fixed(rounds[2:])])
    assert mixed.interval == pool(fixed(rounds)).interval
    assert (mixed.interval.of, mixed.next_round.of) == ("these runs", "these runs")


def test_published_variance_brings_topics_of_its_own():
    entry = random_rounds(4, 1)[0]
    published = PublishedVariance(0.8, 50.0, 40, 0.03, 0.01, None)
    pooled = pool([entry, published])
    assert pooled.topics == len(entry.topics) + 40
    p = pooled.shares
    own = topic_influences([entry.by_topic]).variances[0] + entry.runs_part
    assert pooled.spread == pytest.approx(p[0] ** 2 * own + p[1] ** 2 * 0.04, rel=1e-12)
    several = pool([published, published])
    assert several.topics == 80
    assert several.spread == pytest.approx(0.02, rel=1e-12)
    assert several.homogeneity.p_value == pytest.approx(1.0)


def test_round_without_interval_leaves_the_pool_without():
    rounds = random_rounds(5)
    constant = StoredVariance(0.0, 10.0, 5, np.arange(4), np.zeros(4), None)
    pooled = pool([rounds[0], constant, rounds[1]])
    weights = rounds[0].weight + 10 + rounds[1].weight
    expected = sum(e.weight * e.variance for e in rounds[:2]) / weights
    assert pooled.variance == pytest.approx(expected, rel=1e-12)
    assert (pooled.spread, pooled.next_round.tau2) == (None, None)
    assert (pooled.interval.low, pooled.interval.high) == (None, None)
    assert pooled.interval.reason == "no_variance"
    assert pooled.homogeneity.reason == "no_variance"
    assert pooled.next_round.u80 is None
    only = pool([constant])
    assert (only.variance, only.shares.tolist()) == (0.0, [0.0])
    assert only.interval.reason == "no_variance"


def test_wrong_input():
    with pytest.raises(ImpossibleStatisticError, match="at least one variance"):
        pool([])
    with pytest.raises(ImpossibleStatisticError, match="level must be between 0 and 1"):
        pool(random_rounds(6), 1.5)


@pytest.mark.parametrize("shared", [0, 30, 50])
def test_covers_as_often_as_it_says(shared):
    # Three rounds of 50 topics and 20 runs of their own, V_E = 1 in the population.
    rng = np.random.default_rng(shared)
    covered = 0
    for _ in range(200):
        common = rng.normal(0, 0.6**0.5, shared)
        rounds = []
        for number in range(3):
            effects = np.r_[common, rng.normal(0, 0.6**0.5, 50 - shared)]
            scores = effects[:, np.newaxis] + rng.normal(0, 0.4**0.5, (50, 20))
            centred = scores - scores.mean(axis=0)
            by_topic = np.square(centred).sum(axis=1)
            ids = np.r_[np.arange(shared), 1000 * number + np.arange(shared, 50)]
            rounds.append(StoredVariance(by_topic.sum() / 980, 980.0, 20, ids, by_topic, 0.0))
        interval = pool(rounds).interval
        covered += interval.low <= 1 <= interval.high
    assert 0.90 <= covered / 200 <= 0.99
    assert math.isclose(interval.level, 0.95)
