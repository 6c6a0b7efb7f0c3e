"""Remarks from comparing a score matrix just stored with others, and with the names of topics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from sqlalchemy import Connection, Select, func, select

from roundbook.database.table_parts import among
from roundbook.database.tables import (
    current_matrix,
    matrix,
    matrix_run,
    matrix_topic,
    measure,
    round_,
    run,
    task,
    topic,
)
from roundbook.formats import CompleteMatrix
from roundbook.logbook.estimates import beside_other_rounds
from roundbook.logbook.matrices.history import Changes, compared_names, revision_changes
from roundbook.logbook.matrices.listing import find_matrix
from roundbook.logbook.matrices.logged import ComparisonRemarks, MatrixDifference, Twin
from roundbook.logbook.matrices.preparing import PreparedMatrix
from roundbook.logbook.same_topics import topics_of_rounds
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.measure_names import is_within_one


def comparison_remarks(
    prepared: PreparedMatrix, stored: LoadedMatrix, variance: float
) -> ComparisonRemarks:
    """Return the remarks from comparing stored scores with others, and with their names.

    `variance` is their residual variance on the raw scale.
    """
    connection, task_id, complete = prepared.session.connection, prepared.task_id, prepared.scores
    alike = _alike_runs(complete)
    other_names = list(set(complete.runs) - set(complete.topics))
    named = select(topic.c.name).where(topic.c.task_id == task_id, among(topic.c.name, other_names))
    named_as_topics = connection.execute(named).scalars().all()
    half = len(complete.runs) / 2
    if len(named_as_topics) > half:
        named_as_topics = _of_current_matrices(connection, task_id, named_as_topics)
    changes = None
    if prepared.latest is not None:
        changes = revision_changes(load_matrix(connection, prepared.latest), complete)
    twin = _twin(prepared)
    beside = beside_other_rounds(connection, task_id, prepared.series, variance)
    of_rounds = _topics_of_rounds(connection, task_id, stored)
    is_alone = stored.row.round_id not in of_rounds
    return ComparisonRemarks(
        difference=(
            None if is_alone and changes is None else _difference(connection, stored, changes)
        ),
        changes=changes,
        same_scores=twin,
        same_values=(
            None
            if beside.same is None or (twin and twin.task is None)
            else _round_of_same_values(prepared, beside.same)
        ),
        variance_ratio=beside.ratio,
        beyond_one=_beyond_one(complete) if is_within_one(prepared.series.measure) else 0,
        runs_named_as_topics=len(named_as_topics) if len(named_as_topics) > half else 0,
        zeros_apart=_zeros_apart(prepared),
        no_shared_topics=_rounds_apart(prepared, stored, of_rounds) if is_alone else 0,
        equal_runs=sum(map(len, alike)) - len(alike),
        alike=alike,
    )


def _alike_runs(complete: CompleteMatrix) -> list[list[str]]:
    """Return the tags of runs with the same scores, in groups of two or more."""
    totals = complete.scores.sum(axis=0).tolist()
    repeated = {total for total, number in Counter(totals).items() if number > 1}
    columns: defaultdict[bytes, list[str]] = defaultdict(list)
    for index, total in enumerate(totals):
        if total in repeated:
            columns[bytes(complete.scores[:, index])].append(complete.runs[index])
    return [tags for tags in columns.values() if len(tags) > 1]


def _beyond_one(complete: CompleteMatrix) -> int:
    """Return the number of scores outside 0 to 1."""
    scores = complete.scores
    if scores.min() >= 0 and scores.max() <= 1:
        return 0
    return int(((scores < 0) | (scores > 1)).sum())


def _topics_of_rounds(
    connection: Connection, task_id: int, stored: LoadedMatrix
) -> dict[int, set[int]]:
    """Return the ids of the topics of a task's current matrices beside one, by the id of the round.

    Where its own round has others, only of these: other rounds are asked about for a new round
    alone. Rounds that declare another document collection are left out: they share no topics with it.
    """
    own = select(round_.c.collection).where(round_.c.id == stored.row.round_id).scalar_subquery()
    same_collection = func.lower(round_.c.collection) == func.lower(own)
    is_alone = ~_others_of_round(stored).exists()
    rows = topics_of_rounds(
        connection,
        task_id,
        current_matrix.c.id != stored.row.id,
        (round_.c.id == stored.row.round_id) | (is_alone & func.coalesce(same_collection, True)),
    )
    return {row.id: set(row.topics) for row in rows}


def _others_of_round(stored: LoadedMatrix) -> Select[tuple[int]]:
    """Return the query of the ids of the other current matrices of a matrix's round."""
    return select(current_matrix.c.id).where(
        current_matrix.c.round_id == stored.row.round_id, current_matrix.c.id != stored.row.id
    )


def _rounds_apart(
    prepared: PreparedMatrix, stored: LoadedMatrix, others: Mapping[int, set[int]]
) -> int:
    """Return the number of a task's other rounds if these share topics, and none with a new round.

    It is 0 unless each of them shares a topic with another of them. `others` are their topics.
    """
    own = set(stored.topic_ids.tolist())
    if len(others) < 2 or not own.isdisjoint(set().union(*others.values())):
        return 0
    same = prepared.same_topics.ids
    own, *of_rounds = ({same.get(id_, id_) for id_ in ids} for ids in (own, *others.values()))
    rounds = Counter(chain.from_iterable(of_rounds))
    shared = {id_ for id_, number in rounds.items() if number > 1}
    apart = own.isdisjoint(rounds) and all(not shared.isdisjoint(ids) for ids in of_rounds)
    return len(others) if apart else 0


