"""Pilots of fewer teams or topics: enumerations, published checks on TREC-COVID, symmetries."""

from __future__ import annotations

import pickle
from functools import partial
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.unit.statistics.studies.matrices import XYZ
from tests.unit.statistics.treccovid import treccovid

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.hits import relevant_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.studies.pilot_results import (
    PUBLISHED,
    Setting,
    draw_variance,
    planned_topics,
    spread_of,
)
from roundbook.statistics.studies.pilots import team_subsets, topic_subsets
from roundbook.statistics.studies.scoring import (
    ReassessedScores,
    SameScores,
    find_contributions,
    kept_judgments,
    team_numbers,
)
from roundbook.statistics.variance.residual import residual_variance

GAINS = "gains=1:1,2:3"
MEASURES = {
    "nG@1": f"nG({GAINS})@1",
    "P+": f"P+({GAINS})@10",
    "nERR@10": f"nERR({GAINS})@10",
    "nDCG@10": f"nDCG({GAINS})@10",
    "Q@10": f"Q({GAINS})@10",
    "AP": "AP",
    "P@5": "P@5",
}
# Variance and planned topics of all teams: round 1, round 3.
WHOLE = """
nG@1 .164020 230 .177366 248
P+ .106130 149 .101863 143
nERR@10 .100154 141 .095836 135
nDCG@10 .052962 75 .073100 103
Q@10 .051323 73 .086535 122
AP .017075 25 .014474 21
P@5 .078930 111 .090141 127
"""
# Sixteen runs of six teams, and the assessments that there would have been with them alone.
SIX = ("UIowaS", "BITEM", "Factum", "BRPHJ_NLP", "UB_BW", "IRLabKU")
OF_SIX = {
    "nG@1": (0.152487, 29),
    "P+": (0.110351, 30),
    "nERR@10": (0.102404, 30),
    "nDCG@10": (0.040133, 30),
    "Q@10": (0.029125, 30),
}
# Sd of V_E over 2,000 sets of 10 and of 20 topics; a dash where the one at hand is not the exact one.
OF_TOPICS = """
nG@1 .0087 .0040
P+ .0066 .0032
nERR@10 .0070 .0034
nDCG@10 .0082 .0040
Q@10 .0096 .0047
AP .0066 .0032
P@5 .0067 -
"""
# Mean V_E over 100 draws and its sd, by teams left.
OF_TEAMS = """
nG@1 28 keep .1631 .0083 reduce .1633 .0084
nG@1 16 keep .1631 .0143 reduce .1636 .0148
nG@1 10 keep .1631 .0209 reduce .1634 .0226
nG@1 6 keep .1639 .0262 reduce .1637 .0285
nG@1 3 keep .1644 .0314 reduce .1639 .0364
nERR@10 28 keep .0995 .0049 reduce .1005 .0051
nERR@10 16 keep .0998 .0079 reduce .1018 .0085
nERR@10 10 keep .0999 .0111 reduce .1025 .0124
nERR@10 6 keep .1006 .0142 reduce .1032 .0160
nERR@10 3 keep .1027 .0190 reduce .1042 .0226
nDCG@10 28 keep .0523 .0034 reduce .0498 .0034
nDCG@10 16 keep .0521 .0056 reduce .0469 .0055
nDCG@10 10 keep .0518 .0084 reduce .0441 .0077
nDCG@10 6 keep .0518 .0102 reduce .0419 .0089
nDCG@10 3 keep .0524 .0142 reduce .0417 .0114
Q@10 28 keep .0507 .0037 reduce .0467 .0037
Q@10 16 keep .0502 .0062 reduce .0420 .0061
Q@10 10 keep .0499 .0094 reduce .0376 .0084
Q@10 6 keep .0499 .0116 reduce .0329 .0095
Q@10 3 keep .0501 .0164 reduce .0288 .0108
AP 28 keep .0169 .0015 reduce .0175 .0017
AP 16 keep .0167 .0023 reduce .0176 .0027
AP 10 keep .0168 .0036 reduce .0178 .0042
AP 6 keep .0168 .0044 reduce .0183 .0048
AP 3 keep .0167 .0065 reduce .0210 .0071
"""


