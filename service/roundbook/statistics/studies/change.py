"""Change measures: how systems that ran in two rounds changed, alone and beside a pivot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.bootstrap import (
    check_resampling,
    percentile_interval,
    resampled_means,
    times_drawn,
)
from roundbook.statistics.score_matrix import Floats, checked_scores
from roundbook.statistics.studies.common import (
    MOST_BYTES,
    Mapped,
    Piece,
    Progress,
    pieces,
    tolerance,
)
from roundbook.statistics.t_interval import Interval

_STUDY = "A change between rounds"
# A gain over the pivot below so many standard errors may be none, and is no unit to measure by.
_UNSTABLE = 2


@dataclass(frozen=True)
class SystemChange:
    """The change of one system from an earlier round to a later one.

    Attributes
    ----------
    mean_from, mean_to : float
        Mean scores in the rounds, each over the round's own topics.
    rd : float or None
        Result delta ``(mean_from - mean_to) / |mean_from|``: positive where the later is worse.
    ri_from, ri_to : float or None
        Relative improvement over the pivot in a round, ``(mean - pivot) / |pivot|``.
    dri : float or None
        Delta of these, ``ri_from - ri_to``: 0 where the gain over the pivot held.
    er : float or None
        Effect ratio ``(mean_to - pivot_to) / (mean_from - pivot_from)``: 1 where the gain held,
        negative where it turned round.
    rd_interval, dri_interval, er_interval : (float, float) or None
        Over resampled topics of both rounds; None where there is no value, or where so many
        resamples have none that a limit is unknown.
    gain_from : float
        ``mean_from - pivot_from``, in the unit of the scores.
    gain_from_se : float
        Its standard error over the earlier round's topics.
    unstable : bool or None
        Whether the gain is below 2 standard errors, so that the effect ratio has hardly a
        denominator; None where there is no effect ratio. The ratios of gains above that are below 1
        more often than not where nothing changed, since the gains were chosen by their size.
    reasons : dict
        Why a value is None, by its name: 'mean_from_zero', 'pivot_from_zero', 'pivot_to_zero',
        'no_gain' where the system does not differ from the pivot in the earlier round, 'pivot' where
        it is the pivot.
    """

    mean_from: float
    mean_to: float
    rd: float | None
    ri_from: float | None
    ri_to: float | None
    dri: float | None
    er: float | None
    rd_interval: Interval | None
    dri_interval: Interval | None
    er_interval: Interval | None
    gain_from: float
    gain_from_se: float
    unstable: bool | None
    reasons: dict[str, str]


def change_measures(
    earlier: ArrayLike,
    later: ArrayLike,
    pivot: int,
    *,
    level: float = 0.95,
    trials: int = 10_000,
    seed: int = 0,
    progress: Progress = lambda *_: None,
    mapped: Mapped = map,
) -> list[SystemChange]:
    """Return the change measures of systems between two rounds, as LongEval reports them.

    The result delta, the relative improvements over a pivot and their delta, and the effect ratio
    (Breuer et al., SIGIR 2020; Alkhalifa et al., CLEF 2023) are quotients of mean scores. Their
    intervals are percentiles over resamples in which the topics of both rounds are drawn with
    replacement, each round for itself, the same for all systems. A resample that leaves a value
    without denominator counts as beyond either limit.

    Parameters
    ----------
    earlier, later : (topics, systems) array_like of float
        Scores of the same systems in two rounds, each on topics of its own; at least two.
    pivot : int
        Which system the others are compared with.
    level : float
        Of the intervals, in (0, 1).
    trials : int
        Resamples, up to a million.
    seed, progress, mapped
        As for :func:`roundbook.statistics.studies.tukey.tukey_test`.

    Returns
    -------
    list of SystemChange
        In the order of the columns.

    Raises
    ------
    ImpossibleStatisticError
        If a round has fewer than two topics, the rounds have not the same number of systems, a cell
        has no finite score, or pivot, level, trials or seed are out of range.

    Examples
    --------
    >>> earlier = [[0.4, 0.5], [0.2, 0.3], [0.6, 0.8]]
    >>> later = [[0.4, 0.5], [0.2, 0.2]]
    >>> change = change_measures(earlier, later, 0)[1]
    >>> [round(value, 3) for value in (change.rd, change.dri, change.er)]
    [0.344, 0.167, 0.375]
    """
    first, second = (checked_scores(scores, _STUDY, least_topics=2) for scores in (earlier, later))
    systems = first.shape[1]
    if second.shape[1] != systems:
        raise ImpossibleStatisticError(
            f"{_STUDY} needs the same systems in both, not {systems} and {second.shape[1]}."
        )
    if not 0 <= pivot < systems:
        raise ImpossibleStatisticError(f"There is no pivot {pivot} among {systems} systems.")
    check_resampling(trials, level, seed)
    slack = max(tolerance(first), tolerance(second))
    changes: list[SystemChange] = []
    # The memory for a system: its means in every resample of both rounds, and temporary arrays.
    chunk = max(1, MOST_BYTES // (8 * 8 * trials))
    for start in range(0, systems, chunk):
        columns = np.append(np.arange(start, min(start + chunk, systems)), pivot)
        rounds = first[:, columns], second[:, columns]
        work = partial(_resampled_rounds, *rounds)
        resampled = np.empty((2, trials, columns.size))
        computed = 0
        for means in mapped(work, pieces(seed, trials)):
            resampled[:, computed : computed + means.shape[1]] = means
            computed += means.shape[1]
            progress(start * trials + computed * (columns.size - 1), systems * trials)
        changes += [
            _change(rounds, resampled, index, slack, level, is_pivot=columns[index] == pivot)
            for index in range(columns.size - 1)
        ]
    return changes


def _resampled_rounds(earlier: Floats, later: Floats, piece: Piece) -> Floats:
    """Return the (2, resamples, systems) means over resampled topics of both rounds."""
    generator, trials = piece
    means = []
    for scores in (earlier, later):
        drawn = generator.integers(len(scores), size=(trials, len(scores)))
        means.append(resampled_means(scores, times_drawn(drawn)))
    return np.stack(means)


def _change(
    rounds: tuple[Floats, Floats],
    resampled: Floats,
    index: int,
    slack: float,
    level: float,
    *,
    is_pivot: bool,
) -> SystemChange:
    """Return the change of one system; the last of the scores and means are the pivot's."""
    means, pivot_means = (
        np.array([scores[:, column].mean() for scores in rounds]) for column in (index, -1)
    )
    values = _measures(means[:, np.newaxis], pivot_means[:, np.newaxis], slack)
    defined = {name: float(value[0]) for name, value in values.items() if not np.isnan(value[0])}
    draws = _measures(resampled[..., index], resampled[..., -1], slack)
    estimates: dict[str, Any] = {name: defined.get(name) for name in values}
    for name in ("rd", "dri", "er"):
        interval = _interval(draws[name], level) if name in defined else None
        estimates[f"{name}_interval"] = interval
    gains = rounds[0][:, index] - rounds[0][:, -1]
    gain, error = float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(gains.size))
    zero = np.abs(pivot_means) < slack
    reasons = {
        "rd": "mean_from_zero",
        "ri_from": "pivot_from_zero",
        "ri_to": "pivot_to_zero",
        "dri": "pivot_from_zero" if zero[0] else "pivot_to_zero",
        "er": "pivot" if is_pivot else "no_gain",
    }
    return SystemChange(
        mean_from=float(means[0]),
        mean_to=float(means[1]),
        **estimates,
        gain_from=gain,
        gain_from_se=error,
        unstable=abs(gain) < _UNSTABLE * error if "er" in defined else None,
        reasons={name: reasons[name] for name in values if name not in defined},
    )


