"""Saved results as they are stored: their names and versions, and what can be read of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import result, task
from roundbook.errors import (
    AlreadyRecordedError,
    InputError,
    NotRecordedError,
    RecordError,
    RoundbookError,
)
from roundbook.limits import LONGEST_NAME
from roundbook.logbook.kinds import find_kind, title_of
from roundbook.logbook.lookup import suggestion
from roundbook.logbook.names import check_name, is_named
from roundbook.logbook.result import Result, unreadable
from roundbook.requests.base import Request

if TYPE_CHECKING:
    from roundbook.logbook.saved_results import ResultEntry

# The part that cannot be read of a result that another version saved, or that was altered.
Illegible = Literal[
    "kind",  # there is no such kind of result
    "request",  # its request is refused, or its task has nothing to compute it from
    "result",  # the computed result itself
]

_STORED = """
SELECT result.id, result.kind, result.name, result.version,
       (SELECT max(version) FROM roundbook.result AS later
        WHERE (later.kind, later.name) = (result.kind, result.name)) AS versions,
       result.task_id, task.name AS task, result.note, result.saved_at, result.saved_by,
       result.software, result.request, {result} AS result,
       result.name IN (SELECT name FROM roundbook.result
                       GROUP BY name HAVING min(kind) <> max(kind)) AS name_is_shared
FROM roundbook.result
LEFT JOIN roundbook.task ON task.id = result.task_id
WHERE (CAST(:task AS bigint) IS NULL OR result.task_id = :task)
  AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)
  AND (CAST(:name AS text) IS NULL OR result.name = :name)
"""


def stored_results(
    connection: Connection,
    task_id: int | None = None,
    kind: str | None = None,
    name: str | None = None,
) -> list[Row[Any]]:
    """Return the rows of all versions of results, by kind, name and version.

    Each has its task's name and the number of its versions. Without a name they lack their longest
    list, the topics.
    """
    if kind is not None:
        find_kind(kind)  # there must be such a kind
    query = _STORED.format(result="result.result - 'topics'" if name is None else "result.result")
    values = {"task": task_id, "kind": kind, "name": name}
    # Sorted by the numbers in names: drift-2 before drift-10.
    return sorted(
        connection.execute(text(query), values),
        key=lambda row: (
            row.kind,
            [
                (int(part), "") if part.isdecimal() else (-1, part)
                for part in re.split(r"(\d+)", row.name)
            ],
            row.version,
        ),
    )


def is_latest(row: Row[Any] | ResultEntry) -> bool:
    """Return whether a result is the latest version of its name."""
    return row.version == row.versions


def find_stored(
    connection: Connection, kind: str | None, name: str, version: int | None
) -> Row[Any]:
    """Return the row of a result by name: the version asked for, or the latest."""
    name = name.strip()
    title = "result" if kind is None else find_kind(kind).title
    versions = stored_results(connection, kind=kind, name=name)
    if not versions and not name.isascii():
        # Earlier versions recorded names without normalising them.
        spelled = connection.execute(select(result.c.name).where(is_named(result.c.name, name)))
        versions = [
            row
            for recorded in spelled.scalars().unique()
            for row in stored_results(connection, kind=kind, name=recorded)
        ]
    if not versions:
        raise _unknown_result(connection, kind, name)
    kinds = sorted({row.kind for row in versions})
    if len(kinds) > 1:
        raise NotRecordedError(
            f"'{name}' is the name of results of several kinds, {' and '.join(kinds)}: name one.",
            way_out="name the kind",
            name=name,
            kinds=kinds,
        )
    matching = [row for row in versions if version in (None, row.version)]
    if not matching:
        numbers = ", ".join(str(row.version) for row in versions)
        raise NotRecordedError(
            f"{title.capitalize()} '{name}' has no version {version}; it has {numbers}.",
            name=name,
            version=version,
        )
    return matching[-1]


def _unknown_result(connection: Connection, kind: str | None, name: str) -> NotRecordedError:
    """Return the error for a name that no result has, with what may have been meant."""
    title = "result" if kind is None else find_kind(kind).title
    message = f"There is no saved {title} '{name}'"
    if connection.execute(select(task.c.id).where(is_named(task.c.name, name))).first():
        message += "; it is the name of a task."
        return NotRecordedError(message, way_out="results of a task", task=name)
    names = select(result.c.name).distinct().order_by(result.c.name)
    if kind is not None:
        names = names.where(result.c.kind == kind)
    message += suggestion(name, connection.execute(names).scalars())
    return NotRecordedError(message, way_out="list results", name=name)


def tasks_of_results(connection: Connection, name: str, kind: str | None) -> list[str | None]:
    """Return the tasks, or None, of the results of a kind, if given, and a name in NFC."""
    query = text(
        "SELECT DISTINCT task.name FROM roundbook.result"
        " LEFT JOIN roundbook.task ON task.id = result.task_id"
        " WHERE normalize(result.name) = :name"
        " AND (CAST(:kind AS text) IS NULL OR result.kind = :kind)"
    )
    return list(connection.execute(query, {"name": name, "kind": kind}).scalars())


def versions_of(
    connection: Connection, kind: str, name: str, task_id: int | None
) -> list[Row[Any]]:
    """Return the rows of a task's results under a name, or of those without a task.

    Raises
    ------
    AlreadyRecordedError
        When another task, or none, has a result of this kind under the name.
    """
    versions = stored_results(connection, kind=kind, name=name)
    if not versions or versions[-1].task_id == task_id:
        return versions
    owner = versions[-1].task
    whose = "no task" if owner is None else f"task '{owner}'"
    raise AlreadyRecordedError(
        f"'{name}' is a {find_kind(kind).title} of {whose} already; choose another name.",
        name=name,
        **({} if owner is None else {"task": owner}),
    )


def numbered_name(task: str, kind: str, number: int) -> str:
    """Return the name of a result that was saved without one; a long task's is shortened."""
    end = f"/{kind}-{number}"
    return task.strip()[: LONGEST_NAME - len(end)] + end


