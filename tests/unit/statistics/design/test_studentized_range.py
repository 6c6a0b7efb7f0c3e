"""Quantiles of the studentized range, against SciPy, printed tables, known cases and draws."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from roundbook.statistics.design.distributions import range_quantile
from roundbook.statistics.design.inputs import broadcast_floats


def studentized_range_quantile(alpha, runs, dof):
    return range_quantile(*broadcast_floats(alpha, runs, dof))


def probabilities_by_scipy(q, m, dof):
    with np.errstate(all="ignore"):
        return stats.studentized_range.sf(q, m, dof)


def relative_error(q, alpha, m, dof):
    """Error of a quantile, from SciPy's probability of exceeding it, which is quicker than ppf."""
    above, further = probabilities_by_scipy(np.stack([q, q * 1.001]), m, dof)
    return np.abs((above / alpha - 1) * 0.001 / (further / above - 1))


@pytest.mark.parametrize("m", [2, 3, 10, 200])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.2])
@pytest.mark.parametrize(
    "dof",
    [
        [1, 37, np.inf],
        # From 100,000 degrees of freedom on SciPy takes them for infinitely many.
        pytest.param([2, 5, 1_234, 60_000], marks=pytest.mark.slow),
    ],
)
def test_quantiles_are_scipys(alpha, m, dof):
    dof = np.array(dof)
    q = studentized_range_quantile(alpha, m, dof)
    assert relative_error(q, alpha, m, dof).max() < 1e-8


@pytest.mark.slow
def test_quantiles_are_scipys_everywhere():
    rng = np.random.default_rng(12)
    for alpha in (0.001, 0.003, 0.01, 0.05, 0.1, 0.2):
        for m in [2, 3, 4, 5, 7, 15, 40, 120, 200]:
            dof = np.append(10 ** rng.uniform(0, 5, 8), [1, np.inf])
            q = studentized_range_quantile(alpha, m, dof)
            assert relative_error(q, alpha, m, dof).max() < 1e-8


@pytest.mark.parametrize("dof", [1e5, 1e6, 1e9])
@pytest.mark.parametrize(("alpha", "m"), [(0.001, 30), (0.05, 3), (0.2, 200)])
def test_many_degrees_of_freedom(alpha, m, dof):
    q = float(studentized_range_quantile(alpha, m, dof))
    # The mean over the sd, all but normal then, of the probabilities with a known sd.
    normal, weights = np.polynomial.hermite_e.hermegauss(9)
    sd = np.sqrt(stats.chi2.ppf(stats.norm.cdf(normal), dof) / dof)
    above = weights @ probabilities_by_scipy(q * sd, m, np.inf) / weights.sum()
    assert above == pytest.approx(alpha, rel=2e-8)


def test_printed_table():
    # The usual table of upper 5% points, as in any textbook.
    rows = {
        5: [3.64, 4.60, 5.22, 5.67, 6.03, 6.33, 6.58, 6.80, 6.99],
        20: [2.95, 3.58, 3.96, 4.23, 4.45, 4.62, 4.77, 4.90, 5.01],
        np.inf: [2.77, 3.31, 3.63, 3.86, 4.03, 4.17, 4.29, 4.39, 4.47],
    }
    for dof, row in rows.items():
        q = studentized_range_quantile(0.05, range(2, 11), dof)
        np.testing.assert_allclose(q, row, atol=0.0051)


def test_two_values_are_a_t_test():
    dof = np.array([1, 2, 9, 1e3, 1e6, 1e12])
    for alpha in (1e-30, 0.001, 0.05, 0.9):
        expected = np.sqrt(2) * stats.t.isf(alpha / 2, dof)
        np.testing.assert_allclose(studentized_range_quantile(alpha, 2, dof), expected, rtol=1e-8)
    known_sd = float(studentized_range_quantile(0.05, 2, np.inf))
    assert known_sd == pytest.approx(-np.sqrt(2) * ndtri(0.025), rel=1e-14)


def test_many_values_with_a_known_sd():
    # The range of very many is the sum of two independent extremes, each exp(-exp(-x)) in the limit
    # with an error that only falls with the logarithm: so by draws of the extremes themselves.
    rng = np.random.default_rng(3)
    m, draws = 10**6, 400_000
    # Uniform order statistics: the smallest is all but exponential over m.
    low, high = -ndtri(rng.exponential(size=(2, draws)) / m)
    q = float(studentized_range_quantile(0.05, m, np.inf))
    above = np.mean(low + high > q)
    assert above == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / draws))


def test_by_simulation():
    rng = np.random.default_rng(4)
    trials = 200_000
    for m, dof in ((3, 1), (7, 4)):
        ranges = np.ptp(rng.normal(size=(trials, m)), axis=1)
        q = ranges / np.sqrt(rng.chisquare(dof, trials) / dof)
        for alpha in (0.01, 0.3):
            above = np.mean(q > studentized_range_quantile(alpha, m, dof))
            assert above == pytest.approx(alpha, abs=4 * np.sqrt(alpha * (1 - alpha) / trials))


def test_quantiles_rise_with_m_and_fall_with_alpha_and_dof():
    alpha = np.array([1e-30, 1e-12, 0.001, 0.05, 0.2, 0.6, 0.95])[:, None, None]
    m = np.array([2, 3, 4, 10, 50, 1_000, 10**6, 10**9])[:, None]
    dof = np.array([1, 1.5, 2, 3, 10, 40, 200, 1e4, 1e7, 1e16, np.inf])
    q = studentized_range_quantile(alpha, m, dof)
    assert np.isfinite(q).all()
    assert (np.diff(q, axis=0) < 0).all()
    assert (np.diff(q, axis=1) > 0).all()
    # Above half, more degrees of freedom make a larger quantile of many values.
    assert (np.diff(q[:5], axis=2) <= 1e-12 * q[:5, :, 1:]).all()


def test_a_quantile_does_not_depend_on_its_neighbours():
    m, dof = np.array([3, 3, 9, 2]), np.array([4, 40, 4, 40])
    together = studentized_range_quantile(0.05, m, dof)
    alone = [studentized_range_quantile(0.05, *cell) for cell in zip(m, dof, strict=True)]
    assert together.tolist() == [float(q) for q in alone]
    assert studentized_range_quantile([[0.05], [0.1]], 3, [4, 5, 6]).shape == (2, 3)
    assert studentized_range_quantile(0.05, 3, 4).shape == ()


def test_quicker_than_scipy():
    begin = time.perf_counter()
    # An alpha that no other test has, so that nothing is kept from there.
    studentized_range_quantile(0.0431, np.arange(3, 23)[:, None], np.geomspace(1, 1e6, 50))
    thousand = time.perf_counter() - begin
    begin = time.perf_counter()
    stats.studentized_range.ppf(1 - 0.0431, 10, 50)
    assert thousand < 1000 * (time.perf_counter() - begin) / 20
