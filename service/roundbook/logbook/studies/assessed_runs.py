"""Runs and relevance assessments of a round or in files, from which studies compute scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from roundbook.database.tables import round_
from roundbook.errors import InputError, NotRecordedError, WithdrawnError
from roundbook.formats.trec import read_qrels, read_runs
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.result import Result
from roundbook.logbook.runs.loading import load_assessed_runs
from roundbook.logbook.runs.scoring import compare_scores
from roundbook.logbook.session import Session, Work
from roundbook.requests.runs import CompareScores
from roundbook.requests.studies import (
    LeaveOneOutRequest,
    LeaveTeamsOutRequest,
    PerTopicVarianceRequest,
)
from roundbook.statistics.measures.hits import Judgments


class StudyRuns(NamedTuple):
    """The input of a study of runs.

    Attributes
    ----------
    about
        Fields of a `Study` that identify the runs and assessments.
    topics, runs
        Names, in the order of the lists; topics are those of the assessments.
    lists
        (runs, topics, depth) document numbers by rank; -1 beyond the end of a list.
    scores
        Scores of the documents; None unless requested.
    judgments
        With the same document numbers.
    run_ids
        Ids of ``run`` rows; empty for files.
    """

    about: dict[str, Any]
    topics: list[str]
    runs: list[str]
    lists: NDArray[np.int32]
    scores: NDArray[np.float32] | None
    judgments: Judgments
    run_ids: NDArray[np.int64]


def load_study_runs(
    session: Session,
    request: LeaveOneOutRequest | LeaveTeamsOutRequest | PerTopicVarianceRequest,
    as_of: tuple[int | None, int | None],
    *,
    scores: bool = False,
) -> StudyRuns:
    """Return the runs and assessments of a round.

    Parameters
    ----------
    as_of : pair of int
        Number of the last upload and revision of the assessments; None for the latest.
    scores : bool
        Whether to read the scores of documents too.

    Raises
    ------
    NotRecordedError
        When there is no such round, or it has no runs or no such assessments.
    """
    assert request.task is not None
    assert request.round is not None
    connection = session.connection
    task_id = find_task(connection, request.task)
    round_id = find_round(connection, task_id, request.task, request.round)
    row = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    assessed = load_assessed_runs(connection, row, request.assessments, scores=scores, as_of=as_of)
    about = {
        "task": request.task,
        "round": row.label,
        "assessments": assessed.assessments,
        "revision": assessed.revision,
        "upload": assessed.upload_number,
    }
    names = assessed.topics, assessed.runs
    return StudyRuns(
        about, *names, assessed.lists, assessed.scores, assessed.judgments, assessed.run_ids
    )


def read_study_runs(
    request: LeaveOneOutRequest | LeaveTeamsOutRequest | PerTopicVarianceRequest,
    work: Work,
    *,
    scores: bool = False,
) -> StudyRuns:
    """Return the runs and assessments in files; lists are empty if no topic is assessed."""
    assert request.qrels is not None
    qrels = read_qrels(request.qrels, max_bytes=work.max_file_bytes)
    read = read_runs(request.files, max_bytes=work.max_file_bytes, topics=qrels.topics)
    depth = max((len(ranked.documents) for ranked in read.lists), default=0)
    shape = len(read.runs), len(qrels.topics), depth
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
    about = {"files": [file.file for file in read.files], "qrels": qrels.file.file}
    names = list(qrels.topics), list(read.runs)
    return StudyRuns(about, *names, lists, values, judgments, np.zeros(0, dtype=np.int64))


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
    session: Session | None, about: Mapping[str, Any], measure: str
) -> LoggedBeside | None:
    """Return the differences of the logged scores from those of the runs; None if none are logged.

    Parameters
    ----------
    session : Session or None
        None for files, for which no scores are logged.
    about : mapping
        Fields of a `Study`: its task, round and assessments.
    """
    if session is None:
        return None
    named = {name: about[name] for name in ("task", "round", "assessments")}
    try:
        compared = compare_scores(session, CompareScores(**named, measure=measure, limit=0))
    except (NotRecordedError, WithdrawnError, InputError):
        return None
    if compared.largest is None:
        return None
    return LoggedBeside(**{name: getattr(compared, name) for name in LoggedBeside.model_fields})
