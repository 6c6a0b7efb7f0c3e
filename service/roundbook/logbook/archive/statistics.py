"""The statistics of an archive, computed again: what is derived must follow from the scores.

Checksums can be made anew by whoever alters a number; scores that give it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, text

from roundbook.database.vectors import read_vectors
from roundbook.errors import BadFileError, ImpossibleStatisticError
from roundbook.logbook.archive.factors import ReadFactors, check_factors
from roundbook.logbook.archive.variances import check_variance
from roundbook.logbook.estimates import outdated_estimates

_MATRIX = text("""
SELECT matrix.id, task.name AS task, round.label, measure.name AS measure, matrix.assessments,
       matrix.revision, matrix.topics,
       ARRAY(
           SELECT topic.name
           FROM roundbook.matrix_topic JOIN roundbook.topic ON topic.id = matrix_topic.topic_id
           WHERE matrix_topic.matrix_id = matrix.id
           ORDER BY matrix_topic.position
       ) AS names,
       ARRAY(
           SELECT topic_id FROM roundbook.matrix_topic
           WHERE matrix_topic.matrix_id = matrix.id
           ORDER BY matrix_topic.position
       ) AS topic_ids,
       ARRAY(
           SELECT run.team_id
           FROM roundbook.matrix_run JOIN roundbook.run ON run.id = matrix_run.run_id
           WHERE matrix_run.matrix_id = matrix.id
           ORDER BY matrix_run.position
       ) AS team_ids
FROM roundbook.matrix
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE matrix.id = :id
""")

_SETS = text("""
SELECT id, matrix_id, version, standardising, runs, zero_sd,
       ARRAY(
           SELECT factor.mean
           FROM roundbook.matrix_topic
           JOIN roundbook.factor
               ON factor.factor_set_id = factor_set.id AND factor.topic_id = matrix_topic.topic_id
           WHERE matrix_topic.matrix_id = factor_set.matrix_id
           ORDER BY matrix_topic.position
       ) AS means,
       ARRAY(
           SELECT factor.sd
           FROM roundbook.matrix_topic
           JOIN roundbook.factor
               ON factor.factor_set_id = factor_set.id AND factor.topic_id = matrix_topic.topic_id
           WHERE matrix_topic.matrix_id = factor_set.matrix_id
           ORDER BY matrix_topic.position
       ) AS sds,
       ARRAY(
           SELECT matrix_run.position
           FROM roundbook.factor_set_run
           JOIN roundbook.matrix_run USING (matrix_id, run_id)
           WHERE factor_set_run.factor_set_id = factor_set.id
       ) AS listed
FROM roundbook.factor_set
WHERE matrix_id = :id
ORDER BY id
""")


class CheckedMatrix(NamedTuple):
    """A matrix of an archive, whose factors follow from its scores.

    `name` says which it is, for messages; `scores` is (topics, runs); `topic_ids`, `team_ids` are
    those of its topics and of its runs; `factors` are by factor set.
    """

    id: int
    name: str
    scores: npt.NDArray[np.float64]
    topic_ids: npt.NDArray[np.int64]
    team_ids: list[int | None]
    factors: dict[int, ReadFactors]


def checked_estimates(
    connection: Connection,
    rows: Iterable[dict[str, Any]],
    file: str,
    progress: Callable[[str], object],
) -> Iterator[dict[str, Any]]:
    """Yield an archive's variance estimates, completed by what it does not carry.

    Every matrix has one, without which the database would not have it.

    Parameters
    ----------
    rows : iterable of dict
        Rows of ``variance_estimate`` by column, with ids of this database; their matrices and
        factors are recorded.
    file : str
        The archive, for the message.

    Raises
    ------
    BadFileError
        Naming the first factor or variance that is not the one of its scores, and both numbers.
    """
    matrix: CheckedMatrix | None = None
    checked: set[int] = set()
    for row in rows:
        number = row["matrix_id"]
        if matrix is None or matrix.id != number:
            checked.add(number)
            progress(f"Computing the statistics of matrix {len(checked)} ...")
            matrix = _checked_matrix(connection, number, file)
        try:
            yield row | check_variance(row, matrix, f"{file}/variance_estimate.csv")
        except ImpossibleStatisticError as error:
            raise BadFileError(f"{matrix.name}: {str(error).rstrip('.')}", file) from None


def check_teams_counted(connection: Connection, rounds: Sequence[int], file: str) -> None:
    """Refuse intervals in force that were made before the teams known to the archive were."""
    for row in outdated_estimates(connection, rounds):
        raise BadFileError(
            f"round '{row.round}', {row.measure}, {row.scale} scale: clusters is {row.clusters} in"
            f" the last estimate, and the runs' teams give {row.known}",
            f"{file}/variance_estimate.csv",
        )


def _checked_matrix(connection: Connection, matrix: int, file: str) -> CheckedMatrix:
    row = connection.execute(_MATRIX, {"id": matrix}).one()
    name, scores = _name(row), read_vectors(connection, row.id, row.topics)
    try:
        factors = {
            factor_set.id: check_factors(factor_set, row.names, scores, name, file)
            for factor_set in connection.execute(_SETS, {"id": matrix})
        }
    except ImpossibleStatisticError as error:
        raise BadFileError(f"{name}: {str(error).rstrip('.')}", file) from None
    return CheckedMatrix(row.id, name, scores, np.array(row.topic_ids), row.team_ids, factors)


def _name(row: Row[Any]) -> str:
    return (
        f"'{row.task}' round '{row.label}', {row.measure} ({row.assessments}, revision"
        f" {row.revision})"
    )
