"""The measures of the record: listing them, and merging two that are the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import measure
from roundbook.errors import AlreadyRecordedError, InputError, NotRecordedError
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import find_task
from roundbook.logbook.measures import measure_named, parse_measure
from roundbook.logbook.names import check_reason, near_name
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.measure_names import canonical_measure, is_known_measure
from roundbook.requests.tasks import ListMeasures, MergeMeasures


class MeasureEntry(Result):
    """A measure, with counts of what is recorded for it in all tasks or in one.

    `tasks` are the tasks that have it, `rounds` is the number of rounds where it counts. `matrices`
    counts score matrices with all their revisions, but for those whose latest one is withdrawn.
    `spellings` are the names of measures that were merged into it. `spelling_of` is another measure
    of the record of which its name is only a spelling, else None.
    """

    measure: str
    tasks: list[str]
    rounds: int
    matrices: int
    published_variances: int
    bounds: tuple[float, float] | None
    spellings: list[str]
    spelling_of: str | None


class MeasureList(Result):
    """Measures, by name."""

    task: str | None
    measures: list[MeasureEntry]


class MergedMeasures(Result):
    """The measure that another was merged into, and counts of what was recorded for the other.

    `known_into_unknown` is whether evaluation tools know the other measure, but not this one.
    """

    measure: str
    merged: str
    known_into_unknown: bool
    tasks: list[str]
    matrices: int
    published_variances: int


_USES = """
SELECT round.task_id, task.name AS task, used.*
FROM (
    SELECT round_id, measure_id, 1 AS matrices, 0 AS published, current.id IS NOT NULL AS counts
    FROM roundbook.matrix
    LEFT JOIN roundbook.current_matrix AS current USING (round_id, measure_id, assessments)
    UNION ALL
    SELECT round_id, measure_id, 0, 1, true FROM roundbook.published_variance
) AS used
JOIN roundbook.round ON round.id = used.round_id
JOIN roundbook.task ON task.id = round.task_id
"""

_LISTED = text(f"""
WITH used AS ({_USES})
SELECT measure.*, measure.name AS measure, coalesce(entry.tasks, '{{}}') AS tasks,
       coalesce(entry.rounds, 0) AS rounds, coalesce(entry.matrices, 0) AS matrices,
       coalesce(entry.published, 0) AS published_variances
FROM roundbook.measure
LEFT JOIN (
    SELECT measure_id, array_agg(DISTINCT task) AS tasks,
           count(DISTINCT round_id) FILTER (WHERE counts) AS rounds,
           sum(matrices) FILTER (WHERE counts) AS matrices,
           sum(published) FILTER (WHERE counts) AS published,
           bool_or(task_id = :task) AS of_task
    FROM (
        SELECT task_id, task, round_id, measure_id, matrices, published,
               counts AND coalesce(task_id = CAST(:task AS bigint), true) AS counts
        FROM used
    ) AS counted
    GROUP BY measure_id
) AS entry ON entry.measure_id = measure.id
WHERE CAST(:task AS bigint) IS NULL OR entry.of_task
ORDER BY measure.name
""")  # noqa: S608

_BY_TASK = text(f"""
WITH used AS ({_USES})
SELECT task_id, task, sum(matrices) AS matrices, sum(published) AS published,
       bool_or(counts) AS counts
