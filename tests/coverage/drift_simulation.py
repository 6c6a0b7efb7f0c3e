"""Rounds drawn from one population, a known drift imposed, and what the intervals then say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from tests.coverage.old_rules import old_drift
from tests.coverage.populations import MatrixPopulation, population

from roundbook.statistics.drift.assessment import assess_drift
from roundbook.statistics.drift.units import kin_groups

SHIFTS = (0.0, 0.1, 0.2, 0.3, 0.5)
AT_FIRST_SHIFT = (
    "shift width",
    "ratio .95",
    "ratio .90",
    "ratio width",
    "these ratio .95",
    "old .95",
)


@dataclass(frozen=True)
class DriftCell:
    """Two rounds of one population, the second moved by each of `shifts` in turn.

    Attributes
    ----------
    units : (int, int)
        Units drawn for the first and the second round.
    shared : int
        How many of them are the same units with the same runs in both rounds.
    known : {'units', 'kin', 'runs'}
        What the assessment is told of units: all, nothing (so it infers kin groups), or that
        every run is one.
    noise : float
        Sd of an error of its own in every cell of both rounds, in topic sds.
    shifts : tuple of float
        True shifts, in average first-round sds.
    ratio : float
        True ratio of the second round's sds to the first's.
    by_as_much : bool
        Whether all topics move by as much in scores, and not in their sds.
    """

    name: str
    population: str
    units: tuple[int, int]
    topics: int
    reference: Mapping[str, float] = field(default_factory=dict)
    shared: int = 0
    known: str = "units"
    noise: float = 0.0
    shifts: tuple[float, ...] = SHIFTS
    ratio: float = 1.0
    slack: float = 0.0
    by_as_much: bool = False

    @property
    def seed_name(self):
        return f"drift {self.population} {self.units} {self.topics} {self.shared}"

    def replicate(self, generator):
        rounds = _Rounds(self, generator)
        taken = [self._assess(rounds, shift) for shift in self.shifts]
        # Coverage is averaged over the true shifts; all else is measured at each, widths at the
        # first, since the interval of a large shift also carries the error of the sds.
        means = {
            quantity: sum(values[quantity] for values in taken) / len(taken)
            for quantity in ("shift .95", "shift .90", "these .95")
        }
        means |= {quantity: taken[0][quantity] for quantity in AT_FIRST_SHIFT}
        return means | {
            f"{quantity}@{shift:g}": values[quantity]
            for shift, values in zip(self.shifts, taken, strict=True)
            for quantity in ("held", "aged", "moved", "old held", "old aged")
        }

    def _assess(self, rounds, shift):
        scores_to = rounds.moved(shift, self.ratio)
        drift = assess_drift(rounds.scores_from, scores_to, *rounds.labels(self.known))
        ours, fixed = drift.systems_like_these, drift.these_runs
        old_interval, old_verdict = old_drift(rounds.scores_from, scores_to)
        return {
            "shift .95": covers(ours.shift_95, shift),
            "shift .90": covers(ours.shift_90, shift),
            "shift width": width(ours.shift_95),
            "ratio .95": covers(ours.sd_ratio_95, self.ratio),
            "ratio .90": covers(ours.sd_ratio_90, self.ratio),
            "ratio width": width(ours.sd_ratio_95),
            "these .95": covers(fixed.shift_95, rounds.shift_of_these_runs(shift)),
            "these ratio .95": covers(fixed.sd_ratio_95, rounds.ratio_of_these_runs()),
            "held": float(drift.verdict == "held"),
            "aged": float(drift.verdict == "aged"),
            "moved": float(drift.moved),
            "old .95": covers(old_interval, shift),
            "old held": float(old_verdict == "held"),
            "old aged": float(old_verdict == "aged"),
        }


class _Rounds:
    """The draw of one replication: the same topics and units for every true drift."""

    def __init__(self, cell, generator):
        self.field = population(cell.population)
        self.only_shifted = (
            isinstance(self.field, MatrixPopulation) and not cell.noise and cell.ratio == 1
        )
        first, second = cell.units
        self.topics = self.field.draw_topics(generator, cell.topics)
        units = self.field.draw_units(generator, first + second - cell.shared)
        self.units = units[:first], units[first - cell.shared :]
        scores, positions = self.field.draw_scores(generator, self.topics, units)
        self.rounds = positions < first, positions >= first - cell.shared
        self.positions = positions
        # An error in both rounds widens the sds of both, so their true ratio stays 1.
        self.spreads = self.field.spreads(self.topics) * math.hypot(1, cell.noise)
        self.moves = self.spreads
        if cell.by_as_much:
            self.moves = np.full(cell.topics, self.field.scores.std(axis=1).mean())
        error = cell.noise * self.field.spreads(self.topics)[:, None]
        self.scores_from, self.scores_to = (
            scores[:, runs] + error * generator.normal(size=(len(scores), runs.sum()))
            for runs in self.rounds
        )

    def moved(self, shift, ratio):
        """The second round's scores, moved so that both true drifts are as wanted."""
        centres = self.field.centres(self.topics)[:, None]
        return centres + ratio * (self.scores_to - centres) + shift * self.moves[:, None]

    def labels(self, known):
        if known == "units":
            return tuple(self.positions[runs] for runs in self.rounds)
        first, second = (
            kin_groups(scores) if known == "kin" else np.arange(scores.shape[1])
            for scores in (self.scores_from, self.scores_to)
        )
        return first, second + len(first)

    def shift_of_these_runs(self, shift):
        """The true shift where the drawn runs are all there are; NaN where it is not known."""
        if not self.only_shifted:
            return math.nan
        first, second = self._these_runs()
        move = (second.mean(axis=1) - first.mean(axis=1)).mean()
        move += shift * self.field.scores.std(axis=1).mean()
        return move / first.std(axis=1, ddof=1).mean()

    def ratio_of_these_runs(self):
        """The true sd ratio where the drawn runs are all there are; NaN where it is not known."""
        if not self.only_shifted:
            return math.nan
        first, second = (scores.std(axis=1, ddof=1).mean() for scores in self._these_runs())
        return second / first

    def _these_runs(self):
        """The drawn runs of either round on all topics of the population."""
        return (self.field.scores[:, self.field.columns(own)] for own in self.units)


def covers(interval, truth):
    """Whether an interval holds the truth; NaN without an interval."""
    if interval is None or math.isnan(truth):
        return math.nan
    return float(interval[0] <= truth <= interval[1])


def width(interval):
    return math.nan if interval is None else interval[1] - interval[0]
