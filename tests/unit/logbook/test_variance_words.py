"""Why a variance has no interval and rounds no test, in words and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from roundbook.logbook import variance_words as words
from roundbook.statistics.variance import rounds as reasons

PAGE = Path(__file__).parents[3] / "docs/statistics/variance.md"


def codes(literal):
    """Return the texts of a literal type, however it is put together."""
    found = set()
    for each in get_args(literal):
        found |= {each} if isinstance(each, str) else codes(each)
    return found


NO_INTERVAL = codes(reasons.NoUpperLimit)
NO_TEST = codes(reasons.NoTest)


def test_there_are_codes():
    assert {"unbounded", "too_uneven", "standardised", "no_variance"} <= NO_INTERVAL
    assert {"one_round", "not_separable", "no_variance"} <= NO_TEST


@pytest.mark.parametrize("code", sorted(NO_INTERVAL))
def test_every_reason_is_a_clause(code):
    said = words.no_interval(code)
    assert len(said.split()) >= 4
    assert "_" not in said
    assert said[0].islower()
    assert not said.endswith(".")


@pytest.mark.parametrize("code", sorted(NO_TEST))
def test_every_reason_for_no_test_is_a_clause(code):
    said = words.no_test(code)
    assert len(said.split()) >= 4
    assert "_" not in said


@pytest.mark.parametrize("code", sorted(NO_INTERVAL | NO_TEST))
def test_every_code_is_on_the_page(code):
    assert f"`{code}`" in PAGE.read_text(encoding="utf-8")


def test_limits_without_an_end():
    assert words.limits(0.01, 0.02) == "[0.01000, 0.02000]"
    assert words.limits(0.01, None) == "[0.01000, ...]"


@pytest.mark.parametrize(
    ("zeros", "p", "ratio", "said"),
    [
        ([], None, 1.2, None),
        ([], 0.0004, 3.0, "(Wald F test, p < .001; largest over smallest 3.00)"),
        ([], 0.012, 3.0, "p = 0.012"),
        (["r1"], None, None, "the variance is 0 in r1 and not in the others"),
        (["r1", "r2", "r3"], None, None, None),
    ],
)
def test_the_warning(zeros, p, ratio, said):
    found = words.disagreement(zeros, 3, p, ratio)
    assert found is None if said is None else said in found
