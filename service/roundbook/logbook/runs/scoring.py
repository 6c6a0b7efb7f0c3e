"""Computation of a round's scores from its runs and relevance assessments.

They are to be logged, or compared with logged ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from roundbook.formats import CompleteMatrix
from roundbook.limits import LIST_DEPTH
from roundbook.logbook.lookup import find_logged, read_round, recorded_round
from roundbook.logbook.matrices.history import cells_of, compared_names
from roundbook.logbook.names import check_name
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.runs.ir_measures import score_by_ir_measures
from roundbook.logbook.runs.storing import AssessedRuns, load_assessed_runs
from roundbook.logbook.session import Session
from roundbook.logbook.storing import load_matrix
from roundbook.measure_names import canonical_measure
from roundbook.requests.matrices import LogFilesRequest
from roundbook.requests.runs import CompareScores
from roundbook.statistics.measures.hits import find_hits, relevant_hits
from roundbook.statistics.measures.measure import is_own_measure, parse_measure
from roundbook.statistics.measures.scores import score_runs
from roundbook.statistics.score_matrix import Floats


class ComputedMatrices(NamedTuple):
    """Score matrices computed from runs, with the software that computed each (`tools`).

    `computed_from` has the upload of runs and the revision of the assessments, `without_relevant`
    the topics without a relevant document, `without_lists` the runs without a list for any assessed
    topic, and `lacking_lists` the number of assessed topics that other runs have no list for;
    `depth` is the rank at which the longest list ends.
    """

    matrices: list[CompleteMatrix]
    tools: list[str]
    computed_from: Mapping[str, object]
    without_relevant: list[str]
    without_lists: list[str]
    lacking_lists: dict[str, int]
    depth: int

    def lists_end_at(self, measure: str) -> int | None:
        """Return the rank at which the longest list ends; None if a measure looks no further."""
        _, at, cutoff = measure.rpartition("@")
        deepest = min(int(cutoff), LIST_DEPTH) if at and cutoff.isdecimal() else LIST_DEPTH
        return self.depth if self.depth < deepest else None


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


def score_round(session: Session, request: LogFilesRequest) -> ComputedMatrices:
    """Compute the scores of a request's measures from the runs and assessments of its round.

    A run scores 0 on a topic for which it retrieved nothing.

    Raises
    ------
    NotRecordedError
        When there is no such round, or it has no runs or no such assessments.
    ImpossibleStatisticError, MissingExtraError, InputError
        As `score_assessed`.
    """
    connection = session.connection
    round_row = recorded_round(connection, request.task, request.round)
    label = check_name("assessments label", request.assessments)
    assessed = load_assessed_runs(connection, round_row, label)
    scored = score_assessed(assessed, request.measures)
    source = assessed.source
    matrices = [
        CompleteMatrix(
            topics=tuple(assessed.topics),
            runs=tuple(assessed.runs),
            scores=np.ascontiguousarray(scores.T).T,
            measure=measure,
            layout="runs",
            files=(
                f"upload {source.upload} of runs",
                f"revision {source.revision} of {source.assessments} assessments",
            ),
            missing_policy=request.missing,
            missing_cells=0,
            dropped_topics=(),
        )
        for measure, (scores, _) in zip(request.measures, scored, strict=True)
    ]
    lacking = np.asarray((assessed.lists < 0).all(axis=2))
    relevant = np.bincount(
        assessed.judgments.topic, assessed.judgments.grade > 0, minlength=len(assessed.topics)
    )
    return ComputedMatrices(
        matrices,
        tools=[tool for _, tool in scored],
        computed_from={"upload": source.upload, "assessments_revision": source.revision},
        without_relevant=[
            topic for topic, count in zip(assessed.topics, relevant, strict=True) if not count
        ],
        without_lists=[
            tag for tag, of_run in zip(assessed.runs, lacking, strict=True) if of_run.all()
        ],
        lacking_lists={
            tag: int(of_run.sum())
            for tag, of_run in zip(assessed.runs, lacking, strict=True)
            if of_run.any() and not of_run.all()
        },
        depth=assessed.lists.shape[2],
    )


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
    series, row = find_logged(
        connection, request.task, request.round, request.measure, request.assessments
    )
    round_row = read_round(connection, series.round_id)
    assessed = load_assessed_runs(connection, round_row, series.assessments)
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
        upload=assessed.source.upload,
        assessments_revision=assessed.source.revision,
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


def score_assessed(assessed: AssessedRuns, measures: Sequence[str]) -> list[tuple[Floats, str]]:
    """Return the (topics, runs) scores of measures, each with the software that computed them.

    Measures, in any spelling, that Roundbook does not compute itself are computed by ir_measures,
    which comes with the extra ``measures``.

    Raises
    ------
    ImpossibleStatisticError
        When a measure lacks a parameter that its scores depend on, or a grade has no gain.
    MissingExtraError
        When ir_measures is needed but not installed.
    InputError
        When ir_measures has no such measure, or cannot compute it.
    """
    names = [canonical_measure(measure) for measure in measures]
    # Parsed first, so that a bad measure is refused before anything is computed.
    own = [parse_measure(name) if is_own_measure(name) else None for name in names]
    hits = relevant_hits(find_hits(assessed.lists, assessed.judgments), assessed.judgments)
    return [
        score_by_ir_measures(assessed, name)
        if measure is None
        else (score_runs(measure, hits, assessed.judgments), SOFTWARE)
        for name, measure in zip(names, own, strict=True)
    ]
