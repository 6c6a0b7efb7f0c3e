"""Verification of saved drift reports against the factors they were computed from.

They are computed again with the teams, systems and topic ids known when they were saved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import event, factor_set, matrix, result_input, round_
from roundbook.logbook.drift.compared_rounds import (
    FITTED,
    ComparedRound,
    FittedRound,
    kin_of_standardising,
    load_rounds,
    pair_rounds,
)
from roundbook.logbook.drift.report import DriftReport, compare_rounds
from roundbook.logbook.factors import read_factors
from roundbook.logbook.lookup import TaskSeries
from roundbook.logbook.same_topics import collections_differ
from roundbook.logbook.teams import CORRECTED
from roundbook.logbook.verifying.differences import (
    FORMER_SENTENCES,
    SAME,
    Facts,
    NotComputed,
    differences_recomputed,
    differing,
)
from roundbook.logbook.verifying.saved_results import changed_since
from roundbook.requests.drift import DriftRequest

# Fields that are not verified: the software, withdrawn score matrices, the origin of the margin.
_UNVERIFIED = frozenset({"software", "withdrawn", "margin_from"})
# In reports that tested tied topics too, these are over other topics than today.
_OVER_TIED_TOPICS = frozenset({"tests", "welch_p_holm", "brown_forsythe_p_holm"})
_COUNTS = ("runs_without_team", "runs_without_system")
_Names = list[str | None]


def report_differences(
    connection: Connection, saved: Row[Any], report: DriftReport, request: DriftRequest
) -> Iterator[Facts | NotComputed]:
    """Yield the differences between a saved drift report and the same computed from its inputs.

    Shifts and sd ratios are computed from the factors; if these agree, the whole report is computed
    again from the scores.
    """
    inputs = saved_factors(connection, saved.id)
    if len(inputs) != 2:
        yield {"what": "inputs", "recorded": 2, "computed": len(inputs)}
        return
    differences = list(_factor_differences(connection, saved, report, inputs))
    if differences:
        yield from differences
        return
    compared = {row.fitted.round for row in inputs}
    changed = not compared.isdisjoint(changed_since(connection, saved))
    if not changed and not any(name in inputs[1].facts for name in _COUNTS):
        # Until schema 0005 they were counted over both rounds, and saved with the first.
        inputs = [
            row._replace(facts={name: row.facts[name] for name in row.facts if name not in _COUNTS})
            for row in inputs
        ]
    first, later = rounds_at_saving(connection, saved, inputs)
    if first is None or later is None:
        yield NotComputed("known")
        return
    series = TaskSeries(
        saved.task_id, report.task, inputs[0].measure_id, report.measure, report.assessments
    )
    pair = pair_rounds(first, later)
    again = _with_saved_notes(compare_rounds(pair, series, request), report)
    if report.units is None and all("rule" in row.facts for row in inputs):
        # By the rule until schema 0004, with an sd ratio that was verified over topics.
        again = again.model_copy(update={"verdict": report.verdict, "sd_ratio": report.sd_ratio})
    computed = again.model_dump(mode="json", by_alias=True)
    without = _UNVERIFIED
    if "advice" in saved.result:
        without |= FORMER_SENTENCES | {"revived"}
    if again.tests and report.tests and again.tests.topics and not report.tests.topics:
        without |= _OVER_TIED_TOPICS
    # The teams and systems at the time of saving are lost for runs that do not standardise, which
    # recurring systems include, and for all runs of a report without shared topics.
    of_runs = ("revived", "units", "recurring") if report.verdict == "unbridged" else ("revived",)
    found = list(differences_recomputed(saved.result, computed, without))
    known = [
        facts
        for facts in found
        if not changed or isinstance(facts, NotComputed) or not facts["what"].endswith(of_runs)
    ]
    yield from known
    if found and not known:
        yield NotComputed("known")


def _with_saved_notes(again: DriftReport, saved: DriftReport) -> DriftReport:
    """Return a report with the notes of a saved one on dates and pools, which may change."""
    notes: dict[str, Any] = {
        name: getattr(saved, name) for name in ("out_of_order", "latest_not_held_last")
    }
    for name in ("standardising_from", "standardising_to"):
        now, then = getattr(again, name), getattr(saved, name)
        if then is not None:
            notes[name] = now.model_copy(update={"pool_now": then.pool_now})
    # Earlier versions tested tied topics too: without any, it is the same test.
    if (
        again.tests is not None
        and saved.tests is not None
        and saved.tests.topics is None
        and again.tests.topics == again.shared_topics
    ):
        notes["tests"] = again.tests.model_copy(update={"topics": None})
    return again.model_copy(update=notes)


def _factor_differences(
    connection: Connection, saved: Row[Any], report: DriftReport, inputs: Sequence[SavedFactors]
) -> Iterator[Facts]:
    """Yield the differences in a report's factors and in its figures over topics."""
    compared: list[dict[str, tuple[float, float]]] = []
    factors = read_factors(connection, [row.fitted.factor_set_id for row in inputs])
    for prefix, row in zip(("from", "to"), inputs, strict=True):
        yield from differing([("task", saved.task_id, row.task_id)])
        computed = row.fitted.as_compared(prefix)
        names = f"{prefix}_matrix", f"{prefix}_version"
        yield from differing((name, getattr(report, name), computed[name]) for name in names)
        of_set = factors[row.fitted.factor_set_id]
        compared.append({topic: (mean, sd) for topic, mean, sd in of_set})
    # By the aliases at the time of saving; a shared topic is named as in the first round.
    aliases_first, aliases_later = (row.facts.get("other_ids", {}) for row in inputs)
    name_first = {topic: alias for alias, topic in aliases_first.items()}
    shared_name = name_first | {
        alias: name_first.get(topic, topic) for alias, topic in aliases_later.items()
    }
    compared[1] = {shared_name.get(name, name): value for name, value in compared[1].items()}
    yield from _topic_differences(report, compared)


