"""Two-way ANOVA and Tukey HSD, the designs of runs on the same topics, and what V_2 is to pairs."""

from __future__ import annotations

import time
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.design.test_solvers import scipys_quantile
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design import (
    DESIGNS,
    ENGINES,
    solve_min_d,
    solve_power,
    solve_topics,
)
from roundbook.statistics.design.distributions import effect_size, range_quantile
from roundbook.statistics.design.inputs import broadcast_floats
from roundbook.statistics.variance.residual import two_way_variance

DESIGN_NAMES = ["two-way", "tukey"]
TESTED = ["anova", *DESIGN_NAMES]
RUNS = [2, 3, 5, 10, 20, 50, 100]
# minD .1, variance .05, alpha .05, power .80.
GOLDEN = {
    ("two-way", "sakai"): [78, 96, 119, 157, 206, 300, 404],
    ("two-way", "exact"): [81, 98, 121, 158, 207, 301, 405],
    ("tukey", "exact"): [81, 103, 129, 161, 193, 234, 265],
}
COVID = "treccovid_round1_ndcg10"
ROBUST = "trec_robust2003_ap"
# design, variance, runs, engine, topics with minD (or width) .05 and .1
COVID_SIZES = [
    ("paired-t", "two-way", None, "exact", [215, 55]),
    ("paired-t", "one-way", None, "exact", [336, 86]),
    ("paired-width", "two-way", None, "exact", [418, 106]),
    ("paired-width", "one-way", None, "exact", [655, 166]),
    ("two-way", "two-way", 10, "exact", [424, 107]),
    ("two-way", "two-way", 10, "sakai", [422, 106]),
    ("tukey", "two-way", 10, "exact", [435, 109]),
    ("anova", "one-way", 10, "exact", [666, 168]),
    ("two-way", "two-way", 5, "exact", [324, 82]),
    ("tukey", "two-way", 5, "exact", [346, 87]),
    ("anova", "one-way", 5, "exact", [509, 128]),
    ("two-way", "two-way", 100, "exact", [1093, 274]),
    ("tukey", "two-way", 100, "exact", [716, 179]),
    ("anova", "one-way", 100, "exact", [1717, 430]),
]
ROBUST_SIZES = [
    ("paired-t", "two-way", None, "exact", [64, 18]),
    ("paired-t", "one-way", None, "exact", [257, 66]),
    ("paired-width", "two-way", None, "exact", [123, 33]),
    ("paired-width", "one-way", None, "exact", [501, 127]),
    ("two-way", "two-way", 10, "exact", [124, 32]),
    ("two-way", "two-way", 10, "sakai", [123, 31]),
    ("tukey", "two-way", 10, "exact", [127, 33]),
    ("anova", "one-way", 10, "exact", [509, 128]),
    ("paired-t", "planning", None, "exact", [78, 21]),
    ("tukey", "planning", 10, "exact", [154, 39]),
]


def power(design, topics, runs, min_d, variance, alpha=0.05, *, engine="exact"):
    """Power without any check, NaN where sakai is undefined."""
    n, m, difference, residual, level = broadcast_floats(topics, runs, min_d, variance, alpha)
    return 1 - DESIGNS[design].miss(engine, n, m, effect_size(difference, residual), level)


def naive_power(design, engine, n, m, min_d, variance, alpha):
    dof, shift = (m - 1) * (n - 1), min_d * (n / (2 * variance)) ** 0.5
    if design == "tukey":
        w = scipys_quantile(alpha, m, dof) / 2**0.5
        if engine == "exact":
            # The lower tail mirrored: SciPy gives NaN where it is all but empty.
            return stats.nct.sf(w, dof, shift) + stats.nct.sf(w, dof, -shift)
        s, k = (1 + w**2 / (2 * dof)) ** 0.5, 1 - 1 / (4 * dof)
        return stats.norm.cdf((-w * k - shift) / s) + 1 - stats.norm.cdf((w * k - shift) / s)
    critical, noncentrality = stats.f.isf(alpha, m - 1, dof), shift**2
    if engine == "exact":
        return stats.ncf.sf(critical, m - 1, dof, noncentrality)
    w = (m - 1) * critical / dof
    c = (m - 1 + 2 * noncentrality) / (m - 1 + noncentrality)
    phi = (m - 1 + noncentrality) ** 2 / (m - 1 + 2 * noncentrality)
    if c <= w:
        return np.nan
    above = (c * (2 * phi - 1)) ** 0.5 - (w * (2 * dof - 1)) ** 0.5
    return stats.norm.cdf(above / (c - w) ** 0.5)


@pytest.mark.parametrize(("design", "engine"), GOLDEN)
def test_golden_values(design, engine):
    sizes = solve_topics(design, 0.1, 0.05, runs=RUNS, engine=engine).topics
    assert sizes.tolist() == GOLDEN[design, engine]


