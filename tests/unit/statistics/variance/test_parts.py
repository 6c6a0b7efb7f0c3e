"""The parts kept of a score matrix, against deleting and computing again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.residual import residual_variance, two_way_variance

TYPED = [[0.1, 0.2, 0.3], [0.4, 0.3, 0.5], [0.9, 0.7, 0.6], [0.5, 0.6, 0.8], [0.2, 0.3, 0.1]]
KINDS = {
    "one_way": residual_variance,
    "two_way": lambda scores: two_way_variance(scores).variance,
}


def random_case(seed, topics=7, runs=9, clusters=4):
    rng = np.random.default_rng(seed)
    scores = rng.beta(1, 2, (topics, runs)) + rng.normal(0, 0.1, (topics, 1))
    return scores, rng.permutation(np.arange(runs) % clusters)


def residuals(scores, kind):
    centred = scores - scores.mean(axis=0)
    return centred - centred.mean(axis=1, keepdims=True) if kind == "two_way" else centred


def naive_runs_part(scores, teams, kind):
    """The runs' part by leaving teams out of the scores, and loops."""
    n, m = scores.shape
    names = sorted(set(teams.tolist()))
    count = len(names)
    squares = residuals(scores, kind) ** 2
    total = squares.sum()
    logs = [math.log(KINDS[kind](scores[:, teams != name])) for name in names]
    jackknife = (count - 1) / count * sum((log - sum(logs) / count) ** 2 for log in logs)
    counted = 0.0
    for name in names:
        share = (teams == name).sum() / m
        u = (squares[:, teams == name].sum(axis=1) - share * squares.sum(axis=1)) / total
        counted += sum((u - sum(u) / n) ** 2)
    return max(0.0, jackknife - counted * n * count / ((n - 1) * (count - 1)))


