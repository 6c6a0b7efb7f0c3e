"""The chi-square interval, against SciPy's distribution, a published table and simulation."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.errors import ImpossibleStatistic
from service.statistics import variance_interval
from service.statistics.variance import residual_variance
from service.statistics.variance_interval import chi_square_interval


def test_examples():
    found = doctest.testmod(variance_interval)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_table_of_chi_square():
    # Any table: chi2(.025; 10) = 3.247, chi2(.975; 10) = 20.483.
    found = chi_square_interval(1, 10)
    assert 1 / found.high == pytest.approx(3.247, abs=5e-4)
    assert 1 / found.low == pytest.approx(20.483, abs=5e-4)


@given(st.floats(1e-6, 1e6), st.integers(1, 10**7), st.floats(0.01, 0.999))
def test_equals_scipy(total, dof, level):
    found = chi_square_interval(total, dof, level)
    low, high = total / stats.chi2.ppf([(1 + level) / 2, (1 - level) / 2], dof)
    assert found.low == pytest.approx(low, rel=1e-9)
    assert found.high == pytest.approx(high, rel=1e-9)
    assert found.variance == total / dof
    assert (found.level, found.sum_of_squares, found.dof) == (level, total, dof)


@given(st.integers(1, 1000), st.floats(0.5, 0.98), st.floats(0.001, 0.015))
def test_more_confidence_is_wider_and_more_dof_narrower(dof, level, more):
    found = chi_square_interval(dof, dof, level)
    wider = chi_square_interval(dof, dof, level + more)
    assert wider.low < found.low < found.high < wider.high
    narrower = chi_square_interval(2 * dof, 2 * dof, level)
    assert narrower.high / narrower.low < found.high / found.low


@pytest.mark.parametrize("dof", [1, 3, 49, 3822])
def test_each_tail_holds_half_of_the_rest(dof):
    found = chi_square_interval(1.0, dof, 0.9)
    assert stats.chi2.sf(1 / found.low, dof) == pytest.approx(0.05)
    assert stats.chi2.cdf(1 / found.high, dof) == pytest.approx(0.05)


def test_coverage_of_independent_normal_scores():
    rng = np.random.default_rng(3)
    hits = 0
    for scores in rng.normal(0, 2, (2_000, 12, 4)):
        part = residual_variance(scores)
        found = chi_square_interval(part.sum_of_squares, part.dof, 0.9)
        hits += found.low <= 4 <= found.high
    # Monte Carlo error sqrt(.9 * .1 / 2000) = .0067; three of it.
    assert hits / 2_000 == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("level", [1e-9, 1 - 1e-15])
@pytest.mark.parametrize("dof", [1, 10**9])
def test_extreme_levels_stay_finite(level, dof):
    found = chi_square_interval(dof, dof, level)
    assert 0 < found.low <= found.high < math.inf


def test_robust2003(shared):
    scores = np.genfromtxt(
        shared / "data/adhoc/trec_robust2003_ap.csv", delimiter=",", skip_header=1
    )[:, 1:]
    part = residual_variance(scores)
    found = chi_square_interval(part.sum_of_squares, part.dof)
    assert found.variance == part.variance
    assert found.low < part.variance < found.high
    expected = part.sum_of_squares / stats.chi2.ppf([0.975, 0.025], part.dof)
    assert [found.low, found.high] == pytest.approx(expected.tolist(), rel=1e-10)


def test_no_variance_no_interval():
    found = chi_square_interval(0, 10)
    assert (found.low, found.high, found.variance) == (None, None, 0)
    assert "variance of 0 has no interval" in found.reason


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 10), "not negative, not -1"),
        ((math.nan, 10), "finite"),
        ((math.inf, 10), "finite"),
        ((1, 0), "at least 1, not 0"),
        ((1, 1.5), "whole"),
        ((1, math.nan), "whole"),
        ((1, math.inf), "whole"),
        ((1, 10, 0), "confidence level must be between 0 and 1, not 0"),
        ((1, 10, 1), "confidence level"),
        ((1, 10, math.nan), "confidence level"),
    ],
)
def test_refused(arguments, message):
    with pytest.raises(ImpossibleStatistic, match=message):
        chi_square_interval(*arguments)
