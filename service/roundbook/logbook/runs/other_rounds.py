"""Lists and judgments that another round of the task has already: the file may be of that round.

Hashes alone do not tell, as documents are numbered within a round: what is new is numbered as in the
other round, and hashed again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, text

from roundbook.formats.trec import QrelsFile, RunFiles
from roundbook.logbook.result import Result
from roundbook.logbook.runs.storing import (
    IS_LATEST_QRELS,
    Judged,
    NumberedDocuments,
    UploadedLists,
    lists_hash,
    number_documents,
)


class SameLists(Result):
    """Another round of the task that has the same lists of so many of the new runs, by their tags."""

    round: str
    runs: int


class SameJudgments(Result):
    """Assessments of another round of the task that consist of the same judgments."""

    round: str
    assessments: str
    revision: int


def find_same_lists(
    connection: Connection,
    round_id: int,
    runs: Sequence[UploadedLists],
    read: RunFiles,
    documents: NumberedDocuments,
) -> SameLists | None:
    """Return the other round of the task that has the same lists of new runs, or None.

    Two queries at most: of several rounds, only the likeliest is looked at. `documents` are the
    numbers of the documents `read` in the runs' own round.
    """
    row = connection.execute(
        text(_LIKE_RUNS),
        {
            "round": round_id,
            "tags": [entry.tag for entry in runs],
            "topics": [len(entry.lists) for entry in runs],
            "first": [entry.lists[0][0] for entry in runs],
            "documents": [sum(len(part[1]) for part in entry.lists) for entry in runs],
            "hashes": [entry.digest for entry in runs],
            "files": [file.sha256 for file in read.files],
        },
    ).one_or_none()
    if row is None:
        return None
    number_there = np.zeros(documents.documents, dtype=np.int32)
    number_there[documents.numbers] = number_documents(connection, row.id, read.documents).numbers
    hash_of = dict(zip(row.tags, row.hashes, strict=True))
    same = sum(
        hash_of[entry.tag]
        == lists_hash((name, number_there[ranked], scores) for name, ranked, scores in entry.lists)
        for entry in runs
        if entry.tag in hash_of
    )
    return SameLists(round=row.label, runs=same) if same else None


def find_same_judgments(
    connection: Connection,
    round_id: int,
    read: QrelsFile,
    sizes: dict[str, int],
    digest: str,
    judgments: Callable[[npt.NDArray[np.int32]], Sequence[Judged]],
) -> SameJudgments | None:
    """Return the assessments that are the same judgments in another round of the task, or None.

    Two queries at most, as for runs. `sizes` are the numbers of topics, of judgments and of relevant
    ones, and `judgments` returns the new ones with other numbers of the documents `read`.
    """
    row = connection.execute(
        text(_LIKE_QRELS), {"round": round_id, "hash": digest, "file": read.file.sha256, **sizes}
    ).one_or_none()
    if row is None:
        return None
    numbers = number_documents(connection, row.id, read.documents).numbers
    if lists_hash(judgments(numbers)) != row.content_hash:
        return None
    return SameJudgments(round=row.label, assessments=row.assessments, revision=row.revision)


# The round with the most runs of these tags and sizes that have a list for the first topic, those of
# the same files or hashes first.
_LIKE_RUNS = """
SELECT other.id, other.label, array_agg(run.tag) AS tags,
       array_agg(uploaded_run.content_hash) AS hashes
FROM unnest(CAST(:tags AS text[]), CAST(:topics AS integer[]), CAST(:documents AS integer[]),
            CAST(:hashes AS text[]), CAST(:first AS text[]))
    AS new (tag, topics, documents, content_hash, first_topic)
JOIN roundbook.round AS own ON own.id = :round
JOIN roundbook.round AS other ON other.task_id = own.task_id AND other.id <> own.id
JOIN roundbook.run ON run.round_id = other.id AND run.tag = new.tag
JOIN roundbook.uploaded_run
    ON uploaded_run.run_id = run.id
    AND uploaded_run.topics = new.topics AND uploaded_run.documents = new.documents
JOIN roundbook.run_upload ON run_upload.id = uploaded_run.run_upload_id
JOIN roundbook.topic ON topic.task_id = own.task_id AND topic.name = new.first_topic
JOIN roundbook.run_list
    ON run_list.run_upload_id = run_upload.id AND run_list.run_id = run.id
    AND run_list.topic_id = topic.id
GROUP BY other.id
ORDER BY bool_or(run_upload.file_hashes && CAST(:files AS text[])) DESC,
         count(*) FILTER (WHERE uploaded_run.content_hash = new.content_hash) DESC,
         count(*) DESC, other.ordinal
LIMIT 1
"""

# The latest revisions alone: of earlier ones, the slip is mended already.
_LIKE_QRELS = f"""
SELECT other.id, other.label, qrels.assessments, qrels.revision, qrels.content_hash
FROM roundbook.round AS own
JOIN roundbook.round AS other ON other.task_id = own.task_id AND other.id <> own.id
JOIN roundbook.qrels ON qrels.round_id = other.id
WHERE own.id = :round
    AND (qrels.topics, qrels.judged, qrels.relevant) = (:topics, :judged, :relevant)
    AND {IS_LATEST_QRELS}
ORDER BY :file = ANY (qrels.file_hashes) DESC, qrels.content_hash = :hash DESC, other.ordinal, qrels.id
LIMIT 1
"""  # noqa: S608
