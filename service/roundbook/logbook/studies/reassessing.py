"""What a round's scores would be by the assessments that there had been without some teams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import round_, run, team
from roundbook.errors import InputError, NotRecordedError
from roundbook.formats import read_teams
from roundbook.formats.trec import read_qrels, read_runs
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.runs.loading import load_assessed_runs
from roundbook.logbook.session import Session
from roundbook.logbook.studies.run_teams import folded
from roundbook.measure_names import canonical_measure
from roundbook.requests.studies import LeaveOneOutRequest, LeaveTeamsOutRequest
from roundbook.statistics.measures.hits import Judgments, find_hits
from roundbook.statistics.measures.measure import Measure, parse_measure
from roundbook.statistics.studies.pool import find_contributions, judged_shares, pool_depth
from roundbook.statistics.studies.scoring import ReassessedScores, needed_hits, team_numbers


class Reassessed(NamedTuple):
    """A round whose scores can be computed anew without some of its teams.

    Attributes
    ----------
    about
        Fields of a `Study`: of which runs and assessments, and how many runs and topics there are.
    topics
        Names, in the order of the scores' rows.
    runs
        Tags, in the order of the scores' columns.
    contributed
        Whether each run fed the pool, None where it is unknown.
    teams
        Of each run, None where it is unknown.
    team_of_run
        The same as numbers.
    score
        What computes the scores.
    known_depth
        To which rank runs are recorded.
    pool_depth
        To which rank the pooled runs' documents were judged.
    judged_share
        How many of these documents are judged.
    explained_share
        How many of the judged documents one of them is.
    run_ids
        Rows of ``run``; none of files.
    """

    about: dict[str, Any]
    topics: list[str]
    runs: list[str]
    contributed: list[bool | None]
    teams: list[str | None]
    team_of_run: NDArray[np.intp]
    score: ReassessedScores
    known_depth: int
    pool_depth: int
    judged_share: float
    explained_share: float
    run_ids: NDArray[np.int64]


class KnownRuns(Protocol):
    """What was known of the runs when a study was saved, which has these fields."""

    @property
    def upload(self) -> int | None:
        """Number of the latest upload of runs."""

    @property
    def revision(self) -> int | None:
        """Of the assessments."""

    @property
    def team_of_run(self) -> Sequence[int]:
        """Number of each run's team."""

    @property
    def fed_pool(self) -> Sequence[bool | None]:
        """Whether each run contributed to the pool, None where it was unknown."""


class _Assessed(NamedTuple):
    """Runs and assessments, in the record or in files, and what is known of the runs."""

    about: dict[str, Any]
    where: str
    topics: list[str]
    runs: list[str]
    lists: NDArray[np.int32]
    judgments: Judgments
    teams: list[str | None]
    contributed: list[bool | None]
    run_ids: NDArray[np.int64]


def load_reassessed(
    session: Session,
    request: LeaveOneOutRequest | LeaveTeamsOutRequest,
    known: KnownRuns | None = None,
) -> Reassessed:
    """Return what computes a round's scores by the assessments that remain without some teams.

    Parameters
    ----------
    request : LeaveOneOutRequest or LeaveTeamsOutRequest
        Which round, measure and assessments; its `pool_depth` is by default the largest to which
        95% of the pooled runs' documents are judged.
    known : KnownRuns, optional
        The saved study, in place of what is known of the runs today.

    Raises
    ------
    InputError
        When the runs are not that deep.
    NotRecordedError
        When the round has no runs, no such assessments, or no team or pooled run is recorded.
    ImpossibleStatisticError
        When the measure is none that is computed here, or no pool depth explains the assessments.
    """
    assert request.task is not None
    assert request.round is not None
    connection = session.connection
    task_id = find_task(connection, request.task)
    round_id = find_round(connection, task_id, request.task, request.round)
    row = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    measure = parse_measure(canonical_measure(request.measure))
    as_of = (None, None) if known is None else (known.upload, known.revision)
    assessed = load_assessed_runs(connection, row, request.assessments, as_of=as_of)
    about = {
        "task": request.task,
        "round": row.label,
        "assessments": assessed.assessments,
        "revision": assessed.revision,
        "upload": assessed.upload_number,
    }
    rows = {
        row.id: row
        for row in connection.execute(
            select(run.c.id, run.c.contributed_to_pool, team.c.name)
            .outerjoin(team, team.c.id == run.c.team_id)
            .where(run.c.round_id == round_id)
        )
    }
    ordered = [rows[int(run_id)] for run_id in assessed.run_ids]
    teams = [row.name for row in ordered]
    contributed = [row.contributed_to_pool for row in ordered]
    if known is not None and known.fed_pool:
        contributed = list(known.fed_pool)
    for missing, what in (
        (set(teams) == {None}, "Which team sent which run"),
        (True not in contributed, "Which runs contributed to the pool"),
    ):
        if missing:
            raise NotRecordedError(
                f"{what} of round '{row.label}' is not recorded.",
                way_out="record the pool",
                task=request.task,
                round=row.label,
            )
    return _reassess(
        _Assessed(
            about,
            f"round '{row.label}'",
            assessed.topics,
            assessed.runs,
            assessed.lists,
            assessed.judgments,
            teams,
            contributed,
            assessed.run_ids,
        ),
        measure,
        request.pool_depth,
        known,
    )


