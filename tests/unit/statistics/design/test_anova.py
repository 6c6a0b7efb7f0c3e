"""Topic set sizes, against published tables, statsmodels, SciPy and a sum by hand."""

from __future__ import annotations

import csv
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from statsmodels.stats.power import FTestAnovaPower

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design import DESIGNS, ENGINES, solve_topics
from roundbook.statistics.design.distributions import effect_size
from roundbook.statistics.design.inputs import broadcast_floats
from roundbook.statistics.design.search import smallest_whole

GOLDEN_RUNS = [2, 3, 5, 10, 20, 50, 100]
# minD .1, variance .05; each row: alpha, beta, sizes by sakai, sizes by exact.
GOLDEN = [
    (0.05, 0.2, [77, 96, 119, 157, 206, 300, 404], [80, 98, 121, 158, 207, 301, 405]),
    (0.05, 0.1, [103, 126, 154, 199, 258, 369, 493], [107, 128, 156, 200, 258, 369, 492]),
    (0.01, 0.2, [117, 139, 168, 215, 277, 396, 529], [119, 141, 169, 216, 278, 397, 530]),
]
# 240 designs, as many as AIRS 2016 Table 2 has.
GRID = np.broadcast_arrays(
    np.array([2, 3, 5, 10, 20, 50])[:, None, None],
    np.array([0.05, 0.08, 0.1, 0.15, 0.2])[:, None],
    np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2]),
)


def anova_power(topics, runs, min_d, variance, alpha=0.05, *, engine="exact"):
    """Power without any check, NaN where sakai is undefined."""
    n, m, difference, residual, level = broadcast_floats(topics, runs, min_d, variance, alpha)
    return 1 - DESIGNS["anova"].miss(engine, n, m, effect_size(difference, residual), level)


def naive_exact_power(n, m, min_d, variance, alpha):
    """Noncentral F as a Poisson mixture of beta distributions, summed term by term."""
    between, within, noncentrality = m - 1, m * (n - 1), n * min_d**2 / (2 * variance)
    critical = stats.f.ppf(1 - alpha, between, within)
    x = between * critical / (between * critical + within)
    power, weight = 0.0, np.exp(-noncentrality / 2)
    for k in range(int(noncentrality) + 200):
        power += weight * special.betaincc(between / 2 + k, within / 2, x)
        weight *= noncentrality / 2 / (k + 1)
    return power


def naive_sakai_power(n, m, min_d, variance, alpha):
    between, within, noncentrality = m - 1, m * (n - 1), n * min_d**2 / (2 * variance)
    w = between * stats.f.ppf(1 - alpha, between, within) / within
    c = (between + 2 * noncentrality) / (between + noncentrality)
    phi = (between + noncentrality) ** 2 / (between + 2 * noncentrality)
    if c <= w:
        return np.nan
    above = (c * (2 * phi - 1)) ** 0.5 - (w * (2 * within - 1)) ** 0.5
    return stats.norm.cdf(above / (c - w) ** 0.5)


NAIVE = {"exact": naive_exact_power, "sakai": naive_sakai_power}


