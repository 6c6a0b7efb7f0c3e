"""The topic bootstrap of the residual variance, against the plain loop over resamples."""

from __future__ import annotations

import doctest
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from service.errors import ImpossibleStatistic
from service.statistics import bootstrap
from service.statistics.bootstrap import (
    MOST_RESAMPLES,
    bootstrap_variance,
    percentile_interval,
    resampled_means,
    topic_weights,
)
from service.statistics.variance import residual_variance

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.floats(-2, 2, allow_subnormal=False),
)


def all_weights(topics, resamples, seed=0):
    return np.concatenate(list(topic_weights(topics, resamples, seed)))


def resampled(scores, row):
    return np.repeat(scores, row.astype(int), axis=0)


def plain_loop(scores, weights):
    drawn = (resampled(scores, row) for row in weights)
    return np.array([each.var(axis=0, ddof=1).mean() for each in drawn])


def test_examples():
    found = doctest.testmod(bootstrap)
    assert (found.failed, found.attempted > 0) == (0, True)


@settings(deadline=None, max_examples=30)
@given(MATRICES, st.integers(0, 2**40), st.floats(0.5, 0.95))
def test_equals_the_plain_loop(scores, seed, level):
    found = bootstrap_variance(scores, 60, level, seed)
    if found.reason is not None:
        # No spread, or one whose square no float holds.
        assert np.abs(scores - scores[0]).max() < 1e-150
        return
    values = plain_loop(scores, all_weights(len(scores), 60, seed))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    assert found.low == pytest.approx(low, abs=1e-12)
    assert found.high == pytest.approx(high, abs=1e-12)
    assert found.variance == pytest.approx(residual_variance(scores).variance, abs=1e-12)


@pytest.mark.parametrize("name", ["adhoc/trec_robust2003_ap", "treccovid/treccovid_round1_ndcg10"])
def test_equals_the_plain_loop_on_real_matrices(shared, name):
    scores = np.genfromtxt(shared / f"data/{name}.csv", delimiter=",", skip_header=1)[:, 1:]
    found = bootstrap_variance(scores, 500, seed=7)
    values = plain_loop(scores, all_weights(len(scores), 500, 7))
    expected = percentile_interval(values, 0.95)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert found.low < found.variance < found.high


def test_far_from_zero_no_digit_is_lost():
    scores = np.random.default_rng(1).random((30, 6))
    far = scores + np.array([0, 1e3, -1e5, 1e6, 0, 1e4])
    near, moved = bootstrap_variance(scores), bootstrap_variance(far)
    assert (moved.low, moved.high) == pytest.approx((near.low, near.high), rel=1e-9)


def test_weights_are_draws_with_replacement():
    weights = all_weights(7, 3_000, 5)
    assert weights.shape == (3_000, 7)
    assert (weights.sum(axis=1) == 7).all()
    assert (weights == np.floor(weights)).all()
    assert (weights >= 0).all()
    # Multinomial: mean 1, variance 1 - 1/7; three Monte Carlo errors of about 1 / sqrt(3000).
    assert weights.mean(axis=0) == pytest.approx(np.ones(7), abs=0.055)
    assert weights.var(axis=0) == pytest.approx(np.full(7, 6 / 7), abs=0.1)


def test_the_first_resamples_of_a_seed_stay_the_same():
    assert (all_weights(70, 1_500, 3)[:900] == all_weights(70, 900, 3)).all()
    assert (all_weights(70, 900, 3) != all_weights(70, 900, 4)).any()


def test_more_topics_than_sixteen_bits():
    weights = all_weights(70_000, 2)
    assert weights.shape == (2, 70_000)
    assert weights.sum(axis=1).tolist() == [70_000, 70_000]
    assert weights[:, 2**16 :].any()


@settings(deadline=None, max_examples=30)
@given(MATRICES)
def test_resampled_means_equal_the_plain_loop(scores):
    weights = all_weights(len(scores), 40)
    expected = [resampled(scores, row).mean(axis=0) for row in weights]
    np.testing.assert_allclose(resampled_means(scores, weights), expected, atol=1e-13)


