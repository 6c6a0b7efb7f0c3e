"""Fitting of a new version of a round's standardisation factors, on other runs."""

from __future__ import annotations

from operator import not_
from typing import Any
from unicodedata import normalize

import numpy as np
from pydantic import Field
from sqlalchemy import Connection, Row

from roundbook.database.tables import measure
from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.logbook.estimates import matrix_statistics, store_estimates
from roundbook.logbook.events import record_event
from roundbook.logbook.factors import (
    FactorSet,
    Standardising,
    latest_factors,
    read_factor_set,
    standardising_mask,
    store_factors,
)
from roundbook.logbook.impact import Dependent, stale_results
from roundbook.logbook.lookup import Series, find_logged, find_task
from roundbook.logbook.measures import lock_measure
from roundbook.logbook.names import check_text
from roundbook.logbook.round_fingerprint import Publication, find_publication
from roundbook.logbook.session import Session
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.requests.factors import FitRequest


class FittedFactorSet(FactorSet):
    """A factor set; `status` is ``fitted``, or ``unchanged`` if the latest one was the same.

    With `dry_run` it is what would have been done.
    `publication` has the fingerprints of a published round whose factors change.
    """

    status: str
    dry_run: bool
    impact: list[Dependent]
    publication: Publication | None = Field(None, exclude_if=not_)


def fit_factor_set(session: Session, request: FitRequest) -> FittedFactorSet:
    """Fit a new version of a round's factors, on chosen runs of its current matrix.

    Older versions stay usable by number. With the matrix, runs and policy of the latest version the
    result is ``unchanged``. The variances on the standardised scales by the new factors are stored
    too.

    Raises
    ------
    NotRecordedError
        When there is no matrix, or a run is not in it.
    InputError
        When the reason is empty, or ``all`` or ``pooled`` is given among run tags.
    ImpossibleStatisticError
        When fewer than two runs standardise.
    """
    reason = check_text("reason", request.reason)
    if reason is None:
        raise InputError("A further factor version needs a reason.", way_out="reason to fit")
    connection = session.connection
    task_id = find_task(connection, request.task, lock=True)
    series, row = _lock_logged(connection, request)
    loaded = load_matrix(connection, row)
    chosen = _choose(loaded, request.runs)
    if _is_latest(connection, loaded, chosen, request.zero_sd):
        latest = read_factor_set(connection, request.task, series)
        return FittedFactorSet(
            **dict(latest), status="unchanged", dry_run=request.dry_run, impact=[]
        )
    computed = matrix_statistics(loaded.scores, loaded.team_ids, chosen, request.zero_sd)
    assert computed.fit is not None
    fitted = store_factors(session, series, loaded, computed.fit, reason)
    del computed.parts["raw"]  # which is recorded already
    store_estimates(connection, loaded, computed, fitted)
    record_event(
        session,
        "factors fitted",
        why=reason,
        task_id=task_id,
        round_id=series.round_id,
        matrix_id=row.id,
        details={
            "measure": series.measure,
            "assessments": series.assessments,
            "version": fitted.version,
            "standardising": chosen.kind,
            "runs": int(chosen.mask.sum()),
        },
    )
    return FittedFactorSet(
        **dict(read_factor_set(connection, request.task, series)),
        status="fitted",
        dry_run=request.dry_run,
        impact=stale_results(
            connection,
            task_id,
            lambda entry, _: any(
                (change.matrix, change.version) == (row.id, fitted.version)
                for change in entry.changes
                if change.stale
            ),
        ),
        publication=find_publication(session, request.task, request.round),
    )


def _lock_logged(connection: Connection, request: FitRequest) -> tuple[Series, Row[Any]]:
    """Return what `find_logged` does; nobody merges the measure until the transaction ends."""
    # The measure found may be merged into another one before it is locked: look again.
    while True:
        series, row = find_logged(
            connection, request.task, request.round, request.measure, request.assessments
        )
        if lock_measure(connection, measure.c.id == series.measure_id) is not None:
            return series, row


def _choose(loaded: LoadedMatrix, runs: tuple[str, ...]) -> Standardising:
    all_runs = Standardising("all", np.ones(len(loaded.runs), dtype=bool))
    if runs == ("all",):
        return all_runs
    if runs == ("pooled",):
        mask = np.array([flag is True for flag in loaded.contributed])
        if not mask.any():
            raise NotRecordedError(
                "No run of this matrix is known to have contributed to the pool.",
                way_out="pool unknown",
            )
    else:
        tags = [normalize("NFC", tag) for tag in loaded.runs]
        chosen = set(runs)
        unknown = sorted(chosen - set(tags))
        if not {"all", "pooled"}.isdisjoint(unknown):
            raise InputError("'all' and 'pooled' stand alone.", way_out="all or pooled")
        if unknown:
            number, run = loaded.row.id, unknown[0]
            several = set(run.split(",")) <= set(tags)
            raise NotRecordedError(
                f"Matrix {number} has no run '{run}'.",
                way_out="several runs" if several else "no such run",
                matrix=number,
                run=run,
            )
        mask = np.array([tag in chosen for tag in tags])
    if mask.sum() < 2:
        raise ImpossibleStatisticError(
            f"A standardisation factor's sd needs at least 2 standardising runs, not {mask.sum()}.",
            runs=int(mask.sum()),
        )
    if mask.all():
        return all_runs
    return Standardising("pooled" if runs == ("pooled",) else "chosen", mask)


def _is_latest(
    connection: Connection, loaded: LoadedMatrix, chosen: Standardising, zero_sd: str
) -> bool:
    # Only the latest version counts: fitting an older one's runs again makes it the latest.
    last = latest_factors(connection, loaded.row.id)
    return (
        last is not None
        and last.zero_sd == zero_sd
        and last.runs == chosen.mask.sum()
        and np.array_equal(standardising_mask(connection, last, loaded.run_ids), chosen.mask)
    )
