"""Power and topic set sizes of t tests, against SciPy, statsmodels, ANOVA and simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design import DESIGNS, ENGINES, solve_topics
from roundbook.statistics.design.distributions import (
    critical_t,
    effect_size,
    exact_t_miss,
    sakai_t_miss,
)
from roundbook.statistics.design.inputs import broadcast_floats

PAIRED, TWO_SAMPLE = NAMES = ("paired-t", "two-sample-t")


def power(design, topics, min_d, variance, alpha=0.05, *, engine="exact"):
    n, difference, residual, level = broadcast_floats(topics, min_d, variance, alpha)
    m, effect = np.full(n.shape, 2.0), effect_size(difference, residual)
    return 1 - DESIGNS[design].miss(engine, n, m, effect, level)


def naive_exact_power(dof, ncp, alpha):
    """Both tails of the noncentral t by quadrature over its chi denominator."""
    critical = stats.t.isf(alpha / 2, dof)

    def given_sd(sd):
        tails = stats.norm.sf(critical * sd - ncp) + stats.norm.cdf(-critical * sd - ncp)
        return tails * stats.chi.pdf(sd * np.sqrt(dof), dof) * np.sqrt(dof)

    width = 12 / np.sqrt(2 * dof)
    points = np.linspace(max(0.0, 1 - width), 1 + width, 9)
    # Gauss-Legendre is plenty for a density so smooth.
    return sum(integrate.fixed_quad(given_sd, low, high, n=40)[0] for low, high in pairwise(points))


def naive_sakai_power(dof, ncp, alpha):
    w = stats.t.ppf(1 - alpha / 2, dof)
    s = (1 + w**2 / (2 * dof)) ** 0.5
    k = 1 - 1 / (4 * dof)
    return stats.norm.cdf((-w * k - ncp) / s) + 1 - stats.norm.cdf((w * k - ncp) / s)


NAIVE = {"exact": naive_exact_power, "sakai": naive_sakai_power}


@pytest.mark.parametrize("engine", ENGINES)
def test_check_values(engine):
    assert int(solve_topics(PAIRED, 0.5, 0.5, engine=engine).topics) == 34
    assert int(solve_topics(TWO_SAMPLE, 0.5, 1.0, engine=engine).topics) == 64


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [3, 5, 34, 200, 5_000])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_power_equals_plain_formulas(engine, n, alpha):
    for min_d in (0.01, 0.1, 0.5):
        result = power(PAIRED, n, min_d, 0.05, alpha, engine=engine)
        expected = NAIVE[engine](n - 1, np.sqrt(n) * min_d / np.sqrt(0.1), alpha)
        assert float(result) == pytest.approx(expected, abs=1e-9)
        result = power(TWO_SAMPLE, n, min_d, 0.05, alpha, engine=engine)
        expected = NAIVE[engine](2 * n - 2, np.sqrt(n / 2) * min_d / np.sqrt(0.05), alpha)
        assert float(result) == pytest.approx(expected, abs=1e-9)


def test_exact_power_equals_scipy_where_its_noncentral_t_has_both_tails():
    rng = np.random.default_rng(3)
    dof = 10 ** rng.uniform(0, 6, 3_000) // 1
    ncp = rng.uniform(0, 6, 3_000)
    alpha = 10 ** rng.uniform(-4, -0.1, 3_000)
    critical = stats.t.isf(alpha / 2, dof)
    # The lower tail mirrored: SciPy gives NaN where it is all but empty.
    expected = stats.nct.sf(critical, dof, ncp) + stats.nct.sf(critical, dof, -ncp)
    known = ~np.isnan(expected)
    assert known.mean() > 0.95
    result = 1 - exact_t_miss(dof, ncp * ncp, critical)
    np.testing.assert_allclose(result[known], expected[known], atol=1e-8)


def test_exact_power_is_statsmodels():
    n, effect = np.array([3, 10, 34, 150]), np.array([0.2, 0.5, 0.8, 0.1])
    paired, independent = TTestPower(), TTestIndPower()
    np.testing.assert_allclose(
        power(PAIRED, n, effect, 0.5),
        [paired.power(d, size, 0.05) for size, d in zip(n, effect, strict=True)],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        power(TWO_SAMPLE, n, effect, 1.0),
        [independent.power(d, size, 0.05) for size, d in zip(n, effect, strict=True)],
        atol=1e-9,
    )


@pytest.mark.parametrize("effect", [0.15, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.2), (0.01, 0.1)])
def test_exact_sizes_are_statsmodels_rounded_up(effect, alpha, beta):
    paired = TTestPower().solve_power(effect, None, alpha, 1 - beta)
    assert int(solve_topics(PAIRED, effect, 0.5, alpha, beta).topics) == np.ceil(paired)
    independent = TTestIndPower().solve_power(effect, None, alpha, 1 - beta)
    assert int(solve_topics(TWO_SAMPLE, effect, 1.0, alpha, beta).topics) == np.ceil(independent)


def test_exact_two_sample_is_anova_of_two_runs():
    rng = np.random.default_rng(6)
    min_d, variance = rng.uniform(0.01, 0.5, 500), rng.uniform(0.005, 0.2, 500)
    alpha, beta = rng.uniform(0.001, 0.2, 500), rng.uniform(0.05, 0.6, 500)
    n = rng.integers(2, 5_000, 500)
    np.testing.assert_allclose(
        power(TWO_SAMPLE, n, min_d, variance, alpha),
        power("anova", n, min_d, variance, alpha),
        rtol=1e-12,
    )
    ours = solve_topics(TWO_SAMPLE, min_d, variance, alpha, beta).topics
    np.testing.assert_array_equal(
        ours, solve_topics("anova", min_d, variance, alpha, beta, runs=2).topics
    )


def test_exact_power_is_a_number_everywhere():
    rng = np.random.default_rng(7)
    dof = 10 ** rng.uniform(0, 7.3, 50_000) // 1
    ncp = 10 ** rng.uniform(-5, 12, 50_000)
    alpha = 10 ** rng.uniform(-30, -0.01, 50_000)
    for miss in (exact_t_miss, sakai_t_miss):
        result = miss(dof, ncp * ncp, critical_t(dof, alpha))
        assert ((result >= 0) & (result <= 1)).all()
        assert (result[(ncp > 1e6) & (dof > 30)] == 0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_absurdly_large_effects_stay_numbers(engine):
    for min_d, variance in ((1e200, 1e-300), (1e-3, 1e-300), (1e5, 1.0)):
        result = solve_topics(PAIRED, min_d, variance, 1e-12, engine=engine)
        assert result.topics < 100
        assert result.power >= 0.8


def test_critical_value_of_a_tiny_alpha():
    dof = np.array([1.0, 5.0, 1e3, 1e7])
    for alpha in (1e-30, 1e-6, 0.05, 0.9):
        two_tails = 2 * stats.t.sf(critical_t(dof, np.full(4, alpha)), dof)
        np.testing.assert_allclose(two_tails, alpha, rtol=1e-9)


@pytest.mark.parametrize("count", [300, pytest.param(1_500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_equal_a_scan_from_two_upwards(design, engine, count):
    # Large effects and alphas too, where sakai falls with the first topics before it rises.
    rng = np.random.default_rng(4)
    min_d = np.sqrt(10 ** rng.uniform(-2, 3, count))
    alpha = 10 ** rng.uniform(-6, -0.02, count)
    beta = (1 - alpha) * rng.uniform(0.001, 0.99, count)
    result = solve_topics(design, min_d, 1.0, alpha, beta, engine=engine)
    scanned = np.arange(2, 101)
    enough = power(design, scanned[:, None], min_d, 1.0, alpha, engine=engine) >= 1 - beta
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 101)
    assert (first <= 100).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(result.topics, 101), first)


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_are_the_smallest(design, engine):
    grid = np.linspace(0.02, 0.3, 30)[:, None], np.linspace(0.01, 0.2, 30), 0.05, 0.2
    result = solve_topics(design, *grid, engine=engine)
    assert (result.power >= 0.8).all()
    again = power(design, result.topics, *grid[:3], engine=engine)
    np.testing.assert_allclose(result.power, again, rtol=1e-14)
    more = result.topics > 2
    fewer = power(design, np.maximum(result.topics - 1, 2), *grid[:3], engine=engine)
    assert not (fewer[more] >= 0.8).any()


@settings(max_examples=20)
@given(
    design=st.sampled_from(NAMES),
    engine=st.sampled_from(ENGINES),
    min_d=st.floats(0.01, 0.5),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
)
def test_sizes_fall_with_min_d_and_rise_with_variance(design, engine, min_d, variance, factor):
    size = solve_topics(design, min_d, variance, engine=engine).topics
    assert solve_topics(design, min_d * factor, variance, engine=engine).topics <= size
    assert solve_topics(design, min_d, variance * factor, engine=engine).topics >= size


@settings(max_examples=20)
@given(
    design=st.sampled_from(NAMES),
    n=st.integers(2, 100_000),
    more=st.integers(1, 1_000),
    min_d=st.floats(0.001, 1),
)
def test_exact_power_rises_with_topics(design, n, more, min_d):
    fewer, after = power(design, [n, n + more], min_d, 0.05)
    assert after >= fewer - 1e-12


def test_a_difference_has_twice_the_variance_given():
    # Half the variance of the differences, where it is known, is what stands for a variance.
    differences = np.random.default_rng(2).normal(0.1, 0.3, 40)
    assert int(solve_topics(PAIRED, 0.1, differences.var(ddof=1) / 2).topics) == int(
        np.ceil(TTestPower().solve_power(0.1 / differences.std(ddof=1), None, 0.05, 0.8))
    )


def test_paired_by_simulation():
    rng = np.random.default_rng(11)
    trials = 40_000
    differences = rng.normal(0.1, np.sqrt(0.1), (trials, 30))
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / np.sqrt(30))
    rejected = np.mean(np.abs(t) > stats.t.isf(0.025, 29))
    error = np.sqrt(rejected * (1 - rejected) / trials)
    assert float(power(PAIRED, 30, 0.1, 0.05)) == pytest.approx(rejected, abs=4 * error)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", NAMES)
def test_the_largest_plan_and_one_beyond(design, engine):
    pilot = float(solve_topics(design, 1e-3, 0.05, engine=engine).topics)
    near, beyond = 1e-3 * np.sqrt(pilot / (MOST_TOPICS * np.array([0.9999, 1.0001])))
    assert solve_topics(design, near, 0.05, engine=engine).topics <= MOST_TOPICS
    with pytest.raises(ImpossibleStatisticError, match=r"MinD .* more than 10,000,000 topics"):
        solve_topics(design, [0.1, beyond], 0.05, engine=engine)
    with pytest.raises(ImpossibleStatisticError, match="more than 10,000,000 topics"):
        solve_topics(design, 1e-200, 1e300, engine=engine)
