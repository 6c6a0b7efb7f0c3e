"""The study of incremental topics: when their power suffices to find a difference."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial

from roundbook.errors import InputError, NotRecordedError
from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.scores import study_scores
from roundbook.logbook.studies.study import KindOfStudy, Study
from roundbook.requests.studies import IncrementalRequest
from roundbook.statistics.studies.incremental import (
    IncrementalTopics,
    JudgingPlan,
    incremental_topics,
)


@dataclass(frozen=True)
class IncrementalOfScale(IncrementalTopics):
    """The figures of incremental topics on one scale."""

    scale: str


class IncrementalStudy(Study):
    """When the topics judged so far have the power to find a difference between two runs.

    `pair` are the two runs, if the study is of two runs only.
    """

    difference: float
    alpha: float
    beta: float
    start: int
    step: int
    confidence: float
    pair: list[str]
    scales: list[IncrementalOfScale]


def _compute(
    session: Session | None,
    request: IncrementalRequest,
    work: Work,
    saved: IncrementalStudy | None,
) -> IncrementalStudy:
    loaded = study_scores(session, request, work, saved)
    for run in request.pair:
        if run not in loaded.runs:
            raise NotRecordedError(f"These scores have no run '{run}'.", run=run)
    columns = [
        number for number, run in enumerate(loaded.runs) if not request.pair or run in request.pair
    ]
    plan = JudgingPlan(**request.model_dump(include={field.name for field in fields(JudgingPlan)}))
    scales = []
    for scale, scores in loaded.scales.items():
        if 1 < len(scores) < request.start and len(columns) > 1:
            raise InputError(
                f"These are {len(scores)} topics, fewer than the {request.start} to be judged before"
                " the first look.",
                way_out="fewer first topics",
                topics=len(scores),
            )
        study = incremental_topics(
            scores[:, columns],
            plan,
            trials=request.trials,
            seed=request.seed,
            progress=partial(work.progress, f"{scale}: pairs and orders of topics"),
            mapped=work.mapped,
        )
        scales.append(IncrementalOfScale(**vars(study), scale=scale))
    pair = [loaded.runs[column] for column in columns] if request.pair else []
    return IncrementalStudy.of(request, loaded.source, pair=pair, scales=scales)


def _seconds(study: IncrementalStudy) -> float:
    pairs = study.runs**2 / 2
    return len(study.scales) * 2e-8 * study.topics * (pairs + 4 * study.trials)


STUDIES = {"incremental": KindOfStudy(IncrementalStudy, _compute, _seconds)}
