"""The study of pilots of all runs on fewer topics, on each scale."""

from __future__ import annotations

from functools import partial

from roundbook.logbook.session import Session, Work
from roundbook.logbook.studies.pilots import PilotsOfScale, PilotStudy, setting
from roundbook.logbook.studies.scores import study_scores
from roundbook.logbook.studies.study import KindOfStudy
from roundbook.requests.studies import TopicSubsetsRequest
from roundbook.statistics.studies.pilots import topic_subsets


class TopicSubsetsStudy(PilotStudy):
    """The results of pilots of all runs on fewer topics, whose size is the number of topics."""


def _compute(
    session: Session | None,
    request: TopicSubsetsRequest,
    work: Work,
    recorded: TopicSubsetsStudy | None,
) -> TopicSubsetsStudy:
    loaded = study_scores(session, request, work, recorded)
    scales = []
    for scale, scores in loaded.scales.items():
        pilots = topic_subsets(
            scores,
            numbers=request.topics or None,
            trials=request.trials,
            seed=request.seed,
            setting=setting(request),
            progress=partial(work.progress, f"{scale}: orders of topics"),
            mapped=work.mapped,
        )
        scales.append(PilotsOfScale(**vars(pilots), scale=scale))
    return TopicSubsetsStudy.of(request, loaded.about, scales=scales)


def _seconds(study: TopicSubsetsStudy) -> float:
    cells = sum(size.size * size.trials for scale in study.scales for size in scale.sizes)
    return 5e-8 * cells * study.runs


STUDY = KindOfStudy(TopicSubsetsStudy, _compute, _seconds)
