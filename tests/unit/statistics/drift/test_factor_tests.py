"""Tests of drift, against SciPy, statsmodels and TREC-COVID."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests
from tests.unit.statistics.score_files import read_covid, shared_topics

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.drift.shared_topics import drift_tests
from roundbook.statistics.significance import (
    brown_forsythe_tests,
    holm_adjusted,
    kendall_test,
    paired_t_test,
    pearson_test,
    welch_tests,
    wilcoxon_test,
)

SCORES = st.integers(0, 20).map(lambda twentieths: twentieths / 20)


@pytest.fixture(scope="module")
def bridges(shared):
    return shared_topics(*read_covid(shared, 1, 3))


def numbers_of(value):
    """All numbers in a result, however deep."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, np.ndarray):
        yield from value.tolist()
    elif isinstance(value, tuple):
        for part in value:
            yield from numbers_of(part)
    elif hasattr(value, "__dataclass_fields__"):
        for name in value.__dataclass_fields__:
            yield from numbers_of(getattr(value, name))


def test_treccovid_topic_by_topic_is_scipy(bridges):
    old, new = bridges
    result = drift_tests(old, new)
    assert (len(result.by_topic), result.runs_from, result.runs_to) == (30, 143, 79)
    for topic, tests in enumerate(result.by_topic):
        welch = stats.ttest_ind(new[topic], old[topic], equal_var=False)
        assert tests.welch.statistic == pytest.approx(welch.statistic, rel=1e-9)
        assert tests.welch.p_value == pytest.approx(welch.pvalue, rel=1e-8)
        assert tests.welch.dof == pytest.approx(welch.df, rel=1e-9)
        spread = stats.levene(old[topic], new[topic], center="median")
        assert tests.brown_forsythe.statistic == pytest.approx(spread.statistic, rel=1e-9)
        assert tests.brown_forsythe.p_value == pytest.approx(spread.pvalue, rel=1e-8)
        assert tests.brown_forsythe.dof == 143 + 79 - 2
    for family in ("welch", "brown_forsythe"):
        p = [getattr(tests, family).p_value for tests in result.by_topic]
        adjusted = [getattr(tests, f"{family}_holm") for tests in result.by_topic]
        np.testing.assert_allclose(adjusted, multipletests(p, method="holm")[1], rtol=1e-12)


def test_treccovid_over_topics_is_scipy(bridges):
    old, new = bridges
    result = drift_tests(old, new)
    before, after = old.mean(axis=1), new.mean(axis=1)
    for test, expected in (
        (result.paired_t, stats.ttest_rel(after, before)),
        (result.wilcoxon, stats.wilcoxon(after, before)),
        (result.pearson, stats.pearsonr(before, after)),
        (result.kendall, stats.kendalltau(before, after)),
    ):
        assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-8)
        assert test.reason is None
    assert result.paired_t.dof == 29


# SciPy's own variance of a constant sample.
@pytest.mark.filterwarnings("ignore:Precision loss")
@given(
    st.integers(2, 6).flatmap(
        lambda n: st.tuples(
            st.lists(SCORES, min_size=n, max_size=n), st.lists(SCORES, min_size=3, max_size=8)
        )
    )
)
def test_small_samples_are_scipy_or_have_a_reason(samples):
    first, second = map(np.array, samples)
    welch = welch_tests(first[None], second[None])[0]
    if np.ptp(first) == np.ptp(second) == 0:
        assert welch.statistic is welch.p_value is welch.dof is None
        assert welch.reason == "no spread in either sample"
    else:
        expected = stats.ttest_ind(second, first, equal_var=False)
        assert welch.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-9)
        assert welch.p_value == pytest.approx(expected.pvalue, rel=1e-7)
    spread = brown_forsythe_tests(first[None], second[None])[0]
    deviations = [np.abs(sample - np.median(sample)) for sample in (first, second)]
    if all(np.ptp(distances) < 1e-12 for distances in deviations):
        assert spread.p_value is None
        assert spread.reason == "deviations do not vary"
    else:
        expected = stats.levene(first, second, center="median")
        assert spread.statistic == pytest.approx(expected.statistic, rel=1e-7, abs=1e-9)
        assert spread.p_value == pytest.approx(expected.pvalue, rel=1e-7)


def test_samples_of_any_magnitude():
    rng = np.random.default_rng(1)
    first, second = rng.random((4, 6)), rng.random((4, 9)) + 0.3
    for tests in (welch_tests, brown_forsythe_tests):
        plain = tests(first, second)
        for scale in (1e-100, 1e-30, 1e30, 1e99):
            for ours, expected in zip(tests(first * scale, second * scale), plain, strict=True):
                assert ours.statistic == pytest.approx(expected.statistic, rel=1e-9)
                assert ours.p_value == pytest.approx(expected.p_value, rel=1e-9)


