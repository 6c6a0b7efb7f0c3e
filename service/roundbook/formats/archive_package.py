"""The Data Package of an archive: a description of its CSV files for other tools.

The form is version 1 of Frictionless Data's Data Package, Tabular Data Resource and Table Schema
(https://specs.frictionlessdata.io). Roundbook itself reads the manifest and never this.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

DATA_PACKAGE = "datapackage.json"

TableSchema = dict[str, Any]

CONVENTIONS = (
    "Rows are numbered in the column id, and columns such as task_id hold these numbers. An"
    " empty cell of a column that may be empty means that nothing is known; there, a text that"
    " is empty itself or begins with a backslash has a backslash before it."
)
_PACKAGE = {
    "profile": "tabular-data-package",
    "name": "roundbook-archive",
    "title": "A record of Roundbook, the logbook of evaluation campaigns",
    "description": CONVENTIONS,
}

_LIST_COLUMNS = {
    "run": "The run's tag.",
    "topic": "The topic's name.",
    "documents": "The numbers of the documents by rank, with blanks between.",
    "scores": "The score of each, in single precision.",
}
LISTS_HEADER = tuple(_LIST_COLUMNS)
_LISTS: TableSchema = {
    "fields": [
        {"name": name, "type": "string", "description": description}
        for name, description in _LIST_COLUMNS.items()
    ],
    "primaryKey": ["run", "topic"],
    "description": "What the runs of an upload retrieved: a run and topic a row.",
}


def part_schema(header: str) -> TableSchema:
    """Return the Table Schema of ranked lists, or of a score matrix.

    A matrix has a row for each topic and a column for each run, named in the CSV's header.
    """
    topic, *runs = next(csv.reader(io.StringIO(header, newline="")))
    if (topic, *runs) == LISTS_HEADER:
        return _LISTS
    required = {"required": True}
    return {
        "fields": [
            {"name": topic, "type": "string", "description": "The topic's name."},
            *({"name": run, "type": "number", "constraints": required} for run in runs),
        ],
        "primaryKey": [topic],
        "description": "The scores of a matrix: a topic a row, a run a column.",
    }


def describe_file(path: str, *, sha256: str, size: int, schema: TableSchema) -> dict[str, Any]:
    """Return the Tabular Data Resource of a CSV file, with its unpacked size."""
    return {
        "profile": "tabular-data-resource",
        "name": path.removesuffix(".csv").replace("/", "-").lower(),
        "path": path,
        "description": schema.get("description", ""),
        "format": "csv",
        "mediatype": "text/csv",
        "encoding": "utf-8",
        "bytes": size,
        "hash": f"sha256:{sha256}",
        "dialect": {"lineTerminator": "\n"},
        "schema": {key: value for key, value in schema.items() if key != "description"},
    }


def package_pieces(software: str, resources: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the text of ``datapackage.json``, one resource a line."""
    facts = {**_PACKAGE, "software": software}
    yield json.dumps(facts, indent=1).removesuffix("\n}") + ',\n "resources": ['
    for number, resource in enumerate(resources):
        yield (",\n" if number else "\n") + json.dumps(resource, ensure_ascii=False)
    yield "\n ]\n}\n"