def _measures(system: Floats, pivot: Floats, slack: float) -> dict[str, Floats]:
    """Return the change measures from (2, n) means of a system and of the pivot, NaN for none.

    Changes are relative to the size of a mean, so that those of means below 0 keep their direction.
    """
    gains = system - pivot
    ri = [_quotient(gain, base, slack) for gain, base in zip(gains, np.abs(pivot), strict=True)]
    return {
        "rd": _quotient(system[0] - system[1], np.abs(system[0]), slack),
        "ri_from": ri[0],
        "ri_to": ri[1],
        "dri": ri[0] - ri[1],
        "er": _quotient(gains[1], gains[0], slack),
    }


def _quotient(above: Floats, below: Floats, slack: float) -> Floats:
    # 0 is added so that no quotient is -0.0, which would be printed with its sign.
    return np.asarray(above / np.where(np.abs(below) < slack, np.nan, below)) + 0.0


def _interval(values: Floats, level: float) -> Interval | None:
    missing = np.isnan(values)
    # Interpolating between a value and infinity gives NaN: the limit is unknown there too.
    with np.errstate(invalid="ignore"):
        low, _ = percentile_interval(np.where(missing, -np.inf, values), level)
        _, high = percentile_interval(np.where(missing, np.inf, values), level)
    return (low, high) if np.isfinite([low, high]).all() else None
