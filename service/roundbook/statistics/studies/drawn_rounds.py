"""Rounds whose lists are drawn again: average precision, the ranking and the pairs of runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from roundbook.statistics.measures.hits import Hits, Judgments, relevant_hits
from roundbook.statistics.ranking import tau_b_of_pairs
from roundbook.statistics.score_matrix import AnyInts, Floats
from roundbook.statistics.studies.common import (
    MOST_BYTES,
    Piece,
    pair_differences,
    pairs,
    tolerance,
)
from roundbook.statistics.studies.resampled_precision import (
    resample_ranks,
    resample_scores,
    score_density,
)
from roundbook.statistics.studies.swap_rate import BINS, WIDTH, difference_bins

Model = Literal["bst", "kde"]
Denominator = Literal["sampled", "fixed"]
MOST_DEPTH = 1_000

# Sums of squares come from a product of matrices, whose rounding error is this share of them.
_NO_SPREAD = 1e-12


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


@dataclass(frozen=True)
class Redrawing:
    """How lists are drawn again, with the alpha of the paired t tests in each draw.

    Attributes
    ----------
    model : {"bst", "kde"}
        Draw the documents of the list themselves (bootstrap), or scores from kernel density
        estimates of the relevant and of the nonrelevant documents' scores.
    denominator : {"sampled", "fixed"}
        What precisions are divided by: ``R - r + r*``, at least 1, with r relevant documents in the
        list and r* in the draw; or R, so that average precision may pass 1.
    depth : int
        Lists are cut to so many documents.
    padded : bool
        Draw `depth` documents also of shorter lists, as the paper seems to.
    alpha : float
        In (0, 1).
    """

    model: Model = "bst"
    denominator: Denominator = "sampled"
    depth: int = MOST_DEPTH
    padded: bool = False
    alpha: float = 0.05


class Drawing(NamedTuple):
    """The lists to draw from and the model, with the lists' own (topics, runs) average precision.

    `with_tests` is whether the t of every pair in every draw is kept.
    """

    lists: AssessedLists
    scores: Floats
    how: Redrawing
    with_tests: bool


@dataclass(frozen=True, eq=False)
class DrawnRounds:
    """Sums and counts over some draws.

    Attributes
    ----------
    sums : (2, topics, runs) float array
        Of average precision less the real one, and of its square.
    run_sums : (2, runs) float array
        The same of the run means.
    significant : (pairs,) int array
        Draws in which the pair differs significantly.
    bins : (2, 21) int array
        Comparisons and errors by the simulated difference.
    taus : (draws,) float array
    tests : (draws, pairs) complex array
        t and, as the imaginary part, the difference: complex numbers are sorted in this order. Of
        no pairs unless the drawing is `with_tests`.
    """

    sums: Floats
    run_sums: Floats
    significant: AnyInts
    bins: AnyInts
    taus: Floats
    tests: NDArray[np.complex64]


def draw_rounds(drawing: Drawing, piece: Piece) -> DrawnRounds:
    """Draw the lists of all runs and topics, as often as a piece has trials."""
    generator, draws = piece
    scores = drawing.scores
    topics, runs = scores.shape
    pair_count = runs * (runs - 1) // 2
    result = DrawnRounds(
        np.zeros((2, topics, runs)),
        np.zeros((2, runs)),
        np.zeros(pair_count, dtype=np.int64),
        np.zeros((2, BINS), dtype=np.int64),
        np.empty(draws),
        np.empty((draws, pair_count if drawing.with_tests else 0), dtype=np.complex64),
    )
    at_a_time = max(1, MOST_BYTES // 4 // (8 * scores.size))
    pairs_at_a_time = max(1, MOST_BYTES // 32 // (8 * runs * runs))
    for start in range(0, draws, at_a_time):
        block = np.zeros((min(at_a_time, draws - start), runs, topics))
        for topic, run, ranks in drawing.lists.cells():
            block[:, run, topic] = _draw_list(generator, len(block), drawing, topic, run, ranks)
        means = block.mean(axis=2)
        # The mean is not near 0, so that sums of squares about the real scores lose less.
        block -= scores.T
        result.sums[0] += block.sum(axis=0).T
        result.sums[1] += np.einsum("bij,bij->ji", block, block)
        shift = means - scores.mean(axis=0)
        result.run_sums[:] += shift.sum(axis=0), (shift**2).sum(axis=0)
        block += scores.T
        block -= block.mean(axis=1, keepdims=True)
        block -= block.mean(axis=2, keepdims=True)
        for offset in range(0, len(block), pairs_at_a_time):
            span = slice(offset, offset + pairs_at_a_time)
            _compare_pairs(drawing, means[span], block[span], start + offset, result)
    return result


def _draw_list(
    generator: np.random.Generator,
    draws: int,
    drawing: Drawing,
    topic: int,
    run: int,
    ranks: AnyInts,
) -> Floats:
    """Return the average precision of so many draws of one list."""
    lists = drawing.lists
    length = int(lists.lengths[topic, run])
    documents = drawing.how.depth if drawing.how.padded else length
    if drawing.how.model == "kde" and length > ranks.size:
        assert lists.scores is not None
        own = lists.scores[run, topic, :length].astype(np.float64)
        density = score_density(own, ranks)
        precisions, relevant = resample_scores(generator, draws, density, documents)
    else:
        precisions, relevant = resample_ranks(generator, draws, ranks, length, documents)
    whole = int(lists.relevant[topic])
    if drawing.how.denominator == "fixed":
        return precisions / whole
    return precisions / np.maximum(whole - ranks.size + relevant, 1)


def _compare_pairs(
    drawing: Drawing, means: Floats, centred: Floats, start: int, result: DrawnRounds
) -> None:
    """Add the comparisons of some draws to the result, from its draw `start` on.

    `centred` are the (draws, runs, topics) scores less the means of topics and of runs.
    """
    scores = drawing.scores
    topics, runs = scores.shape
    first, second = pairs(runs)
    slack = tolerance(scores)
    real = pair_differences(scores.mean(axis=0))
    order = np.sign(real) * (np.abs(real) > slack)
    difference = means[:, first] - means[:, second]
    difference[np.abs(difference) <= slack] = 0.0
    agreement = np.sign(difference) * order

    span = slice(start, start + len(means))
    result.taus[span] = tau_b_of_pairs(
        agreement.sum(axis=1), np.count_nonzero(order), np.count_nonzero(difference, axis=1)
    )

    size = np.abs(difference)
    bins = difference_bins(size, WIDTH)
    result.bins[0] += np.bincount(bins.ravel(), minlength=BINS)
    result.bins[1] += np.bincount(bins[agreement < 0], minlength=BINS)

    products = centred @ centred.transpose(0, 2, 1)
    own = np.einsum("bii->bi", products)
    both = own[:, first] + own[:, second]
    squares = both - 2 * products[:, first, second]
    t = np.where(size > 0, np.inf, 0.0)
    spread = squares > _NO_SPREAD * both
    size *= math.sqrt(topics * (topics - 1))
    np.divide(size, np.sqrt(np.maximum(squares, 0)), out=t, where=spread)
    result.significant[:] += (t > scipy.special.stdtrit(topics - 1, 1 - drawing.how.alpha / 2)).sum(
        axis=0
    )
    if drawing.with_tests:
        result.tests.real[span] = t
        result.tests.imag[span] = difference
