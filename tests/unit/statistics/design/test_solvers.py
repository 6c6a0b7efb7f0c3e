"""Designs solved for every quantity in turn, and exact power against simulation."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design import (
    DESIGNS,
    ENGINES,
    solve_min_d,
    solve_power,
    solve_runs,
    solve_topics,
    solve_variance,
)
from roundbook.statistics.design.search import least_effect

OF_RUNS = ["anova", "two-way", "tukey"]
TESTS = [*OF_RUNS, "paired-t", "two-sample-t"]
WIDTHS = ["paired-width", "two-sample-width"]


def m_of(design, runs=10):
    return {"runs": runs} if design in OF_RUNS else {}


def test_every_design_is_there():
    assert list(DESIGNS) == TESTS + WIDTHS


def test_every_design_has_a_label_and_a_sentence():
    labels = [kind.label for kind in DESIGNS.values()]
    assert len(set(labels)) == len(labels)
    assert DESIGNS["anova"].label == "one-way (Sakai), other topics per system"
    for name, kind in DESIGNS.items():
        assert kind.fits[0].islower()
        assert not kind.fits.endswith(".")
        assert kind.takes_runs == (name in OF_RUNS)
        assert (kind.miss is None) == (kind.enough is None) == (name in WIDTHS)
        assert (kind.unit_width is None) == (name in TESTS)
        assert kind.sakai_published == (name not in ("two-way", "tukey"))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", DESIGNS)
def test_grids_broadcast_and_are_echoed(design, engine):
    grid = [[0.05], [0.1]], [0.03, 0.05, 0.07], 0.01
    solved = solve_topics(design, *grid, 0.1, engine=engine, **m_of(design))
    assert solved.topics.shape == (2, 3)
    assert solved.variance.tolist() == [[0.03, 0.05, 0.07]] * 2
    assert solved.min_d[:, 0].tolist() == [0.05, 0.1]
    assert set(solved.alpha.flat) == {0.01}
    if design in TESTS:
        again = solve_power(design, solved.topics, *grid, engine=engine, **m_of(design))
        np.testing.assert_array_equal(solved.power, again.power)
        assert (solved.power >= 0.9).all()
        assert set(solved.beta.flat) == {0.1}
        assert solved.width is None
    else:
        assert (solved.width <= solved.min_d).all()
        assert solved.power is solved.beta is None
    if design in OF_RUNS:
        assert set(solved.runs.flat) == {10}
    else:
        assert solved.runs is None
    one = solve_topics(design, 0.1, 0.05, 0.01, 0.1, engine=engine, **m_of(design))
    assert one.topics.shape == ()
    assert one.topics == solved.topics[1, 1]


@settings(max_examples=20)
@given(
    design=st.sampled_from(TESTS),
    engine=st.sampled_from(ENGINES),
    n=st.integers(2, 20_000),
    m=st.integers(2, 100),
    min_d=st.floats(0.005, 0.5),
    variance=st.floats(0.005, 0.5),
    # Few values, as every alpha and m has studentized range quantiles of its own.
    alpha=st.sampled_from([0.001, 0.013, 0.05, 0.1, 0.2]),
)
def test_solving_for_any_quantity_gives_the_others_back(
    design, engine, n, m, min_d, variance, alpha
):
    # With fewer topics sakai may be undefined, or reach the same power with two sizes.
    assume(engine == "exact" or n >= 20)
    runs = m_of(design, m)
    result = solve_power(design, n, min_d, variance, alpha, engine=engine, **runs)
    beta = float(result.beta)
    # Power all but alpha or all but 1 no longer tells the effect behind it.
    assume(1e-12 < beta < 1 - alpha - 1e-3)
    # To two topics sakai gives a power of 0.3 without any difference.
    assume(engine == "exact" or beta < 0.6)
    options = {"alpha": alpha, "beta": beta, "engine": engine, **runs}
    assert float(solve_min_d(design, n, variance, **options).min_d) == pytest.approx(
        min_d, rel=1e-6
    )
    assert float(solve_variance(design, n, min_d, **options).variance) == pytest.approx(
        variance, rel=1e-6
    )
    # At exactly this beta the last bits decide between n and its neighbour.
    options["beta"] = beta * (1 + 1e-9)
    assert int(solve_topics(design, min_d, variance, **options).topics) == n
    if design in OF_RUNS:
        del options["runs"]
        options["design"] = design
        chosen = solve_runs([m, *range(2, 120, 29)], n, min_d, variance, **options).runs
        assert chosen >= m
        assert int(solve_runs([m], n, min_d, variance, **options).runs) == m


@given(
    design=st.sampled_from(WIDTHS),
    n=st.integers(2, MOST_TOPICS),
    variance=st.floats(0.005, 0.5),
    alpha=st.floats(0.001, 0.5),
)
def test_solving_widths_gives_the_others_back(design, n, variance, alpha):
    width = solve_min_d(design, n, variance, alpha)
    assert int(solve_topics(design, width.min_d, variance, alpha).topics) == n
    assert float(width.width) == pytest.approx(float(width.min_d), rel=1e-11)
    result = solve_variance(design, n, width.min_d, alpha)
    assert float(result.variance) == pytest.approx(variance, rel=1e-11)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("design", TESTS)
def test_solved_grids_are_adequate_and_take_those_topics(design, engine):
    n, alpha = np.array([5, 20, 50, 400, 90_000])[:, None], np.array([0.01, 0.05, 0.2])
    for beta in (0.2, 1e-6):
        options = {"alpha": alpha, "beta": beta, "engine": engine, **m_of(design, 4)}
        result = solve_min_d(design, n, 0.05, **options)
        assert result.min_d.shape == (5, 3)
        assert (result.power >= 1 - beta).all()
        np.testing.assert_allclose(result.power, 1 - beta, rtol=1e-8)
        back = solve_topics(design, result.min_d, 0.05, **options)
        # With very few topics sakai may reach that power, fall below it and reach it again.
        sure = (result.topics >= 20) | (engine == "exact")
        np.testing.assert_array_equal(back.topics[sure], result.topics[sure])
        assert (back.topics <= result.topics).all()
        largest = solve_variance(design, n, 0.1, **options)
        np.testing.assert_allclose(largest.variance, 0.05 * (0.1 / result.min_d) ** 2, rtol=1e-10)


# design, topics, runs, minD, variance, alpha
CELLS = [
    ("anova", 5, 2, 0.3, 0.05, 0.05),
    ("anova", 10, 3, 0.2, 0.05, 0.05),
    ("anova", 20, 5, 0.15, 0.05, 0.01),
    ("anova", 30, 10, 0.12, 0.03, 0.05),
    ("anova", 15, 20, 0.3, 0.06, 0.1),
    ("anova", 60, 4, 0.1, 0.05, 0.05),
    ("two-way", 8, 2, 0.3, 0.05, 0.05),
    ("two-way", 5, 4, 0.4, 0.05, 0.05),
    ("two-way", 30, 10, 0.12, 0.03, 0.01),
    ("tukey", 4, 3, 0.5, 0.05, 0.05),
    ("tukey", 30, 10, 0.12, 0.03, 0.05),
    ("tukey", 15, 20, 0.3, 0.06, 0.1),
    ("paired-t", 8, None, 0.3, 0.05, 0.05),
    ("paired-t", 40, None, 0.1, 0.05, 0.01),
    ("two-sample-t", 6, None, 0.4, 0.05, 0.05),
    ("two-sample-t", 50, None, 0.1, 0.05, 0.1),
]


@lru_cache
def scipys_quantile(alpha, m, dof):
    return float(stats.studentized_range.isf(alpha, m, dof))


def rejected_by_blocks(design, scores, alpha):
    _, m, n = scores.shape
    means, dof = scores.mean(axis=2, keepdims=True), (m - 1) * (n - 1)
    grand = means.mean(axis=1, keepdims=True)
    rest = scores - means - scores.mean(axis=1, keepdims=True) + grand
    residual = np.square(rest).sum(axis=(1, 2)) / dof
    if design == "two-way":
        return n * means[..., 0].var(axis=1, ddof=1) / residual > stats.f.isf(alpha, m - 1, dof)
    difference = np.abs(means[:, -1, 0] - means[:, 0, 0])
    return difference / np.sqrt(residual / n) > scipys_quantile(alpha, m, dof)


@pytest.mark.parametrize("trials", [4_000, pytest.param(20_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("design", "n", "m", "min_d", "variance", "alpha"), CELLS)
def test_exact_power_by_simulation(design, n, m, min_d, variance, alpha, trials):
    """20,000 rounds of normal scores a cell: a Monte Carlo error of at most 0.0035."""
    rng = np.random.default_rng(n)
    # Best and worst run minD apart, all others in the middle.
    means = np.zeros(m or 2)
    means[0], means[-1] = -min_d / 2, min_d / 2
    rejected = 0
    for _ in range(10):
        scores = rng.normal(size=(trials // 10, means.size, n)) * np.sqrt(variance)
        scores += means[:, np.newaxis]
        if design == "anova":
            p = stats.f_oneway(*np.moveaxis(scores, 1, 0), axis=1).pvalue
        elif design in OF_RUNS:
            # Topics of their own hardness, which blocks take out.
            scores += rng.normal(size=(trials // 10, 1, n))
            rejected += int(rejected_by_blocks(design, scores, alpha).sum())
            continue
        elif design == "paired-t":
            p = stats.ttest_rel(scores[:, 0], scores[:, 1], axis=1).pvalue
        else:
            p = stats.ttest_ind(scores[:, 0], scores[:, 1], axis=1).pvalue
        rejected += int((p < alpha).sum())
    share = rejected / trials
    error = np.sqrt(share * (1 - share) / trials)
    assert error < 0.51 / np.sqrt(trials)
    runs = {} if m is None else {"runs": m}
    power = float(solve_power(design, n, min_d, variance, alpha, **runs).power)
    assert 0.14 < power < 0.99
    assert power == pytest.approx(share, abs=4 * error)


def test_the_largest_number_of_runs_on_a_list():
    topics = solve_topics("anova", 0.1, 0.05, runs=[2, 5, 10, 20]).topics
    result = solve_runs([20, 2, 10, 5, 5], [*topics, 10_000], 0.1, 0.05)
    assert result.runs.tolist() == [2, 5, 10, 20, 20]
    assert (result.power >= 0.8).all()
    fewer = solve_runs([20, 2, 10, 5], topics[1:] - 1, 0.1, 0.05)
    assert fewer.runs.tolist() == [2, 5, 10]
    with pytest.raises(ImpossibleStatisticError, match=r"79 topics do not suffice .* from 2 to 20"):
        solve_runs([2, 20], [80, 79], 0.1, 0.05)


@pytest.mark.parametrize(
    ("candidates", "message"),
    [
        ([], "at least one number of runs"),
        ([2, 1], "number of runs must be a whole number from 2 to 1,000,000,000, not 1"),
        ([2.5], "number of runs"),
        (["some"], "numbers"),
    ],
)
def test_refused_lists_of_runs(candidates, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_runs(candidates, 100, 0.1, 0.05)


@pytest.mark.parametrize("design", ["two-way", "tukey"])
def test_the_largest_number_of_runs_on_the_same_topics(design):
    topics = solve_topics(design, 0.1, 0.05, runs=[2, 5, 10, 20]).topics
    solved = solve_runs([20, 2, 10, 5], topics, 0.1, 0.05, design=design)
    assert solved.runs.tolist() == [2, 5, 10, 20]
    assert solve_runs([20, 2, 10, 5], topics[1:] - 1, 0.1, 0.05, design=design).runs.tolist() == [
        2, 5, 10,
    ]  # fmt: skip
    with pytest.raises(ImpossibleStatisticError, match="do not suffice"):
        solve_runs([20], topics[3] - 1, 0.1, 0.05, design=design)
    with pytest.raises(ImpossibleStatisticError, match="compares two runs"):
        solve_runs([2, 3], 50, 0.1, 0.05, design="paired-t")


def test_sakai_says_where_it_is_undefined():
    message = "engine sakai is not defined for 2 topics and 2 runs"
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_power("anova", [2, 50], 10.0, 0.05, runs=2, engine="sakai")
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_min_d("anova", [50, 2], 0.05, runs=2, engine="sakai")
    assert float(solve_power("anova", 2, 10.0, 0.05, runs=2).power) > 0.99


def test_sakai_says_where_any_difference_will_do():
    # Its power at two topics is 0.29 without any difference.
    message = "With 2 topics the engine sakai gives any minD, .* a power of 0.2"
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_min_d("paired-t", [30, 2], 0.05, beta=0.8, engine="sakai")
    assert float(solve_min_d("paired-t", 2, 0.05, beta=0.8).power) == pytest.approx(0.2)


def test_the_largest_plan_and_one_beyond():
    for design in DESIGNS:
        for solve in (solve_min_d, solve_variance):
            assert int(solve(design, MOST_TOPICS, 0.05, **m_of(design)).topics) == MOST_TOPICS
            with pytest.raises(
                ImpossibleStatisticError, match="at most 10,000,000, not 10,000,001"
            ):
                solve(design, MOST_TOPICS + 1, 0.05, **m_of(design))
        with pytest.raises(ImpossibleStatisticError, match="more than 10,000,000 topics"):
            solve_topics(design, 1e-9, 0.05, **m_of(design))


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"topics": 1}, "topic set size must be a whole number from 2 to 1,000,000,000, not 1"),
        ({"topics": 2.5}, "topic set size"),
        ({"topics": np.nan}, "topic set size"),
        ({"topics": "some"}, "numbers"),
        ({"min_d": 0}, "must be positive and finite, not 0"),
        ({"min_d": -0.1}, "must be positive and finite"),
        ({"variance": 0}, "variance must be positive and finite, not 0"),
        ({"variance": -1}, "variance"),
        ({"variance": np.inf}, "variance"),
        ({"alpha": 0}, "Alpha must be between 0 and 1"),
        ({"alpha": 1.5}, "Alpha"),
        ({"beta": 0}, "Beta must be between 0 and 1"),
        ({"beta": 0.96}, "power of 0.04 .* above alpha, which is 0.05"),
        ({"engine": "excel"}, "no engine 'excel': use exact or sakai"),
        ({"min_d": [0.1, 0.2], "variance": [0.1] * 3, "topics": [10] * 4}, "shapes go together"),
    ],
)
def test_refused(design, change, message):
    asked = {"topics": 50, "min_d": 0.1, "variance": 0.05} | m_of(design) | change
    arguments = {
        solve_topics: ("min_d", "variance", "alpha", "beta", "runs", "engine"),
        solve_power: ("topics", "min_d", "variance", "alpha", "runs", "engine"),
        solve_min_d: ("topics", "variance", "alpha", "beta", "runs", "engine"),
        solve_variance: ("topics", "min_d", "alpha", "beta", "runs", "engine"),
    }
    for solve, names in arguments.items():
        if not set(change) <= set(names) or (design in WIDTHS and "beta" in change):
            continue
        if design in WIDTHS and solve is solve_power:
            continue
        with pytest.raises(ImpossibleStatisticError, match=message):
            solve(design, **{name: asked[name] for name in names if name in asked})


def test_an_interval_has_no_power_and_no_beta():
    with pytest.raises(
        ImpossibleStatisticError, match="interval of a paired difference has no power"
    ):
        solve_power("paired-width", 50, 0.1, 0.05)
    assert int(solve_topics("paired-width", 0.1, 0.05, beta=np.nan).topics) == 156


def test_number_of_runs_where_it_belongs():
    with pytest.raises(ImpossibleStatisticError, match="one-way ANOVA needs the number of runs"):
        solve_topics("anova", 0.1, 0.05)
    with pytest.raises(ImpossibleStatisticError, match=r"number of runs must be .* not 1"):
        solve_min_d("anova", 50, 0.05, runs=1)
    for design in DESIGNS:
        if design not in OF_RUNS:
            with pytest.raises(ImpossibleStatisticError, match="compares two runs"):
                solve_min_d(design, 50, 0.05, runs=2)


def test_an_unknown_design_names_the_known_ones():
    with pytest.raises(
        ImpossibleStatisticError,
        match="no design 'manova': use one of anova, two-way, tukey, paired",
    ):
        solve_topics("manova", 0.1, 0.05)


def test_solutions_beyond_doubles_are_refused():
    with pytest.raises(ImpossibleStatisticError, match="variance solved for must be positive"):
        solve_variance("anova", 50, 1e-200, runs=2)
    with pytest.raises(ImpossibleStatisticError, match="variance solved for must be positive"):
        solve_variance("anova", 50, 1e200, runs=2)


@given(
    st.lists(st.tuples(st.floats(1e-30, 1e30), st.floats(1e-150, 1e150)), min_size=1, max_size=20)
)
def test_search_finds_any_effect_from_any_start(cells):
    effect, start = np.transpose(cells)

    def miss(effects, at):
        # Undefined below a tenth of the answer.
        return np.where(effects < effect[at] / 10, np.nan, np.where(effects < effect[at], 0.9, 0.1))

    result = least_effect(miss, np.full(len(effect), 0.5), start)
    assert (result >= effect).all()
    np.testing.assert_allclose(result, effect, rtol=1e-11)


def test_search_says_where_every_effect_or_none_is_enough():
    def miss(effects, at):
        return np.where(at == 0, 0.0, 1.0) + 0 * effects

    assert least_effect(miss, np.full(2, 0.5), np.ones(2)).tolist() == [0, np.inf]
