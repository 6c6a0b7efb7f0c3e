"""Kendall's tau and its published interval, against AIRS 2016, SciPy and naive counts."""

from __future__ import annotations

import csv
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.ranking import kendall_tau, published_interval, tau_b_of_pairs
from roundbook.statistics.standardisation import fit_factors, scale_scores
from roundbook.statistics.ties import run_means

# Few values, so that many tie.
RANKINGS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=15)


def naive_counts(first, second):
    """Concordant, discordant, tied in the first, tied in the second."""
    counts = [0, 0, 0, 0]
    for i, j in combinations(range(len(first)), 2):
        a, b = first[i] - first[j], second[i] - second[j]
        counts[0] += a * b > 0
        counts[1] += a * b < 0
        counts[2] += a == 0
        counts[3] += b == 0
    return counts


def test_tau_b_of_several_counts_at_once():
    """It is 0 where all pairs tie in one of the rankings, also of more pairs than fit in 64 bits."""
    taus = tau_b_of_pairs([3, -2, 0, 0, 2**40], [4, 4, 4, 0, 2**41], [9, 1, 0, 0, 2**41])
    assert taus.tolist() == [0.5, -1.0, 0.0, 0.0, 0.5]


def test_published_intervals(shared):
    with (shared / "reference/airs2016_table1.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 19
    for row in rows:
        low, high = published_interval(float(row["tau"]), int(row["runs"]))
        printed = (f"{float(row['tau_ci_low']):.3f}", f"{float(row['tau_ci_high']):.3f}")
        assert (f"{low:.3f}", f"{high:.3f}") == printed


def test_published_interval_rounds_tau_first():
    assert published_interval(0.97777, 14) == published_interval(0.978, 14)
    assert published_interval(1, 2)[1] == pytest.approx(1 + 1.96)


@pytest.mark.parametrize("draws", [600, pytest.param(3_000, marks=pytest.mark.slow)])
def test_published_standard_error_is_that_of_independent_rankings(draws):
    rng = np.random.default_rng(1)
    taus = [kendall_tau(*rng.random((2, 9))).tau_a for _ in range(draws)]
    # Three Monte Carlo errors of an sd, which are sd / sqrt(2 draws).
    error = 3 / np.sqrt(2 * draws)
    assert published_interval(0, 9)[1] / 1.96 == pytest.approx(np.std(taus), rel=error)


@given(RANKINGS)
def test_equals_naive_counts_and_scipy(ranking):
    first, second = (list(scores) for scores in zip(*ranking, strict=True))
    result = kendall_tau(first, second)
    counts = [result.concordant, result.discordant, result.tied_a, result.tied_b]
    assert counts == naive_counts(first, second)
    pairs = math.comb(len(ranking), 2)
    assert result.tau_a == (counts[0] - counts[1]) / pairs
    expected = stats.kendalltau(first, second, variant="b").statistic
    if result.tau_b is None:
        assert math.isnan(expected)
    else:
        assert result.tau_b == pytest.approx(expected, abs=1e-12)


@given(RANKINGS, st.randoms(use_true_random=False))
def test_order_direction_and_unit(ranking, random):
    before = kendall_tau(*zip(*ranking, strict=True))
    random.shuffle(ranking)
    first, second = np.transpose(ranking)
    assert kendall_tau(first, second).tau_a == before.tau_a
    assert kendall_tau(second, first).tau_b == before.tau_b
    assert kendall_tau(first, -second).tau_a == -before.tau_a
    assert kendall_tau(first * 0.3 - 7, np.exp(second)).tau_b == before.tau_b


@given(st.lists(st.integers(0, 5), min_size=2, max_size=15))
def test_identical_rankings(scores):
    result = kendall_tau(scores, scores)
    assert result.tau_b == (None if len(set(scores)) == 1 else 1.0)
    if len(set(scores)) == len(scores):
        assert result.tau_a == 1.0


def test_two_runs():
    assert kendall_tau([1, 2], [5, 3]).tau_b == -1
    assert kendall_tau([1, 2], [3, 3]).tau_b is None


@pytest.mark.parametrize("name", ["trec_adhoc7_ap", "trec_adhoc5_p10"])
def test_raw_against_standardised(shared, name):
    scores = read_scores(shared, name)
    factors = fit_factors(scores)
    standardised = scale_scores(scores, factors.mean, factors.sd, "std-ab")
    raw, scaled = run_means(scores), run_means(standardised)
    result = kendall_tau(raw, scaled)
    counts = [result.concordant, result.discordant, result.tied_a, result.tied_b]
    assert counts == naive_counts(raw.tolist(), scaled.tolist())
    assert result.tau_b == pytest.approx(stats.kendalltau(raw, scaled).statistic, abs=1e-12)
    assert 0.8 < result.tau_b < 1


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1], [1], "Kendall's tau needs at least 2 runs, and there are 1"),
        ([], [], "at least 2 runs"),
        ([1, 2], [1, 2, 3], r"shapes are \(2,\) and \(3,\)"),
        ([[1, 2]], [[1, 2]], "shapes"),
        ([1, np.nan], [1, 2], "nan at run index 1"),
        ([1, 2], [np.inf, 2], "inf at run index 0"),
        (["a", "b"], [1, 2], "numbers"),
    ],
)
def test_refused_rankings(first, second, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        kendall_tau(first, second)


@pytest.mark.parametrize(
    ("tau", "runs", "message"),
    [
        (1.1, 5, "between -1 and 1, not 1.1"),
        (math.nan, 5, "between -1 and 1"),
        (0.5, 1, "at least 2, not 1"),
        (0.5, 2.5, "whole"),
        (0.5, math.inf, "whole"),
        (0.5, math.nan, "whole"),
    ],
)
def test_refused_intervals(tau, runs, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        published_interval(tau, runs)
