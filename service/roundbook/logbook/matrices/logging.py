"""Score matrices: logging a round, once, whole, with its statistics."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection

from roundbook.errors import BadFileError, InputError, WithdrawnError
from roundbook.formats import (
    MissingPolicy,
    RunTeam,
    SettledMatrix,
    read_scores,
    read_teams,
    settle_missing,
)
from roundbook.logbook.estimates import (
    matrix_statistics,
    read_estimates,
    renew_runs_parts,
    store_estimates,
)
from roundbook.logbook.events import record_event
from roundbook.logbook.factors import FittedFactors, fit_and_store, standardising_runs
from roundbook.logbook.impact.dependents import Dependent
from roundbook.logbook.lookup import (
    DEFAULT_ASSESSMENTS,
    Series,
    check_name,
    check_reason,
    factor_sets,
    latest_matrix,
    optional_text,
    withdrawn_words,
)
from roundbook.logbook.matrices.neighbours import notes_on_neighbours
from roundbook.logbook.matrices.notes import notes_on, notes_on_renewed, notes_on_teams
from roundbook.logbook.matrices.revisions import check_revision, check_seen, read_revision
from roundbook.logbook.measures import ensure_measure, notes_on_new
from roundbook.logbook.result import SOFTWARE, Result
from roundbook.logbook.rounds import open_round
from roundbook.logbook.runs import find_runs, record_runs
from roundbook.logbook.session import Session
from roundbook.logbook.storing import content_hash, store_matrix
from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.standardisation.factors import ZeroSd


class LoggedMatrix(Result):
    """What logging did.

    `status` is ``logged`` or ``unchanged``; with `dry_run` it says what would have been done.
    `variance` is the residual variance on the raw scale, `variances` that on every scale. `impact`
    is what rests on the scores that were replaced, and so is stale; empty where none were.
    """

    matrix: int | None
    revision: int
    topics: int
    runs: int
    variance: float
    variances: dict[str, float]
    factor_version: int | None
    status: str
    dry_run: bool
    task: str
    round: str
    measure: str
    assessments: str
    layout: str
    standardising: str | None
    missing_policy: str
    missing_cells: int
    dropped_topics: list[str]
    runs_described: int
    notes: list[str]
    impact: list[Dependent]
    software: str = SOFTWARE


class _Done(NamedTuple):
    status: str
    matrix: int
    revision: int
    factor_version: int | None
    standardising: str | None
    variances: dict[str, float]
    runs_described: int
    notes: list[str]
    replaced: int | None = None


def log_files(
    session: Session,
    task: str,
    round_label: str,
    files: Sequence[Path],
    measure: str,
    *,
    layout: str = "auto",
    file_measure: str | None = None,
    teams: Path | None = None,
    missing: MissingPolicy = "reject",
    max_file_bytes: int,
    assessments: str = DEFAULT_ASSESSMENTS,
    create: bool = False,
    revise: str | None = None,
    bounds: tuple[float, float] | None = None,
    zero_sd: ZeroSd = "average",
    tool: str | None = None,
    asked: float | None = None,
    dry_run: bool = False,
) -> LoggedMatrix:
    """Read score files and log them; see `log_matrix`.

    Raises
    ------
    BadFileError
        When a file cannot be read as scores, with file:line:column.
    """
    scores = read_scores(
        files,
        measure=measure,
        file_measure=file_measure,
        layout=layout,
        max_bytes=max_file_bytes,
    )
    settled = settle_missing(scores, missing)
    if len(settled.topics) == 1:
        raise BadFileError(
            "the scores of one topic have no residual variance, which needs at least 2 topics",
            settled.files[0],
        )
    return log_matrix(
        session,
        task,
        round_label,
        measure,
        settled,
        teams=read_teams(teams, max_bytes=max_file_bytes) if teams else {},
        assessments=assessments,
        create=create,
        revise=revise,
        bounds=bounds,
        zero_sd=zero_sd,
        tool=tool,
        asked=asked,
        dry_run=dry_run,
    )


def log_matrix(
    session: Session,
    task: str,
    round_label: str,
    measure: str,
    settled: SettledMatrix,
    *,
    teams: Mapping[str, RunTeam] | None = None,
    assessments: str = DEFAULT_ASSESSMENTS,
    create: bool = False,
    revise: str | None = None,
    bounds: tuple[float, float] | None = None,
    zero_sd: ZeroSd = "average",
    tool: str | None = None,
    asked: float | None = None,
    dry_run: bool = False,
) -> LoggedMatrix:
    """Log a round's score matrix with its variances and its first factors, all or nothing.

    The same content again is ``unchanged``, whatever the order of its topics and runs.

    Parameters
    ----------
    settled : SettledMatrix
        Scores (topics, runs), complete and finite.
    teams : mapping from run tag, optional
    create : bool
        Make the task and the round if they are not there.
    revise : str, optional
        The reason why other content is logged over what is there: a new revision, with a new
        factor version; the old ones stay readable. A published round takes any score matrix
        only so.
    bounds : (float, float), optional
        The measure's lowest and highest possible score, recorded with a new measure. A score
        outside a measure's recorded bounds is refused.
    zero_sd : 'average' or 'drop'
        What to do on the std scales with topics on which all standardising runs tie.
    asked : float, optional
        When the person asked, by ``time.monotonic()``; default now. A revision that somebody
        else logged since is one that this person has not seen, and so cannot mean to revise.
    dry_run : bool
        Do it all, then take it all back.

    Raises
    ------
    NotRecordedError
        When the task or round is not there, or there is nothing to revise.
    ContentDiffersError
        When other scores are logged already and `revise` is not given.
    RevisedMeanwhileError
        When somebody else revised the matrix while this revision was made.
    RoundPublishedError
        When the round is published and `revise` is not given.
    WithdrawnError
        When the same scores are logged, and withdrawn.
    InputError
        When a score lies outside the measure's bounds, or the reason to revise is empty.
    ImpossibleStatisticError
        When there is but one topic.
    """
    revise = check_reason("--revise", revise)
    tool = optional_text("tool", tool)
    asked = time.monotonic() if asked is None else asked
    connection = session.connection
    seen = None
    if revise is not None:  # before anybody is waited for
        seen = read_revision(connection, task, round_label, measure, assessments)
    task_id, round_id = open_round(connection, task, round_label, create=create, user=session.user)
    recorded = ensure_measure(connection, measure, bounds)
    measure = recorded.name
    _check_bounds(measure, recorded.bounds, settled)
    label = check_name("assessments label", assessments)
    series = Series(round_id, recorded.id, label, round_label.strip(), measure)
    done = _log(
        connection,
        task_id,
        series,
        settled,
        teams=teams or {},
        revise=revise,
        seen=seen,
        asked=asked,
        zero_sd=zero_sd,
        tool=tool,
        user=session.user,
    )
    notes = [
        *notes_on_new(connection, task_id, recorded),
        *done.notes,
        *notes_on_teams(settled.runs, teams or {}),
    ]
    impact = [] if done.replaced is None else _impact(connection, done.replaced)
    kept = done.status == "unchanged" or not dry_run
    return LoggedMatrix(
        matrix=done.matrix if kept else None,
        revision=done.revision,
        factor_version=done.factor_version,
        standardising=done.standardising,
        variance=done.variances["raw"],
        variances=done.variances,
        runs_described=done.runs_described,
        notes=notes,
        impact=[_unnumbered(each, done.matrix) for each in impact] if dry_run else impact,
        status=done.status,
        dry_run=dry_run,
        task=task.strip(),
        round=series.round,
        measure=measure,
        assessments=label,
        layout=settled.layout,
        topics=len(settled.topics),
        runs=len(settled.runs),
        missing_policy=settled.missing_policy,
        missing_cells=settled.missing_cells,
        dropped_topics=list(settled.dropped_topics),
    )


def _log(
    connection: Connection,
    task_id: int,
    series: Series,
    settled: SettledMatrix,
    *,
    teams: Mapping[str, RunTeam],
    revise: str | None,
    seen: int | None,
    asked: float,
    zero_sd: ZeroSd,
    tool: str | None,
    user: str,
) -> _Done:
    digest = content_hash(settled.topics, settled.runs, settled.scores)
    current = latest_matrix(connection, series)
    described = record_runs(connection, series.round_id, settled.runs, teams)
    if current is not None and current.content_hash == digest:
        if current.withdrawn is not None:
            raise WithdrawnError(
                withdrawn_words(series.round, series.measure, current.id, current.withdrawn)
            )
        renewed = renew_runs_parts(connection, series.round_id) if described else []
        if described:
            record_event(
                connection,
                "runs described",
                who=user,
                task_id=task_id,
                round_id=series.round_id,
                matrix_id=current.id,
                details={"runs": described, "estimates_renewed": len(renewed)},
            )
        sets = [row for row in factor_sets(connection, series) if row.matrix_id == current.id]
        return _Done(
            "unchanged",
            current.id,
            current.revision,
            sets[-1].version if sets else None,
            sets[-1].standardising if sets else None,
            read_estimates(connection, current.id),
            described,
            notes_on_renewed(renewed),
        )
    check_revision(connection, series, revise, settled, current)
    if current is not None:
        check_seen(connection, series, current, seen, asked)
    # Before the database refuses it in its own words.
    checked_scores(settled.scores, "The residual variance", least_topics=2)
    revision = current.revision + 1 if current is not None else 1
    runs = find_runs(connection, series.round_id, settled.runs)
    chosen = standardising_runs(runs.contributed) if len(settled.runs) >= 2 else None
    # While the server takes in the scores, this process would wait.
    with ThreadPoolExecutor(1) as beside:
        computing = beside.submit(
            matrix_statistics, settled.scores, runs.team_ids, chosen and chosen.mask, zero_sd
        )
        stored = store_matrix(
            connection,
            task_id,
            series,
            settled,
            runs,
            revision=revision,
            reason=revise,
            digest=digest,
            tool=tool,
            user=user,
        )
        computed = computing.result()
    fitted: FittedFactors | None = None
    if chosen is not None:
        fitted = fit_and_store(
            connection,
            series,
            stored,
            chosen,
            zero_sd=zero_sd,
            user=user,
            reason=revise,
            factors=computed.factors,
        )
    variances = store_estimates(connection, stored, fitted, computed.parts)
    # Of other measures: what this matrix replaces need not be estimated anew.
    renewed = renew_runs_parts(connection, series.round_id) if teams and described else []
    record_event(
        connection,
        "matrix logged" if revision == 1 else "matrix revised",
        who=user,
        why=revise,
        task_id=task_id,
        round_id=series.round_id,
        matrix_id=stored.matrix_id,
        details={
            "measure": series.measure,
            "assessments": series.assessments,
            "revision": revision,
            "topics": len(settled.topics),
            "runs": len(settled.runs),
            **({"estimates_renewed": len(renewed)} if renewed else {}),
        },
    )
    return _Done(
        "logged",
        stored.matrix_id,
        revision,
        fitted.version if fitted else None,
        fitted.standardising if fitted else None,
        variances,
        described,
        [
            *notes_on_neighbours(
                connection, task_id, series, stored, digest=digest, replaced=current
            ),
            *notes_on(settled, fitted),
            *notes_on_renewed(renewed),
        ],
        None if current is None else current.id,
    )


def _impact(connection: Connection, replaced: int) -> list[Dependent]:
    # What plans need takes longer to load than a matrix to log, and few loggings replace one.
    from roundbook.logbook.impact.listing import stale_dependents  # noqa: PLC0415

    return stale_dependents(connection, replaced)


def _unnumbered(dependent: Dependent, matrix: int) -> Dependent:
    """Leave out the number that a dry run's matrix had, which is no matrix's."""
    why = (dependent.why or "").replace(f" (matrix {matrix})", "")
    return dependent.model_copy(update={"why": why})


def _check_bounds(measure: str, bounds: tuple[float, float] | None, settled: SettledMatrix) -> None:
    if bounds is None:
        return
    outside = np.argwhere((settled.scores < bounds[0]) | (settled.scores > bounds[1]))
    if len(outside):
        topic, run = outside[0]
        raise InputError(
            f"{len(outside)} of {settled.scores.size} scores lie outside the bounds {bounds[0]:g}"
            f" to {bounds[1]:g} of {measure}; the first is {settled.scores[topic, run]:g}, of topic"
            f" {settled.topics[topic]} and run {settled.runs[run]}."
        )
