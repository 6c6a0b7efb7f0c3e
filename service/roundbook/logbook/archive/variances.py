"""The residual variances of an archive, computed again from the scores that came with them."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose, sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from roundbook.errors import BadFileError
from roundbook.logbook.archive.scores import ROUNDING, SAME
from roundbook.logbook.estimates import estimate_columns, scores_on_scale, usable_topics
from roundbook.statistics.variance.parts import (
    RunsParts,
    VariancePart,
    VarianceParts,
    runs_parts,
    variance_parts,
)

if TYPE_CHECKING:
    from roundbook.logbook.archive.statistics import CheckedMatrix

# A runs' part is what one variance of a logarithm is more than another, each of them far below 1.
_RUNS_PART = 1e-9
# Where more than this share of what varies may be rounding, a logarithm of it says nothing.
_MOST_ROUNDING = 1e-3


class _Computed(NamedTuple):
    """What a column must hold, but for `noise`."""

    column: str
    value: float | None
    noise: float = 0.0


def check_variance(row: dict[str, Any], matrix: CheckedMatrix, place: str) -> dict[str, Any]:
    """Return what an estimate's row lacks; refuse one that is not the one of its scores.

    Parameters
    ----------
    row : dict
        A row of ``variance_estimate`` by column. What the archive's version did not have is not
        among its keys.
    matrix
        The matrix that the estimate is of.
    place : str
        The archive and its member, for the message.

    Raises
    ------
    BadFileError
        Naming the matrix, scale and column, and what was read beside what was computed.
    ImpossibleStatisticError
        When there is no such variance of these scores.
    """
    what = f"{matrix.name}, {row['scale']} scale"
    scores, topic_ids = matrix.scores, matrix.topic_ids
    if row["factor_set_id"] is not None:
        # By the factors as they were read: where a topic's scores hardly differ, what they are
        # divided by is rounding itself.
        factors = matrix.factors[row["factor_set_id"]]
        what += f" by factor version {factors.version}"
        scores = scores_on_scale(scores, factors.mean, factors.sd, row["scale"], factors.zero_sd)
        topic_ids = topic_ids[usable_topics(factors.sd, factors.zero_sd)]
    parts = variance_parts(scores, matrix.team_ids)
    for column, value, noise in _computed(row, parts, scores):
        read = row[column]
        if isinstance(read, float) and isinstance(value, float):
            same = isclose(read, value, rel_tol=SAME, abs_tol=noise)
        else:
            same = read == value
        if not same:
            shown, given = ("none" if number is None else repr(number) for number in (read, value))
            raise BadFileError(f"{what}: {column} is {shown}, and the scores give {given}", place)
    columns = {**estimate_columns(parts), "version": 1, "topic_ids": topic_ids.tolist()}
    # Estimates of the first schema have no two-way residual, and archives of it no clusters.
    lacking = {name for name, value in row.items() if value is None and "clusters" not in row}
    return {name: value for name, value in columns.items() if name not in row.keys() - lacking}


def _computed(
    row: dict[str, Any], parts: VarianceParts, scores: npt.NDArray[np.float64]
) -> Iterator[_Computed]:
    noise = _noise(scores)
    yield _Computed("topics", parts.topics)
    yield _Computed("runs", parts.runs)
    yield _Computed("dof", parts.one_way.dof)
    yield _Computed("sum_of_squares", parts.one_way.sum_of_squares, noise)
    # By the sum of squares as it was read, which may hold other rounding.
    yield _Computed("variance", row["sum_of_squares"] / row["dof"])
    carries_parts = "clusters" in row
    if parts.two_way is None:
        yield _Computed("two_way_dof", None)
        yield _Computed("two_way_sum_of_squares", None)
    elif carries_parts or row["two_way_dof"] is not None:
        yield _Computed("two_way_dof", parts.two_way.dof)
        yield _Computed("two_way_sum_of_squares", parts.two_way.sum_of_squares, noise)
    runs = _runs_parts_of(row["clusters"], parts, scores) if carries_parts else None
    if runs is not None:
        yield _Computed("clusters", runs.clusters)
        for column, part, value in (
            ("runs_part", parts.one_way, runs.one_way),
            ("two_way_runs_part", parts.two_way, runs.two_way),
        ):
            rounding = _share_of_rounding(part, noise)
            if rounding < _MOST_ROUNDING:
                yield _Computed(column, value, _RUNS_PART + 10 * rounding)


def _runs_parts_of(
    clusters: int, parts: VarianceParts, scores: npt.NDArray[np.float64]
) -> RunsParts | None:
    """Return what teams bear on by as many clusters as there were, None where it is not known.

    An estimate with more clusters than the runs form today is of the time before: each run was
    alone then, or some teams were known and the archive does not tell which.
    """
    if parts.runs == clusters > parts.clusters:
        return runs_parts(scores, [None] * parts.runs)
    if clusters > parts.clusters:
        return None
    two_way = None if parts.two_way is None else parts.two_way.runs_part
    return RunsParts(parts.clusters, parts.one_way.runs_part, two_way)


def _share_of_rounding(part: VariancePart | None, noise: float) -> float:
    """Return how much of a residual may be rounding; 0 where there is none at all."""
    if part is None or noise == 0:
        return 0.0
    return sqrt(noise / part.sum_of_squares) if part.sum_of_squares > 0 else 1.0


def _noise(scores: npt.NDArray[np.float64]) -> float:
    """Return what of a sum of squares may be rounding: squares of the scores' last digits."""
    return scores.size * (ROUNDING * float(np.abs(scores).max())) ** 2
