"""The queries behind staleness: the inputs of saved results, and today's inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Row, select, text

from roundbook.database.table_parts import among
from roundbook.database.tables import matrix_topic, topic
from roundbook.logbook.measures import measures_of
from roundbook.logbook.same_topics import SameTopics, collection_keys, same_topics
from roundbook.logbook.staleness import Input
from roundbook.logbook.variance_rows import VarianceRow, read_rows
from roundbook.logbook.withdrawals import TaskScores, WithdrawnMatrix, read_withdrawn


def saved_inputs(connection: Connection, results: Sequence[int]) -> dict[int, list[Input]]:
    """Return the inputs of saved results, by result and in order; one query."""
    inputs: dict[int, list[Input]] = {result: [] for result in results}
    for result, *facts in connection.execute(_SAVED, {"results": list(results)}):
        inputs[result].append(Input._make(facts))
    return inputs


def results_of_round(connection: Connection, round_id: int) -> list[str]:
    """Return the names of saved results, any version, that use a round or name it as left out."""
    return list(connection.execute(_OF_ROUND, {"round": round_id}).scalars())


_INPUTS = """
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
"""
_SAVED = text(f"""
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
{_INPUTS}
WHERE input.result_id = ANY (CAST(:results AS bigint[]))
ORDER BY input.result_id, input.position
""")
_OF_ROUND = text(f"""
SELECT name FROM roundbook.result
WHERE id IN (SELECT input.result_id {_INPUTS} WHERE round.id = :round)
   OR task_id = (SELECT task_id FROM roundbook.round WHERE id = :round)
      AND jsonb_path_exists(
          result, '$.estimate.withdrawn[*] ? (@.round == $label)',
          (SELECT jsonb_build_object('label', label) FROM roundbook.round WHERE id = :round))
GROUP BY name ORDER BY min(id)
""")  # noqa: S608


class CurrentInputs:
    """The inputs that results of a task would take today, each query made once for all of them."""

    def __init__(self, connection: Connection, task_id: int) -> None:
        self.connection, self.task_id = connection, task_id
        self._inputs: dict[tuple[object, ...], list[Input]] = {}
        self._spelled: dict[int, list[str]] = {}

    @cached_property
    def measures(self) -> Sequence[Row[Any]]:
        """The measures that the task has numbers for."""
        return measures_of(self.connection, self.task_id)

    @cached_property
    def same_topics(self) -> SameTopics:
        """The task's topic aliases."""
        return same_topics(self.connection, self.task_id)

    @cached_property
    def withdrawn(self) -> list[WithdrawnMatrix]:
        """The task's score matrices that are withdrawn."""
        return read_withdrawn(self.connection, TaskScores(self.task_id))

    def of_rounds(self, origin: str, measure_id: int | None = None) -> list[Input]:
        """Return the current input of each round, as `inputs_today` does."""
        key = origin, measure_id
        if key not in self._inputs:
            self._inputs[key] = inputs_today(self.connection, origin, self.task_id, measure_id)
        return self._inputs[key]

    def variances(self, measure_id: int, assessments: Sequence[str], scale: str) -> list[Input]:
        """Return the current variance of each round, by the first of these labels that it has."""
        key = "variance", measure_id, tuple(assessments), scale
        if key not in self._inputs:
            scores = TaskScores(self.task_id, [measure_id], list(assessments))
            rows = read_rows(self.connection, scores, scale, mixed=True)
            self._inputs[key] = list(map(estimate_input, rows))
        return self._inputs[key]

    def with_other_ids(self, inputs: Sequence[Input]) -> list[Input]:
        """Return inputs with the other ids by which their matrices share topics, in `known`."""
        collections = {row.matrix: row.known.get("collection") for row in inputs if row.matrix}
        if not self.same_topics.names or len(collections) < 2:
            return list(inputs)
        members = defaultdict(list)
        self._read_spellings(collections)
        keys = collection_keys(collections.values())
        for matrix_id, collection in zip(collections, keys, strict=True):
            for spelled in self._spelled[matrix_id]:
                members[self.same_topics.name(spelled), collection].append((matrix_id, spelled))
        other_ids: dict[int | None, dict[str, str]] = defaultdict(dict)
        for (name, _), group in members.items():
            if len({spelled for _, spelled in group}) > 1:
                for matrix_id, spelled in group:
                    if spelled != name:
                        other_ids[matrix_id][spelled] = name
        return [
            row._replace(known={**row.known, "other_ids": other_ids[row.matrix]})
            if row.matrix in other_ids
            else row
            for row in inputs
        ]

    def _read_spellings(self, matrices: Collection[int]) -> None:
        """Read the topics with several ids of these matrices, and of all that were read as inputs.

        So the next result, of other rounds, needs no query of its own.
        """
        if self._spelled.keys() >= set(matrices):
            return
        read = {row.matrix for rows in self._inputs.values() for row in rows if row.matrix}
        new = {*matrices, *read} - self._spelled.keys()
        names = self.same_topics.names
        self._spelled |= {matrix_id: [] for matrix_id in new}
        for matrix_id, spelled in self.connection.execute(
            select(matrix_topic.c.matrix_id, topic.c.name)
            .join(topic, topic.c.id == matrix_topic.c.topic_id)
            .where(
                among(matrix_topic.c.matrix_id, new),
                among(topic.c.name, {*names, *names.values()}),
            )
        ):
            self._spelled[matrix_id].append(spelled)


