"""E-rho-squared and Phi, against Brennan, gt4ireval, Cronbach's alpha and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from scipy import stats
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.generalisability import (
    generalisability,
    signal_limits,
    variance_components,
)
from roundbook.statistics.variance.residual import TwoWayVariance, two_way_variance

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7),
    elements=st.integers(0, 1000).map(lambda number: number / 1000),
)


def made(system, topic, residual, topics=12, runs=10):
    return variance_components(TwoWayVariance(residual, system, topic, topics, runs))


def components_of(scores):
    return variance_components(two_way_variance(scores))


def cronbach_alpha(scores):
    topics = scores.shape[0]
    items = scores.var(axis=1, ddof=1).sum()
    return topics / (topics - 1) * (1 - items / scores.sum(axis=0).var(ddof=1))


def naive_limits(two_way, tail):
    """Feldt and Arteaga et al. as Brennan writes them, not divided through; for one topic."""
    m, n = two_way.runs, two_way.topics
    s, t, e = two_way.system_mean_square, two_way.topic_mean_square, two_way.variance
    f1, f2, f3 = (stats.f.ppf(1 - tail, m - 1, dof) for dof in (1e12, (m - 1) * (n - 1), n - 1))
    relative = (s / (e * f2) - 1) / n
    above = s**2 - f1 * s * e + (f1 - f2) * f2 * e**2
    share = above / ((m - 1) * f1 * s * e + f3 * s * t)
    absolute = m * share / (m * share + n)
    return relative, absolute / (1 - absolute)


@pytest.fixture
def trec3(shared):
    """The 30 best of the 40 systems of TREC-3, the example of gt4ireval's README."""
    scores = read_scores(shared, "trec_adhoc3_ap")
    return components_of(scores[:, np.argsort(-scores.mean(axis=0))[:30]])


def test_brennan_table_6_5():
    # Synthetic data set 4, 80% intervals; digits beyond the book's from gt4ireval's tests.
    result = generalisability(made(10.2962962963, 11.6272727273, 2.7872053872), level=0.8)
    assert result.e_rho_squared == pytest.approx(0.729300196206671, rel=1e-9)
    assert result.e_rho_squared_interval == pytest.approx((0.541010905420649, 0.876363137240463))
    assert result.phi == pytest.approx(0.671635722997696, rel=1e-9)
    assert result.phi_interval == pytest.approx((0.456901329313964, 0.845419296231267))


@pytest.mark.parametrize(
    ("topics", "e_rho_squared", "phi"),
    [
        (50, (0.93265, 0.89311, 0.96287), (0.78613, 0.66141, 0.88039)),
        (100, (0.96515, 0.94354, 0.98109), (0.88026, 0.79621, 0.93639)),
        (150, (0.97649, 0.96164, 0.98731), (0.91686, 0.85423, 0.95668)),
    ],
)
def test_trec3_as_published(trec3, topics, e_rho_squared, phi):
    result = generalisability(trec3, topics)
    relative = (result.e_rho_squared, *result.e_rho_squared_interval)
    assert relative == pytest.approx(e_rho_squared, abs=6e-6)
    assert (result.phi, *result.phi_interval) == pytest.approx(phi, abs=6e-6)
    assert (result.topics, result.level, result.reason) == (topics, 0.95, None)


@given(MATRICES)
def test_e_rho_squared_is_cronbachs_alpha(scores):
    components = components_of(scores)
    result = generalisability(components)
    assume(scores.sum(axis=0).var() > 1e-12)
    alpha = cronbach_alpha(scores)
    if "system" in components.negative:
        assert result.e_rho_squared == 0
        assert alpha < 1e-9
    else:
        assert result.e_rho_squared == pytest.approx(alpha, abs=1e-9)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_treccovid(shared, number):
    scores = read_scores(shared, f"treccovid_round{number}_ndcg10")
    components = components_of(scores)
    result = generalisability(components)
    assert result.e_rho_squared == pytest.approx(cronbach_alpha(scores), rel=1e-10)
    assert result.topics == len(scores)
    assert result.phi < result.e_rho_squared
    for tail, end in ((0.025, 0), (0.975, 1)):
        relative, absolute = (
            limit * len(scores) for limit in naive_limits(components.two_way, tail)
        )
        assert result.e_rho_squared_interval[end] == pytest.approx(relative / (1 + relative))
        assert result.phi_interval[end] == pytest.approx(absolute / (1 + absolute))


@given(MATRICES, st.integers(1, 1000), st.integers(1, 1000))
def test_more_topics_are_more_reliable(scores, topics, more):
    components = components_of(scores)
    few, many = generalisability(components, topics), generalisability(components, topics + more)
    assume(few.e_rho_squared is not None and few.phi is not None)
    assert few.e_rho_squared <= many.e_rho_squared <= 1
    assert few.phi <= many.phi <= 1
    assert few.phi <= few.e_rho_squared
    if few.phi_interval is not None:
        for name in ("e_rho_squared", "phi"):
            value, (low, high) = getattr(few, name), getattr(few, f"{name}_interval")
            assert 0 <= low <= high <= 1
            # Where topics differ less than residuals do, the point estimate is of another formula.
            if name == "e_rho_squared" and value > 0:
                assert low <= value