def _zeros_apart(prepared: PreparedMatrix) -> dict[str, str]:
    """Return the topics that differ from another of the task by leading zeros alone, with its name."""
    connection, same = prepared.session.connection, prepared.same_topics
    topics = prepared.scores.topics
    numbers = {name.lstrip("0"): name for name in topics}
    own, number = set(topics), func.ltrim(topic.c.name, "0", type_=topic.c.name.type)
    alike = select(topic.c.name).where(topic.c.task_id == prepared.task_id, among(number, numbers))
    others = [name for name in connection.execute(alike).scalars() if name not in own]
    if not others:
        return {}
    apart = {
        numbers[other.lstrip("0")]: other
        for other in _of_current_matrices(connection, prepared.task_id, others)
    }
    return {name: other for name, other in apart.items() if same.name(name) != same.name(other)}


def _of_current_matrices(
    connection: Connection, task_id: int, names: Sequence[str]
) -> Sequence[str]:
    """Return the names of a task's topics that are of a current matrix, in the order recorded.

    Those of superseded and withdrawn ones alone may be the slips that were corrected.
    """
    of_matrices = (
        select(matrix_topic.c.topic_id)
        .join(current_matrix, current_matrix.c.id == matrix_topic.c.matrix_id)
        .join(round_, round_.c.id == current_matrix.c.round_id)
        .where(round_.c.task_id == task_id)
    )
    current = select(topic.c.name).where(
        topic.c.task_id == task_id, among(topic.c.name, names), topic.c.id.in_(of_matrices)
    )
    return connection.execute(current.order_by(topic.c.id)).scalars().all()


def _difference(
    connection: Connection, stored: LoadedMatrix, changes: Changes | None
) -> MatrixDifference | None:
    """Return the difference from the revision before or, of a first one, from the round's matrices.

    None if there is no difference. `changes` are those from the revision before.
    """
    if changes is not None:
        names = [
            changes.topics_added,
            changes.topics_removed,
            changes.runs_added,
            changes.runs_removed,
        ]
    else:
        names = []
        for own, key, name, listed, id_of in (
            (stored.topics, topic.c.id, topic.c.name, matrix_topic, matrix_topic.c.topic_id),
            (stored.runs, run.c.id, run.c.tag, matrix_run, matrix_run.c.run_id),
        ):
            of_others = select(id_of).where(listed.c.matrix_id.in_(_others_of_round(stored)))
            others = connection.execute(select(name).where(key.in_(of_others)).order_by(key))
            _, lacking, new = compared_names(others.scalars().all(), own)
            names += [new, lacking]
    if not any(names):
        return None
    new_topics, lacking_topics, new_runs, lacking_runs = names
    return MatrixDifference(
        revision=None if changes is None else stored.row.revision - 1,
        new_topics=len(new_topics),
        lacking_topics=len(lacking_topics),
        new_runs=len(new_runs),
        lacking_runs=len(lacking_runs),
        new_topic_names=new_topics,
        lacking_topic_names=lacking_topics,
        new_run_names=new_runs,
        lacking_run_names=lacking_runs,
    )


def _twin(prepared: PreparedMatrix) -> Twin | None:
    """Return the first matrix of another round or measure with the same content, or None.

    Matrices of the same task come first; other tasks count only if the user may see all of them.
    """
    series, elsewhere = prepared.series, round_.c.task_id != prepared.task_id
    beside = ~elsewhere & (
        (matrix.c.measure_id == series.measure_id) != (round_.c.id == series.round_id)
    )
    row = prepared.session.connection.execute(
        select(matrix.c.id, round_.c.label, measure.c.name, task.c.name.label("task"), elsewhere)
        .join(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .join(measure, measure.c.id == matrix.c.measure_id)
        .where(
            matrix.c.content_hash == prepared.digest,
            beside if prepared.session.only_task else beside | elsewhere,
        )
        .order_by(elsewhere, matrix.c.id)
        .limit(1)
    ).one_or_none()
    if row is None:
        return None
    task_name = row.task if row[-1] else None
    return Twin(round=row.label, measure=row.name, matrix=row.id, task=task_name)


def _round_of_same_values(prepared: PreparedMatrix, other: int) -> str | None:
    """Return the round of a matrix that has the same scores under other names of topics or runs.

    Scores of few different values, as of P@5, are often the same by chance: then it is None.
    """
    connection, complete = prepared.session.connection, prepared.scores.scores
    recorded = find_matrix(connection, other)
    if (recorded.topics, recorded.runs) != complete.shape:
        return None
    scores, others = (
        np.sort(values, axis=None)
        for values in (complete, load_matrix(connection, recorded).scores)
    )
    few = 1 + np.count_nonzero(np.diff(scores)) <= max(complete.shape)
    return None if few or not np.array_equal(scores, others) else str(recorded.round)
