"""Leave-one-out: real rounds, the closed form, other routes to the same scores, symmetries."""

from __future__ import annotations

import importlib
import math
import pickle
import statistics
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import kendalltau
from tests.unit.statistics.studies.matrices import scaled
from tests.unit.statistics.treccovid import treccovid

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.hits import relevant_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.ranking import published_interval
from roundbook.statistics.standardisation import fit_factors, scale_scores
from roundbook.statistics.studies.leave_one_out import leave_one_out, remaining_relevant
from roundbook.statistics.studies.scoring import (
    ReassessedScores,
    find_contributions,
    kept_judgments,
)

ALL = ("raw", "std-ab", "std-cdf")
NDCG = "nDCG(gains=1:1,2:2)@10"


def rounded(left):
    """The figures of one scale as a published table has them."""
    return (
        left.scale,
        round(left.tau, 4),
        round(left.rmse, 5),
        round(left.largest, 5),
        round(left.bias, 5),
        round(left.mean_rank_shift, 2),
        left.largest_rank_shift,
    )


def reassessed(covid, measure, depth):
    """Return what scores a round of TREC-COVID without some of its teams."""
    contributed = find_contributions(covid.hits, covid.judgments, covid.team, covid.pooled, depth)
    hits = relevant_hits(covid.hits, covid.judgments)
    return ReassessedScores(parse_measure(measure), hits, covid.judgments, contributed)


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        ("trec_robust2003_ap", ("std-ab", 0.9960, 0.00209, 0.00753, 0.00003, 0.22, 2)),
        ("trec_robust2003_ap", ("std-cdf", 0.9987, 0.00116, 0.00290, -0.00006, 0.10, 3)),
        ("named17_robust2003_ap", ("std-ab", 1.0, 0.01090, 0.02306, 0.00086, 0.06, 1)),
        # .9962 where rounding breaks one tie among its ten identical columns.
        ("trec_web2010_ndcg20", ("std-ab", 0.9963, 0.00139, 0.00465, 0.00049, 0.23, 2)),
        ("treccovid_round1_ndcg10", ("std-ab", 0.9990, 0.00118, 0.00276, 0.00007, 0.08, 1)),
    ],
)
def test_factors_by_run(shared, name, figures):
    scores = scaled(shared, name, "raw")
    (left,) = leave_one_out(scores, np.arange(scores.shape[1]), scales=figures[:1]).scales
    assert rounded(left) == figures
    assert left.tau == pytest.approx(kendalltau(left.official, left.left_out).statistic, abs=1e-12)
    assert (left.tau_low, left.tau_high) == published_interval(left.tau, scores.shape[1])


@pytest.mark.parametrize(
    ("number", "figures"),
    [
        (1, ("std-ab", 0.9951, 0.00306, 0.00739, 0.00005, 0.14, 3)),
        (1, ("std-cdf", 0.9963, 0.00297, 0.00664, -0.00004, 0.09, 2)),
        (3, ("std-ab", 0.9870, 0.00618, 0.02149, -0.00080, 0.16, 3)),
    ],
)
def test_factors_by_team(shared, number, figures):
    covid = treccovid(shared, number)
    (left,) = leave_one_out(covid.scores["ndcg10"], covid.team, scales=figures[:1]).scales
    assert rounded(left) == figures


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "measure", "depth", "figures", "most_harmed", "loss"),
    [
        (
            1,
            NDCG,
            7,
            [
                ("raw", 0.8957, 0.04526, 0.15951, -0.03296, 6.90, 33),
                ("std-ab", 0.8969, 0.02789, 0.10348, -0.02051, 7.47, 33),
                ("std-cdf", 0.8938, 0.05433, 0.16026, -0.03982, 7.43, 31),
            ],
            "xj4wang",
            0.1595,
        ),
        (
            1,
            "AP",
            7,
            [
                ("raw", 0.9598, 0.01014, 0.04366, -0.00717, 3.16, 28),
                ("std-ab", 0.9523, 0.01597, 0.07524, -0.01118, 3.76, 31),
            ],
            "xj4wang",
            0.0437,
        ),
        (
            3,
            NDCG,
            10,
            [
                ("raw", 0.7558, 0.10937, 0.36323, -0.07262, 7.96, 41),
                ("std-ab", 0.7519, 0.06911, 0.22023, -0.04544, 8.16, 42),
            ],
            "Emory_IRLab",
            0.3632,
        ),
    ],
)
def test_reassessed_by_team(shared, number, measure, depth, figures, most_harmed, loss):
    covid = treccovid(shared, number)
    scoring = reassessed(covid, measure, depth)
    scales = [row[0] for row in figures]
    done = []
    study = leave_one_out(
        scoring, covid.team, scales=scales, progress=lambda *counts: done.append(counts)
    )
    assert [rounded(left) for left in study.scales] == figures
    assert done[-1] == (len(covid.teams), len(covid.teams))
    raw = study.scales[0]
    worst = int((raw.left_out - raw.official).argmin())
    assert covid.teams[covid.team[worst]] == most_harmed
    assert raw.official[worst] - raw.left_out[worst] == pytest.approx(loss, abs=5e-5)


