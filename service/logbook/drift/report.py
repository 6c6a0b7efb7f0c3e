"""Drift: whether an earlier round's standardisation factors still hold for a later round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from pydantic import AliasChoices, Field
from sqlalchemy import Connection, Engine

from service.database.engine import unit_of_work
from service.errors import ImpossibleStatistic, InputError
from service.logbook.drift import words
from service.logbook.drift.collections import assumed, collections_differ
from service.logbook.drift.consequence import Consequence, check_design, consequence
from service.logbook.drift.ends import End, load_end, rounds_with_factors
from service.logbook.drift.factors import compare_factors
from service.logbook.drift.revived import Revived, revived
from service.logbook.drift.topics import (
    DriftTests,
    TopicDrift,
    over_topics,
    tests_on_bridges,
    topic_rows,
)
from service.logbook.drift.unbridged import Unbridged, unbridged
from service.logbook.lookup import Series, choose_assessments, find_round, find_task
from service.logbook.measures import find_measure
from service.logbook.result import SOFTWARE, Result
from service.logbook.withdrawals import WithdrawnMatrix, read_withdrawn
from service.statistics.drift import Drift


class DriftReport(Result):
    """Whether the factors of the round `from` hold in the round `to`.

    Shifts are in units of the first round's sds; the sd ratio is a geometric mean over topics.
    Intervals are (low, high) by t over topics, at 95% and, for the verdict, 90%. `tests` are None
    without a shared topic, `consequence` is None where `consequence_reason` says why, `revived`
    without a system in both rounds, and `unbridged` unless that is the verdict. `m` and `min_d` are
    what the topic set sizes are for.
    """

    # A saved report is read back by this model: keys that come later need defaults.

    task: str
    measure: str
    assessments: str
    from_round: str = Field(
        validation_alias=AliasChoices("from_round", "from"), serialization_alias="from"
    )
    to_round: str = Field(validation_alias=AliasChoices("to_round", "to"), serialization_alias="to")
    from_matrix: int
    from_revision: int
    from_version: int
    to_matrix: int
    to_revision: int
    to_version: int
    from_collection: str | None
    to_collection: str | None
    assumed: str | None
    shared_topics: int
    verdict: str
    reason: str
    advice: str
    commands: list[words.Command]
    mean_shift: float | None
    mean_shift_95: tuple[float, float] | None
    mean_shift_90: tuple[float, float] | None
    sd_ratio: float | None
    sd_ratio_95: tuple[float, float] | None
    sd_ratio_90: tuple[float, float] | None
    margin: float
    sd_ratio_margin: float
    m: int
    min_d: float
    undefined_shifts: int
    undefined_sd_ratios: int
    consequence: Consequence | None
    consequence_reason: str | None
    tests: DriftTests | None
    revived: Revived | None
    unbridged: Unbridged | None
    software: str
    withdrawn: list[WithdrawnMatrix]
    topics: list[TopicDrift]

    def headline(self) -> str:
        """Return the verdict in one sentence."""
        return words.headline(self.verdict, self.from_round, self.to_round)


class _Bridges(NamedTuple):
    """The places of the shared topics in either round; `apart`: other document collections."""

    before: list[int]
    after: list[int]
    apart: bool


def report_drift(
    engine: Engine,
    task: str,
    measure: str,
    *,
    from_round: str | None = None,
    to_round: str | None = None,
    margin: float = 0.2,
    sd_ratio_margin: float = 1.25,
    m: int = 10,
    min_d: float = 0.1,
    assessments: str | None = None,
) -> DriftReport:
    """Compare the latest factors of two rounds on the topics they share.

    Parameters
    ----------
    from_round, to_round : str, optional
        Default: the first and the latest round that have factors.
    margin : float
        Largest mean shift, in sds of the round `from`, under which its factors hold; also of
        revived systems.
    sd_ratio_margin : float
        Largest geometric mean sd ratio, or its inverse, under which they hold.
    m, min_d
        What the topic set sizes under either round's factors are for: comparing `m` runs, with a
        smallest difference `min_d` worth detecting on the std-AB scale.

    Raises
    ------
    NotRecorded
        When a round or its factors are not there, or only one round has any.
    InputError
        When both rounds are the same, or a margin, `m` or `min_d` is impossible.
    """
    check_design(m, min_d)
    with unit_of_work(engine) as connection:
        old, new = _ends(connection, task, measure, from_round, to_round, assessments)
        withdrawn = read_withdrawn(
            connection,
            find_task(connection, task),
            measures=[old.series.measure_id],
            assessments=[old.series.assessments],
        )
    bridges = _bridges(old, new)
    factors = [
        getattr(end.factors, name)[places]
        for end, places in ((old, bridges.before), (new, bridges.after))
        for name in ("mean", "sd")
    ]
    drift = compare_factors(np.array(factors), margin=margin, sd_ratio_margin=sd_ratio_margin)
    done, without = None, words.headline(drift.verdict, old.series.round, new.series.round)
    if drift.verdict != "unbridged":
        try:
            done = consequence(old, bridges.before, new, bridges.after, m=m, min_d=min_d)
        except ImpossibleStatistic as error:
            without = str(error)
    return _report(
        task, old, new, bridges, drift, done, without, assessments, withdrawn, m=m, min_d=min_d
    )


def _ends(
    connection: Connection,
    task: str,
    measure: str,
    from_round: str | None,
    to_round: str | None,
    assessments: str | None,
) -> tuple[End, End]:
    task_id = find_task(connection, task)
    measure_id, measure = find_measure(connection, task_id, task, measure)
    label = choose_assessments(connection, task_id, measure_id, measure, assessments)
    for named in (from_round, to_round):
        if named is not None:
            find_round(connection, task_id, task, named)
    fitted = rounds_with_factors(connection, task_id, task, measure_id, measure, label)
    first, later = (
        Series(find_round(connection, task_id, task, name), measure_id, label, name, measure)
        for name in (
            (from_round or fitted[0].round).strip(),
            (to_round or fitted[-1].round).strip(),
        )
    )
    if first.round_id == later.round_id:
        raise InputError(
            f"Drift compares two rounds, and '{first.round}' is both; name others with"
            " --from and --to."
        )
    return load_end(connection, first), load_end(connection, later)


def _bridges(old: End, new: End) -> _Bridges:
    if collections_differ(old.collection, new.collection):
        return _Bridges([], [], apart=True)
    place = {name: index for index, name in enumerate(new.factors.topics)}
    before = [index for index, name in enumerate(old.factors.topics) if name in place]
    return _Bridges(before, [place[old.factors.topics[index]] for index in before], apart=False)


def _report(
    task: str,
    old: End,
    new: End,
    bridges: _Bridges,
    drift: Drift,
    done: Consequence | None,
    without: str,
    assessments: str | None,
    withdrawn: list[WithdrawnMatrix],
    *,
    m: int,
    min_d: float,
) -> DriftReport:
    tested = tests_on_bridges(old, bridges.before, new, bridges.after)
    names = [old.factors.topics[index] for index in bridges.before]
    ends = (old.series.round, new.series.round)
    held_on = (ends[0], old.collection, ends[1], new.collection)
    return DriftReport(
        task=task,
        measure=old.series.measure,
        assessments=old.series.assessments,
        from_round=ends[0],
        to_round=ends[1],
        from_matrix=old.factors.row.matrix_id,
        from_revision=old.revision,
        from_version=old.factors.row.version,
        to_matrix=new.factors.row.matrix_id,
        to_revision=new.revision,
        to_version=new.factors.row.version,
        from_collection=old.collection,
        to_collection=new.collection,
        assumed=assumed(task, [held_on[:2], held_on[2:]]) if names else None,
        shared_topics=drift.topics,
        verdict=drift.verdict,
        reason=words.other_collection(*held_on) if bridges.apart else words.reason(drift, ends[0]),
        advice=words.advice(drift.verdict, *ends, other_collection=bridges.apart),
        commands=words.commands(drift.verdict, task, old.series.measure, *ends, assessments),
        mean_shift=drift.mean_shift,
        mean_shift_95=drift.mean_shift_95,
        mean_shift_90=drift.mean_shift_90,
        sd_ratio=drift.sd_ratio,
        sd_ratio_95=drift.sd_ratio_95,
        sd_ratio_90=drift.sd_ratio_90,
        margin=drift.margin,
        sd_ratio_margin=drift.sd_ratio_margin,
        m=m,
        min_d=min_d,
        undefined_shifts=drift.topics - drift.shift_topics,
        undefined_sd_ratios=drift.topics - drift.sd_ratio_topics,
        consequence=done,
        consequence_reason=None if done else without,
        tests=over_topics(tested, old, new),
        revived=revived(old, new, drift.margin),
        unbridged=unbridged(old.factors, new.factors) if drift.verdict == "unbridged" else None,
        software=SOFTWARE,
        withdrawn=withdrawn,
        topics=topic_rows(names, drift, tested),
    )
