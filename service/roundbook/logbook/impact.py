"""Impact: everything derived from a score matrix, and whether it is stale."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import Connection, Row, select, text

from roundbook.database.tables import current_matrix, matrix
from roundbook.logbook.kinds import KINDS
from roundbook.logbook.lookup import of_series, read_round
from roundbook.logbook.matrices.listing import (
    Scores,
    Source,
    Status,
    find_matrix,
    read_matrices,
    read_sources,
)
from roundbook.logbook.result import Result
from roundbook.logbook.saved_results import ResultEntry, judge_results, latest_results
from roundbook.logbook.session import Session
from roundbook.logbook.staleness import Input, Origin, ScoresCode, changes
from roundbook.logbook.stored_results import stored_results
from roundbook.requests.matrices import ShowImpact

ReasonCode = Literal[
    "superseded",  # by `revision`, `matrix`, which is withdrawn where there is a `reason`
    "withdrawn",  # `matrix`, for a `reason`
    "no factors",  # the superseding revision has none
    "refitted",  # as factor `version`
    "estimated",  # anew as estimate `version`, as teams became known
    "factors follow",  # factor `version` takes its place
    "run gone",  # its standardising `run` is not in `revision`
    "revision follows",  # the estimate of `revision` takes its place
    ScoresCode,  # of assessments before `revision`, and without the runs of upload `version`
]


class Reason(Result):
    """The reason why something derived from a score matrix is stale, or its replacement."""

    code: ReasonCode
    matrix: int | None = None
    revision: int | None = None
    version: int | None = None
    run: str | None = None
    reason: str | None = None


class RefitRequest(Result):
    """A fit to repeat: factor `version` on matrix `revision`; `runs` are tags or a keyword."""

    task: str
    round: str
    measure: str
    assessments: str
    runs: list[str]
    zero_sd: str
    version: int
    revision: int


class Dependent(Result):
    """A factor version, variance estimate or saved result derived from a score matrix.

    Factors and estimates are stale for `reasons`, and `refit` would renew them; the changes of a
    saved result are in its `entry`. `rests` is False for a result that does not use the matrix, but
    would if it were saved today. `scores` identifies a score matrix that was computed from runs and
    relevance assessments.
    """

    kind: Literal["factor version", "variance estimate", "result", "score matrix"]
    round: str
    saved_at: datetime
    saved_by: str
    stale: bool
    version: int | None = None
    scale: str | None = None
    estimate_version: int | None = None
    reasons: list[Reason] = Field(default_factory=list)
    refit: RefitRequest | None = None
    entry: ResultEntry | None = None
    scores: Scores | None = None
    rests: bool = True


class Impact(Scores):
    """Everything derived from a score matrix, and results that would use it if saved today.

    `status` is ``current``, ``superseded`` by a later revision, or ``withdrawn``; `reason` has
    the revision or the cause. `source` has the runs and assessments its scores were computed from,
    None for scores from files.
    """

    revision: int
    status: Status = Field(alias="standing")
    reason: Reason | None
    source: Source | None
    dependents: list[Dependent]


def show_impact(session: Session, request: ShowImpact) -> Impact:
    """Return everything derived from a score matrix; the number of queries is fixed.

    Raises
    ------
    NotRecordedError
        When there is no such matrix.
    """
    row = find_matrix(session.connection, request.matrix)
    return Impact(
        **{**row._mapping, "matrix": row.id, "reason": _scores_reason(row)},
        source=read_sources(session.connection, [row.id]).get(row.id),
        dependents=[*_derived(session.connection, row), *_results(session.connection, row)],
    )


def stale_dependents(connection: Connection, number: int) -> list[Dependent]:
    """Return the stale dependents of a matrix, as this transaction sees them."""
    row = find_matrix(connection, number)
    dependents = (*_derived(connection, row), *_results(connection, row))
    return [dependent for dependent in dependents if dependent.stale]


def stale_by_source(
    connection: Connection, round_id: int, origin: Literal["run_upload", "qrels"], replaced: int
) -> list[Dependent]:
    """Return what is stale because a round has later runs or assessments: scores, then results.

    `replaced` is the id of the former latest upload or revision, which results were computed from.
    """
    current = select(current_matrix.c.id).where(current_matrix.c.round_id == round_id)
    numbers = connection.execute(current).scalars().all()
    rows = {row.id: row for row in read_matrices(connection, numbers)}
    outdated = []
    for number, source in read_sources(connection, rows).items():
        row = rows[number]
        latest: dict[ScoresCode, dict[str, int]] = {
            "assessed anew": {"revision": source.latest_revision},
            "further runs": {"version": source.latest_upload},
        }
        if reasons := [Reason(code=code, **latest[code]) for code in source.changes]:
            outdated.append(
                Dependent(
                    kind="score matrix",
                    round=row.round,
                    saved_at=row.logged_at,
                    saved_by=row.logged_by,
                    stale=True,
                    reasons=reasons,
                    scores=Scores(**row._mapping, matrix=number),
                )
            )
    task_id = read_round(connection, round_id).task_id
    return outdated + stale_by_input(connection, task_id, origin, [replaced])


def stale_by_input(
    connection: Connection, task_id: int, origin: Origin, replaced: Collection[int]
) -> list[Dependent]:
    """Return the saved results that are stale as inputs, given by origin and ids, are replaced."""
    return stale_results(
        connection,
        task_id,
        lambda _, inputs: any(row.origin == origin and row.id in replaced for row in inputs),
    )


def stale_results(
    connection: Connection, task_id: int, concerns: Callable[[ResultEntry, list[Input]], bool]
) -> list[Dependent]:
    """Return the saved results of a task, each in its latest version, that are stale by a change.

    `concerns` tells from a stale result's entry and inputs whether the change concerns it.
    """
    return [
        _of_result(entry, (entry.changes or inputs)[0].round)
        for entry, inputs in latest_results(connection, task_id)
        if entry.stale and concerns(entry, inputs)
    ]


def _scores_reason(row: Row[Any]) -> Reason | None:
    """Return the reason why a revision of a score matrix does not count, None if it does."""
    newest = {"matrix": row.newest_id, "reason": row.newest_withdrawn}
    if row.revision < row.newest:
        return Reason(code="superseded", revision=row.newest, **newest)
    return None if row.newest_withdrawn is None else Reason(code="withdrawn", **newest)


def _derived(connection: Connection, row: Row[Any]) -> Iterator[Dependent]:
    """Yield a matrix's factor versions and variance estimates, stale by the rule for inputs."""
    rows = connection.execute(text(_DERIVED), {"matrix": row.id, "newest": row.newest_id}).all()
    own = [item for item in rows if item.matrix == row.id]
    newest = [item for item in rows if item.matrix == row.newest_id]
    why_withdrawn = row.newest_withdrawn
    withdrawn = {} if why_withdrawn is None else {(row.round, row.assessments): why_withdrawn}
    # The latest estimate by scale; None stands for the factors.
    today = {} if withdrawn else {item.scale: item for item in newest}
    scores = _scores_reason(row)
    replacements, refit = _replacements(connection, row, own, newest)
    for item in own:
        raw = item.scale == "raw"
        current = [today[item.scale]] if item.scale in today else []
        changed = changes([_input(item)], list(map(_input, current)), withdrawn=withdrawn)
        code = next((change.code for change in changed if change.stale), None)
        reasons = [] if scores is None else [scores]
        if code == "refitted":
            reasons = [Reason(code=code, version=current[0].version)]
        elif code == "estimated":
            reasons = [Reason(code=code, version=current[0].estimate_version)]
        elif not raw:
            reasons += replacements
        elif not withdrawn:
            reasons.append(Reason(code="revision follows", revision=row.newest))
        facts = {
            "kind": "factor version" if item.scale is None else "variance estimate",
            "stale": code is not None,
            "estimate_version": item.estimate_version if item.estimates > 1 else None,
            "reasons": reasons if code is not None else [],
            "refit": refit if code is not None and not raw else None,
        }
        yield Dependent(**{**item._mapping, **facts})


