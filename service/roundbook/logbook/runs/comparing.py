"""Comparison of a round's logged scores with those computed from its runs and assessments."""

from __future__ import annotations

import numpy as np

from roundbook.logbook.lookup import find_series, logged_matrix
from roundbook.logbook.matrices.history import cells_of, compared_names
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.scoring import load_round, score_assessed
from roundbook.logbook.session import Session
from roundbook.logbook.storing import load_matrix
from roundbook.requests.runs import CompareScores


class DifferentScore(Result):
    """A cell whose logged and computed scores differ."""

    topic: str
    run: str
    logged: float
    computed: float
    difference: float


class ScoreComparison(Result):
    """The differences between a logged score matrix and scores computed from runs and assessments.

    The `cells` that both have are compared, of `topics` topics and `runs` runs. `different` of
    them, of `different_topics` topics and `different_runs` runs, differ by more than `tolerance`;
    `largest` is the largest absolute difference, None if nothing is compared. `cells_shown` are the
    cells that differ most, computed minus logged. `computed_by` is the software.
    """

    task: str
    round: str
    measure: str
    assessments: str
    matrix: int
    revision: int
    upload: int
    assessments_revision: int
    computed_by: str
    tolerance: float
    topics: int
    runs: int
    cells: int
    different: int
    different_topics: int
    different_runs: int
    largest: float | None
    only_logged_topics: list[str]
    only_logged_runs: list[str]
    only_computed_topics: list[str]
    only_computed_runs: list[str]
    cells_shown: list[DifferentScore]
    software: str = SOFTWARE


def compare_scores(session: Session, request: CompareScores) -> ScoreComparison:
    """Compare the current matrix of a round with the scores computed from its runs.

    Raises
    ------
    NotRecordedError
        When the round has no such matrix, no runs or no such assessments.
    WithdrawnError
        When the matrix is withdrawn.
    ImpossibleStatisticError, MissingExtraError, InputError
        When the measure cannot be computed.
    """
    connection = session.connection
    series = find_series(
        connection, request.task, request.round, request.measure, request.assessments
    )
    row = logged_matrix(connection, request.task, series)
    assessed = load_round(connection, series.round_id, series.assessments)
    ((computed, software),) = score_assessed(assessed, [series.measure])
    logged = load_matrix(connection, row)
    topics, computed_topics, logged_topics = compared_names(assessed.topics, logged.topics)
    runs, computed_runs, logged_runs = compared_names(assessed.runs, logged.runs)
    of_logged = logged.scores[cells_of(logged, topics, runs)]
    of_computed = computed[cells_of(assessed, topics, runs)]
    differences = of_computed - of_logged
    sizes = np.abs(differences)
    beyond = sizes > request.tolerance
    largest_first = np.argsort(-sizes, axis=None, kind="stable")[: int(beyond.sum())]
    return ScoreComparison(
        task=request.task.strip(),
        round=series.round,
        measure=series.measure,
        assessments=series.assessments,
        matrix=row.id,
        revision=row.revision,
        upload=assessed.upload_number,
        assessments_revision=assessed.revision,
        computed_by=software,
        tolerance=request.tolerance,
        topics=len(topics),
        runs=len(runs),
        cells=sizes.size,
        different=int(beyond.sum()),
        different_topics=int(beyond.any(axis=1).sum()),
        different_runs=int(beyond.any(axis=0).sum()),
        largest=float(sizes.max()) if sizes.size else None,
        only_logged_topics=logged_topics,
        only_logged_runs=logged_runs,
        only_computed_topics=computed_topics,
        only_computed_runs=computed_runs,
        cells_shown=[
            DifferentScore(
                topic=topics[topic],
                run=runs[run],
                logged=float(of_logged[topic, run]),
                computed=float(of_computed[topic, run]),
                difference=float(differences[topic, run]),
            )
            for topic, run in (
                divmod(cell, len(runs)) for cell in largest_first[: request.limit].tolist()
            )
        ],
    )
