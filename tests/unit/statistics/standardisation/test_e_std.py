"""E-std, against plain counting and SciPy's empirical distribution function."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.score_files import read_covid, shared_topics

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.standardisation import e_std

# Few values, so that ties are common.
TENTHS = st.integers(0, 10).map(lambda tenths: tenths / 10)


@st.composite
def matrices(draw):
    topics, runs, standardising = (draw(st.integers(low, 6)) for low in (1, 1, 2))
    return [
        draw(
            st.lists(
                st.lists(TENTHS, min_size=width, max_size=width), min_size=topics, max_size=topics
            )
        )
        for width in (runs, standardising)
    ]


@given(matrices())
def test_equals_plain_counting(pair):
    scores, standardising = pair
    result = e_std(scores, standardising)
    for topic, row in enumerate(scores):
        for run, score in enumerate(row):
            reached = sum(other <= score for other in standardising[topic])
            assert result[topic, run] == reached / len(standardising[topic])


@given(matrices())
def test_rises_with_the_score_and_stays_between_0_and_1(pair):
    scores, standardising = map(np.array, pair)
    result = e_std(scores, standardising)
    assert ((result >= 0) & (result <= 1)).all()
    assert (e_std(scores + 0.1, standardising) >= result).all()
    # Only the order of scores counts.
    np.testing.assert_array_equal(e_std(scores**3, standardising**3), result)


def test_treccovid_round_3_by_round_1(shared):
    standardising, new = shared_topics(*read_covid(shared, 1, 3))
    result = e_std(new, standardising)
    for topic in range(len(new)):
        expected = stats.ecdf(standardising[topic]).cdf.evaluate(new[topic])
        np.testing.assert_allclose(result[topic], expected, rtol=1e-12)
    # The later runs stand above the middle of the earlier ones.
    assert result.mean() > 0.7
    # The standardising runs themselves: (m + 1) / 2m on average, and above it for ties.
    own = e_std(standardising, standardising)
    assert (own.max(axis=1) == 1).all()
    assert (own.mean(axis=1) >= (1 + 1 / standardising.shape[1]) / 2 - 1e-12).all()


def test_topics_on_which_all_standardising_runs_tie():
    scores, standardising = [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]], [[0.2, 0.2], [0.1, 0.3]]
    assert e_std(scores, standardising).tolist() == [[0, 1, 1], [0.5, 0.5, 1]]
    assert e_std(scores, standardising, "average").tolist() == [[0.5, 0.5, 0.5], [0.5, 0.5, 1]]
    dropped = e_std(scores, standardising, "drop")
    assert np.isnan(dropped[0]).all()
    assert dropped[1].tolist() == [0.5, 0.5, 1]


@pytest.mark.parametrize(
    ("scores", "standardising", "policy", "message"),
    [
        ([[0.1]], [[0.1, 0.2], [0.1, 0.2]], None, "1 topics of scores and 2 of standardising"),
        ([[0.1]], [[0.1]], None, "at least 2 run"),
        ([0.1], [[0.1, 0.2]], None, r"\(topics, runs\) matrix"),
        ([[np.nan]], [[0.1, 0.2]], None, "finite score"),
        ([[0.1]], [[0.1, np.inf]], None, "finite score"),
        ([["a"]], [[0.1, 0.2]], None, "numbers"),
        ([[0.1]], [[0.1, 0.2]], "keep", "no zero-sd policy 'keep'"),
    ],
)
def test_refused(scores, standardising, policy, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        e_std(scores, standardising, policy)
