"""Experiments of a planned size, and how often their test finds the difference planned for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from scipy.special import fdtrc, stdtr
from tests.coverage.populations import population

from roundbook.statistics.design import solve_topics

ALPHA, POWER = 0.05, 0.8
PERMUTATIONS = 499
# The difference planned for, in sds of the difference between two runs.
EFFECT = 0.5


@dataclass(frozen=True)
class PlanCell:
    """Runs of equal true means but for two, which differ by what was planned for.

    The two lie half of it below and above all others.

    Attributes
    ----------
    design : {'paired-t', 'two-way', 'tukey', 'anova'}
        What the number of topics was planned by.
    test : {'paired-t', 'two-way', 'tukey', 'anova'}
        What is done with the scores; for Tukey's the randomised one, judged on the two runs.
    pair : {'random', 'extreme', None}
        Which two runs differ: any two, those of the best and the worst mean in the whole
        population (of the drawn runs), or none, for 50 topics.
    """

    name: str
    population: str
    runs: int
    design: str
    test: str
    pair: str | None = "random"
    reference: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0

    @property
    def seed_name(self):
        return f"plan {self.population} {self.runs} {self.design} {self.pair}"

    @property
    def topics(self):
        return 50 if self.pair is None else planned_topics(self.population, self.runs, self.design)

    def replicate(self, generator):
        field_ = population(self.population)
        runs = generator.permutation(field_.scores.shape[1])[: self.runs]
        means = field_.scores[:, runs].mean(axis=0)
        if self.pair == "extreme":
            order = means.argsort()
            order = np.r_[order[0], order[-1], order[1:-1]]
            runs, means = runs[order], means[order]
        topics = field_.draw_topics(generator, self.topics)
        scores = field_.scores[np.ix_(topics, runs)] - means
        if self.pair is not None:
            # One below and one above the mean of all others, as the designs take them.
            half = EFFECT * np.sqrt(2 * _two_way(self.population)) / 2
            scores[:, :2] += -half, half
        p_value = TESTS[self.test](generator, scores, any_pair=self.pair is None)
        return {"rejected": float(p_value <= ALPHA), "topics": float(self.topics)}


def _two_way(name):
    """The population's V_2, over pairs of distinct runs."""
    runs = population(name).scores.shape[1]
    return population(name).two_way * runs / (runs - 1)


@lru_cache
def planned_topics(name, runs, design):
    variance = population(name).one_way if design == "anova" else _two_way(name)
    min_d = EFFECT * np.sqrt(2 * _two_way(name))
    size = solve_topics(
        design, min_d, variance, ALPHA, 1 - POWER, runs=None if design == "paired-t" else runs
    )
    return int(size.topics)


def paired_t(generator, scores, *, any_pair):
    difference = scores[:, 1] - scores[:, 0]
    count = len(difference)
    t = difference.mean() / (difference.std(ddof=1) / np.sqrt(count))
    return 2 * stdtr(count - 1, -abs(t))


def two_way_f(generator, scores, *, any_pair):
    topics, runs = scores.shape
    between = topics * scores.mean(axis=0).var(ddof=1)
    residuals = scores - scores.mean(axis=0) - scores.mean(axis=1, keepdims=True) + scores.mean()
    dof = (topics - 1) * (runs - 1)
    return fdtrc(runs - 1, dof, between / ((residuals**2).sum() / dof))


def randomised_tukey(generator, scores, *, any_pair):
    """The p-value of the two first runs' difference, or of the largest difference."""
    many = np.broadcast_to(scores, (PERMUTATIONS, *scores.shape))
    largest = np.ptp(generator.permuted(many, axis=2).sum(axis=1), axis=1)
    sums = scores.sum(axis=0)
    ours = np.ptp(sums if any_pair else sums[:2])
    return (1 + (largest >= ours - 1e-9).sum()) / (1 + PERMUTATIONS)


def one_way_f(generator, scores, *, any_pair):
    topics, runs = scores.shape
    between = topics * scores.mean(axis=0).var(ddof=1)
    within = scores.var(axis=0, ddof=1).mean()
    return fdtrc(runs - 1, runs * (topics - 1), between / within)


TESTS = {
    "paired-t": paired_t,
    "two-way": two_way_f,
    "tukey": randomised_tukey,
    "anova": one_way_f,
}
WORDS = {"paired-t": "paired t", "two-way": "two-way F", "tukey": "Tukey HSD", "anova": "one-way F"}

FIELDS = {
    "Robust 2003 AP": "adhoc/trec_robust2003_ap",
    "COVID 1 nDCG@10": "treccovid/1 runs",
    "NTCIR-7 Q": "ntcir7_ir4qa/ntcir7ir4qa_q1000",
}


def _cells():
    """By design, test and runs: the range of delivered power over other populations."""
    ranges = {
        ("paired-t", "paired-t"): {5: (0.75, 0.84), 10: (0.77, 0.86), 20: (0.73, 0.80)},
        ("two-way", "two-way"): {5: (0.75, 0.86), 10: (0.76, 0.80), 20: (0.71, 0.78)},
        ("tukey", "tukey"): {5: (0.77, 0.84), 10: (0.78, 0.84), 20: (0.77, 0.86)},
        ("anova", "tukey"): {10: (0.91, 1.0)},
        ("anova", "anova"): {10: (0.56, 0.74), 20: (0.19, 0.62)},
    }
    nulls = {
        "two-way": {5: (0.06, 0.09), 10: (0.07, 0.10), 20: (0.10, 0.14)},
        "tukey": dict.fromkeys((5, 10, 20), (0.05, 0.11)),
    }
    extremes = {"paired-t": (0.53, 0.79), "tukey": (0.74, 0.81)}
    for words, name in FIELDS.items():
        for (design, test), by_runs in ranges.items():
            for runs, range_ in by_runs.items():
                yield _cell(words, name, runs, design, test, "random", range_)
        for test, range_ in extremes.items():
            yield _cell(words, name, 10, test, test, "extreme", range_)
        for test, by_runs in nulls.items():
            for runs, range_ in by_runs.items():
                yield _cell(words, name, runs, test, test, None, range_)


def _cell(words, name, runs, design, test, pair, range_):
    low, high = range_
    how = WORDS[test] if design == test else f"{WORDS[design]} by {WORDS[test]}"
    purpose = {"random": "", "extreme": ", best and worst", None: ", no difference"}[pair]
    return PlanCell(
        f"{words}, {runs} runs: {how}{purpose}",
        name,
        runs,
        design,
        test,
        pair,
        {"rejected": (low + high) / 2, "low": low, "high": high},
        # The range spans populations, and this one is one more.
        (high - low) / 2 + 0.02,
    )


PLAN_CELLS = tuple(_cells())
