"""Verification of events: their references agree, and every change has exactly one event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, text

from roundbook.logbook.kinds import KINDS, find_kind
from roundbook.logbook.matrices.listing import read_matrices
from roundbook.logbook.measures import measure_named
from roundbook.logbook.round_fingerprint import CHANGING, PUBLISHED, fingerprint_round
from roundbook.logbook.stored_results import read_row
from roundbook.logbook.verifying.differences import Difference, differing
from roundbook.logbook.verifying.matrices import of_matrix

_REFERENCES = text("""
SELECT event.id, event.task_id, event.round_id, event.matrix_id, task.name AS task, owner.name AS owner,
       round.label AS round, matrix_round.label AS matrix_round, matrix_owner.name AS matrix_owner
FROM roundbook.event
LEFT JOIN roundbook.task ON task.id = event.task_id
LEFT JOIN roundbook.round ON round.id = event.round_id
LEFT JOIN roundbook.task AS owner ON owner.id = round.task_id
LEFT JOIN roundbook.matrix ON matrix.id = event.matrix_id
LEFT JOIN roundbook.round AS matrix_round ON matrix_round.id = matrix.round_id
LEFT JOIN roundbook.task AS matrix_owner ON matrix_owner.id = matrix_round.task_id
WHERE (event.task_id = ANY (:tasks) OR owner.id = ANY (:tasks) OR matrix_owner.id = ANY (:tasks))
  AND (event.task_id IS DISTINCT FROM coalesce(owner.id, matrix_owner.id, event.task_id)
       OR event.round_id IS DISTINCT FROM coalesce(matrix_round.id, event.round_id)
       OR event.task_id IS NOT NULL AND task.id IS NULL
       OR event.round_id IS NOT NULL AND round.id IS NULL
       OR event.matrix_id IS NOT NULL AND matrix.id IS NULL)
