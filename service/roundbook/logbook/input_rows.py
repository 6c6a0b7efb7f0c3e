"""What saved results were computed from, and what counts today: the queries behind staleness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Row, text

from roundbook.logbook.same_topics import bridging_ids, same_topics
from roundbook.logbook.staleness import Input

if TYPE_CHECKING:
    from roundbook.logbook.variance_history import RoundVariance


def saved_inputs(connection: Connection, results: Sequence[int]) -> dict[int, list[Input]]:
    """Return what results were computed from, by result, in order; one query."""
    inputs: dict[int, list[Input]] = {result: [] for result in results}
    for result, *facts in connection.execute(text(_SAVED), {"results": list(results)}):
        inputs[result].append(Input._make(facts))
    return inputs


_SAVED = """
SELECT input.result_id,
       CASE WHEN estimate.id IS NOT NULL THEN 'variance_estimate'
            WHEN published.id IS NOT NULL THEN 'published_variance'
            WHEN input.factor_set_id IS NOT NULL THEN 'factor_set'
            WHEN upload.id IS NOT NULL THEN 'run_upload'
            WHEN assessed.id IS NOT NULL THEN 'qrels' ELSE 'matrix' END,
       coalesce(
           estimate.id, published.id, input.factor_set_id, upload.id, assessed.id, input.matrix_id
       ),
       round.label, round.ordinal,
       coalesce(matrix.assessments, published.assessments, assessed.assessments, ''),
       matrix.id,
       coalesce(matrix.revision, published.revision, assessed.revision, upload.number),
       fitted.version,
       coalesce(estimate.variance, published.variance), input.known
FROM roundbook.result_input AS input
LEFT JOIN roundbook.variance_estimate AS estimate ON estimate.id = input.variance_estimate_id
LEFT JOIN roundbook.published_variance AS published ON published.id = input.published_variance_id
LEFT JOIN roundbook.factor_set AS fitted
    ON fitted.id = coalesce(input.factor_set_id, estimate.factor_set_id)
LEFT JOIN roundbook.matrix
    ON matrix.id = coalesce(input.matrix_id, estimate.matrix_id, fitted.matrix_id)
LEFT JOIN roundbook.run_upload AS upload ON upload.id = input.run_upload_id
LEFT JOIN roundbook.qrels AS assessed ON assessed.id = input.qrels_id
JOIN roundbook.round ON round.id
    = coalesce(matrix.round_id, published.round_id, upload.round_id, assessed.round_id)
WHERE input.result_id = ANY (CAST(:results AS bigint[]))
ORDER BY input.result_id, input.position
"""


def results_of_round(connection: Connection, round_id: int) -> list[str]:
    """Return the names of saved results, any version, that rest on a round or name it as left out."""
    return list(connection.execute(text(_OF_ROUND), {"round": round_id}).scalars())


_OF_ROUND = """
SELECT result.name
FROM roundbook.result
LEFT JOIN roundbook.result_input AS input ON input.result_id = result.id
LEFT JOIN roundbook.variance_estimate AS estimate ON estimate.id = input.variance_estimate_id
LEFT JOIN roundbook.published_variance AS published ON published.id = input.published_variance_id
LEFT JOIN roundbook.factor_set AS fitted ON fitted.id = input.factor_set_id
LEFT JOIN roundbook.matrix ON matrix.id = coalesce(input.matrix_id, estimate.matrix_id)
LEFT JOIN roundbook.run_upload AS upload ON upload.id = input.run_upload_id
LEFT JOIN roundbook.qrels AS assessed ON assessed.id = input.qrels_id
WHERE coalesce(
          matrix.round_id, published.round_id, fitted.round_id, upload.round_id, assessed.round_id
      ) = :round
   OR result.task_id = (SELECT task_id FROM roundbook.round WHERE id = :round)
      AND jsonb_path_exists(
          result.result, '$.estimate.withdrawn[*] ? (@.round == $label)',
          (SELECT jsonb_build_object('label', label) FROM roundbook.round WHERE id = :round))
GROUP BY result.name ORDER BY min(result.id)
"""


def with_other_ids(connection: Connection, task_id: int, inputs: Sequence[Input]) -> list[Input]:
    """Return inputs that know by which other ids their matrices share topics with each other."""
    collections = {row.matrix: row.known.get("collection") for row in inputs if row.matrix}
    ids = bridging_ids(connection, same_topics(connection, task_id), collections)
    return [
        row._replace(known={**row.known, "other_ids": ids[row.matrix]})
        if row.matrix in ids
        else row
        for row in inputs
    ]


def estimates_today(
    connection: Connection, task_id: int, measure_id: int, scale: str
) -> list[Input]:
    """Return what each round of a task counts with on a scale, under each of its assessments."""
    # What intervals need takes longer to load than most commands that list results take.
    from roundbook.logbook.variances import counting_estimates  # noqa: PLC0415

    return list(map(estimate_input, counting_estimates(connection, task_id, measure_id, scale)))


def estimate_input(row: RoundVariance) -> Input:
    """Return what a round's variance gives to a result."""
    return Input(
        "variance_estimate" if row.origin == "matrix" else "published_variance",
        row.estimate,
        row.round,
        row.ordinal,
        row.assessments or "",
        row.matrix,
        row.revision,
        row.factor_version,
        row.variance,
        {"collection": row.collection},
    )