def test_typed_example():
    parts = variance_parts(TYPED)
    assert (parts.topics, parts.runs, parts.clusters) == (5, 3, 3)
    assert parts.one_way.variance == pytest.approx(0.0723333, abs=5e-8)
    assert parts.two_way.variance == pytest.approx(0.0185, rel=1e-12)
    expected = [0.1764, 0.0164, 0.3284, 0.1544, 0.1924]
    assert parts.one_way.by_topic == pytest.approx(expected, rel=1e-12)
    assert parts.one_way.runs_part == 0
    assert (parts.one_way.dof, parts.two_way.dof) == (12, 8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_equals_the_residual_variances(kind, seed):
    scores, teams = random_case(seed)
    part = getattr(variance_parts(scores, teams), kind)
    expected = KINDS[kind](scores)
    dof = (scores.shape[1] - (kind == "two_way")) * (scores.shape[0] - 1)
    assert part.sum_of_squares == pytest.approx(expected * dof, rel=1e-12)
    assert part.variance == pytest.approx(expected, rel=1e-12)
    assert part.dof == dof
    by_topic = (residuals(scores, kind) ** 2).sum(axis=1)
    assert part.by_topic == pytest.approx(by_topic, rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clusters", [2, 3, 4, 9])
@pytest.mark.parametrize("seed", range(3))
def test_runs_part_equals_leaving_teams_out(kind, clusters, seed):
    scores, teams = random_case(seed, clusters=clusters)
    part = getattr(variance_parts(scores, teams), kind)
    assert part.runs_part == pytest.approx(naive_runs_part(scores, teams, kind), abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_runs_part_of_single_runs(kind):
    scores, _ = random_case(5, runs=6)
    # One run with much more variance than the others, so that the part is not 0.
    scores[:, 0] *= 3
    part = getattr(variance_parts(scores), kind)
    assert part.runs_part > 0.01
    expected = naive_runs_part(scores, np.arange(6), kind)
    assert part.runs_part == pytest.approx(expected, rel=1e-10)


def test_clusters_are_counted():
    scores, teams = random_case(6)
    assert variance_parts(scores, teams).clusters == 4
    assert variance_parts(scores[:, :1], ["a"]).two_way is None


@pytest.mark.parametrize("shape", [(7, 9), (300, 250)])
def test_teams_change_the_runs_parts_alone_to_the_last_digit(shape):
    scores, teams = random_case(11, *shape, clusters=6)
    alone, by_team = variance_parts(scores), variance_parts(scores, teams)
    for kind in KINDS:
        one, other = getattr(alone, kind), getattr(by_team, kind)
        assert (one.variance, one.sum_of_squares) == (other.variance, other.sum_of_squares)
        assert one.by_topic.tolist() == other.by_topic.tolist()


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sizes", [[1] * 300, [1, 299], [150, 3, 100, 40, 7], [60] * 5])
def test_matrices_larger_than_what_is_worked_on_at_once(kind, sizes):
    scores, _ = random_case(12, 200, 300)
    teams = np.random.default_rng(3).permutation(np.repeat(np.arange(len(sizes)), sizes))
    part = getattr(variance_parts(scores, teams), kind)
    assert part.variance == pytest.approx(KINDS[kind](scores), rel=1e-12)
    if kind == "one_way" or 299 not in sizes:
        assert part.runs_part == pytest.approx(naive_runs_part(scores, teams, kind), abs=1e-12)
    else:
        assert part.runs_part is None


def test_run_without_a_team_is_a_cluster():
    scores, _ = random_case(7, runs=5)
    with_none = variance_parts(scores, ["a", None, "a", None, 1])
    alone = variance_parts(scores, ["a", "b", "a", "c", "d"])
    assert with_none.clusters == 4
    assert with_none.one_way.runs_part == alone.one_way.runs_part


@given(st.integers(0, 10**6), st.randoms(use_true_random=False), st.floats(1e-6, 1e6))
def test_order_names_and_unit_change_nothing(seed, random, unit):
    scores, teams = random_case(seed)
    topic_order, run_order = list(range(7)), list(range(9))
    random.shuffle(topic_order)
    random.shuffle(run_order)
    before = variance_parts(scores, teams)
    shuffled = (scores * unit)[topic_order][:, run_order]
    after = variance_parts(shuffled, [f"team {team}" for team in teams[run_order]])
    for kind in KINDS:
        old, new = getattr(before, kind), getattr(after, kind)
        assert new.variance == pytest.approx(old.variance * unit**2, rel=1e-9)
        expected = old.by_topic[topic_order] * unit**2
        assert new.by_topic == pytest.approx(expected, rel=1e-7)
        assert new.runs_part == pytest.approx(old.runs_part, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("layout", ["C", "F"])
def test_memory_layout_is_nothing_to_it(layout):
    scores, teams = random_case(8)
    given_scores = np.array(scores, order=layout)
    parts = variance_parts(given_scores, teams)
    assert parts.one_way.runs_part == pytest.approx(variance_parts(scores, teams).one_way.runs_part)
    assert (given_scores == scores).all()


def test_runs_that_never_change():
    parts = variance_parts(np.tile([0.1, 0.2, 0.7], (4, 1)))
    assert (parts.one_way.variance, parts.one_way.runs_part) == (0.0, None)
    assert (parts.two_way.variance, parts.two_way.runs_part) == (0.0, None)
    assert parts.one_way.by_topic.tolist() == [0.0] * 4


def test_identical_runs_have_no_two_way_variance():
    parts = variance_parts(np.tile([[0.1], [0.2], [0.7]], (1, 3)))
    assert parts.one_way.variance == pytest.approx(np.var([0.1, 0.2, 0.7], ddof=1))
    assert parts.one_way.runs_part == 0
    assert (parts.two_way.variance, parts.two_way.runs_part) == (0.0, None)


@pytest.mark.parametrize(
    ("teams", "one_way_known", "two_way_known"),
    [
        ("aaaa", False, False),
        ("aaab", True, False),
        ("aabb", True, True),
        ("abcd", True, True),
    ],
)
def test_when_the_runs_part_is_not_known(teams, one_way_known, two_way_known):
    scores, _ = random_case(9, runs=4)
    parts = variance_parts(scores, list(teams))
    assert (parts.one_way.runs_part is not None) == one_way_known
    assert (parts.two_way.runs_part is not None) == two_way_known


def test_one_run():
    parts = variance_parts([[0.1], [0.2], [0.6]])
    assert (parts.two_way, parts.one_way.runs_part, parts.clusters) == (None, None, 1)
    assert parts.one_way.variance == pytest.approx(0.07)


def test_two_runs_have_no_two_way_runs_part():
    parts = variance_parts([[0.1, 0.3], [0.2, 0.1], [0.6, 0.8]])
    assert parts.two_way.runs_part is None
    assert parts.one_way.runs_part is not None


def test_one_team_with_all_the_variance():
    scores = np.full((5, 4), 0.5)
    scores[:, 0] = [0.1, 0.4, 0.2, 0.9, 0.8]
    assert variance_parts(scores).one_way.runs_part is None


@pytest.mark.parametrize("unit", [1e-90, 1e99])
def test_extreme_scores(unit):
    scores, teams = random_case(10)
    expected = variance_parts(scores, teams)
    parts = variance_parts(scores * unit, teams)
    assert parts.one_way.runs_part == pytest.approx(expected.one_way.runs_part, rel=1e-9)
    assert parts.two_way.runs_part == pytest.approx(expected.two_way.runs_part, rel=1e-9)


def test_wrong_input():
    with pytest.raises(ImpossibleStatisticError, match="at least 2 topics, not 1"):
        variance_parts([[0.1, 0.2]])
    with pytest.raises(ImpossibleStatisticError, match="one team for each of the 2 runs, not 3"):
        variance_parts([[0.1, 0.2], [0.3, 0.4]], ["a", "b", "c"])


@pytest.mark.parametrize("offset", [0.1, 1e3])
def test_runs_that_differ_by_the_same_on_every_topic_have_no_two_way_variance(offset):
    topics = np.round(np.random.default_rng(5).random((10, 1)), 2)
    parts = variance_parts(topics + np.array([[0, offset, 3 * offset]]))
    assert (parts.two_way.sum_of_squares, parts.two_way.variance) == (0.0, 0.0)
    assert not parts.two_way.by_topic.any()
    assert parts.two_way.runs_part is None
    assert parts.one_way.variance == pytest.approx(topics.var(ddof=1))
