"""The data package of an archive: a description of its CSV files for other programs.

The form is version 1 of Frictionless Data's Data Package, Tabular Data Resource and Table Schema
(https://specs.frictionlessdata.io). Roundbook itself reads the manifest and never this.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Column, Table, types

from roundbook.transfer.archive.cells import codec
from roundbook.transfer.archive.tables import columns_of, refers_to

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


class TableDescription(NamedTuple):
    """The description of a table and of its columns, without those that `_COMMON` describes."""

    table: str
    columns: Mapping[str, str]


# What columns mean in most tables: by name, or by its ending.
_COMMON = {
    "id": "1, 2, ... in the order of the rows.",
    "software": "Which Roundbook wrote it.",
    "assessments": "The label of the assessments.",
    "round_id": "Of which round.",
    "measure_id": "Of which measure.",
    "revision": "1 for the first, 2 for what replaced it, and so on.",
    "reason": "Why it was revised.",
    "topics": "How many topics.",
    "runs": "How many runs.",
    "factor_set_id": "Of which version.",
    "matrix_id": "Of which scores.",
    "run_id": "Which run.",
    "topic_id": "Of which topic.",
    "files": "The files it came in.",
    "file_sizes": "How many bytes each has.",
    "file_hashes": "The SHA-256 of each.",
    "_at": "When.",
    "_by": "By whom.",
}

# A test compares these with the page docs/reference/archive.md.
DESCRIPTIONS: Mapping[str, TableDescription] = {
    "task": TableDescription(
        "The tasks, oldest first.",
        {"name": "Its name.", "title": "Its title.", "created_at": "When it was recorded."},
    ),
    "round": TableDescription(
        "The rounds.",
        {
            "task_id": "Whose round.",
            "ordinal": "Its place in the order of the task's rounds.",
            "label": "Its label.",
            "held": "When it was held.",
            "collection": "The document collection.",
            "status": "`draft` or `published`.",
            "pseudonym_key": "The secret key that orders the pseudonyms of its teams in drafts.",
            "created_at": "When it was recorded.",
        },
    ),
    "topic": TableDescription(
        "The topics. A topic of two rounds has one row.",
        {"task_id": "Whose topic.", "name": "Its name, as in the scores."},
    ),
    "topic_alias": TableDescription(
        "Other ids under which topics returned, by id in the order of code points.",
        {
            "task_id": "Of which task.",
            "name": "The other id, as in the scores.",
            "topic_id": "Which topic it is.",
        },
    ),
    "team": TableDescription(
        "The teams, by name in the order of code points.",
        {"name": "Its name; capitals make no other team."},
    ),
    "run": TableDescription(
        "The runs of each round.",
        {
            "tag": "Its tag, as in the scores.",
            "team_id": "Whose it is.",
            "type": "What kind of run.",
            "contributed_to_pool": "Whether the pool was made from it too.",
            "system": "What links the runs of a recurring system.",
        },
    ),
    "measure": TableDescription(
        "The measures, by name in the order of code points.",
        {
            "name": "Its name; capitals make no other measure.",
            "family": "The name without parameters and cutoff.",
            "cutoff": "The rank it looks down to.",
            "parameters": "Its parameters.",
            "lower_bound": "The lowest possible score.",
            "upper_bound": "The highest possible score.",
            "spellings": "The names of measures that were merged into it.",
        },
    ),
    "matrix": TableDescription(
        "The score matrices, every revision a row. The scores of row 7 are in `scores/000007.csv`.",
        {
            "content_hash": "BLAKE2b over the names and scores, whatever their order.",
            "missing_policy": "`reject`, `zero` or `drop-topic`.",
            "missing_cells": "How many scores were missing.",
            "dropped_topics": "The topics left out for that.",
            "files": "The files it was logged from.",
            "layout": "Their layout.",
            "tool": "What made the scores.",
        },
    ),
    "withdrawal": TableDescription(
        "Withdrawals and restorations; the last of a matrix holds.",
        {
            "matrix_id": "Of which matrix.",
            "number": "1, 2, ... for each matrix.",
            "withdrawn": "Whether it counts no more from then on.",
            "reason": "Why.",
        },
    ),
    "factor_set": TableDescription(
        "The versions of standardisation factors.",
        {
            "matrix_id": "Fitted to which scores.",
            "round_id": "Their round.",
            "measure_id": "Their measure.",
            "version": "Counts within round, measure and assessments.",
            "standardising": "`all`, `pooled` or `chosen`: which runs standardise.",
            "runs": "How many these are.",
            "zero_sd": "`average` or `drop`: topics on which all tie.",
            "reason": "Why they were fitted.",
        },
    ),
    "factor_set_run": TableDescription(
        "The standardising runs, where they are not all runs of the matrix.", {}
    ),
    "factor": TableDescription(
        "The factors.",
        {"mean": "The mean of the standardising runs.", "sd": "Their standard deviation, ddof 1."},
    ),
    "variance_estimate": TableDescription(
        "The residual variances, each matrix on each scale.",
        {
            "factor_set_id": "By which factors; none on the raw scale.",
            "scale": "`raw`, `std-ab` or `std-cdf`.",
            "topics": "Of how many topics.",
            "runs": "Of how many runs.",
            "sum_of_squares": "Of the residuals.",
            "dof": "runs * (topics - 1).",
            "variance": "sum_of_squares / dof.",
            "two_way_sum_of_squares": "After run and topic means.",
            "two_way_dof": "Its degrees of freedom.",
            "chi_square_low": "Lower end of the chi-square interval; only of schema 0002 to 0004.",
            "chi_square_high": "Its upper end.",
            "bootstrap_low": "Lower end of the topic bootstrap's interval; likewise.",
            "bootstrap_high": "Its upper end.",
            "level": "The confidence level of both.",
            "bootstrap_resamples": "How many resamples.",
            "bootstrap_seed": "Their seed.",
            "version": "1, and one more each time that teams of the runs became known.",
            "clusters": "The teams known then, each run of unknown team counting as one.",
            "runs_part": "Variance of ln V from which teams took part; empty where not known.",
            "two_way_runs_part": "The same after run and topic means.",
        },
    ),
    "published_variance": TableDescription(
        "Variances that were published without their scores.",
        {
            "scale": "`raw`, `std-ab` or `std-cdf`.",
            "revision": "1 for the first.",
            "topics": "Of how many topics.",
            "runs": "Of how many runs.",
            "variance": "The residual variance.",
            "source": "Where it is published.",
            "teams": "Of how many teams its runs are.",
        },
    ),
    "run_upload": TableDescription(
        "The uploads of runs. What the runs of row 7 retrieved is in `lists/000007.csv`.",
        {
            "number": "1, 2, ... for each round.",
            "documents": "How many documents of the round are numbered after it.",
            "beyond_depth": "How many documents were ranked too low to be kept.",
        },
    ),
    "uploaded_run": TableDescription(
        "The runs of each upload.",
        {
            "run_upload_id": "Of which upload.",
            "topics": "For how many topics it has lists.",
            "documents": "How many documents are in them together.",
            "content_hash": "BLAKE2b over the lists, whatever their order.",
        },
    ),
    "document_names": TableDescription(
        "The names of the documents of each round by number, many a row.",
        {
            "first": "The number of the first one; the others follow.",
            "names": "Their names.",
            "content_hash": "BLAKE2b over the names, with a zero byte between.",
        },
    ),
    "qrels": TableDescription(
        "The relevance assessments of each round, every revision a row.",
        {
            "judged": "How many judgments.",
            "relevant": "How many of them with a grade above 0.",
            "content_hash": "BLAKE2b over the judgments, whatever their order.",
        },
    ),
    "judgment_list": TableDescription(
        "The judgments of each topic.",
        {
            "qrels_id": "Of which assessments.",
            "documents": "The numbers of the judged documents.",
            "grades": "The grade of each, as it was given.",
        },
    ),
    "result": TableDescription(
        "The saved results: plans, drift reports and studies, every version a row.",
        {
            "task_id": "For which task; none for a plan whose variance was typed in.",
            "kind": "`plan`, `drift` or `study`.",
            "name": "Its name.",
            "version": "Counts within a kind and name.",
            "request": "What was asked, complete, so that it can be asked again.",
            "result": "What came out: figures and codes.",
            "note": "Why it was saved.",
        },
    ),
    "result_input": TableDescription(
        "What a result was computed from; one of the six references is there, the others are empty.",
        {
            "result_id": "Which result.",
            "position": "0, 1, ...",
            "variance_estimate_id": "A variance from scores.",
            "published_variance_id": "A published variance.",
            "factor_set_id": "A factor version.",
            "matrix_id": "A score matrix.",
            "known": "What was known beside its scores then, such as the document collection.",
            "run_upload_id": "An upload of runs: what it and those before it hold.",
            "qrels_id": "Relevance assessments.",
        },
    ),
    "event": TableDescription(
        "Who did what, when and why, in the order it happened.",
        {
            "at": "When.",
            "who": "By whom; empty where that is not known.",
            "what": "What, such as `matrix logged`.",
            "task_id": "In which task.",
            "round_id": "In which round.",
            "matrix_id": "About which scores.",
            "why": "Why.",
            "details": "What else there is to know; names and figures.",
            "database_user": "The database's user then; empty where that is not known.",
        },
    ),
}


def table_schema(table: Table) -> TableSchema:
    """Return the Table Schema of a table's member: fields, primary key and foreign keys."""
    description, meanings = DESCRIPTIONS[table.name]
    columns = columns_of(table)
    schema: TableSchema = {
        "fields": [_field(column, meanings) for column in columns],
        "primaryKey": [column.name for column in table.primary_key],
        "description": description,
    }
    keys = [
        {"fields": [column.name], "reference": {"resource": target.name, "fields": ["id"]}}
        for column in columns
        if (target := refers_to(column)) is not None
    ]
    return schema | ({"foreignKeys": keys} if keys else {})


def _field(column: Column[Any], meanings: Mapping[str, str]) -> dict[str, Any]:
    name = column.name
    meaning = meanings.get(name) or _COMMON.get(name) or _COMMON[name[-3:]]
    field: dict[str, Any] = {"name": name, **codec(column).type, "description": meaning}
    # An empty text is a value here; the tools would take it for a missing value.
    if not column.nullable and not isinstance(column.type, types.Text):
        field["constraints"] = {"required": True}
    return field


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
