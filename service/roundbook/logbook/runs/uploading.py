"""What logging runs and logging assessments have in common: files, names, the round."""

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
    """Refuse a round that is not there, before large files are read."""
    if not request.create:
        task_id = find_task(connection, request.task, way_out="no task")
        find_round(connection, task_id, request.task, request.round, way_out="no round")


def one_name_each(what: str, names: Mapping[str, str]) -> list[str]:
    """Return names as they are recorded; refuse two that are one."""
    spelled = list(names.values())
    if len(set(spelled)) < len(spelled):
        raise InputError(
            f"Two {what}s of the files have one name, with its accents encoded otherwise."
        )
    return spelled


def unknown_topics(connection: Connection, task_id: int, topics: Sequence[str]) -> list[str]:
    """Return which topics a task does not have yet."""
    known = set(
        connection.execute(
            select(topic.c.name).where(topic.c.task_id == task_id, topic.c.name.in_(topics))
        ).scalars()
    )
    return [name for name in topics if name not in known]


def file_columns(files: Sequence[StoredFile]) -> dict[str, list[Any]]:
    """Return the columns that name stored files, with their sizes and hashes."""
    return {
        "files": [file.file for file in files],
        "file_sizes": [file.size for file in files],
        "file_hashes": [file.sha256 for file in files],
    }
