"""Rows of the current variances of a task's rounds, as read from the record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import NamedTuple, Self

from sqlalchemy import Connection, text

from roundbook.logbook.withdrawals import IS_LATEST, TaskScores


class VarianceRow(NamedTuple):
    """The current variance of one round on one scale, a row of `HISTORY`.

    `variance` is the residual variance within runs and `two_way_variance` that after run and topic
    means, in squared units of the scale; `dof` is runs (topics - 1), `two_way_dof`
    (runs - 1)(topics - 1). Published values have no sums of squares and no topics. SQLAlchemy's own
    rows would be slow at access by name.
    """

    measure: str
    family: str
    round: str
    ordinal: int
    held: date | None
    collection: str | None
    round_id: int
    measure_id: int
    assessments: str
    rank: int
    scale: str
    estimate: int
    estimate_version: int | None
    runs: int
    topics: int
    clusters: int | None
    variance: float
    dof: int
    sum_of_squares: float | None
    two_way_sum_of_squares: float | None
    two_way_dof: int | None
    runs_part: float | None
    two_way_runs_part: float | None
    topic_ids: list[int] | None
    topic_squares: list[float] | None
    two_way_topic_squares: list[float] | None
    origin: str
    source: str | None
    matrix: int | None
    revision: int
    factor_version: int | None
    software: str

    @property
    def two_way_variance(self) -> float | None:
        """The residual variance after run and topic means, None if it is not known."""
        if self.two_way_sum_of_squares is None or not self.two_way_dof:
            return None
        return self.two_way_sum_of_squares / self.two_way_dof

    def with_same_topics(self, same: Mapping[int, int]) -> Self:
        """Return the row with its aliased topics replaced, by id, by the topics they stand for."""
        if not same:
            return self
        topic_ids = [same.get(topic_id, topic_id) for topic_id in self.topic_ids or ()]
        return self._replace(topic_ids=topic_ids or None)


def read_rows(
    connection: Connection, scores: TaskScores, scale: str, *, mixed: bool = False
) -> list[VarianceRow]:
    """Return the current variance rows on a scale, by measure, assessments and round.

    If `mixed`, a round has one row, by the first of the assessments labels that it has.
    """
    filters = scores._asdict() | {"scale": scale, "mixed": mixed}
    return [VarianceRow._make(row) for row in connection.execute(_HISTORY, filters)]


def read_teams(connection: Connection, rows: Sequence[VarianceRow]) -> dict[int, set[int | None]]:
    """Return the ids of the teams with runs in each row's matrix, None for unknown teams."""
    matrices = [row.matrix for row in rows if row.matrix is not None]
    by_matrix = connection.execute(_TEAMS, {"matrices": matrices})
    return {matrix: set(teams) for matrix, teams in by_matrix}


_TEAMS = text("""
SELECT matrix_run.matrix_id, array_agg(DISTINCT run.team_id)
FROM roundbook.matrix_run JOIN roundbook.run ON run.id = matrix_run.run_id
WHERE matrix_run.matrix_id = ANY (CAST(:matrices AS bigint[]))
GROUP BY matrix_run.matrix_id
""")


# The columns of a `VarianceRow` before `round_id`.
ROUND_COLUMNS = """
       measure.name AS measure, measure.family, round.label AS round, round.ordinal, round.held,
       round.collection
"""
# The variances of the matrices `counted`, and published ones, with the columns from `round_id` on.
VARIANCES = """
    SELECT counted.round_id, counted.measure_id, counted.assessments, 1 AS rank, estimate.scale,
           estimate.id AS estimate, estimate.version AS estimate_version, estimate.runs,
           estimate.topics, estimate.clusters, estimate.variance,
           estimate.dof, estimate.sum_of_squares, estimate.two_way_sum_of_squares,
           estimate.two_way_dof, estimate.runs_part, estimate.two_way_runs_part,
           estimate.topic_ids, estimate.topic_squares, estimate.two_way_topic_squares,
           'matrix' AS origin, NULL AS source, counted.id AS matrix, counted.revision,
           factor_set.version AS factor_version, estimate.software
    FROM counted
    JOIN roundbook.variance_estimate AS estimate ON estimate.matrix_id = counted.id
    LEFT JOIN roundbook.factor_set ON factor_set.id = estimate.factor_set_id
    UNION ALL
    SELECT round_id, measure_id, assessments, 2, scale, id, NULL, runs, topics, teams, variance,
           runs::bigint * (topics - 1), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
           'published', source, NULL, revision, NULL, software
    FROM roundbook.published_variance
"""
# The current matrix of each round first; a published estimate where there is none. On the raw
# scale a matrix's estimate is the latest version, else the latest version by its latest factors.
# By the view of current matrices those of all tasks would be read.
HISTORY = f"""
WITH task_round AS (
    SELECT id, label, ordinal, held, collection FROM roundbook.round
    WHERE task_id = :task AND (CAST(:rounds AS bigint[]) IS NULL OR id = ANY (:rounds))
), counted AS (
    SELECT * FROM roundbook.matrix
    WHERE round_id IN (SELECT id FROM task_round) AND {IS_LATEST}
      AND id NOT IN (SELECT matrix_id FROM roundbook.withdrawn)
), candidate AS (
{VARIANCES}
)
SELECT DISTINCT ON (measure.name, apart.assessments, round.ordinal) {ROUND_COLUMNS}, candidate.*
FROM candidate
JOIN task_round AS round ON round.id = candidate.round_id
JOIN roundbook.measure ON measure.id = candidate.measure_id
CROSS JOIN LATERAL (
    SELECT CASE WHEN :mixed THEN NULL ELSE candidate.assessments END
) AS apart (assessments)
WHERE candidate.scale = :scale
  AND (CAST(:measures AS bigint[]) IS NULL OR candidate.measure_id = ANY (:measures))
  AND (CAST(:assessments AS text[]) IS NULL OR candidate.assessments = ANY (:assessments))
ORDER BY measure.name, apart.assessments, round.ordinal,
         array_position(CAST(:assessments AS text[]), candidate.assessments), candidate.rank,
         candidate.factor_version DESC, candidate.estimate_version DESC, candidate.revision DESC
"""  # noqa: S608
_HISTORY = text(HISTORY)
