"""Common parts of studies: rounding ties, pairs of runs, and work split into seeded pieces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import MOST_TRIALS
from roundbook.statistics.score_matrix import Floats, check_seed, checked_scores, is_whole
from roundbook.statistics.ties import tied_topics

Drawn = TypeVar("Drawn")
Progress = Callable[[int, int], object]
Piece = tuple[np.random.Generator, int]
# Applies a function to the pieces of a study's work, as `map` does, possibly in other processes,
# and gives the results in order. The function must be picklable, and hold large data itself rather
# than have it in the pieces.
Mapped = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]

# Memory for the arrays of a study, whatever the number of trials.
MOST_BYTES = 64 * 2**20
# Arrays that are gone through several times stay in the processor's cache.
CACHED_CELLS = 2**17
# Trials in a piece. Each piece has its own random numbers, so that the result does not depend on
# which worker computes it, or when. A thousand trials make eight pieces.
PIECE = 125
_ROUNDING = 1e-12


def study_scores(scores: ArrayLike, study: str, *, least_topics: int = 2) -> Floats:
    """Return (topics, runs) scores as a checked matrix of at least two runs.

    Raises
    ------
    ImpossibleStatisticError
        If the matrix is too small, a cell has no finite score, or all runs tie on every topic. The
        message begins with `study`, a noun phrase.
    """
    matrix = checked_scores(scores, study, least_topics=least_topics, least_runs=2)
    if tied_topics(matrix).all():
        raise ImpossibleStatisticError(
            f"{study} needs runs that differ, and all {matrix.shape[1]} runs tie on every topic."
        )
    return matrix


def tolerance(scores: Floats) -> float:
    """Return the difference below which two means of scores are equal: ``1e-12 max(1, max |x|)``.

    Scores lie on lattices, so that means which are equal in truth are common, and the order of the
    summation makes them differ in the last bits. `scores` are on the scale of the means.
    """
    return _ROUNDING * max(1.0, float(np.abs(scores).max()))


def pairs(runs: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first and the second run of all ``runs (runs - 1) / 2`` pairs, in matrix order."""
    return np.triu_indices(runs, 1)


def pair_differences(means: Floats) -> Floats:
    """Return the differences ``mean_i - mean_k`` of (runs,) means, in the order of :func:`pairs`."""
    first, second = pairs(means.size)
    return np.asarray(means[first] - means[second])


def pieces(seed: int | np.random.SeedSequence, trials: int, size: int = PIECE) -> Iterator[Piece]:
    """Split trials into pieces of a fixed size, each with a random generator of its own.

    Yields
    ------
    generator : numpy.random.Generator
    trials : int
        Of this piece: `size`, or what is left for the last.
    """
    root = seed if isinstance(seed, np.random.SeedSequence) else np.random.SeedSequence(int(seed))
    for number, sequence in enumerate(root.spawn(math.ceil(trials / size))):
        yield np.random.default_rng(sequence), min(size, trials - number * size)


def drawn_pieces(
    work: Callable[[Piece], Drawn],
    seed: int,
    trials: int,
    progress: Progress,
    mapped: Mapped,
    size: int = PIECE,
) -> Iterator[Drawn]:
    """Yield what a function draws of each piece of the trials, and report the trials drawn."""
    done = 0
    for drawn in mapped(work, pieces(seed, trials, size)):
        yield drawn
        done = min(done + size, trials)
        progress(done, trials)


def check_trials(trials: int, seed: int) -> None:
    """Raise ImpossibleStatisticError unless trials and seed are whole and in range."""
    if not is_whole(trials, 1, MOST_TRIALS):
        raise ImpossibleStatisticError(
            f"A study needs a whole number of trials from 1 to {MOST_TRIALS:,}, not {trials}."
        )
    check_seed(seed)
