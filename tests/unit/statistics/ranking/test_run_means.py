"""Run means that tie where their decimals do."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import topic_weights
from roundbook.statistics.ties import run_means

TENTHS = arrays(
    np.int64,
    array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12),
    elements=st.integers(0, 10),
)


def ranks(values):
    return np.unique(values, return_inverse=True)[1].tolist()


@given(TENTHS, st.sampled_from([10, 1000, 3e-5, 7e8]))
def test_ranked_as_exact_sums_are(tenths, unit):
    scores = tenths / unit
    result = run_means(scores)
    assert ranks(result) == ranks(tenths.sum(axis=0))
    np.testing.assert_allclose(result, scores.mean(axis=0), rtol=1e-9, atol=1e-10 / unit)


def test_means_tie_by_their_distance_not_by_a_grid():
    """Scores of 12 digits, whose sums lie around a half of the 11th."""
    values = [0.432630790805, 0.42278467327, 0.669297298575]
    alike = np.array([np.roll(values, turn) for turn in range(3)]).T
    alike = np.hstack([alike, alike[::-1]])
    assert np.unique(alike.mean(axis=0)).size > 1
    assert ranks(run_means(alike)) == [0] * 6
    # Two means less than 1e-11 apart, but farther than rounding goes, do not tie.
    near = np.array([[0.5, 0.5 + 4e-12, 0.5 + 1e-16], [0.9, 0.9, 0.9]])
    assert ranks(run_means(near)) == [0, 1, 0]

    rng = np.random.default_rng(2)
    for _ in range(300):
        column = rng.random(int(rng.integers(3, 40))).round(12)
        columns = np.array([rng.permutation(column) for _ in range(4)]).T
        columns[0] += [0, 0, 0, 1e-9]
        weights = np.ones((2, len(column)))
        for means in (run_means(columns), *run_means(columns, weights)):
            exact = [sum(map(Fraction, one.tolist())) for one in columns.T]
            assert ranks(means) == ranks([round(float(one), 11) for one in exact]) == [0, 0, 0, 1]


@pytest.mark.parametrize("name", ["trec_adhoc5_p10", "trec_adhoc6_p10", "trec_adhoc7_p10"])
def test_precision_at_10_ties(shared, name):
    scores = read_scores(shared, name)
    tenths = np.rint(scores * 10)
    np.testing.assert_allclose(scores, tenths / 10, atol=1e-9)
    assert ranks(run_means(scores)) == ranks(tenths.sum(axis=0))
    weights = next(topic_weights(len(scores), 50, 0))
    for result, exact in zip(run_means(scores, weights), weights @ tenths, strict=True):
        assert ranks(result) == ranks(exact)


def test_identical_columns_tie(shared):
    scores = read_scores(shared, "trec_web2010_ap")
    _, column = np.unique(scores, axis=1, return_inverse=True)
    weights = next(topic_weights(len(scores), 200, 0))
    means = run_means(scores, weights)
    for number in range(column.max() + 1):
        alike = means[:, column == number]
        assert (alike == alike[:, :1]).all()


def test_runs_a_ten_thousandth_apart_do_not_tie():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 10_001, (1_000, 1)) / 10_000
    both = np.hstack([scores, scores])
    both[3, 1] += 1e-4
    first, second = run_means(both)
    assert second > first
    exact = sum(Fraction(round(score * 10_000), 10_000) for score in scores[:, 0]) / 1_000
    assert first == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.parametrize("unit", [1e-300, 1e-200, 1e90])
def test_far_units(unit):
    first, second = run_means(np.array([[1.0, 2.0], [3.0, 5.0]]) * unit)
    assert (first, second) == pytest.approx((2 * unit, 3.5 * unit))


def test_nothing_but_zeros():
    assert run_means(np.zeros((3, 2))).tolist() == [0, 0]


@pytest.mark.parametrize("scores", [np.empty((0, 2)), np.empty((2, 0)), [[np.nan]], [0.1]])
def test_refused(scores):
    with pytest.raises(ImpossibleStatisticError, match="The mean of a run needs"):
        run_means(scores)