def estimate_input(row: VarianceRow) -> Input:
    """Return a round's variance as the input of a result."""
    return Input(
        "variance_estimate" if row.origin == "matrix" else "published_variance",
        row.estimate,
        row.round,
        row.ordinal,
        row.assessments,
        row.matrix,
        row.revision,
        row.factor_version,
        row.variance,
        {"collection": row.collection},
    )


def inputs_today(
    connection: Connection, origin: str, task_id: int, measure_id: int | None = None
) -> list[Input]:
    """Return the current input of each round; one query.

    By `origin` they are the latest factors of a measure's current scores, these scores, the latest
    upload of runs (for all uploads of the round), or the latest assessments of each label.
    """
    rows = connection.execute(_TODAY[origin], {"task": task_id, "measure": measure_id})
    return list(map(Input._make, rows))


# What is known of a round beside its scores, as in `estimate_input`.
_ROUND_FACTS = "jsonb_build_object('collection', round.collection)"
# The numbers of runs without a team or system, and a checksum of the facts that results depend on.
_RUN_FACTS = """
    SELECT jsonb_build_object(
               'runs_without_team', count(*) FILTER (WHERE run.team_id IS NULL),
               'runs_without_system', count(*) FILTER (WHERE run.system IS NULL),
               'runs', md5(string_agg(
                   jsonb_build_array(run.tag, team.name, run.system{pool})::text, ','
                   ORDER BY run.tag COLLATE "C"
               ))
           ) AS runs
"""

_TODAY = {
    "factor_set": text(f"""
SELECT 'factor_set', latest.id, round.label, round.ordinal, latest.assessments, latest.matrix_id,
       current.revision, latest.version, NULL,
       {_ROUND_FACTS} || facts.runs
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
    {_RUN_FACTS.format(pool="")}
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    LEFT JOIN roundbook.factor_set_run AS listed
        ON listed.factor_set_id = latest.id AND listed.run_id = run.id
    WHERE matrix_run.matrix_id = latest.matrix_id
      AND (latest.standardising = 'all' OR listed.run_id IS NOT NULL)
) AS facts
ORDER BY round.ordinal, latest.assessments
"""),  # noqa: S608
    "matrix": text(f"""
SELECT 'matrix', matrix.id, round.label, round.ordinal, matrix.assessments, matrix.id,
       matrix.revision, NULL, NULL,
       {_ROUND_FACTS} || facts.runs
FROM roundbook.current_matrix AS matrix
JOIN roundbook.round ON round.id = matrix.round_id
CROSS JOIN LATERAL (
    {_RUN_FACTS.format(pool="")}
    FROM roundbook.matrix_run
    JOIN roundbook.run ON run.id = matrix_run.run_id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    WHERE matrix_run.matrix_id = matrix.id
) AS facts
WHERE round.task_id = :task AND matrix.measure_id = :measure
ORDER BY round.ordinal, matrix.assessments
"""),  # noqa: S608
    "run_upload": text(f"""
SELECT DISTINCT ON (round.id) 'run_upload', upload.id, round.label, round.ordinal, '', NULL,
       upload.number, NULL, NULL, facts.runs
FROM roundbook.run_upload AS upload
JOIN roundbook.round ON round.id = upload.round_id
CROSS JOIN LATERAL (
    {_RUN_FACTS.format(pool=", run.contributed_to_pool")}
    FROM roundbook.run
    JOIN roundbook.uploaded_run ON uploaded_run.run_id = run.id
    LEFT JOIN roundbook.team ON team.id = run.team_id
    WHERE run.round_id = round.id
) AS facts
WHERE round.task_id = :task
ORDER BY round.id, upload.number DESC
"""),  # noqa: S608
    "qrels": text("""
SELECT DISTINCT ON (round.id, qrels.assessments) 'qrels', qrels.id, round.label, round.ordinal,
       qrels.assessments, NULL, qrels.revision, NULL, NULL, CAST('{}' AS jsonb)
FROM roundbook.qrels
JOIN roundbook.round ON round.id = qrels.round_id
WHERE round.task_id = :task
ORDER BY round.id, qrels.assessments, qrels.revision DESC
"""),
}
