"""Relevance assessments of a round, and the ranks at which its runs retrieved judged documents."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.statistics.score_matrix import AnyInts, Bools


@dataclass(frozen=True, eq=False)
class Judgments:
    """Relevance assessments of a round.

    Attributes
    ----------
    topics : int
        How many topics the round has: the rows of its score matrices.
    topic : (judgments,) int array
        Index of the topic of each judgment.
    document : (judgments,) int array
        Number of the document; a document is judged once at most for a topic.
    grade : (judgments,) int array
        As given; negative grades count as 0.
    """

    topics: int
    topic: AnyInts
    document: AnyInts
    grade: AnyInts


@dataclass(frozen=True, eq=False)
class Hits:
    """Judged documents that runs retrieved, in order of run, topic, rank.

    Attributes
    ----------
    runs, topics : int
        How many the round has, with or without hits.
    run, topic : (hits,) int array
        Their indices.
    rank : (hits,) int array
        From 1 on.
    judgment : (hits,) int array
        Index into the judgments, of any grade.
    """

    runs: int
    topics: int
    run: AnyInts
    topic: AnyInts
    rank: AnyInts
    judgment: AnyInts

    def where(self, mask: Bools) -> Hits:
        """Return the hits selected by a (hits,) mask."""
        return Hits(
            self.runs,
            self.topics,
            *(part[mask] for part in (self.run, self.topic, self.rank, self.judgment)),
        )


def find_hits(lists: ArrayLike, judgments: Judgments) -> Hits:
    """Return the judged documents among those that runs retrieved.

    Parameters
    ----------
    lists : (runs, topics, depth) array_like of int
        Document numbers by rank; -1 beyond the end of a list, and for what is unknown.
    """
    lists = np.asarray(lists)
    runs, topics, _ = lists.shape
    documents = 1 + max(int(lists.max(initial=-1)), int(judgments.document.max(initial=-1)))
    by_topic = np.argsort(judgments.topic, kind="stable")
    bounds = np.searchsorted(judgments.topic, np.arange(topics + 1), sorter=by_topic)
    # Document number -1 indexes the last entry, which no judgment fills.
    judgment_of = np.full(documents + 1, -1, dtype=np.int32)
    parts = []
    for topic in range(topics):
        judged = by_topic[bounds[topic] : bounds[topic + 1]]
        judgment_of[judgments.document[judged]] = judged
        retrieved = judgment_of[lists[:, topic]]
        run, position = np.nonzero(retrieved >= 0)
        parts.append((run, np.full(run.size, topic), position + 1, retrieved[run, position]))
        judgment_of[judgments.document[judged]] = -1
    columns = [np.concatenate(column).astype(np.int32) for column in zip(*parts, strict=True)]
    order = np.argsort(columns[0], kind="stable")
    return Hits(runs, topics, *(column[order] for column in columns))


def relevant_hits(hits: Hits, judgments: Judgments, cutoff: int | None = None) -> Hits:
    """Return the hits of a grade above 0, down to a cutoff; measures need no others."""
    mask = judgments.grade[hits.judgment] > 0
    if cutoff is not None:
        mask &= hits.rank <= cutoff
    return hits.where(mask)
