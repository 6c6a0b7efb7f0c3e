"""The study of per-topic variance: whether runs would rank alike if their lists varied."""

from __future__ import annotations

from dataclasses import fields
from functools import partial

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import InputError
from roundbook.logbook.result import Result
from roundbook.logbook.runs.storing import AssessedRuns
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.assessed_runs import LoggedBeside, logged_beside, study_runs
from roundbook.logbook.studies.study import KindOfStudy, MatrixRead, Study
from roundbook.measure_names import canonical_measure
from roundbook.requests.studies import PerTopicVarianceRequest
from roundbook.statistics.measures.hits import find_hits
from roundbook.statistics.studies.drawn_rounds import Redrawing, assess_lists
from roundbook.statistics.studies.per_topic_variance import (
    ErrorBin,
    PerTopicVariance,
    per_topic_variance,
)
from roundbook.statistics.ties import run_means

_PERCENTILES = (2.5, 97.5)


class RunRedrawn(Result):
    """A run's undrawn mean, and the mean and sd of its means over the draws."""

    run: str
    mean: float
    drawn_mean: float
    sd: float


class TopicRedrawn(Result):
    """A topic's mean over runs, undrawn and drawn, and the sd of a run's score on it.

    `sd` is the root of the runs' mean variance over the draws; `relevant` counts the topic's
    relevant documents.
    """

    topic: str
    relevant: int
    mean: float
    drawn_mean: float
    sd: float


class PerTopicVarianceOfScale(Result):
    """The effect of drawing the documents again on average precision, on one scale.

    `krcc` is the mean over draws of Kendall's tau-b with the real ranking, `krcc_low` and
    `krcc_high` the 2.5th and the 97.5th percentile; None where all runs tie. `error_rate` is the
    share of comparisons in which the other run is ahead, `bins` the same by the size of the drawn
    difference. `significant` is the share of pairs that differ significantly undrawn, `significant_rate` the
    mean share of draws in which a pair does, `never` and `always` the shares of pairs that do
    in fewer than alpha and in more than 1 - alpha of the draws. `needed_most` and `needed_median`
    are of the pairs' needed differences in the first `needed_trials` draws, None where they are too
    many for the memory.
    """

    scale: str
    pairs: int
    krcc: float | None
    krcc_low: float | None
    krcc_high: float | None
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
    """The study of per-topic variance of a round, or of files.

    `upload` is the latest upload of runs and `revision` that of the assessments; `qrels` names
    their file. `topics_without_relevant` have no relevant document, and `lists_without_relevant`
    retrieve none: their average precision is 0 in all draws. The longest list has `list_depth`
    documents, and `logged` has the differences of the undrawn scores from the logged ones.
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
    def matrices(self) -> list[MatrixRead]:
        """No matrices: it is computed from runs and assessments."""
        return []


def _compute(
    session: Session | None,
    request: PerTopicVarianceRequest,
    work: Work,
    saved: PerTopicVarianceStudy | None,
) -> PerTopicVarianceStudy:
    measure = canonical_measure(request.measure)
    if measure != "AP":
        raise InputError(
            f"Per-topic variance can be studied of AP, and not of {measure}.",
            way_out="only one measure",
            measure=measure,
        )
    as_of = (saved.upload, saved.revision) if saved else (None, None)
    loaded = study_runs(session, request, work, as_of, scores=request.model == "kde")
    lengths = (loaded.lists >= 0).sum(axis=2).T
    hits = find_hits(loaded.lists, loaded.judgments)
    lists = assess_lists(lengths, hits, loaded.judgments, loaded.scores)
    redrawing = request.model_dump(include={field.name for field in fields(Redrawing)})
    variance = per_topic_variance(
        lists,
        Redrawing(**redrawing),
        trials=request.trials,
        seed=request.seed,
        progress=partial(work.progress, "draws"),
        mapped=work.mapped,
    )
    return PerTopicVarianceStudy.of(
        request,
        loaded.source,
        measure=measure,
        list_depth=int(lengths.max()),
        logged=saved.logged if saved else logged_beside(session, loaded.source, measure),
        topics_without_relevant=variance.topics_without_relevant,
        lists_without_relevant=variance.lists_without_relevant,
        scales=[_of_scale(loaded, lists.relevant, variance)],
    )


def _of_scale(
    loaded: AssessedRuns, relevant: NDArray[np.integer], variance: PerTopicVariance
) -> PerTopicVarianceOfScale:
    krcc, low, high = None, None, None
    if np.ptp(run_means(variance.scores)):
        krcc, (low, high) = variance.krcc, np.percentile(variance.taus, _PERCENTILES).tolist()
    means, drawn = variance.scores.mean(axis=0), variance.means.mean(axis=0)
    by_run = [
        RunRedrawn(run=loaded.runs[run], mean=means[run], drawn_mean=drawn[run], sd=sd)
        for run, sd in enumerate(variance.run_sds.tolist())
    ]
    by_topic = [
        TopicRedrawn(
            topic=topic,
            relevant=int(relevant[number]),
            mean=float(variance.scores[number].mean()),
            drawn_mean=float(variance.means[number].mean()),
            sd=float(np.sqrt((variance.sds[number] ** 2).mean())),
        )
        for number, topic in enumerate(loaded.topics)
    ]
    return PerTopicVarianceOfScale(
        **vars(variance) | {"krcc": krcc},
        scale="raw",
        pairs=variance.rates.size,
        krcc_low=low,
        krcc_high=high,
        significant_rate=variance.mean_rate,
        by_run=sorted(by_run, key=lambda run: -run.mean),
        by_topic=by_topic,
    )


def _seconds(study: PerTopicVarianceStudy) -> float:
    microseconds = 10 if study.model == "kde" else 4
    return study.trials * study.topics * study.runs * microseconds * 1e-6


STUDIES = {"per-topic-variance": KindOfStudy(PerTopicVarianceStudy, _compute, _seconds)}
