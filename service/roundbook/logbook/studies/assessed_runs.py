"""Runs and assessments of a round or in files, from which studies compute scores.

With all assessments, or with those that would exist without some of the teams.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import InputError, NotRecordedError, WithdrawnError
from roundbook.formats.trec import read_qrels, read_runs
from roundbook.logbook.lookup import recorded_round
from roundbook.logbook.result import Result
from roundbook.logbook.runs.scoring import compare_scores
from roundbook.logbook.runs.storing import AssessedRuns, load_assessed_runs
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import not_recorded, numbered_teams, teams_of_runs
from roundbook.logbook.study_source import StudySource
from roundbook.measure_names import canonical_measure
from roundbook.requests.runs import CompareScores
from roundbook.requests.studies import (
    LeaveOneOutRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
)
from roundbook.statistics.measures.hits import Judgments, find_hits, relevant_hits
from roundbook.statistics.measures.measure import parse_measure
from roundbook.statistics.studies.scoring import (
    ReassessedScores,
    find_contributions,
    judged_shares,
    pool_depth,
)

_MOST_NAMED = 3


def study_runs(
    session: Session | None,
    request: LeaveOneOutRequest | LeaveTeamsOutRequest | PerTopicVarianceRequest,
    work: Work,
    as_of: tuple[int | None, int | None] = (None, None),
    *,
    scores: bool = False,
) -> AssessedRuns:
    """Return the runs and assessments of a study: those of a round or, without session, of files.

    `as_of` are the upload of runs and the revision of assessments, by default the latest.

    Raises
    ------
    NotRecordedError
        When there is no such round, or it has no runs or no such assessments.
    InputError
        When the runs in files have no topic of the assessments.
    """
    if session is None:
        return _runs_in_files(request, work, scores=scores)
    assert request.task is not None
    assert request.round is not None
    connection = session.connection
    row = recorded_round(connection, request.task, request.round)
    assessed = load_assessed_runs(connection, row, request.assessments, scores=scores, as_of=as_of)
    return assessed._replace(source=assessed.source._replace(task=request.task))


def _runs_in_files(
    request: LeaveOneOutRequest | LeaveTeamsOutRequest | PerTopicVarianceRequest,
    work: Work,
    *,
    scores: bool,
) -> AssessedRuns:
    assert request.qrels is not None
    qrels = read_qrels(request.qrels, max_bytes=work.max_file_bytes)
    read = read_runs(request.files, max_bytes=work.max_file_bytes, topics=qrels.topics)
    depth = max((len(ranked.documents) for ranked in read.lists), default=0)
    shape = len(read.runs), len(qrels.topics), depth
    if not depth:
        named = ", ".join(list(qrels.topics)[:_MOST_NAMED])
        more = ", ..." if len(qrels.topics) > _MOST_NAMED else ""
        raise InputError(
            f"The runs have no topic of {qrels.file.file}, which has {named}{more}.",
            topics=len(qrels.topics),
        )
    lists = np.full(shape, -1, dtype=np.int32)
    values = np.full(shape, np.nan, dtype=np.float32) if scores else None
    for ranked in read.lists:
        cell = ranked.run, ranked.topic, slice(len(ranked.documents))
        lists[cell] = ranked.documents
        if values is not None:
            values[cell] = ranked.scores
    # Numbered as in the runs; documents that no run retrieved get the next numbers.
    number = {name: position for position, name in enumerate(read.documents)}
    documents = [number.setdefault(name, len(number)) for name in qrels.documents]
    judgments = Judgments(
        len(qrels.topics), qrels.topic, np.array(documents, np.int32)[qrels.document], qrels.grade
    )
    runs, topics, files = list(read.runs), list(qrels.topics), [file.file for file in read.files]
    source = StudySource(len(topics), len(runs), files=files, qrels=qrels.file.file)
    no_ids = np.zeros(0, dtype=np.int64)
    return AssessedRuns(source, runs, topics, lists, values, judgments, no_ids)


class LoggedBeside(Result):
    """The differences between logged scores and those computed from the runs.

    Of the `cells` of `matrix`, `different` differ by more than 0.0001; `largest` is the largest
    absolute difference.
    """

    matrix: int
    revision: int
    cells: int
    different: int
    largest: float


def logged_beside(
    session: Session | None, source: StudySource, measure: str
) -> LoggedBeside | None:
    """Return the differences of the logged scores from those of the runs; None if none are logged."""
    if session is None:  # the runs are of files
        return None
    named = {"task": source.task, "round": source.round, "assessments": source.assessments}
    try:
        compared = compare_scores(session, CompareScores(**named, measure=measure, limit=0))
    except (NotRecordedError, WithdrawnError, InputError):
        return None
    if compared.largest is None:
        return None
    return LoggedBeside(**dict(compared))


class _SavedRuns(Protocol):
    """A saved study of scores computed anew, or a round of one: the facts on its runs."""

    @property
    def upload(self) -> int | None: ...
    @property
    def revision(self) -> int | None: ...
    @property
    def team_of_run(self) -> list[int]: ...
    @property
    def fed_pool(self) -> list[bool | None]: ...
    @property
    def logged(self) -> LoggedBeside | None: ...


class JudgedPool(NamedTuple):
    """The pool of a round, as its runs and assessments show it.

    `fed_pool` is whether each run contributed to it, None where unknown. Runs are recorded to rank
    `known_depth`, and the documents of the pooled ones were judged to rank `pool_depth`:
    `judged_share` of these are judged, and they are `explained_share` of the judged documents.
    """

    fed_pool: list[bool | None]
    known_depth: int
    pool_depth: int
    judged_share: float
    explained_share: float


class Reassessed(NamedTuple):
    """A round whose scores can be computed anew, by `score`, without some of its teams.

    `teams` is each run's team, None where unknown, and `team_of_run` its number; `logged` has the
    differences from the logged scores.
    """

    loaded: AssessedRuns
    teams: list[str | None]
    team_of_run: NDArray[np.intp]
    score: ReassessedScores
    pool: JudgedPool
    logged: LoggedBeside | None


def reassess(
    session: Session | None,
    request: LeaveOneOutRequest | LeaveTeamsOutRequest,
    work: Work,
    saved: _SavedRuns | None,
) -> Reassessed:
    """Return the runs of a round, or of files, and the function that scores them without some teams.

    The pool depth is by default the largest to which 95% of the pooled runs' documents are judged.
    The facts on the runs of a saved study replace today's.

    Raises
    ------
    InputError
        When the runs are not that deep, or of files when the runs have no topic of the assessments
        or the team file names none of the runs or none that contributed to the pool.
    NotRecordedError
        When the round has no runs, no such assessments, or no team or pooled run is recorded.
    ImpossibleStatisticError
        When the measure is none that is computed here, or no pool depth explains the assessments.
    """
    measure = parse_measure(canonical_measure(request.measure))
    as_of = (None, None) if saved is None else (saved.upload, saved.revision)
    loaded = study_runs(session, request, work, as_of)
    known = teams_of_runs(session, loaded, request.teams, work, way_out="record the pool")
    fed_pool = known.contributed_to_pool
    if saved is not None and saved.fed_pool:
        fed_pool = list(saved.fed_pool)
    if True not in fed_pool:
        if session is not None:
            fact = "Which runs contributed to the pool"
            raise not_recorded(fact, loaded.source, way_out="record the pool")
        raise InputError(
            "The team file says of no run that it contributed to the pool: in its column"
            " contributed_to_pool those that did have yes."
        )
    pooled = np.array([flag is True for flag in fed_pool])
    shares = judged_shares(loaded.lists, loaded.judgments, pooled)
    depth = request.pool_depth
    if depth is not None and depth > shares.size:
        where = "these files" if session is None else f"round '{loaded.source.round}'"
        raise InputError(
            f"The pool of {where} cannot be {depth} deep: its runs are recorded to rank"
            f" {shares.size}.",
            pool_depth=depth,
        )
    depth = pool_depth(shares) if depth is None else depth
    hits = find_hits(loaded.lists, loaded.judgments)
    groups = numbered_teams(known.teams) if saved is None else np.array(saved.team_of_run)
    contributions = find_contributions(hits, loaded.judgments, groups, pooled, depth)
    needed = relevant_hits(hits, loaded.judgments, measure.cutoff)
    source = loaded.source._replace(measure=measure.name, hidden=known.hidden)
    return Reassessed(
        loaded._replace(source=source),
        known.teams,
        groups,
        ReassessedScores(measure, needed, loaded.judgments, contributions),
        JudgedPool(
            fed_pool,
            known_depth=shares.size,
            pool_depth=depth,
            judged_share=float(shares[depth - 1]),
            explained_share=float(contributions.any(axis=0).mean()),
        ),
        saved.logged if saved else logged_beside(session, source, request.measure),
    )
