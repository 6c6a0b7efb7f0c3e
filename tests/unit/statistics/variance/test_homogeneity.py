"""The test of equal variances: check values, the formula written out, and its size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roundbook.statistics.variance import homogeneity
from roundbook.statistics.variance.homogeneity import SharedInfluences, wald_of_equality
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import PublishedVariance, StoredVariance, topic_influences


def naive_wald(values, influences):
    count = values.size
    matrix = np.zeros((count, int(influences.topics.max()) + 1))
    matrix[influences.estimates, influences.topics] = influences.values
    covariance = matrix @ matrix.T + np.diag(influences.own)
    contrast = np.hstack([-np.ones((count - 1, 1)), np.eye(count - 1)])
    differences = contrast @ values
    return float(differences @ np.linalg.solve(contrast @ covariance @ contrast.T, differences))


def random_influences(seed, count, topics, per_estimate, own=0.01):
    rng = np.random.default_rng(seed)
    chosen = np.concatenate([rng.choice(topics, per_estimate, replace=False) for _ in range(count)])
    return rng.normal(size=count), SharedInfluences(
        rng.normal(0, 0.03, count * per_estimate),
        np.repeat(np.arange(count), per_estimate),
        chosen,
        np.full(count, own),
    )


def chained_rounds(count, size, seed=0, variance=1.0):
    """Rounds that share half of their topics with the round before."""
    rng = np.random.default_rng(seed)
    effects = rng.normal(0, (0.6 * variance) ** 0.5, (count + 1) * size)
    rounds = []
    for number in range(count):
        ids = np.arange(size) + number * (size // 2)
        scores = effects[ids, np.newaxis] + rng.normal(0, (0.4 * variance) ** 0.5, (size, 20))
        by_topic = np.square(scores - scores.mean(axis=0)).sum(axis=1)
        dof = 20.0 * (size - 1)
        rounds.append(StoredVariance(by_topic.sum() / dof, dof, 20, ids, by_topic, 0.001))
    return rounds


@pytest.mark.parametrize(
    ("kind", "teams", "statistic", "p_value", "ratio"),
    [
        ("one_way", True, 2.5442, 0.1056, 1.348),
        ("two_way", True, 0.7434, 0.4892, None),
        ("one_way", False, None, 0.0774, 1.348),
        ("two_way", False, None, 0.3822, None),
    ],
)
def test_treccovid(treccovid, kind, teams, statistic, p_value, ratio):
    test = pool([matrix.variance(kind, teams=teams) for matrix in treccovid]).homogeneity
    assert (test.dof, test.dof_residual, test.reason) == (2, 18.5, None)
    assert round(test.p_value, 4) == p_value
    if statistic:
        assert round(test.statistic, 4) == statistic
    if ratio:
        assert round(test.max_min_ratio, 3) == ratio


@given(st.integers(0, 10**6), st.integers(2, 12))
def test_wald_of_few(seed, count):
    values, influences = random_influences(seed, count, 40, 20)
    expected = naive_wald(values, influences)
    assert wald_of_equality(values, influences) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("topics", [80, 400, 5000])
@pytest.mark.parametrize("own", [0.0, 0.01])
def test_wald_of_many(topics, own):
    values, influences = random_influences(topics, 150, topics, 50, own)
    if topics == 80 and own == 0:
        # 150 estimates from 80 topics.
        assert wald_of_equality(values, influences) is None
        return
    expected = naive_wald(values, influences)
    assert wald_of_equality(values, influences) == pytest.approx(expected, rel=1e-9)


def test_products_and_factors_agree(monkeypatch):
    values, influences = random_influences(1, 120, 400, 30)
    by_products = wald_of_equality(values, influences)
    monkeypatch.setattr(homogeneity, "_MANY", 1000)
    assert wald_of_equality(values, influences) == pytest.approx(by_products, rel=1e-11)


def test_the_formula_with_rounds_of_different_size():
    rounds = [*chained_rounds(3, 20), PublishedVariance(1.2, 500.0, 25, 0.06, 0.004, None)]
    test = pool(rounds).homogeneity
    sizes = np.array([20, 20, 20, 25])
    spreads = np.r_[topic_influences([entry.by_topic for entry in rounds[:3]]).variances, 0.06]
    common = (sizes**2 * spreads).sum() / sizes.sum()
    matrix = np.zeros((4, 40 + 25))
    for number, entry in enumerate(rounds[:3]):
        values = topic_influences([entry.by_topic]).values
        matrix[number, entry.topics] = values * (common / 20 / spreads[number]) ** 0.5
    matrix[3, 40:] = (common / 25 / 25) ** 0.5
    covariance = matrix @ matrix.T + np.diag([entry.runs_part for entry in rounds])
    contrast = np.hstack([-np.ones((3, 1)), np.eye(3)])
    differences = contrast @ np.log([entry.variance for entry in rounds])
    statistic = differences @ np.linalg.solve(contrast @ covariance @ contrast.T, differences)
    expected = statistic / 3 * 30 / 32
    assert (test.dof, test.dof_residual) == (3, 30.0)
    assert test.statistic == pytest.approx(expected, rel=1e-9)
    assert test.p_value == pytest.approx(stats.f.sf(expected, 3, 30), rel=1e-9)


def test_too_few_topics_for_the_rounds():
    rounds = chained_rounds(3, 20)
    same_topics = [
        StoredVariance(e.variance, e.weight, e.runs, np.arange(20), e.by_topic, e.runs_part)
        for e in rounds * 4
    ]
    test = pool(same_topics[:9]).homogeneity
    assert test.dof_residual == (20 - 1) / 2 - 9 + 2
    assert pool(same_topics[:10]).homogeneity.reason == "too_few_topics"


def test_the_same_scores_twice():
    first, second = chained_rounds(2, 30)
    bare = [
        StoredVariance(e.variance, e.weight, e.runs, e.topics, e.by_topic, None)
        for e in (first, second)
    ]
    test = pool([bare[0], bare[1], bare[0]]).homogeneity
    assert (test.statistic, test.p_value, test.reason) == (None, None, "not_separable")
    assert test.max_min_ratio == pytest.approx(
        max(first.variance, second.variance) / min(first.variance, second.variance)
    )


def test_variance_that_no_topic_changes():
    alike = StoredVariance(1.0, 10.0, 5, np.arange(12), np.ones(12), 0.1)
    test = pool([alike, chained_rounds(1, 20)[0]]).homogeneity
    assert (test.statistic, test.reason) == (None, "not_separable")


def test_wider_apart_is_less_likely():
    first, second = chained_rounds(2, 40)
    p_values = []
    for ratio in (1.0, 2.0, 4.0):
        entry = StoredVariance(
            first.variance * ratio, 1.0, 20, second.topics, second.by_topic, 0.001
        )
        p_values.append(pool([first, entry]).homogeneity.p_value)
    assert p_values[0] == pytest.approx(1)
    assert p_values[0] > p_values[1] > p_values[2]


def test_false_alarms_are_no_more_than_promised():
    rejected = sum(
        pool(chained_rounds(3, 40, seed)).homogeneity.p_value < 0.05 for seed in range(300)
    )
    assert rejected / 300 <= 0.09


def test_a_thousand_rounds():
    rounds = chained_rounds(1000, 20, seed=7)
    pooled = pool(rounds)
    assert pooled.topics == 1001 * 10
    assert pooled.homogeneity.dof_residual == (10010 - 1) / 2 - 998
    assert 0.5 < pooled.homogeneity.statistic < 1.5
    assert pooled.interval.low < 1 < pooled.interval.high
