"""How small a pilot may be: the variance, and the topics planned by it, of fewer teams or topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.design.solvers import solve_topics
from roundbook.statistics.studies.common import (
    Floats,
    Mapped,
    Progress,
    check_trials,
    study_scores,
)
from roundbook.statistics.studies.scoring import Scoring
from roundbook.statistics.t_interval import t_interval
from roundbook.statistics.variance.residual import residual_variance

TOPIC_NUMBERS = (75, 50, 25, 10)
# Draws of one piece, which has random numbers of its own.
DRAWS = 10
_PERCENTILES = (2.5, 97.5)
LEAST_TOPICS = 2
_LEAST_TEAMS = 2
# Of these times powers of ten, those that there can be are the numbers of teams left.
_STEPS = (1, 2, 3, 5)
# A variance that the solvers take for none at all, 0 being refused.
_NO_VARIANCE = 1e-300

Draw = tuple[float, int, int]


class Setting(NamedTuple):
    """What topics are planned for by one-way ANOVA: power ``1 - beta`` to find `min_d` of `runs`."""

    alpha: float = 0.05
    beta: float = 0.2
    min_d: float = 0.15
    runs: int = 10


# That of Sakai and Shang (EVIA 2016).
PUBLISHED = Setting()


@dataclass(frozen=True)
class Spread:
    """What some draws give.

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
    """What smaller pilots than the round would have found.

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


def topic_subsets(
    scores: ArrayLike,
    *,
    numbers: Iterable[int] | None = None,
    trials: int = 100,
    seed: int = 0,
    setting: Setting = PUBLISHED,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> Pilots:
    """Residual variance of all runs on fewer topics, and the topics planned by it.

    Each trial is a random order of the topics, of which the first n' are taken, for every n': the
    topic sets of a trial are nested (Sakai and Shang, EVIA 2016, with one order). Over all subsets
    of n' topics the mean of V_E is that of the whole matrix, but for topics that are dropped because
    every run scores 0. What a pilot risks is not bias but the spread between draws.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        No missing cells; at least three topics and one run.
    numbers : iterable of int, optional
        The n', from 2 to one below the number of topics. By default those of 75, 50, 25 and 10
        that are below it, or half of the topics where none is.
    trials : int
        Up to a million.
    seed : int
        Not negative.
    setting : Setting
        What topics are planned for.
    progress : callable
        Told how many trials of how many are done.
    mapped : callable
        As `map`, through which the pieces of the work go.

    Returns
    -------
    Pilots

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than three topics, a cell has no finite score, all runs tie on every
        topic, no topic set size suffices, or a number is out of range.

    Examples
    --------
    >>> pilots = topic_subsets([[0.7, 0.5], [0.3, 0.1], [0.4, 0.2], [0.9, 0.7]], numbers=[3])
    >>> pilots.planned, pilots.sizes[0].fewest_topics, pilots.sizes[0].most_topics
    (107, 3, 3)
    """
    matrix = study_scores(scores, "A topic subset", least_topics=LEAST_TOPICS + 1)
    check_trials(trials, seed)
    topics = len(matrix)
    if numbers is None:
        numbers = [number for number in TOPIC_NUMBERS if number < topics] or [max(2, topics // 2)]
    chosen = _falling(numbers, "A topic subset", "topics", LEAST_TOPICS, topics)
    draws: list[list[Draw]] = [[] for _ in chosen]
    done = 0
    work = _pieces(np.random.SeedSequence(int(seed)), trials)
    for piece in mapped(partial(_topic_draws, matrix, chosen), work):
        for drawn, of_size in zip(draws, piece, strict=True):
            drawn.extend(of_size)
        done += len(piece[0])
        progress(done, trials)
    return _pilots(draw_variance(matrix), chosen, draws, setting)


def team_subsets(
    score: Scoring,
    team_of_run: NDArray[np.integer],
    *,
    numbers: Iterable[int] | None = None,
    trials: int = 100,
    seed: int = 0,
    setting: Setting = PUBLISHED,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> Pilots:
    """Residual variance of the runs of fewer teams, and the topics planned by it.

    In each trial k of T teams are drawn without replacement and left out, the runs of the others
    are scored, topics on which each of these scores 0 are dropped, and V_E is computed (Sakai and
    Shang, EVIA 2016). Which draws there are for a number of teams depends on the seed and that
    number alone.

    Parameters
    ----------
    score : Scoring
        `SameScores` for fewer runs with the same relevance assessments, `ReassessedScores` for the
        assessments that there would have been.
    team_of_run : (runs,) int array
        Numbers of the runs' teams, from 0: see :func:`roundbook.statistics.studies.scoring.team_numbers`.
    numbers : iterable of int, optional
        How many teams are left, from 1 to T - 1. By default those of 1, 2, 3, 5, 10, 20, 30, 50,
        100, 200, … that are below T.
    trials, seed, setting, progress, mapped
        As for :func:`topic_subsets`.

    Returns
    -------
    Pilots

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two teams, and as :func:`topic_subsets`.

    Examples
    --------
    >>> from roundbook.statistics.studies.scoring import SameScores, team_numbers
    >>> scores = np.array([[0.7, 0.5, 0.4], [0.3, 0.1, 0.0], [0.4, 0.2, 0.3], [0.9, 0.7, 0.2]])
    >>> pilots = team_subsets(SameScores(scores), team_numbers(["A", "A", "B"]))
    >>> [(size.size, size.fewest_runs, size.most_runs) for size in pilots.sizes]
    [(1, 1, 2)]
    """
    check_trials(trials, seed)
    there = int(team_of_run.max(initial=-1)) + 1
    if there < _LEAST_TEAMS:
        raise ImpossibleStatisticError(
            f"Leaving teams out needs runs of at least two teams, not of {there}."
        )
    everybody = np.ones(there, dtype=np.bool_)
    whole = study_scores(score(everybody, everybody[team_of_run]), "Leaving teams out")
    chosen = _falling(
        team_ladder(there) if numbers is None else numbers, "Leaving teams out", "teams", 1, there
    )
    # Of the number of teams alone, so that the draws for one number are the same whichever others
    # are asked for.
    sequences = np.random.SeedSequence(int(seed)).spawn(there)
    work = [
        (place, number, *piece)
        for place, number in enumerate(chosen)
        for piece in _pieces(sequences[number], trials)
    ]
    draws: list[list[Draw]] = [[] for _ in chosen]
    done = 0
    for place, piece in mapped(partial(_team_draws, score, team_of_run), work):
        draws[place].extend(piece)
        done += len(piece)
        progress(done, trials * len(chosen))
    return _pilots(draw_variance(whole), chosen, draws, setting)


def team_ladder(teams: int) -> list[int]:
    """Return the numbers of teams left that are tried unless others are named.

    Examples
    --------
    >>> team_ladder(56)
    [1, 2, 3, 5, 10, 20, 30, 50]
    """
    powers = [10**exponent for exponent in range(len(str(teams)))]
    return [step * power for power in powers for step in _STEPS if step * power < teams]


def draw_variance(scores: Floats) -> Draw:
    """Residual variance V_E of a pilot, without the topics on which each of its runs scores 0.

    Parameters
    ----------
    scores : (topics, runs) float array
        At least one run, whose sample variance it then is.

    Returns
    -------
    variance : float
        NaN with fewer than two topics left.
    topics, runs : int
        How many are left.
    """
    used = scores[scores.any(axis=1)]
    topics, runs = used.shape
    variance = residual_variance(used).variance if topics >= LEAST_TOPICS else np.nan
    return variance, topics, runs


def planned_topics(variances: Floats, setting: Setting) -> NDArray[np.int64]:
    """Topic set sizes that a one-way ANOVA needs, by the exact engine; 2 for a variance of 0.

    Parameters
    ----------
    variances : (n,) float array
        Not NaN.
    setting : Setting

    Returns
    -------
    (n,) int array
    """
    different, where = np.unique(np.maximum(variances, _NO_VARIANCE), return_inverse=True)
    solved = solve_topics(
        "anova", setting.min_d, different, setting.alpha, setting.beta, runs=setting.runs
    )
    return np.asarray(solved.topics[where])


def _topic_draws(
    scores: Floats, numbers: Sequence[int], piece: tuple[np.random.SeedSequence, int]
) -> list[list[Draw]]:
    sequence, trials = piece
    generator = np.random.default_rng(sequence)
    orders = [generator.permutation(len(scores)) for _ in range(trials)]
    return [[draw_variance(scores[order[:number]]) for order in orders] for number in numbers]


def _team_draws(
    score: Scoring,
    team_of_run: NDArray[np.integer],
    piece: tuple[int, int, np.random.SeedSequence, int],
) -> tuple[int, list[Draw]]:
    place, number, sequence, trials = piece
    generator = np.random.default_rng(sequence)
    teams = int(team_of_run.max()) + 1
    draws = []
    for _ in range(trials):
        left = np.zeros(teams, dtype=np.bool_)
        left[generator.permutation(teams)[:number]] = True
        draws.append(draw_variance(score(left, left[team_of_run])))
    return place, draws


def _pieces(
    sequence: np.random.SeedSequence, trials: int
) -> Iterator[tuple[np.random.SeedSequence, int]]:
    for done in range(0, trials, DRAWS):
        yield sequence.spawn(1)[0], min(DRAWS, trials - done)


def _falling(numbers: Iterable[int], study: str, what: str, least: int, there: int) -> list[int]:
    chosen = sorted(set(numbers), reverse=True)
    wrong = [number for number in chosen if not least <= number < there]
    if wrong or not chosen:
        raise ImpossibleStatisticError(
            f"{study} of a round with {there} {what} leaves {least} to {there - 1} of them, not"
            f" {wrong[0] if wrong else 'none'}."
        )
    return chosen


def _pilots(
    whole: Draw,
    sizes: Sequence[int],
    draws: Sequence[Sequence[Draw]],
    setting: Setting,
) -> Pilots:
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
    there = ~np.isnan(variances)
    values = variances[there]
    variance = spread_of(values)
    return PilotsOfSize(
        size=size,
        trials=variances.size,
        without_value=int((~there).sum()),
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
    """Return mean, 95% t interval, sd and 95% range of the values that some draws gave.

    Parameters
    ----------
    values : (draws,) float array
        Finite; may be empty.
    """
    if not values.size:
        return Spread(*[None] * 6)
    mean = t_interval(values)
    low, high = np.percentile(values, _PERCENTILES).tolist()
    if mean.within_95 is None:
        return Spread(mean.mean, None, None, None, low, high)
    return Spread(mean.mean, *mean.within_95, float(values.std(ddof=1)), low, high)
