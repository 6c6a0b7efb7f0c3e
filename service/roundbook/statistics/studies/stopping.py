"""Simulation of stopping rules on random pairs of runs and orders of topics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roundbook.statistics.score_matrix import Floats, Ints
from roundbook.statistics.studies.common import CACHED_CELLS, Piece, pairs

Stops = tuple[Ints, Ints]


@dataclass(frozen=True, eq=False)
class Stopping:
    """The data to draw from, and the largest sds at which the rules stop.

    Attributes
    ----------
    centred : (topics, runs) float array
        Scores less the mean of their run.
    sds : (pairs,) float array
        Over all topics.
    varying : (varying pairs,) int array
        Indices of the pairs to draw from.
    sizes : (steps,) int array
        Topics judged at each look.
    limits : (rules, steps) float array
        Those of the first rule are the sds for which the topics are enough.
    """

    centred: Floats
    sds: Floats
    varying: NDArray[np.intp]
    sizes: Ints
    limits: Floats


def pair_sds(centred: Floats, sizes: Ints) -> Iterator[Floats]:
    """Yield the (pairs,) sds, ddof 1, of the differences over the first topics, step by step.

    `centred` are (topics, runs) scores less the mean of their run, `sizes` the rising numbers of
    topics, from 2 on.
    """
    first, second = pairs(centred.shape[1])
    sums, squares = np.zeros((2, first.size))
    begin = 0
    for size in sizes:
        for row in centred[begin:size]:
            difference = row[first] - row[second]
            sums += difference
            squares += difference * difference
        begin = size
        yield _sds(sums, squares, size)


def _sds(sums: Floats, squares: Floats, topics: Ints) -> Floats:
    """Return sds, ddof 1, from the sums over topics of differences and of their squares."""
    return np.asarray(np.sqrt(np.maximum(squares - sums * sums / topics, 0) / (topics - 1)))


def draw_stops(stopping: Stopping, piece: Piece) -> Stops:
    """Draw pairs and orders of topics; count where each rule stops, and how often too early.

    Returns
    -------
    stops : (rules, steps + 1) int array
        The last are those that never stop.
    early : (rules,) int array
    """
    generator, trials = piece
    centred, sizes, limits = stopping.centred, stopping.sizes, stopping.limits
    topics, runs = centred.shape
    first, second = pairs(runs)
    stops = np.zeros((len(limits), sizes.size + 1), dtype=np.int64)
    early = np.zeros(len(limits), dtype=np.int64)
    # The largest sd for which the topics of a stop are enough; any is where none stops.
    enough = np.append(limits[0], np.inf)
    chunk = max(1, CACHED_CELLS // topics)
    for begin in range(0, trials, chunk):
        count = min(chunk, trials - begin)
        pair = generator.choice(stopping.varying, count)
        order = np.argsort(generator.random((count, topics)), axis=1)
        differences = (
            centred[order, first[pair][:, np.newaxis]] - centred[order, second[pair][:, np.newaxis]]
        )
        sums = differences.cumsum(axis=1)[:, sizes - 1]
        squares = np.square(differences).cumsum(axis=1)[:, sizes - 1]
        so_far = _sds(sums, squares, sizes)
        for rule, largest in enumerate(limits):
            enough_so_far = so_far <= largest
            at = np.where(enough_so_far.any(axis=1), enough_so_far.argmax(axis=1), sizes.size)
            stops[rule] += np.bincount(at, minlength=sizes.size + 1)
            early[rule] += (stopping.sds[pair] > enough[at]).sum()
    return stops, early
