"""Where the next round may lie."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import StoredVariance

RNG = np.random.default_rng(11)
BY_TOPIC = RNG.gamma(1.5, size=30)
SINGLE = StoredVariance(0.05, 290.0, 10, np.arange(30), BY_TOPIC, 0.01)


def test_treccovid_one_way(treccovid):
    following = pool([matrix.variance("one_way") for matrix in treccovid]).next_round
    assert round(following.tau2, 5) == 0.01776
    assert (round(following.u80, 5), round(following.u95, 5)) == (0.07647, 0.08985)
    assert (round(following.low, 5), round(following.high, 5)) == (0.04676, 0.09637)


def test_treccovid_two_way(treccovid):
    following = pool([matrix.variance("two_way") for matrix in treccovid]).next_round
    assert round(following.tau2, 4) == 0.0096
    assert round(following.u80, 5) == 0.03670


def test_robust_2003(adhoc):
    following = pool([adhoc["Robust 2003"].variance("two_way")]).next_round
    assert round(following.u80, 5) == 0.01195
    assert following.tau2 == 0.016


def test_a_single_round():
    pooled = pool([SINGLE])
    following = pooled.next_round
    assert following.tau2 == 0.016
    spread = pooled.spread + 2 * 0.016
    for limit, probability in (
        (following.u80, 0.8),
        (following.u95, 0.95),
        (following.low, 0.025),
        (following.high, 0.975),
    ):
        t = stats.t.ppf(probability, 29 / 2)
        expected = 0.05 * (1 - spread / 9 - t * spread**0.5 / 3) ** -3
        assert limit == pytest.approx(expected, rel=1e-9)
    assert following.low < pooled.interval.low < pooled.interval.high < following.high
    assert following.u80 < following.u95 < following.high


def test_rounds_that_differ_widen_it():
    other = StoredVariance(0.2, 290.0, 10, np.arange(30), BY_TOPIC, 0.01)
    alike, apart = pool([SINGLE, SINGLE]).next_round, pool([SINGLE, other]).next_round
    assert alike.tau2 == pytest.approx(3 * 0.016 / 4)
    raw = np.log(4) ** 2 / 2 - 0.01
    assert apart.tau2 == pytest.approx((3 * 0.016 + raw) / 4, rel=1e-9)


def test_not_bounded_by_three_topics():
    entry = StoredVariance(0.05, 9.0, 3, np.arange(3), np.array([1.0, 4.0, 2.0]), None)
    following = pool([entry]).next_round
    assert (following.u95, following.high) == (None, None)
    assert 0 < following.low < 0.05


def test_none_without_an_interval():
    entry = StoredVariance(0.0, 9.0, 3, np.arange(5), np.zeros(5), None)
    following = pool([entry]).next_round
    assert (following.u80, following.u95, following.low, following.high) == (None,) * 4
    assert following.tau2 is None
