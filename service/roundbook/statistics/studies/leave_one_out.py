"""Leave-one-out: how fairly runs left out are scored by the others' factors or assessments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.scores import count_relevant
from roundbook.statistics.ranking import kendall_tau, published_interval
from roundbook.statistics.score_matrix import AnyInts, Bools, Floats, Ints
from roundbook.statistics.standardisation import (
    Scale,
    ZeroSd,
    fit_factors,
    scores_on_scale,
    usable_topics,
)
from roundbook.statistics.studies.common import Mapped, Progress, study_scores
from roundbook.statistics.studies.scoring import (
    ReassessedScores,
    SameScores,
    Scoring,
    kept_judgments,
)
from roundbook.statistics.ties import tied_topics, without_rounding

_STUDY = "Leave-one-out"
_LEAST_LEFT = 2
# Groups of one piece of the work.
_PIECE = 8


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The mean of each run on one scale, in the whole round and when it is left out.

    Attributes
    ----------
    scale : str
    official : (runs,) float array
        Means of the whole round.
    left_out : (runs,) float array
        Mean of each run in the trial that leaves it out.
    rank_shift : (runs,) int array
        By how many ranks each run falls, if positive, or rises, among the runs that are not left
        out with it, all with the scores of its trial.
    tau : float or None
        Kendall's tau-b of the two means; None where all runs tie in either.
    tau_low, tau_high : float or None
        The limits that papers print with it.
    rmse : float
        ``sqrt(mean((left_out - official)^2))`` over runs.
    largest : float
        ``max |left_out - official|``.
    bias : float
        ``mean(left_out - official)``: negative if runs that were not there get too little.
    mean_rank_shift : float
        Of absolute shifts.
    largest_rank_shift : int
        The largest absolute one.
    """

    scale: str
    official: Floats
    left_out: Floats
    rank_shift: Ints
    tau: float | None
    tau_low: float | None
    tau_high: float | None
    rmse: float
    largest: float
    bias: float
    mean_rank_shift: float
    largest_rank_shift: int


class TiedTopic(NamedTuple):
    """A topic on which all other standardising runs tie, but a run that is left out differs.

    Its sd is 0 in that trial, so that the run's difference does not show.
    """

    group: int
    topic: int


@dataclass(frozen=True)
class LeaveOneOut:
    """The effect of leaving out each group of runs once on its scores.

    Attributes
    ----------
    scales : tuple of LeftOut
    tied : tuple of TiedTopic
    """

    scales: tuple[LeftOut, ...]
    tied: tuple[TiedTopic, ...]


