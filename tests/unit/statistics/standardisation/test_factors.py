"""Standardisation factors and scales, against published factors and plain loops."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.unit.statistics.score_files import read_file

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.standardisation import (
    SCALES,
    fit_factors,
    scale_scores,
    standardise,
    std_ab,
    std_cdf,
)

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=8),
    elements=st.integers(0, 10_000).map(lambda number: number / 10_000),
)


def read_published(path):
    with path.open(newline="") as file:
        return {int(row[""]): float(row["AP"]) for row in csv.DictReader(file)}


def naive_factors(row):
    mean = sum(row) / len(row)
    return mean, math.sqrt(sum((score - mean) ** 2 for score in row) / (len(row) - 1))


def naive_phi(value):
    return math.erfc(-value / math.sqrt(2)) / 2


@pytest.mark.parametrize(
    ("matrix", "published"),
    [
        ("trec_adhoc3_ap", "trec3.adhoc"),
        ("trec_adhoc5_ap", "trec5.adhoc"),
        ("trec_adhoc7_ap", "trec7.adhoc"),
        ("trec_robust2003_ap", "trec2003.rob"),
    ],
)
def test_published_factors(shared, matrix, published):
    table = read_file(shared, matrix)
    topics, scores = list(map(int, table.topics)), table.scores
    means = read_published(shared / f"data/factors/{published}.mn.csv")
    sds = read_published(shared / f"data/factors/{published}.sd.csv")
    assert set(means) == set(topics)
    factors = fit_factors(scores)
    np.testing.assert_allclose(factors.mean, [means[topic] for topic in topics], atol=1e-9, rtol=0)
    np.testing.assert_allclose(factors.sd, [sds[topic] for topic in topics], atol=1e-9, rtol=0)
    assert factors.runs == scores.shape[1]


def test_trec5_topic_267_ties(shared):
    table = read_file(shared, "trec_adhoc5_p10")
    topics, scores = list(map(int, table.topics)), table.scores
    factors = fit_factors(scores)
    assert [topics[index] for index in np.flatnonzero(factors.sd == 0)] == [267]
    tied = topics.index(267)
    for scale, centre in zip(SCALES, (0.0, 0.5, 0.5), strict=True):
        averaged = scale_scores(scores, factors.mean, factors.sd, scale)
        assert (averaged[tied] == centre).all()
        assert np.isfinite(averaged).all()
    averaged = standardise(scores, factors.mean, factors.sd)
    dropped = standardise(scores, factors.mean, factors.sd, "drop")
    assert np.isnan(dropped[tied]).all()
    np.testing.assert_array_equal(
        np.delete(dropped, tied, axis=0), np.delete(averaged, tied, axis=0)
    )
    assert np.isnan(std_ab(dropped)[tied]).all()
    assert np.isnan(std_cdf(dropped)[tied]).all()


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3, -0.3, 0.0])
@pytest.mark.parametrize("runs", [2, 3, 10, 143])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_tie_has_exactly_no_sd(value, runs, order):
    factors = fit_factors(np.full((3, runs), value, order=order))
    assert factors.sd.tolist() == [0.0] * 3
    assert factors.mean.tolist() == [value] * 3


@given(MATRICES)
def test_factors_equal_plain_loops(scores):
    factors = fit_factors(scores)
    for row, mean, sd in zip(scores.tolist(), factors.mean, factors.sd, strict=True):
        expected_mean, expected_sd = naive_factors(row)
        assert mean == pytest.approx(expected_mean, abs=1e-13)
        assert sd == pytest.approx(expected_sd, rel=1e-10, abs=1e-15)
        assert (sd == 0) == (len(set(row)) == 1)


@given(MATRICES)
def test_standardised_topics_have_mean_0_and_sd_1(scores):
    factors = fit_factors(scores)
    assume((factors.sd > 0).any())
    std = standardise(scores, factors.mean, factors.sd)[factors.sd > 0]
    np.testing.assert_allclose(std.mean(axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(std.std(axis=1, ddof=1), 1, rtol=1e-9)


@given(MATRICES, st.floats(0.1, 10), st.floats(-5, 5))
def test_std_forgets_the_unit_of_the_measure(scores, slope, offset):
    plain, moved = fit_factors(scores), fit_factors(scores * slope + offset)
    usable = plain.sd > 0
    assume(usable.any())
    expected = standardise(scores, plain.mean, plain.sd)[usable]
    result = standardise(scores * slope + offset, moved.mean, moved.sd)[usable]
    np.testing.assert_allclose(result, expected, atol=1e-8)


@given(MATRICES)
def test_scales_equal_plain_loops(scores):
    factors = fit_factors(scores)
    scaled = {
        scale: scale_scores(scores, factors.mean, factors.sd, scale, a=0.2, b=0.4)
        for scale in SCALES
    }
    for (topic, run), score in np.ndenumerate(scores):
        sd = factors.sd[topic]
        std = (score - factors.mean[topic]) / sd if sd > 0 else 0.0
        assert scaled["std"][topic, run] == pytest.approx(std, rel=1e-12, abs=1e-15)
        assert scaled["std-cdf"][topic, run] == pytest.approx(naive_phi(std), abs=1e-14)
        clipped = min(1.0, max(0.0, 0.2 * std + 0.4))
        assert scaled["std-ab"][topic, run] == pytest.approx(clipped, abs=1e-14)


def test_only_standardising_runs_count():
    scores = np.array([[0.1, 0.3, 0.9], [0.2, 0.2, 0.9]])
    factors = fit_factors(scores, [True, True, False])
    assert factors.runs == 2
    assert factors.mean.tolist() == pytest.approx([0.2, 0.2])
    assert factors.sd.tolist() == [pytest.approx(0.1 * math.sqrt(2)), 0.0]


def test_a_new_run_on_a_tied_topic_is_average_too():
    assert standardise([[0.9, 0.1]], [0.1], [0.0]).tolist() == [[0.0, 0.0]]


def test_std_ab_clips_and_keeps_nan():
    std = np.array([[-4.0, -1.0, 0.0, 1.0, 4.0, np.nan]])
    expected = [[0.0, 0.35, 0.5, 0.65, 1.0, np.nan]]
    np.testing.assert_allclose(std_ab(std), expected, atol=1e-15)
    assert std[0, 0] == -4.0


def test_std_cdf_keeps_nan():
    result = std_cdf([[0.0, 1.959963984540054, np.nan]])
    np.testing.assert_allclose(result, [[0.5, 0.975, np.nan]], atol=1e-14)


def test_a_transposed_view_gives_the_same_in_its_own_layout():
    by_run = np.random.default_rng(3).random((40, 30))
    view, copy = by_run.T, np.ascontiguousarray(by_run.T)
    factors = fit_factors(copy)
    np.testing.assert_allclose(fit_factors(view).sd, factors.sd, rtol=1e-12)
    for scale in SCALES:
        result = scale_scores(view, factors.mean, factors.sd, scale)
        assert result.flags.f_contiguous
        np.testing.assert_array_equal(result, scale_scores(copy, factors.mean, factors.sd, scale))


@pytest.mark.parametrize(
    ("scores", "mask", "message"),
    [
        ([[0.1]], None, "standardisation factor needs at least 2 standardising runs.* are 1"),
        ([[0.1, 0.2]], [True, False], "at least 2 standardising runs, and there are 1"),
        ([[0.1, 0.2]], [False, False], "there are 0"),
        ([[0.1, 0.2]], [True], "one true or false for each of the 2 runs"),
        ([[0.1, 0.2]], [0, 1], "true or false"),
        ([[0.1, np.nan]], None, "finite score in every cell"),
        (np.empty((0, 3)), None, "at least 1 topic"),
    ],
)
def test_refused_factors(scores, mask, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        fit_factors(scores, mask)


@pytest.mark.parametrize(
    ("mean", "sd", "zero_sd", "message"),
    [
        ([0.1, 0.2], [1.0], "average", "one mean and one sd"),
        ([0.1], [1.0, 1.0], "average", "one mean and one sd"),
        ([0.1], [-1.0], "average", "not negative"),
        ([0.1], [np.nan], "average", "finite"),
        ([np.inf], [1.0], "average", "finite"),
        ([0.1], [1.0], "zero", "no zero-sd policy 'zero'"),
    ],
)
def test_refused_scaling(mean, sd, zero_sd, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        standardise([[0.1, 0.2]], mean, sd, zero_sd)


def test_unknown_scale():
    with pytest.raises(ImpossibleStatisticError, match="no scale 'z'"):
        scale_scores([[0.1, 0.2]], [0.1], [1.0], "z")
