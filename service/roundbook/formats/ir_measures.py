"""Output of ``ir_measures -q``: ``topic measure value`` as TSV, or JSON lines (``-o jsonl``)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from roundbook.errors import BadFileError
from roundbook.formats.lines import ScoreLine, ToolLines
from roundbook.formats.matrix import SUMMARY_TOPIC
from roundbook.formats.table import quoted
from roundbook.formats.text import SourceText, fields_of

_NO_TOPICS = (
    "there are summaries over all topics, no scores of single topics; run ir_measures with -q"
)


def ir_measures_lines(source: SourceText) -> ToolLines:
    """Return the scores of a file of ir_measures output, which has one run.

    The topic ``all`` of the summary (absent with ``-n``) is left out.

    Raises
    ------
    BadFileError
        If a line does not fit, or there are no scores of single topics.
    """
    is_json = source.rows[0][1].lstrip().startswith("{")
    read_lines = _json_lines if is_json else _tsv_lines
    lines = [line for line in read_lines(source) if line.topic.lower() != SUMMARY_TOPIC]
    if not lines:
        raise BadFileError(_NO_TOPICS, source.file)
    return ToolLines(lines) if is_json else ToolLines(lines, topic_column=1, value_column=3)


def _tsv_lines(source: SourceText) -> Iterator[ScoreLine]:
    for line, text in source.rows:
        fields = fields_of(text)
        if len(fields) == 2:
            raise BadFileError(_NO_TOPICS, source.file, line)
        if len(fields) != 3:
            raise BadFileError(
                f"expected 3 fields (topic, measure, value), found {len(fields)}",
                source.file,
                line,
            )
        yield ScoreLine(line, fields[0], fields[1], fields[2])


def _json_lines(source: SourceText) -> Iterator[ScoreLine]:
    for line, text in source.rows:
        try:
            # Numbers stay text, to be parsed as strictly as in other layouts.
            entry = json.loads(
                text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_entry
            )
        except _RepeatedKeyError as repeated:
            raise BadFileError(
                f"the key {quoted(repeated.key)} is there twice; keep one", source.file, line
            ) from None
        except (ValueError, RecursionError):
            raise BadFileError("the line is not a JSON object", source.file, line) from None
        if not isinstance(entry, dict):
            raise BadFileError("the line is not a JSON object", source.file, line)
        if "query_id" not in entry and "measure" in entry:
            raise BadFileError(_NO_TOPICS, source.file, line)
        cells = [entry.get(key) for key in ("query_id", "measure", "value")]
        topic, name, value = (cell if isinstance(cell, str) else None for cell in cells)
        if topic is None or name is None or value is None:
            raise BadFileError(
                'expected {"query_id": .., "measure": .., "value": number}, '
                f"found {quoted(text.strip(), 80)}",
                source.file,
                line,
            )
        yield ScoreLine(line, topic.strip(), name.strip(), value.strip())


class _RepeatedKeyError(ValueError):
    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(key)


def _entry(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # json would silently keep the last of two equal keys.
    entry: dict[str, Any] = {}
    for key, value in pairs:
        if key in entry:
            raise _RepeatedKeyError(key)
        entry[key] = value
    return entry
