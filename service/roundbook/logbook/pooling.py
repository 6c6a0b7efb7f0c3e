"""The variances of rounds of one measure, with their intervals, a test and pooled."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from roundbook.logbook.variance_history import Homogeneity, Interval, Pooled, RoundVariance
from roundbook.statistics.variance.interval import VarianceInterval, variance_intervals
from roundbook.statistics.variance.pooled import PooledVariance, pool
from roundbook.statistics.variance.published import (
    constants_for,
    own_constants,
    published_variance,
)
from roundbook.statistics.variance.rounds import PublishedVariance, round_arrays
from roundbook.statistics.variance.rounds import RoundVariance as StoredVariance

if TYPE_CHECKING:
    from roundbook.logbook.variances import VarianceRow
    from roundbook.requests.fields import PoolBy

LEVEL = 0.95
# What a result has as it is stored; of a thousand rounds, to look for it each time would be slow.
_STORED = tuple(
    name
    for name in RoundVariance.model_fields
    if name != "two_way_variance" and not name.endswith(("interval", "interval_reason"))
)
_stored = attrgetter(*_STORED)


def judge_rounds(
    rows: Sequence[VarianceRow], pool_by: PoolBy
) -> tuple[list[RoundVariance], Pooled]:
    """Return the variances of rounds of one measure with their intervals, and pooled."""
    topics = _topic_identities(rows)
    one_way, source = _one_way(rows, topics, pool_by)
    arrays = round_arrays(one_way)
    two_way = {
        index: StoredVariance(
            (row.two_way_sum_of_squares or 0.0) / row.two_way_dof,
            _weight(row, pool_by, row.two_way_dof),
            row.runs,
            topics[index],
            np.array(row.two_way_topic_squares),
            row.two_way_runs_part,
        )
        for index, row in enumerate(rows)
        if row.two_way_topic_squares is not None and row.two_way_dof
    }
    two_way_arrays = round_arrays(list(two_way.values()))
    of_two_way = dict(zip(two_way, variance_intervals(two_way_arrays, LEVEL), strict=True))
    rounds = []
    for index, (row, interval) in enumerate(
        zip(rows, variance_intervals(arrays, LEVEL), strict=True)
    ):
        intervals = _interval(interval, source if row.origin == "published" else None)
        if index in of_two_way:
            intervals |= _of_two_way(_interval(of_two_way[index]))
        rounds.append(round_variance(row, **intervals))
    pooled = pool(arrays, LEVEL)
    judged = _judged(pooled)
    if two_way:
        judged |= _of_two_way(_judged(pool(two_way_arrays, LEVEL)))
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
    values = dict(zip(_STORED, _stored(row), strict=True))
    if row.sum_of_squares is None:
        # Of a published value the sum of squares is what its sizes make of it.
        values["sum_of_squares"] = row.variance * row.dof
    two_way, dof = row.two_way_sum_of_squares, row.two_way_dof
    values["two_way_variance"] = None if two_way is None or not dof else two_way / dof
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


def _weight(row: VarianceRow, pool_by: PoolBy, dof: int) -> float:
    return float(dof if pool_by == "dof" else row.topics - 1)


def _one_way(
    rows: Sequence[VarianceRow], topics: Sequence[npt.NDArray[np.int64]], pool_by: PoolBy
) -> tuple[list[StoredVariance | PublishedVariance], str | None]:
    """Return what the statistics need of each row, and where the spread of published values is from.

    Published values take the variance per topic and run from the matrices among the rows, else
    from what is usual for the measure.
    """
    stored = {
        index: StoredVariance(
            row.variance,
            _weight(row, pool_by, row.dof),
            row.runs,
            topics[index],
            np.array(row.topic_squares),
            row.runs_part,
        )
        for index, row in enumerate(rows)
        if row.topic_squares is not None
    }
    if len(stored) == len(rows):
        return list(stored.values()), None
    constants = constants_for(
        rows[0].family,
        own_constants(list(stored.values())) if stored else None,
        standardised=rows[0].scale != "raw",
    )
    estimates = [
        stored.get(index)
        or published_variance(
            row.variance,
            row.topics,
            row.runs,
            constants,
            teams=row.clusters,
            weight=_weight(row, pool_by, row.dof),
        )
        for index, row in enumerate(rows)
    ]
    return estimates, None if isinstance(constants, str) else constants.source


def _interval(interval: VarianceInterval, source: str | None = None) -> dict[str, Any]:
    """Return an interval as a result and the code of why it, or its upper limit, is missing.

    Parameters
    ----------
    source : str, optional
        Of a published variance: where its variance per topic and per run comes from.
    """
    if interval.low is None:
        return {"interval": None, "interval_reason": interval.reason}
    limits = Interval(
        low=interval.low,
        high=interval.high,
        level=interval.level,
        method="jackknife" if source is None else "published",
        of=interval.of,
        source=source,
        few_topics=interval.few_topics,
    )
    return {"interval": limits, "interval_reason": interval.upper_reason}


def _judged(pooled: PooledVariance) -> dict[str, Any]:
    test = pooled.homogeneity
    return {
        "variance": pooled.variance,
        **_interval(pooled.interval),
        "homogeneity": Homogeneity(
            method="wald-f",
            statistic=test.statistic,
            dof=test.dof1,
            dof_residual=test.dof2,
            p_value=test.p_value,
            reason=test.reason,
        ),
        "next_round": pooled.next_round,
    }


def _of_two_way(facts: dict[str, Any]) -> dict[str, Any]:
    return {f"two_way_{name}": value for name, value in facts.items()}
