"""Consequences of drift, against plain loops on TREC-COVID."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.score_files import read_covid, shared_topics

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.drift.shared_topics import drift_consequence
from roundbook.statistics.standardisation import fit_factors


@pytest.fixture(scope="module")
def bridges(shared):
    """Scores of round 3 on the topics of rounds 1 and 3, and both rounds' factors of them."""
    old, new = shared_topics(*read_covid(shared, 1, 3))
    before, after = fit_factors(old), fit_factors(new)
    return new, before.mean, before.sd, after.mean, after.sd


def naive(scores, mean, sd, a=0.15, b=0.5):
    cells, low, high = [], 0, 0
    for topic, row in enumerate(scores.tolist()):
        line = []
        for score in row:
            value = b if sd[topic] == 0 else a * (score - mean[topic]) / sd[topic] + b
            low += value < 0
            high += value > 1
            line.append(min(1.0, max(0.0, value)))
        cells.append(line)
    count = scores.size
    run_means = [sum(column) / len(column) for column in zip(*cells, strict=True)]
    squares = sum((line[i] - m) ** 2 for line in cells for i, m in enumerate(run_means))
    return {
        "mean": sum(map(sum, cells)) / count,
        "clipped_at_0": low / count,
        "clipped_at_1": high / count,
        "variance": squares / (len(run_means) * (len(cells) - 1)),
        "run_means": run_means,
    }


def assert_equals_naive(result, scores, factors):
    for side, mean, sd in ((result.earlier, *factors[:2]), (result.later, *factors[2:])):
        for name, expected in naive(scores, mean, sd).items():
            assert getattr(side, name) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_treccovid(bridges):
    scores, *factors = bridges
    result = drift_consequence(scores, factors[:2], factors[2:])
    assert (result.topics, result.runs) == (30, 79)
    assert_equals_naive(result, scores, factors)
    tau = stats.kendalltau(result.earlier.run_means, result.later.run_means).statistic
    assert result.kendall_tau == pytest.approx(tau, rel=1e-12)
    # A mean shift of 0.8984 first-round sds, at 0.15 a sd, less what was clipped.
    assert result.bias == pytest.approx(0.15 * 0.8984, abs=0.01)
    assert result.later.mean == pytest.approx(0.5, abs=0.002)
    assert result.earlier.mean - result.later.mean == result.bias


def test_factors_that_have_not_moved_have_no_consequence(bridges):
    scores, _, _, mean, sd = bridges
    result = drift_consequence(scores, (mean, sd), (mean, sd))
    assert (result.bias, result.kendall_tau) == (0.0, 1.0)
    assert result.earlier.variance == result.later.variance


@given(
    st.tuples(st.integers(2, 6), st.integers(1, 6)).flatmap(
        lambda shape: st.tuples(
            st.lists(
                st.lists(st.integers(0, 8), min_size=shape[1], max_size=shape[1]),
                min_size=shape[0],
                max_size=shape[0],
            ),
            st.lists(
                st.tuples(*[st.floats(0, 1), st.sampled_from([0.0, 0.03, 0.1, 0.3])] * 2),
                min_size=shape[0],
                max_size=shape[0],
            ),
        )
    )
)
def test_equals_plain_loops(case):
    scores, factors = np.array(case[0]) / 8, np.transpose(case[1])
    result = drift_consequence(scores, factors[:2], factors[2:])
    assert_equals_naive(result, scores, factors)
    if result.kendall_tau is None:
        assert result.runs == 1 or 0 in (
            np.ptp(result.earlier.run_means),
            np.ptp(result.later.run_means),
        )
    else:
        tau = stats.kendalltau(result.earlier.run_means, result.later.run_means).statistic
        assert result.kendall_tau == pytest.approx(tau, abs=1e-12)


def test_zero_sds_stand_at_b_or_are_dropped_from_both():
    scores = np.array([[0.1, 0.3], [0.2, 0.4], [0.5, 0.9]])
    factors = [0.2, 0.3, 0.7], [0.1, 0.0, 0.2], [0.2, 0.2, 0.2], [0.1, 0.1, 0.0]
    kept = drift_consequence(scores, factors[:2], factors[2:])
    assert kept.topics == 3
    assert kept.earlier.run_means.tolist() == pytest.approx([0.4, 0.6])
    dropped = drift_consequence(scores, factors[:2], factors[2:], zero_sd="drop")
    assert dropped.topics == 1
    assert dropped.earlier.run_means.tolist() == pytest.approx([0.35, 0.65])
    assert dropped.earlier.variance is None
    cut = [by_topic[1:] for by_topic in factors]
    with pytest.raises(ImpossibleStatisticError, match="a topic with an sd above 0 in both rounds"):
        drift_consequence(scores[1:], cut[:2], cut[2:], zero_sd="drop")


def test_clipping():
    scores = [[0.0, 0.1, 0.2, 0.9]]
    result = drift_consequence(scores, ([0.1], [0.1]), ([0.5], [0.1]))
    assert (result.earlier.clipped_at_0, result.earlier.clipped_at_1) == (0, 0.25)
    assert (result.later.clipped_at_0, result.later.clipped_at_1) == (0.5, 0.25)


@pytest.mark.parametrize("scores", [[[0.1], [0.2]], [[0.1, 0.1], [0.2, 0.2]]])
def test_runs_that_have_no_ranking_have_no_tau(scores):
    result = drift_consequence(scores, ([0.1, 0.2], [0.1, 0.1]), ([0.3, 0.1], [0.1, 0.1]))
    assert result.kendall_tau is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": np.empty((0, 2))}, "at least 1 topic"),
        ({"scores": [[0.1, np.nan]]}, "finite score"),
        ({"scores": [0.1]}, "matrix"),
        ({"earlier": ([0.1, 0.2], [0.1])}, "shapes"),
        ({"later": ([0.2], [-0.1])}, "not negative"),
        ({"later": ([np.inf], [0.1])}, "finite"),
        ({"zero_sd": "keep"}, "no zero-sd policy"),
    ],
)
def test_refused(change, message):
    case = {
        "scores": [[0.1, 0.2]],
        "earlier": ([0.1], [0.1]),
        "later": ([0.2], [0.1]),
    }
    with pytest.raises(ImpossibleStatisticError, match=message):
        drift_consequence(**case | change)
