"""The AP rank correlation, against published values and a naive mean over orders of ties."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.ranking import kendall_tau, tau_ap

RANKINGS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=7)
# The example of the R package ircor by Urbano, and what it prints.
X = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
Y = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]


def naive_of_order(reference, order):
    """`order` lists the runs best first; a pair the reference ties counts half."""
    total = 0.0
    for rank in range(2, len(order) + 1):
        below = order[rank - 1]
        right = sum(
            (reference[run] > reference[below]) + (reference[run] == reference[below]) / 2
            for run in order[: rank - 1]
        )
        total += right / (rank - 1)
    return 2 / (len(order) - 1) * total - 1


def naive_tau_ap(reference, estimate):
    groups = [
        [run for run, score in enumerate(estimate) if score == level]
        for level in sorted(set(estimate), reverse=True)
    ]
    orders = product(*(permutations(group) for group in groups))
    result = [naive_of_order(reference, sum(order, ())) for order in orders]
    return sum(result) / len(result)


def test_published_example():
    assert tau_ap(X, Y) == pytest.approx(0.3928571, abs=5e-8)


def test_published_example_with_ties_in_the_estimate():
    assert tau_ap(X, np.round(Y, 1)) == pytest.approx(0.39903, abs=5e-6)


@given(RANKINGS)
def test_equals_the_mean_over_all_orders_of_ties(ranking):
    reference, estimate = zip(*ranking, strict=True)
    result = tau_ap(reference, estimate)
    if len(set(reference)) == 1 or len(set(estimate)) == 1:
        assert result is None
        return
    assert result == pytest.approx(naive_tau_ap(reference, estimate), abs=1e-12)


@given(st.permutations(range(12)))
def test_without_ties_identical_is_1_and_reversed_is_minus_1(scores):
    assert tau_ap(scores, scores) == 1
    assert tau_ap(scores, [-score for score in scores]) == -1


@given(RANKINGS, st.randoms(use_true_random=False))
def test_order_of_runs_and_unit_are_nothing_to_it(ranking, random):
    before = tau_ap(*zip(*ranking, strict=True))
    random.shuffle(ranking)
    reference, estimate = np.transpose(ranking)
    after = tau_ap(np.exp(reference), 0.3 * estimate - 5)
    assert after == (None if before is None else pytest.approx(before, abs=1e-12))


@given(st.integers(0, 8))
def test_a_swap_higher_up_costs_more(index):
    reference = np.arange(10, 0, -1)
    swapped = reference.copy()
    swapped[[index, index + 1]] = swapped[[index + 1, index]]
    # Of a swap of ranks r and r + 1 one pair is wrong, at rank r + 1.
    assert tau_ap(reference, swapped) == pytest.approx(1 - 2 / 9 / (index + 1))
    assert kendall_tau(reference, swapped).tau_a == pytest.approx(1 - 2 / 45)


def test_the_reference_comes_first():
    assert tau_ap(X, Y) != pytest.approx(tau_ap(Y, X), abs=0.05)


def test_ties_in_the_reference_cannot_be_got_right():
    assert tau_ap([2, 1, 1], [3, 2, 1]) == pytest.approx(0.75)
    assert tau_ap([2, 1, 1], [2, 1, 1]) == pytest.approx(0.75)


def test_two_runs():
    assert tau_ap([1, 2], [1, 2]) == 1
    assert tau_ap([1, 2], [2, 1]) == -1
    assert tau_ap([1, 2], [2, 2]) is None


@pytest.mark.parametrize(
    ("reference", "estimate", "message"),
    [
        ([1], [1], "The AP rank correlation needs at least 2 runs"),
        ([1, 2], [1, 2, 3], "shapes"),
        ([1, np.nan], [1, 2], "nan at run index 1"),
        ([1, 2], [np.inf, 2], "inf at run index 0"),
    ],
)
def test_refused(reference, estimate, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        tau_ap(reference, estimate)
