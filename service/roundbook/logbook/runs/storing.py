"""Ranked lists and relevance assessments in the record: how they are stored, and read as arrays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Literal, NamedTuple
from unicodedata import normalize

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, func, select, text
from sqlalchemy.dialects.postgresql import distinct_on

from roundbook.database.lists import read_lists
from roundbook.database.run_tables import (
    document_names,
    judgment_list,
    qrels,
    run_list,
    run_upload,
    uploaded_run,
)
from roundbook.database.table_parts import among
from roundbook.database.tables import run, topic
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats.text import StoredFile
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.same_topics import same_topics
from roundbook.logbook.study_source import StudySource
from roundbook.requests.runs import LogQrels, LogRuns
from roundbook.statistics.measures.hits import Judgments

Status = Literal["logged", "unchanged"]
_NAMES_A_ROW = 1000


def find_open_round(connection: Connection, request: LogRuns | LogQrels) -> int:
    """Return the id of the round to log runs or assessments in; the errors say how to make it."""
    task_id = find_task(connection, request.task, way_out="no task")
    return find_round(connection, task_id, request.task, request.round, way_out="no round")


def unknown_topics(connection: Connection, task_id: int, topics: Sequence[str]) -> list[str]:
    """Return the topics that a task does not have yet."""
    recorded = set(
        connection.execute(
            select(topic.c.name).where(topic.c.task_id == task_id, among(topic.c.name, topics))
        ).scalars()
    )
    return [name for name in topics if name not in recorded]


def file_columns(files: Sequence[StoredFile]) -> dict[str, list[Any]]:
    """Return the columns with the names, sizes and hashes of uploaded files."""
    return {
        "files": [file.file for file in files],
        "file_sizes": [file.size for file in files],
        "file_hashes": [file.sha256 for file in files],
    }


class NumberedDocuments(NamedTuple):
    """The numbers of documents in a round, and the names that are new to it.

    The new names get the numbers from `recorded` on.
    """

    numbers: npt.NDArray[np.int32]
    recorded: int
    new: Sequence[str]

    @property
    def documents(self) -> int:
        """Number of documents in the round, with the new ones."""
        return self.recorded + len(self.new)


def number_documents(
    connection: Connection, round_id: int, names: Sequence[str]
) -> NumberedDocuments:
    """Return the numbers of documents in a round; its task must be locked."""
    rows = connection.execute(
        select(document_names.c.names)
        .where(document_names.c.round_id == round_id)
        .order_by(document_names.c.first)
    ).scalars()
    recorded = [name for names in rows for name in names]
    if not recorded:
        return NumberedDocuments(np.arange(len(names), dtype=np.int32), 0, names)
    number_of = {name: number for number, name in enumerate(recorded)}
    numbers = [number_of.setdefault(name, len(number_of)) for name in names]
    new = list(number_of)[len(recorded) :]
    return NumberedDocuments(np.array(numbers, dtype=np.int32), len(recorded), new)


def store_names(connection: Connection, round_id: int, documents: NumberedDocuments) -> None:
    """Store the document names that are new to a round."""
    parts = (
        (start, list(documents.new[start : start + _NAMES_A_ROW]))
        for start in range(0, len(documents.new), _NAMES_A_ROW)
    )
    rows = [
        {
            "round_id": round_id,
            "first": documents.recorded + start,
            "names": names,
            "content_hash": names_hash(names),
        }
        for start, names in parts
    ]
    if rows:
        connection.execute(document_names.insert(), rows)


def names_hash(names: Iterable[str]) -> str:
    """Return the hash of a row of document names."""
    # No name holds a control character, so NUL can separate them.
    return blake2b("\0".join(names).encode(), digest_size=32).hexdigest()


def lists_hash(
    lists: Iterable[tuple[str, npt.NDArray[np.integer], npt.NDArray[np.generic]]],
) -> str:
    """Return the hash of a run's lists, or of assessments, whatever the order of topics.

    A list is the topic's name, the numbers of documents, and the score (in single precision) or
    grade of each.
    """
    digest = blake2b(digest_size=32)
    for name, documents, values in sorted(lists, key=lambda entry: entry[0]):
        digest.update(f"{name}\0{len(documents)}\0".encode())
        digest.update(np.ascontiguousarray(documents, "<i4").data)
        digest.update(np.ascontiguousarray(values, f"<{values.dtype.kind}4").data)
    return digest.hexdigest()


# The condition on a row of ``qrels`` that it is the latest revision of its round and label.
IS_LATEST_QRELS = """NOT EXISTS (
    SELECT FROM roundbook.qrels AS later
    WHERE (later.round_id, later.assessments) = (qrels.round_id, qrels.assessments)
      AND later.revision > qrels.revision
)"""
_ROUND_TOPICS = f"""
SELECT topic.name, bool_or(of_round.origin = 'scores') AS scored,
       bool_or(of_round.origin = 'lists') AS listed,
       bool_or(of_round.origin = 'assessments') AS assessed
