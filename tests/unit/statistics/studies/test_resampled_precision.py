"""Lists drawn again: a list small enough for exact values, and draws document by document."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.statistics.studies.drawn_lists import naive_draws, robust2003

from roundbook.statistics.studies.resampled_precision import (
    resample_ranks,
    resample_scores,
    score_density,
    silverman_bandwidth,
)

# Average precision with R of the assessments: mean and sd of 20,000 draws document by document, by
# ranks and by score densities; and as it is.
CELLS = [
    ("InexpC2", "303", (0.1229, 0.0737), (0.1359, 0.0845), 0.1077),
    ("pircRBa1", "307", (0.0532, 0.0199), (0.0510, 0.0192), 0.0502),
    ("THUIRr0301", "303", (0.2838, 0.1699), (0.2717, 0.1669), 0.2637),
]


def agree(precisions, mean, sd, draws):
    """Check mean and sd of 20,000 draws against those of others, within 4 standard errors."""
    error = sd * math.sqrt(1 / precisions.size + 1 / draws)
    assert precisions.mean() == pytest.approx(mean, abs=4 * error + 5e-5)
    # The sd of an sd, of what is not normal but has a kurtosis below 6.
    assert precisions.std() == pytest.approx(sd, abs=4 * error * math.sqrt(5 / 4) + 5e-5)


def test_one_relevant_document_above_another():
    # P(r* = 1) + 2 P(r* >= 2), and 1 - 1/e.
    precisions, relevant = resample_ranks(np.random.default_rng(1), 400_000, np.array([1]), 2, 2)
    assert precisions.mean() == pytest.approx(0.8964, abs=0.005)
    assert (precisions / np.maximum(relevant, 1)).mean() == pytest.approx(0.6321, abs=0.003)
    assert (relevant.min(), relevant.max()) == (0, 2)
    # The relevant one is last: nonrelevant copies are above it, unless there are none.
    precisions, relevant = resample_ranks(np.random.default_rng(2), 1_000, np.array([2]), 2, 2)
    assert (precisions == np.choose(relevant, [0, 0.5, 2])).all()


@pytest.mark.long
@pytest.mark.parametrize(("run", "topic", "by_rank", "by_score", "real"), CELLS)
def test_document_by_document(shared, run, topic, by_rank, by_score, real):
    runs, topics, lists = robust2003(shared)
    i, j = runs.index(run), topics.index(topic)
    ranks = lists.rank[(lists.run == i) & (lists.topic == j)]
    scores, whole = lists.scores[i, j], lists.relevant[j]
    assert round((np.arange(1, ranks.size + 1) / ranks).sum() / whole, 4) == real
    generator = np.random.default_rng(3)
    drawn, relevant = resample_ranks(generator, 20_000, ranks, 100, 100)
    agree(drawn / whole, *by_rank, 20_000)
    naive, counts = naive_draws(generator, 2_000, ranks, 100)
    agree(drawn / whole, (naive / whole).mean(), (naive / whole).std(), 2_000)
    agree(relevant, counts.mean(), counts.std(), 2_000)
    drawn, _ = resample_scores(generator, 20_000, score_density(scores, ranks), 100)
    agree(drawn / whole, *by_score, 20_000)
    naive, _ = naive_draws(generator, 2_000, ranks, 100, scores)
    agree(drawn / whole, (naive / whole).mean(), (naive / whole).std(), 2_000)
    # More documents than the list has.
    drawn, _ = resample_ranks(generator, 20_000, ranks, 100, 300)
    naive, _ = naive_draws(generator, 1_000, ranks, 100, drawn=300)
    agree(drawn, naive.mean(), naive.std(), 1_000)


def test_chances_on_the_grid():
    scores = np.random.default_rng(4).gamma(2, 3, 400)
    ranks = np.array([1, 7, 90])
    density = score_density(scores, ranks)
    others = np.delete(scores, ranks - 1)
    width = others.std(ddof=1) * (0.75 * 397) ** -0.2
    at = density.start + density.step * np.arange(density.above.size)
    exact = [
        np.mean([math.erfc((score - one) / width / math.sqrt(2)) / 2 for one in others])
        for score in at[::7]
    ]
    assert density.above[::7] == pytest.approx(exact, abs=1e-4)
    assert silverman_bandwidth(others) == pytest.approx(width)
    assert (silverman_bandwidth(others[:1]), silverman_bandwidth(np.ones(4))) == (0, 0)


def test_equal_scores_are_in_random_order():
    density = score_density(np.full(4, 7.0), np.array([1]))
    precisions, relevant = resample_scores(np.random.default_rng(5), 40_000, density, 4)
    # One relevant document is at ranks 1 to 4, each as often.
    assert precisions[relevant == 1].mean() == pytest.approx(25 / 48, abs=0.02)


@st.composite
def small_lists(draw):
    length = draw(st.integers(1, 12))
    ranks = draw(st.sets(st.integers(1, length), min_size=1))
    return length, np.array(sorted(ranks))


def test_rounding_errors_of_a_processor_draw_no_other_lists():
    random, noise = np.random.default_rng(3), np.random.default_rng(4)
    for seed in range(100):
        length, relevant = random.integers(20, 200), random.integers(1, 15)
        ranks = np.sort(random.choice(length, relevant, replace=False)) + 1
        density = score_density(np.sort(random.gamma(2, 3, length))[::-1], ranks)
        other = replace(
            density, above=density.above + 1e-16 * noise.normal(size=density.above.size)
        )
        once, again = (
            resample_scores(np.random.default_rng(seed), 200, drawn, length)[0]
            for drawn in (density, other)
        )
        assert once == pytest.approx(again)


@given(small_lists(), st.integers(1, 15), st.integers(-3, 3), st.integers(0, 99))
def test_bounds_and_scales(small, drawn, power, seed):
    length, ranks = small
    precisions, relevant = resample_ranks(np.random.default_rng(seed), 50, ranks, length, drawn)
    assert relevant.max() <= drawn
    assert (precisions <= relevant + 1e-9).all()
    assert ((precisions > 0) == (relevant > 0)).all()
    # All relevant documents first: precision is 1 at each.
    first = np.arange(1, ranks.size + 1)
    precisions, relevant = resample_ranks(np.random.default_rng(seed), 50, first, length, drawn)
    assert precisions == pytest.approx(relevant)
    if length - ranks.size < 2:
        return
    # Scores that are twice as large are drawn alike.
    scores = np.sort(np.random.default_rng(seed).normal(0, 1, length))[::-1]
    once, again = (
        resample_scores(
            np.random.default_rng(seed), 50, score_density(factor * scores, ranks), drawn
        )
        for factor in (1, 2.0**power)
    )
    assert (once[0] == again[0]).all()
    assert (once[1] == again[1]).all()
    assert (once[0] <= once[1] + 1e-9).all()
