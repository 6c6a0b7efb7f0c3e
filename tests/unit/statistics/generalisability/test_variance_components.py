"""Variance components, against Brennan's example, gt4ireval's and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.statistics.score_files import read_scores

from roundbook.statistics.generalisability import variance_components
from roundbook.statistics.variance.residual import TwoWayVariance, two_way_variance

SQUARES = st.floats(0, 1e6)


def made(system, topic, residual, topics=12, runs=10):
    return TwoWayVariance(residual, system, topic, topics, runs)


def test_brennan_table_6_2():
    result = variance_components(made(10.2963, 11.6273, 2.7872))
    assert result.system == pytest.approx(0.6258, abs=5e-5)
    assert result.topic == pytest.approx(0.8840, abs=5e-5)
    assert result.residual == 2.7872
    assert result.negative == ()


def test_trec3_without_the_worst_quarter(shared):
    # As printed in the README of gt4ireval for the 30 best of the 40 systems.
    scores = read_scores(shared, "trec_adhoc3_ap")
    best = scores[:, np.argsort(-scores.mean(axis=0))[:30]]
    result = variance_components(two_way_variance(best))
    assert f"{result.system:.5g}" == "0.0028117"
    # The file differs from theirs in the fifth digit of the topics.
    assert result.topic == pytest.approx(0.028093, abs=1e-6)
    assert f"{result.residual:.5g}" == "0.010152"


@given(SQUARES, SQUARES, SQUARES, st.integers(2, 50), st.integers(2, 50))
def test_equals_the_equations(system, topic, residual, topics, runs):
    two_way = made(system, topic, residual, topics, runs)
    result = variance_components(two_way)
    expected = {"system": (system - residual) / topics, "topic": (topic - residual) / runs}
    assert result.system == max(expected["system"], 0)
    assert result.topic == max(expected["topic"], 0)
    assert result.residual == residual
    assert result.negative == tuple(name for name in expected if expected[name] < 0)
    assert result.two_way == two_way


def test_unbiased():
    rng = np.random.default_rng(1)
    result = []
    for _ in range(1_500):
        scores = rng.normal(0, 1, (20, 8)) + rng.normal(0, 2, (20, 1)) + rng.normal(0, 1.5, (1, 8))
        components = variance_components(two_way_variance(scores))
        result.append((components.system, components.topic, components.residual))
    error = np.std(result, axis=0) / np.sqrt(1_500)
    assert (np.abs(np.mean(result, axis=0) - [2.25, 4, 1]) < 3 * error).all()


def test_nothing_varies():
    result = variance_components(two_way_variance(np.full((4, 3), 0.1)))
    assert (result.system, result.topic, result.residual, result.negative) == (0, 0, 0, ())
