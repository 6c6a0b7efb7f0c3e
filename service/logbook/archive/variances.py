"""The residual variances of an archive, computed again from the scores that came with them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Row

from service.errors import BadFile
from service.logbook.archive.factors import ReadFactors
from service.logbook.archive.scores import ROUNDING, SAME
from service.statistics.bootstrap import check_resampling
from service.statistics.standardisation import scale_scores
from service.statistics.two_way import two_way_variance
from service.statistics.variance import residual_variance
from service.statistics.variance_interval import chi_square_interval

_BOOTSTRAP = ("bootstrap_low", "bootstrap_high", "bootstrap_resamples", "bootstrap_seed")


class _Computed(NamedTuple):
    """What a column must hold, but for `noise`."""

    column: str
    value: float | None
    noise: float = 0.0


def check_variance(
    row: Row[Any],
    scores: npt.NDArray[np.float64],
    factors: ReadFactors | None,
    what: str,
    place: str,
) -> None:
    """Refuse a variance estimate that is not the one of its scores.

    Parameters
    ----------
    scores : (topics, runs) float array
        On the raw scale.
    factors
        Those of the estimate's set; None on the raw scale.
    what : str
        Which matrix it is, for the message.

    Raises
    ------
    BadFile
        Naming the matrix, scale and column, and what was read beside what was found.
    ImpossibleStatistic
        When there is no such variance of these scores.
    """
    what = f"{what}, {row.scale} scale"
    if factors is not None:
        what += f" by factor version {factors.version}"
        scores = _on_scale(scores, factors, row.scale)
    for column, found, noise in _computed(row, scores):
        said = getattr(row, column)
        if isinstance(said, float) and isinstance(found, float):
            same = isclose(said, found, rel_tol=SAME, abs_tol=noise)
        else:
            same = said == found
        if not same:
            read, given = ("none" if each is None else repr(each) for each in (said, found))
            raise BadFile(f"{what}: {column} is {read}, and the scores give {given}", place)
    _check_bootstrap(row, scores, what, place)


def _on_scale(
    scores: npt.NDArray[np.float64],
    factors: ReadFactors,
    scale: Any,  # noqa: ANN401
) -> npt.NDArray[np.float64]:
    # By the factors as they were read: where a topic's scores hardly differ, what they are
    # divided by is rounding itself.
    mean, sd = factors.mean, factors.sd
    if factors.zero_sd == "drop":
        kept = sd > 0
        scores, mean, sd = scores[kept], mean[kept], sd[kept]
    return scale_scores(scores, mean, sd, scale)


def _computed(row: Row[Any], scores: npt.NDArray[np.float64]) -> Iterator[_Computed]:
    found = residual_variance(scores)
    noise = _noise(scores)
    for column in ("topics", "runs", "dof"):
        yield _Computed(column, getattr(found, column))
    yield _Computed("sum_of_squares", found.sum_of_squares, noise)
    # From here on by the sum of squares as it was read, which may hold other rounding.
    yield _Computed("variance", row.sum_of_squares / row.dof)
    # Records of the first schema have neither what is left of runs and topics nor an interval.
    old = row.level is None
    if found.runs >= 2 and not (old and row.two_way_dof is None):
        two_way = two_way_variance(scores)
        yield _Computed("two_way_dof", two_way.dof)
        yield _Computed("two_way_sum_of_squares", two_way.sum_of_squares, noise)
    else:
        yield _Computed("two_way_dof", None)
        yield _Computed("two_way_sum_of_squares", None)
    low = high = None
    if not old:
        interval = chi_square_interval(row.sum_of_squares, row.dof, row.level)
        low, high = interval.low, interval.high
    yield _Computed("chi_square_low", low)
    yield _Computed("chi_square_high", high)


def _noise(scores: npt.NDArray[np.float64]) -> float:
    """Return what of a sum of squares may be rounding: squares of the scores' last digits."""
    return scores.size * (ROUNDING * float(np.abs(scores).max())) ** 2


def _check_bootstrap(row: Row[Any], scores: npt.NDArray[np.float64], what: str, place: str) -> None:
    """Refuse a bootstrap interval that no resampling of these scores gives.

    It is not drawn again: the generator's stream may change from one NumPy to the next.
    """
    given = [getattr(row, column) for column in _BOOTSTRAP]
    if given.count(None) not in (0, len(given)):
        raise BadFile(f"{what}: only a part of the bootstrap's interval is there", place)
    there = None not in given
    if row.level is None:
        if there:
            raise BadFile(f"{what}: the bootstrap's interval has no level", place)
        return
    noise = _noise(scores)
    if not there:
        if row.sum_of_squares > noise:
            raise BadFile(f"{what}: the bootstrap's interval is not there", place)
        return
    check_resampling(row.bootstrap_resamples, row.level, row.bootstrap_seed)
    # The mean of all resamples, which the interval holds between its ends. The variance itself
    # need not lie there: topics of two kinds, half and half, vary less in almost all resamples.
    mean = row.variance * (1 - 1 / row.topics)
    slack = SAME * mean + noise / row.dof
    if not (
        row.bootstrap_low <= mean + slack
        and mean - slack <= row.bootstrap_high
        and row.bootstrap_low <= row.bootstrap_high
    ):
        raise BadFile(
            f"{what}: the bootstrap's interval is {row.bootstrap_low!r} to {row.bootstrap_high!r},"
            f" without the mean of the resampled variances, {mean!r}",
            place,
        )
