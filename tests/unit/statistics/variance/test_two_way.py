"""The two-way residual variance, against plain loops and statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from tests.unit.statistics.score_files import read_scores

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.variance.residual import residual_variance, two_way_variance

MATRICES = arrays(
    np.float64,
    array_shapes(min_dims=2, max_dims=2, min_side=2, max_side=7),
    elements=st.floats(-2, 2, allow_subnormal=False),
)


def naive_mean_squares(scores):
    rows = scores.tolist()
    n, m = len(rows), len(rows[0])
    run_means = [sum(row[i] for row in rows) / n for i in range(m)]
    topic_means = [sum(row) / m for row in rows]
    mean = sum(run_means) / m
    residual = sum(
        (rows[j][i] - run_means[i] - topic_means[j] + mean) ** 2 for i in range(m) for j in range(n)
    )
    system = n * sum((run_mean - mean) ** 2 for run_mean in run_means) / (m - 1)
    topic = m * sum((topic_mean - mean) ** 2 for topic_mean in topic_means) / (n - 1)
    return residual, system, topic


@given(MATRICES)
def test_equals_plain_loops(scores):
    result = two_way_variance(scores)
    residual, system, topic = naive_mean_squares(scores)
    dof = (scores.shape[0] - 1) * (scores.shape[1] - 1)
    assert result.variance == pytest.approx(residual / dof, rel=1e-9, abs=1e-13)
    assert result.system_mean_square == pytest.approx(system, rel=1e-9, abs=1e-13)
    assert result.topic_mean_square == pytest.approx(topic, rel=1e-9, abs=1e-13)
    assert (result.topics, result.runs) == scores.shape


@given(MATRICES)
def test_the_one_way_residual_is_split(scores):
    result = two_way_variance(scores)
    one_way = residual_variance(scores) * scores.shape[1] * (scores.shape[0] - 1)
    split = (result.topics - 1) * ((result.runs - 1) * result.variance + result.topic_mean_square)
    assert split == pytest.approx(one_way, rel=1e-9, abs=1e-13)


@given(MATRICES, st.randoms(use_true_random=False))
def test_order_of_runs_and_topics_is_nothing_to_it(scores, random):
    topics, runs = list(range(scores.shape[0])), list(range(scores.shape[1]))
    random.shuffle(topics)
    random.shuffle(runs)
    before, after = two_way_variance(scores), two_way_variance(scores[np.ix_(topics, runs)])
    for name in ("variance", "system_mean_square", "topic_mean_square"):
        assert getattr(after, name) == pytest.approx(getattr(before, name), rel=1e-9, abs=1e-13)


@given(MATRICES)
def test_transposing_swaps_runs_and_topics(scores):
    before, after = two_way_variance(scores), two_way_variance(scores.T)
    assert after.variance == pytest.approx(before.variance, rel=1e-9, abs=1e-13)
    assert after.system_mean_square == pytest.approx(before.topic_mean_square, rel=1e-9, abs=1e-13)


def test_statsmodels(shared):
    import pandas as pd
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    scores = read_scores(shared, "treccovid_round1_ndcg10")[:, :12]
    topic, run = np.indices(scores.shape)
    table = pd.DataFrame({"score": scores.ravel(), "topic": topic.ravel(), "run": run.ravel()})
    anova = anova_lm(ols("score ~ C(run) + C(topic)", data=table).fit())
    result = two_way_variance(scores)
    assert result.system_mean_square == pytest.approx(anova["mean_sq"]["C(run)"], rel=1e-9)
    assert result.topic_mean_square == pytest.approx(anova["mean_sq"]["C(topic)"], rel=1e-9)
    assert result.variance == pytest.approx(anova["mean_sq"]["Residual"], rel=1e-9)


def test_robust2003(shared):
    scores = read_scores(shared, "trec_robust2003_ap")
    residual, system, topic = naive_mean_squares(scores)
    result = two_way_variance(scores)
    dof = (len(scores) - 1) * (scores.shape[1] - 1)
    assert result.variance == pytest.approx(residual / dof, rel=1e-11)
    assert result.system_mean_square == pytest.approx(system, rel=1e-11)
    assert result.topic_mean_square == pytest.approx(topic, rel=1e-11)
    assert result.variance < residual_variance(scores)


@pytest.mark.parametrize("value", [0.1, 0.7, 1 / 3])
def test_what_does_not_vary_has_exactly_no_mean_square(value):
    constant = two_way_variance(np.full((7, 5), value))
    assert constant.variance == constant.system_mean_square == constant.topic_mean_square == 0
    column = np.random.default_rng(1).random((7, 1)) * value
    alike = two_way_variance(np.repeat(column, 5, axis=1))
    assert alike.variance == alike.system_mean_square == 0 < alike.topic_mean_square
    easy = two_way_variance(np.repeat(column.T, 5, axis=0))
    assert easy.variance == easy.topic_mean_square == 0 < easy.system_mean_square


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.1, 0.2]], r"The two-way residual variance needs at least 2 topic"),
        ([[0.1], [0.2]], "at least 2 run"),
        ([0.1, 0.2], r"\(topics, runs\) matrix"),
        ([[0.1, 0.2], [np.nan, 0.1]], "nan at topic index 1, run index 0"),
        ([[0.1, 0.2], [np.inf, 0.1]], "inf at topic index 1"),
    ],
)
def test_refused(scores, message):
    with pytest.raises(ImpossibleStatisticError, match=message):
        two_way_variance(scores)


def test_how_much_larger_the_one_way_variance_is_in_public_campaigns(shared):
    """The range that the page on topic set size names, over the complete matrices of raw scores."""
    ratios = []
    for folder in ("adhoc", "longeval2023", "ntcir7_ir4qa", "treccovid", "web"):
        for path in sorted((shared / "data" / folder).glob("*.csv")):
            if path.stem.endswith(("run_team", "relevant_hits")) or "irc_st_" in path.stem:
                continue  # no scores, or some are missing
            scores = np.loadtxt(
                [line.split(",", 1)[1] for line in path.read_text().splitlines()[1:]], delimiter=","
            )
            ratios.append(residual_variance(scores) / two_way_variance(scores).variance)
    assert len(ratios) == 39
    assert (min(ratios), max(ratios)) == pytest.approx((1.35, 5.22), abs=5e-3)