def _input(item: Row[Any]) -> Input:
    """Return a factor version or variance estimate as an input, without its value."""
    facts = {**item._mapping, "value": None, "known": {}}
    return Input._make(facts[name] for name in Input._fields)


_DERIVED = """
SELECT round.label AS round, round.ordinal, matrix.assessments, matrix.id AS matrix,
       matrix.revision, derived.*
FROM roundbook.matrix
JOIN roundbook.round ON round.id = matrix.round_id
CROSS JOIN LATERAL (
    SELECT 'factor_set' AS origin, fitted.id, fitted.version, NULL AS scale,
           NULL AS estimate_version, 0 AS estimates, fitted.fitted_at AS saved_at,
           fitted.fitted_by AS saved_by, fitted.standardising, fitted.zero_sd
    FROM roundbook.factor_set AS fitted
    WHERE fitted.matrix_id = matrix.id
    UNION ALL
    SELECT 'variance_estimate', estimate.id, fitted.version, estimate.scale, estimate.version,
           count(*) OVER (PARTITION BY estimate.scale, estimate.factor_set_id),
           estimate.estimated_at, coalesce(fitted.fitted_by, matrix.logged_by), NULL, NULL
    FROM roundbook.variance_estimate AS estimate
    LEFT JOIN roundbook.factor_set AS fitted ON fitted.id = estimate.factor_set_id
    WHERE estimate.matrix_id = matrix.id
) AS derived
WHERE matrix.id IN (:matrix, :newest)
ORDER BY derived.origin, derived.version NULLS FIRST, derived.scale, derived.estimate_version
"""


