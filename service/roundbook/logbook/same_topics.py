"""Topics that returned under another id.

Score matrices keep the ids of their files. Wherever topics of two rounds are compared, an alias
counts as the topic it stands for, also in rounds that were logged before it was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, func, select, text

from roundbook.database.tables import current_matrix, matrix_topic, round_
from roundbook.errors import InputError


class SameTopics(NamedTuple):
    """The aliases of a task's topics with the topics they stand for, by database id and by name."""

    ids: Mapping[int, int]
    names: Mapping[str, str]

    def name(self, spelled: str) -> str:
        """Return the name of the topic that a name stands for: itself unless it is an alias."""
        return self.names.get(spelled, spelled)


def same_topics(connection: Connection, task_id: int) -> SameTopics:
    """Return a task's topic aliases: recorded ones, and names that differ in Unicode normalisation.

    One query, which only reads aliases and names that are not normalised.
    """
    rows = connection.execute(_SAME, {"task": task_id}).all()
    return SameTopics(
        {row.id: row.same_id for row in rows if row.id is not None},
        {row.name: row.same_name for row in rows},
    )


_SAME = text("""
WITH twin AS (
    SELECT topic.id, topic.name, other.id AS same_id, other.name AS same_name
    FROM roundbook.topic
    JOIN roundbook.topic AS other
        ON other.task_id = topic.task_id AND other.name = normalize(topic.name, NFC)
    WHERE topic.task_id = :task AND topic.name IS NOT NFC NORMALIZED
)
SELECT own.id, alias.name, same.id AS same_id, same.name AS same_name
FROM roundbook.topic_alias AS alias
JOIN roundbook.topic AS same ON same.id = alias.topic_id
LEFT JOIN roundbook.topic AS own ON own.task_id = alias.task_id AND own.name = alias.name
WHERE alias.task_id = :task
UNION ALL
SELECT twin.id, twin.name, coalesce(same.id, twin.same_id), coalesce(same.name, twin.same_name)
FROM twin
LEFT JOIN roundbook.topic_alias AS alias
    ON alias.task_id = :task AND alias.name = twin.same_name
LEFT JOIN roundbook.topic AS same ON same.id = alias.topic_id
WHERE NOT EXISTS (
    SELECT FROM roundbook.topic_alias WHERE task_id = :task AND name = twin.name
)
""")


def topics_of_rounds(
    connection: Connection, task_id: int, *conditions: ColumnElement[bool]
) -> Sequence[Row[Any]]:
    """Return a task's rounds with current matrices, in order, and the ids of the `topics` of these.

    A row has the columns of ``round``; the conditions may narrow rounds and matrices.
    """
    return connection.execute(
        select(round_, func.array_agg(matrix_topic.c.topic_id.distinct()).label("topics"))
        .join(current_matrix, current_matrix.c.round_id == round_.c.id)
        .join(matrix_topic, matrix_topic.c.matrix_id == current_matrix.c.id)
        .where(round_.c.task_id == task_id, *conditions)
        .group_by(round_.c.id)
        .order_by(round_.c.ordinal)
    ).all()


def collection_keys(collections: Iterable[str | None]) -> list[str]:
    """Return a key for the collection of each round, equal where topics of one name are the same.

    A topic of the same name on another document collection is a different topic, not a shared one.
    Rounds without a declared collection count as having the same one, which is also that of the
    others if these declare only one. Case is ignored.
    """
    folded = [(collection or "").casefold() for collection in collections]
    return folded if len({*folded} - {""}) > 1 else [""] * len(folded)


def collections_differ(first: str | None, second: str | None) -> bool:
    """Return whether two rounds declare different collections, so that they share no topics."""
    return len(set(collection_keys([first, second]))) > 1


def refuse_topic_twice(same: SameTopics, task: str, topics: Sequence[str]) -> None:
    """Refuse scores that have a topic twice, under two of its ids."""
    first: dict[str, str] = {}
    for spelled in topics if same.names else ():
        name = same.name(spelled)
        if name in first:
            raise InputError(
                f"'{first[name]}' and '{spelled}' are ids of one topic of task '{task}', and here"
                " are scores of both.",
                way_out="unalias",
                task=task,
                name=spelled if spelled in same.names else first[name],
            )
        first[name] = spelled
