"""Residual variance, against published values and plain loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.unit.statistics.score_files import read_file, read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.residual import residual_variance

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.floats(-2, 2, allow_subnormal=False),
)


def naive_variance(scores):
    total = 0.0
    for run in zip(*scores.tolist(), strict=True):
        mean = sum(run) / len(run)
        for score in run:
            total += (score - mean) ** 2
    return total / (scores.shape[1] * (scores.shape[0] - 1))


def test_robust2003(shared):
    table = read_file(shared, "trec_robust2003_ap")
    scores = table.on([str(topic) for topic in range(601, 651)])
    assert scores.shape == (50, 78)
    assert residual_variance(scores) == pytest.approx(0.047977, abs=5e-7)


@pytest.mark.parametrize(
    ("number", "topics", "runs", "variance"),
    [(1, 30, 143, 0.05311), (2, 35, 136, 0.07138), (3, 40, 79, 0.07161)],
)
def test_treccovid(shared, number, topics, runs, variance):
    scores = read_scores(shared, f"treccovid_round{number}_ndcg10")
    assert scores.shape == (topics, runs)
    assert residual_variance(scores) == pytest.approx(variance, abs=5e-6)
    assert residual_variance(scores) == pytest.approx(naive_variance(scores), rel=1e-12)


def test_identical_columns_count_as_runs_of_their_own(shared):
    scores = read_scores(shared, "trec_web2010_ap")
    columns, counts = np.unique(scores, axis=1, return_counts=True)
    assert counts.max() > 1
    assert scores.shape == (48, 88)
    assert residual_variance(scores) == pytest.approx(naive_variance(scores), rel=1e-12)
    assert residual_variance(scores) != pytest.approx(residual_variance(columns), rel=1e-3)


@given(MATRICES)
def test_equals_plain_loops(scores):
    expected = naive_variance(scores)
    assert residual_variance(scores) == pytest.approx(expected, rel=1e-9, abs=1e-14)


@given(MATRICES, st.randoms(use_true_random=False))
def test_order_of_runs_and_topics_is_nothing_to_it(scores, random):
    topics, runs = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(topics)
    random.shuffle(runs)
    shuffled = residual_variance(scores[np.ix_(topics, runs)])
    assert shuffled == pytest.approx(residual_variance(scores), rel=1e-9, abs=1e-14)


@given(MATRICES)
def test_memory_layout_and_input_are_left_alone(scores):
    before = scores.copy()
    result = residual_variance(scores)
    np.testing.assert_array_equal(scores, before)
    fortran = residual_variance(np.asfortranarray(scores))
    assert fortran == pytest.approx(result, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3, -0.3])
@pytest.mark.parametrize("topics", [2, 3, 7, 50])
def test_runs_that_never_change_have_exactly_no_variance(value, topics):
    assert residual_variance(np.full((topics, 3), value)) == 0.0


def test_one_run_is_enough():
    assert residual_variance([[1.0], [3.0]]) == 2.0


def test_differences_between_runs_do_not_count():
    scores = np.random.default_rng(1).random((20, 4))
    moved = scores + np.array([0.0, 10.0, -5.0, 100.0])
    expected = residual_variance(scores)
    assert residual_variance(moved) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1, 0.2]], r"The residual variance needs at least 2 topics, not 1"),
        (np.empty((3, 0)), "at least 1 run"),
        ([0.1, 0.2], r"\(topics, runs\) matrix"),
        ([[0.1], [np.nan]], "nan at topic index 1, run index 0"),
        ([[0.1], [-np.inf]], "-inf at topic index 1"),
        ([[0.1], [1e101]], "topic index 1"),
        ([["a"], ["b"]], "numbers"),
    ],
)
def test_refused_scores(scores, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        residual_variance(scores)