@given(st.lists(st.none() | st.floats(0, 1), max_size=12))
def test_holm_is_plain_steps(p_values):
    known = sorted(p for p in p_values if p is not None)
    result = holm_adjusted(p_values)
    assert [p is None for p in result] == [p is None for p in p_values]
    for p, adjusted in zip(p_values, result, strict=True):
        if p is not None:
            steps = [(len(known) - i) * q for i, q in enumerate(known) if q <= p]
            assert adjusted == pytest.approx(min(1.0, max(steps)), abs=1e-15)


@pytest.mark.filterwarnings("ignore:Precision loss")
@given(st.lists(st.tuples(SCORES, SCORES), min_size=3, max_size=30))
def test_pairs_are_scipy_or_have_a_reason(pairs):
    first, second = np.transpose(pairs)
    t = paired_t_test(first, second)
    assume(np.ptp(second - first) == 0 or np.ptp(second - first) > 1e-9)
    if np.ptp(second - first) == 0:
        assert t.statistic is None
        assert t.reason == "same difference on every topic"
    else:
        expected = stats.ttest_rel(second, first)
        assert t.statistic == pytest.approx(expected.statistic, rel=1e-7, abs=1e-9)
        assert t.p_value == pytest.approx(expected.pvalue, rel=1e-7)
    for test, reference in ((pearson_test, stats.pearsonr), (kendall_test, stats.kendalltau)):
        result = test(first, second)
        if min(np.ptp(first), np.ptp(second)) == 0:
            assert result.statistic is result.p_value is None
            assert result.reason == "one side is constant"
        else:
            expected = reference(first, second)
            assert result.statistic == pytest.approx(expected.statistic, abs=1e-9)
            assert result.p_value == pytest.approx(expected.pvalue, abs=1e-6)


def naive_signed_ranks(differences):
    """Wilcoxon's exact two-sided p value by going through all signs."""
    ranks = stats.rankdata(np.abs(differences))
    signs = np.array(list(itertools.product([0, 1], repeat=len(ranks))))
    sums = signs @ ranks
    result = ranks[differences > 0].sum()
    return min(1, 2 * min(np.mean(sums <= result), np.mean(sums >= result)))


@settings(max_examples=25)
@given(st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=10))
def test_wilcoxon_with_ties_is_a_count_of_all_signs(differences):
    values = np.array(differences, dtype=float)
    result = wilcoxon_test(np.zeros(len(values)), values)
    assert result.p_value == pytest.approx(naive_signed_ranks(values), abs=1e-12)
    with_zeros = wilcoxon_test(np.zeros(len(values) + 2), np.append(values, [0.0, 0.0]))
    assert with_zeros == result


@pytest.mark.parametrize("n", [1, 2, 5, 13, 30, 50, 51, 120, 1_000])
def test_wilcoxon_without_ties_is_scipy(n):
    rng = np.random.default_rng(n)
    first, second = rng.random(n), rng.random(n) + 0.1
    result, expected = wilcoxon_test(first, second), stats.wilcoxon(second, first)
    assert result.statistic == expected.statistic
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_wilcoxon_with_many_ties_is_scipy():
    rng = np.random.default_rng(9)
    differences = rng.integers(-4, 6, 300).astype(float)
    differences = differences[differences != 0]
    result, expected = wilcoxon_test(0 * differences, differences), stats.wilcoxon(differences)
    assert result.statistic == expected.statistic
    assert result.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_wilcoxon_leaves_out_rounding():
    assert wilcoxon_test(np.array([0.1 + 0.2, 1.0]), np.array([0.3, 2.0])).statistic == 0
    assert wilcoxon_test(np.array([0.1 + 0.2]), np.array([0.3])).reason is not None


def test_a_constant_topic_has_a_reason_and_does_not_count_for_holm():
    rng = np.random.default_rng(2)
    old, new = rng.random((3, 5)), rng.random((3, 4))
    old[1], new[1] = 0.7, 0.1
    result = drift_tests(old, new)
    tied = result.by_topic[1]
    assert tied.welch.p_value is tied.welch_holm is tied.brown_forsythe_holm is None
    assert tied.welch.reason == "no spread in either sample"
    assert tied.brown_forsythe.reason == "deviations do not vary"
    others = [result.by_topic[0].welch.p_value, result.by_topic[2].welch.p_value]
    assert min(result.by_topic[0].welch_holm, result.by_topic[2].welch_holm) == pytest.approx(
        min(1, 2 * min(others))
    )


