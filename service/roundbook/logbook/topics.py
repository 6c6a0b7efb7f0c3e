"""Topics of a task, and their aliases: other ids under which they returned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby
from typing import Any
from unicodedata import normalize

from sqlalchemy import Connection, func, select, text

from roundbook.database.copying import copy_rows
from roundbook.database.run_tables import judgment_list, qrels, run_list, run_upload
from roundbook.database.table_parts import among
from roundbook.database.tables import (
    current_matrix,
    matrix,
    matrix_topic,
    round_,
    topic,
    topic_alias,
)
from roundbook.errors import AlreadyRecordedError, BadFileError, NotRecordedError
from roundbook.formats.name_tables import TopicId, read_topic_ids
from roundbook.logbook.events import record_event
from roundbook.logbook.lookup import find_round, find_task, recorded_assessments
from roundbook.logbook.measures import find_measure
from roundbook.logbook.names import is_named
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.same_topics import same_topics, topics_of_rounds
from roundbook.logbook.saved_results import latest_results
from roundbook.logbook.session import Session
from roundbook.requests.tasks import AliasTopics, ListTopics, UnaliasTopic


class OtherId(Result):
    """Another id of a topic."""

    topic: str
    id: str


class AliasedTopics(Result):
    """The new other ids recorded from a file, and the number recorded before.

    `stale` names the saved results that are stale as their rounds now share other topics. With
    `dry_run` it is what would have been done.
    """

    task: str
    aliases: list[OtherId]
    unchanged: int
    dry_run: bool
    stale: list[str]


class UnaliasedTopic(OtherId):
    """An id that is a topic of its own again, and the topic it stood for; see `AliasedTopics`."""

    task: str
    dry_run: bool
    stale: list[str]


class TopicInRound(Result):
    """A round that has a topic in scores that count, and the topic's id there."""

    round: str
    id: str


class Topic(Result):
    """A topic, its other ids, and the rounds it is in.

    It is in none where all its scores are superseded or withdrawn.
    """

    topic: str
    aliases: list[str]
    rounds: list[TopicInRound]


class TopicList(Result):
    """The topics of a task in the order recorded; `later` counts those after the limit."""

    task: str
    topics: list[Topic]
    later: int


def alias_topics(session: Session, request: AliasTopics) -> AliasedTopics:
    """Record the other ids under which topics returned, from a file.

    Results that depend on the topics that rounds share become stale.

    Raises
    ------
    BadFileError
        When the file cannot be read, names a missing topic or id, or makes two topics of one round
        one topic.
    NotRecordedError
        When there is no such task or round.
    AlreadyRecordedError
        When an id stands for another topic already.
    """
    rows = read_topic_ids(request.file, session.work.max_file_bytes)
    connection = session.connection
    task_id = find_task(connection, request.task, lock=True)
    same = same_topics(connection, task_id)
    rounds = {
        label: find_round(connection, task_id, request.task, label)
        for label in dict.fromkeys(row.round for row in rows)
    }
    in_rounds = topics_of_rounds(connection, task_id, round_.c.id.in_(rounds.values()))
    topics_of = {row.id: set(row.topics) for row in in_rounds}
    in_file = _ids(connection, task_id, {name for row in rows for name in (row.topic, row.id)})
    recorded = {normalize("NFC", name): name for name in in_file}
    new: dict[str, str] = {}
    stood_for = set(same.names.values())
    for row in rows:
        spelled = recorded.get(row.id, row.id)
        name = recorded.get(row.topic)
        if name is None:
            raise _refused(
                row,
                f"task '{request.task}' has no topic '{row.topic}'; name it by the id it has in a round",
                task=request.task,
                topic=row.topic,
            )
        name = new.get(name, same.name(name))
        # A round may have no scores that count.
        in_round = topics_of.get(rounds[row.round])
        if in_round and in_file.get(spelled) not in in_round:
            raise _refused(
                row,
                f"round '{row.round}' has no topic '{row.id}'",
                round=row.round,
                topic=row.id,
            )
        current = new.get(spelled, same.names.get(spelled))
        if name in (spelled, current):
            continue
        if current is not None:
            raise AlreadyRecordedError(
                f"'{row.id}' is the id of topic '{current}' already, and cannot be that of"
                f" '{row.topic}' too.",
                way_out="unalias",
                task=request.task,
                name=row.id,
            )
        if spelled in stood_for:
            raise _refused(
                row,
                f"'{row.id}' is a topic that other ids stand for; name it as topic",
                name=row.id,
            )
        new[spelled] = name
        stood_for.add(name)
    names = dict(same.names) | new
    _refuse_two_in_one(connection, task_id, names, {row.id: row for row in rows})
    if new:
        topics = _ids(connection, task_id, set(new.values()))
        shared = {"task_id": task_id, "software": SOFTWARE, "recorded_by": session.user}
        copy_rows(
            connection,
            topic_alias,
            (*shared, "name", "topic_id"),
            (
                {**shared, "name": spelled, "topic_id": topics[name]}
                for spelled, name in new.items()
            ),
        )
        record_event(
            session,
            "topics aliased",
            task_id=task_id,
            details={"topics": len(new), "rounds": sorted({row.round for row in rows})},
        )
    return AliasedTopics(
        task=request.task,
        aliases=[OtherId(topic=name, id=spelled) for spelled, name in new.items()],
        unchanged=len(rows) - len(new),
        dry_run=request.dry_run,
        stale=_stale(connection, task_id),
    )