def next_name(connection: Connection, kind: str, task_id: int | None, task: str) -> str:
    """Return a task's next numbered name for a result of a kind that no result has yet."""
    rows = connection.execute(
        text(
            "SELECT DISTINCT name, task_id IS NOT DISTINCT FROM :task AS own FROM roundbook.result"
            " WHERE kind = :kind AND (task_id = :task OR starts_with(name, :start))"
        ),
        {"kind": kind, "task": task_id, "start": task.strip()[: LONGEST_NAME - 40]},
    ).all()
    numbered = re.compile(rf".*/{kind}-([0-9]{{1,9}})", re.DOTALL)
    own = [match for row in rows if row.own and (match := numbered.fullmatch(row.name))]
    number = 1 + max((int(match[1]) for match in own), default=0)
    taken = {row.name for row in rows}
    while (name := numbered_name(task, kind, number)) in taken:
        number += 1
    return check_name(find_kind(kind).title, name)


def read_request(row: ResultEntry | Row[Any]) -> Request:
    """Return the request of a saved result.

    Raises
    ------
    RecordError
        When there is no such kind of result, or it has no such request.
    """
    with _reading(row):
        return find_kind(row.kind).request(**row.request)


def request_again(entry: ResultEntry) -> Request:
    """Return the request by which a result is renewed.

    Raises
    ------
    RecordError
        When the result or its request cannot be read: another version's is not to be replaced.
    """
    if entry.illegible == "result":
        raise unreadable(_named(entry), "its figures")
    return read_request(entry)


def read_stored(row: Row[Any]) -> Result:
    """Return a stored result as the model of its kind.

    Raises
    ------
    RecordError
        When there is no such kind of result, or it has not the form of that kind.
    """
    with _reading(row):
        return find_kind(row.kind).read(row.result, _named(row))


class ReadRow(NamedTuple):
    """A row as a list reads it: its request, main figures and left out rounds."""

    request: Request | None
    brief: dict[str, Any]
    left_out: list[str]
    illegible: Illegible | None


def read_row(row: Row[Any]) -> ReadRow:
    """Return the readable parts of a row; `illegible` names a part that is not."""
    try:
        kind = find_kind(row.kind)
    except InputError:
        return ReadRow(None, {}, [], "kind")
    try:
        with _reading(row):
            read = ReadRow(None, kind.brief(row.result), kind.left_out(row.result), None)
    except RecordError:
        read = ReadRow(None, {}, [], "result")
    try:
        return read._replace(request=read_request(row))
    except RecordError:
        return read._replace(illegible="request")


@contextmanager
def _reading(row: ResultEntry | Row[Any]) -> Iterator[None]:
    """Turn any failure to read a row, which may have been altered anywhere, into a RecordError."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        reason = str(error).rstrip(".")
        if not isinstance(error, RoundbookError):
            reason = f"{type(error).__name__}: {reason}"
        raise unreadable(_named(row), reason) from error


def _named(row: ResultEntry | Row[Any]) -> str:
    return f"{title_of(row.kind).capitalize()} '{row.name}', version {row.version},"
