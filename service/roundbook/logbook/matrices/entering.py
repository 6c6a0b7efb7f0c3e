"""A score matrix on its way into the record: its names, its runs, and the remarks on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Row

from roundbook.errors import InputError
from roundbook.formats import CompleteMatrix, RunTeam
from roundbook.logbook.lookup import Series, latest_matrix, other_assessments
from roundbook.logbook.matrices.logged import Remarks
from roundbook.logbook.measures import ensure_measure, near_measure, other_measures
from roundbook.logbook.names import as_recorded, check_name, check_reason, check_text
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs.recorded_runs import RecordedRuns, record_runs
from roundbook.logbook.same_topics import refuse_topic_twice
from roundbook.logbook.session import Session
from roundbook.logbook.storing import content_hash
from roundbook.requests.matrices import LogRequest


class Entry(NamedTuple):
    """A score matrix to log, with its series; `latest` is the latest revision of the series.

    `computed_from` has the runs and assessments of computed scores, for the event. `remarks` are
    those on its names, runs and cells.
    """

    session: Session
    request: LogRequest
    task_id: int
    series: Series
    scores: CompleteMatrix
    digest: str
    latest: Row[Any] | None
    runs: RecordedRuns
    computed_from: Mapping[str, object]
    remarks: Remarks

    @property
    def is_recorded(self) -> bool:
        """Whether the latest revision has the same scores."""
        return self.latest is not None and self.latest.content_hash == self.digest


def enter_matrix(
    session: Session,
    request: LogRequest,
    complete: CompleteMatrix,
    teams: Mapping[str, RunTeam],
    computed_from: Mapping[str, object],
) -> Entry:
    """Record the task, round, measure and runs of a score matrix, and check its names and bounds.

    Its scores are not stored.
    """
    request = request.model_copy(
        update={"revise": check_reason(request.revise), "tool": check_text("tool", request.tool)}
    )
    connection = session.connection
    task_id, round_id, near_names = open_round(
        session, request.task, request.round, create=request.create
    )
    complete, teams = as_recorded(connection, task_id, round_id, complete, teams)
    refuse_topic_twice(connection, task_id, request.task, complete.topics)
    measure = ensure_measure(connection, request.measure, request.bounds, task_id)
    if measure.bounds is not None:
        _check_bounds(measure.name, measure.bounds, complete)
    label = check_name("assessments label", request.assessments)
    series = Series(round_id, measure.id, label, request.round.strip(), measure.name)
    runs = record_runs(connection, round_id, complete.runs, teams)
    tags = dict.fromkeys(complete.runs)
    remarks = Remarks(
        other_measures=other_measures(connection, task_id, measure),
        near_measure=near_measure(measure.name) if measure.is_new else None,
        other_assessments=other_assessments(connection, task_id, label),
        near_names=near_names,
        zero_sd=request.zero_sd,
        hidden=list(complete.hidden),
        unknown_runs=[tag for tag in teams if tag not in tags],
        undescribed_runs=[tag for tag in tags if tag not in teams] if teams else [],
    )
    return Entry(
        session,
        request,
        task_id,
        series,
        complete,
        content_hash(complete.topics, complete.runs, complete.scores),
        latest_matrix(connection, series),
        runs,
        computed_from,
        remarks,
    )


def _check_bounds(measure: str, bounds: tuple[float, float], complete: CompleteMatrix) -> None:
    low, high = bounds
    outside = np.argwhere((complete.scores < low) | (complete.scores > high))
    if len(outside):
        topic, run = outside[0]
        raise InputError(
            f"{len(outside)} of {complete.scores.size} scores lie outside the bounds {low:g} to"
            f" {high:g} of {measure}; the first is {complete.scores[topic, run]:g}, of topic"
            f" {complete.topics[topic]} and run {complete.runs[run]}."
        )
