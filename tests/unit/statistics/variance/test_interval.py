"""The interval of one variance: check values, formula, coverage and what has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.interval import variance_intervals, variance_quantile
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.rounds import StoredVariance, topic_influences

TYPED = [[0.1, 0.2, 0.3], [0.4, 0.3, 0.5], [0.9, 0.7, 0.6], [0.5, 0.6, 0.8], [0.2, 0.3, 0.1]]


def interval_of(entry, level=0.95):
    return variance_intervals([entry], level)[0]


def variance_interval(variance, by_topic, runs_part, level=0.95):
    squares = np.asarray(by_topic, dtype=float)
    entry = StoredVariance(variance, 1.0, 1, np.arange(squares.size), squares, runs_part)
    return interval_of(entry, level)


def limits(interval, digits=5):
    return [round(interval.low, digits), round(interval.high, digits)]


def test_typed_example():
    part = variance_parts(TYPED).one_way
    assert topic_influences([part.by_topic]).variances[0] ** 0.5 == pytest.approx(
        0.394858, abs=5e-7
    )
    interval = variance_interval(part.variance, part.by_topic, part.runs_part)
    assert limits(interval, 7) == [0.0194623, 1.0021169]
    assert (interval.of, interval.few_topics, interval.level) == ("systems", True, 0.95)
    assert (interval.reason, interval.upper_reason) == (None, None)


@pytest.mark.parametrize(
    ("number", "variance", "topic_sd", "team_sd", "teams", "topics_only", "runs"),
    [
        (1, 0.053106, 0.0994, 0.0561, (0.04217, 0.06882), (0.04338, 0.06643), (0.04289, 0.06738)),
        (2, 0.071378, 0.0894, 0.0300, (0.05903, 0.08798), None, None),
        (3, 0.071608, 0.1090, 0.0292, (0.05730, 0.09195), None, None),
    ],
)
def test_treccovid_one_way(
    treccovid, number, variance, topic_sd, team_sd, teams, topics_only, runs
):
    matrix = treccovid[number - 1]
    entry = matrix.variance("one_way")
    assert round(entry.variance, 6) == variance
    sd = topic_influences([entry.by_topic]).variances[0] ** 0.5
    assert round(float(sd), 4) == topic_sd
    assert round(entry.runs_part**0.5, 4) == team_sd
    assert limits(interval_of(entry)) == list(teams)
    if topics_only:
        these_runs = interval_of(replace(entry, runs_part=None))
        assert (limits(these_runs), these_runs.of) == (list(topics_only), "these runs")
    if runs:
        assert limits(interval_of(matrix.variance("one_way", teams=False))) == list(runs)


@pytest.mark.parametrize(
    ("number", "variance", "expected"),
    [
        (1, 0.033787, [0.03015, 0.03811]),
        (2, 0.033699, [0.02971, 0.03854]),
        (3, 0.030324, [0.02584, 0.03606]),
    ],
)
def test_treccovid_two_way(treccovid, number, variance, expected):
    entry = treccovid[number - 1].variance("two_way")
    assert round(entry.variance, 6) == variance
    assert limits(interval_of(entry)) == expected


@pytest.mark.parametrize(
    ("name", "kind", "variance", "expected"),
    [
        ("TREC-3", "one_way", 0.033562, [0.02429, 0.04929]),
        ("TREC-5", "one_way", 0.047248, [0.03047, 0.08264]),
        ("TREC-6", "one_way", 0.035725, [0.02655, 0.05056]),
        ("TREC-7", "one_way", 0.029401, [0.02018, 0.04664]),
        ("Robust 2003", "one_way", 0.040579, [0.03113, 0.05507]),
        ("601-650", "one_way", 0.047977, [0.03661, 0.06553]),
        ("TREC-3", "two_way", 0.010920, [0.00864, 0.01423]),
        ("TREC-5", "two_way", 0.015257, [0.01043, 0.02437]),
        ("TREC-6", "two_way", 0.020112, [0.01456, 0.02953]),
        ("TREC-7", "two_way", 0.012040, [0.00989, 0.01497]),
        ("Robust 2003", "two_way", 0.009828, [0.00807, 0.01223]),
        ("601-650", "two_way", 0.013172, [0.01059, 0.01681]),
    ],
)
def test_average_precision(adhoc, name, kind, variance, expected):
    entry = adhoc[name].variance(kind)
    assert round(entry.variance, 6) == variance
    assert limits(interval_of(entry)) == expected
    assert not interval_of(entry).few_topics


@given(st.floats(1e-6, 1), st.integers(3, 300), st.floats(0.55, 0.999))
def test_quantile_is_the_formula(spread, topics, probability):
    reach = stats.t.ppf(probability, (topics - 1) / 2) * spread**0.5 / 3
    high, low = 1 - spread / 9 - reach, 1 - spread / 9 + reach
    limit = float(variance_quantile(0.05, spread, topics, probability))
    if high > 0.1:
        assert limit == pytest.approx(0.05 * high**-3, rel=1e-7)
    else:
        assert np.isnan(limit)
    lower = float(variance_quantile(0.05, spread, topics, 1 - probability))
    assert lower == pytest.approx(0.05 * low**-3, rel=1e-7)
    assert not limit <= lower


def test_without_runs_part_it_is_of_these_runs():
    by_topic = np.random.default_rng(1).gamma(2, size=30)
    unknown = variance_interval(0.05, by_topic, None)
    assert unknown.of == "these runs"
    wider = variance_interval(0.05, by_topic, 0.02)
    assert wider.low < unknown.low < 0.05 < unknown.high < wider.high


def test_many_at_once():
    rng = np.random.default_rng(3)
    rounds = []
    for size, runs_part in ((2, 0.1), (30, 0.01), (5, None), (26, 0.0), (4, 0.02)):
        by_topic = rng.gamma(1, size=size)
        rounds.append(StoredVariance(by_topic.sum(), 1, 1, np.arange(size), by_topic, runs_part))
    together = variance_intervals(rounds, 0.9)
    assert together == [interval_of(entry, level=0.9) for entry in rounds]
    assert [interval.few_topics for interval in together] == [True, False, True, False, True]
    assert together[0].reason == together[0].upper_reason == "fewer_than_3_topics"


@given(st.integers(0, 10**6), st.floats(1e-12, 1e12), st.randoms(use_true_random=False))
def test_unit_and_order_of_topics(seed, unit, random):
    by_topic = np.random.default_rng(seed).gamma(2, size=8)
    order = list(range(8))
    random.shuffle(order)
    before = variance_interval(0.05, by_topic, 0.01)
    after = variance_interval(0.05 * unit, (by_topic * unit)[order], 0.01)
    assert after.low == pytest.approx(before.low * unit, rel=1e-9)
    assert (after.high is None) == (before.high is None)
    if before.high is not None:
        assert after.high == pytest.approx(before.high * unit, rel=1e-6)


@pytest.mark.parametrize(
    ("by_topic", "reason"),
    [
        ([1.0], "fewer_than_3_topics"),
        ([1.0, 1.0], "fewer_than_3_topics"),
        ([0.0] * 9, "no_variance"),
        ([9.0, 1.0, 1.0, 1.0], "one_topic"),
    ],
)
def test_no_interval(by_topic, reason):
    interval = variance_interval(0.05 if sum(by_topic) else 0.0, by_topic, 0.01)
    assert (interval.low, interval.high) == (None, None)
    assert (interval.reason, interval.upper_reason) == (reason, reason)


def test_no_upper_limit():
    interval = variance_interval(0.05, [1.0, 4.0, 2.0], 0.01)
    assert (interval.reason, interval.upper_reason) == (None, "unbounded")
    assert interval.high is None
    assert 0 < interval.low < 0.05


def test_one_topic_with_nearly_all_the_variance():
    # All but a millionth of what one topic of 50 can bear.
    by_topic = np.r_[49 - 1e-4, np.full(49, (1 + 1e-4) / 49)]
    interval = variance_interval(0.05, by_topic, None)
    assert interval.reason == interval.upper_reason == "too_uneven"
    assert (interval.low, interval.high) == (None, None)


@pytest.mark.parametrize("level", [0, 1, -0.5, float("nan")])
def test_wrong_level(level):
    with pytest.raises(ImpossibleStatisticError, match="level must be between 0 and 1"):
        variance_interval(0.05, [1.0, 2.0, 3.0], None, level)


@pytest.mark.parametrize(
    ("draws", "seed", "least", "most", "most_above"),
    [(250, 5, 0.91, 0.99, 0.07), pytest.param(1000, 4, 0.92, 0.97, 0.06, marks=pytest.mark.slow)],
)
def test_covers_as_often_as_it_says(draws, seed, least, most, most_above):
    # Normal run, topic and error effects, rho = .7: V_E = 1 in the population of both.
    rng = np.random.default_rng(seed)
    covered = above = 0
    for _ in range(draws):
        topic_effects = rng.normal(0, 0.7**0.5, (25, 1))
        scores = topic_effects + rng.normal(0, 0.3**0.5, (25, 30))
        part = variance_parts(scores).one_way
        interval = variance_interval(part.variance, part.by_topic, part.runs_part)
        covered += interval.low <= 1 <= interval.high
        above += interval.high < 1
    assert least <= covered / draws <= most
    assert above / draws <= most_above
