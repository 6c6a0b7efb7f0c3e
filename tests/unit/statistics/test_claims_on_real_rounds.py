"""What the pages of the statistics say of real rounds, by sums over their files."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from roundbook.statistics.design import solve_topics
from roundbook.statistics.standardisation import fit_factors, standardise, std_ab


def read(shared, name):
    """The topics and the scores of a wide file."""
    with (shared / f"data/{name}.csv").open(encoding="utf-8") as file:
        rows = [line.strip().split(",") for line in file][1:]
    return [row[0] for row in rows], np.array([row[1:] for row in rows], float)


def two_way(scores):
    residuals = scores - scores.mean(0) - scores.mean(1, keepdims=True) + scores.mean()
    return (residuals**2).sum() / np.prod(np.array(scores.shape) - 1)


@pytest.mark.parametrize(
    ("name", "reliability", "tau"),
    [
        ("adhoc/trec_robust2003_ap", 0.944, 0.74),
        ("ntcir7_ir4qa/ntcir7ir4qa_q1000", 0.978, 0.83),
    ],
)
def test_a_reliability_is_no_repeated_ranking(shared, name, reliability, tau):
    _, scores = read(shared, name)
    half, rng, taus = len(scores) // 2, np.random.default_rng(1), []
    for _ in range(100):
        order = rng.permutation(len(scores))
        means = (scores[part].mean(0) for part in (order[:half], order[half : 2 * half]))
        taus.append(kendalltau(*means).statistic)
    residual = two_way(scores)
    system = scores.mean(0).var(ddof=1) - residual / len(scores)
    assert system / (system + residual / half) == pytest.approx(reliability, abs=0.0005)
    assert np.mean(taus) == pytest.approx(tau, abs=0.008)


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [("adhoc/trec_robust2003_ap", 1.3, 1.7), ("treccovid/treccovid_round1_p5", 0.5, 0.9)],
)
def test_the_best_and_the_worst_differ_by_another_variance(shared, name, least, most):
    _, scores = read(shared, name)
    rng = np.random.default_rng(2)
    for size in (5, 10, 20):
        ratios = []
        for _ in range(300):
            drawn = scores[:, rng.choice(scores.shape[1], size, replace=False)]
            order = drawn.mean(0).argsort()
            difference = drawn[:, order[-1]] - drawn[:, order[0]]
            ratios.append(difference.var(ddof=1) / (2 * two_way(scores)))
        assert least - 0.05 < np.mean(ratios) < most + 0.05


@pytest.mark.parametrize(
    ("first", "later", "variances", "sizes"),
    [(1, 3, (0.01283, 0.01094), (42, 36)), (1, 2, None, (44, 44))],
)
def test_what_aged_factors_cost_on_shared_topics(shared, first, later, variances, sizes):
    (topics, scores), (later_topics, later_scores) = (
        read(shared, f"treccovid/treccovid_round{number}_ndcg10") for number in (first, later)
    )
    both = [topic for topic in topics if topic in later_topics]
    before, after = (
        table[[names.index(topic) for topic in both]]
        for names, table in ((topics, scores), (later_topics, later_scores))
    )
    found = [
        two_way(std_ab(standardise(after, factors.mean, factors.sd)))
        for factors in map(fit_factors, (before, after))
    ]
    if variances:
        assert found == pytest.approx(variances, abs=5e-6)
    planned = [int(solve_topics("tukey", 0.1, value, runs=10).topics) for value in found]
    assert planned == list(sizes)
