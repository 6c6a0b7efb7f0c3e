"""The variances of rounds with their intervals, from what is stored of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from roundbook.logbook.pooling import (
    LEVEL,
    Estimate,
    PoolBy,
    Pooled,
    RoundVariance,
    interval_result,
    pool,
)
from roundbook.logbook.variance_rows import VarianceRow
from roundbook.statistics.variance.interval import variance_intervals
from roundbook.statistics.variance.published import (
    constants_for,
    own_constants,
    published_variance,
)
from roundbook.statistics.variance.rounds import RoundVariance as StoredVariance


def judge_rounds(
    rows: Sequence[VarianceRow], pool_by: PoolBy
) -> tuple[list[RoundVariance], Pooled]:
    """Return the variances of rounds of one measure with their intervals, and pooled."""
    identities = _topic_identities(rows)
    one_way, source = _estimates(rows, identities, pool_by)
    two_way = [
        _two_way_estimate(row, topics, pool_by)
        for row, topics in zip(rows, identities, strict=True)
    ]
    rounds = _rounds(rows, one_way, two_way, source)
    return rounds, pool(rounds, one_way, two_way, pool_by)


def _topic_identities(rows: Sequence[VarianceRow]) -> list[npt.NDArray[np.int64]]:
    """Return a number for every topic of each row, the same on the same collection.

    Rounds without a declared collection share it with one another, and with the others where
    these declare one only.
    """
    collections = {row.collection.casefold() for row in rows if row.collection is not None}
    codes = {name: place for place, name in enumerate(sorted(collections), 1)}
    alone = len(collections) == 1
    identities = []
    for row in rows:
        code = 0 if row.collection is None or alone else codes[row.collection.casefold()]
        ids = np.array(row.topic_ids or (), dtype=np.int64)
        identities.append(ids * (len(codes) + 1) + code)
    return identities


def _weight(row: VarianceRow, pool_by: PoolBy, dof: int) -> float:
    return float(dof if pool_by == "dof" else row.topics - 1)


def _estimates(
    rows: Sequence[VarianceRow], identities: Sequence[npt.NDArray[np.int64]], pool_by: PoolBy
) -> tuple[list[Estimate], str | None]:
    """Return what the statistics need of each row, and where those of published values come from.

    Published values take the variance per topic and run from the matrices among the rows, else
    from what is usual for the measure.
    """
    stored = {
        place: StoredVariance(
            row.variance,
            _weight(row, pool_by, row.dof),
            row.runs,
            topics,
            np.array(row.topic_squares),
            row.runs_part,
        )
        for place, (row, topics) in enumerate(zip(rows, identities, strict=True))
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
        stored.get(place)
        or published_variance(
            row.variance,
            row.topics,
            row.runs,
            constants,
            teams=row.clusters,
            weight=_weight(row, pool_by, row.dof),
        )
        for place, row in enumerate(rows)
    ]
    return estimates, None if isinstance(constants, str) else constants.source


def _two_way_estimate(
    row: VarianceRow, topics: npt.NDArray[np.int64], pool_by: PoolBy
) -> StoredVariance | None:
    if row.two_way_topic_squares is None or not row.two_way_dof:
        return None
    return StoredVariance(
        (row.two_way_sum_of_squares or 0.0) / row.two_way_dof,
        _weight(row, pool_by, row.two_way_dof),
        row.runs,
        topics,
        np.array(row.two_way_topic_squares),
        row.two_way_runs_part,
    )


def _rounds(
    rows: Sequence[VarianceRow],
    one_way: Sequence[Estimate],
    two_way: Sequence[StoredVariance | None],
    source: str | None,
) -> list[RoundVariance]:
    intervals = variance_intervals(one_way, LEVEL)
    known = [estimate for estimate in two_way if estimate is not None]
    of_two_way = iter(variance_intervals(known, LEVEL))
    results = []
    for row, interval, second in zip(rows, intervals, two_way, strict=True):
        limits, reason = interval_result(interval, source if row.origin == "published" else None)
        second_limits, second_reason = (
            (None, None) if second is None else interval_result(next(of_two_way))
        )
        results.append(
            round_variance(
                row,
                interval=limits,
                interval_reason=reason,
                two_way_interval=second_limits,
                two_way_interval_reason=second_reason,
            )
        )
    return results


def round_variance(row: VarianceRow, **intervals: Any) -> RoundVariance:  # noqa: ANN401
    """Return a round's variance as a result; `intervals` are its intervals and their reasons."""
    two_way, dof = row.two_way_sum_of_squares, row.two_way_dof
    # Of a published value the sum of squares is what its sizes make of it.
    squares = row.variance * row.dof if row.sum_of_squares is None else row.sum_of_squares
    return RoundVariance(
        round=row.round,
        assessments=row.assessments,
        ordinal=row.ordinal,
        collection=row.collection,
        runs=row.runs,
        clusters=row.clusters,
        topics=row.topics,
        variance=row.variance,
        dof=row.dof,
        sum_of_squares=squares,
        two_way_variance=None if two_way is None or not dof else two_way / dof,
        two_way_dof=dof,
        origin=row.origin,
        source=row.source,
        estimate=row.estimate,
        estimate_version=row.estimate_version,
        matrix=row.matrix,
        revision=row.revision,
        factor_version=row.factor_version,
        software=row.software,
        **intervals,
    )
