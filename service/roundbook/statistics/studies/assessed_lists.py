"""Ranked lists of runs, reduced to what average precision depends on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.measures.hits import Hits, Judgments, relevant_hits
from roundbook.statistics.score_matrix import AnyInts, Floats


@dataclass(frozen=True, eq=False)
class AssessedLists:
    """The ranks of the relevant documents in the lists of runs.

    Attributes
    ----------
    lengths : (topics, runs) int array
        Documents in each list.
    relevant : (topics,) int array
        Relevant documents of each topic, R, retrieved or not.
    run, topic, rank : (hits,) int array
        The relevant documents retrieved, in order of run, topic and rank; ranks begin at 1.
    scores : (runs, topics, depth) float array or None
        Of the documents by rank; beyond the end of a list anything. Only the model KDE needs them.
    """

    lengths: AnyInts
    relevant: AnyInts
    run: AnyInts
    topic: AnyInts
    rank: AnyInts
    scores: NDArray[np.floating] | None = None

    def cut(self, depth: int) -> AssessedLists:
        """Return the lists cut to a depth."""
        kept = self.rank <= depth
        return replace(
            self,
            lengths=np.minimum(self.lengths, depth),
            run=self.run[kept],
            topic=self.topic[kept],
            rank=self.rank[kept],
            scores=None if self.scores is None else self.scores[:, :, :depth],
        )

    def cells(self) -> Iterator[tuple[int, int, AnyInts]]:
        """Yield topic, run and ranks of the relevant documents of each list that has any."""
        topics = len(self.relevant)
        codes, starts = np.unique(self.run * topics + self.topic, return_index=True)
        for code, ranks in zip(codes.tolist(), np.split(self.rank, starts[1:]), strict=False):
            yield code % topics, code // topics, ranks

    def average_precision(self) -> Floats:
        """Return the average precision of each list, (topics, runs); 0 without relevant ones."""
        scores = np.zeros(self.lengths.shape)
        for topic, run, ranks in self.cells():
            precisions = np.arange(1, ranks.size + 1) / ranks
            scores[topic, run] = precisions.sum() / self.relevant[topic]
        return scores


def assess_lists(
    lengths: AnyInts, hits: Hits, judgments: Judgments, scores: NDArray[np.floating] | None = None
) -> AssessedLists:
    """Return the lists of runs with their relevant documents, those of a grade above 0.

    `lengths` are (topics, runs), `scores` (runs, topics, depth).
    """
    retrieved = relevant_hits(hits, judgments)
    relevant = np.bincount(judgments.topic[judgments.grade > 0], minlength=judgments.topics)
    return AssessedLists(lengths, relevant, retrieved.run, retrieved.topic, retrieved.rank, scores)