@given(MATRICES, st.randoms(use_true_random=False))
def test_order_and_unit_are_nothing_to_it(scores, random):
    topics, runs = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(topics)
    random.shuffle(runs)
    before = components_of(scores)
    assume(before.residual > 1e-6 and before.two_way.system_mean_square > 1e-6)
    plain = generalisability(before)
    moved = generalisability(components_of(scores[np.ix_(topics, runs)] * 100 + 1000))
    assert moved.e_rho_squared == pytest.approx(plain.e_rho_squared, abs=1e-7)
    assert moved.phi == pytest.approx(plain.phi, abs=1e-7)
    assert moved.phi_interval == pytest.approx(plain.phi_interval, abs=1e-7)


@pytest.mark.parametrize(
    ("sds", "topics", "runs"),
    [
        ((0.055, 0.17, 0.1), 50, 30),
        pytest.param((0.1, 0.03, 0.17), 20, 10, marks=pytest.mark.long),
        pytest.param((0.02, 0.17, 0.17), 30, 20, marks=pytest.mark.long),
    ],
)
def test_coverage(sds, topics, runs):
    system, topic, residual = sds
    rng = np.random.default_rng(1)
    truth = (
        system**2 / (system**2 + residual**2 / topics),
        system**2 / (system**2 + (topic**2 + residual**2) / topics),
    )
    hits = np.zeros(2)
    for _ in range(2_000):
        scores = rng.normal(0, residual, (topics, runs))
        scores += rng.normal(0, system, (1, runs)) + rng.normal(0, topic, (topics, 1))
        result = generalisability(components_of(scores), level=0.9)
        intervals = (result.e_rho_squared_interval, result.phi_interval)
        hits += [low <= value <= high for value, (low, high) in zip(truth, intervals, strict=True)]
    # Monte Carlo error sqrt(.9 * .1 / 2000) = .0067; three of it. The interval of Phi is an
    # approximation on the safe side.
    assert hits[0] / 2_000 == pytest.approx(0.9, abs=0.02)
    assert 0.88 <= hits[1] / 2_000 <= 0.95


def test_limits_follow_from_the_quantile():
    components = made(10.0, 11.0, 3.0)
    for probability in (0.975, 0.5, 0.025):
        expected = naive_limits(components.two_way, 1 - probability)
        assert signal_limits(components.two_way, probability) == pytest.approx(expected, rel=1e-7)


def test_systems_that_cannot_be_told_apart():
    result = generalisability(made(1.0, 5.0, 3.0))
    assert (result.e_rho_squared, result.phi) == (0, 0)
    # One F below both roots of Arteaga's numerator would otherwise give a positive limit again.
    assert result.e_rho_squared_interval[0] == result.phi_interval[0] == 0
    tiny = generalisability(made(1e-9, 5.0, 3.0))
    assert tiny.e_rho_squared_interval == tiny.phi_interval == (0, 0)


def test_without_residual():
    # Runs and topics simply add up.
    result = generalisability(components_of(np.add.outer([0.0, 0.25, 0.5], [0.0, 0.125])))
    assert result.e_rho_squared == 1
    assert 0 < result.phi < 1
    assert result.e_rho_squared_interval is result.phi_interval is None
    assert result.reason == "no_residual"


def test_a_residual_of_rounding_is_none():
    components = components_of(np.add.outer([0.1, 0.2, 0.7], [0.0, 0.1, 0.3]))
    assert 0 < components.residual < 1e-30
    result = generalisability(components)
    assert result.e_rho_squared == pytest.approx(1)
    assert result.e_rho_squared_interval is result.phi_interval is None


def test_without_any_variance():
    result = generalisability(components_of(np.full((3, 4), 0.1)))
    assert (result.e_rho_squared, result.phi) == (None, None)
    assert (result.e_rho_squared_interval, result.phi_interval) == (None, None)
    assert result.reason == "no_residual"


def test_runs_that_are_all_the_same():
    result = generalisability(components_of(np.repeat([[0.1], [0.7], [0.4]], 4, axis=1)))
    assert (result.e_rho_squared, result.phi) == (None, 0)
    assert result.reason == "no_residual"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"topics": 0}, "at least 1, not 0"),
        ({"topics": 1.5}, "whole"),
        ({"topics": math.nan}, "whole"),
        ({"topics": math.inf}, "whole"),
        ({"level": 1}, "confidence level"),
        ({"level": math.nan}, "confidence level"),
    ],
)
def test_refused(options, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        generalisability(made(10.0, 11.0, 3.0), **options)
