"""The interval of a pooled variance: by hand, by its properties, and by simulation."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.errors import ImpossibleStatistic
from service.statistics import pooled_interval as module
from service.statistics.pooled_interval import pooled_interval

POSITIVE = st.floats(1e-6, 1e3)
ROUNDS = st.lists(
    st.tuples(POSITIVE, st.floats(0, 1), POSITIVE, st.floats(0.1, 1e4)), min_size=1, max_size=8
)


def test_examples():
    found = doctest.testmod(module)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_by_hand():
    # Shares 3/4 and 1/4: mean .75 * .04 + .25 * .08 = .05. Below: .75 * .01 = .0075 and
    # .25 * .02 = .005; above: .75 * .02 = .015 and .25 * .03 = .0075.
    found = pooled_interval([0.04, 0.08], [0.03, 0.06], [0.06, 0.11], [30, 10])
    assert found.variance == pytest.approx(0.05)
    assert found.low == pytest.approx(0.05 - math.sqrt(0.0075**2 + 0.005**2))
    assert found.high == pytest.approx(0.05 + math.sqrt(0.015**2 + 0.0075**2))
    assert found.weights.tolist() == [0.75, 0.25]
    assert found.variances.tolist() == [0.04, 0.08]
    assert (found.lows.tolist(), found.highs.tolist()) == ([0.03, 0.06], [0.06, 0.11])


@given(ROUNDS)
def test_properties(rounds):
    values = [v for v, _, _, _ in rounds]
    lows = [v * share for v, share, _, _ in rounds]
    highs = [v + more for v, _, more, _ in rounds]
    weights = [w for _, _, _, w in rounds]
    found = pooled_interval(values, lows, highs, weights)
    slack = 1e-12 * max(highs)
    assert 0 <= found.low <= found.variance + slack
    assert found.variance <= found.high + slack
    # Never wider than the weighted mean of the single intervals, and one alone is its own.
    shares = np.array(weights) / sum(weights)
    assert found.low >= float(shares @ lows) - slack
    assert found.high <= float(shares @ highs) + slack
    if len(rounds) == 1:
        assert (found.low, found.high) == (pytest.approx(lows[0]), pytest.approx(highs[0]))
    scaled = pooled_interval(values, lows, highs, [7 * w for w in weights])
    assert (scaled.low, scaled.high) == pytest.approx((found.low, found.high), rel=1e-9, abs=slack)


def test_it_covers_what_it_should():
    """Normal scores, three rounds: the interval covers their pooled variance 95% of the time."""
    rng = np.random.default_rng(12)
    truth, dofs, trials = np.array([0.04, 0.05, 0.09]), np.array([30, 60, 20]), 4000
    drawn = truth * rng.chisquare(dofs, size=(trials, 3)) / dofs
    lows = drawn * dofs / stats.chi2.ppf(0.975, dofs)
    highs = drawn * dofs / stats.chi2.ppf(0.025, dofs)
    pooled = float(truth @ dofs) / dofs.sum()
    covered = 0
    for values, low, high in zip(drawn, lows, highs, strict=True):
        found = pooled_interval(values, low, high, dofs)
        covered += found.low <= pooled <= found.high
    # Monte Carlo standard error .0034.
    assert covered / trials == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(
    "given",
    [
        ([], [], [], []),
        ([0.1], [0.05], [0.2], [1, 1]),
        ([[0.1]], [[0.05]], [[0.2]], [[1]]),
        ([0.1], [0.05], [0.2], [0]),
        ([0.1], [0.05], [0.2], [-1]),
        ([0.1], [0.05], [0.2], [math.nan]),
        ([math.nan], [0.05], [0.2], [1]),
        ([0.1], [0.05], [math.inf], [1]),
        ([0.1], [0.11], [0.2], [1]),
        ([0.1], [0.05], [0.09], [1]),
        ([0.1], [-0.05], [0.2], [1]),
    ],
)
def test_refused(given):
    with pytest.raises(ImpossibleStatistic, match="interval of a pooled variance"):
        pooled_interval(*given)