def rows_of(table):
    return [line.split() for line in table.strip().splitlines()]


def reassessed(shared, measure, number=1, depth=7):
    """Return what scores by reduced assessments, the round, and the scores with all teams."""
    of_round = treccovid(shared, number)
    contributed = find_contributions(
        of_round.hits, of_round.judgments, of_round.team, of_round.pooled, depth
    )
    parsed = parse_measure(MEASURES[measure])
    hits = relevant_hits(of_round.hits, of_round.judgments, parsed.cutoff)
    score = ReassessedScores(parsed, hits, of_round.judgments, contributed)
    teams = np.ones(len(of_round.teams), dtype=bool)
    return score, of_round, score(teams, teams[of_round.team])


def test_over_all_topic_sets_the_mean_is_the_variance_of_all_topics():
    topics, whole = len(XYZ[:8]), residual_variance(XYZ[:8])
    for number in (2, 3, 5):
        variances = [
            residual_variance(XYZ[list(chosen)]) for chosen in combinations(range(topics), number)
        ]
        assert np.mean(variances) == pytest.approx(whole, rel=1e-12)


def test_over_all_teams_of_as_many_runs_the_mean_is_the_variance_of_all_runs():
    rng = np.random.default_rng(0)
    scores = rng.random((7, 10)).round(2)
    team = np.repeat(range(5), 2)
    whole = draw_variance(scores)[0]
    for left in (1, 2, 4):
        variances = [
            draw_variance(SameScores(scores)(np.isin(range(5), chosen), np.isin(team, chosen)))[0]
            for chosen in combinations(range(5), left)
        ]
        assert np.mean(variances) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("number", [1, 3])
def test_whole_rounds(shared, number):
    for name, *numbers in rows_of(WHOLE):
        variance, topics = numbers[:2] if number == 1 else numbers[2:]
        _, of_round, scores = reassessed(shared, name, number)
        measured = draw_variance(scores)
        assert measured[0] == pytest.approx(float(variance), abs=5.1e-7), name
        assert measured[1:] == (len(of_round.topics), len(of_round.runs))
        assert planned_topics(np.array(measured[:1]), PUBLISHED).tolist() == [int(topics)]


def test_six_teams_alone(shared):
    for name, (variance, topics) in OF_SIX.items():
        score, of_round, _ = reassessed(shared, name)
        left = np.isin(of_round.teams, SIX)
        assert kept_judgments(score.contributed, ~left).sum() == 2_879
        measured = draw_variance(score(left, left[of_round.team]))
        assert measured[0] == pytest.approx(variance, abs=5.1e-7)
        assert measured[1:] == (topics, 16)


def check_teams(shared, name, trials, modes):
    score, of_round, scores = reassessed(shared, name)
    numbers = [28, 16, 10, 6, 3]
    studies = {
        mode: team_subsets(how, of_round.team, numbers=numbers, trials=trials)
        for mode, how in (("keep", SameScores(scores)), ("reduce", score))
        if mode in modes
    }
    for measure, left, *cells in rows_of(OF_TEAMS):
        for mode, mean, sd in (cells[:3], cells[3:]):
            if measure == name and mode in studies:
                size = studies[mode].sizes[numbers.index(int(left))]
                slack = 4 * float(sd) * np.sqrt(1 / 100 if trials >= 100 else 1 / trials)
                assert size.variance.mean == pytest.approx(float(mean), abs=slack), (left, mode)
                # Two sds of normal values, each with a relative error of 1/sqrt(2 trials).
                error = 4 * np.sqrt(1 / 200 + 1 / (2 * trials))
                assert size.variance.sd == pytest.approx(float(sd), rel=error), (left, mode)


def test_fewer_teams(shared):
    check_teams(shared, "Q@10", 25, ("keep", "reduce"))
    check_teams(shared, "AP", 100, ("keep",))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nG@1", "nERR@10", "nDCG@10", "Q@10", "AP"])
def test_fewer_teams_of_every_measure(shared, name):
    check_teams(shared, name, 100, ("keep", "reduce"))


