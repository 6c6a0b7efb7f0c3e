"""Reading of an archive's rows and score matrices, with the database's ids for its numbers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Table

from roundbook.database import tables
from roundbook.errors import BadFileError, InputError
from roundbook.formats.table import checked_name, has_unfit, quoted
from roundbook.logbook.measures import parse_measure
from roundbook.logbook.names import check_name, check_reason, check_text
from roundbook.transfer.archive.cells import read_cell, single_precision, split_record
from roundbook.transfer.archive.container import BROKEN, Archive
from roundbook.transfer.archive.data_package import LISTS_HEADER
from roundbook.transfer.archive.earlier import plan
from roundbook.transfer.archive.tables import Numbers, columns_of, map_ids, table_member

# Columns of names that users type, with the noun for each.
_TYPED = {
    tables.task.c.name: "task",
    tables.round_.c.label: "round",
    tables.round_.c.collection: "document collection",
    tables.matrix.c.assessments: "assessments label",
    tables.factor_set.c.assessments: "assessments label",
    tables.published_variance.c.assessments: "assessments label",
    tables.result.c.name: "saved result",
    plan.c.name: "plan",
}
# Columns of names that come from score files, with the noun for each.
_READ = {
    tables.topic.c.name: "topic",
    tables.topic_alias.c.name: "topic",
    tables.team.c.name: "team",
    tables.run.c.tag: "run",
    tables.run.c.type: "type",
    tables.run.c.system: "system",
}
_REASONS = frozenset(
    {
        tables.matrix.c.reason,
        tables.factor_set.c.reason,
        tables.published_variance.c.reason,
        tables.withdrawal.c.reason,
    }
)


def table_rows(archive: Archive, table: Table, ids: Numbers) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as values by column, without the rows' own numbers.

    `ids` are the database's ids, by table and number, of the rows that they may refer to.
    """
    member = table_member(table)
    file = archive.member(member)
    columns = columns_of(table, archive.manifest.version)
    records = _records_below(archive, member, [column.name for column in columns])
    count = 0
    for count, record in enumerate(records, 1):
        yield _row(columns, record, count, ids, file)
    if count != archive.manifest.members[member].rows:
        raise BadFileError(f"there are {count} rows, and the manifest says otherwise", file)


class Record(NamedTuple):
    """A record of a CSV and the line on which it begins."""

    line: int
    cells: list[str]


def read_records(archive: Archive, name: str) -> Iterator[Record]:
    """Yield the records of a CSV member, the header first."""
    member = archive.member(name)
    first_line, parts, quotes = 1, [], 0
    for line, text in enumerate(_lines(archive, name), 1):
        parts.append(text)
        quotes += text.count('"')
        if quotes % 2:  # within a cell that holds a line break
            continue
        yield Record(first_line, split_record("".join(parts), member, first_line))
        first_line, parts, quotes = line + 1, [], 0
    if parts:
        raise BadFileError("a double quote is not closed", member, first_line)


def _lines(archive: Archive, name: str) -> Iterator[str]:
    try:
        with (
            archive.content.open(name) as stream,
            io.TextIOWrapper(stream, encoding="utf-8", newline="\n") as lines,
        ):
            yield from lines
    except UnicodeDecodeError:
        raise BadFileError("this is not UTF-8 text", archive.member(name)) from None
    except BROKEN as error:
        raise BadFileError(f"this is damaged ({error})", archive.member(name)) from None


def _records_below(archive: Archive, member: str, header: list[str]) -> Iterator[Record]:
    """Yield the records of a member with this header; refuse another, and records of other width."""
    file = archive.member(member)
    records = read_records(archive, member)
    first = next(records, None)
    if first is None or first.cells != header:
        raise BadFileError(f"the header must be {','.join(header)}", file, 1)
    for record in records:
        if len(record.cells) != len(header):
            reason = f"expected {len(header)} cells as in the header, found {len(record.cells)}"
            raise BadFileError(reason, file, record.line)
        yield record


def _row(
    columns: Sequence[Column[Any]], record: Record, number: int, ids: Numbers, file: str
) -> dict[str, Any]:
    row = {}
    for position, (column, cell) in enumerate(zip(columns, record.cells, strict=True), 1):
        try:
            value = read_cell(column, cell)
            _check_value(column, value, file, record.line, position)
            if column.name != "id":
                row[column.name] = map_ids(column, value, ids)
            elif value != number:
                raise InputError(f"row {number} is numbered {value}.")
            continue
        except BadFileError:
            raise
        except KeyError as error:
            reason = f"{column.name} names number {error}, which is not there"
        except InputError as error:
            reason = str(error).removesuffix(".")
        except ValueError:
            reason = f"{quoted(cell)} is not how an archive writes {column.name}"
        raise BadFileError(reason, file, record.line, position)
    return row


