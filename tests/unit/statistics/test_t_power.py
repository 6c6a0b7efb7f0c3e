"""Power and topic set sizes of t tests, against SciPy, statsmodels, ANOVA and simulation."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats
from statsmodels.stats.power import TTestIndPower, TTestPower

from service.errors import ImpossibleStatistic
from service.statistics.design_input import ENGINES, MOST_TOPICS
from service.statistics.t_power import (
    critical_t,
    exact_t_miss,
    paired_t_power,
    sakai_t_miss,
    two_sample_t_power,
)
from service.statistics.t_topics import paired_t_topics, two_sample_t_topics
from service.statistics.topic_set_size import anova_power, anova_topics

SIZES = {"paired": paired_t_topics, "two-sample": two_sample_t_topics}
POWERS = {"paired": paired_t_power, "two-sample": two_sample_t_power}
DESIGNS = list(SIZES)


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
    assert int(paired_t_topics(0.5, variance_diff=1.0, engine=engine).topics) == 34
    assert int(two_sample_t_topics(0.5, 1.0, engine=engine).topics) == 64


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("n", [3, 5, 34, 200, 5_000])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
def test_power_equals_plain_formulas(engine, n, alpha):
    for min_d in (0.01, 0.1, 0.5):
        found = paired_t_power(n, min_d, 0.05, alpha, engine=engine)
        expected = NAIVE[engine](n - 1, np.sqrt(n) * min_d / np.sqrt(0.1), alpha)
        assert float(found) == pytest.approx(expected, abs=1e-9)
        found = two_sample_t_power(n, min_d, 0.05, alpha, engine=engine)
        expected = NAIVE[engine](2 * n - 2, np.sqrt(n / 2) * min_d / np.sqrt(0.05), alpha)
        assert float(found) == pytest.approx(expected, abs=1e-9)


def test_exact_power_equals_scipy_where_its_noncentral_t_has_both_tails():
    rng = np.random.default_rng(3)
    dof = 10 ** rng.uniform(0, 6, 3_000) // 1
    ncp = rng.uniform(0, 6, 3_000)
    alpha = 10 ** rng.uniform(-4, -0.1, 3_000)
    critical = stats.t.isf(alpha / 2, dof)
    # The lower tail mirrored: SciPy gives NaN where it is all but empty.
    power = stats.nct.sf(critical, dof, ncp) + stats.nct.sf(critical, dof, -ncp)
    known = ~np.isnan(power)
    assert known.mean() > 0.95
    found = 1 - exact_t_miss(dof, ncp * ncp, alpha)
    np.testing.assert_allclose(found[known], power[known], atol=1e-8)


def test_exact_power_is_statsmodels():
    n, effect = np.array([3, 10, 34, 150]), np.array([0.2, 0.5, 0.8, 0.1])
    paired, independent = TTestPower(), TTestIndPower()
    np.testing.assert_allclose(
        paired_t_power(n, effect, variance_diff=1.0),
        [paired.power(d, size, 0.05) for size, d in zip(n, effect, strict=True)],
        atol=1e-9,
    )
    np.testing.assert_allclose(
        two_sample_t_power(n, effect, 1.0),
        [independent.power(d, size, 0.05) for size, d in zip(n, effect, strict=True)],
        atol=1e-9,
    )


@pytest.mark.parametrize("effect", [0.15, 0.3, 0.5, 0.9])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.2), (0.01, 0.1)])
def test_exact_sizes_are_statsmodels_rounded_up(effect, alpha, beta):
    paired = TTestPower().solve_power(effect, None, alpha, 1 - beta)
    assert int(paired_t_topics(effect, None, alpha, beta, variance_diff=1.0).topics) == np.ceil(
        paired
    )
    independent = TTestIndPower().solve_power(effect, None, alpha, 1 - beta)
    assert int(two_sample_t_topics(effect, 1.0, alpha, beta).topics) == np.ceil(independent)


def test_exact_two_sample_is_anova_of_two_runs():
    rng = np.random.default_rng(6)
    min_d, variance = rng.uniform(0.01, 0.5, 500), rng.uniform(0.005, 0.2, 500)
    alpha, beta = rng.uniform(0.001, 0.2, 500), rng.uniform(0.05, 0.6, 500)
    n = rng.integers(2, 5_000, 500)
    np.testing.assert_allclose(
        two_sample_t_power(n, min_d, variance, alpha),
        anova_power(n, 2, min_d, variance, alpha),
        rtol=1e-12,
    )
    ours = two_sample_t_topics(min_d, variance, alpha, beta).topics
    np.testing.assert_array_equal(ours, anova_topics(2, min_d, variance, alpha, beta).topics)


def test_exact_power_is_a_number_everywhere():
    rng = np.random.default_rng(7)
    dof = 10 ** rng.uniform(0, 7.3, 50_000) // 1
    ncp = 10 ** rng.uniform(-5, 12, 50_000)
    alpha = 10 ** rng.uniform(-30, -0.01, 50_000)
    for miss in (exact_t_miss, sakai_t_miss):
        found = miss(dof, ncp * ncp, alpha)
        assert ((found >= 0) & (found <= 1)).all()
        assert (found[(ncp > 1e6) & (dof > 30)] == 0).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_absurdly_large_effects_stay_numbers(engine):
    for min_d, variance in ((1e200, 1e-300), (1e-3, 1e-300), (1e5, 1.0)):
        found = paired_t_topics(min_d, variance, 1e-12, engine=engine)
        assert found.topics < 100
        assert found.achieved_power >= 0.8


def test_critical_value_of_a_tiny_alpha():
    dof = np.array([1.0, 5.0, 1e3, 1e7])
    for alpha in (1e-30, 1e-6, 0.05, 0.9):
        two_tails = 2 * stats.t.sf(critical_t(dof, np.full(4, alpha)), dof)
        np.testing.assert_allclose(two_tails, alpha, rtol=1e-9)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_equal_a_scan_from_two_upwards(design, engine):
    # Large effects and alphas too, where sakai falls with the first topics before it rises.
    rng = np.random.default_rng(4)
    count = 1_500
    min_d = np.sqrt(10 ** rng.uniform(-2, 3, count))
    alpha = 10 ** rng.uniform(-6, -0.02, count)
    beta = (1 - alpha) * rng.uniform(0.001, 0.99, count)
    found = SIZES[design](min_d, 1.0, alpha, beta, engine=engine)
    scanned = np.arange(2, 101)
    enough = POWERS[design](scanned[:, None], min_d, 1.0, alpha, engine=engine) >= 1 - beta
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 101)
    assert (first <= 100).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(found.topics, 101), first)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_are_the_smallest(design, engine):
    grid = np.linspace(0.02, 0.3, 30)[:, None], np.linspace(0.01, 0.2, 30), 0.05, 0.2
    found = SIZES[design](*grid, engine=engine)
    assert (found.achieved_power >= 0.8).all()
    again = POWERS[design](found.topics, *grid[:3], engine=engine)
    np.testing.assert_allclose(found.achieved_power, again, rtol=1e-14)
    more = found.topics > 2
    fewer = POWERS[design](np.maximum(found.topics - 1, 2), *grid[:3], engine=engine)
    assert not (fewer[more] >= 0.8).any()


@settings(deadline=None, max_examples=50)
@given(
    design=st.sampled_from(DESIGNS),
    engine=st.sampled_from(ENGINES),
    min_d=st.floats(0.01, 0.5),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
)
def test_sizes_fall_with_min_d_and_rise_with_variance(design, engine, min_d, variance, factor):
    size = SIZES[design](min_d, variance, engine=engine).topics
    assert SIZES[design](min_d * factor, variance, engine=engine).topics <= size
    assert SIZES[design](min_d, variance * factor, engine=engine).topics >= size


@settings(deadline=None, max_examples=50)
@given(
    design=st.sampled_from(DESIGNS),
    n=st.integers(2, 100_000),
    more=st.integers(1, 1_000),
    min_d=st.floats(0.001, 1),
)
def test_exact_power_rises_with_topics(design, n, more, min_d):
    fewer, after = POWERS[design]([n, n + more], min_d, 0.05)
    assert after >= fewer - 1e-12


def test_variance_of_differences():
    doubled = paired_t_topics([0.05, 0.1], 0.05)
    given_ = paired_t_topics([0.05, 0.1], 7.0, variance_diff=0.1)
    np.testing.assert_array_equal(doubled.topics, given_.topics)
    assert doubled.variance.tolist() == given_.variance.tolist() == [0.1, 0.1]
    # Runs that go with each other need fewer topics.
    assert (paired_t_topics([0.05, 0.1], variance_diff=0.05).topics < doubled.topics).all()
    assert paired_t_power(30, 0.1, 0.05) == paired_t_power(30, 0.1, variance_diff=0.1)


def test_paired_by_simulation():
    rng = np.random.default_rng(11)
    trials = 40_000
    differences = rng.normal(0.1, np.sqrt(0.1), (trials, 30))
    t = differences.mean(axis=1) / (differences.std(axis=1, ddof=1) / np.sqrt(30))
    rejected = np.mean(np.abs(t) > stats.t.isf(0.025, 29))
    error = np.sqrt(rejected * (1 - rejected) / trials)
    assert float(paired_t_power(30, 0.1, 0.05)) == pytest.approx(rejected, abs=4 * error)


def test_arguments_broadcast_and_are_echoed():
    found = two_sample_t_topics([[0.1], [0.2]], [0.03, 0.05, 0.07], 0.01, 0.1, engine="sakai")
    assert found.topics.shape == found.achieved_power.shape == (2, 3)
    assert found.min_d[:, 0].tolist() == [0.1, 0.2]
    assert found.variance[1].tolist() == [0.03, 0.05, 0.07]
    assert {*found.alpha.flat, *found.beta.flat} == {0.01, 0.1}
    assert found.engine == "sakai"
    assert two_sample_t_topics(0.1, 0.05).topics.shape == ()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGNS)
def test_the_largest_plan_and_one_beyond(design, engine):
    pilot = float(SIZES[design](1e-3, 0.05, engine=engine).topics)
    near, beyond = 1e-3 * np.sqrt(pilot / (MOST_TOPICS * np.array([0.9999, 1.0001])))
    assert SIZES[design](near, 0.05, engine=engine).topics <= MOST_TOPICS
    with pytest.raises(ImpossibleStatistic, match=r"MinD .* more than 10,000,000 topics"):
        SIZES[design]([0.1, beyond], 0.05, engine=engine)
    with pytest.raises(ImpossibleStatistic, match="more than 10,000,000 topics"):
        SIZES[design](1e-200, 1e300, engine=engine)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_d": 0}, "minD must be positive and finite, not 0"),
        ({"min_d": [0.1, np.nan]}, "minD"),
        ({"min_d": "some"}, "numbers"),
        ({"min_d": [0.1, 0.2], "variance": [0.1, 0.2, 0.3]}, "shapes go together"),
        ({"variance": 0}, "variance must be positive and finite, not 0"),
        ({"variance": -1}, "variance must be positive and finite, not -1"),
        ({"variance": np.inf}, "variance"),
        ({"alpha": 0}, "Alpha must be between 0 and 1"),
        ({"alpha": 1}, "Alpha"),
        ({"beta": 0}, "Beta must be between 0 and 1"),
        ({"beta": 0.96}, "power of 0.04 .* above alpha, which is 0.05"),
        ({"engine": "excel"}, "no engine 'excel': use exact or sakai"),
    ],
)
def test_refused_designs(design, change, message):
    asked = {"min_d": 0.1, "variance": 0.05} | change
    with pytest.raises(ImpossibleStatistic, match=message):
        SIZES[design](**asked)
    if "beta" not in asked:
        with pytest.raises(ImpossibleStatistic, match=message):
            POWERS[design](10, **asked)


@pytest.mark.parametrize("topics", [1, 2.5, np.nan, np.inf])
def test_refused_topics(topics):
    for power in POWERS.values():
        with pytest.raises(ImpossibleStatistic, match="topic set size must be a whole number"):
            power(topics, 0.1, 0.05)


def test_refused_variances_of_differences():
    for change in ({}, {"variance_diff": 0}, {"variance_diff": np.nan}):
        with pytest.raises(ImpossibleStatistic, match="variance"):
            paired_t_topics(0.1, **change)
        with pytest.raises(ImpossibleStatistic, match="variance"):
            paired_t_power(10, 0.1, **change)