def exact_sd(scores, number):
    """Sd of V_E over all sets of so many topics: it is a mean over pairs of topics."""
    topics = len(scores)
    pair = ((scores[:, None] - scores) ** 2).mean(axis=2) / 2
    total, same = pair.sum() / 2, (pair**2).sum() / 2
    sharing = (pair.sum(axis=1) ** 2).sum() - 2 * same
    two = number * (number - 1) / (topics * (topics - 1))
    three = two * (number - 2) / (topics - 2)
    four = three * (number - 3) / (topics - 3)
    square = two * same + three * sharing + four * (total**2 - same - sharing)
    return np.sqrt(square - (two * total) ** 2) / (number * (number - 1) / 2)


def test_fewer_topics(shared):
    for name, of_ten, of_twenty in rows_of(OF_TOPICS):
        _, _, scores = reassessed(shared, name)
        pilots = topic_subsets(scores, numbers=[10, 20], trials=1_000)
        for size, printed in zip(pilots.sizes, (of_twenty, of_ten), strict=True):
            sd = exact_sd(scores, size.size)
            # 4 errors of the sd over 1,000 sets, and of that over 2,000, which is rounded.
            assert size.variance.sd == pytest.approx(sd, rel=0.09), name
            if printed != "-":
                assert sd == pytest.approx(float(printed), rel=0.065, abs=5e-5), name
            assert size.variance.mean == pytest.approx(pilots.variance, abs=4 * sd / 1_000**0.5)
            assert (size.fewest_topics, size.fewest_runs) == (size.size, 143)


def test_one_trial_step_by_step():
    """The draws as they are documented: pieces of ten, each with a generator of its own."""
    teams = team_numbers(["b", "a", "b", None, "a"])
    assert teams.tolist() == [1, 0, 1, 2, 0]
    scores = np.random.default_rng(3).random((6, 5))
    pilots = team_subsets(SameScores(scores), teams, numbers=[2, 1], trials=12)
    sequence = np.random.SeedSequence(0).spawn(3)[2]
    variances = []
    for piece, trials in zip(sequence.spawn(2), (10, 2), strict=True):
        generator = np.random.default_rng(piece)
        for _ in range(trials):
            left = generator.permutation(3)[:2]
            runs = np.isin(teams, left)
            variances.append(scores[:, runs].var(axis=0, ddof=1).mean())
    size = pilots.sizes[0]
    assert size.variance.mean == pytest.approx(np.mean(variances))
    assert size.variance.sd == pytest.approx(np.std(variances, ddof=1))
    low, high = np.quantile(variances, [0.025, 0.975])
    assert (size.variance.low, size.variance.high) == (pytest.approx(low), pytest.approx(high))
    half = 2.200985160 * np.std(variances, ddof=1) / np.sqrt(12)
    assert size.variance.mean_high - size.variance.mean == pytest.approx(half)
    alone = team_subsets(SameScores(scores), teams, numbers=[2], trials=12)
    assert alone.sizes == pilots.sizes[:1]


def test_topic_sets_of_a_trial_are_nested_and_pieces_may_go_anywhere():
    def elsewhere(function, work):
        """Do the last piece first, by what arrives at another process."""
        sent = [pickle.loads(pickle.dumps((function, piece))) for piece in work]
        return [function(piece) for function, piece in sent[::-1]][::-1]

    scores = np.random.default_rng(1).random((30, 4))
    steps = []
    pilots = topic_subsets(scores, trials=25, progress=lambda *done: steps.append(done))
    assert [size.size for size in pilots.sizes] == [25, 10]
    assert steps == [(10, 25), (20, 25), (25, 25)]
    assert topic_subsets(scores, trials=25, mapped=elsewhere) == pilots
    assert topic_subsets(scores, trials=25, seed=1) != pilots
    left = partial(team_subsets, SameScores(scores), np.arange(4), trials=15)
    assert left(mapped=elsewhere) == left()
    order = np.random.default_rng(np.random.SeedSequence(0).spawn(1)[0]).permutation(30)
    first = topic_subsets(scores, trials=1)
    assert [size.variance.mean for size in first.sizes] == [
        draw_variance(scores[order[:number]])[0] for number in (25, 10)
    ]
    assert [size.size for size in topic_subsets(scores[:7], trials=1).sizes] == [3]