def read_reassessed(
    request: LeaveOneOutRequest | LeaveTeamsOutRequest, max_file_bytes: int
) -> Reassessed:
    """Return the same of runs, assessments and teams in files.

    Raises
    ------
    InputError
        When the runs have no topic of the assessments or are not that deep, or the team file names
        none of the runs or none that contributed to the pool.
    """
    assert request.qrels is not None
    assert request.teams is not None
    measure = parse_measure(canonical_measure(request.measure))
    qrels = read_qrels(request.qrels, max_bytes=max_file_bytes)
    read = read_runs(request.files, max_bytes=max_file_bytes, topics=qrels.topics)
    if not read.lists:
        raise InputError(f"The runs have no topic of {qrels.file.file}.")
    listed = read_teams(request.teams, max_bytes=max_file_bytes)
    teams = [listed[tag].team if tag in listed else None for tag in read.runs]
    contributed = [listed[tag].contributed_to_pool if tag in listed else None for tag in read.runs]
    if set(teams) == {None}:
        raise InputError("The team file names none of the runs; its first column must hold tags.")
    if True not in contributed:
        raise InputError(
            "The team file says of no run that it contributed to the pool: in its column"
            " contributed_to_pool those that did have yes."
        )
    shape = len(read.runs), len(qrels.topics), max(len(one.documents) for one in read.lists)
    lists = np.full(shape, -1, dtype=np.int32)
    for one in read.lists:
        lists[one.run, one.topic, : len(one.documents)] = one.documents
    # As the runs number them; what none retrieved is numbered from there on.
    number = {name: place for place, name in enumerate(read.documents)}
    of_qrels = [number.setdefault(name, len(number)) for name in qrels.documents]
    judgments = Judgments(
        len(qrels.topics), qrels.topic, np.array(of_qrels, np.int32)[qrels.document], qrels.grade
    )
    about = {
        "files": [file.file for file in read.files],
        "qrels": qrels.file.file,
        "hidden": list(listed.hidden),
    }
    return _reassess(
        _Assessed(
            about,
            "these files",
            list(qrels.topics),
            list(read.runs),
            lists,
            judgments,
            teams,
            contributed,
            np.zeros(0, dtype=np.int64),
        ),
        measure,
        request.pool_depth,
        None,
    )


def _reassess(
    given: _Assessed, measure: Measure, depth: int | None, known: KnownRuns | None
) -> Reassessed:
    pooled = np.array([flag is True for flag in given.contributed])
    shares = judged_shares(given.lists, given.judgments, pooled)
    if depth is not None and depth > shares.size:
        raise InputError(
            f"The pool of {given.where} cannot be {depth} deep: its runs are recorded to rank"
            f" {shares.size}."
        )
    deep = pool_depth(shares) if depth is None else depth
    hits = find_hits(given.lists, given.judgments)
    numbers = team_numbers(folded(given.teams)) if known is None else np.array(known.team_of_run)
    contributed = find_contributions(hits, given.judgments, numbers, pooled, deep)
    size = {"topics": len(given.topics), "runs": len(given.runs)}
    return Reassessed(
        given.about | {"measure": measure.name} | size,
        given.topics,
        given.runs,
        given.contributed,
        given.teams,
        numbers,
        ReassessedScores(
            measure,
            needed_hits(measure, hits, given.judgments),
            given.judgments,
            contributed,
        ),
        shares.size,
        deep,
        float(shares[deep - 1]),
        float(contributed.any(axis=0).mean()),
        given.run_ids,
    )