@pytest.mark.parametrize(
    ("name", "one_way", "two_way", "sizes"),
    [
        (COVID, 0.053106, 0.033787, COVID_SIZES),
        (ROBUST, 0.040579, 0.009828, ROBUST_SIZES),
    ],
)
def test_real_rounds(shared, name, one_way, two_way, sizes):
    scores = read_scores(shared, name)
    variances = {
        "one-way": scores.var(axis=0, ddof=1).mean(),
        "two-way": two_way_variance(scores).variance,
        # What about 4 of 5 next rounds stay below in V_2, of Robust 2003.
        "planning": 0.011954014588,
    }
    assert variances["one-way"] == pytest.approx(one_way, abs=5e-7)
    assert variances["two-way"] == pytest.approx(two_way, abs=5e-7)
    for design, which, runs, engine, topics in sizes:
        given_runs = {} if runs is None else {"runs": runs}
        solved = solve_topics(design, [0.05, 0.1], variances[which], engine=engine, **given_runs)
        assert solved.topics.tolist() == topics, (design, which, runs, engine)


def test_a_difference_between_two_runs_has_twice_the_two_way_variance_on_average(shared):
    scores = read_scores(shared, COVID)[:, :30]
    differences = [(scores[:, i] - scores[:, k]).var(ddof=1) for i, k in combinations(range(30), 2)]
    assert np.mean(differences) == pytest.approx(2 * two_way_variance(scores).variance, rel=1e-12)


@pytest.mark.parametrize("design", DESIGN_NAMES)
def test_two_runs_are_a_paired_t_test(design):
    rng = np.random.default_rng(6)
    min_d, variance = rng.uniform(0.01, 0.5, 500), rng.uniform(0.005, 0.2, 500)
    alpha, beta = rng.uniform(0.001, 0.2, 500), rng.uniform(0.05, 0.6, 500)
    n = rng.integers(2, 5_000, 500)
    np.testing.assert_allclose(
        power(design, n, 2, min_d, variance, alpha),
        power("paired-t", n, 2, min_d, variance, alpha),
        rtol=1e-12,
    )
    ours = solve_topics(design, min_d, variance, alpha, beta, runs=2).topics
    paired = solve_topics("paired-t", min_d, variance, alpha, beta).topics
    np.testing.assert_array_equal(ours, paired)
    assert solve_min_d(design, 50, 0.05, runs=2).min_d == pytest.approx(
        float(solve_min_d("paired-t", 50, 0.05).min_d), rel=1e-11
    )


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGN_NAMES)
@pytest.mark.parametrize("m", [2, 3, 20])
# SciPy takes a tenth of a second for a quantile.
@pytest.mark.parametrize("n", [20, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 300))])
def test_power_equals_plain_formulas(design, engine, m, n):
    for alpha in (0.01, 0.2):
        for min_d in (0.02, 0.1, 0.3):
            ours = float(power(design, n, m, min_d, 0.05, alpha, engine=engine))
            expected = naive_power(design, engine, n, m, min_d, 0.05, alpha)
            if np.isnan(expected) and engine == "exact":
                # SciPy's noncentral t gives out in places; never this one.
                assert 0 < ours <= 1
            else:
                assert ours == pytest.approx(expected, abs=1e-8, nan_ok=True)


def test_a_number_where_scipys_noncentral_t_gives_nan():
    n, m, variance = 60, 20, 0.0132
    shift = 0.1 * (n / (2 * variance)) ** 0.5
    w = float(stats.studentized_range.isf(0.05, m, (m - 1) * (n - 1))) / 2**0.5
    dof = (m - 1) * (n - 1)
    # By the mean over the sd, which hardly varies with so many degrees of freedom.
    sd = np.sqrt(stats.chi2.ppf((np.arange(20_000) + 0.5) / 20_000, dof) / dof)
    expected = np.mean(stats.norm.sf(w * sd - shift) + stats.norm.cdf(-w * sd - shift))
    assert float(power("tukey", n, m, 0.1, variance)) == pytest.approx(expected, abs=1e-6)


def log10_bound(between, within, noncentrality, critical):
    """Bound of the lower tail of noncentral F, by its largest term over the sd of the residuals."""
    log_sd = np.linspace(-1, 8, 2_000)
    gap = np.sqrt(noncentrality)[:, None] - np.sqrt(between * critical)[:, None] * np.exp(log_sd)
    density = within[:, None] * (log_sd - (np.exp(2 * log_sd) - 1) / 2)
    return (density - np.maximum(gap, 0) ** 2 / 2).max(axis=1) / np.log(10)


