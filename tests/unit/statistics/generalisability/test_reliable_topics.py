"""Topics needed for a wanted reliability, against gt4ireval and a plain search."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.statistics.generalisability.test_reliability import made
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.generalisability import (
    generalisability,
    reliable_topics,
    variance_components,
)
from roundbook.statistics.variance.residual import two_way_variance

COMPONENTS = st.builds(
    made,
    st.floats(1.5, 50),
    st.floats(0, 50),
    st.floats(0.1, 1),
    st.integers(2, 60),
    st.integers(2, 60),
)


def plain_search(components, name, target):
    for topics in range(1, 100_000):
        if getattr(generalisability(components, topics), name) >= target:
            return topics
    raise AssertionError


def test_brennan_synthetic_4():
    # As gt4ireval's tests have it.
    result = reliable_topics(made(10.2962962963, 11.6272727273, 2.7872053872), 0.95, 0.8)
    assert (result.e_rho_squared_topics, result.e_rho_squared_topics_interval) == (85, (33, 194))
    assert (result.phi_topics, result.phi_topics_interval) == (112, (42, 272))
    assert result.reason is None


def test_trec3_as_published(shared):
    scores = read_scores(shared, "trec_adhoc3_ap")
    best = scores[:, np.argsort(-scores.mean(axis=0))[:30]]
    result = reliable_topics(variance_components(two_way_variance(best)))
    assert (result.e_rho_squared_topics, result.e_rho_squared_topics_interval) == (69, (37, 114))
    assert (result.phi_topics, result.phi_topics_interval) == (259, (130, 487))


@given(
    st.builds(made, st.floats(5, 50), st.floats(0, 9), st.floats(0.1, 1), st.just(8), st.just(9)),
    st.floats(0.01, 0.9),
)
def test_equals_a_plain_search(components, target):
    result = reliable_topics(components, target)
    assert result.e_rho_squared_topics == plain_search(components, "e_rho_squared", target)
    assert result.phi_topics == plain_search(components, "phi", target)


@given(COMPONENTS, st.integers(1, 100_000))
def test_solving_back_returns_the_topics(components, topics):
    given_ = generalisability(components, topics)
    relative = reliable_topics(components, given_.e_rho_squared)
    assert relative.e_rho_squared_topics == topics
    assert reliable_topics(components, given_.phi).phi_topics == topics


@given(COMPONENTS, st.floats(0.05, 0.9), st.floats(0.01, 0.09))
def test_a_higher_target_takes_more_topics(components, target, more):
    result, higher = reliable_topics(components, target), reliable_topics(components, target + more)
    assert result.e_rho_squared_topics <= higher.e_rho_squared_topics
    assert result.phi_topics <= higher.phi_topics
    assert result.e_rho_squared_topics <= result.phi_topics


@given(COMPONENTS, st.floats(0.05, 0.95))
def test_interval_is_that_of_the_reliability(components, target):
    result = reliable_topics(components, target)
    for name in ("e_rho_squared", "phi"):
        fewest, most = getattr(result, f"{name}_topics_interval")
        if most is not None:
            at_most = getattr(generalisability(components, most), f"{name}_interval")
            assert at_most[0] >= target - 1e-12
            assert fewest <= most
        if fewest is not None and fewest > 1:
            short = getattr(generalisability(components, fewest - 1), f"{name}_interval")
            assert short[1] < target


def test_systems_that_cannot_be_told_apart():
    result = reliable_topics(made(1.0, 5.0, 3.0))
    assert (result.e_rho_squared_topics, result.phi_topics) == (None, None)
    assert result.e_rho_squared_topics_interval[1] is None
    assert result.reason == "target_not_reached"


def test_more_than_ten_million_topics():
    result = reliable_topics(made(1.0 + 1e-7, 5.0, 1.0))
    assert result.e_rho_squared_topics is None
    assert result.reason == "target_not_reached"


@pytest.mark.parametrize("unit", [1e-200, 1e-120, 1e90])
def test_far_units(unit):
    scores = np.random.default_rng(1).random((6, 5)) + np.arange(5) / 5
    result = reliable_topics(variance_components(two_way_variance(scores * unit)), 0.9)
    plain = reliable_topics(variance_components(two_way_variance(scores)), 0.9)
    if unit == 1e-200:
        # Its squares are 0 in a double.
        assert result.reason == "target_not_reached"
    else:
        assert result.e_rho_squared_topics == plain.e_rho_squared_topics
        assert result.phi_topics_interval == plain.phi_topics_interval


def test_without_residual():
    components = variance_components(two_way_variance(np.add.outer([0.0, 0.25, 0.5], [0.0, 0.125])))
    result = reliable_topics(components)
    assert result.e_rho_squared_topics == 1
    assert result.phi_topics == plain_search(components, "phi", 0.95)
    assert (result.e_rho_squared_topics_interval, result.phi_topics_interval) == (None, None)
    assert result.reason == "no_residual"


def test_without_any_variance():
    result = reliable_topics(variance_components(two_way_variance(np.full((3, 4), 0.1))))
    assert (result.e_rho_squared_topics, result.phi_topics) == (None, None)
    assert (result.e_rho_squared_topics_interval, result.phi_topics_interval) == (None, None)
    assert result.reason == "target_not_reached"


@pytest.mark.parametrize("target", [0, 1, -0.5, math.nan, math.inf])
def test_refused_targets(target):
    with pytest.raises(
        ImpossibleStatisticError, match="wanted reliability must be between 0 and 1"
    ):
        reliable_topics(made(10.0, 11.0, 3.0), target)


def test_refused_level():
    with pytest.raises(ImpossibleStatisticError, match="confidence level"):
        reliable_topics(made(10.0, 11.0, 3.0), level=1)
