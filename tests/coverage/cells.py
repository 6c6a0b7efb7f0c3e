"""What a cell of a table is, how it is replicated, and when it agrees with its reference."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol
from zlib import crc32

import numpy as np

# The references came from a program of their own: so many replications, and printed digits.
REFERENCE_REPLICATIONS = 600
ROUNDING = 0.005
# Two estimates of one share lie farther apart than this many standard errors once in 2,000.
STANDARD_ERRORS = 3.5


class Cell(Protocol):
    """One setting of a simulation.

    Attributes
    ----------
    name : str
        Its name in the tables.
    seed_name : str
        What its random numbers are drawn from; cells that share it share their draws.
    reference : mapping of str to float
        What an independent program measured.
    slack : float
        How far the reference may lie off because it was measured on another population.
    """

    name: str
    seed_name: str
    reference: Mapping[str, float]
    slack: float

    def replicate(self, generator: np.random.Generator) -> dict[str, float]:
        """One replication: what it measured, NaN where there was nothing to measure."""


@dataclass
class Sums:
    """Count, sum and sum of squares of one measured quantity."""

    count: int = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, other: Sums) -> None:
        self.count += other.count
        self.total += other.total
        self.squares += other.squares

    @property
    def mean(self) -> float:
        return self.total / self.count if self.count else math.nan

    @property
    def variance(self) -> float:
        return max(self.squares / self.count - self.mean**2, 0.0)


Result = dict[str, Sums]


def replicate(cell: Cell, replications: Iterable[int]) -> Result:
    """Replicate a cell; each replication has a seed of its own, whoever runs it."""
    sums: Result = defaultdict(Sums)
    for number in replications:
        generator = np.random.default_rng([crc32(cell.seed_name.encode()), number])
        for quantity, value in cell.replicate(generator).items():
            if not math.isnan(value):
                sums[quantity].add(Sums(1, value, value**2))
    return dict(sums)


def replicate_batch(batch: tuple[Cell, Iterable[int]]) -> tuple[str, Result]:
    """Replicate a cell in another process; return its name too."""
    cell, replications = batch
    return cell.name, replicate(cell, replications)


def strays(cell: Cell, result: Result) -> list[str]:
    """The quantities that lie farther from the reference than chance explains, as sentences."""
    sentences = []
    for quantity, reference in cell.reference.items():
        if quantity not in result:
            continue
        sums = result[quantity]
        allowed = (
            ROUNDING + cell.slack + STANDARD_ERRORS * _standard_error(sums, quantity, reference)
        )
        if abs(sums.mean - reference) > allowed:
            sentences.append(
                f"{cell.name}: {quantity} is {sums.mean:.3f}, not {reference:.3f} ± {allowed:.3f}"
            )
    return sentences


def _standard_error(sums: Sums, quantity: str, reference: float) -> float:
    """Of the difference to a reference whose replications spread as ours do."""
    variance = sums.variance
    if not quantity.endswith("width"):
        variance = max(variance, reference * (1 - reference))
    # A share of 0 or 1 is not without error.
    return math.sqrt(
        sum((variance + 1 / count) / count for count in (sums.count, REFERENCE_REPLICATIONS))
    )
