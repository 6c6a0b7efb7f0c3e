"""Whether the runs of a round would rank alike on another sample of the documents."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select

from roundbook.database.tables import round_
from roundbook.errors import InputError
from roundbook.formats.trec import read_qrels, read_runs
from roundbook.logbook.lookup import find_round, find_task
from roundbook.logbook.result import Result
from roundbook.logbook.runs.loading import load_assessed_runs
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.logged_scores import LoggedBeside, logged_beside
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.measure_names import canonical_measure
from roundbook.requests.studies import PerTopicVarianceRequest
from roundbook.statistics.measures.hits import find_hits
from roundbook.statistics.studies.assessed_lists import AssessedLists, assess_lists
from roundbook.statistics.studies.drawn_rounds import Redrawing
from roundbook.statistics.studies.per_topic_variance import (
    ErrorBin,
    PerTopicVariance,
    per_topic_variance,
)

_PERCENTILES = (2.5, 97.5)


class RunRedrawn(Result):
    """A run's mean as it is, and mean and sd of its mean over the draws."""

    run: str
    mean: float
    drawn_mean: float
    sd: float


class TopicRedrawn(Result):
    """A topic's mean over runs as it is and drawn, and how a run's score varies on it.

    `sd` is the root of the runs' mean variance over the draws; `relevant` counts the topic's
    relevant documents.
    """

    topic: str
    relevant: int
    mean: float
    drawn_mean: float
    sd: float


class PerTopicVarianceOfScale(Result):
    """What becomes of average precision when the documents are drawn again.

    `krcc` is the mean over draws of Kendall's tau-b with the real ranking, `krcc_low` and
    `krcc_high` the 2.5th and the 97.5th percentile. `error_rate` is the share of comparisons in
    which the other run is ahead, `bins` the same by the size of the drawn difference.
    `significant` is the share of pairs that differ significantly as they are, `significant_rate`
    the mean share of draws in which a pair does, `never` and `always` the shares of pairs that do
    in fewer than alpha and in more than 1 - alpha of the draws. `needed_most` and `needed_median`
    are of the pairs' needed differences in the first `needed_trials` draws, None where they are too
    many for the memory.
    """

    scale: str
    pairs: int
    krcc: float
    krcc_low: float
    krcc_high: float
    error_rate: float
    bins: list[ErrorBin]
    significant: float
    significant_rate: float
    never: float
    always: float
    largest_difference: float
    needed_most: float | None
    needed_median: float | None
    needed_trials: int
    by_run: list[RunRedrawn]
    by_topic: list[TopicRedrawn]


class PerTopicVarianceStudy(Study):
    """Whether the runs would rank alike if the document collection were another sample.

    `upload` is the latest upload of runs and `revision` that of the assessments; `qrels` names
    their file. `topics_without_relevant` have no relevant document, `lists_without_relevant` of the
    runs retrieve none: average precision is 0 in all draws. The longest list has `list_depth`
    documents, and `logged` is how the scores as they are differ from the logged ones.
    """

    upload: int | None = None
    qrels: str | None = None
    model: str
    denominator: str
    depth: int
    list_depth: int | None = None
    logged: LoggedBeside | None = None
    padded: bool
    alpha: float
    topics_without_relevant: int
    lists_without_relevant: int
    scales: list[PerTopicVarianceOfScale]

    @property
    def matrices(self) -> list[tuple[int | None, int | None]]:
        """None: it is computed from runs and assessments."""
        return []


class _Runs(NamedTuple):
    """What the study is of: fields of it, names, and what the runs retrieved."""

    about: dict[str, Any]
    runs: list[str]
    topics: list[str]
    lists: AssessedLists


def _compute(
    session: Session | None,
    request: PerTopicVarianceRequest,
    work: Work,
    recorded: PerTopicVarianceStudy | None,
) -> PerTopicVarianceStudy:
    measure = canonical_measure(request.measure)
    if measure != "AP":
        raise InputError(
            f"Per-topic variance can be studied of AP, and not of {measure}",
            way_out="only one measure",
        )
    given = (
        _in_files(request, work.max_file_bytes)
        if session is None
        else _recorded(session, request, recorded)
    )
    how = request.model_dump(include={field.name for field in fields(Redrawing)})
    variance = per_topic_variance(
        given.lists,
        Redrawing(**how),
        trials=request.trials,
        seed=request.seed,
        progress=lambda done, of: work.progress("draws", done, of),
        mapped=work.mapped,
    )
    return PerTopicVarianceStudy(
        **given.about,
        **how,
        **request.model_dump(include={"study", "trials", "seed"}),
        measure=measure,
        topics=len(given.topics),
        runs=len(given.runs),
        list_depth=int(given.lists.lengths.max()),
        logged=logged_beside(session, given.about, measure)
        if recorded is None
        else recorded.logged,
        topics_without_relevant=variance.topics_without_relevant,
        lists_without_relevant=variance.lists_without_relevant,
        scales=[_of_scale(given, variance)],
    )


