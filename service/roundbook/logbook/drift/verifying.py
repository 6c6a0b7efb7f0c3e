"""Verification of saved drift reports against the factors they were computed from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row

from roundbook.logbook.drift.compared_rounds import pair_rounds
from roundbook.logbook.drift.known_then import (
    SavedFactors,
    changed_since,
    rounds_as_known,
    saved_factors,
)
from roundbook.logbook.drift.report import DriftReport, compare_rounds
from roundbook.logbook.factors import read_factors
from roundbook.logbook.lookup import TaskSeries
from roundbook.logbook.same_topics import collections_differ
from roundbook.logbook.verifying.differences import (
    ROUNDING,
    SAME,
    Facts,
    NotComputed,
    differing,
    same_form,
    unlike,
)
from roundbook.requests.drift import DriftRequest

# Fields that are not verified: the software, what was left out, and the origin of the margin.
_BESIDE = frozenset({"software", "withdrawn", "margin_from"})


def report_differences(
    connection: Connection, saved: Row[Any], read: DriftReport, request: DriftRequest
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved drift report and the same computed from its inputs.

    Shifts and sd ratios are computed from the factors; if these agree, the whole report is computed
    again from the scores.
    """
    inputs = saved_factors(connection, saved.id)
    if len(inputs) != 2:
        yield {"what": "inputs", "recorded": 2, "computed": len(inputs)}
        return
    differences = list(_factor_differences(connection, saved, read, inputs))
    if differences:
        yield from differences
        return
    first, later = rounds_as_known(connection, saved, inputs)
    if first is None or later is None:
        yield NotComputed("known")
        return
    series = TaskSeries(
        saved.task_id, read.task, inputs[0].measure_id, read.measure, read.assessments
    )
    pair = pair_rounds(first, later)
    again = _as_noted(compare_rounds(pair, series, request), read)
    computed = again.model_dump(mode="json", by_alias=True)
    if not same_form(saved.result, computed):
        yield NotComputed("form")
        return
    differences = list(unlike(saved.result, computed, noise=ROUNDING, without=_BESIDE))
    if differences and changed_since(
        connection, saved, [given.fitted.round_id for given in inputs]
    ):
        # Teams and systems of that time are not saved of runs that do not standardise, which
        # recurring systems include, nor of any run where no topic is shared.
        of_runs = ("revived", "units", "recurring") if read.verdict == "unbridged" else ("revived",)
        others = [facts for facts in differences if not facts["what"].endswith(of_runs)]
        yield from others or (NotComputed("known"),)
    else:
        yield from differences


def _as_noted(again: DriftReport, saved: DriftReport) -> DriftReport:
    """Return a report with what was noted in a saved one: dates and pools, which may change."""
    noted: dict[str, Any] = {"out_of_order": saved.out_of_order}
    for name in ("standardising_from", "standardising_to"):
        now, then = getattr(again, name), getattr(saved, name)
        if then is not None:
            noted[name] = now.model_copy(update={"pool_now": then.pool_now})
    # Earlier versions tested tied topics too: without any, it is the same test.
    if (
        again.tests is not None
        and saved.tests is not None
        and saved.tests.topics is None
        and again.tests.topics == again.shared_topics
    ):
        noted["tests"] = again.tests.model_copy(update={"topics": None})
    return again.model_copy(update=noted)


def _factor_differences(
    connection: Connection, saved: Row[Any], read: DriftReport, inputs: Sequence[SavedFactors]
) -> Iterator[Facts]:
    """Yield the differences in a report's factors and in its figures over topics."""
    compared: list[dict[str, tuple[float, float]]] = []
    factors = read_factors(connection, [given.fitted.factor_set_id for given in inputs])
    for end, given in zip(("from", "to"), inputs, strict=True):
        yield from differing([("task", saved.task_id, given.task_id)])
        yield from differing(
            (what, getattr(read, what), computed)
            for what, computed in given.fitted.as_compared(end).items()
            if what.endswith(("matrix", "version"))
        )
        of_set = factors[given.fitted.factor_set_id]
        compared.append({topic: (mean, sd) for topic, mean, sd in of_set})
    # Topic ids as they were known then: a shared topic has its name in the first round.
    there, later = (given.known.get("other_ids", {}) for given in inputs)
    first = {topic: spelled for spelled, topic in there.items()}
    known = {spelled: first.get(topic, topic) for spelled, topic in later.items()}
    compared[1] = {
        known.get(name, first.get(name, name)): value for name, value in compared[1].items()
    }
    yield from _topic_differences(read, compared)


def _topic_differences(
    read: DriftReport, compared: list[dict[str, tuple[float, float]]]
) -> Iterator[Facts]:
    """Yield the differences between a report's topics and the factors of both rounds."""
    shared = set(compared[0]) & set(compared[1])
    if collections_differ(read.from_collection, read.to_collection):
        shared = set()
    if {shift.topic for shift in read.topics} != shared or len(read.topics) != len(shared):
        yield {"what": "topics", "recorded": len(read.topics), "computed": len(shared)}
        return
    yield from differing([("shared_topics", read.shared_topics, len(shared))])
    for shift in read.topics:
        names = ("mean_from", "sd_from", "mean_to", "sd_to")
        factors = (*compared[0][shift.topic], *compared[1][shift.topic])
        yield from differing(
            (
                (what, getattr(shift, what), value)
                for what, value in zip(names, factors, strict=True)
            ),
            topic=shift.topic,
        )
    largest = max((abs(row.shift) for row in read.topics if row.shift is not None), default=0)
    for what, over_topics in _over_topics(read).items():
        noise = 0.0 if what.startswith("sd_ratio") else SAME * largest
        yield from differing([(what, getattr(read, what), over_topics)], noise=noise)


def _over_topics(read: DriftReport) -> dict[str, float | None]:
    """Return a report's figures over topics, computed from the factors of each topic."""
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