FROM used WHERE measure_id = :measure GROUP BY task_id, task ORDER BY task_id
""")  # noqa: S608

# Rounds in which both measures have scores or a published variance, so that they cannot be merged.
_IN_BOTH = text("""
SELECT task.name AS task, round.label AS round, clash.assessments, clash.merged, clash.kept
FROM (
    SELECT round_id, assessments, max(id) FILTER (WHERE measure_id = :merged) AS merged,
           max(id) FILTER (WHERE measure_id = :into) AS kept
    FROM roundbook.matrix WHERE measure_id IN (:merged, :into)
    GROUP BY round_id, assessments
    HAVING count(DISTINCT measure_id) = 2
    UNION ALL
    SELECT round_id, assessments, NULL, NULL
    FROM roundbook.published_variance WHERE measure_id IN (:merged, :into)
    GROUP BY round_id, assessments, scale
    HAVING count(DISTINCT measure_id) = 2
) AS clash
JOIN roundbook.round ON round.id = clash.round_id
JOIN roundbook.task ON task.id = round.task_id
ORDER BY clash.merged NULLS LAST, round.id
""")

# In one statement, as factors refer to their matrix's round, measure and assessments together.
_MOVE = text("""
WITH moved AS (
    UPDATE roundbook.matrix SET measure_id = :into WHERE measure_id = :merged
), published AS (
    UPDATE roundbook.published_variance SET measure_id = :into WHERE measure_id = :merged
)
UPDATE roundbook.factor_set SET measure_id = :into WHERE measure_id = :merged
""")


def list_measures(session: Session, request: ListMeasures) -> MeasureList:
    """Return the measures of the record, or those with scores or variances in a task.

    Raises
    ------
    NotRecordedError
        When there is no such task.
    """
    connection = session.connection
    task_id = None if request.task is None else find_task(connection, request.task)
    names = set(connection.execute(select(measure.c.name)).scalars())
    entries = []
    for row in connection.execute(_LISTED, {"task": task_id}):
        canonical = canonical_measure(row.name)
        entries.append(
            MeasureEntry(
                **row._mapping,
                bounds=None if row.lower_bound is None else (row.lower_bound, row.upper_bound),
                spelling_of=canonical if canonical != row.name and canonical in names else None,
            )
        )
    return MeasureList(task=request.task, measures=entries)


def merge_measures(session: Session, request: MergeMeasures) -> MergedMeasures:
    """Merge a measure into another, in every task, with an event in each task that has it.

    Of two spellings of one measure the canonical name stays, whichever way they are merged.

    Raises
    ------
    InputError
        When they are one measure already, or known to be two, or when a known measure would be
        merged into one with a similar name.
    NotRecordedError
        When there is no such measure.
    AlreadyRecordedError
        When both have scores of the same round and assessments.
    """
    connection = session.connection
    reason = check_reason(request.reason)
    rows = connection.execute(select(measure).order_by(measure.c.id).with_for_update()).all()
    merged, into = _named(rows, request.merged), _named(rows, request.into)
    if merged.id == into.id:
        raise InputError(
            f"'{request.merged}' and '{request.into}' are one measure: {into.name}.",
            merged=request.merged,
            into=request.into,
            measure=into.name,
        )
    if canonical_measure(into.name) == merged.name:
        merged, into = into, merged
    first, second = parse_measure(merged.name), parse_measure(into.name)
    known, into_known = is_known_measure(first.name), is_known_measure(second.name)
    if known and into_known and (first.family, first.cutoff) != (second.family, second.cutoff):
        raise InputError(
            f"{merged.name} and {into.name} are two measures, and cannot be merged.",
            merged=merged.name,
            into=into.name,
        )
    known_into_unknown = known and not into_known
    if known_into_unknown and near_name(into.name, [merged.name]):
        raise InputError(
            f"{merged.name} is a known measure, and '{into.name}' looks like a slip for it, not the"
            " other way round.",
            way_out="merge the slip",
            slip=into.name,
            known=merged.name,
        )
    uses = connection.execute(_BY_TASK, {"measure": merged.id}).all()
    _refuse_scores_of_both(connection, merged, into, counts=any(row.counts for row in uses))
    connection.execute(
        measure.update()
        .where(measure.c.id == into.id)
        .values(spellings=[*into.spellings, merged.name, *merged.spellings])
    )
    connection.execute(_MOVE, {"merged": merged.id, "into": into.id})
    connection.execute(measure.delete().where(measure.c.id == merged.id))
    counts = [(row.task_id, row.matrices, row.published) for row in uses] or [(None, 0, 0)]
    for task_id, matrices, published in counts:
        record_event(
            session,
            "measures merged",
            why=reason,
            task_id=task_id,
            details={
                "measure": into.name,
                "merged": merged.name,
                "matrices": int(matrices),
                "published_variances": int(published),
            },
        )
    return MergedMeasures(
        measure=into.name,
        merged=merged.name,
        known_into_unknown=known_into_unknown,
        tasks=[row.task for row in uses],
        matrices=sum(row.matrices for row in uses),
        published_variances=sum(row.published for row in uses),
    )


def _named(rows: Sequence[Row[Any]], name: str) -> Row[Any]:
    row = measure_named(rows, name)
    if row is None:
        near = near_name(name, [recorded.name for recorded in rows])
        raise NotRecordedError(
            f"There is no measure '{name}'{f'; did you mean {near}?' if near else '.'}",
            way_out="list measures",
            measure=name,
        )
    return row


def _refuse_scores_of_both(
    connection: Connection, merged: Row[Any], into: Row[Any], *, counts: bool
) -> None:
    """Refuse to merge measures that both have something of a round.

    `counts` is whether anything of the merged one counts, so that something is left to do.
    """
    clashes = connection.execute(_IN_BOTH, {"merged": merged.id, "into": into.id}).all()
    if not clashes:
        return
    first = clashes[0]
    content = "a published variance" if first.merged is None else "scores"
    matrices = f"; matrices {first.merged} and {first.kept}" if first.merged else ""
    or_not = ", withdrawn or not" if first.merged else ""
    more = len(clashes) - 1
    raise AlreadyRecordedError(
        f"Both {merged.name} and {into.name} have {content} of round '{first.round}' of task"
        f" '{first.task}' ({first.assessments} assessments{matrices})"
        + (f", and in {more} more" if more else "")
        + f", and one measure cannot have two{or_not}: they stay apart."
        + ("" if counts else f" Nothing of {merged.name} counts, so that nothing is left to do."),
        way_out="log under one name" if first.merged and counts else None,
        task=first.task,
        round=first.round,
        merged=merged.name,
        into=into.name,
    )
