"""Logging of a round's relevance assessments; a correction is a further revision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from operator import not_
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field
from sqlalchemy import Connection, Row, select

from roundbook.database.copying import copy_rows
from roundbook.database.run_tables import judgment_list, qrels
from roundbook.database.tables import current_matrix, measure, topic
from roundbook.errors import ContentDiffersError, NotRecordedError, RevisedMeanwhileError
from roundbook.formats.text import StoredFile
from roundbook.formats.trec import QrelsFile, read_qrels
from roundbook.logbook.events import record_event
from roundbook.logbook.impact import Dependent, stale_by_source
from roundbook.logbook.matrices.listing import read_sources
from roundbook.logbook.names import (
    NearName,
    check_name,
    check_reason,
    is_named,
    recorded_topics,
)
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs.other_rounds import SameJudgments, find_same_judgments
from roundbook.logbook.runs.storing import (
    Judged,
    Status,
    file_columns,
    find_open_round,
    lists_hash,
    number_documents,
    round_topics,
    store_names,
    unknown_topics,
)
from roundbook.logbook.same_topics import SameTopics, refuse_topic_twice, same_topics
from roundbook.logbook.session import Session
from roundbook.logbook.storing import ensure_topics
from roundbook.requests.runs import LogQrels


class JudgmentChanges(Result):
    """The changes of assessments from the revision before, as numbers of judgments.

    `changed` are those that have another grade, of the `judgments` of topics and documents that both
    revisions have.
    """

    judgments: int
    changed: int
    added: int
    removed: int


class LoggedQrels(Result):
    """The result of logging relevance assessments.

    `judged` counts judgments, `relevant` those with a grade above 0, and `grades` each grade;
    `without_relevant` are topics without a relevant document, `without_judgments` topics of the
    round's ranked lists without assessments; `repeated` counts lines that repeat an earlier one.
    `foreign_topics` are in none of the round's score matrices and runs, if it has any. `changes` are
    those of a revision from the one before, and `same_judgments` the assessments of another round
    that are the same. `scores_from_files` are, after a revision, the measures of the round's current
    scores by these assessments that were logged from files. `impact` is what was computed from
    replaced assessments and so is stale; `near_names` are the task and round that were made, where
    they may be misspelt.
    """

    task: str
    round: str
    assessments: str
    revision: int
    status: Status
    dry_run: bool
    topics: int
    judged: int
    relevant: int
    grades: dict[str, int]
    new_documents: int
    repeated: int
    without_relevant: list[str]
    without_judgments: list[str]
    new_topics: list[str]
    foreign_topics: list[str]
    changes: JudgmentChanges | None = Field(None, exclude_if=not_)
    same_judgments: SameJudgments | None = Field(None, exclude_if=not_)
    scores_from_files: list[str] = Field(default_factory=list, exclude_if=not_)
    files: list[StoredFile]
    impact: list[Dependent]
    near_names: list[NearName] = Field(default_factory=list, exclude_if=not_)
    software: str = SOFTWARE


def latest_qrels_revision(session: Session, request: LogQrels) -> int:
    """Return the latest revision of the assessments that a request logs, 0 without one."""
    round_id = find_open_round(session.connection, request)
    label = check_name("assessments label", request.assessments)
    row = _latest(session.connection, round_id, label)
    return 0 if row is None else int(row.revision)


def _latest(connection: Connection, round_id: int, label: str) -> Row[Any] | None:
    return connection.execute(
        select(qrels)
        .where(qrels.c.round_id == round_id, is_named(qrels.c.assessments, label))
        .order_by(qrels.c.revision.desc())
        .limit(1)
    ).one_or_none()


def log_qrels(session: Session, request: LogQrels) -> LoggedQrels:
    """Log the relevance assessments of a round from a file.

    The same content again is ``unchanged``; different content needs a reason (`revise`) and becomes
    a new revision, and the old ones stay readable.

    Raises
    ------
    BadFileError
        When the file cannot be read as assessments, with file:line:column.
    NotRecordedError
        When the task or round does not exist, or there is nothing to revise.
    ContentDiffersError
        When other assessments of this label are logged already and there is no reason.
    RevisedMeanwhileError
        When the latest revision is not the expected one.
    InputError
        When no document is relevant, the reason to revise is empty, or a topic occurs under two of
        its ids.
    """
    connection = session.connection
    reason = check_reason(request.revise)
    label = check_name("assessments label", request.assessments)
    if not request.create:
        find_open_round(connection, request)  # before a large file is read
    if reason is not None and request.expected_revision is None:
        # Before any lock is waited for: of two corrections at once only the first is logged.
        seen = latest_qrels_revision(session, request)
        request = request.model_copy(update={"expected_revision": seen})
    read = read_qrels(request.file, max_bytes=session.work.max_file_bytes)
    task_id, round_id, near_names = open_round(session, request)
    topics = recorded_topics(connection, task_id, read.topics)
    same = same_topics(connection, task_id)
    refuse_topic_twice(same, request.task, topics)
    latest = _latest(connection, round_id, label)
    documents = number_documents(connection, round_id, read.documents)
    lists = _judgments(read, topics, documents.numbers)
    digest = lists_hash(lists)
    unchanged = latest is not None and latest.content_hash == digest
    revision = 1 if latest is None else int(latest.revision) + (not unchanged)
    new_topics = unknown_topics(connection, task_id, topics)
    counts = {
        "topics": len(topics),
        "judged": len(read.grade),
        "relevant": int((read.grade > 0).sum()),
    }
    changes, same_judgments = None, None
    if not unchanged:
        _check_revision(request, label, latest, reason)
        if latest is not None:
            changes = _changes(connection, latest.id, lists, same)
        same_judgments = find_same_judgments(
            connection,
            round_id,
            read,
            counts,
            digest,
            lambda numbers: _judgments(read, topics, numbers),
        )
        store_names(connection, round_id, documents)
        columns = {
            "round_id": round_id,
            "assessments": label if latest is None else latest.assessments,
            "revision": revision,
            "reason": reason,
            "content_hash": digest,
            **file_columns([read.file]),
            "software": SOFTWARE,
            "logged_by": session.user,
            **counts,
        }
        _store(connection, columns, lists)
        record_event(
            session,
            "assessments logged" if revision == 1 else "assessments revised",
            why=reason,
            task_id=task_id,
            round_id=round_id,
            details={"assessments": label, "revision": revision, "file": read.file.file, **counts},
        )
    of_round = round_topics(connection, round_id)
    others = {same.name(row.name) for row in of_round if row.scored or row.listed}
    assessed = set(topics)
    return LoggedQrels(
        task=request.task.strip(),
        round=request.round.strip(),
        assessments=label,
        revision=revision,
        status="unchanged" if unchanged else "logged",
        dry_run=request.dry_run,
        **counts,
        grades={str(grade): count for grade, count in sorted(Counter(read.grade.tolist()).items())},
        new_documents=len(documents.new),
        repeated=read.repeated,
        without_relevant=[name for name, _, grades in lists if not (grades > 0).any()],
        without_judgments=[row.name for row in of_round if row.listed and row.name not in assessed],
        new_topics=new_topics,
        foreign_topics=[name for name in topics if others and same.name(name) not in others],
        changes=changes,
        same_judgments=same_judgments,
        scores_from_files=[]
        if changes is None
        else _scores_from_files(connection, round_id, label),
        near_names=near_names,
        impact=(
            []
            if unchanged or latest is None
            else stale_by_source(connection, round_id, "qrels", latest.id)
        ),
        files=[read.file],
    )


def _scores_from_files(connection: Connection, round_id: int, label: str) -> list[str]:
    """Return the measures of a round's current scores by these assessments, from files alone."""
    current = (
        select(current_matrix.c.id, measure.c.name)
        .join(measure, measure.c.id == current_matrix.c.measure_id)
        .where(current_matrix.c.round_id == round_id, is_named(current_matrix.c.assessments, label))
        .order_by(measure.c.name)
    )
    names = {row.id: row.name for row in connection.execute(current)}
    computed = read_sources(connection, names)
    return [name for number, name in names.items() if number not in computed]


