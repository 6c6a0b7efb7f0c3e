"""Expected widths of intervals and the topics they take, against published values and draws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TOPICS
from roundbook.statistics.design import DESIGNS, solve_topics
from roundbook.statistics.design.distributions import expected_sd
from roundbook.statistics.design.inputs import broadcast_floats

WIDTHS = [0.05, 0.1, 0.15, 0.2, 0.3]
NAMES = ["paired-width", "two-sample-width"]


def unit_width(design, topics, alpha=0.05):
    return DESIGNS[design].unit_width(*broadcast_floats(topics, alpha))


def test_check_values():
    paired = [617, 156, 71, 41, 20]
    assert solve_topics("paired-width", WIDTHS, 0.05).topics.tolist() == paired
    two_sample = [616, 155, 70, 40, 19]
    assert solve_topics("two-sample-width", WIDTHS, 0.05).topics.tolist() == two_sample


@pytest.mark.parametrize("dof", [1, 2, 3, 9, 99, 999, 1_000, 1_001, 100_000, 20_000_000])
def test_expected_sd_is_the_mean_of_chi(dof):
    result = float(expected_sd(np.array(float(dof))))
    # By the recurrence G(phi) G(phi + 1) = sqrt(phi / (phi + 1)) where gamma functions lose digits.
    after = float(expected_sd(np.array(dof + 1.0)))
    assert result * after == pytest.approx(np.sqrt(dof / (dof + 1)), rel=1e-12)
    if dof < 1e5:
        assert result == pytest.approx(stats.chi.mean(dof) / np.sqrt(dof), rel=1e-10)


@pytest.mark.parametrize(
    ("design", "n"), [("paired-width", 2), ("paired-width", 12), ("two-sample-width", 7)]
)
def test_widths_by_simulation(design, n):
    rng = np.random.default_rng(n)
    trials = 100_000
    one, other = rng.normal(size=(2, trials, n))
    if design == "paired-width":
        sd = (one - other).std(axis=1, ddof=1)
        widths = 2 * stats.t.isf(0.025, n - 1) * sd / np.sqrt(n)
    else:
        sd = np.sqrt((one.var(axis=1, ddof=1) + other.var(axis=1, ddof=1)) / 2)
        widths = 2 * stats.t.isf(0.025, 2 * n - 2) * sd * np.sqrt(2 / n)
    error = widths.std() / np.sqrt(trials)
    assert float(unit_width(design, n)) == pytest.approx(widths.mean(), abs=4 * error)


@pytest.mark.long
@pytest.mark.parametrize("design", NAMES)
def test_sizes_equal_a_scan_from_two_upwards(design):
    rng = np.random.default_rng(8)
    width, alpha = 10 ** rng.uniform(-0.7, 1, 2_000), 10 ** rng.uniform(-6, -0.01, 2_000)
    result = solve_topics(design, width, 0.5, alpha)
    scanned = np.arange(2, 301)
    sd = np.sqrt(0.5)
    enough = unit_width(design, scanned[:, None], alpha) * sd <= width
    first = np.where(enough.any(axis=0), scanned[enough.argmax(axis=0)], 301)
    assert (first <= 300).mean() > 0.5
    np.testing.assert_array_equal(np.minimum(result.topics, 301), first)
    assert (result.width <= width * (1 + 1e-14)).all()
    np.testing.assert_allclose(result.width, unit_width(design, result.topics, alpha) * sd)


@given(
    design=st.sampled_from(NAMES),
    width=st.floats(0.01, 1),
    variance=st.floats(0.005, 0.5),
    factor=st.floats(1, 3),
)
def test_sizes_fall_with_width_and_rise_with_variance_and_confidence(
    design, width, variance, factor
):
    size = solve_topics(design, width, variance).topics
    assert solve_topics(design, width * factor, variance).topics <= size
    assert solve_topics(design, width, variance * factor).topics >= size
    assert solve_topics(design, width, variance, 0.05 / factor).topics >= size


@pytest.mark.parametrize("design", NAMES)
def test_the_largest_plan_and_one_beyond(design):
    limit = float(unit_width(design, MOST_TOPICS)) * np.sqrt(0.05)
    assert solve_topics(design, limit * 1.0000001, 0.05).topics <= MOST_TOPICS
    with pytest.raises(ImpossibleStatisticError, match=r"width .* more than 10,000,000 topics"):
        solve_topics(design, [0.1, limit * 0.999999], 0.05)
    with pytest.raises(ImpossibleStatisticError, match="more than 10,000,000 topics"):
        solve_topics(design, 1e-300, 1e300)
    assert solve_topics(design, 1e300, 1e-300).topics == 2


@pytest.mark.parametrize("design", NAMES)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"min_d": 0}, "interval width must be positive and finite, not 0"),
        ({"min_d": np.nan}, "interval width"),
        ({"min_d": "some"}, "numbers"),
        ({"variance": 0}, "variance must be positive and finite, not 0"),
        ({"variance": -1}, "variance must be positive and finite, not -1"),
        ({"variance": np.inf}, "variance"),
        ({"alpha": 0}, "Alpha must be between 0 and 1"),
        ({"alpha": 1}, "Alpha"),
    ],
)
def test_refused(design, change, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        solve_topics(design, **{"min_d": 0.1, "variance": 0.05} | change)
