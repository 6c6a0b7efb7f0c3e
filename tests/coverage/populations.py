"""The populations that rounds are drawn from: real matrices, made matrices, Gaussian scores."""

from __future__ import annotations

import csv
import os
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

SHARED = Path(os.environ.get("ROUNDBOOK_SHARED", Path(__file__).parents[3] / "shared"))


@dataclass(frozen=True, eq=False)
class MatrixPopulation:
    """A score matrix, real or made, as the whole population of topics and of runs.

    Topics and units are drawn with replacement, a unit (a run, or a team) with all its runs: a
    topic or team drawn twice counts as two. Population sds and variances over topics divide by
    the number of topics, since such draws have no other topics to tell of.

    Attributes
    ----------
    scores : (topics, runs) float array
    units : tuple of int arrays
        The columns of every unit.
    """

    scores: np.ndarray
    units: tuple[np.ndarray, ...]

    def draw_topics(self, generator, count):
        return generator.integers(len(self.scores), size=count)

    def draw_units(self, generator, count):
        return generator.integers(len(self.units), size=count)

    def draw_scores(self, generator, topics, units):
        """The scores of drawn units on drawn topics, and the position of each run's unit."""
        return self.scores[np.ix_(topics, self.columns(units))], self.positions(units)

    def columns(self, units):
        return np.concatenate([self.units[unit] for unit in units])

    def positions(self, units):
        return np.repeat(np.arange(len(units)), [len(self.units[unit]) for unit in units])

    def centres(self, topics):
        return self.scores.mean(axis=1)[topics]

    def spreads(self, topics):
        return self.scores.std(axis=1)[topics]

    @cached_property
    def system(self):
        """The true variance of the runs' means."""
        return self.scores.mean(axis=0).var()

    @cached_property
    def topic(self):
        """The true variance of the topics' means."""
        return self.scores.mean(axis=1).var()

    @cached_property
    def one_way(self):
        """The true V_E: the mean over runs of the variance over topics."""
        return self.scores.var(axis=0).mean()

    @cached_property
    def two_way(self):
        """The true V_2, over two runs drawn independently, which may be the same."""
        centred = self.scores - self.scores.mean(axis=0)
        return (centred - centred.mean(axis=1, keepdims=True)).var()


@dataclass(frozen=True)
class GaussianPopulation:
    """Endless normal topics and units: topic + team + run + team x topic + run x topic.

    Attributes
    ----------
    topic, team, run, team_topic, run_topic : float
        The variances of the parts.
    runs_per_unit : int
    uneven : float
        The sd of the log of the topics' residual sds, which every matrix draws anew; the mean
        residual variance stays.
    """

    topic: float
    team: float
    run: float
    team_topic: float
    run_topic: float
    runs_per_unit: int = 1
    uneven: float = 0.0

    def draw_topics(self, generator, count):
        return generator.normal(0, np.sqrt(self.topic), count)

    def draw_units(self, generator, count):
        teams = generator.normal(0, np.sqrt(self.team), (count, 1))
        return teams + generator.normal(0, np.sqrt(self.run), (count, self.runs_per_unit))

    def draw_scores(self, generator, topics, units):
        shape = (len(topics), *units.shape)
        of_teams = generator.normal(0, np.sqrt(self.team_topic), (*shape[:2], 1))
        of_runs = generator.normal(0, np.sqrt(self.run_topic), shape)
        sds = 1.0
        if self.uneven:
            logs = generator.normal(0, self.uneven, (len(topics), 1, 1))
            sds = np.exp(logs - self.uneven**2)
        scores = topics[:, None, None] + units + (of_teams + of_runs) * sds
        return scores.reshape(len(topics), -1), np.repeat(np.arange(shape[1]), shape[2])

    def centres(self, topics):
        return topics

    def spreads(self, topics):
        return np.full(len(topics), np.sqrt(self.team + self.run + self.two_way))

    @property
    def system(self):
        return self.team + self.run

    @property
    def one_way(self):
        return self.topic + self.two_way

    @property
    def two_way(self):
        return self.team_topic + self.run_topic


def population(name):
    """A population by its name: ``adhoc/trec_robust2003_ap`` or ``treccovid/1 teams``, say."""
    if name in GAUSSIAN:
        return GAUSSIAN[name]()
    return _made(name) if name in MADE else _real(name)


@lru_cache
def _real(name):
    if name.startswith("treccovid/"):
        number, by = name.removeprefix("treccovid/").split()
        runs, scores = _read(f"treccovid/treccovid_round{number}_ndcg10")
        path = SHARED / "data" / "treccovid" / f"round{number}_run_team.csv"
        with path.open(encoding="utf-8") as file:
            team = {row["run"]: row["team"].strip().casefold() for row in csv.DictReader(file)}
        if by == "teams":
            teams = np.array([team[run] for run in runs])
            return MatrixPopulation(
                scores, tuple(np.flatnonzero(teams == name) for name in np.unique(teams))
            )
    else:
        runs, scores = _read(name)
    return MatrixPopulation(scores, tuple(np.array([column]) for column in range(len(runs))))