def _store(connection: Connection, columns: Mapping[str, Any], lists: Sequence[Judged]) -> None:
    """Store assessments with these columns of ``qrels``, and a list for each topic."""
    qrels_id = connection.execute(qrels.insert().values(columns).returning(qrels.c.id)).scalar_one()
    topics = [name for name, *_ in lists]
    topic_ids = ensure_topics(connection, columns["round_id"], topics).tolist()
    copy_rows(
        connection,
        judgment_list,
        ("qrels_id", "topic_id", "documents", "grades"),
        (
            {
                "qrels_id": qrels_id,
                "topic_id": topic_id,
                "documents": judged.tolist(),
                "grades": grades.tolist(),
            }
            for topic_id, (_, judged, grades) in zip(topic_ids, lists, strict=True)
        ),
    )


def _judgments(
    read: QrelsFile, topics: Sequence[str], numbers: npt.NDArray[np.int32]
) -> list[Judged]:
    """Return each topic's judged documents, in the order of their numbers, and their grades."""
    documents = numbers[read.document]
    order = np.lexsort((documents, read.topic))
    starts = np.searchsorted(read.topic[order], np.arange(1, len(topics)))
    parts = zip(
        np.split(documents[order], starts), np.split(read.grade[order], starts), strict=True
    )
    return [(name, *part) for name, part in zip(topics, parts, strict=True)]


