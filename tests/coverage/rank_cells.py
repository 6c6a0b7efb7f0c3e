"""Rank agreement of two scales on drawn topics, and whether the bootstrap's limits hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import kendalltau
from tests.coverage.populations import population

from roundbook.statistics.ranking import bootstrap_tau

RESAMPLES = 400
# Tau is a fraction of few pairs: equal ones may differ in their last bits.
ROUNDING = 1e-9


@dataclass(frozen=True)
class RankCell:
    """Runs ranked by raw scores and by scores standardised topic by topic.

    Attributes
    ----------
    population : str
        A matrix whose topics are drawn with replacement; or ``alike``, runs whose two rankings over
        endless topics are the same.
    """

    name: str
    population: str
    runs: int
    topics: int
    reference: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0

    @property
    def seed_name(self):
        return f"rank {self.population} {self.runs} {self.topics}"

    def replicate(self, generator):
        draw = self._alike if self.population == "alike" else self._of_matrix
        endless, drawn, fresh = draw(generator)
        interval = bootstrap_tau(*drawn, resamples=RESAMPLES, seed=int(generator.integers(2**32)))
        return {
            "endless above": float(endless > interval.high + ROUNDING),
            "endless within": _within(interval, endless),
            "fresh within": _within(interval, _tau(*fresh)),
        }

    def _of_matrix(self, generator):
        scores = population(self.population).scores
        scores = scores[scores.std(axis=1) > 0]
        centres, sds = scores.mean(axis=1, keepdims=True), scores.std(axis=1, keepdims=True)
        runs = generator.permutation(scores.shape[1])[: self.runs]
        both = [scale[:, runs] for scale in (scores, (scores - centres) / sds)]
        topics = generator.integers(len(scores), size=(2, self.topics))
        return (_tau(*both), *([scale[of_set] for scale in both] for of_set in topics))

    def _alike(self, generator):
        systems = generator.normal(0, 0.5, self.runs)
        sets = []
        for _ in range(2):
            centres = generator.normal(0.3, 0.1, (self.topics, 1))
            sds = 0.1 * np.exp(generator.normal(0, 0.5, (self.topics, 1)))
            standard = systems + generator.normal(size=(self.topics, self.runs))
            sets.append((centres + sds * standard, standard))
        return (1.0, *sets)


def _tau(first, second):
    return kendalltau(first.mean(axis=0), second.mean(axis=0)).statistic


def _within(interval, tau):
    return float(interval.low - ROUNDING <= tau <= interval.high + ROUNDING)


def _cells():
    """By population and sizes: how often the limits hold the tau of endless, of fresh topics."""
    rows = (
        ("Gauss, ranked alike*", "alike", ((5, 10), (20, 30), (20, 100))),
        ("Robust 2003 AP", "adhoc/trec_robust2003_ap", ((20, 3), (5, 10), (20, 30), (20, 100))),
        ("adhoc 7 P@10", "adhoc/trec_adhoc7_p10", ((5, 10), (20, 30), (20, 100))),
        ("COVID 1 nDCG@10", "treccovid/1 runs", ((5, 10), (20, 30), (50, 100))),
    )
    alike = {(5, 10): (1.0, 1.0), (20, 30): (0.03, 0.98), (20, 100): (0.03, 0.87)}
    for name, field_, sizes in rows:
        for runs, topics in sizes:
            reference = alike[runs, topics] if field_ == "alike" else ()
            yield RankCell(
                f"tau-b: {name}, {runs} runs, n={topics}",
                field_,
                runs,
                topics,
                dict(zip(("endless within", "fresh within"), reference, strict=False)),
                0.05,
            )


RANK_CELLS = tuple(_cells())
