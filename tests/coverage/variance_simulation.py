"""Matrices drawn from one population, and whether intervals of their variances hold its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from tests.coverage.old_rules import bartlett, bootstrap, chi_square
from tests.coverage.populations import population

from roundbook.statistics.variance.interval import variance_intervals
from roundbook.statistics.variance.parts import variance_parts
from roundbook.statistics.variance.pooled import pool
from roundbook.statistics.variance.rounds import (
    StoredVariance,
    constants_for,
    published_variance,
)


@dataclass(frozen=True)
class VarianceCell:
    """One matrix; `units` are runs, or teams with all their runs.

    Attributes
    ----------
    of : {'one_way', 'two_way'}
        Which variance: V_E or V_2.
    published : str
        Where it is not empty, the interval is that of a value published without its matrix, of a
        measure of this family.
    old_rules : bool
        Whether the intervals that Roundbook had before are computed, too.
    """

    name: str
    population: str
    units: int
    topics: int
    reference: Mapping[str, float] = field(default_factory=dict)
    of: str = "one_way"
    slack: float = 0.0
    published: str = ""
    old_rules: bool = True

    @property
    def seed_name(self):
        return f"variance {self.population} {self.units} {self.topics}"

    def replicate(self, generator):
        field_ = population(self.population)
        topics = field_.draw_topics(generator, self.topics)
        units = field_.draw_units(generator, self.units)
        scores, clusters = field_.draw_scores(generator, topics, units)
        truth = getattr(field_, self.of)
        part = getattr(variance_parts(scores, clusters), self.of)
        if self.published:
            constants = constants_for(self.published)
            entry = published_variance(part.variance, *scores.shape, constants)
        else:
            topics = np.arange(part.by_topic.size)
            entry = StoredVariance(part.variance, 1.0, 1, topics, part.by_topic, part.runs_part)
        (interval,) = variance_intervals([entry])
        intervals = {"new": _limits(interval)}
        if self.of == "one_way" and self.old_rules:
            intervals["chi"] = chi_square(part.variance, part.dof)
            intervals["boot"] = bootstrap(generator, scores)
        covered = {name: float(low <= truth <= high) for name, (low, high) in intervals.items()}
        return covered | {
            f"{name} above": float(truth > high) for name, (low, high) in intervals.items()
        }


@dataclass(frozen=True)
class PooledCell:
    """Several rounds of one population, some topics in all of them, other runs in each or the same.

    Attributes
    ----------
    units, topics : tuple of int
        Of every round; of its topics the first `shared` are the same in every round.
    ratio : float
        The last round's true variance over the others'.
    returning : bool
        Whether the same units are in every round.
    """

    name: str
    population: str
    units: tuple[int, ...]
    topics: tuple[int, ...]
    shared: int
    reference: Mapping[str, float] = field(default_factory=dict)
    of: str = "one_way"
    ratio: float = 1.0
    slack: float = 0.0
    returning: bool = False

    @property
    def seed_name(self):
        return f"pooled {self.population} {self.units} {self.topics} {self.shared}"

    def replicate(self, generator):
        field_ = population(self.population)
        matrices, rounds = [], []
        common = field_.draw_topics(generator, max(self.topics))
        same = field_.draw_units(generator, max(self.units)) if self.returning else None
        for number, (units, count) in enumerate(zip(self.units, self.topics, strict=True)):
            again = min(self.shared, count)
            own = field_.draw_topics(generator, count - again)
            drawn = np.concatenate([common[:again], own])
            of_round = field_.draw_units(generator, units) if same is None else same
            scores, clusters = field_.draw_scores(generator, drawn, of_round)
            if number == len(self.units) - 1:
                scores = scores * np.sqrt(self.ratio)
            # Topics of a round's own are numbered apart from those of every other round.
            identities = np.r_[np.arange(again), 1000 * (number + 1) + np.arange(count - again)]
            part = getattr(variance_parts(scores, clusters), self.of)
            matrices.append(scores)
            rounds.append(
                StoredVariance(
                    part.variance,
                    part.dof,
                    scores.shape[1],
                    identities,
                    part.by_topic,
                    part.runs_part,
                )
            )
        return self._judged(generator, matrices, rounds, getattr(field_, self.of))

    def _judged(self, generator, matrices, rounds, truth):
        pooled = pool(rounds)
        p_old = bartlett([entry.variance for entry in rounds], [entry.weight for entry in rounds])
        judged = {
            "test": float(pooled.homogeneity.p_value < 0.05),
            "bartlett": float(p_old < 0.05),
        }
        if self.ratio == 1:
            for name, interval in (
                ("new", pooled.interval),
                ("returning", pooled.returning_interval),
            ):
                low, high = _limits(interval)
                judged[name] = float(low <= truth <= high)
            if self.of == "one_way":
                low, high = bootstrap(generator, *matrices)
                judged["boot"] = float(low <= truth <= high)
        return judged


@dataclass(frozen=True)
class NextRoundCell:
    """Rounds whose true variances differ, and the limits of the next round's.

    Attributes
    ----------
    between : float
        The sd of the true ln V between rounds; its mean is that of the population.
    rounds, units, topics : int
        How many rounds, and the size of each; they share no topics.
    kept : int
        How many of the units of a round are in the next one.
    """

    name: str
    population: str
    units: int
    topics: int
    rounds: int
    between: float
    reference: Mapping[str, float] = field(default_factory=dict)
    of: str = "one_way"
    slack: float = 0.0
    kept: int = 0

    @property
    def seed_name(self):
        return f"next {self.population} {self.units} {self.topics} {self.rounds}"

    def replicate(self, generator):
        field_ = population(self.population)
        usual = getattr(field_, self.of)
        *ratios, ratio = np.exp(self.between * generator.normal(size=self.rounds + 1))
        rounds, units = [], None
        for number, of_round in enumerate(ratios):
            topics = field_.draw_topics(generator, self.topics)
            units = self._units(generator, field_, units)
            rounds.append(self._round(generator, topics, units, number, of_round))
        pooled = pool(rounds)
        following, interval = pooled.next_round, pooled.interval
        judged = {
            "u80 passed": float(usual * ratio > following.u80),
            "u95 passed": float(usual * ratio > following.u95),
            "interval": float(interval.low <= usual <= interval.high),
        }
        if self.rounds > 1:
            judged["test"] = float(pooled.homogeneity.p_value < 0.05)
        return judged

    def _units(self, generator, field_, before):
        """Draw the units of a round, of which some stay from the round before."""
        if before is None or not self.kept:
            return field_.draw_units(generator, self.units)
        stay = before[generator.permutation(self.units)[: self.kept]]
        return np.r_[stay, field_.draw_units(generator, self.units - self.kept)]

    def _round(self, generator, drawn, units, number, ratio):
        scores, clusters = population(self.population).draw_scores(generator, drawn, units)
        part = getattr(variance_parts(scores * np.sqrt(ratio), clusters), self.of)
        topics = 1000 * number + np.arange(self.topics)
        return StoredVariance(
            part.variance, part.dof, scores.shape[1], topics, part.by_topic, part.runs_part
        )


def _limits(interval):
    # A limit that is not given excludes nothing.
    return interval.low or 0.0, np.inf if interval.high is None else interval.high
