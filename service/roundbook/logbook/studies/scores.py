"""The scores of a study on each requested scale, and the teams of its runs: of a round, or of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, Row, select

from roundbook.database.tables import factor_set, matrix, run, team
from roundbook.errors import ImpossibleStatisticError, InputError, NotRecordedError
from roundbook.formats import apply_missing_policy, read_scores, read_teams
from roundbook.formats.matrix import HiddenCells
from roundbook.logbook.factors import find_factor_set, load_factors
from roundbook.logbook.lookup import find_logged
from roundbook.logbook.runs.storing import AssessedRuns
from roundbook.logbook.session import Session, Work
from roundbook.logbook.storing import LoadedMatrix, load_matrix
from roundbook.logbook.studies.study import MatrixRead, Study
from roundbook.logbook.study_source import StudySource
from roundbook.requests.fields import VarianceScale
from roundbook.requests.studies import StudyRequest
from roundbook.statistics.standardisation import fit_factors, scores_on_scale, usable_topics
from roundbook.statistics.studies.scoring import team_numbers

Scores = npt.NDArray[np.float64]


class StudyScores(NamedTuple):
    """The scores of a study and their source.

    `topics` and `runs` are the names of the rows and columns of `raw`, the scores as they were
    logged. Those of `scales` are (topics, runs) too, but standardised ones have only the topics that
    the factors' policy on topics with sd 0 leaves. `fitted` is the ``factor_set`` row by which
    `matrix` is standardised;
    both are None for files.
    """

    source: StudySource
    topics: list[str]
    runs: list[str]
    raw: Scores
    scales: Mapping[str, Scores]
    matrix: LoadedMatrix | None = None
    fitted: Row[Any] | None = None

    @property
    def run_ids(self) -> npt.NDArray[np.int64]:
        """Ids of ``run`` rows of a round's runs."""
        assert self.matrix is not None
        return self.matrix.run_ids


def study_scores(
    session: Session | None,
    request: StudyRequest,
    work: Work,
    saved: Study | None = None,
) -> StudyScores:
    """Return the scores of a study: those of files, of a round, or of a saved study.

    There is no session for those of files. The matrix and factors of a saved study are read even if
    they are no longer current.

    Raises
    ------
    NotRecordedError
        When the matrix or its factors do not exist.
    WithdrawnError
        When the matrix is withdrawn.
    """
    if session is None:
        return _file_scores(request, work.max_file_bytes)
    connection = session.connection
    if saved is not None:
        return matrix_scores(connection, request, saved.matrices[0])
    assert request.task is not None
    assert request.round is not None
    series, row = find_logged(
        connection, request.task, request.round, request.measure, request.assessments
    )
    fitted = None if set(request.scales) == {"raw"} else find_factor_set(connection, series)
    named = request.model_copy(update={"round": series.round, "measure": series.measure})
    return _of_matrix(connection, row, fitted, named)


def matrix_scores(connection: Connection, request: StudyRequest, read: MatrixRead) -> StudyScores:
    """Return the scores of a matrix by its number, standardised by a version of its factors."""
    row = connection.execute(select(matrix).where(matrix.c.id == read.matrix)).one()
    fitted = None if read.factor_version is None else factors_of_version(connection, read)
    return _of_matrix(connection, row, fitted, request)


def factors_of_version(connection: Connection, read: MatrixRead) -> Row[Any]:
    """Return the row of a version of a matrix's factors, which exists."""
    of_version = select(factor_set).filter_by(matrix_id=read.matrix, version=read.factor_version)
    return connection.execute(of_version).one()


def _of_matrix(
    connection: Connection, row: Row[Any], fitted: Row[Any] | None, request: StudyRequest
) -> StudyScores:
    loaded = load_matrix(connection, row)
    factors = None
    if fitted is not None:
        _, _, mean, sd = load_factors(connection, fitted)
        factors = mean, sd, fitted.zero_sd
    source = StudySource(
        topics=row.topics,
        runs=row.runs,
        task=request.task,
        round=request.round,
        measure=request.measure,
        assessments=row.assessments,
        matrix=row.id,
        revision=row.revision,
        factor_version=None if fitted is None else fitted.version,
    )
    scales = _on_scales(request.scales, loaded.scores, factors)
    return StudyScores(source, loaded.topics, loaded.runs, loaded.scores, scales, loaded, fitted)


