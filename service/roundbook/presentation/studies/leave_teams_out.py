"""Pilots of fewer teams in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies import pilots
from roundbook.presentation.studies.common import computed_scores, percent
from roundbook.presentation.studies.pilots import pilot_protocol, remarks, sizes, tables

if TYPE_CHECKING:
    from roundbook.logbook.studies.leave_teams_out import LeaveTeamsOutStudy

__all__ = ["FIGURE", "protocol", "remarks", "sentences", "tables"]
FIGURE = ("topics planned", "{:,}")


def sentences(study: LeaveTeamsOutStudy) -> list[str]:
    """Return the sentences on the topics planned by the whole round and by small pilots."""
    return pilots.sentences(study) + computed_scores(study, study.known_depth)


def protocol(study: LeaveTeamsOutStudy) -> str:
    """Return every convention of leaving teams out in one sentence."""
    alone = ""
    if study.runs_without_team:
        alone = f", of which {study.runs_without_team} are runs without team"
    scores = "on the same scores and so by the same relevance assessments"
    if study.mode == "reduce":
        assessed = study.qrels or f"revision {study.revision}"
        scores = (
            f"by the relevance assessments ({assessed}) without the documents that"
            f" pooled runs of the teams left out have to rank {study.pool_depth} and no other pooled"
            f" run has; {_share(study.judged_share)} of the pooled runs' documents to that rank are"
            f" judged, and they are {_share(study.explained_share)} of the judged documents, of"
            " which the others always remain"
        )
    return pilot_protocol(
        study,
        f"variance of the runs of {sizes(study)}, drawn {study.trials:,} times each"
        f" without replacement from {study.teams}{alone}, {scores}",
    )


def _share(share: float | None) -> str:
    return "?" if share is None else percent(share)