def _stale(connection: Connection, task_id: int) -> list[str]:
    return [
        entry.name
        for entry, _ in latest_results(connection, task_id)
        if any(change.code == "topics" for change in entry.changes)
    ]


def _refused(row: TopicId, reason: str, **facts: Any) -> BadFileError:  # noqa: ANN401
    return BadFileError(reason, row.file, row.line, **facts)


def _ids(connection: Connection, task_id: int, names: set[str]) -> dict[str, int]:
    """Return the ids of topics by name, in any encoding of accents; normalised names last."""
    rows = connection.execute(
        text(
            "SELECT id, name FROM roundbook.topic WHERE task_id = :task"
            " AND (name = ANY (CAST(:names AS text[])) OR name IS NOT NFC NORMALIZED"
            " AND normalize(name, NFC) = ANY (CAST(:names AS text[])))"
            " ORDER BY name IS NFC NORMALIZED, id"
        ),
        {"task": task_id, "names": sorted(names)},
    )
    return {row.name: row.id for row in rows}


def _refuse_two_in_one(
    connection: Connection, task_id: int, names: Mapping[str, str], rows: Mapping[str, TopicId]
) -> None:
    """Refuse ids of one topic if a score matrix, run or assessments have them as two topics."""
    spelled_so = among(topic.c.name, {*names, *names.values()})
    for table, owner, holder in (
        (matrix_topic, matrix, "matrix {}"),
        (run_list, run_upload, "its runs"),
        (judgment_list, qrels, "its assessments"),
    ):
        owner_id = table.c[f"{owner.name}_id"]
        key_columns = (owner_id, table.c.run_id) if table is run_list else (owner_id,)
        listed = connection.execute(
            select(round_.c.label, topic.c.name, *key_columns)
            .join(owner, owner.c.id == owner_id)
            .join(topic, topic.c.id == table.c.topic_id)
            .join(round_, round_.c.id == owner.c.round_id)
            .where(round_.c.task_id == task_id, spelled_so)
            .order_by(*key_columns, topic.c.name)
        )
        for (label, *key), group in groupby(listed, key=lambda row: (row[0], *row[2:])):
            first: dict[str, str] = {}
            for row in group:
                spelled = row.name
                name = names.get(spelled, spelled)
                if name in first:
                    line = rows.get(spelled) or rows.get(first[name]) or next(iter(rows.values()))
                    raise _refused(
                        line,
                        f"'{first[name]}' and '{spelled}' are two topics of round '{label}'"
                        f" ({holder.format(key[0])}), so they cannot be one",
                        round=label,
                        first=first[name],
                        second=spelled,
                    )
                first[name] = spelled


