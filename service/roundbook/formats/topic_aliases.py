"""Files of the other ids under which topics returned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from roundbook.errors import BadFileError
from roundbook.formats.columns import TextTable
from roundbook.formats.table import checked_name
from roundbook.formats.text import DEFAULT_MAX_BYTES, decoded, read_bytes

_COLUMNS = {
    "topic": (("topic", "topic_id"),),
    "round": (("round",),),
    "id": (("id", "id_there", "other_id", "alias"),),
}


class TopicId(NamedTuple):
    """A row: a topic, a round, and the topic's id in that round."""

    topic: str
    round: str
    id: str
    file: str
    line: int


def read_topic_ids(path: Path | str, max_bytes: int = DEFAULT_MAX_BYTES) -> list[TopicId]:
    """Return the rows of a CSV or TSV file ``topic,round,id``, in its order.

    Raises
    ------
    BadFileError
        If the file cannot be read, lacks a column, or has an empty name.
    """
    file, _, data = read_bytes(path, max_bytes)
    table = TextTable(decoded(file, data))
    columns: dict[str, int] = {}
    for column, names in _COLUMNS.items():
        at = table.named_column(names)
        if at is None:
            raise BadFileError(
                f"a file of topic ids needs the columns topic, round and id; {column!r} is missing",
                file,
                table.header_line,
            )
        columns[column] = at
    ids = []
    for line, fields in table.rows():
        topic, round_, other_id = (
            checked_name(fields[at], column, file, line, at + 1) for column, at in columns.items()
        )
        ids.append(TopicId(topic, round_, other_id, file, line))
    return ids
