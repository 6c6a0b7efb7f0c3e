"""Pilots of fewer topics in sentences and tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roundbook.presentation.studies.pilots import (
    pilot_protocol,
    pilot_remarks,
    pilot_sentences,
    pilot_table,
    sizes,
)

if TYPE_CHECKING:
    from roundbook.logbook.studies.topic_subsets import TopicSubsetsStudy
    from roundbook.presentation.tables import Table


def tables(study: TopicSubsetsStudy) -> list[Table]:
    """Return what pilots of each number of topics found."""
    return [pilot_table(study, "topics")]


def sentences(study: TopicSubsetsStudy) -> list[str]:
    """Return what the whole round gives, and what small pilots would have."""
    return pilot_sentences(study, "topics")


def remarks(study: TopicSubsetsStudy) -> list[str]:
    """Return which pilots have no variance, and which that of a single run."""
    return pilot_remarks(study, "topics")


def protocol(study: TopicSubsetsStudy) -> str:
    """Return every convention of topic subsets in one sentence."""
    return pilot_protocol(
        study,
        f"variance of all runs on the first {sizes(study.scales[0])} topics of {study.trials} random"
        " orders of the topics",
    )