def _read(name):
    with (SHARED / "data" / f"{name}.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return header[1:], np.array([[float(score) for score in row[1:]] for row in rows])


@lru_cache
def _robust():
    """Independent runs, with the components of Robust 2003 AP."""
    scores = _real("adhoc/trec_robust2003_ap").scores
    topics, runs = scores.shape
    centred = scores - scores.mean(axis=0)
    residuals = centred - centred.mean(axis=1, keepdims=True)
    residual = (residuals**2).sum() / ((topics - 1) * (runs - 1))
    return GaussianPopulation(
        topic=scores.mean(axis=1).var(ddof=1) - residual / runs,
        team=0.0,
        run=scores.mean(axis=0).var(ddof=1) - residual / topics,
        team_topic=0.0,
        run_topic=residual,
    )


@lru_cache
def _covid(runs_per_unit):
    """Teams of several runs, with the components of TREC-COVID round 1 nDCG@10.

    Half the mean square of a pair's difference is the run part (and the team part, for a pair
    across teams), half its variance over topics the part with topics.
    """
    field = _real("treccovid/1 teams")
    scores, topics = field.scores, len(field.scores)
    team = np.empty(scores.shape[1], int)
    for number, columns in enumerate(field.units):
        team[columns] = number
    first, second = np.triu_indices(scores.shape[1], 1)
    difference = scores[:, first] - scores[:, second]
    with_topic = difference.var(axis=0, ddof=1) / 2
    alone = difference.mean(axis=0) ** 2 / 2 - with_topic / topics
    within = team[first] == team[second]
    return GaussianPopulation(
        topic=scores.mean(axis=1).var(ddof=1),
        team=alone[~within].mean() - alone[within].mean(),
        run=alone[within].mean(),
        team_topic=with_topic[~within].mean() - with_topic[within].mean(),
        run_topic=with_topic[within].mean(),
        runs_per_unit=runs_per_unit,
    )


GAUSSIAN = {
    "gauss robust": _robust,
    "gauss covid 3": lambda: _covid(3),
    "gauss covid 4": lambda: _covid(4),
    "gauss .7": lambda: GaussianPopulation(0.7, 0.0, 0.1, 0.0, 0.3),
    "gauss uneven": lambda: GaussianPopulation(0.7, 0.0, 0.1, 0.0, 0.3, uneven=0.8),
    "gauss teams of 5": lambda: GaussianPopulation(0.7, 0.09, 0.01, 0.15, 0.15, 5),
    "gauss teams of 10": lambda: GaussianPopulation(0.7, 0.09, 0.01, 0.15, 0.15, 10),
}


# Topics and runs of a made matrix: so many that it hardly matters that they are not endless.
MADE_SIZE = 1_000


@lru_cache
def _made(name):
    scores = MADE[name](np.random.default_rng(zlib.crc32(name.encode())))
    return MatrixPopulation(scores, tuple(np.arange(MADE_SIZE)[:, None]))


def _additive(generator, runs=None, spread=None):
    """Scores whose topics, runs and residuals have the variances .7, .1 and .3.

    `runs` are run effects of variance 1, else normal ones; `spread` is the sd of the logarithm of
    the runs' residual sds.
    """
    runs = generator.normal(size=MADE_SIZE) if runs is None else runs
    sds = 1.0 if spread is None else np.exp(generator.normal(0, spread, MADE_SIZE))
    topics = np.sqrt(0.7) * generator.normal(size=(MADE_SIZE, 1))
    residuals = sds * generator.normal(size=(MADE_SIZE, MADE_SIZE))
    return topics + np.sqrt(0.1) * runs + np.sqrt(0.3) * residuals


def _lognormal(generator):
    """Scores without an upper bound, a few topics far above the rest."""
    topics = generator.normal(0, 0.7, (MADE_SIZE, 1))
    runs = generator.normal(0, 0.2, MADE_SIZE)
    return np.exp(topics + runs + generator.normal(0, 0.3, (MADE_SIZE, MADE_SIZE)))


def _hits(generator):
    """P@5 with a mean of some .2, and 0 on most topics for most runs."""
    topics = generator.normal(-1.9, 1.2, (MADE_SIZE, 1))
    runs = generator.normal(0, 0.4, MADE_SIZE)
    odds = np.exp(topics + runs + generator.normal(0, 0.5, (MADE_SIZE, MADE_SIZE)))
    return generator.binomial(5, odds / (1 + odds)) / 5


def _abilities(generator, sds=1.0, failed=0.0):
    """Scores of which a quarter of the variance is the run's ability.

    `sds` are the topics'; a share `failed` of the runs is 2.5 sds below where it would have been.
    """
    runs = 0.5 * generator.normal(size=MADE_SIZE)
    runs[: round(failed * MADE_SIZE)] -= 2.5
    return sds * (runs + np.sqrt(0.75) * generator.normal(size=(MADE_SIZE, MADE_SIZE)))


def _topic_sds(generator, spread):
    """Topics' sds, by the sd of their logarithm."""
    return np.exp(generator.normal(0, spread, (MADE_SIZE, 1)))


MADE = {
    "runs' sds .3": lambda generator: _additive(generator, spread=0.3),
    "runs' sds .4": lambda generator: _additive(generator, spread=0.4),
    "runs' sds .5": lambda generator: _additive(generator, spread=0.5),
    "heavy tails": lambda generator: _additive(
        generator, generator.standard_t(3, MADE_SIZE) / np.sqrt(3)
    ),
    "lognormal": _lognormal,
    "hits": _hits,
    "failed runs": lambda generator: _abilities(generator, failed=0.1),
    "topics' sds .8": lambda generator: _abilities(generator, _topic_sds(generator, 0.8)),
    "topics' sds 1": lambda generator: _abilities(generator, _topic_sds(generator, 1.0)),
    "topics' sds 1.2": lambda generator: _abilities(generator, _topic_sds(generator, 1.2)),
}