@pytest.mark.parametrize("count", [2_000, pytest.param(60_000, marks=pytest.mark.slow)])
def test_no_miss_at_all_only_where_one_is_all_but_impossible(count):
    # SciPy's noncentral F has NaN among these, which must not pass for power.
    rng = np.random.default_rng(1)
    m, n = (10 ** rng.uniform(0.31, high, count) // 1 for high in (3, 7))
    noncentrality = 10 ** rng.uniform(1, 5, count)
    for design in TESTED:
        # Few kinds of Tukey's, as each alpha and m has quantiles of its own.
        few = rng.integers(0, 3, count)
        runs = np.array([3.0, 20.0, 200.0])[few] if design == "tukey" else m
        alpha = np.array([1e-6, 0.01, 0.4])[few]
        miss = DESIGNS[design].miss("exact", n, runs, noncentrality / n, alpha)
        assert (miss >= 0).all()
        never = np.flatnonzero(miss == 0)
        assert never.size > count / 60
        runs, within, level = runs[never], ((runs - 1) * (n - 1))[never], alpha[never]
        between, critical = runs - 1, stats.f.isf(level, runs - 1, within)
        if design == "anova":
            within = (runs * (n[never] - 1)).astype(float)
            critical = stats.f.isf(level, between, within)
        if design == "tukey":
            between = np.ones(never.size)
            critical = range_quantile(level, runs, within) ** 2 / 2
        bound = log10_bound(between, within, noncentrality[never], critical)
        assert bound.max() < -40


@pytest.mark.parametrize("count", [300, pytest.param(1_500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGN_NAMES)
def test_sizes_equal_a_scan_from_two_upwards(design, engine, count):
    # Large effects and alphas too, where sakai is undefined at first, or falls before it rises.
    rng = np.random.default_rng(4)
    m = rng.choice([2, 3, 4, 6, 15, 60], count)
    alpha = rng.choice([1e-6, 0.001, 0.03, 0.2, 0.6, 0.9], count)
    min_d = np.sqrt(10 ** rng.uniform(-1.5, 3.5, count))
    beta = (1 - alpha) * rng.uniform(0.001, 0.99, count)
    solved = solve_topics(design, min_d, 1.0, alpha, beta, runs=m, engine=engine).topics
    scanned = np.arange(2, 101)
    enough = power(design, scanned[:, None], m, min_d, 1.0, alpha, engine=engine) >= 1 - beta
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 101)
    assert (first <= 100).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(solved, 101), first)


@settings(max_examples=20)
@given(
    design=st.sampled_from(DESIGN_NAMES),
    n=st.integers(2, 100_000),
    more=st.integers(1, 1_000),
    m=st.sampled_from([2, 3, 10, 100]),
    min_d=st.floats(0.001, 1),
)
def test_power_rises_with_topics(design, n, more, m, min_d):
    fewer, after = power(design, [n, n + more], m, min_d, 0.05)
    # A Tukey test of two or three topics may lose power with a topic where it has less than alpha.
    assert after >= fewer - 1e-12 or fewer < 0.05


@settings(max_examples=20)
@given(
    design=st.sampled_from(DESIGN_NAMES),
    engine=st.sampled_from(ENGINES),
    m=st.sampled_from([2, 3, 10, 100]),
    min_d=st.floats(0.01, 0.3),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
)
def test_sizes_fall_with_min_d_and_rise_with_variance_and_runs(
    design, engine, m, min_d, variance, factor
):
    options = {"runs": m, "engine": engine}
    size = solve_topics(design, min_d, variance, **options).topics
    assert solve_topics(design, min_d * factor, variance, **options).topics <= size
    assert solve_topics(design, min_d, variance * factor, **options).topics >= size
    # Very small sizes: more runs also bring more dof for the residual variance.
    if size > 30:
        options["runs"] = m + 7
        assert solve_topics(design, min_d, variance, **options).topics >= size


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGN_NAMES)
def test_the_largest_plan_and_one_beyond(design, engine):
    options = {"runs": 3, "engine": engine}
    pilot = float(solve_topics(design, 1e-3, 0.05, **options).topics)
    near, beyond = 1e-3 * np.sqrt(pilot / (MOST_TOPICS * np.array([0.9999, 1.0001])))
    assert solve_topics(design, near, 0.05, **options).topics <= MOST_TOPICS
    message = "m = 3 runs, minD .* and variance 0.05 .* more than 10,000,000 topics"
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_topics(design, [0.1, beyond], 0.05, **options)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGN_NAMES)
def test_absurdly_large_effects_and_many_runs_stay_numbers(design, engine):
    for min_d, variance, alpha in ((1e200, 1e-300, 0.05), (1e-3, 1e-300, 0.05), (1e3, 1.0, 1e-30)):
        solved = solve_topics(design, min_d, variance, alpha, runs=[2, 100], engine=engine)
        assert (solved.topics < 1_000).all()
        assert (solved.power >= 0.8).all()
    many = solve_topics(design, 0.1, 0.05, runs=10**6, engine=engine)
    assert many.power >= 0.8
    assert many.topics < 50_000


def test_sakai_may_be_undefined_for_two_way_and_is_not_for_tukey():
    with pytest.raises(ImpossibleStatisticError, match="not defined for 2 topics and 2 runs"):
        solve_power("two-way", 2, 10.0, 0.05, runs=2, engine="sakai")
    assert float(solve_power("tukey", 2, 10.0, 0.05, runs=2, engine="sakai").power) > 0.9


def test_a_table_of_sizes_takes_no_time():
    begin = time.perf_counter()
    # An alpha that no other test has, so that nothing is kept from there.
    runs = np.arange(3, 23)[:, np.newaxis]
    table = solve_topics("tukey", [0.05, 0.1, 0.15, 0.2, 0.3], 0.05, 0.0512, runs=runs)
    assert table.topics.shape == (20, 5)
    # Some 0.15 s by itself; SciPy takes that for two quantiles.
    assert time.perf_counter() - begin < 2