ORDER BY event.id
""")

_WITHDRAWALS = text("""
SELECT matrix.id, kept.number AS recorded, noted.number AS computed
FROM roundbook.matrix
CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM roundbook.withdrawal WHERE withdrawal.matrix_id = matrix.id
) AS kept
CROSS JOIN LATERAL (
    SELECT count(*) AS number FROM roundbook.event
    WHERE event.matrix_id = matrix.id AND what IN ('matrix withdrawn', 'matrix restored')
) AS noted
WHERE matrix.id = ANY (:matrices) AND kept.number <> noted.number
ORDER BY matrix.id
""")

# Stored rows, each with the reference (task, round or matrix) and the details of its event. The
# first factors of a matrix belong to its logging, but may have their own event in a record older
# than events. Results without a task are left out, as archives of some tasks lack their events.
# Drift reports once had numbers, not names.
_UNMATCHED = text("""
WITH kept (name, what, task_id, round_id, matrix_id, details) AS (
    SELECT 'task', 'task created', id, NULL::bigint, NULL::bigint, '[]'::jsonb
    FROM roundbook.task
    UNION ALL
    SELECT 'round', 'round created', task_id, id, NULL, '[]' FROM roundbook.round
    UNION ALL
    SELECT 'round', 'round published', task_id, id, NULL, '[]'
    FROM roundbook.round WHERE status = 'published'
    UNION ALL
    SELECT 'matrix', CASE revision WHEN 1 THEN 'matrix logged' ELSE 'matrix revised' END,
           task_id, round_id, matrix.id, jsonb_build_array(assessments, revision)
    FROM roundbook.matrix JOIN roundbook.round ON round.id = round_id
    UNION ALL
    SELECT 'factor_set', 'factors fitted', task_id, round_id, matrix_id, jsonb_build_array(version)
    FROM roundbook.factor_set JOIN roundbook.round ON round.id = round_id
    WHERE EXISTS (
        SELECT FROM roundbook.factor_set AS before
        WHERE before.matrix_id = factor_set.matrix_id AND before.version < factor_set.version
    ) OR EXISTS (
        SELECT FROM roundbook.event
        WHERE event.matrix_id = factor_set.matrix_id AND what = 'factors fitted'
          AND details -> 'version' = to_jsonb(factor_set.version)
    )
    UNION ALL
    SELECT 'published_variance', 'variance recorded', task_id, round_id, NULL,
           jsonb_build_array(assessments, scale, revision, variance, source)
    FROM roundbook.published_variance JOIN roundbook.round ON round.id = round_id
    UNION ALL
    SELECT 'run_upload', 'runs logged', task_id, round_id, NULL, jsonb_build_array(number)
    FROM roundbook.run_upload JOIN roundbook.round ON round.id = round_id
    UNION ALL
    SELECT 'qrels', CASE revision WHEN 1 THEN 'assessments logged' ELSE 'assessments revised' END,
           task_id, round_id, NULL, jsonb_build_array(assessments, revision)
    FROM roundbook.qrels JOIN roundbook.round ON round.id = round_id
    UNION ALL
    SELECT 'result', saved_as || ' saved', task_id, NULL, NULL, jsonb_build_array(name, version)
    FROM roundbook.result
    JOIN unnest(CAST(:kinds AS text[]), CAST(:titles AS text[])) AS titles (kind, saved_as) USING (kind)
), noted AS (
    SELECT event.id, what, coalesce(owner.id, event.task_id) AS task_id,
           coalesce(matrix.round_id, event.round_id) AS round_id, event.matrix_id,
           CASE WHEN what IN ('matrix logged', 'matrix revised', 'assessments logged',
                              'assessments revised')
                THEN jsonb_build_array(details -> 'assessments', details -> 'revision')
                WHEN what = 'factors fitted' THEN jsonb_build_array(details -> 'version')
                WHEN what = 'variance recorded'
                THEN jsonb_build_array(details -> 'assessments', details -> 'scale',
                                       details -> 'revision', details -> 'variance',
                                       details -> 'source')
                WHEN what = 'runs logged' THEN jsonb_build_array(details -> 'upload')
                WHEN saved_as IS NOT NULL
                THEN jsonb_build_array(
                    coalesce(details ->> saved_as, owner.name || '/drift-' || (details ->> 'report')),
                    coalesce(details -> 'version', '1'))
                ELSE '[]' END AS details
    FROM roundbook.event
    LEFT JOIN roundbook.matrix ON matrix.id = event.matrix_id
    LEFT JOIN roundbook.round ON round.id = coalesce(matrix.round_id, event.round_id)
    LEFT JOIN roundbook.task AS owner ON owner.id = coalesce(round.task_id, event.task_id)
    LEFT JOIN unnest(CAST(:titles AS text[])) AS titles (saved_as) ON what = saved_as || ' saved'
    WHERE (what IN ('matrix logged', 'matrix revised', 'factors fitted') AND matrix.id IS NOT NULL
           OR what IN ('round created', 'round published', 'variance recorded', 'runs logged',
                       'assessments logged', 'assessments revised') AND round.id IS NOT NULL
           OR what = 'task created' OR saved_as IS NOT NULL)
), compared AS (
    SELECT max(name) AS name, what, task_id, round_id, matrix_id, details,
           count(name) AS recorded, count(id) AS computed, min(id) AS event
    FROM (
        SELECT name, NULL::bigint AS id, what, task_id, round_id, matrix_id, details FROM kept
        UNION ALL
        SELECT NULL, id, what, task_id, round_id, matrix_id, details FROM noted
    ) AS both_sides
    WHERE task_id = ANY (:tasks)
    GROUP BY what, task_id, round_id, matrix_id, details
    HAVING count(name) <> count(id)
)
SELECT compared.*, task.name AS task, round.label AS round
FROM compared
JOIN roundbook.task ON task.id = compared.task_id
LEFT JOIN roundbook.round ON round.id = round_id
ORDER BY recorded = 0, task_id, round_id NULLS FIRST, matrix_id NULLS FIRST, what, details
""")
# By table, the fields of a difference that hold these details.
_DETAILS: dict[str, tuple[str, ...]] = {
    "factor_set": ("factor_version",),
    "published_variance": ("assessments", "scale", "revision"),
    "run_upload": ("upload",),
    "qrels": ("assessments", "revision"),
    "result": ("result", "version"),
}

# Matrices and published variances, with the measures that their events name, none as today.
_OF_ANOTHER_MEASURE = text("""
WITH kept AS (
    SELECT matrix.id AS matrix_id, matrix.round_id, measure_id, assessments, NULL AS scale,
           revision, array_agg(details ->> 'measure') AS noted
    FROM roundbook.matrix
    JOIN roundbook.event ON event.matrix_id = matrix.id
    WHERE what IN ('matrix logged', 'matrix revised')
    GROUP BY matrix.id
    UNION ALL
    SELECT NULL, published.round_id, measure_id, assessments, scale, revision,
           array_agg(details ->> 'measure')
    FROM roundbook.published_variance AS published
    JOIN roundbook.event ON event.round_id = published.round_id
        AND details @> jsonb_build_object('assessments', assessments, 'scale', scale,
                                          'revision', revision, 'variance', variance)
    WHERE what = 'variance recorded'
    GROUP BY published.id
)
SELECT kept.*, task.name AS task, round.label AS round, measure.name, measure.spellings
FROM kept
JOIN roundbook.round ON round.id = kept.round_id
JOIN roundbook.task ON task.id = round.task_id
JOIN roundbook.measure ON measure.id = kept.measure_id
WHERE task.id = ANY (:tasks) AND measure.name <> ALL (noted)
ORDER BY kept.matrix_id, round.id, scale, revision
""")

# Saved results with the details of the event of their saving; a drift report's may have a number.
_AS_SAVED = text("""
SELECT result.kind, result.name, result.version, result.request, result.result - 'topics' AS result,
       task.name AS task, event.details
