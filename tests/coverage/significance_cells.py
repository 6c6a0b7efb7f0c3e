"""Two runs of equal true means, and how often a test of pairs finds a difference at .05."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from roundbook.statistics.studies.single_pairs import (
    bootstrap_test,
    paired_t_tests,
)
from roundbook.statistics.studies.tukey import tukey_test

TRIALS = 1_000


@dataclass(frozen=True)
class SignificanceCell:
    """Differences of scores that are exponential, of skewness 2, less their mean."""

    name: str
    topics: int
    reference: Mapping[str, float] = field(default_factory=dict)
    slack: float = 0.0

    @property
    def seed_name(self):
        return f"exponential differences {self.topics}"

    def replicate(self, generator):
        scores = np.zeros((self.topics, 2))
        scores[:, 0] = generator.exponential(size=self.topics) - 1
        drawn = {"trials": TRIALS, "seed": int(generator.integers(2**32))}
        return {
            "t": paired_t_tests(scores).share,
            "bootstrap": bootstrap_test(scores, **drawn).share,
            "tukey": tukey_test(scores, **drawn).share,
        }


# The references are of 4,000 replications of plain loops.
SIGNIFICANCE_CELLS = tuple(
    SignificanceCell(
        f"exponential differences, n={topics}",
        topics,
        dict(zip(("t", "bootstrap", "tukey"), shares, strict=True)),
    )
    for topics, shares in (
        (5, (0.119, 0.066, 0.005)),
        (10, (0.097, 0.068, 0.092)),
        (25, (0.077, 0.057, 0.077)),
        (50, (0.069, 0.058, 0.070)),
    )
)
