"""Pilots of fewer topics in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.pilots import pilot_protocol, remarks, sentences, sizes, tables

if TYPE_CHECKING:
    from roundbook.logbook.studies.topic_subsets import TopicSubsetsStudy

__all__ = ["FIGURE", "protocol", "remarks", "sentences", "tables"]
FIGURE = ("topics planned", "{:,}")


def protocol(study: TopicSubsetsStudy) -> str:
    """Return every convention of topic subsets in one sentence."""
    return pilot_protocol(
        study,
        f"variance of all runs on the first {sizes(study)} of {study.trials:,} random"
        " orders of the topics",
    )
