"""Verification of ranked lists and assessments against the hashes and counts of their logging."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, select

from roundbook.database.lists import read_lists
from roundbook.database.run_tables import (
    document_names,
    judgment_list,
    qrels,
    run_upload,
    uploaded_run,
)
from roundbook.database.table_parts import among
from roundbook.database.tables import round_, run, task, topic
from roundbook.logbook.runs.storing import lists_hash, names_hash
from roundbook.logbook.session import ReportProgress
from roundbook.logbook.verifying.differences import Difference, differing

_TASK_AND_ROUND = (task.c.name.label("task"), round_.c.label.label("round"))


def run_differences(
    connection: Connection,
    uploads: Sequence[int],
    assessments: Sequence[int],
    progress: ReportProgress,
) -> Iterator[Difference]:
    """Yield the differences between stored lists, judgments or document names and the logged ones.

    Document names are checked for the rounds of these ids of ``run_upload`` and ``qrels``.
    """
    upload_rows = _rows(connection, run_upload, uploads)
    qrels_rows = _rows(connection, qrels, assessments)
    named: dict[int, int] = {}
    for row in (*upload_rows, *qrels_rows):
        if row.round_id not in named:
            progress(f"Verifying the names of documents of round {row.round} ...")
            named[row.round_id], differences = _names(connection, row)
            yield from differences
    for row in upload_rows:
        progress(f"Verifying upload {row.number} of round {row.round} ...")
        yield from _upload_differences(connection, row, named[row.round_id])
    for row in qrels_rows:
        yield from _qrels_differences(connection, row, named[row.round_id])


def _rows(connection: Connection, table: Any, ids: Sequence[int]) -> Sequence[Row[Any]]:  # noqa: ANN401
    return connection.execute(
        select(table, *_TASK_AND_ROUND)
        .join(round_, round_.c.id == table.c.round_id)
        .join(task, task.c.id == round_.c.task_id)
        .where(among(table.c.id, ids))
        .order_by(table.c.id)
    ).all()


def _names(connection: Connection, row: Row[Any]) -> tuple[int, list[Difference]]:
    """Return the number of named documents in a round, and the differences in their names."""
    names: list[str] = []
    differences = []
    of_round = {"kind": "runs", "table": "document_names", "task": row.task, "round": row.round}
    for part in connection.execute(
        select(document_names)
        .where(document_names.c.round_id == row.round_id)
        .order_by(document_names.c.first)
    ):
        if part.first != len(names):
            differences.append(
                Difference(what="first", recorded=part.first, computed=len(names), **of_round)
            )
        if part.content_hash != names_hash(part.names):
            differences.append(Difference(what="content_hash", recorded=part.first, **of_round))
        names += part.names
    if (distinct := len(set(names))) < len(names):
        differences.append(
            Difference(what="names", recorded=len(names), computed=distinct, **of_round)
        )
    return len(names), differences


def _upload_differences(
    connection: Connection, upload: Row[Any], named: int
) -> Iterator[Difference]:
    of_upload = {"kind": "runs", "task": upload.task, "round": upload.round}
    topic_names = (
        select(topic.c.id, topic.c.name)
        .join(round_, round_.c.task_id == topic.c.task_id)
        .where(round_.c.id == upload.round_id)
    )
    topics = dict(connection.execute(topic_names).all())
    runs = {
        row.run_id: row
        for row in connection.execute(
            select(uploaded_run, run.c.tag)
            .join(run, run.c.id == uploaded_run.c.run_id)
            .where(uploaded_run.c.run_upload_id == upload.id)
        )
    }
    last, unlisted = -1, 0
    listed = len(runs)
    for run_id, group in groupby(read_lists(connection, upload.id), key=lambda part: part.run_id):
        lists = list(group)
        logged = runs.pop(run_id, None)
        if logged is None:
            unlisted += 1
            continue
        last = max(last, *(int(part.documents.max()) for part in lists))
        counts = {"topics": len(lists), "documents": sum(len(part.documents) for part in lists)}
        of_run = {"table": "uploaded_run", "run": logged.tag, **of_upload}
        yield from _count_differences(logged, counts, **of_run)
        parts = [
            (topics.get(part.topic_id, ""), part.documents, part.scores)
            for part in lists
            if part.scores is not None
        ]
        if lists_hash(parts) != logged.content_hash:
            yield Difference(what="content_hash", **of_run)
    for logged in runs.values():
        yield from _count_differences(
            logged, {"topics": 0}, table="uploaded_run", run=logged.tag, **of_upload
        )
    yield from _count_differences(upload, {"runs": listed}, table="run_upload", **of_upload)
    if unlisted:
        yield Difference(table="run_upload", what="lists", computed=unlisted, **of_upload)
    if last >= min(upload.documents, named):
        yield Difference(
            table="run_upload",
            what="documents",
            recorded=min(upload.documents, named),
            computed=last + 1,
            **of_upload,
        )


def _qrels_differences(connection: Connection, row: Row[Any], named: int) -> Iterator[Difference]:
    lists = [
        (part.name, np.array(part.documents, dtype=np.int32), np.array(part.grades, dtype=np.int32))
        for part in connection.execute(
            select(judgment_list, topic.c.name)
            .join(topic, topic.c.id == judgment_list.c.topic_id)
            .where(judgment_list.c.qrels_id == row.id)
        )
    ]
    of_qrels = {
        "kind": "assessments",
        "table": "qrels",
        "task": row.task,
        "round": row.round,
        "assessments": row.assessments,
        "revision": row.revision,
    }
    counts = {
        "topics": len(lists),
        "judged": sum(len(documents) for _, documents, _ in lists),
        "relevant": sum(int((grades > 0).sum()) for *_, grades in lists),
    }
    yield from _count_differences(row, counts, **of_qrels)
    if lists_hash(lists) != row.content_hash:
        yield Difference(what="content_hash", **of_qrels)
    last = max((int(documents.max()) for _, documents, _ in lists), default=-1)
    if last >= named:
        yield Difference(what="documents", recorded=named, computed=last + 1, **of_qrels)


def _count_differences(
    row: Row[Any],
    counts: Mapping[str, int],
    **about: Any,  # noqa: ANN401
) -> Iterator[Difference]:
    """Yield the differences between a row's columns and the counted values."""
    figures = ((column, getattr(row, column), count) for column, count in counts.items())
    yield from (Difference(**facts) for facts in differing(figures, **about))
