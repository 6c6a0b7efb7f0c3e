"""Insertion of an archive's rows into the tables, with ids of this database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Table, select

from roundbook.database.copying import copy_rows
from roundbook.database.lists import StoredList, write_lists
from roundbook.database.run_tables import run_upload
from roundbook.database.table_parts import among
from roundbook.database.tables import (
    event,
    matrix,
    matrix_topic,
    result,
    result_input,
    round_,
    run,
    task,
    topic,
    variance_estimate,
)
from roundbook.errors import AlreadyRecordedError, BadFileError, ImpossibleStatisticError
from roundbook.formats.table import quoted
from roundbook.logbook.estimates import estimate_columns
from roundbook.logbook.matrices.listing import read_matrices
from roundbook.logbook.session import ReportProgress
from roundbook.logbook.storing import store_scores
from roundbook.logbook.verifying.matrices import DerivedMatrix, load_derived, of_matrix
from roundbook.presentation.record import difference_sentence
from roundbook.statistics.variance.parts import variance_parts
from roundbook.transfer.archive.container import Archive
from roundbook.transfer.archive.earlier import (
    drift_report,
    plan,
    plan_estimate,
    plan_inputs,
    plan_results,
    report_inputs,
    report_results,
)
from roundbook.transfer.archive.reading import read_lists, read_matrix, table_rows
from roundbook.transfer.archive.shared import ensure_shared
from roundbook.transfer.archive.tables import (
    IN_ORDER,
    LISTS,
    SHARED,
    columns_of,
    has_id,
    lists_member,
    scores_member,
    table_member,
    tables_of,
)

_ROWS_AT_ONCE = 1_000
# Fewer at a time than other rows: estimates have several numbers for every topic.
_ESTIMATES_AT_ONCE = 50
# Tables whose names in an archive may be taken already by other rows of the record.
_TAKEN = {task: "tasks", result: "saved results"}


class _Matrix(NamedTuple):
    id: int
    task_id: int
    round_id: int
    topics: int
    runs: int


@dataclass
class Inserted:
    """Facts about the rows inserted so far that later rows need.

    Attributes
    ----------
    ids : by table, the database's id for each number of the archive
    topics, runs : ids by (task, name) and by (round, tag)
    uploads : ids of uploads of runs, each with the id of its round
    """

    archive: Archive
    connection: Connection
    ids: dict[str, dict[int, int]] = field(default_factory=dict)
    tasks: list[str] = field(default_factory=list)
    task_of_round: dict[int, int] = field(default_factory=dict)
    published: list[int] = field(default_factory=list)
    topics: dict[tuple[int, str], int] = field(default_factory=dict)
    runs: dict[tuple[int, str], int] = field(default_factory=dict)
    matrices: list[_Matrix] = field(default_factory=list)
    uploads: list[tuple[int, int]] = field(default_factory=list)


def insert_tables(connection: Connection, archive: Archive, progress: ReportProgress) -> Inserted:
    """Insert the rows of an archive, each table after those it refers to."""
    state = Inserted(archive, connection)
    for table in IN_ORDER:
        if table is matrix_topic:
            _insert_scores(state, progress)
        elif table in LISTS:
            _insert_lists(state, progress)
        elif table in tables_of(archive.manifest.version):
            progress(f"Reading {table.name} ...")
            _insert_table(state, table, progress)
        elif table is result:  # versions 1 and 2 have other tables in its place
            _insert_earlier_results(state)
    return state


def _insert_table(state: Inserted, table: Table, progress: ReportProgress) -> None:
    rows = table_rows(state.archive, table, state.ids)
    if table in SHARED:
        file = state.archive.member(table_member(table))
        state.ids[table.name] = ensure_shared(state.connection, table, list(rows), file)
    elif table is variance_estimate:
        rows = _complete_estimates(state, rows, progress)
        _insert(state, table, rows, at_once=_ESTIMATES_AT_ONCE)
    elif table is event:
        # Early archives do not have it, and the database would fill in the importing user.
        _insert(state, table, ({"database_user": None} | row for row in rows))
    elif has_id(table):
        _insert(state, table, rows)
    else:
        names = [column.name for column in columns_of(table, state.archive.manifest.version)]
        copy_rows(state.connection, table, names, rows)


def _insert(
    state: Inserted, table: Table, rows: Iterator[dict[str, Any]], *, at_once: int = _ROWS_AT_ONCE
) -> None:
    ids = state.ids[table.name] = {}
    names: set[str] = set()
    while batch := list(islice(rows, at_once)):
        if table in _TAKEN:
            new = {row["name"] for row in batch} - names
            _refuse_taken(state.connection, table, new)
            names |= new
        new_ids = state.connection.execute(
            table.insert().returning(table.c.id, sort_by_parameter_order=True),
            [
                # Published at the end: a published round refuses matrices without a reason.
                row | {"status": "draft"}
                if table is round_ and row["status"] == "published"
                else row
                for row in batch
            ],
        ).scalars()
        for row, row_id in zip(batch, new_ids, strict=True):
            ids[len(ids) + 1] = row_id
            _remember(state, table, row, row_id)


def _insert_earlier_results(state: Inserted) -> None:
    """Store the plans and drift reports of an archive of version 1 or 2 as saved results."""
    archive = state.archive
    plans = plan_results(table_rows(archive, plan, state.ids))
    _insert(state, result, iter(plans))
    plan_ids = dict(state.ids[result.name])
    state.ids[plan.name] = plan_ids
    stored = {plan_ids[number]: row["result"] for number, row in enumerate(plans, 1)}
    inputs = plan_inputs(table_rows(archive, plan_estimate, state.ids), stored)
    reports = list(table_rows(archive, drift_report, state.ids))
    task_names = dict(zip(state.ids[task.name].values(), state.tasks, strict=True))
    _insert(state, result, iter(report_results(reports, task_names)))
    report_ids = list(state.ids[result.name].values())
    inputs += report_inputs(reports, report_ids)
    if inputs:
        state.connection.execute(result_input.insert(), inputs)
    state.ids[result.name] = dict(enumerate([*plan_ids.values(), *report_ids], 1))


def _refuse_taken(connection: Connection, table: Table, names: set[str]) -> None:
    taken = connection.execute(
        select(table.c.name).where(among(table.c.name, names)).distinct().order_by(table.c.name)
    ).scalars()
    if listed := ", ".join(f"'{name}'" for name in taken):
        raise AlreadyRecordedError(
            f"The record has a {table.name} of this name already: {listed}. Import the archive into"
            f" another database; {_TAKEN[table]} are never merged."
        )


def _remember(state: Inserted, table: Table, row: dict[str, Any], row_id: int) -> None:
    """Store the facts about inserted rows that later rows need."""
    if table is task:
        state.tasks.append(row["name"])
    elif table is round_:
        state.task_of_round[row_id] = row["task_id"]
        if row["status"] == "published":
            state.published.append(row_id)
    elif table is topic:
        state.topics[row["task_id"], row["name"]] = row_id
    elif table is run:
        state.runs[row["round_id"], row["tag"]] = row_id
    elif table is matrix:
        round_id = row["round_id"]
        task_id = state.task_of_round[round_id]
        state.matrices.append(_Matrix(row_id, task_id, round_id, row["topics"], row["runs"]))
    elif table is run_upload:
        state.uploads.append((row_id, row["round_id"]))


def _insert_scores(state: Inserted, progress: ReportProgress) -> None:
    for number, recorded in enumerate(state.matrices, 1):
        member = scores_member(number)
        progress(f"Reading {member} ...")
        read = read_matrix(state.archive, member, recorded.topics, recorded.runs)
        file = state.archive.member(member)
        store_scores(
            state.connection,
            read.scores,
            recorded.id,
            _ids_of(state.topics, recorded.task_id, read.topics, "topic", file),
            _ids_of(state.runs, recorded.round_id, read.runs, "run", file),
        )


def _insert_lists(state: Inserted, progress: ReportProgress) -> None:
    for number, (upload_id, round_id) in enumerate(state.uploads, 1):
        member = lists_member(number)
        progress(f"Reading {member} ...")
        file = state.archive.member(member)
        task_id = state.task_of_round[round_id]
        write_lists(
            state.connection,
            (
                StoredList(
                    int(_ids_of(state.runs, round_id, [read.run], "run", file)[0]),
                    int(_ids_of(state.topics, task_id, [read.topic], "topic", file)[0]),
                    read.documents,
                    read.scores,
                )
                for read in read_lists(state.archive, member)
            ),
            upload_id,
        )


def _ids_of(
    ids: dict[tuple[int, str], int], within: int, names: list[str], noun: str, file: str
) -> npt.NDArray[np.int64]:
    try:
        return np.array([ids[within, name] for name in names], dtype=np.int64)
    except KeyError as error:
        name = quoted(error.args[0][1])
        raise BadFileError(f"{noun} {name} is not in {noun}.csv", file) from None


def _complete_estimates(
    state: Inserted, rows: Iterable[dict[str, Any]], progress: ReportProgress
) -> Iterator[dict[str, Any]]:
    """Yield rows of variance estimates, completed from the scores and factors recorded here.

    The rows lack the columns that the archive's version does not have.
    """
    derived: DerivedMatrix | None = None
    file = state.archive.member(table_member(variance_estimate))
    for row in rows:
        if derived is None or derived.loaded.row.id != row["matrix_id"]:
            (recorded,) = read_matrices(state.connection, [row["matrix_id"]])
            progress(f"Computing the variances of {recorded.task} round {recorded.round} ...")
            derived = load_derived(state.connection, recorded)
        scale, factor_set_id = row["scale"], row["factor_set_id"]
        differs = partial(
            of_matrix,
            recorded,
            "variance",
            "variance_estimate",
            "topics",
            scale=scale,
            factor_version=factor_set_id and derived.factor_sets[factor_set_id].version,
        )
        try:
            scores, topic_ids = derived.on_scale(scale, factor_set_id)
            columns = estimate_columns(variance_parts(scores, derived.loaded.team_ids))
        except ImpossibleStatisticError as error:
            difference = differs(reason=error)
            raise BadFileError(difference_sentence(difference), file) from None
        if row["topics"] != columns["topics"]:
            difference = differs(recorded=row["topics"], computed=columns["topics"])
            raise BadFileError(difference_sentence(difference), file)
        columns |= {"version": 1, "topic_ids": topic_ids}
        # The first schema had no two-way residual variance, and its archives no clusters.
        kept = {name for name, value in row.items() if value is not None or "clusters" in row}
        yield row | {name: value for name, value in columns.items() if name not in kept}
