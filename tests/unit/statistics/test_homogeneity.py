"""Bartlett's test from variances and dof, against SciPy on raw groups and a published example."""

from __future__ import annotations

import doctest
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.errors import ImpossibleStatistic
from service.statistics import homogeneity
from service.statistics.homogeneity import bartlett
from service.statistics.variance import residual_variance

ESTIMATES = st.lists(st.tuples(st.floats(0.001, 10), st.integers(1, 500)), min_size=2, max_size=9)


def naive_statistic(variances, dofs):
    total, groups = sum(dofs), len(dofs)
    pooled = sum(dof * each for each, dof in zip(variances, dofs, strict=True)) / total
    logs = sum(dof * math.log(each) for each, dof in zip(variances, dofs, strict=True))
    correction = 1 + (sum(1 / dof for dof in dofs) - 1 / total) / (3 * (groups - 1))
    return (total * math.log(pooled) - logs) / correction


def test_examples():
    found = doctest.testmod(homogeneity)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_scipy_on_raw_groups():
    rng = np.random.default_rng(1)
    groups = [rng.normal(0, sd, size) for sd, size in ((1, 10), (1.2, 25), (0.7, 7), (1, 90))]
    expected = stats.bartlett(*groups)
    found = bartlett([group.var(ddof=1) for group in groups], [group.size - 1 for group in groups])
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-12)
    assert (found.dof, found.reason) == (3, None)


def test_treccovid_rounds(shared):
    parts = [
        residual_variance(
            np.genfromtxt(
                shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv",
                delimiter=",",
                skip_header=1,
            )[:, 1:]
        )
        for number in (1, 2, 3)
    ]
    variances, dofs = [part.variance for part in parts], [part.dof for part in parts]
    found = bartlett(variances, dofs)
    assert found.statistic == pytest.approx(naive_statistic(variances, dofs), rel=1e-9)
    assert found.max_min_ratio == pytest.approx(max(variances) / min(variances))
    assert found.p_value < 1e-10
    assert found.variances.tolist() == variances
    assert found.dofs.tolist() == dofs


@given(ESTIMATES)
def test_equals_the_textbook_formula(estimates):
    variances, dofs = zip(*estimates, strict=True)
    found = bartlett(variances, dofs)
    assert found.statistic == pytest.approx(naive_statistic(variances, dofs), rel=1e-7, abs=1e-9)
    assert found.statistic >= 0
    expected = stats.chi2.sf(found.statistic, len(dofs) - 1)
    assert found.p_value == pytest.approx(expected, rel=1e-9, abs=1e-300)


@given(ESTIMATES, st.randoms(use_true_random=False), st.floats(1e-6, 1e6))
def test_order_and_unit_are_nothing_to_it(estimates, random, unit):
    before = bartlett(*zip(*estimates, strict=True))
    random.shuffle(estimates)
    after = bartlett(*zip(*((each * unit, dof) for each, dof in estimates), strict=True))
    assert after.statistic == pytest.approx(before.statistic, rel=1e-7, abs=1e-9)


@given(st.floats(1, 5), st.floats(1.01, 2))
def test_wider_apart_is_less_likely(ratio, more):
    near = bartlett([1, ratio, 1], [20, 20, 20])
    far = bartlett([1, ratio * more, 1], [20, 20, 20])
    assert far.statistic > near.statistic
    assert far.p_value < near.p_value


def test_equal_variances():
    found = bartlett([0.1, 0.1, 0.1], [3, 10, 40])
    assert found.statistic == pytest.approx(0, abs=1e-25)
    assert (found.p_value, found.max_min_ratio) == (pytest.approx(1), 1)


def test_false_alarms_are_as_many_as_promised():
    rng = np.random.default_rng(2)
    dofs = [10, 20, 40]
    drawn = rng.chisquare(dofs, (2_000, 3)) / dofs
    alarms = np.mean([bartlett(row, dofs).p_value < 0.05 for row in drawn])
    # Monte Carlo error sqrt(.05 * .95 / 2000) = .005; three of it.
    assert alarms == pytest.approx(0.05, abs=0.015)


@pytest.mark.parametrize(
    ("variances", "reason"),
    [
        ([0.1], "one variance only"),
        ([0.0], "one variance only"),
        ([0.0, 0.0], "All variances are 0"),
        ([0.0, 0.1, 0.0], "there are 2"),
    ],
)
def test_no_test_and_why(variances, reason):
    found = bartlett(variances, [5] * len(variances))
    assert (found.statistic, found.dof, found.p_value) == (None, None, None)
    assert reason in found.reason
    assert found.max_min_ratio == (1.0 if variances == [0.1] else None)


def test_variances_a_world_apart():
    found = bartlett([1e-300, 1e300], [4, 4])
    assert math.isfinite(found.statistic)
    assert found.p_value == 0.0
    assert found.max_min_ratio is None


@pytest.mark.parametrize(
    ("variances", "dofs", "message"),
    [
        ([], [], "at least one variance"),
        ([0.1], [1, 2], "shapes"),
        ([0.1, -0.1], [1, 2], "not negative"),
        ([0.1, np.nan], [1, 2], "finite"),
        ([0.1, np.inf], [1, 2], "finite"),
        ([0.1, 0.1], [1, 0], "at least 1"),
        ([0.1, 0.1], [1, 1.5], "whole"),
    ],
)
def test_refused(variances, dofs, message):
    with pytest.raises(ImpossibleStatistic, match=message):
        bartlett(variances, dofs)
