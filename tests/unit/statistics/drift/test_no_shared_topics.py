"""Rounds without a shared topic side by side, against SciPy and TREC-COVID."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from tests.unit.statistics.score_files import read_covid

from roundbook.statistics.drift.any_topics import compare_factors
from roundbook.statistics.standardisation import fit_factors

FACTORS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.5)), min_size=1, max_size=12)


def quantiles_of(side):
    return [side.least, side.lower_quartile, side.median, side.upper_quartile, side.largest]


def test_treccovid_is_scipy(shared):
    # The topics that only one of rounds 1 and 3 would have, were they split in two halves.
    sides = []
    for table, part in zip(read_covid(shared, 1, 3), (slice(0, 15), slice(15, 40)), strict=True):
        factors = fit_factors(table.scores[part])
        sides += [factors.mean, factors.sd]
    result = compare_factors(*sides)
    for comparison, first, second in (
        (result.means, sides[0], sides[2]),
        (result.sds, sides[1], sides[3]),
    ):
        welch = stats.ttest_ind(second, first, equal_var=False)
        assert comparison.welch.statistic == pytest.approx(welch.statistic)
        assert comparison.welch.p_value == pytest.approx(welch.pvalue)
        assert comparison.welch.dof == pytest.approx(welch.df)
        spread = stats.levene(first, second, center="median")
        assert comparison.brown_forsythe.statistic == pytest.approx(spread.statistic)
        assert comparison.brown_forsythe.p_value == pytest.approx(spread.pvalue)
        for side, values in ((comparison.earlier, first), (comparison.later, second)):
            assert side.topics == len(values)
            assert side.mean == pytest.approx(values.mean())
            assert side.sd == pytest.approx(values.std(ddof=1))
            assert quantiles_of(side) == pytest.approx(np.percentile(values, [0, 25, 50, 75, 100]))


@given(FACTORS, FACTORS)
def test_quantiles_rise_and_nothing_is_nan(first, second):
    result = compare_factors(*np.transpose(first), *np.transpose(second))
    for comparison in (result.means, result.sds):
        for side in (comparison.earlier, comparison.later):
            assert quantiles_of(side) == sorted(quantiles_of(side))
            assert side.least - 1e-9 <= side.mean <= side.largest + 1e-9
            assert (side.sd is None) == (side.topics == 1)
        for test in (comparison.welch, comparison.brown_forsythe):
            assert (test.p_value is None) == (test.reason is not None)
            assert test.p_value is None or 0 <= test.p_value <= 1


def test_single_topics_have_no_spread_and_no_tests():
    result = compare_factors([0.3], [0.1], [0.4], [0.1])
    assert (result.means.earlier.mean, result.means.earlier.sd) == (0.3, None)
    assert quantiles_of(result.means.earlier) == [0.3] * 5
    assert "fewer than 2 values" in result.means.welch.reason
    assert "fewer than 2 values" in result.sds.brown_forsythe.reason


def test_equal_topics_have_reasons_for_tests():
    result = compare_factors([0.3] * 3, [0.1] * 3, [0.4] * 2, [0.1] * 2)
    assert result.means.earlier.sd == 0
    assert result.means.welch.reason == "no spread in either sample"
    assert "do not vary" in result.sds.brown_forsythe.reason


def test_the_docstring_says_what_it_is_no_evidence_of():
    assert "no evidence on drift" in compare_factors.__doc__
