"""Everything recorded on a score matrix but its scores."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field
from sqlalchemy import Connection, select

from roundbook.database.tables import (
    factor_set,
    matrix_run,
    matrix_topic,
    run,
    team,
    topic,
    variance_estimate,
)
from roundbook.logbook.factors import POOL_NOW
from roundbook.logbook.matrices.listing import Status, find_matrix
from roundbook.logbook.pseudonyms import Pseudonyms, draft_pseudonyms
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.requests.matrices import ShowMatrix


class MatrixRun(Result):
    """A run of a matrix, with the facts of team files; None is unknown, or hidden.

    `pseudonym` is its name in anonymous drafts, None once its round is published.
    """

    run: str
    team: str | None
    type: str | None
    contributed_to_pool: bool | None
    system: str | None
    pseudonym: str | None


class MatrixVariance(Result):
    """A matrix's residual variance on a scale, by a version of its factors.

    A further `version` of an estimate has the same variance, with a new interval: teams became
    known, and the runs form fewer `clusters` (teams, and single runs of unknown team).
    """

    scale: str
    factor_version: int | None
    version: int
    clusters: int
    variance: float
    dof: int
    topics: int
    runs: int


class MatrixFactors(Result):
    """A version of the factors fitted on a matrix; `pool_now` is as in a `FactorSet`."""

    version: int
    standardising: str
    pool_now: int | None = None
    runs: int
    zero_sd: str
    reason: str | None
    fitted_at: datetime
    fitted_by: str
    software: str


class ShownMatrix(Result):
    """A score matrix: its identity, origin, status, factors and variances.

    It has its `status` with `why`, `since` and `decided_by`; `replaced_by` is the number of
    the next revision, `latest_matrix` that of the latest one, and `reason` the reason why it was
    logged as a revision itself. `anonymous` hides what identifies teams: names, types, systems,
    files, and the hash, with which guessed names could be tested.
    """

    matrix: int
    task: str
    round: str
    round_status: str
    measure: str
    assessments: str
    revision: int
    reason: str | None
    logged_at: datetime
    logged_by: str
    status: Status = Field(alias="standing")
    why: str | None
    since: datetime
    decided_by: str
    replaced_by: int | None
    latest_matrix: int
    latest_revision: int
    files: list[str]
    layout: str
    tool: str | None
    software: str
    content_hash: str | None
    missing_policy: str
    missing_cells: int
    dropped_topics: list[str]
    anonymous: bool
    variances: list[MatrixVariance]
    factors: list[MatrixFactors]
    topics: list[str]
    runs: list[MatrixRun]


def show_matrix(session: Session, request: ShowMatrix) -> ShownMatrix:
    """Return everything recorded on a score matrix but its scores.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    RecordError
        When the request hides names, and the round is published.
    """
    connection, matrix, anonymous = session.connection, request.matrix, request.anonymous
    row = find_matrix(connection, matrix)
    names = None
    if anonymous or row.round_status != "published":
        names = draft_pseudonyms(connection, row.round_id)
    runs = _runs(connection, matrix, names)
    if anonymous and names is not None:
        runs = _hidden(runs, names)
    topics = select(topic.c.name).join(matrix_topic, matrix_topic.c.topic_id == topic.c.id)
    topics = topics.where(matrix_topic.c.matrix_id == matrix).order_by(matrix_topic.c.position)
    factors = connection.execute(
        select(factor_set, POOL_NOW)
        .where(factor_set.c.matrix_id == matrix)
        .order_by(factor_set.c.version)
    )
    fields = {
        "matrix": row.id,
        "latest_matrix": row.newest_id,
        "latest_revision": row.newest,
        "files": [] if anonymous else row.files,
        "content_hash": None if anonymous else row.content_hash,
        "anonymous": anonymous,
        "variances": _variances(connection, matrix),
        "factors": [MatrixFactors(**row._mapping) for row in factors],
        "topics": list(connection.execute(topics).scalars()),
        "runs": runs,
    }
    return ShownMatrix(**{**row._mapping, **fields})


def _runs(connection: Connection, matrix: int, names: Pseudonyms | None) -> list[MatrixRun]:
    rows = connection.execute(
        select(run, team.c.name.label("team"))
        .join(matrix_run, matrix_run.c.run_id == run.c.id)
        .outerjoin(team, team.c.id == run.c.team_id)
        .where(matrix_run.c.matrix_id == matrix)
        .order_by(matrix_run.c.position)
    )
    return [
        MatrixRun(
            **row._mapping, run=row.tag, pseudonym=None if names is None else names.runs[row.tag]
        )
        for row in rows
    ]


def _hidden(runs: list[MatrixRun], names: Pseudonyms) -> list[MatrixRun]:
    unknown = dict.fromkeys(("type", "contributed_to_pool", "system"))
    return [
        entry.model_copy(
            update={"run": entry.pseudonym, "team": names.teams.get(entry.team or "")} | unknown
        )
        for entry in (runs[index] for index in names.order([run.run for run in runs]))
    ]


def _variances(connection: Connection, matrix: int) -> list[MatrixVariance]:
    columns = variance_estimate.c
    rows = connection.execute(
        select(
            *(columns[name] for name in MatrixVariance.model_fields if name != "factor_version"),
            factor_set.c.version.label("factor_version"),
        )
        .outerjoin(factor_set, factor_set.c.id == columns.factor_set_id)
        .where(columns.matrix_id == matrix)
        .order_by(factor_set.c.version.nulls_first(), columns.scale, columns.version)
    )
    return [MatrixVariance(**row._mapping) for row in rows]
