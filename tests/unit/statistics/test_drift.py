"""Drift of factors, against TREC-COVID and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from service.errors import ImpossibleStatistic
from service.statistics.drift import factor_drift
from service.statistics.standardisation import fit_factors

FACTOR = st.tuples(st.floats(0, 1), st.floats(0.01, 0.5), st.floats(0, 1), st.floats(0.01, 0.5))


def covid_factors(shared, number):
    table = np.genfromtxt(
        shared / f"data/treccovid/treccovid_round{number}_ndcg10.csv",
        delimiter=",",
        skip_header=1,
    )
    factors = fit_factors(table[:, 1:])
    topics = table[:, 0].astype(int).tolist()
    return dict(zip(topics, zip(factors.mean, factors.sd, strict=True), strict=True))


def covid_drift(shared, old, new):
    first, latest = covid_factors(shared, old), covid_factors(shared, new)
    bridges = [topic for topic in first if topic in latest]
    return factor_drift(*np.transpose([(*first[topic], *latest[topic]) for topic in bridges]))


def naive_interval(values, level):
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / (len(values) - 1)
    half = stats.t.ppf((1 + level) / 2, len(values) - 1) * math.sqrt(variance / len(values))
    return mean - half, mean + half


def spread(centre, half_90, count=16):
    """Values with this mean whose 90% t interval reaches half_90 to either side."""
    pattern = np.resize([1.0, -1.0], count)
    scale = half_90 / (stats.t.ppf(0.95, count - 1) * np.std(pattern, ddof=1) / math.sqrt(count))
    return centre + scale * pattern


def drift_of(shifts, ratios=1.0, **margins):
    shifts = np.asarray(shifts, dtype=float)
    return factor_drift(
        np.zeros(shifts.size),
        np.ones(shifts.size),
        shifts,
        np.broadcast_to(ratios, shifts.shape),
        **margins,
    )


@pytest.mark.parametrize(("new", "mean_shift", "moved"), [(2, 0.4533, 0.12), (3, 0.8984, 0.21)])
def test_treccovid(shared, new, mean_shift, moved):
    drift = covid_drift(shared, 1, new)
    assert (drift.topics, drift.shift_topics, drift.sd_ratio_topics) == (30, 30, 30)
    assert drift.mean_shift == pytest.approx(mean_shift, abs=5e-5)
    assert np.mean(drift.mean_to - drift.mean_from) == pytest.approx(moved, abs=5e-3)
    assert drift.mean_shift_95 == pytest.approx(naive_interval(drift.shifts.tolist(), 0.95))
    if new == 3:
        assert drift.verdict == "aged"


def test_no_time_passed(shared):
    drift = covid_drift(shared, 1, 1)
    assert drift.verdict == "held"
    assert (drift.mean_shift, drift.sd_ratio) == (0.0, 1.0)
    assert drift.mean_shift_90 == drift.mean_shift_95 == (0.0, 0.0)
    assert drift.sd_ratio_90 == drift.sd_ratio_95 == (1.0, 1.0)


@given(st.lists(FACTOR, min_size=2, max_size=12))
def test_equals_plain_loops(factors):
    drift = factor_drift(*np.transpose(factors))
    shifts = [(new - old) / sd for old, sd, new, _ in factors]
    logs = [math.log(new / old) for _, old, _, new in factors]
    assert drift.shifts.tolist() == shifts
    assert drift.mean_shift == pytest.approx(sum(shifts) / len(shifts), abs=1e-10)
    assert drift.sd_ratio == pytest.approx(math.exp(sum(logs) / len(logs)), rel=1e-10)
    # Nearly equal values: the plain loop's own rounding shows in its tiny spread.
    assert drift.mean_shift_90 == pytest.approx(naive_interval(shifts, 0.90), abs=1e-6)
    assert drift.mean_shift_95 == pytest.approx(naive_interval(shifts, 0.95), abs=1e-6)
    for found, level in ((drift.sd_ratio_90, 0.90), (drift.sd_ratio_95, 0.95)):
        assert np.log(found) == pytest.approx(naive_interval(logs, level), abs=1e-6)


@given(st.lists(FACTOR, min_size=0, max_size=12), st.randoms(use_true_random=False))
def test_order_of_topics_is_nothing_to_it(factors, random):
    before = factor_drift(*np.reshape(factors, (-1, 4)).T)
    random.shuffle(factors)
    after = factor_drift(*np.reshape(factors, (-1, 4)).T)
    assert after.mean_shift == (
        None if before.mean_shift is None else pytest.approx(before.mean_shift, abs=1e-9)
    )


@pytest.mark.parametrize(
    ("centre", "half_90", "verdict"),
    [
        (0.0, 0.19, "held"),
        (0.0, 0.21, "undecided"),
        (0.1, 0.09, "held"),
        (-0.1, 0.11, "undecided"),
        (0.2, 0.01, "undecided"),
        (0.3, 0.05, "aged"),
        (-0.3, 0.05, "aged"),
        # The 90% interval is outside the margin and the 95% one reaches in.
        (0.3, 0.095, "undecided"),
    ],
)
def test_verdict_on_the_shift(centre, half_90, verdict):
    drift = drift_of(spread(centre, half_90))
    assert drift.mean_shift_90 == pytest.approx((centre - half_90, centre + half_90))
    assert drift.verdict == verdict


@pytest.mark.parametrize(
    ("ratio", "half_90", "verdict"),
    [
        (1.0, 0.2, "held"),
        (1.0, 0.23, "undecided"),
        (1.2, 0.03, "held"),
        (1.2, 0.05, "undecided"),
        (1.4, 0.05, "aged"),
        (1 / 1.4, 0.05, "aged"),
        (1 / 1.2, 0.03, "held"),
    ],
)
def test_verdict_on_the_sd_ratio(ratio, half_90, verdict):
    drift = drift_of(np.zeros(16), np.exp(spread(math.log(ratio), half_90)))
    assert drift.sd_ratio == pytest.approx(ratio)
    assert np.log(drift.sd_ratio_90) == pytest.approx(
        (math.log(ratio) - half_90, math.log(ratio) + half_90)
    )
    assert drift.verdict == verdict


def test_margins_are_the_callers():
    shifts = spread(0.3, 0.05)
    assert drift_of(shifts, margin=0.4).verdict == "held"
    assert drift_of(np.zeros(16), 1.4).verdict == "aged"
    drift = drift_of(np.zeros(16), 1.4, sd_ratio_margin=1.5)
    assert (drift.verdict, drift.margin, drift.sd_ratio_margin) == ("held", 0.2, 1.5)


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3])
@pytest.mark.parametrize("topics", [2, 3, 7, 30])
def test_equal_shifts_have_the_very_value_as_interval(value, topics):
    drift = drift_of(np.full(topics, value))
    assert drift.mean_shift_90 == drift.mean_shift_95 == (value, value)
    assert drift.mean_shift == value
    assert drift.verdict == ("held" if value < 0.2 else "aged")


def test_no_bridge_at_all():
    drift = factor_drift([], [], [], [])
    assert (drift.verdict, drift.topics) == ("unbridged", 0)
    summaries = (drift.mean_shift, drift.mean_shift_90, drift.mean_shift_95)
    assert summaries == (None, None, None)
    assert (drift.sd_ratio, drift.sd_ratio_90, drift.sd_ratio_95) == (None, None, None)


def test_bridges_without_first_round_spread_bridge_nothing():
    drift = factor_drift([0.1, 0.2], [0, 0], [0.1, 0.2], [0.1, 0.1])
    assert (drift.verdict, drift.topics, drift.shift_topics) == ("unbridged", 2, 0)
    assert np.isnan(drift.shifts).all()
    assert np.isnan(drift.sd_ratios).all()


def test_one_bridge_decides_nothing():
    drift = factor_drift([0.1], [0.1], [0.9], [0.2])
    assert drift.verdict == "undecided"
    assert drift.mean_shift == pytest.approx(8)
    assert drift.sd_ratio == pytest.approx(2)
    assert drift.mean_shift_90 is drift.mean_shift_95 is None
    assert drift.sd_ratio_90 is drift.sd_ratio_95 is None


def test_topics_without_spread_are_left_out_of_what_they_cannot_tell():
    drift = factor_drift(
        [0.1, 0.2, 0.3, 0.4], [0.1, 0, 0.1, 0.1], [0.2, 0.9, 0.4, 0.5], [0.1, 0.1, 0, 0.2]
    )
    assert drift.shift_defined.tolist() == [True, False, True, True]
    assert drift.sd_ratio_defined.tolist() == [True, False, False, True]
    assert (drift.topics, drift.shift_topics, drift.sd_ratio_topics) == (4, 3, 2)
    np.testing.assert_allclose(drift.shifts, [1, np.nan, 1, 1])
    np.testing.assert_allclose(drift.sd_ratios, [1, np.nan, 0, 2])
    assert drift.mean_shift == pytest.approx(1)
    assert drift.sd_ratio == pytest.approx(math.sqrt(2))


def test_without_sd_ratios_factors_may_have_aged_but_not_held():
    assert drift_of([0.0, 0.0, 0.0], 0.0).verdict == "undecided"
    assert drift_of([0.5, 0.5, 0.5], 0.0).verdict == "aged"


def test_wildly_different_ratios_have_an_endless_interval():
    drift = drift_of([0.0, 0.0], [1e-150, 1e150])
    assert drift.sd_ratio_95 == (0.0, math.inf)
    assert drift.verdict == "undecided"


@pytest.mark.parametrize(
    ("factors", "margins", "message"),
    [
        (([0.1], [0.1], [0.1], [0.1, 0.2]), {}, r"shapes \(1,\), \(1,\), \(1,\), \(2,\)"),
        (([[0.1]], [[0.1]], [[0.1]], [[0.1]]), {}, "shapes"),
        (([np.nan], [0.1], [0.1], [0.1]), {}, "finite"),
        (([0.1], [0.1], [0.1], [np.inf]), {}, "finite"),
        (([0.1], [-0.1], [0.1], [0.1]), {}, "not negative"),
        (([0.1], [0.1], [0.1], [-0.1]), {}, "not negative"),
        (([0.1], [0.1], [0.1], [0.1]), {"margin": 0}, "margin of the mean shift"),
        (([0.1], [0.1], [0.1], [0.1]), {"margin": math.nan}, "margin of the mean shift"),
        (([0.1], [0.1], [0.1], [0.1]), {"sd_ratio_margin": 1}, "margin of the sd ratio"),
        (([0.1], [0.1], [0.1], [0.1]), {"sd_ratio_margin": math.inf}, "margin of the sd ratio"),
    ],
)
def test_refused(factors, margins, message):
    with pytest.raises(ImpossibleStatistic, match=message):
        factor_drift(*factors, **margins)