def _topic_differences(
    report: DriftReport, compared: list[dict[str, tuple[float, float]]]
) -> Iterator[Facts]:
    """Yield the differences between a report's topics and the factors of both rounds."""
    shared = set(compared[0]) & set(compared[1])
    if collections_differ(report.from_collection, report.to_collection):
        shared = set()
    if {shift.topic for shift in report.topics} != shared or len(report.topics) != len(shared):
        yield {"what": "topics", "recorded": len(report.topics), "computed": len(shared)}
        return
    yield from differing([("shared_topics", report.shared_topics, len(shared))])
    for shift in report.topics:
        names = ("mean_from", "sd_from", "mean_to", "sd_to")
        factors = (*compared[0][shift.topic], *compared[1][shift.topic])
        recorded = (getattr(shift, name) for name in names)
        yield from differing(zip(names, recorded, factors, strict=True), topic=shift.topic)
    largest = max((abs(row.shift) for row in report.topics if row.shift is not None), default=0)
    for name, computed in _over_topics(report).items():
        noise = 0.0 if name.startswith("sd_ratio") else SAME * largest
        yield from differing([(name, getattr(report, name), computed)], noise=noise)


def _over_topics(report: DriftReport) -> dict[str, float | None]:
    """Return a report's figures over topics, computed from the factors of each topic."""
    used = [topic for topic in report.topics if topic.shift is not None and topic.sd_from > 0]
    if not used:
        return dict.fromkeys(("mean_shift", "sd_ratio"))
    moved = np.array([topic.mean_to - topic.mean_from for topic in used])
    first = np.array([topic.sd_from for topic in used])
    later = np.array([topic.sd_to for topic in used])
    ratios = (later / first)[later > 0]
    geometric = float(np.exp(np.log(ratios).mean())) if ratios.size else None
    if report.shift is None:
        # A report saved before the weighted shift was the primary one.
        return {"mean_shift": float((moved / first).mean()), "sd_ratio": geometric}
    return {
        "shift": float(moved.mean() / first.mean()),
        "mean_shift": float((moved / first).mean()),
        "median_shift": float(np.median(moved / first)),
        "sd_ratio": float(later.mean() / first.mean()),
        "sd_ratio_geometric": geometric,
    }


