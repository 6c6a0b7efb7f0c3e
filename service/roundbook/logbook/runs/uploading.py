"""Common parts of logging runs and assessments: names, numbers of documents, hashes, files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from roundbook.database.run_tables import document_names
from roundbook.database.tables import topic
from roundbook.formats.trec import StoredFile
from roundbook.logbook.lookup import find_round, find_task
from roundbook.requests.runs import LogQrels, LogRuns

Status = Literal["logged", "unchanged"]
_NAMES_A_ROW = 1000


def require_round(connection: Connection, request: LogRuns | LogQrels) -> None:
    """Raise NotRecordedError for a missing round before large files are read."""
    if not request.create:
        task_id = find_task(connection, request.task, way_out="no task")
        find_round(connection, task_id, request.task, request.round, way_out="no round")


def unknown_topics(connection: Connection, task_id: int, topics: Sequence[str]) -> list[str]:
    """Return the topics that a task does not have yet."""
    recorded = set(
        connection.execute(
            select(topic.c.name).where(topic.c.task_id == task_id, topic.c.name.in_(topics))
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
    recorded = read_names(connection, round_id)
    if not recorded:
        return NumberedDocuments(np.arange(len(names), dtype=np.int32), 0, names)
    number_of = {name: number for number, name in enumerate(recorded)}
    numbers = [number_of.setdefault(name, len(number_of)) for name in names]
    new = list(number_of)[len(recorded) :]
    return NumberedDocuments(np.array(numbers, dtype=np.int32), len(recorded), new)


def read_names(connection: Connection, round_id: int) -> list[str]:
    """Return the names of a round's documents by number."""
    rows = connection.execute(
        select(document_names.c.names)
        .where(document_names.c.round_id == round_id)
        .order_by(document_names.c.first)
    ).scalars()
    return [name for names in rows for name in names]


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
