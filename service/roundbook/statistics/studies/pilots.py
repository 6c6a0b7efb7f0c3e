"""Pilots of fewer teams or topics: their variances, and the topics planned by these."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import PILOT_TEAMS, PILOT_TOPICS
from roundbook.statistics.score_matrix import AnyInts, Floats
from roundbook.statistics.studies.common import (
    Mapped,
    Piece,
    Progress,
    check_trials,
    drawn_pieces,
    pieces,
    study_scores,
)
from roundbook.statistics.studies.pilot_results import (
    LEAST_TOPICS,
    PUBLISHED,
    Draw,
    Pilots,
    Setting,
    draw_variance,
    pilots_of,
)
from roundbook.statistics.studies.scoring import Scoring

# Draws of one piece, which has random numbers of its own.
DRAWS = 10
_LEAST_TEAMS = 2


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
        No missing cells; at least three topics and two runs.
    numbers : iterable of int, optional
        The n', from 2 to one below the number of topics. By default those of 75, 50, 25 and 10
        that are below it, or half of the topics where none is.
    setting : Setting
        What topics are planned for.
    trials, seed, progress, mapped
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than three topics or two runs, a cell has no finite score, all runs tie
        on every topic, no topic set size suffices, or a number is out of range.

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
        numbers = [number for number in PILOT_TOPICS if number < topics] or [max(2, topics // 2)]
    chosen = _falling(numbers, "A topic subset", "topics", LEAST_TOPICS, topics)
    draws: list[list[Draw]] = [[] for _ in chosen]
    work = partial(_topic_draws, matrix, chosen)
    for piece in drawn_pieces(work, seed, trials, progress, mapped, DRAWS):
        for drawn, of_size in zip(draws, piece, strict=True):
            drawn.extend(of_size)
    return pilots_of(draw_variance(matrix), chosen, draws, setting)


def team_subsets(
    score: Scoring,
    team_of_run: AnyInts,
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
    teams = int(team_of_run.max(initial=-1)) + 1
    if teams < _LEAST_TEAMS:
        raise ImpossibleStatisticError(
            f"Leaving teams out needs runs of at least two teams, not of {teams}."
        )
    all_teams = np.ones(teams, dtype=np.bool_)
    whole = study_scores(score(all_teams, all_teams[team_of_run]), "Leaving teams out")
    chosen = _falling(
        team_ladder(teams) if numbers is None else numbers, "Leaving teams out", "teams", 1, teams
    )
    # Of the number of teams alone, so that the draws for one number are the same whichever others
    # are asked for.
    sequences = np.random.SeedSequence(int(seed)).spawn(teams)
    work = (
        (index, number, *piece)
        for index, number in enumerate(chosen)
        for piece in pieces(sequences[number], trials, DRAWS)
    )
    draws: list[list[Draw]] = [[] for _ in chosen]
    drawn_trials = 0
    for index, piece in mapped(partial(_team_draws, score, team_of_run), work):
        draws[index].extend(piece)
        drawn_trials += len(piece)
        progress(drawn_trials, trials * len(chosen))
    return pilots_of(draw_variance(whole), chosen, draws, setting)


def team_ladder(teams: int) -> list[int]:
    """Return the numbers of teams left that are tried unless others are named.

    Examples
    --------
    >>> team_ladder(56)
    [1, 2, 3, 5, 10, 20, 30, 50]
    """
    powers = [10**exponent for exponent in range(len(str(teams)))]
    return [step * power for power in powers for step in PILOT_TEAMS if step * power < teams]


def _topic_draws(scores: Floats, numbers: Sequence[int], piece: Piece) -> list[list[Draw]]:
    generator, trials = piece
    orders = [generator.permutation(len(scores)) for _ in range(trials)]
    return [[draw_variance(scores[order[:number]]) for order in orders] for number in numbers]


def _team_draws(
    score: Scoring, team_of_run: AnyInts, piece: tuple[int, int, np.random.Generator, int]
) -> tuple[int, list[Draw]]:
    index, number, generator, trials = piece
    teams = int(team_of_run.max()) + 1
    draws = []
    for _ in range(trials):
        left = np.zeros(teams, dtype=np.bool_)
        left[generator.permutation(teams)[:number]] = True
        draws.append(draw_variance(score(left, left[team_of_run])))
    return index, draws


def _falling(numbers: Iterable[int], study: str, unit: str, least: int, most: int) -> list[int]:
    chosen = sorted(set(numbers), reverse=True)
    wrong = [number for number in chosen if not least <= number < most]
    if wrong or not chosen:
        raise ImpossibleStatisticError(
            f"{study} of a round with {most} {unit} leaves {least} to {most - 1} of them, not"
            f" {wrong[0] if wrong else 'none'}."
        )
    return chosen
