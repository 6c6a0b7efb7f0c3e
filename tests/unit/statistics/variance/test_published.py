"""Intervals of published variances."""

from __future__ import annotations

import math

import numpy as np
import pytest

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.interval import variance_intervals
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import (
    Constants,
    StoredVariance,
    constants_for,
    own_constants,
    published_variance,
    topic_influences,
)


def published_interval(*arguments, level=0.95, **options):
    return variance_intervals([published_variance(*arguments, **options)], level)[0]


def stored(seed, topics, runs, runs_part):
    by_topic = np.random.default_rng(seed).gamma(2, size=topics)
    return StoredVariance(0.05, 1.0, runs, np.arange(topics), by_topic, runs_part)


@pytest.mark.parametrize(
    ("family", "expected", "source"),
    [
        ("AP", [0.03539, 0.07580], "default for AP"),
        ("P", [0.03972, 0.06482], "default for P@k"),
        ("Success", [0.03335, 0.08289], "default for other measures"),
    ],
)
def test_check_values(family, expected, source):
    constants = constants_for(family)
    interval = published_interval(0.05, 50, 20, constants)
    assert [round(interval.low, 5), round(interval.high, 5)] == expected
    assert constants.source == source
    assert (interval.of, interval.few_topics) == ("systems", False)


@pytest.mark.parametrize(
    ("family", "topic_constant", "runs_constant"),
    [
        ("map", 1.3, 0.15),
        ("nDCG", 0.9, 0.10),
        ("MSnDCG", 0.9, 0.10),
        ("Q", 0.9, 0.10),
        ("Precision", 0.45, 0.10),
        ("nERR", 1.3, 0.10),
        ("RBP", 2.0, 0.15),
    ],
)
def test_defaults(family, topic_constant, runs_constant):
    constants = constants_for(family)
    assert (constants.topic_constant, constants.runs_constant) == (topic_constant, runs_constant)


def test_own_constants():
    rounds = [stored(1, 20, 10, 0.01), stored(2, 50, 30, None), stored(3, 40, 20, 0.004)]
    unusable = StoredVariance(0.0, 1.0, 5, np.arange(6), np.zeros(6), 0.5)
    own = own_constants([*rounds, unusable])
    spreads = topic_influences([entry.by_topic for entry in rounds]).variances
    expected = (np.array([400, 2500, 1600]) * spreads).sum() / 110
    assert own.topic_constant == pytest.approx(expected, rel=1e-12)
    assert own.runs_constant == pytest.approx((0.1 + 0.08) / 2, rel=1e-12)
    assert own.source == "own matrices"
    assert constants_for("AP", own, standardised=True) is own
    assert own_constants([unusable]) is None
    assert own_constants([]) is None
    assert own_constants([rounds[1]]).runs_constant is None


def test_without_a_runs_constant_it_is_of_these_runs():
    interval = published_interval(0.05, 50, 20, Constants(1.3, None, "own matrices"))
    assert interval.of == "these runs"
    wider = published_interval(0.05, 50, 20, constants_for("AP"))
    assert wider.low < interval.low < interval.high < wider.high


def test_teams_widen_it():
    by_run = published_interval(0.05, 50, 20, constants_for("AP"))
    by_team = published_interval(0.05, 50, 20, constants_for("AP"), teams=5)
    assert by_team.low < by_run.low < by_run.high < by_team.high
    entry = published_variance(0.05, 50, 20, constants_for("AP"), teams=5, weight=980)
    assert (entry.runs_part, entry.weight) == (0.03, 980)
    assert entry.topic_variance == pytest.approx(0.026)


@pytest.mark.parametrize(
    ("variance", "topics", "runs", "constants", "reason"),
    [
        (0.05, 9, 20, constants_for("AP"), "fewer_than_10_topics"),
        (0.05, 50, 20, constants_for("AP", standardised=True), "standardised"),
    ],
)
def test_refusals(variance, topics, runs, constants, reason):
    interval = published_interval(variance, topics, runs, constants)
    assert (interval.low, interval.high) == (None, None)
    assert (interval.reason, interval.upper_reason) == (reason, reason)
    entry = published_variance(variance, topics, runs, constants, weight=100)
    pooled = pool([stored(4, 30, 10, 0.01), entry])
    assert pooled.variance == pytest.approx((0.05 + 100 * variance) / 101)
    assert pooled.interval.reason == reason
    assert pooled.homogeneity.reason == reason
    assert math.isnan(entry.topic_variance)


def test_ten_topics_are_few():
    interval = published_interval(0.05, 10, 20, constants_for("AP"))
    assert interval.few_topics
    assert interval.low < 0.05 < interval.high


def test_wrong_level():
    with pytest.raises(ImpossibleStatisticError, match="level must be between 0 and 1"):
        published_interval(0.05, 50, 20, constants_for("AP"), level=95)
