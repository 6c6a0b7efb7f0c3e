"""Whether a figure falls or rises with the rounds."""

from __future__ import annotations

from itertools import permutations

import pytest

from roundbook.statistics.studies import trend
from roundbook.statistics.studies.trend import round_trend


def test_p_is_the_share_of_orders_that_are_as_one_sided():
    figures = (0.9, 0.8, 0.85, 0.7, 0.6)
    result = round_trend(figures)
    taus = [round_trend(order).order_tau for order in permutations(figures)]
    assert result.order_tau == pytest.approx(-0.8)
    as_one_sided = sum(abs(tau) >= abs(result.order_tau) - 1e-9 for tau in taus)
    assert result.p == pytest.approx(as_one_sided / len(taus))
    # Of five rounds all must go one way to be beyond chance, and four never are.
    assert round_trend([5, 4, 3, 2, 1]).p == pytest.approx(2 / 120)
    assert round_trend([4, 3, 2, 1]).p == pytest.approx(2 / 24)


def test_too_few_rounds_and_equal_ones():
    assert round_trend([0.5]) == trend.Trend(1, 0.5, 0.5, 0, 0, None, None)
    assert (round_trend([0.5, 0.4]).lower, round_trend([0.5, 0.4]).p) == (1, None)
    same = round_trend([0.5, 0.5, 0.5])
    assert (same.lower, same.higher, same.order_tau, same.p) == (0, 0, None, None)
