"""The bootstrap over topics, against the plain loop over resamples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_RESAMPLES
from roundbook.statistics.bootstrap import (
    check_resampling,
    percentile_interval,
    resampled_means,
    topic_weights,
)

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.floats(-2, 2, allow_subnormal=False),
)


def all_weights(topics, resamples, seed=0):
    return np.concatenate(list(topic_weights(topics, resamples, seed)))


def resampled(scores, row):
    return np.repeat(scores, row.astype(int), axis=0)


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


@settings(max_examples=15)
@given(MATRICES)
def test_resampled_means_equal_the_plain_loop(scores):
    weights = all_weights(len(scores), 40)
    expected = [resampled(scores, row).mean(axis=0) for row in weights]
    np.testing.assert_allclose(resampled_means(scores, weights), expected, atol=1e-13)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_a_percentile_interval_has_its_level_between_its_ends(level):
    values = np.random.default_rng(1).permutation(np.arange(2001.0))
    low, high = percentile_interval(values, level)
    assert (low, high) == pytest.approx((1000 * (1 - level), 2000 - 1000 * (1 - level)))
    assert percentile_interval(-values, level) == pytest.approx((-high, -low))


def test_resampling_within_its_range():
    check_resampling(40, 0.95, 0)
    check_resampling(MOST_RESAMPLES, 0.5, 2**63)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"level": 1}, "confidence level"),
        ({"level": math.nan}, "confidence level"),
        ({"resamples": 39}, "whole number of resamples from 40 to 1,000,000"),
        ({"resamples": MOST_RESAMPLES + 1}, "resamples"),
        ({"resamples": 99.5}, "resamples"),
        ({"resamples": math.nan}, "resamples"),
        ({"seed": -1}, "seed must be a whole number from 0 on"),
        ({"seed": 0.5}, "seed"),
        ({"seed": math.inf}, "seed"),
    ],
)
def test_refused(wrong, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        check_resampling(**{"resamples": 2000, "level": 0.95, "seed": 0, **wrong})
