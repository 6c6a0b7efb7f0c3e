"""Common parts of logging runs and assessments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlalchemy import Connection, select

from roundbook.database.tables import topic
from roundbook.errors import InputError
from roundbook.formats.trec import StoredFile
from roundbook.logbook.lookup import find_round, find_task
from roundbook.requests.runs import LogQrels, LogRuns

Status = Literal["logged", "unchanged"]


def require_round(connection: Connection, request: LogRuns | LogQrels) -> None:
    """Raise NotRecordedError for a missing round before large files are read."""
    if not request.create:
        task_id = find_task(connection, request.task, way_out="no task")
        find_round(connection, task_id, request.task, request.round, way_out="no round")


def distinct_names(kind: str, names: Mapping[str, str]) -> list[str]:
    """Return the recorded names of runs or topics; refuse two of them that are recorded as one."""
    recorded = list(names.values())
    if len(set(recorded)) < len(recorded):
        raise InputError(
            f"Two {kind}s of the files have one name, with its accents encoded otherwise."
        )
    return recorded


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
