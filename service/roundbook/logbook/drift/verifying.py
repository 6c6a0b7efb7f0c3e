"""A saved drift report beside the factors that it was computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor, topic
from roundbook.logbook.drift.compared_rounds import (
    FactorSeries,
    collections_differ,
    pair_rounds,
)
from roundbook.logbook.drift.known_then import changed_since, rounds_as_known, saved_factors
from roundbook.logbook.drift.report import DriftReport, compare_rounds
from roundbook.logbook.verifying.differences import (
    ROUNDING,
    SAME,
    Facts,
    NotComputed,
    same,
    same_form,
    unlike,
)
from roundbook.requests.drift import DriftRequest

# What stands beside a report's answer: what computed it, what was left out, whether its margin was
# named.
_BESIDE = frozenset({"software", "withdrawn", "margin_from"})


def report_differences(
    connection: Connection, saved: Row[Any], read: DriftReport, request: DriftRequest
) -> Iterator[Facts | NotComputed]:
    """Yield what of a saved drift report is not what its factors give.

    Shifts and sd ratios are computed from the factors and, where these are what the report says,
    all of it from the scores too.
    """
    inputs = saved_factors(connection, saved.id)
    if len(inputs) != 2:
        yield {"what": "inputs", "recorded": 2, "computed": len(inputs)}
        return
    found = list(_factor_differences(connection, saved, read, inputs))
    if found:
        yield from found
        return
    first, later = rounds_as_known(connection, saved, inputs)
    if first is None or later is None:
        yield NotComputed("known")
        return
    series = FactorSeries(
        saved.task_id, read.task, inputs[0].measure_id, read.measure, read.assessments
    )
    pair = pair_rounds(first, later)
    again = compare_rounds(pair, series, request)
    computed = again.model_dump(mode="json", by_alias=True)
    if not same_form(saved.result, computed):
        yield NotComputed("form")
        return
    found = list(unlike(saved.result, computed, noise=ROUNDING, without=_BESIDE))
    # Recurring systems are of all runs, and what was known of those that do not standardise is not
    # kept.
    of_systems = all(facts["what"].endswith("revived") for facts in found)
    if found and of_systems and changed_since(connection, saved, [row.round_id for row in inputs]):
        yield NotComputed("known")
    else:
        yield from found


def _factor_differences(
    connection: Connection, saved: Row[Any], read: DriftReport, inputs: Sequence[Row[Any]]
) -> Iterator[Facts]:
    """Yield what a report says of its factors and gives over topics, and is otherwise."""
    compared: list[dict[str, tuple[float, float]]] = []
    for end, fitted in zip(("from", "to"), inputs, strict=True):
        if fitted.task_id != saved.task_id:
            yield {"what": "task", "recorded": saved.task_id, "computed": fitted.task_id}
        for name, computed in (("matrix", fitted.matrix_id), ("version", fitted.version)):
            recorded = getattr(read, f"{end}_{name}")
            if recorded != computed:
                yield {"what": f"{end}_{name}", "recorded": recorded, "computed": computed}
        compared.append(_factors(connection, fitted.id))
    # As they were then: a topic has the name that it has in the first round.
    there, later = (fitted.known.get("other_ids", {}) for fitted in inputs)
    first = {topic: spelled for spelled, topic in there.items()}
    known = {spelled: first.get(topic, topic) for spelled, topic in later.items()}
    compared[1] = {
        known.get(name, first.get(name, name)): value for name, value in compared[1].items()
    }
    yield from _topic_differences(read, compared)


def _topic_differences(
    read: DriftReport, compared: list[dict[str, tuple[float, float]]]
) -> Iterator[Facts]:
    """Yield what of a report's topics is not what the factors of both rounds give."""
    shared = set(compared[0]) & set(compared[1])
    if collections_differ(read.from_collection, read.to_collection):
        shared = set()
    if {shift.topic for shift in read.topics} != shared or len(read.topics) != len(shared):
        yield {"what": "topics", "recorded": len(read.topics), "computed": len(shared)}
        return
    if read.shared_topics != len(shared):
        yield {"what": "shared_topics", "recorded": read.shared_topics, "computed": len(shared)}
    for shift in read.topics:
        names = ("mean_from", "sd_from", "mean_to", "sd_to")
        factors = (*compared[0][shift.topic], *compared[1][shift.topic])
        for what, computed in zip(names, factors, strict=True):
            recorded = getattr(shift, what)
            if not same(recorded, computed):
                yield {
                    "what": what,
                    "topic": shift.topic,
                    "recorded": recorded,
                    "computed": computed,
                }
    largest = max((abs(row.shift) for row in read.topics if row.shift is not None), default=0)
    for what, over_topics in _over_topics(read).items():
        noise = 0.0 if what.startswith("sd_ratio") else SAME * largest
        if not same(getattr(read, what), over_topics, noise):
            yield {"what": what, "recorded": getattr(read, what), "computed": over_topics}


def _over_topics(read: DriftReport) -> dict[str, float | None]:
    """Return what a report says over its topics, from the factors of each."""
    used = [topic for topic in read.topics if topic.shift is not None and topic.sd_from > 0]
    if not used:
        return dict.fromkeys(("mean_shift", "sd_ratio"))
    moved = np.array([topic.mean_to - topic.mean_from for topic in used])
    first = np.array([topic.sd_from for topic in used])
    later = np.array([topic.sd_to for topic in used])
    ratios = (later / first)[later > 0]
    geometric = float(np.exp(np.log(ratios).mean())) if ratios.size else None
    if read.shift is None:
        # A report saved before the weighted shift was the primary one.
        return {"mean_shift": float((moved / first).mean()), "sd_ratio": geometric}
    return {
        "shift": float(moved.mean() / first.mean()),
        "mean_shift": float((moved / first).mean()),
        "median_shift": float(np.median(moved / first)),
        "sd_ratio": float(later.mean() / first.mean()),
        "sd_ratio_geometric": geometric,
    }


def _factors(connection: Connection, factor_set_id: int) -> dict[str, tuple[float, float]]:
    rows = connection.execute(
        select(topic.c.name, factor.c.mean, factor.c.sd)
        .join(topic, topic.c.id == factor.c.topic_id)
        .where(factor.c.factor_set_id == factor_set_id)
    )
    return {row.name: (row.mean, row.sd) for row in rows}