def test_reassessed_against_ir_measures(shared):
    """The filtered assessments as a file, scored by trec_eval."""
    try:
        ir_measures = importlib.import_module("ir_measures")
    except ModuleNotFoundError:
        pytest.skip("ir_measures is not installed")
    covid = treccovid(shared, 1)
    scoring = reassessed(covid, NDCG, 7)
    removed = np.array(covid.teams) == "xj4wang"
    kept = kept_judgments(scoring.contributed, removed)
    names = list(covid.documents)
    judgments = covid.judgments
    qrels = [
        ir_measures.Qrel(str(topic), names[document], int(grade))
        for topic, document, grade in zip(
            judgments.topic[kept], judgments.document[kept], judgments.grade[kept], strict=True
        )
    ]
    run = covid.runs.index("xj4wang_run1")
    retrieved = [
        ir_measures.ScoredDoc(str(topic), names[document], -rank)
        for topic, of_topic in enumerate(covid.lists[run])
        for rank, document in enumerate(of_topic)
        if document >= 0
    ]
    measure = ir_measures.nDCG(gains={1: 1, 2: 2}) @ 10
    (mean,) = ir_measures.calc_aggregate([measure], qrels, retrieved).values()
    ours = scoring(~removed, np.ones(len(covid.runs), dtype=bool))[:, run].mean()
    assert ours == pytest.approx(mean, abs=1e-12)
    assert round(ours, 6) == 0.491745


def test_remaining_relevant(shared):
    covid = treccovid(shared, 1)
    scoring = reassessed(covid, "AP", 7)
    everything = np.bincount(
        covid.judgments.topic[covid.judgments.grade > 0], minlength=len(covid.topics)
    )
    unique = (everything - remaining_relevant(scoring)).sum(axis=1)
    assert unique.sum() == 1068
    assert unique.max() == unique[covid.teams.index("xj4wang")] == 57


@pytest.mark.parametrize("name", ["trec_robust2003_ap", "named17_robust2003_ap"])
def test_differences_are_of_plain_means(shared, name):
    """Run by run in plain Python, with exact sums."""
    scores = scaled(shared, name, "raw")[:20, :12]

    def std_ab(run, others):
        of_topics = []
        for topic in scores.tolist():
            given = [topic[other] for other in others]
            mean, sd = statistics.fmean(given), statistics.stdev(given)
            of_topics.append(min(1, max(0, 0.15 * (topic[run] - mean) / sd + 0.5)))
        return statistics.fmean(of_topics)

    runs = range(scores.shape[1])
    change = [std_ab(run, [one for one in runs if one != run]) - std_ab(run, runs) for run in runs]
    (left,) = leave_one_out(scores, np.array(runs), scales=["std-ab"]).scales
    assert left.bias == pytest.approx(statistics.fmean(change), rel=1e-11)
    squares = statistics.fmean(one**2 for one in change)
    assert left.rmse == pytest.approx(math.sqrt(squares), rel=1e-11)
    assert left.largest == pytest.approx(max(map(abs, change)), rel=1e-11)


def test_runs_that_are_alike_tie_in_every_trial():
    """Three runs have the same scores on other topics, and one run is below all of them."""
    values = [0.432630790805, 0.42278467327, 0.669297298575]
    alike = np.array([np.roll(values, turn) for turn in range(3)]).T
    scores = np.hstack([alike, [[0.2], [0.3], [0.1]], [[0.7], [0.6], [0.8]]])
    assert np.unique(scores[:, :3].mean(axis=0)).size > 1
    (raw,) = leave_one_out(scores, np.arange(5), scales=["raw"]).scales
    # The pairs of the three runs tie in both rankings.
    assert raw.tau == 1
    (same,) = leave_one_out(alike, np.arange(3), scales=["raw"]).scales
    assert same.tau is None


SCORES = arrays(
    np.float64, (4, 6), elements=st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0])
).filter(lambda scores: bool((np.ptp(scores, axis=1) > 0).any()))


@given(SCORES)
def test_closed_form_by_run(scores):
    """z_loo follows from z and m, but where the others tie."""
    runs = scores.shape[1]
    factors = fit_factors(scores)
    z = (scores - factors.mean[:, None]) / np.where(factors.sd > 0, factors.sd, 1)[:, None]
    square = (runs - 1 - runs * z**2 / (runs - 1)) / (runs - 2)
    tied = square < 1e-9
    z_loo = np.where(tied, 0, z * runs / (runs - 1) / np.sqrt(np.where(tied, 1, square)))
    study = leave_one_out(scores, np.arange(runs), scales=["std"])
    np.testing.assert_allclose(study.scales[0].left_out, z_loo.mean(axis=0), atol=1e-10)
    assert {(one.group, one.topic) for one in study.tied} == {
        (int(run), int(topic)) for topic, run in np.argwhere(tied)
    }


