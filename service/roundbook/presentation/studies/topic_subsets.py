"""Pilots of fewer topics in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.pilots import pilot_protocol, remarks, sentences, sizes, tables

if TYPE_CHECKING:
    from roundbook.logbook.studies.topic_subsets import TopicSubsetsStudy

__all__ = ["protocol", "remarks", "sentences", "tables"]


def protocol(study: TopicSubsetsStudy) -> str:
    """Return every convention of topic subsets in one sentence."""
    return pilot_protocol(
        study,
        f"variance of all runs on the first {sizes(study.scales[0])} topics of {study.trials:,} random"
        " orders of the topics",
    )