FROM (
    SELECT matrix_topic.topic_id, 'scores' AS origin
    FROM roundbook.matrix_topic
    JOIN roundbook.current_matrix ON current_matrix.id = matrix_topic.matrix_id
    WHERE current_matrix.round_id = :round
    UNION
    SELECT run_list.topic_id, 'lists'
    FROM roundbook.run_list
    JOIN roundbook.run_upload ON run_upload.id = run_list.run_upload_id
    WHERE run_upload.round_id = :round
    UNION
    SELECT judgment_list.topic_id, 'assessments'
    FROM roundbook.judgment_list
    JOIN roundbook.qrels ON qrels.id = judgment_list.qrels_id
    WHERE qrels.round_id = :round AND {IS_LATEST_QRELS}
) AS of_round
JOIN roundbook.topic ON topic.id = of_round.topic_id
GROUP BY topic.id
ORDER BY topic.id
"""  # noqa: S608


def round_topics(connection: Connection, round_id: int) -> Sequence[Row[Any]]:
    """Return the names of a round's topics, and what it has of each.

    That is whether it is `scored` in a current matrix, `listed` by a run, and `assessed` by the
    latest revision of some assessments.
    """
    return connection.execute(text(_ROUND_TOPICS), {"round": round_id}).all()


# A topic with a run's documents for it and their scores.
RankedList = tuple[str, npt.NDArray[np.int32], npt.NDArray[np.float32]]
# A topic with its judged documents and their grades.
Judged = tuple[str, npt.NDArray[np.int32], npt.NDArray[np.int32]]


class UploadedLists(NamedTuple):
    """A run of uploaded files, with its lists by topic and their hash."""

    tag: str
    lists: list[RankedList]
    digest: str


class AssessedRuns(NamedTuple):
    """The runs of a round, or of files, with their ranked lists and the relevance assessments.

    The latest upload, which `source` names, holds the lists with the earlier ones. `runs` are tags
    and `topics` the assessed ones, both in the order recorded. `lists` are (runs, topics, depth)
    document numbers in trec_eval's order, -1 beyond the end of a list, and `scores` the scores of
    these documents, NaN beyond; None unless requested. `judgments` have indices of `topics`, and
    documents numbered as in `lists`. `run_ids` are those of ``run`` rows, which have the teams and
    the contributions to the pool; empty for files.
    """

    source: StudySource
    runs: list[str]
    topics: list[str]
    lists: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32] | None
    judgments: Judgments
    run_ids: npt.NDArray[np.int64]


def load_assessed_runs(
    connection: Connection,
    round_: Row[Any],
    assessments: str | None = None,
    *,
    scores: bool = False,
    as_of: tuple[int | None, int | None] = (None, None),
) -> AssessedRuns:
    """Return the ranked lists of a round's runs, with its assessments.

    A topic assessed under another of its ids counts as that topic. Topics that are not assessed are
    left out.

    Parameters
    ----------
    assessments : str, optional
        Their label; needed if the round has assessments with several labels.
    as_of : pair of int, optional
        Number of the last upload and revision of the assessments to read; by default the latest.

    Raises
    ------
    NotRecordedError
        When no runs, or no assessments of that label, are logged in the round.
    InputError
        When there are several assessments and none is named.
    """
    number, revision = as_of
    uploads = connection.execute(
        select(run_upload)
        .where(
            run_upload.c.round_id == round_.id,
            run_upload.c.number <= func.coalesce(number, run_upload.c.number),
        )
        .order_by(run_upload.c.number)
    ).all()
    if not uploads:
        raise NotRecordedError(
            f"Round '{round_.label}' has no runs: what they retrieved is not logged.",
            way_out="log the runs",
            round=round_.label,
        )
    upload_ids = [upload.id for upload in uploads]
    assessed = _find_qrels(connection, round_, assessments, revision)
    same = same_topics(connection, round_.task_id).ids
    rows = connection.execute(
        select(judgment_list, topic.c.name)
        .join(topic, topic.c.id == judgment_list.c.topic_id)
        .where(judgment_list.c.qrels_id == assessed.id)
        .order_by(judgment_list.c.topic_id)
    ).all()
    topic_indices = {same.get(row.topic_id, row.topic_id): index for index, row in enumerate(rows)}
    runs = connection.execute(
        select(run.c.id, run.c.tag)
        .join(uploaded_run, uploaded_run.c.run_id == run.c.id)
        .where(uploaded_run.c.run_upload_id.in_(upload_ids))
        .order_by(run.c.id)
    ).all()
    run_indices = {row.id: index for index, row in enumerate(runs)}
    depth = connection.execute(
        select(func.coalesce(func.max(func.cardinality(run_list.c.documents)), 0)).where(
            run_list.c.run_upload_id.in_(upload_ids)
        )
    ).scalar_one()
    shape = len(runs), len(rows), depth
    lists = np.full(shape, -1, dtype=np.int32)
    values = np.full(shape, np.nan, dtype=np.float32) if scores else None
    for upload_id in upload_ids:
        for stored in read_lists(connection, upload_id, scores=scores):
            topic_index = topic_indices.get(same.get(stored.topic_id, stored.topic_id))
            if topic_index is not None:
                cell = run_indices[stored.run_id], topic_index, slice(len(stored.documents))
                lists[cell] = stored.documents
                if values is not None:
                    values[cell] = stored.scores
    return AssessedRuns(
        StudySource(
            topics=len(rows),
            runs=len(runs),
            round=round_.label,
            assessments=assessed.assessments,
            revision=assessed.revision,
            upload=uploads[-1].number,
        ),
        [row.tag for row in runs],
        [row.name for row in rows],
        lists,
        values,
        Judgments(
            topics=len(rows),
            topic=np.repeat(np.arange(len(rows)), [len(row.documents) for row in rows]),
            document=np.concatenate([np.array(row.documents, np.int32) for row in rows]),
            grade=np.concatenate([np.array(row.grades, np.int32) for row in rows]),
        ),
        np.array([row.id for row in runs], dtype=np.int64),
    )


def _find_qrels(
    connection: Connection, round_: Row[Any], assessments: str | None, revision: int | None
) -> Row[Any]:
    """Return the ``qrels`` row of a round's assessments: the latest revision, or the one named."""
    latest = connection.execute(
        select(qrels)
        .ext(distinct_on(qrels.c.assessments))
        .where(
            qrels.c.round_id == round_.id,
            qrels.c.revision == func.coalesce(revision, qrels.c.revision),
        )
        .order_by(qrels.c.assessments, qrels.c.revision.desc())
    ).all()
    label = None if assessments is None else normalize("NFC", assessments.strip())
    named = [row for row in latest if label in (None, normalize("NFC", row.assessments))]
    if not named:
        others = f"; it has {', '.join(row.assessments for row in latest)}" if latest else ""
        of_label = "" if label is None else f" '{label}'"
        raise NotRecordedError(
            f"Round '{round_.label}' has no relevance assessments{of_label}{others}.",
            way_out="log the assessments",
            round=round_.label,
            **({} if label is None else {"assessments": label}),
        )
    if len(named) > 1:
        raise InputError(
            f"Round '{round_.label}' has several assessments"
            f" ({', '.join(row.assessments for row in named)}), which are never mixed.",
            way_out="several assessments",
            round=round_.label,
        )
    return named[0]