def test_topics_on_which_nobody_scores_are_dropped():
    scores = np.zeros((5, 4))
    scores[:, 3] = [0.1, 0.2, 0.3, 0.4, 0.9]
    scores[0, :3] = 0.5
    scores[1, 0] = 0.25
    assert draw_variance(scores)[1:] == (5, 4)
    assert draw_variance(scores[:, :1]) == (pytest.approx(0.03125), 2, 1)
    variance, topics, runs = draw_variance(scores[:, 1:3])
    assert (np.isnan(variance), topics, runs) == (True, 1, 2)
    (size,) = team_subsets(SameScores(scores), np.arange(4), numbers=[1], trials=40).sizes
    assert (size.trials, size.single_runs) == (40, 40)
    assert (size.fewest_topics, size.most_topics) == (1, 5)
    assert 0 < size.without_value < 40
    # Without a value there is nothing to average, and with one no interval.
    assert spread_of(np.array([])).mean is None
    assert spread_of(np.array([0.2])).sd is spread_of(np.array([0.2])).mean_low is None


def test_planned_topics_follow_the_setting():
    variances = np.array([0.05, 0.0, 0.2, 0.05])
    assert planned_topics(variances, Setting(min_d=0.1)).tolist() == [158, 2, 627, 158]
    assert planned_topics(variances, Setting(0.01, 0.1, 0.2, 2)).tolist() == [39, 2, 151, 39]


@given(
    arrays(float, (6, 5), elements=st.integers(0, 20).map(lambda score: score / 20)),
    st.permutations(range(5)),
)
def test_the_order_of_runs_changes_nothing(scores, order):
    scores[0] = np.arange(5) / 5
    scores[1, :] = 0.5
    teams = ["x", "y", "y", "z", "x"]
    numbered = team_numbers(teams)
    expected = team_subsets(SameScores(scores), numbered, trials=10)
    again = team_numbers([teams[run] for run in order])
    moved = team_subsets(SameScores(scores[:, order]), again, trials=10)
    of_topics = topic_subsets(scores, trials=5)
    assert topic_subsets(scores[:, order], trials=5).variance == pytest.approx(of_topics.variance)
    for one, other in zip(expected.sizes, moved.sizes, strict=True):
        assert (one.fewest_runs, one.most_runs) == (other.fewest_runs, other.most_runs)
        assert (one.fewest_topics, one.without_value) == (other.fewest_topics, other.without_value)
        assert one.variance.mean == pytest.approx(other.variance.mean)
    # The order of topics concerns their subsets only; half the scores have a quarter the variance.
    turned = team_subsets(SameScores(scores[::-1] / 2), numbered, trials=10)
    for one, other in zip(expected.sizes, turned.sizes, strict=True):
        assert one.variance.mean == pytest.approx(4 * other.variance.mean)


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (lambda: topic_subsets(XYZ[:2]), "needs at least 3 topics, not 2"),
        (lambda: topic_subsets(XYZ, numbers=[20]), "leaves 2 to 19 of them, not 20"),
        (lambda: topic_subsets(XYZ, numbers=[1]), "leaves 2 to 19 of them, not 1"),
        (lambda: topic_subsets(XYZ, numbers=[]), "not none"),
        (lambda: topic_subsets(XYZ, trials=0), "whole number of trials"),
        (lambda: topic_subsets(np.full((5, 3), 0.2)), "all 3 runs tie on every topic"),
        (lambda: topic_subsets(np.vstack([XYZ[:1], 0 * XYZ])), "2 topics on which any run scores"),
        (lambda: topic_subsets(XYZ, setting=Setting(min_d=0)), "minD"),
        (
            lambda: team_subsets(SameScores(XYZ), team_numbers("aaa")),
            "at least two teams, not of 1",
        ),
        (
            lambda: team_subsets(SameScores(XYZ), np.array([0, 1, 1]), numbers=[2]),
            "leaves 1 to 1 of them, not 2",
        ),
    ],
)
def test_refused(study, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        study()


def test_larger_pilots_spread_less():
    scores = np.random.default_rng(2).random((60, 6))
    sds = [size.variance.sd for size in topic_subsets(scores, numbers=[50, 25, 10, 5]).sizes]
    assert all(one < other for one, other in pairwise(sds))
