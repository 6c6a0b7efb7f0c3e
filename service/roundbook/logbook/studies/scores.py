"""The scores of a study: a round's matrix or that of files, on each scale asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor_set, matrix
from roundbook.errors import ImpossibleStatisticError, NotRecordedError
from roundbook.formats import CompleteMatrix, apply_missing_policy, read_scores
from roundbook.logbook.factors import load_factors
from roundbook.logbook.lookup import current_matrix, find_factor_set, find_series
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import load_matrix
from roundbook.logbook.studies.study import Study
from roundbook.requests.studies import StudyRequest
from roundbook.statistics.standardisation.factors import fit_factors, scale_scores

Scores = npt.NDArray[np.float64]


class StudyScores(NamedTuple):
    """What a study is of.

    Attributes
    ----------
    about
        Fields of a `Study`: which matrix, its size, by which factors it is standardised.
    runs
        Names, in the order of the columns.
    scales
        By scale, the (topics, runs) scores.
    """

    about: dict[str, Any]
    runs: list[str]
    scales: Mapping[str, Scores]


def study_scores(
    session: Session | None, request: StudyRequest, work: Work, recorded: Study | None = None
) -> StudyScores:
    """Return the scores that a study is of: those of files, of a round, or of a saved study.

    Parameters
    ----------
    session : Session or None
        None for a request that names files.
    recorded : Study, optional
        The saved study, whose matrix and factors are read whether they count or not.

    Raises
    ------
    NotRecordedError
        When the matrix or its factors are not there.
    WithdrawnError
        When the matrix is withdrawn.
    """
    if request.files:
        return _file_scores(request, work.max_file_bytes)
    assert session is not None
    connection = session.connection
    if recorded is not None:
        return matrix_scores(connection, request, recorded.matrix, recorded.factor_version)
    assert request.task is not None
    assert request.round is not None
    series = find_series(
        connection, request.task, request.round, request.measure, request.assessments
    )
    row = current_matrix(connection, series)
    if row is None:
        raise NotRecordedError(
            f"Round '{series.round}' has no logged scores of {series.measure}.",
            way_out="log scores",
            task=request.task,
            round=series.round,
            measure=series.measure,
        )
    fitted = None if _only_raw(request) else find_factor_set(connection, series)
    return _of_matrix(
        connection,
        row,
        fitted,
        request,
        {"task": request.task, "round": series.round, "measure": series.measure},
    )


def matrix_scores(
    connection: Connection, request: StudyRequest, number: int | None, version: int | None
) -> StudyScores:
    """Return the scores of a matrix by its number, standardised by a version of its factors."""
    row = connection.execute(select(matrix).where(matrix.c.id == number)).one()
    fitted = None
    if version is not None:
        fitted = connection.execute(
            select(factor_set).where(
                factor_set.c.matrix_id == number, factor_set.c.version == version
            )
        ).one()
    named = {"task": request.task, "round": request.round, "measure": request.measure}
    return _of_matrix(connection, row, fitted, request, named)


def read_whole(request: StudyRequest, max_file_bytes: int) -> CompleteMatrix:
    """Return the scores in files, none missing."""
    read = read_scores(
        request.files,
        measure=request.measure,
        file_measure=request.file_measure,
        layout=request.layout,
        max_bytes=max_file_bytes,
    )
    return apply_missing_policy(read, request.missing)


def _file_scores(request: StudyRequest, max_file_bytes: int) -> StudyScores:
    """Return the scores in files, standardised by factors of all their runs."""
    whole = read_whole(request, max_file_bytes)
    about = {
        "measure": request.measure,
        "files": list(whole.files),
        "hidden": list(whole.hidden),
    }
    factors = None
    if not _only_raw(request):
        fitted = fit_factors(whole.scores)
        factors = fitted.mean, fitted.sd
    return _scaled(request, about, list(whole.runs), whole.scores, factors)


def _only_raw(request: StudyRequest) -> bool:
    return set(request.scales) == {"raw"}


def _of_matrix(
    connection: Connection,
    row: Row[Any],
    fitted: Row[Any] | None,
    request: StudyRequest,
    named: dict[str, Any],
) -> StudyScores:
    loaded = load_matrix(connection, row)
    about = named | {
        "assessments": row.assessments,
        "matrix": row.id,
        "revision": row.revision,
        "factor_version": None if fitted is None else fitted.version,
    }
    factors = None
    if fitted is not None:
        of_topics = load_factors(connection, fitted)
        dropped = fitted.zero_sd == "drop"
        sd = np.where(of_topics.sd > 0, of_topics.sd, np.nan) if dropped else of_topics.sd
        factors = of_topics.mean, sd
    return _scaled(request, about, loaded.runs, loaded.scores, factors)


def _scaled(
    request: StudyRequest,
    about: dict[str, Any],
    runs: list[str],
    raw: Scores,
    factors: tuple[Scores, Scores] | None,
) -> StudyScores:
    """Put scores on each scale; a topic whose sd is NaN is left out of the standardised ones."""
    scales: dict[str, Scores] = {}
    for scale in request.scales:
        if scale == "raw" or factors is None:
            scales[scale] = raw
            continue
        mean, sd = factors
        usable = ~np.isnan(sd)
        if not usable.any():
            raise ImpossibleStatisticError(
                "No topic has usable factors: there is nothing to standardise by."
            )
        scales[scale] = scale_scores(raw[usable], mean[usable], sd[usable], scale)
    size = {"topics": raw.shape[0], "runs": raw.shape[1]}
    return StudyScores(about | size, runs, scales)
