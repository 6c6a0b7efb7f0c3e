"""Results of pilots: their variances and planned topics, compared with the whole round's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design.solvers import solve_topics
from roundbook.statistics.score_matrix import Floats, Ints
from roundbook.statistics.t_interval import t_interval
from roundbook.statistics.variance.residual import residual_variance

_PERCENTILES = (2.5, 97.5)
LEAST_TOPICS = 2
# A variance that the solvers take for none at all, 0 being refused.
_NO_VARIANCE = 1e-300

Draw = tuple[float, int, int]


class Setting(NamedTuple):
    """Parameters of the one-way ANOVA design: power ``1 - beta`` to find `min_d` among `runs`."""

    alpha: float = 0.05
    beta: float = 0.2
    min_d: float = 0.15
    runs: int = 10


# That of Sakai and Shang (EVIA 2016).
PUBLISHED = Setting()


@dataclass(frozen=True)
class Spread:
    """The distribution of a value over draws.

    Attributes
    ----------
    mean : float or None
        None without a draw that has a value.
    mean_low, mean_high : float or None
        95% t interval of the mean over draws: it shrinks with their number, and is not the range
        that one pilot falls into. None with fewer than two values, as `sd`.
    sd : float or None
        Between draws, with ddof 1.
    low, high : float or None
        2.5th and 97.5th percentile of the draws: what one pilot would see.
    """

    mean: float | None
    mean_low: float | None
    mean_high: float | None
    sd: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class PilotsOfSize:
    """Pilots of one size, each drawn at random.

    Attributes
    ----------
    size : int
        Teams, or topics.
    trials : int
        How many were drawn.
    without_value : int
        Those of fewer than two topics on which any run scores: they have no variance.
    single_runs : int
        Those of a single run: the variance is that of one run's scores.
    fewest_topics, most_topics : int
        Left where topics were dropped on which no run scores anything.
    fewest_runs, most_runs : int
    variance : Spread
        Of the residual variance V_E.
    planned : Spread
        Of the topics that would have been planned by it.
    misses : bool or None
        Whether the interval of the mean variance leaves out the variance of the whole round; None
        without interval.
    """

    size: int
    trials: int
    without_value: int
    single_runs: int
    fewest_topics: int
    most_topics: int
    fewest_runs: int
    most_runs: int
    variance: Spread
    planned: Spread
    misses: bool | None


@dataclass(frozen=True)
class Pilots:
    """The results of pilots smaller than the round.

    Attributes
    ----------
    variance : float
        V_E of the whole round, on the topics on which any run scores.
    planned : int
        The topics planned by it.
    topics : int
        On which any run scores.
    sizes : tuple of PilotsOfSize
        From the largest.
    """

    variance: float
    planned: int
    topics: int
    sizes: tuple[PilotsOfSize, ...]


def draw_variance(scores: Floats) -> Draw:
    """Residual variance V_E of a pilot, without the topics on which each of its runs scores 0.

    Of a single run it is the sample variance; it is NaN with fewer than two topics left. Beside it
    are the numbers of topics and of runs left.
    """
    used = scores[scores.any(axis=1)]
    topics, runs = used.shape
    variance = residual_variance(used) if topics >= LEAST_TOPICS else np.nan
    return variance, topics, runs


def planned_topics(variances: Floats, setting: Setting) -> Ints:
    """Topic set sizes that a one-way ANOVA needs for each of some variances, none NaN; 2 for 0."""
    different, where = np.unique(np.maximum(variances, _NO_VARIANCE), return_inverse=True)
    solved = solve_topics(
        "anova", setting.min_d, different, setting.alpha, setting.beta, runs=setting.runs
    )
    return np.asarray(solved.topics[where])


def pilots_of(
    whole: Draw, sizes: Sequence[int], draws: Sequence[Sequence[Draw]], setting: Setting
) -> Pilots:
    """Return the results of the draws of all sizes, with the values of the whole round.

    Raises
    ------
    ImpossibleStatisticError
        If the whole round has no variance.
    """
    if np.isnan(whole[0]):
        raise ImpossibleStatisticError(
            f"A pilot's variance needs {LEAST_TOPICS} topics on which any run scores, not"
            f" {whole[1]}."
        )
    variance, topics, _ = whole
    return Pilots(
        variance,
        int(planned_topics(np.array([variance]), setting)[0]),
        topics,
        tuple(
            _of_size(size, drawn, variance, setting)
            for size, drawn in zip(sizes, draws, strict=True)
        ),
    )


def _of_size(size: int, drawn: Sequence[Draw], whole: float, setting: Setting) -> PilotsOfSize:
    variances, topics, runs = map(np.array, zip(*drawn, strict=True))
    has_value = ~np.isnan(variances)
    values = variances[has_value]
    variance = spread_of(values)
    return PilotsOfSize(
        size=size,
        trials=variances.size,
        without_value=int((~has_value).sum()),
        single_runs=int((runs == 1).sum()),
        fewest_topics=int(topics.min()),
        most_topics=int(topics.max()),
        fewest_runs=int(runs.min()),
        most_runs=int(runs.max()),
        variance=variance,
        planned=spread_of(planned_topics(values, setting).astype(np.float64)),
        misses=None
        if variance.mean_low is None or variance.mean_high is None
        else not variance.mean_low <= whole <= variance.mean_high,
    )


def spread_of(values: Floats) -> Spread:
    """Return mean, 95% t interval, sd and 95% range of finite values, if any, that draws gave."""
    if not values.size:
        return Spread(*[None] * 6)
    mean = t_interval(values)
    low, high = np.percentile(values, _PERCENTILES).tolist()
    if mean.within_95 is None:
        return Spread(mean.mean, None, None, None, low, high)
    return Spread(mean.mean, *mean.within_95, float(values.std(ddof=1)), low, high)
