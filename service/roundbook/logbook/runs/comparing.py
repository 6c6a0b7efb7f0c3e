"""A round's logged scores beside those that its runs and relevance assessments give."""

from __future__ import annotations

import numpy as np

from roundbook.errors import NotRecordedError
from roundbook.logbook.lookup import current_matrix, find_series
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.scoring import load_round, score_assessed
from roundbook.logbook.session import Session
from roundbook.logbook.storing import load_matrix
from roundbook.requests.run_scores import CompareScores


class DifferentScore(Result):
    """A cell whose logged score is another than that which was computed."""

    topic: str
    run: str
    logged: float
    computed: float
    difference: float


class ScoreComparison(Result):
    """How a logged score matrix differs from the scores computed from runs and assessments.

    Compared are the `cells` that both have, of `topics` topics and `runs` runs. `different` of
    them, of `different_topics` topics and `different_runs` runs, differ by more than `tolerance`;
    `largest` is the largest difference of all, whatever its sign, None where nothing is compared.
    `cells_shown` are the most different ones, computed minus logged. `computed_by` is the software.
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
    """Compare the current matrix of a round with the scores that its runs give.

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
    row = current_matrix(connection, series)
    if row is None:
        raise NotRecordedError(
            f"Round '{series.round}' has no {series.measure} scores to compare",
            way_out="log scores",
            task=request.task,
            round=series.round,
            measure=series.measure,
        )
    assessed = load_round(connection, series.round_id, series.assessments)
    ((computed, software),) = score_assessed(assessed, [series.measure])
    logged = load_matrix(connection, row)
    topics = _also_in(assessed.topics, logged.topics)
    runs = _also_in(assessed.runs, logged.runs)
    of_logged = logged.scores[_cells(logged.topics, topics, logged.runs, runs)]
    of_computed = computed[_cells(assessed.topics, topics, assessed.runs, runs)]
    differences = of_computed - of_logged
    apart = np.abs(differences)
    beyond = apart > request.tolerance
    largest_first = np.argsort(-apart, axis=None, kind="stable")[: int(beyond.sum())]
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
        cells=apart.size,
        different=int(beyond.sum()),
        different_topics=int(beyond.any(axis=1).sum()),
        different_runs=int(beyond.any(axis=0).sum()),
        largest=float(apart.max()) if apart.size else None,
        only_logged_topics=_without(logged.topics, topics),
        only_logged_runs=_without(logged.runs, runs),
        only_computed_topics=_without(assessed.topics, topics),
        only_computed_runs=_without(assessed.runs, runs),
        cells_shown=[
            DifferentScore(
                topic=topics[topic],
                run=runs[run],
                logged=float(of_logged[topic, run]),
                computed=float(of_computed[topic, run]),
                difference=float(differences[topic, run]),
            )
            for topic, run in (
                divmod(int(cell), len(runs)) for cell in largest_first[: request.limit]
            )
        ],
    )


def _cells(
    all_topics: list[str], topics: list[str], all_runs: list[str], runs: list[str]
) -> tuple[np.ndarray, ...]:
    row_of = {topic: row for row, topic in enumerate(all_topics)}
    column_of = {run: column for column, run in enumerate(all_runs)}
    rows = np.array([row_of[topic] for topic in topics], dtype=np.intp)
    return np.ix_(rows, np.array([column_of[run] for run in runs], dtype=np.intp))


def _also_in(others: list[str], names: list[str]) -> list[str]:
    there = set(others)
    return [name for name in names if name in there]


def _without(names: list[str], others: list[str]) -> list[str]:
    there = set(others)
    return [name for name in names if name not in there]
