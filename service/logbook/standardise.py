"""Standardised scores: a round's matrix by its own factors or another round's."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, Engine, select

from service.database.engine import unit_of_work
from service.database.tables import round_
from service.errors import ImpossibleStatistic, NotRecorded
from service.logbook.factors import load_factors
from service.logbook.lookup import Series, current_matrix, find_factor_set, find_series
from service.logbook.result import Result
from service.logbook.storing import load_matrix
from service.statistics.standardisation import Scale, scale_scores


class OffTie(Result):
    """A run that differs on a topic where all standardising runs tie: no sd can place it."""

    run: str
    topic: str


class StandardisedScores(Result):
    """Standardised scores, one list a run, and what they were standardised by.

    `left_out` are the topics of the matrix that have no factors, or no spread under the
    policy ``drop``; `off_ties` are the scores that the policy ``average`` puts at 0 sds although
    they differ from the tie.
    """

    task: str
    round: str
    measure: str
    assessments: str
    scale: str
    matrix: int
    revision: int
    factors_round: str
    factor_version: int
    zero_sd: str
    topics: list[str]
    runs: list[str]
    scores: list[list[float]]
    left_out: list[str]
    off_ties: list[OffTie]


def standardise(
    engine: Engine,
    task: str,
    round_label: str,
    measure: str,
    *,
    scale: Scale = "std-ab",
    factors_from: str | None = None,
    assessments: str | None = None,
) -> StandardisedScores:
    """Return a round's standardised scores.

    Parameters
    ----------
    scale : 'std', 'std-cdf' or 'std-ab'
    factors_from : str, optional
        ``ROUND`` or ``ROUND:VERSION``; default the round's own latest factors.

    Raises
    ------
    NotRecorded
        When the matrix or the factors are not there.
    ImpossibleStatistic
        When none of the matrix's topics has factors.
    """
    with unit_of_work(engine) as connection:
        series = find_series(connection, task, round_label, measure, assessments)
        row = current_matrix(connection, series)
        if row is None:
            raise NotRecorded(
                f"Round '{round_label}' has no logged scores of {series.measure}; log them with"
                f" 'roundbook log {task} {round_label} FILE --measure {series.measure}'."
            )
        source, version = _factors_source(connection, task, series, factors_from)
        factors = load_factors(connection, find_factor_set(connection, source, version))
        loaded = load_matrix(connection, row)
    zero_sd = factors.row.zero_sd
    place = {
        name: index
        for index, name in enumerate(factors.topics)
        if zero_sd == "average" or factors.sd[index] > 0
    }
    kept = [index for index, name in enumerate(loaded.topics) if name in place]
    if not kept:
        raise ImpossibleStatistic(
            f"None of the topics of round '{series.round}' has factors in round"
            f" '{source.round}': there is nothing to standardise by."
        )
    chosen = [place[loaded.topics[index]] for index in kept]
    raw, mean, sd = loaded.scores[kept], factors.mean[chosen], factors.sd[chosen]
    scores = scale_scores(raw, mean, sd, scale)
    off_ties = np.argwhere((sd == 0)[:, None] & (raw != mean[:, None]))
    return StandardisedScores(
        task=task,
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        scale=scale,
        matrix=row.id,
        revision=row.revision,
        factors_round=source.round,
        factor_version=factors.row.version,
        zero_sd=zero_sd,
        topics=[loaded.topics[index] for index in kept],
        runs=loaded.runs,
        scores=np.ascontiguousarray(scores.T).tolist(),
        left_out=[name for name in loaded.topics if name not in place],
        off_ties=[
            OffTie(run=loaded.runs[run], topic=loaded.topics[kept[topic]])
            for topic, run in off_ties.tolist()
        ],
    )


def _factors_source(
    connection: Connection, task: str, series: Series, factors_from: str | None
) -> tuple[Series, int | None]:
    """Read ``ROUND[:VERSION]``; a round's label may itself hold a colon."""
    if factors_from is None:
        return series, None
    label, colon, version = factors_from.rpartition(":")
    numbered = bool(colon) and version.isascii() and version.isdigit() and len(version) < 10
    if numbered and not _has_round(connection, series.round_id, factors_from):
        source = find_series(connection, task, label, series.measure, series.assessments)
        return source, int(version)
    return find_series(connection, task, factors_from, series.measure, series.assessments), None


def _has_round(connection: Connection, sibling_id: int, label: str) -> bool:
    task_id = select(round_.c.task_id).where(round_.c.id == sibling_id).scalar_subquery()
    found = select(round_.c.id).where(round_.c.task_id == task_id, round_.c.label == label)
    return connection.execute(found).first() is not None
