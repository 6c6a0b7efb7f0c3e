"""Expected widths of intervals and the topics they take, against published values and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from service.errors import ImpossibleStatistic
from service.statistics.design_input import MOST_TOPICS
from service.statistics.interval_width import (
    expected_sd,
    paired_unit_width,
    two_sample_unit_width,
)
from service.statistics.width_topics import paired_width_topics, two_sample_width_topics

WIDTHS = [0.05, 0.1, 0.15, 0.2, 0.3]
SIZES = {"paired": paired_width_topics, "two-sample": two_sample_width_topics}
UNITS = {"paired": paired_unit_width, "two-sample": two_sample_unit_width}
# Variances of which the interval's own variance is a multiple.
RESIDUALS = {"paired": 2, "two-sample": 1}


def test_check_values():
    paired = [617, 156, 71, 41, 20]
    assert paired_width_topics(WIDTHS, variance_diff=0.1).topics.tolist() == paired
    assert paired_width_topics(WIDTHS, 0.05).topics.tolist() == paired
    assert two_sample_width_topics(WIDTHS, 0.05).topics.tolist() == [616, 155, 70, 40, 19]


@pytest.mark.parametrize("dof", [1, 2, 3, 9, 99, 999, 1_000, 1_001, 100_000, 20_000_000])
def test_expected_sd_is_the_mean_of_chi(dof):
    found = float(expected_sd(np.array(float(dof))))
    # By the recurrence G(phi) G(phi + 1) = sqrt(phi / (phi + 1)) where gamma functions lose digits.
    after = float(expected_sd(np.array(dof + 1.0)))
    assert found * after == pytest.approx(np.sqrt(dof / (dof + 1)), rel=1e-12)
    if dof < 1e5:
        assert found == pytest.approx(stats.chi.mean(dof) / np.sqrt(dof), rel=1e-10)


@pytest.mark.parametrize(("design", "n"), [("paired", 2), ("paired", 12), ("two-sample", 7)])
def test_widths_by_simulation(design, n):
    rng = np.random.default_rng(n)
    trials = 100_000
    one, other = rng.normal(size=(2, trials, n))
    if design == "paired":
        sd = one.std(axis=1, ddof=1)
        widths = 2 * stats.t.isf(0.025, n - 1) * sd / np.sqrt(n)
    else:
        sd = np.sqrt((one.var(axis=1, ddof=1) + other.var(axis=1, ddof=1)) / 2)
        widths = 2 * stats.t.isf(0.025, 2 * n - 2) * sd * np.sqrt(2 / n)
    error = widths.std() / np.sqrt(trials)
    assert float(UNITS[design](n)) == pytest.approx(widths.mean(), abs=4 * error)


@pytest.mark.parametrize("design", SIZES)
def test_sizes_equal_a_scan_from_two_upwards(design):
    rng = np.random.default_rng(8)
    width, alpha = 10 ** rng.uniform(-0.7, 1, 2_000), 10 ** rng.uniform(-6, -0.01, 2_000)
    found = SIZES[design](width, 0.5, alpha)
    scanned = np.arange(2, 301)
    sd = np.sqrt(0.5 * RESIDUALS[design])
    enough = UNITS[design](scanned[:, None], alpha) * sd <= width
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 301)
    assert (first <= 300).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(found.topics, 301), first)
    assert (found.expected_width <= width * (1 + 1e-14)).all()
    np.testing.assert_allclose(found.expected_width, UNITS[design](found.topics, alpha) * sd)


@settings(deadline=None)
@given(
    design=st.sampled_from(sorted(SIZES)),
    width=st.floats(0.01, 1),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
)
def test_sizes_fall_with_width_and_rise_with_variance_and_confidence(
    design, width, variance, factor
):
    size = SIZES[design](width, variance).topics
    assert SIZES[design](width * factor, variance).topics <= size
    assert SIZES[design](width, variance * factor).topics >= size
    assert SIZES[design](width, variance, 0.05 / factor).topics >= size


def test_arguments_broadcast_and_are_echoed():
    found = two_sample_width_topics([[0.1], [0.2]], [0.03, 0.05, 0.07], 0.1)
    assert found.topics.shape == found.expected_width.shape == (2, 3)
    assert found.width[:, 0].tolist() == [0.1, 0.2]
    assert found.variance[0].tolist() == [0.03, 0.05, 0.07]
    assert set(found.alpha.flat) == {0.1}
    assert paired_width_topics(0.1, 0.05).variance == 0.1


@pytest.mark.parametrize("design", SIZES)
def test_the_largest_plan_and_one_beyond(design):
    limit = float(UNITS[design](MOST_TOPICS)) * np.sqrt(0.05 * RESIDUALS[design])
    assert SIZES[design](limit * 1.0000001, 0.05).topics <= MOST_TOPICS
    with pytest.raises(ImpossibleStatistic, match=r"width .* more than 10,000,000 topics"):
        SIZES[design]([0.1, limit * 0.999999], 0.05)
    with pytest.raises(ImpossibleStatistic, match="more than 10,000,000 topics"):
        SIZES[design](1e-300, 1e300)
    assert SIZES[design](1e300, 1e-300).topics == 2


@pytest.mark.parametrize("design", SIZES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 0}, "interval width must be positive and finite, not 0"),
        ({"width": np.nan}, "interval width"),
        ({"width": "some"}, "numbers"),
        ({"variance": 0}, "variance must be positive and finite, not 0"),
        ({"variance": -1}, "variance must be positive and finite, not -1"),
        ({"variance": np.inf}, "variance"),
        ({"alpha": 0}, "Alpha must be between 0 and 1"),
        ({"alpha": 1}, "Alpha"),
    ],
)
def test_refused(design, change, message):
    with pytest.raises(ImpossibleStatistic, match=message):
        SIZES[design](**{"width": 0.1, "variance": 0.05} | change)


@pytest.mark.parametrize("topics", [1, 2.5, np.nan, np.inf])
def test_refused_topics(topics):
    for unit in UNITS.values():
        with pytest.raises(ImpossibleStatistic, match="topic set size must be a whole number"):
            unit(topics)


def test_a_paired_interval_needs_a_variance():
    with pytest.raises(ImpossibleStatistic, match="variance of the differences"):
        paired_width_topics(0.1)
