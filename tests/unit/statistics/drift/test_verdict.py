"""Verdicts of intervals that are placed at will."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from roundbook.statistics.drift.jackknife import CrossedEstimate, PerStatistic, VarianceParts
from roundbook.statistics.drift.verdict import judge

MARGINS = (0.2, 1.25)
DOF = 20.0
T = {level: stats.t.ppf((1 + level) / 2, DOF) for level in (0.9, 0.95, 0.975)}


def estimate(centre, reach, level):
    """An estimate whose interval at this level reaches so far to either side."""
    variance = (reach / T[level]) ** 2
    return CrossedEstimate(centre, VarianceParts(variance, 0, 0, variance, 1.0, DOF))


STEADY = estimate(0.0, 0.05, 0.9)


@pytest.mark.parametrize(
    ("shift", "alone"),
    [
        (estimate(0.05, 0.149, 0.9), "held"),
        (estimate(0.05, 0.151, 0.9), "undecided"),
        (estimate(-0.05, 0.151, 0.9), "undecided"),
        (estimate(0.5, 0.299, 0.95), "aged"),
        (estimate(-0.5, 0.299, 0.95), "aged"),
        (estimate(0.5, 0.301, 0.95), "undecided"),
    ],
)
def test_the_shift_against_its_margin(shift, alone):
    judgement = judge(PerStatistic(shift, STEADY), 0.0, *MARGINS)
    assert judgement.verdict == judgement.verdicts.shift == alone
    assert judgement.why == (None if alone == "held" else "shift")
    assert judgement.verdicts.sd_ratio == "held"


@pytest.mark.parametrize(
    ("log_ratio", "alone"),
    [
        (estimate(0.0, math.log(1.249), 0.9), "held"),
        (estimate(0.0, math.log(1.251), 0.9), "undecided"),
        (estimate(math.log(0.7), math.log(0.8 / 0.7) - 1e-3, 0.95), "aged"),
        (estimate(math.log(1.4), math.log(1.4 / 1.25) + 1e-3, 0.95), "undecided"),
    ],
)
def test_the_sd_ratio_against_its_margin(log_ratio, alone):
    judgement = judge(PerStatistic(STEADY, log_ratio), 0.0, *MARGINS)
    assert judgement.verdict == judgement.verdicts.sd_ratio == alone
    assert judgement.why == (None if alone == "held" else "sd ratio")


@pytest.mark.parametrize(
    ("shift", "log_ratio", "verdict", "why"),
    [
        (estimate(0.0, 9.0, 0.9), estimate(0.0, 9.0, 0.9), "undecided", "shift and sd ratio"),
        (estimate(0.9, 0.1, 0.9), estimate(0.9, 0.1, 0.9), "aged", "shift and sd ratio"),
        (estimate(0.9, 0.1, 0.9), estimate(0.0, 9.0, 0.9), "aged", "shift"),
        (estimate(0.0, 9.0, 0.9), estimate(-0.9, 0.1, 0.9), "aged", "sd ratio"),
    ],
)
def test_both(shift, log_ratio, verdict, why):
    judgement = judge(PerStatistic(shift, log_ratio), 0.0, *MARGINS)
    assert (judgement.verdict, judgement.why) == (verdict, why)


@pytest.mark.parametrize("mean_shift", [0.21, -0.21])
def test_topics_of_small_sd_prevent_held(mean_shift):
    judgement = judge(PerStatistic(STEADY, STEADY), mean_shift, *MARGINS)
    assert (judgement.verdict, judgement.why) == ("undecided", "topics of small sd")
    assert (judgement.verdicts.shift, judgement.verdicts.sd_ratio) == ("held", "held")
    assert judge(PerStatistic(STEADY, STEADY), 0.2, *MARGINS).verdict == "held"


@pytest.mark.parametrize(("reach", "moved"), [(0.099, True), (0.101, False)])
@pytest.mark.parametrize("centre", [0.1, -0.1])
def test_moved_is_a_test_over_both(reach, moved, centre):
    drift = estimate(centre, reach, 0.975)
    assert judge(PerStatistic(drift, STEADY), 0.0, *MARGINS).moved == moved
    assert judge(PerStatistic(STEADY, drift), 0.0, *MARGINS).moved == moved


def test_rounding_is_no_movement():
    point = CrossedEstimate(1e-15, VarianceParts(0.0, 0.0, 0.0, 1e-30, 1.0, None))
    assert not judge(PerStatistic(point, point), 0.0, *MARGINS).moved