def test_order_of_runs_is_nothing_to_it():
    scores = np.random.default_rng(2).random((20, 9))
    before, after = bootstrap_variance(scores), bootstrap_variance(scores[:, ::-1])
    assert (after.low, after.high) == pytest.approx((before.low, before.high), rel=1e-12)


def test_more_confidence_is_wider():
    scores = np.random.default_rng(2).random((20, 9))
    widths = [bootstrap_variance(scores, level=level) for level in (0.5, 0.8, 0.95, 0.99)]
    assert sorted(widths, key=lambda found: -found.low) == widths
    assert sorted(widths, key=lambda found: found.high) == widths


def test_interval_of_rising_and_falling_runs_is_wider_than_chi_square():
    from service.statistics.variance_interval import chi_square_interval

    rng = np.random.default_rng(4)
    scores = rng.normal(0, 1, (50, 1)) + rng.normal(0, 0.1, (50, 40))
    part = residual_variance(scores)
    square = chi_square_interval(part.sum_of_squares, part.dof)
    found = bootstrap_variance(scores)
    assert found.high - found.low > 3 * (square.high - square.low)


def test_coverage_over_samples_of_topics():
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        scores = rng.random((60, 1)) * 0.8 + rng.random((60, 10)) * 0.6
        found = bootstrap_variance(scores, 400, 0.9)
        hits += found.low <= (0.64 + 0.36) / 12 <= found.high
    # Monte Carlo error sqrt(.9 * .1 / 400) = .015; three of it, and one to the approximation.
    assert hits / 400 == pytest.approx(0.9, abs=0.06)


def test_scores_that_never_vary_show_no_error():
    found = bootstrap_variance(np.tile([0.1, 0.7, 1 / 3], (5, 1)))
    assert (found.low, found.high, found.variance) == (None, None, 0)
    assert "No run's score varies" in found.reason


def test_a_resample_of_one_topic_has_exactly_no_variance():
    found = bootstrap_variance([[0.1, 0.9], [0.7, 0.3]], level=0.9)
    assert found.low == 0


def test_input_comes_back():
    found = bootstrap_variance([[0.1], [0.2], [0.4]], 100, 0.9, 5)
    assert (found.topics, found.runs) == (3, 1)
    assert (found.resamples, found.level, found.seed) == (100, 0.9, 5)
    assert found == bootstrap_variance([[0.1], [0.2], [0.4]], 100, 0.9, 5)


def test_faster_than_the_plain_loop():
    scores = np.random.default_rng(6).random((100, 100))
    weights = all_weights(100, 200)

    def seconds(call, repeats):
        times = []
        for _ in range(repeats):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        return min(times)

    fast = seconds(lambda: bootstrap_variance(scores), 9)
    # Ten times 200 resamples. The bench asks for 20; this only guards against a loop coming back.
    assert 10 * seconds(lambda: plain_loop(scores, weights), 3) > 5 * fast


@pytest.mark.parametrize(
    ("scores", "settings_", "message"),
    [
        ([[0.1, 0.2]], {}, "The bootstrap of the residual variance needs at least 2 topic"),
        (np.empty((3, 0)), {}, "at least 1 run"),
        ([[0.1], [np.nan]], {}, "nan at topic index 1"),
        ([[0.1], [np.inf]], {}, "inf at topic index 1"),
        ([[0.1], [0.2]], {"level": 1}, "confidence level"),
        ([[0.1], [0.2]], {"level": math.nan}, "confidence level"),
        ([[0.1], [0.2]], {"resamples": 39}, "whole number of resamples from 40 to 1,000,000"),
        ([[0.1], [0.2]], {"resamples": MOST_RESAMPLES + 1}, "resamples"),
        ([[0.1], [0.2]], {"resamples": 99.5}, "resamples"),
        ([[0.1], [0.2]], {"resamples": math.nan}, "resamples"),
        ([[0.1], [0.2]], {"seed": -1}, "seed must be a whole number from 0 on"),
        ([[0.1], [0.2]], {"seed": 0.5}, "seed"),
        ([[0.1], [0.2]], {"seed": math.inf}, "seed"),
    ],
)
def test_refused(scores, settings_, message):
    with pytest.raises(ImpossibleStatistic, match=message):
        bootstrap_variance(scores, **settings_)