class ReadList(NamedTuple):
    """The ranked list of a run for a topic: document numbers by rank, and scores."""

    run: str
    topic: str
    documents: npt.NDArray[np.int32]
    scores: npt.NDArray[np.float32]


class ReadMatrix(NamedTuple):
    """A score matrix of an archive, (topics, runs), in the order in which it was logged."""

    topics: list[str]
    runs: list[str]
    scores: npt.NDArray[np.float64]


def read_matrix(archive: Archive, member: str, topics: int, runs: int) -> ReadMatrix:
    """Return a matrix of an archive, which must have this number of topics and runs."""
    file = archive.member(member)
    records = read_records(archive, member)
    header = next(records, None)
    if header is None or header.cells[0] != "topic" or len(header.cells) != runs + 1:
        raise BadFileError(f"the header must be topic and the tags of {runs} runs", file, 1)
    names, rows = [], []
    for record in records:
        names.append(record.cells[0])
        rows.append(_scores(record, runs, file))
    if not len(rows) == topics == archive.manifest.members[member].rows:
        raise BadFileError(f"there are the scores of {len(rows)} topics, not of {topics}", file)
    # Transposed from (runs, topics), like every score matrix here.
    scores = np.ascontiguousarray(np.array(rows).reshape(topics, runs).T).T
    return ReadMatrix(names, header.cells[1:], scores)


def read_lists(archive: Archive, member: str) -> Iterator[ReadList]:
    """Yield the ranked lists of an upload."""
    for record in _records_below(archive, member, list(LISTS_HEADER)):
        tag, topic, *cells = record.cells
        try:
            documents = np.array([int(number) for number in cells[0].split(" ")], dtype=np.int32)
            scores = np.array([float(score) for score in cells[1].split(" ")]).astype(np.float32)
            same = (
                " ".join(map(str, documents.tolist())) == cells[0]
                and np.isfinite(scores).all()
                and single_precision(scores) == cells[1]
                and len(documents) == len(scores)
            )
        except (ValueError, OverflowError):
            same = False
        if not same:
            reason = "this is not how an archive writes the documents and scores of a list"
            raise BadFileError(reason, archive.member(member), record.line)
        yield ReadList(tag, topic, documents, scores)


def _scores(record: Record, runs: int, file: str) -> npt.NDArray[np.float64]:
    cells = record.cells[1:]
    if len(cells) != runs:
        raise BadFileError(f"expected {runs} scores, found {len(cells)}", file, record.line)
    try:
        values = np.array([float(cell) for cell in cells])
    except ValueError:
        values = np.empty(0)
    if not np.isfinite(values).all() or [repr(value) for value in values.tolist()] != cells:
        position, cell = next(
            (position, cell) for position, cell in enumerate(cells, 2) if not _is_score(cell)
        )
        reason = f"{quoted(cell)} is not how an archive writes a score"
        raise BadFileError(reason, file, record.line, position)
    return values


def _is_score(cell: str) -> bool:
    try:
        return isfinite(float(cell)) and repr(float(cell)) == cell
    except ValueError:
        return False


def _check_value(column: Column[Any], value: object, file: str, line: int, position: int) -> None:
    """Refuse a text that no command would accept, and a name that no score file could have."""
    if isinstance(value, str):
        if column in _READ:
            checked_name(value, _READ[column], file, line, position)
        elif column in _TYPED:
            check_name(_TYPED[column], value)
        elif column is tables.measure.c.name:
            parse_measure(value)
        elif column in _REASONS:
            check_reason(value)
        else:
            check_text(column.name.replace("_", " "), value)
        if (column in _READ or column in _TYPED) and value != value.strip():
            raise InputError(f"{quoted(value)} has white space around it.")
    elif column in _FORMS and not _FORMS[column](value):
        raise ValueError(value)
    elif isinstance(value, list | dict):
        for text in _texts(value):
            if has_unfit(text):
                raise InputError(f"{quoted(text)} holds a control or invisible character.")


def _is_known(value: object) -> bool:
    """Return whether the facts on a saved result's input are of the types that staleness reads."""
    if not isinstance(value, dict):
        return False
    counts = [value.get(f"runs_without_{code}", 0) for code in ("team", "system")]
    other_ids = value.get("other_ids", {})
    return (
        all(type(count) is int and count >= 0 for count in counts)
        and isinstance(other_ids, dict)
        and all(isinstance(name, str) for name in other_ids.values())
    )


_FORMS: dict[Column[Any], Callable[[object], bool]] = {
    tables.event.c.details: lambda value: isinstance(value, dict),
    tables.result_input.c.known: _is_known,
}


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from _texts(part)