# On the first topic all earlier runs tie.
TIED_FROM = np.array(
    [[0.3] * 3, [0.1, 0.2, 0.4], [0.5, 0.6, 0.9], [0.2, 0.5, 0.3], [0.7, 0.4, 0.6], [0.1, 0.3, 0.2]]
)
TIED_TO = np.array(
    [[0.9, 0.8, 0.9], [0.2, 0.2, 0.5], [0.5, 0.7, 0.9], [0.3, 0.5, 0.3], [0.7, 0.5, 0.6],
     [0.2, 0.3, 0.3]]
)  # fmt: skip


# SciPy's own variance of a constant sample.
@pytest.mark.filterwarnings("ignore:Precision loss")
def test_topics_that_the_first_round_ties_on_are_left_out():
    result = drift_tests(TIED_FROM, TIED_TO)
    assert (result.topics, len(result.by_topic)) == (5, 6)
    before, after = TIED_FROM[1:].mean(axis=1), TIED_TO[1:].mean(axis=1)
    for test, expected in (
        (result.paired_t, stats.ttest_rel(after, before)),
        (result.wilcoxon, stats.wilcoxon(after, before)),
        (result.pearson, stats.pearsonr(before, after)),
        (result.kendall, stats.kendalltau(before, after)),
    ):
        assert test.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert test.p_value == pytest.approx(expected.pvalue, rel=1e-8)
    assert result.paired_t.dof == 4
    # The topic itself is described, and no p value is adjusted for it.
    tied = result.by_topic[0]
    welch = stats.ttest_ind(TIED_TO[0], TIED_FROM[0], equal_var=False)
    assert tied.welch.p_value == pytest.approx(welch.pvalue, rel=1e-9)
    assert (tied.welch_holm, tied.brown_forsythe_holm) == (None, None)
    for family in ("welch", "brown_forsythe"):
        p = [getattr(tests, family).p_value for tests in result.by_topic[1:]]
        adjusted = [getattr(tests, f"{family}_holm") for tests in result.by_topic[1:]]
        np.testing.assert_allclose(adjusted, multipletests(p, method="holm")[1], rtol=1e-12)
    # Topics that the later round alone ties on stay.
    back = drift_tests(TIED_TO, TIED_FROM)
    assert (back.topics, back.paired_t.dof) == (6, 5)
    every = stats.ttest_rel(TIED_FROM.mean(axis=1), TIED_TO.mean(axis=1))
    assert back.paired_t.statistic == pytest.approx(every.statistic, rel=1e-9)


def test_no_time_passed(bridges):
    old, _ = bridges
    result = drift_tests(old, old[:, ::-1])
    assert {tests.welch_holm for tests in result.by_topic} == {1.0}
    assert {tests.brown_forsythe_holm for tests in result.by_topic} == {1.0}
    # The means differ by their rounding alone.
    assert result.paired_t.reason == "same difference on every topic"
    assert result.wilcoxon.reason == "no difference on any topic"
    assert result.pearson.statistic == pytest.approx(1)
    assert result.kendall.statistic == pytest.approx(1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (np.full((3, 2), 0.1), np.full((3, 2), 0.3)),
        ([[0.1]], [[0.2]]),
        ([[0.1, 0.2]], [[0.2, 0.4]]),
        ([[0.1], [0.3], [0.7]], [[0.2, 0.3]] * 3),
        (np.zeros((4, 3)), np.zeros((4, 5))),
        ([[0.1, 0.7], [0.2, 0.4]], [[0.3, 0.35], [0.1, 0.2]]),
        ([[0.1, 0.3], [0.2, 0.3], [0.7, 0.9]], [[0.1, 0.3], [0.2, 0.3], [0.7, 0.9]]),
    ],
)
def test_poor_samples_never_give_nan(old, new):
    result = drift_tests(old, new)
    assert all(math.isfinite(number) for number in numbers_of(result))
    outcomes = [result.paired_t, result.wilcoxon, result.pearson, result.kendall]
    outcomes += [
        test
        for topic_tests in result.by_topic
        for test in (topic_tests.welch, topic_tests.brown_forsythe)
    ]
    for outcome in outcomes:
        assert (outcome.statistic is None) == (outcome.p_value is None)
        assert (outcome.statistic is None) == (outcome.reason is not None)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (np.empty((0, 3)), np.empty((0, 3)), "at least 1 topic"),
        ([[0.1, np.nan]], [[0.1, 0.2]], "finite score"),
        ([0.1], [[0.1]], r"\(topics, runs\) matrix"),
        ([["a"]], [[0.1]], "numbers"),
    ],
)
def test_refused(old, new, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        drift_tests(old, new)