FROM roundbook.result
JOIN roundbook.task ON task.id = result.task_id
JOIN unnest(CAST(:kinds AS text[]), CAST(:titles AS text[])) AS titles (kind, saved_as) USING (kind)
JOIN roundbook.event ON event.task_id = task.id AND event.what = saved_as || ' saved'
    AND coalesce(details ->> saved_as, task.name || '/drift-' || (details ->> 'report')) = result.name
    AND coalesce(details -> 'version', '1') = to_jsonb(result.version)
WHERE task.id = ANY (:tasks)
ORDER BY result.id
""")

# The publications of rounds that have not changed since.
_AS_PUBLISHED = text("""
SELECT event.id, event.round_id, details ->> 'fingerprint' AS fingerprint, task.name AS task,
       round.label AS round
FROM roundbook.event
JOIN roundbook.round ON round.id = event.round_id
JOIN roundbook.task ON task.id = round.task_id
WHERE task.id = ANY (:tasks) AND what = :published AND details ? 'fingerprint'
  AND NOT EXISTS (
      SELECT FROM roundbook.event AS later
      WHERE later.round_id = round.id AND later.id > event.id AND later.what = ANY (:changing)
  )
ORDER BY event.id
""")


_OF_EVENT: dict[str, Any] = {"kind": "event", "table": "event"}


def event_differences(
    connection: Connection, tasks: Sequence[int], matrices: Sequence[int]
) -> Iterator[Difference]:
    """Yield the differences between events and the rows they are about."""
    of_tasks = {"tasks": list(tasks)}
    for row in connection.execute(_REFERENCES, of_tasks):
        owner = row.owner or row.matrix_owner
        if row.matrix_id is not None and row.matrix_round is None:
            column, recorded, computed = "matrix_id", str(row.matrix_id), None
        elif row.round_id is not None and row.round is None:
            column, recorded, computed = "round_id", str(row.round_id), None
        elif row.task_id is not None and row.task is None:
            column, recorded, computed = "task_id", str(row.task_id), None
        elif owner not in (None, row.task):
            column, recorded, computed = "task_id", row.task, owner
        else:
            column, recorded, computed = "round_id", row.round, row.matrix_round
        values = {"recorded": recorded, "computed": computed}
        yield Difference(what=column, event=row.id, task=row.task, **_OF_EVENT, **values)
    yield from _unmatched(connection, of_tasks)
    yield from _of_another_measure(connection, of_tasks)
    yield from _saved_otherwise(connection, of_tasks)
    wrong = connection.execute(_WITHDRAWALS, {"matrices": list(matrices)}).all()
    named = {row.id: row for row in read_matrices(connection, [row.id for row in wrong])}
    for row in wrong:
        counts = {"recorded": row.recorded, "computed": row.computed}
        yield of_matrix(named[row.id], "event", "withdrawal", "withdrawals", **counts)
    published = {"published": PUBLISHED, "changing": list(CHANGING)}
    for row in connection.execute(_AS_PUBLISHED, of_tasks | published).all():
        today = fingerprint_round(connection, row.round_id)
        if row.fingerprint != today:
            names = {"event": row.id, "task": row.task, "round": row.round}
            values = {"recorded": row.fingerprint, "computed": today}
            yield Difference(what="fingerprint", **_OF_EVENT, **names, **values)


def _unmatched(connection: Connection, of_tasks: dict[str, list[int]]) -> Iterator[Difference]:
    """Yield stored rows without exactly one event, and events without a stored row."""
    titles = [find_kind(kind).title for kind in KINDS]
    rows = connection.execute(_UNMATCHED, of_tasks | {"kinds": list(KINDS), "titles": titles}).all()
    of_matrices = [row.matrix_id for row in rows if row.matrix_id is not None]
    named = {row.id: row for row in read_matrices(connection, of_matrices)}
    for row in rows:
        counts = {"recorded": row.recorded, "computed": row.computed}
        of_round = {"kind": "event", "what": row.what, "task": row.task, "round": row.round}
        if row.recorded == 0:
            yield Difference(table="event", event=row.event, **of_round, **counts)
            continue
        details = dict(zip(_DETAILS.get(row.name, ()), row.details, strict=False)) | counts
        if row.matrix_id in named:
            yield of_matrix(named[row.matrix_id], "event", row.name, row.what, **details)
            continue
        if row.name == "result":
            details["result_kind"] = row.what.removesuffix(" saved")
        yield Difference(table=row.name, **of_round, **details)


def _of_another_measure(
    connection: Connection, of_tasks: dict[str, list[int]]
) -> Iterator[Difference]:
    """Yield the scores and published variances of another measure than their events name.

    A measure that was merged or renamed since is found by its former names.
    """
    for row in connection.execute(_OF_ANOTHER_MEASURE, of_tasks).all():
        if any(measure_named([row], name) for name in row.noted):
            continue
        about = {"what": "measure", "recorded": row.name, "computed": row.noted[0]}
        if row.matrix_id is not None:
            (of,) = read_matrices(connection, [row.matrix_id])
            yield of_matrix(of, "event", "matrix", **about)
            continue
        names = ("task", "round", "assessments", "scale", "revision")
        about |= {name: getattr(row, name) for name in names}
        yield Difference(kind="event", table="published_variance", **about)


def _saved_otherwise(
    connection: Connection, of_tasks: dict[str, list[int]]
) -> Iterator[Difference]:
    """Yield the figures of saved results that are not those in the event of their saving.

    A result in an earlier form is not computed again, and nothing else tells of its verdict.
    """
    kinds = {kind: find_kind(kind) for kind in KINDS if find_kind(kind).in_event}
    saved_as = {"kinds": list(kinds), "titles": [kind.title for kind in kinds.values()]}
    for row in connection.execute(_AS_SAVED, of_tasks | saved_as):
        kind, figures = kinds[row.kind], read_row(row).brief
        of_result = {"result_kind": kind.title, "result": row.name, "version": row.version}
        compared = [
            (name, figures[name], row.details[name])
            for name in kind.in_event
            if name in figures and name in row.details
        ]
        for facts in differing(compared, task=row.task, **of_result):
            yield Difference(kind="event", table="result", **facts)
