"""The ageing curve: every later round's factors against those of one earlier round."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from pydantic import Field
from sqlalchemy import Connection, Engine, select

from service.database.engine import unit_of_work
from service.database.tables import factor
from service.errors import NotRecorded
from service.logbook.drift import words
from service.logbook.drift.collections import assumed, collections_differ
from service.logbook.drift.ends import Fitted, rounds_with_factors
from service.logbook.drift.factors import compare_factors
from service.logbook.lookup import choose_assessments, find_round, find_task
from service.logbook.measures import find_measure
from service.logbook.result import SOFTWARE, Result
from service.logbook.withdrawals import WithdrawnMatrix, read_withdrawn
from service.statistics.drift import Drift


class LaterRound(Result):
    """A later round against the earlier one, as in the full report; see `DriftReport`."""

    round: str
    matrix: int
    revision: int
    version: int
    collection: str | None
    shared_topics: int
    verdict: str
    reason: str
    mean_shift: float | None
    mean_shift_95: tuple[float, float] | None
    mean_shift_90: tuple[float, float] | None
    sd_ratio: float | None
    sd_ratio_95: tuple[float, float] | None
    sd_ratio_90: tuple[float, float] | None


class DriftCurve(Result):
    """How the factors of the round `from` age over the later rounds, in the task's order."""

    task: str
    measure: str
    assessments: str
    from_round: str = Field(serialization_alias="from")
    from_matrix: int
    from_revision: int
    from_version: int
    from_collection: str | None
    assumed: str | None
    summary: str
    margin: float
    sd_ratio_margin: float
    software: str
    withdrawn: list[WithdrawnMatrix]
    rounds: list[LaterRound]


def trace_drift(
    engine: Engine,
    task: str,
    measure: str,
    *,
    from_round: str | None = None,
    margin: float = 0.2,
    sd_ratio_margin: float = 1.25,
    assessments: str | None = None,
) -> DriftCurve:
    """Compare one round's latest factors with those of every later round that has any.

    Only factors are read, no scores; the number of queries does not depend on that of rounds.

    Parameters
    ----------
    from_round : str, optional
        Default: the first round that has factors.
    margin, sd_ratio_margin : float
        As for `service.logbook.drift.report.report_drift`.

    Raises
    ------
    NotRecorded
        When the round or its factors are not there, or no later round has any.
    InputError
        When a margin is impossible.
    """
    with unit_of_work(engine) as connection:
        task_id = find_task(connection, task)
        measure_id, measure = find_measure(connection, task_id, task, measure)
        label = choose_assessments(connection, task_id, measure_id, measure, assessments)
        fitted = rounds_with_factors(connection, task_id, task, measure_id, measure, label)
        start = 0
        if from_round is not None:
            wanted = find_round(connection, task_id, task, from_round)
            start = next((i for i, each in enumerate(fitted) if each.round_id == wanted), -1)
        if start < 0:
            raise NotRecorded(
                f"Round '{from_round}' has no {measure} standardisation factors: they need a logged"
                " score matrix of at least two runs."
            )
        first, later = fitted[start], fitted[start + 1 :]
        if not later:
            raise NotRecorded(
                f"No round after '{first.round}' has {measure} factors, so there is no curve; name"
                " an earlier round with --from."
            )
        bridges = _bridges(connection, first, later)
        withdrawn = read_withdrawn(connection, task_id, measures=[measure_id], assessments=[label])
    rounds = [
        _compare(first, each, bridges.get(each.factor_set_id, []), margin, sd_ratio_margin)
        for each in later
    ]
    bridged = [
        (each.round, each.collection)
        for each, row in zip(later, rounds, strict=True)
        if row.shared_topics
    ]
    return DriftCurve(
        task=task,
        measure=measure,
        assessments=label,
        from_round=first.round,
        from_matrix=first.matrix,
        from_revision=first.revision,
        from_version=first.version,
        from_collection=first.collection,
        assumed=assumed(task, [(first.round, first.collection), *bridged]) if bridged else None,
        summary=_summary(first.round, rounds),
        margin=margin,
        sd_ratio_margin=sd_ratio_margin,
        software=SOFTWARE,
        withdrawn=withdrawn,
        rounds=rounds,
    )


def _bridges(
    connection: Connection, first: Fitted, later: Sequence[Fitted]
) -> dict[int, list[tuple[float, float, float, float]]]:
    """Return the four factors of each shared topic, by the later factor set."""
    old, new = factor.alias("old"), factor.alias("new")
    rows = connection.execute(
        select(new.c.factor_set_id, old.c.mean, old.c.sd, new.c.mean, new.c.sd)
        .join(old, old.c.topic_id == new.c.topic_id)
        .where(
            old.c.factor_set_id == first.factor_set_id,
            new.c.factor_set_id.in_([each.factor_set_id for each in later]),
        )
        .order_by(new.c.factor_set_id, old.c.topic_id)
    )
    found: dict[int, list[tuple[float, float, float, float]]] = {}
    for factor_set_id, *factors in rows:
        found.setdefault(factor_set_id, []).append(tuple(factors))
    return found


def _compare(
    first: Fitted,
    later: Fitted,
    bridges: list[tuple[float, float, float, float]],
    margin: float,
    sd_ratio_margin: float,
) -> LaterRound:
    apart = collections_differ(first.collection, later.collection)
    factors = np.array([] if apart else bridges, dtype=float).reshape(-1, 4)
    drift = compare_factors(factors.T, margin=margin, sd_ratio_margin=sd_ratio_margin)
    return LaterRound(
        round=later.round,
        matrix=later.matrix,
        revision=later.revision,
        version=later.version,
        collection=later.collection,
        shared_topics=drift.topics,
        verdict=drift.verdict,
        reason=_reason(drift, first, later, apart=apart),
        mean_shift=drift.mean_shift,
        mean_shift_95=drift.mean_shift_95,
        mean_shift_90=drift.mean_shift_90,
        sd_ratio=drift.sd_ratio,
        sd_ratio_95=drift.sd_ratio_95,
        sd_ratio_90=drift.sd_ratio_90,
    )


def _reason(drift: Drift, first: Fitted, later: Fitted, *, apart: bool) -> str:
    if apart:
        return words.other_collection(first.round, first.collection, later.round, later.collection)
    return words.reason(drift, first.round)


def _summary(first: str, rounds: list[LaterRound]) -> str:
    counts = {
        verdict: [row.round for row in rounds if row.verdict == verdict]
        for verdict in ("held", "aged", "undecided", "unbridged")
    }
    said = ", ".join(f"{len(names)} {verdict}" for verdict, names in counts.items() if names)
    later = f"{len(rounds)} later round{'s' if len(rounds) > 1 else ''}"
    line = f"The factors of round '{first}' in {later}: {said}."
    if counts["aged"]:
        line += f" The first round in which they had aged is '{counts['aged'][0]}'."
    return line