@given(
    SCORES,
    st.sampled_from([[0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 2], [0, 1, 2, 3, 4, 5]]),
    st.permutations(range(6)),
    st.permutations(range(4)),
)
def test_naive_refitting_and_permutations(scores, groups, runs, topics):
    groups = np.array(groups)
    study = leave_one_out(scores, groups, scales=ALL)
    for left in study.scales[1:]:
        for run in range(6):
            others = groups != groups[run]
            factors = fit_factors(scores[:, others])
            trial = scale_scores(scores, factors.mean, factors.sd, left.scale).mean(axis=0)
            whole = fit_factors(scores)
            official = scale_scores(scores, whole.mean, whole.sd, left.scale).mean(axis=0)
            assert left.left_out[run] == pytest.approx(trial[run], abs=1e-9)
            above = (trial[others] > trial[run] + 1e-9).sum()
            before = (official[others] > official[run] + 1e-9).sum()
            assert left.rank_shift[run] == above - before
    raw = study.scales[0]
    assert raw.left_out.tolist() == raw.official.tolist()
    assert (raw.rmse, raw.largest, raw.bias, raw.largest_rank_shift) == (0, 0, 0, 0)

    # Other orders of runs and topics, and the pieces in a list.
    other = leave_one_out(
        scores[topics][:, runs], groups[runs], scales=ALL, mapped=lambda *work: list(map(*work))
    )
    for left, again in zip(study.scales, other.scales, strict=True):
        np.testing.assert_allclose(left.left_out[runs], again.left_out, atol=1e-10)
        assert left.rank_shift[runs].tolist() == again.rank_shift.tolist()
    assert {(one.group, one.topic) for one in study.tied} == {
        (one.group, topics[one.topic]) for one in other.tied
    }


def test_teams_that_contributed_nothing(shared):
    """Leaving out nobody gives the official scores; a team without pooled runs loses nothing."""
    covid = treccovid(shared, 1)
    scoring = reassessed(covid, "AP", 7)
    everybody = np.ones(len(covid.runs), dtype=bool)
    official = scoring(np.ones(len(covid.teams), dtype=bool), everybody)
    np.testing.assert_allclose(official, covid.scores["map"], atol=1e-10)

    outside = covid.team == covid.teams.index("xj4wang")
    pooled = covid.pooled & ~outside
    contributed = find_contributions(covid.hits, covid.judgments, covid.team, pooled, 7)
    raw, ab = leave_one_out(
        replace(scoring, contributed=contributed), covid.team, scales=ALL[:2]
    ).scales
    assert raw.left_out[outside].tolist() == raw.official[outside].tolist()
    (factors_only,) = leave_one_out(official, covid.team, scales=["std-ab"]).scales
    assert ab.left_out[outside].tolist() == factors_only.left_out[outside].tolist()


def test_flagged_topics_and_policies(shared):
    scores = scaled(shared, "trec_adhoc5_p10", "raw")
    runs = np.arange(scores.shape[1])
    (flagged,) = leave_one_out(scores, runs).tied
    assert scores[flagged.topic, flagged.group] > 0
    assert not np.delete(scores[flagged.topic], flagged.group).any()
    dropped = leave_one_out(scores, runs, scales=["std-ab"], zero_sd="drop").scales[0]
    average = leave_one_out(scores, runs, scales=["std-ab"]).scales[0]
    assert (dropped.left_out != average.left_out)[flagged.group]

    # Runs that do not standardise are scored, and change nothing by being left out.
    standardising = runs >= 5
    part = leave_one_out(scores, runs, scales=["std-ab"], standardising=standardising).scales[0]
    np.testing.assert_allclose(part.left_out[:5], part.official[:5], atol=1e-12)


@pytest.mark.long
def test_work_can_go_to_other_processes(shared):
    covid = treccovid(shared, 1)
    scoring = reassessed(covid, NDCG, 7)

    def carried(function, pieces):
        for piece in pieces:
            work = pickle.loads(pickle.dumps((function, piece)))
            yield pickle.loads(pickle.dumps(work[0](work[1])))

    here = leave_one_out(scoring, covid.team, scales=ALL)
    there = leave_one_out(scoring, covid.team, scales=ALL, mapped=carried)
    for left, other in zip(here.scales, there.scales, strict=True):
        assert left.left_out.tolist() == other.left_out.tolist()


def test_bad_input():
    scores = np.array([[0.1, 0.2, 0.4], [0.3, 0.1, 0.5]])
    for matrix, groups, message in (
        (scores[:, :1], [0], "needs at least 2 runs, not 1"),
        (scores, [0, 0, 0], "needs runs of at least two teams"),
        (scores, [0, 0, 1], "besides those that are left out, and once 1 would"),
        (np.ones((2, 3)), [0, 1, 2], "all 3 runs tie on every topic"),
        (scores * np.nan, [0, 1, 2], "finite score in every cell"),
    ):
        with pytest.raises(ImpossibleStatisticError, match=message):
            leave_one_out(matrix, groups)
    with pytest.raises(ImpossibleStatisticError, match="tie on every topic"):
        leave_one_out(np.array([[0.1, 0.1, 0.5]] * 2), [0, 1, 2], zero_sd="drop")
    (raw,) = leave_one_out(scores[:, :2], [0, 1], scales=["raw"]).scales
    assert raw.tau == 1
