"""Swap rate: an enumeration, real matrices, a plain loop, symmetries."""

from __future__ import annotations

import random as plain_random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.statistics.studies.matrices import XYZ, rows_of, scaled

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.studies.swap_rate import count_swaps, swap_rate, swaps_by_size

# Overall with its sd over seeds; rates of bins 0, 5 and 10; needed difference and sensitivity;
# needed difference in sds, and the sd; with replacement, overall and needed difference.
CHECKS = """
trec_robust2003_ap raw .1317±.0009 .4047 .0356 .0003 0.05 0.441 0.25 0.2014 .0918 0.03
trec_robust2003_ap std-ab .1280±.0006 .4441 .0644 .0067 0.06 0.493 0.50 0.1242 .0891 0.04
trec_robust2003_ap std-cdf .1278±.0007 .4627 .2160 .0731 0.13 0.459 0.55 0.2390 .0894 0.08
named17_robust2003_ap raw .0670±.0014 .3216 .0225 .0002 0.04 0.647 0.20 0.2010 .0512 0.03
named17_robust2003_ap std-ab .0733±.0006 .4561 .0516 .0017 0.06 0.627 0.50 0.1192 .0508 0.03
named17_robust2003_ap std-cdf .0723±.0005 .4540 .1478 .0610 0.11 0.646 0.45 0.2297 .0517 0.06
treccovid_round1_ndcg10 raw .1109±.0004 .4559 .2687 .1377 0.17 0.518 0.75 0.2304 .0754 0.11
treccovid_round1_ndcg10 std-ab .1152±.0004 .4451 .1750 .0470 0.10 0.518 0.95 0.1072 .0784 0.07
treccovid_round1_ndcg10 std-cdf .1177±.0005 .4574 .3021 .1932 0.20 0.524 1.00 0.2195 .0802 0.14
trec_web2010_ndcg20 raw .1850±.0019 .4278 .1558 .0380 0.10 0.211 0.50 0.1886 .1276 0.06
trec_web2010_ndcg20 std-ab .1844±.0016 .4341 .1709 .0547 0.11 0.216 0.80 0.1337 .1289 0.07
trec_web2010_ndcg20 std-cdf .1796±.0015 .4464 .2975 .1687 0.20 0.248 0.80 0.2499 .1264 0.13
trec_web2012_err20 raw .2052±.0007 .4608 .2405 .1122 0.15 0.174 0.55 0.2584 .1404 0.09
trec_web2012_err20 std-ab .2309±.0013 .4494 .1907 .0747 0.12 0.098 0.90 0.1375 .1609 0.07
trec_web2012_err20 std-cdf .2084±.0011 .4628 .3047 .1620 0.20 0.163 0.80 0.2518 .1452 0.12
ntcir7ir4qa_q1000 raw .0829±.0002 .4020 .0907 .0107 0.07 0.679 0.35 0.2200 .0559 0.05
ntcir7ir4qa_q1000 std-ab .0794±.0004 .3766 .0410 .0007 0.05 0.677 0.50 0.1047 .0549 0.03
ntcir7ir4qa_q1000 std-cdf .0819±.0001 .3715 .1994 .0512 0.11 0.669 0.50 0.2163 .0564 0.07
"""


def halves(topics, chosen):
    """Weights of the topics of every choice, and of its complement."""
    first = np.array([np.isin(range(topics), choice) for choice in chosen])
    return 2.0 * first, 2.0 * ~first


def test_all_halves_of_six_topics():
    counts = count_swaps(XYZ[:6], *halves(6, list(combinations(range(6), 3))))
    assert counts.sum(axis=(0, 1)).tolist() == [60 - 6 - 6, 6, 6]
    by_size = swaps_by_size(counts.sum(axis=1), 0.01, 0.05)
    filled = {
        number: (size.count, size.swaps)
        for number, size in enumerate(by_size.bins)
        if size.rate is not None
    }
    assert filled == {
        0: (3, 0),
        3: (3, 3),
        6: (4, 0),
        10: (5, 0),
        13: (8, 0),
        16: (5, 0),
        20: (32, 3),
    }
    # 3 of 32 in the last bin are more than 5%: no bin qualifies.
    assert (by_size.needed_difference, by_size.sensitivity) == (None, None)
    looser = swaps_by_size(counts.sum(axis=1), 0.01, 0.1)
    assert (looser.needed_difference, looser.sensitivity) == (0.06, 54 / 60)
    assert by_size.bins[15].low == 0.15
    assert by_size.bins[15].rate is None


