"""Files of topics that returned under another id."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.columns import table_rows
from roundbook.formats.table import checked_name, named_column
from roundbook.formats.text import DEFAULT_MAX_BYTES, read_text

_TOPIC = (("topic", "topic_id"),)
_ROUND = (("round",),)
_ID = (("id", "id_there", "other_id", "alias"),)


class TopicId(NamedTuple):
    """A row: a topic, a round, and the topic's id there."""

    topic: str
    round: str
    id: str
    file: str
    line: int


def read_topic_ids(path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES) -> list[TopicId]:
    """Read a CSV or TSV file ``topic,round,id``, in its order.

    Raises
    ------
    BadFileError
        If the file cannot be read, lacks a column, or has an empty name.
    """
    source = read_text(path, max_bytes)
    file = source.file
    rows = table_rows(source)
    head_line, header = next(rows)
    columns: dict[str, int] = {}
    for what, names in (("topic", _TOPIC), ("round", _ROUND), ("id", _ID)):
        at = named_column(header, names, file, head_line)
        if at is None:
            raise BadFileError(
                f"a file of topic ids needs the columns topic, round and id; {what!r} is missing",
                file,
                head_line,
            )
        columns[what] = at
    ids = []
    for line, fields in rows:
        topic, round_, there = (
            checked_name(fields[at], what, file, line, at + 1) for what, at in columns.items()
        )
        ids.append(TopicId(topic, round_, there, file, line))
    return ids
