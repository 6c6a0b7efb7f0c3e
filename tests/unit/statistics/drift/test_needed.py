"""What would decide, by putting the sizes back into the inequality."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from roundbook.statistics.drift.assessment import assess_drift
from roundbook.statistics.drift.jackknife import CrossedEstimate, VarianceParts
from roundbook.statistics.drift.units import RunsOfRound, unit_labels
from roundbook.statistics.drift.verdict import (
    Size,
    needed_for_sd_ratio,
    needed_for_shift,
    topics_suffice,
)

SIZE = Size(1.0, 56, 51, 30)


def estimate(corrected, topics, runs, both, dof_runs, size=SIZE):
    total = max(topics + runs - both, topics, runs)
    dof = total**2 / (topics**2 / (size.topics - 1) + runs**2 / dof_runs)
    return CrossedEstimate(corrected, VarianceParts(topics, runs, both, total, dof_runs, dof))


def naive_error(drift, size, g, h, *quantiles):
    v = drift.variance
    both = min(v.both, v.topics, v.runs)
    t, r = v.topics - both, v.runs - both
    squared = t / h + r / g + both / (g * h)
    by_topic, by_unit = (t + both / g) / h, (r + both / h) / g
    dof = squared**2 / (by_topic**2 / (h * size.topics - 1) + by_unit**2 / (g * v.dof_runs))
    return sum(stats.t.ppf(level, dof) for level in quantiles) * np.sqrt(squared)


DIRECTIONS = {"units": (1, 0), "topics": (0, 1), "both": (1, 1)}


def check(sizes, drift, room, quantiles, size=SIZE):
    for name, (units, topics) in DIRECTIONS.items():
        planned = getattr(sizes, name)

        def enough(factor, units=units, topics=topics):
            error = naive_error(drift, size, factor**units, factor**topics, *quantiles)
            return error <= room

        if planned is None:
            assert not enough(np.linspace(1, 20, 500)).any()
            continue
        assert 1 <= planned.factor <= 20
        assert enough(planned.factor * (1 + 1e-9))
        if planned.factor > 1:
            assert not enough(np.linspace(1, planned.factor * (1 - 1e-8), 100)).any()
        # A hair less, so that a whole number is not rounded up to the next.
        assert planned.units_from == math.ceil(planned.factor**units * size.units_from - 1e-6)
        assert planned.units_to == math.ceil(planned.factor**units * size.units_to - 1e-6)
        assert planned.topics == math.ceil(planned.factor**topics * size.topics - 1e-6)


VARIANCE = st.floats(1e-4, 0.05)


@given(
    corrected=st.floats(-1, 1),
    topics=VARIANCE,
    runs=VARIANCE,
    both=st.floats(0, 0.06),
    dof_runs=st.floats(1, 200),
    k=st.integers(5, 100),
)
def test_sizes_satisfy_the_inequality_and_smaller_ones_do_not(
    corrected, topics, runs, both, dof_runs, k
):
    assume(abs(abs(corrected) - 0.2) > 1e-6)
    size = Size(1.0, 9, 14, k)
    drift = estimate(corrected, topics, runs, both, dof_runs, size)
    needed = needed_for_shift(drift, 0.2, size)
    assert needed.if_unmoved.verdict == "held"
    check(needed.if_unmoved, drift, 0.2, (0.95, 0.90), size)
    if abs(corrected) <= 0.2:
        assert needed.if_as_measured.verdict == "held"
        check(needed.if_as_measured, drift, 0.2 - abs(corrected), (0.95, 0.80), size)
    else:
        assert needed.if_as_measured.verdict == "aged"
        check(needed.if_as_measured, drift, abs(corrected) - 0.2, (0.975, 0.80), size)
    assert needed.aged_from == pytest.approx(0.2 + naive_error(drift, size, 1, 1, 0.975, 0.80))
    low, high = drift.interval(0.90)
    assert needed.half_width_90 == pytest.approx((high - low) / 2)


def test_the_sd_ratio_is_planned_on_the_logarithm():
    drift = estimate(0.02, 0.003, 0.006, 0.0005, 40.0)
    needed = needed_for_sd_ratio(drift, 1.25, SIZE)
    on_log = needed_for_shift(drift, math.log(1.25), SIZE)
    assert needed.if_unmoved == on_log.if_unmoved
    assert needed.if_as_measured == on_log.if_as_measured
    assert needed.half_width_90 == pytest.approx(math.exp(on_log.half_width_90))
    assert needed.aged_from == pytest.approx(math.exp(on_log.aged_from))
    _, high = drift.interval(0.90)
    assert needed.half_width_90 == pytest.approx(math.exp(high) / math.exp(0.02))


def test_treccovid(covid):
    topics = [topic for topic in covid[1].topics if topic in covid[2].topics]
    units = unit_labels(RunsOfRound(covid[1].teams), RunsOfRound(covid[2].teams))
    needed = assess_drift(
        covid[1].on(topics), covid[2].on(topics), units.labels_from, units.labels_to
    ).needed.shift
    assert needed.half_width_90 == pytest.approx(0.22, abs=5e-3)
    assert needed.share_of_runs == pytest.approx(0.61, abs=5e-3)
    assert needed.if_unmoved.units is None
    assert needed.if_unmoved.topics is None
    assert math.ceil(10 * needed.if_unmoved.both.factor) == 38
    assert needed.if_as_measured.verdict == "aged"


def test_a_present_size_that_would_do_is_enough():
    needed = needed_for_shift(estimate(0.5, 1e-4, 1e-4, 1e-5, 40.0), 0.2, SIZE)
    for sizes in (needed.if_unmoved, needed.if_as_measured):
        for planned in (sizes.units, sizes.topics, sizes.both):
            assert (planned.factor, planned.units_from, planned.topics) == (1.0, 56, 30)


@pytest.mark.parametrize("factor", [2, 3, 7])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_whole_factor_is_not_rounded_up(factor, direction):
    drift = estimate(0.0, 0.01, 0.02, 0.001, 40.0)
    units, topics = (factor**power for power in DIRECTIONS[direction])
    margin = naive_error(drift, SIZE, units, topics, 0.95, 0.90)
    planned = getattr(needed_for_shift(drift, margin, SIZE).if_unmoved, direction)
    assert (planned.units_from, planned.units_to) == (56 * units, 51 * units)
    assert planned.topics == 30 * topics


def test_no_size_decides_a_drift_at_the_margin():
    needed = needed_for_shift(estimate(0.2, 0.01, 0.01, 0.001, 40.0), 0.2, SIZE)
    assert (needed.if_as_measured.units, needed.if_as_measured.both) == (None, None)


def test_where_nothing_varies():
    nothing = CrossedEstimate(0.0, VarianceParts(0.0, 1e-33, 0.0, 1e-33, 1.0, None))
    needed = needed_for_shift(nothing, 0.2, SIZE)
    assert (needed.half_width_90, needed.aged_from, needed.share_of_runs) == (0.0, 0.2, None)
    assert needed.if_unmoved.units.factor == 1.0


def test_topics_suffice_by_what_is_their_own():
    """V_T less V_I is the topics' own, and stays however many systems run again."""
    quantile = stats.t.ppf(0.95, 29) + stats.t.ppf(0.90, 29)
    for topics, runs, both, own in (
        (0.004, 0.01, 0.001, 0.003),
        (0.004, 0.01, 0.0, 0.004),
        # No more than there is, of either.
        (0.004, 0.002, 0.003, 0.002),
        (0.004, 0.01, 0.005, 0.0),
    ):
        variance = estimate(0.0, topics, runs, both, 40.0).variance
        enough = quantile * math.sqrt(own)
        assert topics_suffice(variance, 30, enough + 1e-9)
        assert not (own and topics_suffice(variance, 30, enough - 1e-9))