@pytest.mark.parametrize(("name", "scale", "row"), rows_of(CHECKS))
def test_real_matrices(shared, name, scale, row):
    scores = scaled(shared, name, scale)
    swaps = swap_rate(scores)
    overall, _, sd = row[0].partition("±")
    # 4 sds; three seeds may understate one, and few runs make the rate of a bin vary more.
    error = 4 * max(float(sd), 0.0004)
    assert swaps.overall == pytest.approx(float(overall), abs=error)
    rates = [swaps.bins[number].rate for number in (0, 5, 10)]
    rate_error = 4 * (0.0075 if scores.shape[1] < 20 else 0.004)
    assert rates == pytest.approx(list(map(float, row[1:4])), abs=rate_error)
    assert swaps.needed_difference == pytest.approx(float(row[4]), abs=0.0101)
    if swaps.needed_difference == float(row[4]):
        assert swaps.sensitivity == pytest.approx(float(row[5]), abs=0.006)
    assert swaps.in_sds.needed_difference == pytest.approx(float(row[6]), abs=0.0501)
    assert round(swaps.sd, 4) == float(row[7])
    overlapping = swap_rate(scores, with_replacement=True)
    assert overlapping.overall == pytest.approx(float(row[8]), abs=error)
    assert overlapping.needed_difference == pytest.approx(float(row[9]), abs=0.0101)
    assert (swaps.topics_each, overlapping.topics_each) == (len(scores) // 2, len(scores))
    assert swaps.comparisons == 1_000 * scores.shape[1] * (scores.shape[1] - 1) // 2


def test_a_plain_loop(shared):
    scores = scaled(shared, "named17_robust2003_ap", "raw")
    generator = plain_random.Random(5)
    topics, counts, swaps = list(range(100)), np.zeros(21), np.zeros(21)
    for _ in range(60):
        generator.shuffle(topics)
        here, there = (scores[part].mean(axis=0) for part in (topics[:50], topics[50:]))
        for i, k in combinations(range(17), 2):
            number = min(int(abs(here[i] - here[k]) / 0.01 + 1e-9), 20)
            counts[number] += 1
            swaps[number] += (here[i] - here[k]) * (there[i] - there[k]) < 0
    study = swap_rate(scores)
    assert study.overall == pytest.approx(swaps.sum() / counts.sum(), abs=0.01)
    assert study.bins[0].rate == pytest.approx(swaps[0] / counts[0], abs=0.04)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(4, 9), st.integers(2, 5)),
        elements=st.integers(0, 10).map(lambda tenths: tenths / 10),
    ).filter(lambda scores: np.ptp(scores, axis=1).any()),
    st.randoms(use_true_random=False),
)
def test_symmetries(scores, random):
    before = swap_rate(scores, trials=130)
    runs = random.sample(range(scores.shape[1]), scores.shape[1])
    hardness = np.arange(len(scores))[:, np.newaxis] * 0.7
    for other in (scores[:, runs], hardness - scores):
        after = swap_rate(other, trials=130)
        assert after.bins == before.bins
        assert (after.overall, after.ties) == (before.overall, before.ties)
    assert (
        swap_rate(scores[:, runs], trials=130, with_replacement=True).overall
        == swap_rate(scores, trials=130, with_replacement=True).overall
    )
    # All halves, whatever the order of the topics.
    topics = random.sample(range(len(scores)), len(scores))
    chosen = halves(4, list(combinations(range(4), 2)))
    four = scores[:4]
    every = count_swaps(four, *chosen)
    order = [topic for topic in topics if topic < 4]
    assert (count_swaps(four[order], *chosen) == every).all()


def test_halves_of_fewer_topics_and_the_seed():
    few, half = swap_rate(XYZ, topics_each=2), swap_rate(XYZ)
    assert (few.topics_each, half.topics_each) == (2, 10)
    assert few.overall > half.overall
    assert swap_rate(XYZ) == half != swap_rate(XYZ, seed=1)
    # Of an odd number of topics one is left out each time.
    assert swap_rate(XYZ[:7]).topics_each == 3
    reports = []
    swap_rate(XYZ, trials=200, progress=lambda *done: reports.append(done))
    assert reports == [(125, 200), (200, 200)]


def test_runs_that_score_the_same_on_all_topics_have_no_sd():
    swaps = swap_rate(np.tile([0.1, 0.3], (4, 1)))
    assert (swaps.sd, swaps.in_sds, swaps.overall, swaps.ties) == (None, None, 0, 0)
    assert (swaps.needed_difference, swaps.sensitivity) == (0.2, 1)
    identical = swap_rate(XYZ[:, [0, 0, 1]])
    assert identical.bins[0].ties >= identical.trials


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (XYZ[:3], {}, "at least 4 topics, not 3"),
        (XYZ[:, :1], {}, "at least 2 runs, not 1"),
        (np.ones((4, 3)), {}, "all 3 runs tie on every topic"),
        (XYZ, {"trials": 1.5}, "whole number of trials from 1 to 1,000,000, not 1.5"),
        (XYZ, {"level": 0}, "level of a swap rate must be between 0 and 1, not 0"),
        (XYZ, {"seed": -1}, "A seed must be a whole number from 0 on, not -1"),
        (XYZ, {"topics_each": 11}, "halves of 20 topics have 1 to 10 each, not 11"),
        (XYZ, {"topics_each": 5, "with_replacement": True}, "of all topics"),
    ],
)
def test_refused(scores, options, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        swap_rate(scores, **options)


def test_limits_of_the_overall_rate_hold_what_many_trials_give():
    generator = np.random.default_rng(0)
    scores = generator.random((20, 15)) + np.arange(15) * 0.03
    overall = swap_rate(scores, trials=50_000, seed=99).overall
    few = [swap_rate(scores, trials=1_000, seed=seed) for seed in range(40)]
    assert sum(one.overall_low <= overall <= one.overall_high for one in few) >= 34
    assert all(one.overall_high - one.overall_low < 0.03 for one in few)
    assert swap_rate(scores, trials=125).overall_low is None