def _changes(
    connection: Connection, replaced: int, lists: Sequence[Judged], same: SameTopics
) -> JudgmentChanges:
    """Return the changes of judgments from those of a replaced revision, given by its id."""
    rows = connection.execute(
        select(topic.c.name, judgment_list.c.documents, judgment_list.c.grades)
        .join(topic, topic.c.id == judgment_list.c.topic_id)
        .where(judgment_list.c.qrels_id == replaced)
    )
    before = {
        same.name(row.name): (np.array(row.documents, np.int32), np.array(row.grades, np.int32))
        for row in rows
    }
    nothing = np.array([], np.int32)
    both, changed = 0, 0
    for name, judged, grades in lists:
        judged_before, grades_before = before.get(same.name(name), (nothing, nothing))
        _, now, was = np.intersect1d(judged, judged_before, assume_unique=True, return_indices=True)
        both += len(now)
        changed += int((grades[now] != grades_before[was]).sum())
    return JudgmentChanges(
        judgments=both,
        changed=changed,
        added=sum(len(judged) for _, judged, _ in lists) - both,
        removed=sum(len(judged) for judged, _ in before.values()) - both,
    )


def _check_revision(
    request: LogQrels, label: str, latest: Row[Any] | None, reason: str | None
) -> None:
    where = f"the assessments '{label}' of round '{request.round}'"
    if latest is None:
        if reason is not None:
            raise NotRecordedError(
                f"Nothing is logged for {where} yet to revise.",
                way_out="nothing to revise",
                round=request.round,
                assessments=label,
            )
    elif reason is None:
        raise ContentDiffersError(
            f"For {where} other judgments are logged already ({latest.judged}, of which"
            f" {latest.relevant} relevant).",
            way_out="other judgments",
            round=request.round,
            assessments=label,
        )
    elif request.expected_revision not in (None, latest.revision):
        raise RevisedMeanwhileError(
            f"{latest.logged_by} logged revision {latest.revision} of {where} while this correction"
            " was under way, so it was not logged.",
            way_out="qrels revised meanwhile",
            task=request.task,
            round=request.round,
        )