def unalias_topic(session: Session, request: UnaliasTopic) -> UnaliasedTopic:
    """Remove an alias: the id is a topic of its own again.

    Raises
    ------
    NotRecordedError
        When there is no such task, or the id stands for no other topic.
    """
    connection = session.connection
    task_id = find_task(connection, request.task, lock=True)
    # A file may give a topic an id that no other door would take, such as -5.
    name = normalize("NFC", request.name.strip())
    row = connection.execute(
        select(topic_alias.c.name, topic.c.name.label("topic"))
        .join(topic, topic.c.id == topic_alias.c.topic_id)
        .where(topic_alias.c.task_id == task_id, is_named(topic_alias.c.name, name))
    ).first()
    if row is None:
        raise NotRecordedError(
            f"'{name}' is not another id of a topic of task '{request.task}'.",
            way_out="list aliases",
            task=request.task,
            name=name,
        )
    connection.execute(
        topic_alias.delete().where(topic_alias.c.task_id == task_id, topic_alias.c.name == row.name)
    )
    details = {"topic": row.topic, "id": row.name}
    record_event(session, "topic unaliased", task_id=task_id, details=details)
    return UnaliasedTopic(
        task=request.task,
        dry_run=request.dry_run,
        stale=_stale(connection, task_id),
        **details,
    )


def list_topics(session: Session, request: ListTopics) -> TopicList:
    """Return the topics of a task, or of its scores of a measure, or only those with several ids.

    Raises
    ------
    NotRecordedError
        When there is no such task, measure or assessments label, or no topic to continue after.
    """
    connection = session.connection
    task_id = find_task(connection, request.task)
    same = same_topics(connection, task_id)
    of_scores, measure = [topic.c.task_id == task_id], ""
    if request.measure is not None:
        measure_id, name = find_measure(connection, task_id, request.task, request.measure)
        measure = f"{name} "
        of_scores.append(matrix.c.measure_id == measure_id)
    if request.assessments is not None:
        labels = recorded_assessments(connection, task_id, request.assessments)
        if not labels:
            raise NotRecordedError(
                f"Task '{request.task}' has no scores by the assessments '{request.assessments}'.",
                task=request.task,
                assessments=request.assessments,
            )
        of_scores.append(matrix.c.assessments.in_(labels))
    scored = connection.execute(
        select(topic.c.name, round_.c.label, func.count(current_matrix.c.id).label("current"))
        .join(matrix_topic, matrix_topic.c.topic_id == topic.c.id)
        .join(matrix, matrix.c.id == matrix_topic.c.matrix_id)
        .outerjoin(current_matrix, current_matrix.c.id == matrix.c.id)
        .join(round_, round_.c.id == matrix.c.round_id)
        .where(*of_scores)
        .group_by(topic.c.name, round_.c.label, round_.c.ordinal)
        .order_by(func.min(topic.c.id), round_.c.ordinal)
    ).all()
    aliases = defaultdict(list)
    for spelled, name in same.names.items():
        aliases[name].append(spelled)
    rounds: dict[str, list[TopicInRound]] = {}
    for row in scored:
        of_topic = rounds.setdefault(same.name(row.name), [])
        if row.current:
            of_topic.append(TopicInRound(round=row.label, id=row.name))
    names = list(rounds)
    if request.after is not None:
        last = same.name(request.after)
        # Earlier versions recorded names without normalising them.
        normalised = [normalize("NFC", name) for name in names]
        if last not in normalised:
            raise NotRecordedError(
                f"No {measure}scores of task '{request.task}' have a topic '{last}'.",
                task=request.task,
                topic=last,
            )
        names = names[normalised.index(last) + 1 :]
    listed = [name for name in names if not request.aliased or aliases[name]]
    page = listed[: request.limit]
    return TopicList(
        task=request.task,
        topics=[
            Topic(topic=name, aliases=sorted(aliases[name]), rounds=rounds[name]) for name in page
        ],
        later=len(listed) - len(page),
    )