def leave_one_out(
    score: Scoring | ArrayLike,
    groups: ArrayLike,
    *,
    scales: Sequence[Literal["raw"] | Scale] = ("std-ab", "std-cdf"),
    standardising: Bools | None = None,
    zero_sd: ZeroSd = "average",
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> LeaveOneOut:
    """Leave out each group of runs once, and score it by the others' factors or assessments.

    In the trial of a group the standardisation factors are those of all other standardising runs,
    and the runs of the group are scored with them. With a matrix, raw scores stay as they are, and
    the trials are about the factors alone; with a `Scoring`, each trial scores all runs anew, by
    the assessments that there would have been without the group (Sakai, ICTIR 2016).

    Parameters
    ----------
    score : (topics, runs) array_like of float, or Scoring
        Raw scores, no missing cells, or the function that scores without some of the groups.
    groups : (runs,) array_like of int
        Number of each run's group, from 0 on without gaps: that of its team, or the run's own index
        to leave out run by run.
    scales : sequence of {'raw', 'std', 'std-cdf', 'std-ab'}
        With a matrix, raw scores do not change.
    standardising : (runs,) bool array, optional
        Which runs define the factors of the round; all by default.
    zero_sd : {'average', 'drop'}
        What becomes of a topic on which the standardising runs tie, as for
        :func:`roundbook.statistics.standardisation.standardise`; dropped ones are left out
        of the means.
    progress, mapped : callable
        Called with the groups computed so far and their total; maps a function over ranges of them.

    Raises
    ------
    ImpossibleStatisticError
        If there are fewer than two runs or groups, a cell has no finite score, all runs tie on
        every topic, a trial leaves fewer than two standardising runs, or it drops all topics.

    Notes
    -----
    Run by run and with a matrix, the standardised score follows from that in the whole round and
    the number m of runs alone::

        z_loo = z m/(m - 1) / sqrt((m - 1 - m z^2/(m - 1)) / (m - 2))

    Such a study can hardly fail; by team, and still more with assessments anew, it can.

    Examples
    --------
    >>> scores = [[0.1, 0.2, 0.6, 0.5], [0.3, 0.1, 0.4, 0.8], [0.2, 0.1, 0.3, 0.5]]
    >>> (left,) = leave_one_out(scores, [0, 1, 2, 2], scales=["std-ab"]).scales
    >>> left.official.round(3).tolist(), left.left_out.round(3).tolist()
    ([0.409, 0.366, 0.56, 0.665], [0.376, 0.31, 0.843, 1.0])
    >>> left.rank_shift.tolist(), round(left.bias, 3)
    ([0, 0, 0, 0], 0.132)
    """
    of_run = np.asarray(groups)
    scoring = score if callable(score) else SameScores(study_scores(score, _STUDY))
    number = int(of_run.max(initial=-1)) + 1
    all_runs = np.ones(of_run.size, dtype=np.bool_)
    matrix = study_scores(scoring(np.ones(number, dtype=np.bool_), all_runs), _STUDY)
    if number < _LEAST_LEFT:
        raise ImpossibleStatisticError(
            f"{_STUDY} needs runs of at least two teams: without the only one nothing is left."
        )
    defining = all_runs if standardising is None else standardising
    left = int((defining.sum() - np.bincount(of_run, defining)).min())
    if left < _LEAST_LEFT and set(scales) != {"raw"}:
        raise ImpossibleStatisticError(
            f"{_STUDY} needs at least two standardising runs besides those that are left out, and"
            f" once {left} would be left."
        )
    official = _means(matrix, defining, scales, zero_sd)
    left_out = np.empty_like(official)
    shifts = np.empty(official.shape, dtype=np.int64)
    tied: list[TiedTopic] = []
    trials = partial(_trials, scoring, of_run, official, defining, scales, zero_sd)
    starts = range(0, number, _PIECE)
    pieces = (range(start, min(start + _PIECE, number)) for start in starts)
    for piece, results in enumerate(mapped(trials, pieces)):
        for trial in results:
            out = of_run == trial.group
            left_out[:, out] = trial.means
            shifts[:, out] = trial.shifts
            tied.extend(TiedTopic(trial.group, int(topic)) for topic in trial.tied)
        progress(min((piece + 1) * _PIECE, number), number)
    return LeaveOneOut(
        tuple(
            _compare(scale, *means)
            for scale, *means in zip(scales, official, left_out, shifts, strict=True)
        ),
        tuple(tied),
    )


def remaining_relevant(scoring: ReassessedScores) -> NDArray[np.intp]:
    """Return the numbers of relevant documents of topics without each team, (teams, topics)."""
    contributed = scoring.contributed
    return np.stack(
        [
            count_relevant(scoring.measure, scoring.judgments, kept_judgments(contributed, team))
            for team in np.eye(len(contributed), dtype=np.bool_)
        ]
    )


class _Trial(NamedTuple):
    group: int
    means: Floats
    shifts: Ints
    tied: NDArray[np.intp]


def _trials(
    scoring: Scoring,
    of_run: AnyInts,
    official: Floats,
    defining: Bools,
    scales: Sequence[Literal["raw"] | Scale],
    zero_sd: ZeroSd,
    groups: range,
) -> list[_Trial]:
    """Leave out some of the groups, one after the other."""
    all_runs = np.ones(of_run.size, dtype=np.bool_)
    teams = np.arange(int(of_run.max()) + 1)
    trials = []
    for group in groups:
        out = of_run == group
        matrix = scoring(teams != group, all_runs)
        means = _means(matrix, defining & ~out, scales, zero_sd)
        shifts = _ranks(means, out) - _ranks(official, out)
        remaining = matrix[:, defining & ~out]
        differs = ~tied_topics(np.hstack([remaining, matrix[:, out]]))
        tied = np.flatnonzero(tied_topics(remaining) & differs)
        trials.append(_Trial(group, means[:, out], shifts, tied))
    return trials


def _means(
    matrix: Floats, standardising: Bools, scales: Sequence[Literal["raw"] | Scale], zero_sd: ZeroSd
) -> Floats:
    """Return the (scales, runs) means by factors of the standardising runs."""
    if set(scales) == {"raw"}:
        return np.tile(matrix.mean(axis=0), (len(scales), 1))
    factors = fit_factors(matrix, standardising)
    if not usable_topics(factors.sd, zero_sd).any():
        raise ImpossibleStatisticError(
            "Some trial of leave-one-out has no topic with usable factors: the runs that are left"
            " tie on every topic."
        )
    return np.stack(
        [
            scores_on_scale(matrix, factors.mean, factors.sd, scale, zero_sd).mean(axis=0)
            for scale in scales
        ]
    )


def _ranks(means: Floats, out: Bools) -> Ints:
    """Return, for each run left out, the number of remaining runs above it."""
    tied = np.stack([_with_ties(of_scale) for of_scale in means])
    return np.asarray((tied[:, ~out][:, np.newaxis] > tied[:, out][:, :, np.newaxis]).sum(axis=2))


def _with_ties(means: Floats) -> Floats:
    """Return the means of runs on one scale, equal where two differ by rounding only."""
    return without_rounding(means, max(1.0, float(np.abs(means).max())))


def _compare(scale: str, official: Floats, left_out: Floats, shifts: Ints) -> LeftOut:
    tau = kendall_tau(_with_ties(official), _with_ties(left_out)).tau_b
    low, high = (None, None) if tau is None else published_interval(tau, official.size)
    change = left_out - official
    return LeftOut(
        scale,
        official,
        left_out,
        shifts,
        tau,
        low,
        high,
        float(np.sqrt((change**2).mean())),
        float(np.abs(change).max()),
        float(change.mean()),
        float(np.abs(shifts).mean()),
        int(np.abs(shifts).max()),
    )