def _replacements(
    connection: Connection, row: Row[Any], own: Sequence[Row[Any]], newest: Sequence[Row[Any]]
) -> tuple[list[Reason], RefitRequest | None]:
    """Return the replacement of a matrix's factors, or the fit that would replace them."""
    fitted, later = ([item for item in rows if item.scale is None] for rows in (own, newest))
    if not fitted or row.id == row.newest_id or row.newest_withdrawn is not None:
        return [], None
    if not later:
        return [Reason(code="no factors")], None
    last, latest = fitted[-1], later[-1]
    follow = Reason(code="factors follow", version=latest.version)
    # The first factors of a matrix are fitted when it is logged, later ones on chosen runs.
    by_hand = len(fitted) > 1 and len(later) == 1
    alike = last.standardising != "chosen" and (last.standardising, last.zero_sd) == (
        latest.standardising,
        latest.zero_sd,
    )
    if not by_hand or alike:
        return [follow], None
    runs = [last.standardising]
    if last.standardising == "chosen":
        listed = connection.execute(
            text(_STANDARDISING), {"factor_set": last.id, "newest": row.newest_id}
        ).all()
        gone = next((run.tag for run in listed if not run.in_newest), None)
        if gone is not None:
            return [Reason(code="run gone", run=gone, revision=row.newest), follow], None
        runs = [run.tag for run in listed]
    refit = {"runs": runs, "zero_sd": last.zero_sd, "version": last.version}
    return [], RefitRequest(**{**row._mapping, **refit, "revision": row.newest})


_STANDARDISING = """
SELECT run.tag, EXISTS (
    SELECT FROM roundbook.matrix_run AS later
    WHERE later.matrix_id = :newest AND later.run_id = run.id
) AS in_newest
FROM roundbook.factor_set_run
JOIN roundbook.run ON run.id = factor_set_run.run_id
JOIN roundbook.matrix_run
    ON (matrix_run.matrix_id, matrix_run.run_id) = (factor_set_run.matrix_id, run.id)
WHERE factor_set_run.factor_set_id = :factor_set
ORDER BY matrix_run.position
"""


def _results(connection: Connection, row: Row[Any]) -> Iterator[Dependent]:
    """Yield the saved results that use a matrix, or would if they were saved today, by kind.

    A result that uses another revision of the same scores is a dependent of that revision.
    """
    results = judge_results(connection, stored_results(connection, row.task_id))
    revisions = set(connection.execute(select(matrix.c.id).where(of_series(matrix, row))).scalars())
    order = {kind: number for number, kind in enumerate(KINDS)}
    for entry, inputs in sorted(results, key=lambda result: order.get(result[0].kind, len(KINDS))):
        used = {used_input.matrix for used_input in inputs}
        would_rest = any(change.matrix == row.id and change.stale for change in entry.changes)
        if row.id in used or (would_rest and revisions.isdisjoint(used)):
            yield _of_result(entry, row.round, rests=row.id in used)


def _of_result(entry: ResultEntry, round_label: str, *, rests: bool = True) -> Dependent:
    return Dependent(
        kind="result",
        round=round_label,
        saved_at=entry.saved_at,
        saved_by=entry.saved_by,
        stale=entry.stale,
        entry=entry,
        rests=rests,
    )