@pytest.mark.parametrize(
    ("engine", "column"), [("sakai", "n_published"), ("exact", "n_exact_noncentral_f")]
)
def test_published_table(shared, engine, column):
    with (shared / "reference/airs2016_table2_sections_I_IV.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 80
    result = solve_topics(
        "anova",
        *([float(row[key]) for row in rows] for key in ("min_d", "variance", "alpha", "beta")),
        engine=engine,
        runs=[int(row["m"]) for row in rows],
    )
    assert result.topics.tolist() == [int(row[column]) for row in rows]


@pytest.mark.parametrize(("alpha", "beta", "sakai", "exact"), GOLDEN)
def test_golden_values(alpha, beta, sakai, exact):
    for engine, sizes in (("sakai", sakai), ("exact", exact)):
        result = solve_topics("anova", 0.1, 0.05, alpha, beta, engine=engine, runs=GOLDEN_RUNS)
        assert result.topics.tolist() == sizes


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("m", [2, 3, 10, 50])
@pytest.mark.parametrize("n", [2, 3, 10, 80])
@pytest.mark.parametrize("min_d", [0.02, 0.1, 0.4])
def test_power_equals_plain_sums(engine, m, n, min_d):
    for alpha in (0.01, 0.05, 0.3):
        result = anova_power(n, m, min_d, 0.05, alpha, engine=engine)
        expected = NAIVE[engine](n, m, min_d, 0.05, alpha)
        assert float(result) == pytest.approx(expected, abs=1e-10, nan_ok=True)


@pytest.mark.parametrize("n", [2, 10, 80, 5_000])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_two_runs_are_a_two_sample_t_test(n, alpha):
    difference = np.array([0.01, 0.1, 0.3])
    critical = stats.t.ppf(1 - alpha / 2, 2 * n - 2)
    shift = np.sqrt(n / 2) * difference / np.sqrt(0.05)
    upper = stats.nct.sf(critical, 2 * n - 2, shift)
    # The lower tail mirrored: SciPy gives NaN where it is all but empty.
    lower = stats.nct.sf(critical, 2 * n - 2, -shift)
    np.testing.assert_allclose(anova_power(n, 2, difference, 0.05, alpha), upper + lower, atol=1e-9)


def test_power_with_ten_million_topics_and_many_runs():
    # SciPy's own route through its distribution, from tiny to large noncentrality.
    m = np.array([2, 10, 100, 1000])[:, None]
    noncentrality = np.array([1e-9, 0.01, 10.0, 1e3, 1e5])
    critical = stats.f.isf(0.05, m - 1, m * (MOST_TOPICS - 1.0))
    expected = stats.ncf.sf(critical, m - 1, m * (MOST_TOPICS - 1.0), noncentrality)
    result = anova_power(MOST_TOPICS, m, np.sqrt(2 * noncentrality / MOST_TOPICS), 1.0)
    np.testing.assert_allclose(result, expected, atol=1e-9)


def test_power_where_scipy_gives_nan():
    m, n, noncentrality = 2, 9061, 9061 * 0.46875**2 / (2 * 0.6875)
    critical = special.fdtri(1, 2 * (n - 1), 0.95)
    assert np.isnan(special.ncfdtr(1, 2 * (n - 1), noncentrality, critical))
    assert anova_power(n, m, 0.46875, 0.6875) == 1.0


def test_power_is_a_number_everywhere():
    rng = np.random.default_rng(5)
    m = 10 ** rng.uniform(0.5, 3, 20_000) // 1
    n = 10 ** rng.uniform(0.5, 7, 20_000) // 1
    noncentrality = 10 ** rng.uniform(-8, 6, 20_000)
    power = anova_power(n, m, np.sqrt(2 * noncentrality / n), 1.0, 10 ** rng.uniform(-8, -0.01))
    assert ((power > 0) & (power <= 1)).all()
    assert (power[noncentrality > 1e5] == 1).all()


def test_power_goes_on_smoothly_where_the_engine_changes_routes():
    min_d = np.sqrt(1e8 * np.array([1 - 1e-9, 1 + 1e-9]))
    below, above = 1 - anova_power(2, 2, min_d, 1.0, 1e-8)
    assert below == pytest.approx(np.exp(-1), abs=1e-3)
    assert above == pytest.approx(below, rel=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_are_the_smallest(engine):
    result = solve_topics("anova", *GRID[1:], engine=engine, runs=GRID[0])
    assert (result.power >= 0.8).all()
    np.testing.assert_array_equal(result.power, anova_power(result.topics, *GRID, engine=engine))
    more = result.topics > 2
    fewer = anova_power(result.topics[more] - 1, *(axis[more] for axis in GRID), engine=engine)
    assert not (fewer >= 0.8).any()


@pytest.mark.parametrize("count", [300, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("engine", ENGINES)
def test_sizes_equal_a_scan_from_two_upwards(engine, count):
    # Large effects and alphas too, where sakai is undefined at first, or falls before it rises.
    rng = np.random.default_rng(4)
    m = rng.integers(2, 200, count)
    min_d = np.sqrt(10 ** rng.uniform(-1, 4, count))
    alpha = 10 ** rng.uniform(-6, -0.02, count)
    beta = (1 - alpha) * rng.uniform(0.001, 0.99, count)
    result = solve_topics("anova", min_d, 1.0, alpha, beta, engine=engine, runs=m).topics
    scanned = np.arange(2, 101)
    enough = anova_power(scanned[:, None], m, min_d, 1.0, alpha, engine=engine) >= 1 - beta
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 101)
    assert (first <= 100).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(result, 101), first)


def test_sakai_is_undefined_with_very_few_topics():
    assert np.isnan(anova_power(2, 2, 10.0, 0.05, engine="sakai"))
    assert int(solve_topics("anova", 10.0, 0.05, engine="sakai", runs=2).topics) == 3
    assert int(solve_topics("anova", 10.0, 0.05, runs=2).topics) == 2


def test_statsmodels_agrees_and_takes_ten_times_as_long():
    solver = FTestAnovaPower()
    runs, min_d, variance = (axis.ravel() for axis in GRID)
    assert runs.size == 240
    # Its effect size is Cohen's f and its size is all observations; a few cells, scaled up.
    cells = range(0, 240, 12)
    begin = time.perf_counter()
    totals = [
        solver.solve_power(
            min_d[cell] / np.sqrt(2 * runs[cell] * variance[cell]), None, 0.05, 0.8, runs[cell]
        )
        for cell in cells
    ]
    theirs = (time.perf_counter() - begin) * 240 / len(cells)
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        result = solve_topics("anova", min_d, variance, runs=runs)
        seconds.append(time.perf_counter() - begin)
    for cell, total in zip(cells, totals, strict=True):
        assert result.topics[cell] == np.ceil(float(np.squeeze(total)) / runs[cell])
    assert min(seconds) < theirs / 10


@given(
    n=st.integers(2, 100_000),
    more=st.integers(1, 1_000),
    m=st.integers(2, 200),
    min_d=st.floats(0.001, 1),
    variance=st.floats(0.001, 1),
)
def test_power_rises_with_topics(n, more, m, min_d, variance):
    fewer, after = anova_power([n, n + more], m, min_d, variance)
    assert after >= fewer - 1e-12
    assert after > fewer or fewer > 1 - 1e-9 or after == pytest.approx(0.05, abs=1e-6)


@given(
    m=st.integers(2, 200),
    min_d=st.floats(0.01, 0.5),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
    more=st.integers(0, 50),
    engine=st.sampled_from(ENGINES),
)
def test_sizes_fall_with_min_d_and_rise_with_variance_and_runs(
    m, min_d, variance, factor, more, engine
):
    size = solve_topics("anova", min_d, variance, engine=engine, runs=m).topics
    assert solve_topics("anova", min_d * factor, variance, engine=engine, runs=m).topics <= size
    assert solve_topics("anova", min_d, variance * factor, engine=engine, runs=m).topics >= size
    # Very small sizes: more runs also bring more dof for the residual variance.
    if size > 30:
        assert solve_topics("anova", min_d, variance, engine=engine, runs=m + more).topics >= size


def test_only_the_ratio_of_min_d_squared_to_variance_matters():
    plain = solve_topics("anova", 0.1, 0.05, runs=[2, 10, 50])
    scaled = solve_topics("anova", 10.0, 500.0, runs=[2, 10, 50])
    np.testing.assert_array_equal(plain.topics, scaled.topics)


def test_arguments_broadcast_and_are_echoed():
    result = solve_topics(
        "anova", [0.05, 0.1, 0.2], 0.05, 0.01, 0.1, engine="sakai", runs=[[2], [10]]
    )
    assert result.topics.shape == result.power.shape == result.runs.shape == (2, 3)
    assert result.runs[:, 0].tolist() == [2, 10]
    assert result.min_d[1].tolist() == [0.05, 0.1, 0.2]
    assert {*result.variance.flat, *result.alpha.flat, *result.beta.flat} == {0.05, 0.01, 0.1}
    single = solve_topics("anova", 0.1, 0.05, runs=10)
    assert single.topics.shape == ()
    assert int(single.topics) == 158


@pytest.mark.parametrize("engine", ENGINES)
def test_the_largest_plan_and_one_beyond(engine):
    # n is all but proportional to 1 / minD^2.
    pilot = float(solve_topics("anova", 1e-3, 0.05, engine=engine, runs=2).topics)
    near, beyond = 1e-3 * np.sqrt(pilot / (MOST_TOPICS * np.array([0.9999, 1.0001])))
    assert solve_topics("anova", near, 0.05, engine=engine, runs=2).topics <= MOST_TOPICS
    message = "m = 2 runs, minD .* and variance 0.05 .* more than 10,000,000 topics"
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_topics("anova", [0.1, beyond], 0.05, engine=engine, runs=2)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("min_d", "variance", "alpha"),
    [
        (1e200, 1e-300, 0.05),
        (1e-3, 1e-300, 0.05),
        (1e5, 1.0, 1e-12),
        (1e3, 1.0, 1e-30),
    ],
)
def test_absurdly_large_effects_stay_numbers(engine, min_d, variance, alpha):
    result = solve_topics("anova", min_d, variance, alpha, engine=engine, runs=[2, 100])
    assert (result.topics < 1_000).all()
    assert (result.power >= 0.8).all()


def test_an_absurdly_small_effect_is_refused():
    with pytest.raises(ImpossibleStatisticError, match="more than 10,000,000 topics"):
        solve_topics("anova", 1e-200, 1e300, runs=2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runs": 1}, "number of runs must be a whole number from 2 to 1,000,000,000, not 1"),
        ({"runs": 2.5}, "number of runs"),
        ({"runs": [2, np.nan]}, "number of runs"),
        ({"runs": np.inf}, "number of runs"),
        ({"runs": "many"}, "numbers"),
        ({"runs": [2, 3], "min_d": [0.1, 0.2, 0.3]}, "shapes go together"),
        ({"min_d": 0}, "minD must be positive and finite, not 0"),
        ({"min_d": [0.1, -0.1]}, "minD"),
        ({"variance": 0}, "variance must be positive and finite, not 0"),
        ({"variance": -1}, "variance"),
        ({"variance": np.inf}, "variance"),
        ({"variance": np.nan}, "variance"),
        ({"alpha": 0}, "Alpha must be between 0 and 1"),
        ({"alpha": 1}, "Alpha"),
        ({"alpha": 1e-31}, "not below 1e-30"),
        ({"alpha": np.nan}, "Alpha"),
        ({"beta": 0}, "Beta must be between 0 and 1"),
        ({"beta": 1}, "Beta"),
        ({"beta": 1e-31}, "not below 1e-30"),
        ({"beta": 0.96}, "power of 0.04 .* above alpha, which is 0.05"),
        ({"alpha": 0.5, "beta": 0.5}, "above alpha"),
        ({"engine": "excel"}, "no engine 'excel': use exact or sakai"),
    ],
)
def test_refused_designs(change, message):
    design = {"runs": 2, "min_d": 0.1, "variance": 0.05} | change
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_topics("anova", **design)


@given(
    st.lists(
        st.tuples(st.integers(1, 1_000), st.integers(1, 1_002), st.integers(1, 1_000)), min_size=1
    )
)
def test_search_finds_any_threshold_from_any_start(cells):
    lowest = np.array([min(cell[0], cell[2]) for cell in cells])
    threshold = np.array([cell[1] for cell in cells])
    start = np.array([max(cell[0], cell[2]) for cell in cells])

    def adequate(numbers, at):
        assert (numbers >= lowest[at]).all()
        assert (numbers <= 1_000).all()
        return numbers >= threshold[at]

    result = smallest_whole(adequate, start, lowest, 1_000)
    np.testing.assert_array_equal(result, np.minimum(np.maximum(threshold, lowest), 1_001))
