"""The statistics of an archive, computed again: what is derived must follow from the scores.

Checksums can be made anew by whoever alters a number; scores that give it cannot.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, text

from service.database.vectors import read_vectors
from service.errors import BadFile, ImpossibleStatistic
from service.logbook.archive.factors import check_factors
from service.logbook.archive.variances import check_variance

# Few enough for their factors to be held at once, many enough to ask the server seldom.
_MATRICES_AT_ONCE = 100

_MATRICES = text("""
SELECT matrix.id, task.name AS task, round.label, measure.name AS measure, matrix.assessments,
       matrix.revision, matrix.topics,
       ARRAY(
           SELECT topic.name
           FROM roundbook.matrix_topic JOIN roundbook.topic ON topic.id = matrix_topic.topic_id
           WHERE matrix_topic.matrix_id = matrix.id
           ORDER BY matrix_topic.position
       ) AS names
FROM roundbook.matrix
JOIN roundbook.round ON round.id = matrix.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = matrix.measure_id
WHERE matrix.id = ANY(:ids)
ORDER BY matrix.id
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
           SELECT score_vector.position
           FROM roundbook.factor_set_run
           JOIN roundbook.score_vector USING (matrix_id, run_id)
           WHERE factor_set_run.factor_set_id = factor_set.id
       ) AS listed
FROM roundbook.factor_set
WHERE matrix_id = ANY(:ids)
ORDER BY id
""")

_ESTIMATES = text("""
SELECT * FROM roundbook.variance_estimate WHERE matrix_id = ANY(:ids) ORDER BY id
""")


def check_statistics(
    connection: Connection,
    matrices: Sequence[int],
    file: str,
    progress: Callable[[str], object],
) -> None:
    """Refuse an archive whose factors or variances are not those of its scores.

    Parameters
    ----------
    matrices : sequence of int
        The ids of the matrices that were imported, with all that belongs to them.
    file : str
        The archive, for the message.

    Raises
    ------
    BadFile
        Naming the first that differs, and both numbers.
    """
    for first in range(0, len(matrices), _MATRICES_AT_ONCE):
        ids = list(matrices[first : first + _MATRICES_AT_ONCE])
        progress(f"Computing the statistics of matrices {first + 1} to {first + len(ids)} ...")
        sets, estimates = (
            _by_matrix(connection, _SETS, ids),
            _by_matrix(connection, _ESTIMATES, ids),
        )
        for row in connection.execute(_MATRICES, {"ids": ids}).all():
            try:
                _check(connection, row, sets[row.id], estimates[row.id], file)
            except ImpossibleStatistic as error:
                raise BadFile(f"{_what(row)}: {str(error).rstrip('.')}", file) from None


def _by_matrix(connection: Connection, statement: Any, ids: list[int]) -> dict[int, list[Row[Any]]]:  # noqa: ANN401
    found: dict[int, list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(statement, {"ids": ids}):
        found[row.matrix_id].append(row)
    return found


def _check(
    connection: Connection,
    row: Row[Any],
    sets: list[Row[Any]],
    estimates: list[Row[Any]],
    file: str,
) -> None:
    what, scores = _what(row), read_vectors(connection, row.id, row.topics)
    factors = {each.id: check_factors(each, row.names, scores, what, file) for each in sets}
    for each in estimates:
        of_set = None if each.factor_set_id is None else factors[each.factor_set_id]
        check_variance(each, scores, of_set, what, f"{file}/variance_estimate.csv")


def _what(row: Row[Any]) -> str:
    return (
        f"'{row.task}' round '{row.label}', {row.measure} ({row.assessments}, revision"
        f" {row.revision})"
    )
