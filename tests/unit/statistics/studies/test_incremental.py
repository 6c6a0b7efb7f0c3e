"""Incremental topics: the spread of pairs, statsmodels' power, plain loops, symmetries."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2
from statsmodels.stats.power import TTestPower
from tests.unit.statistics.studies.matrices import TOY, XYZ, scaled

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.studies.incremental import JudgingPlan, incremental_topics
from roundbook.statistics.studies.stopping import pair_sds
from roundbook.statistics.variance.residual import two_way_variance

# Median, 95th percentile, largest, root mean square, sqrt(2 V_E); topics for a difference of .05 and
# .10 by the 95th percentile, for .05 by the median, for both by the last.
CHECKS = {
    "trec_robust2003_ap": (0.1387, 0.1825, 0.2053, 0.1402, 0.2849, 107, 29, 63, 257, 66),
    "treccovid_round1_ndcg10": (0.2590, 0.3257, 0.4375, 0.2599, 0.3259, 335, 86, 213, 336, 86),
    "treccovid_round1_map": (0.1254, 0.1756, 0.2250, 0.1280, 0.1848, 99, 27, 52, 110, 29),
    "trec_web2010_ndcg20": (0.1691, 0.2501, 0.3218, 0.1785, 0.2668, 199, 52, 92, 226, 58),
    "ntcir7ir4qa_q1000": (0.2268, 0.2899, 0.3297, 0.2250, 0.3112, 266, 68, 164, 306, 78),
    "trec_adhoc7_ap": (0.1505, 0.2073, 0.2576, 0.1552, 0.2425, 137, 36, 74, 187, 49),
}
# Runs that are alike come in pairs: those which differ on no topic.
ALIKE = {"treccovid_round1_ndcg10": 6, "treccovid_round1_map": 5, "trec_web2010_ndcg20": 10}
ALIKE["ntcir7ir4qa_q1000"] = 1


def incremental(scores, difference, **options):
    plan = {name: options.pop(name) for name in list(options) if hasattr(JudgingPlan, name)}
    return incremental_topics(scores, JudgingPlan(difference, **plan), **options)


@pytest.mark.parametrize("name", CHECKS)
def test_plans_of_real_matrices(shared, name):
    scores = scaled(shared, name, "raw")
    fine, coarse = (incremental(scores, d, trials=1) for d in (0.05, 0.10))
    sds = [round(spread.sd, 4) for spread in fine.spreads]
    topics, fewer = ([spread.topics for spread in study.spreads] for study in (fine, coarse))
    assert (*sds, topics[1], fewer[1], topics[0], topics[4], fewer[4]) == CHECKS[name]
    assert fine.alike == ALIKE.get(name, 0)
    residual = two_way_variance(scores).variance
    assert fine.spreads[3].sd == pytest.approx(math.sqrt(2 * residual), rel=1e-10)


def test_stopping_on_robust_2003(shared):
    scores = scaled(shared, "trec_robust2003_ap", "raw")
    fine, coarse = (incremental(scores, d) for d in (0.05, 0.10))
    estimate, sure = fine.rules
    assert estimate.stopped == pytest.approx(0.91, abs=0.02)
    assert estimate.median == pytest.approx(56, abs=2)
    assert estimate.at_start == pytest.approx(0.045, abs=0.02)
    # 2,704 of all 3,003 pairs.
    assert fine.enough_by_sd == 2704 / 3003
    assert (coarse.rules[0].stopped, coarse.rules[0].median) == (1.0, pytest.approx(15, abs=2))
    # The value to reach is of 2,000 draws itself.
    assert coarse.rules[0].at_start == pytest.approx(0.30, abs=0.04)
    # Going by the upper limit makes up for most of the optimism.
    assert sure.too_early < 0.5 * estimate.too_early
    assert sure.median > estimate.median
    assert coarse.rules[1].at_start < 0.6 * coarse.rules[0].at_start
    # After the first topics of the matrix as over random ones, less those stopped by luck before.
    assert fine.steps[-1].enough == fine.enough_by_sd < fine.steps[-1].stopped


def test_power_is_statsmodels():
    study = incremental(XYZ, 0.1, start=5, step=5, alpha=0.01, beta=0.1, trials=1)
    assert [step.topics for step in study.steps] == [5, 10, 15, 20]
    power = TTestPower().power
    for step in study.steps:
        assert step.power == pytest.approx(power(0.1 / step.hard_sd, step.topics, 0.01), rel=1e-6)
        assert power(0.1 / step.largest_sd, step.topics, 0.01) == pytest.approx(0.9, rel=1e-6)


def test_against_a_plain_loop():
    study = incremental(XYZ, 0.15, start=4, step=3, confidence=0.9, trials=50_000, seed=2)
    assert [step.topics for step in study.steps] == [4, 7, 10, 13, 16, 19, 20]
    assert (study.pairs, study.alike) == (3, 0)
    pairs = [XYZ[:, one] - XYZ[:, other] for one, other in combinations(range(3), 2)]
    power = TTestPower().power
    for step in study.steps:
        sds = [pair[: step.topics].std(ddof=1) for pair in pairs]
        assert step.hard_sd == pytest.approx(np.quantile(sds, 0.95))
        enough = [power(0.15 / sd, step.topics, 0.05) >= 0.8 for sd in sds]
        assert step.enough == pytest.approx(np.mean(enough))
        wider = math.sqrt((step.topics - 1) / chi2.ppf(0.1, step.topics - 1))
        enough = [power(0.15 / (sd * wider), step.topics, 0.05) >= 0.8 for sd in sds]
        assert step.enough_surely == pytest.approx(np.mean(enough))
    largest = [step.largest_sd for step in study.steps]
    rng = np.random.default_rng(1)
    stops = []
    early = 0
    for _ in range(3000):
        pair = pairs[rng.integers(3)]
        drawn = rng.permutation(pair)
        at = [
            drawn[: step.topics].std(ddof=1) <= sd
            for step, sd in zip(study.steps, largest, strict=True)
        ]
        stops.append(at.index(True) if any(at) else len(at))
        early += any(at) and pair.std(ddof=1) > largest[at.index(True)]
    shares = np.cumsum(np.bincount(stops, minlength=8))[:-1] / 3000
    assert [step.stopped for step in study.steps] == pytest.approx(shares, abs=0.04)
    assert study.rules[0].too_early == pytest.approx(early / 3000, abs=0.04)
    assert study.rules[0].stopped == study.steps[-1].stopped
    assert study.rules[1].at_start == study.steps[0].stopped_surely


def test_pieces_are_the_same_by_whoever_computes_them():
    here = incremental(XYZ, 0.1, trials=1000)

    def backwards(work, pieces):
        done = [work(piece) for piece in reversed(list(pieces))]
        return reversed(done)

    assert incremental(XYZ, 0.1, trials=1000, mapped=backwards) == here
    assert incremental(XYZ, 0.1, trials=1000, seed=1) != here


@given(st.integers(0, 2**32 - 1), st.floats(-5, 5))
def test_runs_and_topics_in_another_order(seed, shift):
    rng = np.random.default_rng(seed)
    scores = rng.random((12, 5)).round(2)
    study = incremental(scores, 0.2, trials=1)
    # Neither the order of the runs nor the hardness of topics matters.
    other = scores[:, rng.permutation(5)] + shift * rng.random((12, 1))
    again = incremental(other, 0.2, trials=1)
    assert [step.hard_sd for step in again.steps] == pytest.approx(
        [step.hard_sd for step in study.steps]
    )
    assert [step.topics for step in again.spreads[:4]] == [
        step.topics for step in study.spreads[:4]
    ]
    shuffled = incremental(scores[rng.permutation(12)], 0.2, trials=1)
    assert [spread.sd for spread in shuffled.spreads] == pytest.approx(
        [spread.sd for spread in study.spreads]
    )
    assert shuffled.enough_by_sd == study.enough_by_sd


def test_runs_that_are_alike():
    alike = np.column_stack([TOY, TOY[:, 0], TOY[:, 0] + 0.1])
    study = incremental(alike, 0.2, start=2, trials=100)
    assert (study.pairs, study.alike) == (10, 3)
    without = incremental(TOY, 0.2, start=2, trials=1)
    # They count in the spread of all pairs, and have no part in the shares.
    assert study.spreads[0].sd < without.spreads[0].sd
    assert study.steps[-1].enough <= 1
    mostly = np.column_stack([TOY[:, 0]] * 30 + [TOY[:, 1]])
    few = incremental(mostly, 0.2, start=2, trials=100)
    assert [spread.topics is None for spread in few.spreads] == [True, False, False, False, False]
    assert few.spreads[0].sd == 0


def test_the_sds_of_first_topics():
    centred = XYZ - XYZ.mean(axis=0)
    for size, sds in zip([2, 9, 20], pair_sds(centred, np.array([2, 9, 20])), strict=True):
        for pair, (one, other) in enumerate(combinations(range(3), 2)):
            differences = XYZ[:size, one] - XYZ[:size, other]
            assert sds[pair] == pytest.approx(differences.std(ddof=1), abs=1e-12)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        (TOY[:, :1], {}, "at least 2 runs"),
        (TOY[:1], {}, "at least 2 topics"),
        (np.full((5, 3), 0.25), {}, "all 3 runs tie"),
        (TOY[:, :1] + np.array([0, 0.1, 0.3]), {}, "no pair does"),
        (TOY, {"start": 6}, "begins with 2 to 5, not 6"),
        (TOY, {"start": 1}, "begins with 2 to 5, not 1"),
        (TOY, {"step": 0}, "steps of at least 1"),
        (TOY, {"confidence": 1}, "A confidence must be between 0 and 1"),
        (TOY, {"difference": 0}, "minD"),
        (TOY, {"alpha": 2}, "[Aa]lpha"),
        (TOY, {"trials": 0}, "number of trials"),
        (TOY, {"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_studied(scores, options, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        incremental(scores, **({"difference": 0.1, "start": 2} | options))
