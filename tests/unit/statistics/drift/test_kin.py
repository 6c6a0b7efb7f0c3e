"""Kin groups, against SciPy's ranks and NumPy's correlations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from tests.unit.statistics.drift.test_units import partition

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.drift.units import kin_groups


def teams_like(rng, topics=12, teams=4, runs=3, noise=0.3):
    likeness = np.repeat(rng.normal(size=(topics, teams)), runs, axis=1)
    return likeness + noise * rng.normal(size=likeness.shape)


@pytest.mark.parametrize(("number", "groups"), [(1, 57), (2, 44), (3, 38)])
def test_treccovid(covid, number, groups):
    assert len(set(kin_groups(covid[number].scores))) == groups


@pytest.mark.parametrize(("name", "groups"), [(2003, 21), (6, 36), (7, 44)])
def test_ad_hoc(adhoc, name, groups):
    assert len(set(kin_groups(adhoc[name].scores))) == groups


@pytest.mark.parametrize("seed", range(5))
def test_naive(seed):
    rng = np.random.default_rng(seed)
    scores = teams_like(rng, noise=1.0).round(1)
    distance = 1 - np.corrcoef(rankdata(scores, axis=1).T)
    tree = linkage(squareform(distance, checks=False), method="average")
    naive = fcluster(tree, 0.6, criterion="distance")
    assert 1 < len(set(naive)) < scores.shape[1]
    assert np.array_equal(partition(kin_groups(scores)), partition(naive))


@given(st.integers(0, 10**6), st.data())
def test_order_and_scale_change_nothing(seed, data):
    scores = teams_like(np.random.default_rng(seed))
    runs = np.array(data.draw(st.permutations(range(scores.shape[1]))))
    topics = np.array(data.draw(st.permutations(range(scores.shape[0]))))
    groups = kin_groups(scores)
    assert np.array_equal(
        partition(kin_groups(3 * scores[topics][:, runs])), partition(groups[runs])
    )


@pytest.mark.parametrize("seed", range(5))
def test_tied_distances_are_not_joined_in_the_order_of_the_runs(seed):
    # Scores of 0 or 1 on five topics give few distances, so that most of them tie.
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 2, (5, 20)).astype(float)
    groups = kin_groups(scores)
    for _ in range(10):
        runs = rng.permutation(20)
        assert np.array_equal(partition(kin_groups(scores[:, runs])), partition(groups[runs]))


def test_equal_runs_are_kin_and_runs_of_one_rank_are_not():
    # The first two are equal; the third is worst and the fourth best throughout.
    scores = np.array([[2, 2, 0, 9, 1], [1, 1, 0, 9, 3], [4, 4, 0, 9, 3]], dtype=float)
    groups = kin_groups(scores)
    assert groups.tolist() == [0, 0, 1, 2, 3]


def test_topics_that_tie_but_for_rounding_say_nothing():
    scores = teams_like(np.random.default_rng(3))
    level = np.full((6, scores.shape[1]), 0.3)
    level[:, ::2] = 0.1 + 0.2
    assert kin_groups(np.vstack([scores, level])).tolist() == kin_groups(scores).tolist()


@pytest.mark.parametrize(("runs", "groups"), [(1, [0]), (3, [0, 0, 0])])
def test_ties_everywhere(runs, groups):
    assert kin_groups(np.full((4, runs), 0.2)).tolist() == groups


def test_missing_scores():
    with pytest.raises(ImpossibleStatisticError, match="kin group"):
        kin_groups([[0.1, float("nan")]])