def factors_today(connection: Connection, task_id: int, measure_id: int) -> list[Input]:
    """Return the latest factors of the scores that count in each round; one query."""
    wanted = text(_LATEST_FACTORS.format(known=_TEAM_AND_SYSTEM))
    rows = connection.execute(wanted, {"task": task_id, "measure": measure_id})
    return list(map(_factor_input, rows))


# What is known of runs; the checksum is of the facts that a result rests on.
_KNOWN = """
    SELECT count(*) FILTER (WHERE run.team_id IS NULL) AS runs_without_team,
           count(*) FILTER (WHERE run.system IS NULL) AS runs_without_system,
           md5(string_agg(
               jsonb_build_array({facts})::text, ',' ORDER BY run.tag COLLATE "C"
           )) AS runs
"""
_TEAM_AND_SYSTEM = _KNOWN.format(facts="run.tag, team.name, run.system")
_TEAM_SYSTEM_AND_POOL = _KNOWN.format(
    facts="run.tag, team.name, run.system, run.contributed_to_pool"
)


def _known(row: Row[Any]) -> dict[str, Any]:
    return {
        name: getattr(row, name) for name in ("runs_without_team", "runs_without_system", "runs")
    }


def _factor_input(row: Row[Any]) -> Input:
    return Input(
        "factor_set",
        row.id,
        row.round,
        row.ordinal,
        row.assessments,
        row.matrix,
        row.revision,
        row.version,
        None,
        {"collection": row.collection, **_known(row)},
    )


_LATEST_FACTORS = """
SELECT latest.id, round.label AS round, round.ordinal, latest.assessments,
       latest.matrix_id AS matrix, current.revision, latest.version, round.collection,
       known.*
FROM (
    SELECT DISTINCT ON (round_id, assessments) factor_set.*
    FROM roundbook.factor_set
    WHERE measure_id = :measure
      AND round_id IN (SELECT id FROM roundbook.round WHERE task_id = :task)
      AND matrix_id IN (SELECT id FROM roundbook.current_matrix)
    ORDER BY round_id, assessments, version DESC
) AS latest
JOIN roundbook.matrix AS current ON current.id = latest.matrix_id
JOIN roundbook.round ON round.id = latest.round_id
CROSS JOIN LATERAL (
    {known}
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    LEFT JOIN roundbook.factor_set_run AS listed
        ON listed.factor_set_id = latest.id AND listed.run_id = run.id
    WHERE matrix_run.matrix_id = latest.matrix_id
      AND (latest.standardising = 'all' OR listed.run_id IS NOT NULL)
) AS known
ORDER BY round.ordinal, latest.assessments
"""


def matrices_today(connection: Connection, task_id: int, measure_id: int) -> list[Input]:
    """Return the score matrices that count in each round; one query."""
    rows = connection.execute(
        text(_MATRICES.format(known=_TEAM_AND_SYSTEM)), {"task": task_id, "measure": measure_id}
    )
    return [
        Input(
            "matrix",
            row.id,
            row.round,
            row.ordinal,
            row.assessments,
            row.id,
            row.revision,
            None,
            None,
            {"collection": row.collection, **_known(row)},
        )
        for row in rows
    ]


_MATRICES = """
SELECT matrix.id, round.label AS round, round.ordinal, matrix.assessments, matrix.revision,
       round.collection, known.*
FROM roundbook.current_matrix AS matrix
JOIN roundbook.round ON round.id = matrix.round_id
CROSS JOIN LATERAL (
    {known}
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    WHERE matrix_run.matrix_id = matrix.id
) AS known
WHERE round.task_id = :task AND matrix.measure_id = :measure
ORDER BY round.ordinal, matrix.assessments
"""


def uploads_today(connection: Connection, task_id: int) -> list[Input]:
    """Return the latest upload of runs to each round; it and those before it have the lists."""
    rows = connection.execute(text(_UPLOADS.format(known=_TEAM_SYSTEM_AND_POOL)), {"task": task_id})
    return [
        Input(
            "run_upload",
            row.id,
            row.round,
            row.ordinal,
            "",
            None,
            row.number,
            None,
            None,
            _known(row),
        )
        for row in rows
    ]


_UPLOADS = """
SELECT DISTINCT ON (round.id) upload.id, upload.number, round.label AS round, round.ordinal,
       known.*
FROM roundbook.run_upload AS upload
JOIN roundbook.round ON round.id = upload.round_id
CROSS JOIN LATERAL (
    {known}
    FROM roundbook.run
    JOIN roundbook.uploaded_run ON uploaded_run.run_id = run.id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    WHERE run.round_id = round.id
) AS known
WHERE round.task_id = :task
ORDER BY round.id, upload.number DESC
"""


def qrels_today(connection: Connection, task_id: int) -> list[Input]:
    """Return the latest revision of each round's assessments of each label."""
    rows = connection.execute(text(_QRELS), {"task": task_id})
    return [
        Input(
            "qrels",
            row.id,
            row.round,
            row.ordinal,
            row.assessments,
            None,
            row.revision,
            None,
            None,
            {},
        )
        for row in rows
    ]


_QRELS = """
SELECT DISTINCT ON (round.id, qrels.assessments) qrels.id, qrels.assessments, qrels.revision,
       round.label AS round, round.ordinal
FROM roundbook.qrels
JOIN roundbook.round ON round.id = qrels.round_id
WHERE round.task_id = :task
ORDER BY round.id, qrels.assessments, qrels.revision DESC
"""