class SavedFactors(NamedTuple):
    """A factor set that a saved result was computed from.

    `facts` are those on the round and its runs when the result was saved; `fitted` has the
    collection declared at that time.
    """

    fitted: FittedRound
    task_id: int
    measure_id: int
    facts: Mapping[str, Any]


def saved_factors(connection: Connection, result: int) -> list[SavedFactors]:
    """Return the factor sets that a saved result was computed from, in the order of its inputs."""
    rows = connection.execute(
        select(*FITTED, round_.c.task_id, factor_set.c.measure_id, result_input.c.known)
        .join(factor_set, factor_set.c.round_id == round_.c.id)
        .join(matrix, matrix.c.id == factor_set.c.matrix_id)
        .join(result_input, result_input.c.factor_set_id == factor_set.c.id)
        .where(result_input.c.result_id == result)
        .order_by(result_input.c.position)
    )
    return [
        SavedFactors(
            FittedRound._make(fitted)._replace(collection=facts.get("collection")),
            task_id,
            measure_id,
            facts,
        )
        for *fitted, task_id, measure_id, facts in rows
    ]


def rounds_at_saving(
    connection: Connection, saved: Row[Any], inputs: Sequence[SavedFactors]
) -> Iterator[ComparedRound | None]:
    """Yield a saved result's rounds with the facts of the time of saving; None if these are lost.

    Collections and topic ids are saved with the result. Of the runs' teams and systems only a
    checksum is saved: it is compared with those of today, with those before each later correction
    among the events, and with none at all.
    """
    loaded = load_rounds(connection, saved.task_id, [factors.fitted for factors in inputs])
    for entry, factors in zip(loaded, inputs, strict=True):
        other_ids = factors.facts.get("other_ids", {})
        candidates = (
            entry._replace(
                canonical_topics=[other_ids.get(name, name) for name in entry.topics],
                teams=teams,
                systems=systems,
                kin=kin_of_standardising(entry.scores, teams, entry.standardising),
            )
            for teams, systems in _possible_names(connection, entry, saved)
        )
        yield next((one for one in candidates if _agrees(one, factors.facts)), None)


def _possible_names(
    connection: Connection, entry: ComparedRound, saved: Row[Any]
) -> Iterator[tuple[_Names, _Names]]:
    """Yield possible teams and systems of the runs, from today's back to the time of saving."""
    named = {
        "team": dict(zip(entry.runs, entry.teams, strict=True)),
        "system": dict(zip(entry.runs, entry.systems, strict=True)),
    }
    corrections = select(event.c.details).where(
        event.c.round_id == entry.fitted.round_id,
        event.c.what == CORRECTED,
        event.c.at >= saved.saved_at,
    )
    later = connection.execute(corrections.order_by(event.c.id.desc())).scalars()
    for details in [{}, *later]:
        for change, values in details.items():
            fact, _, run = change.partition(" of ")
            if run in named.get(fact, {}):
                named[fact][run] = values["was"]
        yield from product(
            *([[*by_run.values()], [None] * len(by_run)] for by_run in named.values())
        )


def _agrees(entry: ComparedRound, saved: Mapping[str, Any]) -> bool:
    """Return whether a round's standardising runs agree with the saved counts and checksum."""
    runs = sorted(
        (run, team, system)
        for run, team, system, used in zip(
            entry.runs, entry.teams, entry.systems, entry.standardising, strict=True
        )
        if used
    )
    listed = ",".join(json.dumps(run, ensure_ascii=False) for run in runs)
    facts = {
        "runs_without_team": sum(team is None for _, team, _ in runs),
        "runs_without_system": sum(system is None for *_, system in runs),
        "runs": hashlib.md5(listed.encode(), usedforsecurity=False).hexdigest(),
    }
    return all(saved.get(name, value) == value for name, value in facts.items())