def _of_scale(given: _Runs, variance: PerTopicVariance) -> PerTopicVarianceOfScale:
    low, high = np.percentile(variance.taus, _PERCENTILES).tolist()
    means, drawn = variance.scores.mean(axis=0), variance.means.mean(axis=0)
    by_run = [
        RunRedrawn(run=given.runs[run], mean=means[run], drawn_mean=drawn[run], sd=sd)
        for run, sd in enumerate(variance.run_sds.tolist())
    ]
    by_topic = [
        TopicRedrawn(
            topic=topic,
            relevant=int(given.lists.relevant[number]),
            mean=float(variance.scores[number].mean()),
            drawn_mean=float(variance.means[number].mean()),
            sd=float(np.sqrt((variance.sds[number] ** 2).mean())),
        )
        for number, topic in enumerate(given.topics)
    ]
    return PerTopicVarianceOfScale(
        scale="raw",
        pairs=variance.rates.size,
        krcc=variance.krcc,
        krcc_low=low,
        krcc_high=high,
        error_rate=variance.error_rate,
        bins=list(variance.bins),
        significant=variance.significant,
        significant_rate=variance.mean_rate,
        never=variance.never,
        always=variance.always,
        largest_difference=variance.largest_difference,
        needed_most=variance.needed_most,
        needed_median=variance.needed_median,
        needed_trials=variance.needed_trials,
        by_run=sorted(by_run, key=lambda run: -run.mean),
        by_topic=by_topic,
    )


def _in_files(request: PerTopicVarianceRequest, max_file_bytes: int) -> _Runs:
    """Return the runs in files on the topics that are assessed."""
    assert request.qrels is not None
    qrels = read_qrels(request.qrels, max_bytes=max_file_bytes)
    read = read_runs(request.files, max_bytes=max_file_bytes, topics=qrels.topics)
    if not read.lists:
        raise InputError(
            f"The runs have no topic of {qrels.file.file}, which has {', '.join(qrels.topics[:3])}"
            f"{', ...' if len(qrels.topics) > 3 else ''}."
        )
    topics = len(qrels.topics)
    lengths = np.zeros((topics, len(read.runs)), dtype=np.int64)
    scores = None
    if request.model == "kde":
        depth = max(len(one.documents) for one in read.lists)
        scores = np.zeros((len(read.runs), topics, depth), dtype=np.float32)
    number = {document: place for place, document in enumerate(read.documents)}
    # The documents of the assessments as the runs number them; -1 was not retrieved.
    documents = np.array([number.get(name, -1) for name in qrels.documents], dtype=np.int64)
    is_relevant = qrels.grade > 0
    relevant = [documents[qrels.document[(qrels.topic == j) & is_relevant]] for j in range(topics)]
    hits = [np.zeros((3, 0), dtype=np.int64)]
    for one in read.lists:
        lengths[one.topic, one.run] = len(one.documents)
        if scores is not None:
            scores[one.run, one.topic, : len(one.documents)] = one.scores
        ranks = np.flatnonzero(np.isin(one.documents, relevant[one.topic])) + 1
        hits.append(np.stack([np.full_like(ranks, one.run), np.full_like(ranks, one.topic), ranks]))
    run, topic, rank = np.concatenate(hits, axis=1)
    of_topics = np.array(list(map(len, relevant)))
    return _Runs(
        {"files": [file.file for file in read.files], "qrels": qrels.file.file},
        list(read.runs),
        list(qrels.topics),
        AssessedLists(lengths, of_topics, run, topic, rank, scores),
    )


def _recorded(
    session: Session, request: PerTopicVarianceRequest, recorded: PerTopicVarianceStudy | None
) -> _Runs:
    """Return the runs of a round, or of a saved study, on the topics that are assessed."""
    connection = session.connection
    assert request.task is not None
    assert request.round is not None
    task_id = find_task(connection, request.task)
    round_id = find_round(connection, task_id, request.task, request.round)
    row = connection.execute(select(round_).where(round_.c.id == round_id)).one()
    as_of = (None, None) if recorded is None else (recorded.upload, recorded.revision)
    assessed = load_assessed_runs(
        connection, row, request.assessments, scores=request.model == "kde", as_of=as_of
    )
    lists = assess_lists(
        (assessed.lists >= 0).sum(axis=2).T,
        find_hits(assessed.lists, assessed.judgments),
        assessed.judgments,
        assessed.scores,
    )
    about = {
        "task": request.task,
        "round": row.label,
        "assessments": assessed.assessments,
        "upload": assessed.upload_number,
        "revision": assessed.revision,
    }
    return _Runs(about, assessed.runs, assessed.topics, lists)


def _seconds(study: PerTopicVarianceStudy) -> float:
    microseconds = 10 if study.model == "kde" else 4
    return study.trials * study.topics * study.runs * microseconds * 1e-6


STUDY = KindOfStudy(PerTopicVarianceStudy, _compute, _seconds)
