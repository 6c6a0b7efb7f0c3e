"""Everything the record knows of a score matrix."""

from __future__ import annotations

from datetime import datetime

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
from roundbook.logbook.matrices.listing import Standing
from roundbook.logbook.pseudonyms import Pseudonyms, draft_pseudonyms, read_pseudonyms
from roundbook.logbook.result import Result
from roundbook.logbook.session import Session
from roundbook.logbook.standings import read_standing


class MatrixRun(Result):
    """A run of a matrix, and what a team file told of it; None is unknown, or hidden.

    `pseudonym` is what the run is called in anonymous drafts, None once its round is published.
    """

    run: str
    team: str | None
    type: str | None
    contributed_to_pool: bool | None
    system: str | None
    pseudonym: str | None


class MatrixVariance(Result):
    """A matrix's residual variance on a scale, by a version of its factors.

    A further `version` of an estimate has the same variance: its interval was estimated anew when
    teams became known, with the runs in fewer `clusters` (teams, and runs of unknown team).
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
    """A version of the factors that were fitted on a matrix."""

    version: int
    standardising: str
    runs: int
    zero_sd: str
    reason: str | None
    fitted_at: datetime
    fitted_by: str
    software: str


class ShownMatrix(Result):
    """A score matrix: what it is, where it stands, where it came from, what was made of it.

    `why`, `since` and `decided_by` tell how it came to stand so; `replaced_by` is the number of
    the next revision, and `reason` why it was itself logged as a revision. `anonymous` hides the
    teams: names, types, systems, files and the hash, against which names could be tried.
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
    standing: Standing
    why: str | None
    since: datetime
    decided_by: str
    replaced_by: int | None
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


def show_matrix(session: Session, matrix: int, *, anonymous: bool = False) -> ShownMatrix:
    """Return everything known of a score matrix but its scores.

    Parameters
    ----------
    anonymous : bool
        Name teams and runs by their pseudonyms.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    RecordError
        When the round is published, and names are asked to be hidden.
    """
    connection = session.connection
    row = read_standing(connection, matrix)
    if anonymous:
        names = draft_pseudonyms(connection, row.round_id)
        runs = _hidden(_runs(connection, matrix, names), names)
    elif row.round_status == "published":
        runs = _runs(connection, matrix, None)
    else:
        runs = _runs(connection, matrix, read_pseudonyms(connection, row.round_id))
    return ShownMatrix(
        matrix=row.id,
        task=row.task,
        round=row.round,
        round_status=row.round_status,
        measure=row.measure,
        assessments=row.assessments,
        revision=row.revision,
        reason=row.reason,
        logged_at=row.logged_at,
        logged_by=row.logged_by,
        standing=row.standing,
        why=row.why,
        since=row.since,
        decided_by=row.decided_by,
        replaced_by=row.replaced_by,
        files=[] if anonymous else row.files,
        layout=row.layout,
        tool=row.tool,
        software=row.software,
        content_hash=None if anonymous else row.content_hash,
        missing_policy=row.missing_policy,
        missing_cells=row.missing_cells,
        dropped_topics=row.dropped_topics,
        anonymous=anonymous,
        variances=_variances(connection, matrix),
        factors=_factors(connection, matrix),
        topics=_topics(connection, matrix),
        runs=runs,
    )


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
            run=row.tag,
            team=row.team,
            type=row.type,
            contributed_to_pool=row.contributed_to_pool,
            system=row.system,
            pseudonym=None if names is None else names.runs[row.tag],
        )
        for row in rows
    ]


def _hidden(runs: list[MatrixRun], names: Pseudonyms) -> list[MatrixRun]:
    return [
        MatrixRun(
            run=names.runs[runs[index].run],
            team=names.teams.get(runs[index].team or ""),
            type=None,
            contributed_to_pool=None,
            system=None,
            pseudonym=names.runs[runs[index].run],
        )
        for index in names.order([each.run for each in runs])
    ]


def _topics(connection: Connection, matrix: int) -> list[str]:
    return list(
        connection.execute(
            select(topic.c.name)
            .join(matrix_topic, matrix_topic.c.topic_id == topic.c.id)
            .where(matrix_topic.c.matrix_id == matrix)
            .order_by(matrix_topic.c.position)
        ).scalars()
    )


def _variances(connection: Connection, matrix: int) -> list[MatrixVariance]:
    columns = variance_estimate.c
    rows = connection.execute(
        select(
            columns.scale,
            factor_set.c.version.label("factor_version"),
            columns.version,
            columns.clusters,
            columns.variance,
            columns.dof,
            columns.topics,
            columns.runs,
        )
        .outerjoin(factor_set, factor_set.c.id == columns.factor_set_id)
        .where(columns.matrix_id == matrix)
        .order_by(factor_set.c.version.nulls_first(), columns.scale, columns.version)
    )
    return [MatrixVariance(**row._mapping) for row in rows]


def _factors(connection: Connection, matrix: int) -> list[MatrixFactors]:
    rows = connection.execute(
        select(factor_set).where(factor_set.c.matrix_id == matrix).order_by(factor_set.c.version)
    )
    return [
        MatrixFactors(
            version=row.version,
            standardising=row.standardising,
            runs=row.runs,
            zero_sd=row.zero_sd,
            reason=row.reason,
            fitted_at=row.fitted_at,
            fitted_by=row.fitted_by,
            software=row.software,
        )
        for row in rows
    ]
