"""The variances of rounds of one measure, with their intervals, a test and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from roundbook.logbook.variance_history import Homogeneity, Interval, Pooled, RoundVariance
from roundbook.logbook.variance_rows import VarianceRow
from roundbook.requests.fields import PoolBy
from roundbook.statistics.variance.interval import VarianceInterval, variance_intervals
from roundbook.statistics.variance.pooled import PooledVariance, pool
from roundbook.statistics.variance.published import (
    constants_for,
    own_constants,
    published_variance,
)
from roundbook.statistics.variance.rounds import PublishedVariance, round_arrays
from roundbook.statistics.variance.rounds import RoundVariance as StoredVariance

LEVEL = 0.95
_TWO_WAY = "two_way_"
# What a result has as it is stored; of a thousand rounds, to look for it each time would be slow.
_STORED = tuple(
    name
    for name in RoundVariance.model_fields
    if not name.endswith(("interval", "interval_reason"))
)
_as_stored = attrgetter(*_STORED)


def judge_rounds(
    rows: Sequence[VarianceRow], pool_by: PoolBy
) -> tuple[list[RoundVariance], Pooled]:
    """Return the variances of rounds of one measure with their intervals, and pooled."""
    topics = _topic_identities(rows)
    stored = [_stored(row, ids, pool_by) for row, ids in zip(rows, topics, strict=True)]
    one_way, source = _with_published(rows, stored, pool_by)
    two_way = {
        index: variance
        for index, (row, ids) in enumerate(zip(rows, topics, strict=True))
        if (variance := _stored(row, ids, pool_by, _TWO_WAY)) is not None
    }
    arrays, two_way_arrays = round_arrays(one_way), round_arrays(list(two_way.values()))
    intervals = [
        _interval(interval, source if row.origin == "published" else None)
        for row, interval in zip(rows, variance_intervals(arrays, LEVEL), strict=True)
    ]
    for index, interval in zip(two_way, variance_intervals(two_way_arrays, LEVEL), strict=True):
        intervals[index] |= _interval(interval, prefix=_TWO_WAY)
    pooled = pool(arrays, LEVEL)
    judged = _judged(pooled)
    if two_way:
        judged |= _judged(pool(two_way_arrays, LEVEL), _TWO_WAY)
    rounds = [
        round_variance(row, **of_round) for row, of_round in zip(rows, intervals, strict=True)
    ]
    return rounds, Pooled(
        **judged,
        dof=sum(row.dof for row in rows),
        weights=pool_by,
        rounds=[row.round for row in rows],
        topics=pooled.topics,
        max_min_ratio=pooled.homogeneity.max_min_ratio,
        two_way_dof=sum(rows[index].two_way_dof or 0 for index in two_way) or None,
        two_way_rounds=[rows[index].round for index in two_way],
    )


def round_variance(row: VarianceRow, **intervals: Any) -> RoundVariance:  # noqa: ANN401
    """Return a round's variance as a result; `intervals` are its intervals and their reasons."""
    values = dict(zip(_STORED, _as_stored(row), strict=True))
    if row.sum_of_squares is None:
        # Of a published value the sum of squares is what its sizes make of it.
        values["sum_of_squares"] = row.variance * row.dof
    return RoundVariance(**values, **intervals)


def _topic_identities(rows: Sequence[VarianceRow]) -> list[npt.NDArray[np.int64]]:
    """Return a number for every topic of each row, the same on the same collection.

    Rounds without a declared collection share it with one another, and with the others where
    these declare one only.
    """
    collections = {row.collection.casefold() for row in rows if row.collection is not None}
    codes = {name: code for code, name in enumerate(sorted(collections), 1)}
    alone = len(collections) == 1
    identities = []
    for row in rows:
        code = 0 if row.collection is None or alone else codes[row.collection.casefold()]
        ids = np.array(row.topic_ids or (), dtype=np.int64)
        identities.append(ids * (len(codes) + 1) + code)
    return identities


def _stored(
    row: VarianceRow, topics: npt.NDArray[np.int64], pool_by: PoolBy, prefix: str = ""
) -> StoredVariance | None:
    """Return what the statistics need of a variance, by default the one-way; None without scores."""
    squares, dof = getattr(row, f"{prefix}topic_squares"), getattr(row, f"{prefix}dof")
    if squares is None or not dof:
        return None
    return StoredVariance(
        getattr(row, f"{prefix}variance"),
        float(dof if pool_by == "dof" else row.topics - 1),
        row.runs,
        topics,
        np.array(squares),
        getattr(row, f"{prefix}runs_part"),
    )


def _with_published(
    rows: Sequence[VarianceRow], stored: Sequence[StoredVariance | None], pool_by: PoolBy
) -> tuple[list[StoredVariance | PublishedVariance], str | None]:
    """Return the variances with the published ones, and where the spread of these is from.

    Published values take the variance per topic and run from the matrices among the rows, else
    from what is usual for the measure.
    """
    own = [variance for variance in stored if variance is not None]
    if len(own) == len(rows):
        return [*own], None
    constants = constants_for(
        rows[0].family, own_constants(own) if own else None, standardised=rows[0].scale != "raw"
    )
    estimates = [
        variance
        or published_variance(
            row.variance,
            row.topics,
            row.runs,
            constants,
            teams=row.clusters,
            weight=float(row.dof if pool_by == "dof" else row.topics - 1),
        )
        for row, variance in zip(rows, stored, strict=True)
    ]
    return estimates, None if isinstance(constants, str) else constants.source


def _interval(
    interval: VarianceInterval, source: str | None = None, prefix: str = ""
) -> dict[str, Any]:
    """Return an interval as a result and the code of why it, or its upper limit, is missing.

    Parameters
    ----------
    source : str, optional
        Of a published variance: where its variance per topic and per run comes from.
    """
    limits = None
    if interval.low is not None:
        limits = Interval(
            low=interval.low,
            high=interval.high,
            level=interval.level,
            method="jackknife" if source is None else "published",
            of=interval.of,
            source=source,
            few_topics=interval.few_topics,
        )
    reason = interval.reason if limits is None else interval.upper_reason
    return {f"{prefix}interval": limits, f"{prefix}interval_reason": reason}


def _judged(pooled: PooledVariance, prefix: str = "") -> dict[str, Any]:
    test = pooled.homogeneity
    return {
        f"{prefix}variance": pooled.variance,
        **_interval(pooled.interval, prefix=prefix),
        f"{prefix}homogeneity": Homogeneity(
            method="wald-f",
            statistic=test.statistic,
            dof=test.dof1,
            dof_residual=test.dof2,
            p_value=test.p_value,
            reason=test.reason,
        ),
        f"{prefix}next_round": pooled.next_round,
    }