def _file_scores(request: StudyRequest, max_file_bytes: int) -> StudyScores:
    """Return the scores in files, standardised by factors fitted on all their runs."""
    read = read_scores(
        request.files,
        measure=request.measure,
        file_measure=request.file_measure,
        layout=request.layout,
        max_bytes=max_file_bytes,
    )
    whole = apply_missing_policy(read, request.missing)
    factors = None
    if set(request.scales) != {"raw"}:
        fitted = fit_factors(whole.scores)
        factors = fitted.mean, fitted.sd, "average"
    source = StudySource(
        topics=len(whole.topics),
        runs=len(whole.runs),
        measure=request.measure,
        files=whole.files,
        hidden=whole.hidden,
    )
    scales = _on_scales(request.scales, whole.scores, factors)
    return StudyScores(source, list(whole.topics), list(whole.runs), whole.scores, scales)


def _on_scales(
    scales: Sequence[VarianceScale], raw: Scores, factors: tuple[Scores, Scores, str] | None
) -> dict[str, Scores]:
    """Return scores on each scale, by means, sds and the policy on topics with sd 0."""
    if factors is None:
        return dict.fromkeys(scales, raw)
    mean, sd, zero_sd = factors
    if not usable_topics(sd, zero_sd).any():
        raise ImpossibleStatisticError(
            "No topic has usable factors: there is nothing to standardise by."
        )
    return {scale: scores_on_scale(raw, mean, sd, scale, zero_sd) for scale in scales}


class RunTeams(NamedTuple):
    """The team of each run of a study, and whether it contributed to the pool; None where unknown.

    Names are as spelled; see `numbered_teams`. `hidden` are the hidden parts of all files, with
    those of the team file.
    """

    teams: list[str | None]
    contributed_to_pool: list[bool | None]
    hidden: list[HiddenCells]


def teams_of_runs(
    session: Session | None,
    loaded: StudyScores | AssessedRuns,
    file: Path | None,
    work: Work,
    way_out: str = "record the teams",
) -> RunTeams:
    """Return the teams of a study's runs.

    `file` is the team file of scores or runs in files, for which there is no session, and `way_out`
    that from a round of which no team is recorded.

    Raises
    ------
    InputError
        When files have no team file, or it names none of their runs.
    NotRecordedError
        When the team of no run is recorded.
    """
    if session is None:
        if file is None:
            raise InputError(
                "To leave teams out of a score file needs a team file.", way_out="team file"
            )
        listed = read_teams(file, max_bytes=work.max_file_bytes)
        rows = [listed.get(tag) for tag in loaded.runs]
        teams = [None if row is None else row.team for row in rows]
        contributed = [None if row is None else row.contributed_to_pool for row in rows]
        if set(teams) == {None}:
            raise InputError(
                "The team file names none of the runs; its first column must hold the run tags."
            )
        return RunTeams(teams, contributed, [*loaded.source.hidden, *listed.hidden])
    query = (
        select(run.c.id, team.c.name, run.c.contributed_to_pool)
        .outerjoin(team, team.c.id == run.c.team_id)
        .where(run.c.id.in_(loaded.run_ids.tolist()))
    )
    facts = {number: of_run for number, *of_run in session.connection.execute(query)}
    names, fed_pool = zip(*(facts[number] for number in loaded.run_ids.tolist()), strict=True)
    if set(names) == {None}:
        raise not_recorded("Which team sent which run", loaded.source, way_out)
    return RunTeams(list(names), list(fed_pool), [])


def not_recorded(fact: str, source: StudySource, way_out: str) -> NotRecordedError:
    """Return the error for a fact on the runs of a round that is not recorded."""
    return NotRecordedError(
        f"{fact} of round '{source.round}' is not recorded.",
        way_out=way_out,
        task=source.task,
        round=source.round,
    )


def numbered_teams(teams: list[str | None]) -> npt.NDArray[np.intp]:
    """Return the number of each run's team; names that differ in case are one team."""
    return team_numbers([None if name is None else name.casefold() for name in teams])
