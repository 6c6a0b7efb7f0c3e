"""Average precision of one list as if its documents had been drawn from a larger collection.

A list of N documents, r of them relevant, becomes one with Poisson(r) relevant documents, at most
N, and nonrelevant ones for the rest, both drawn with replacement from the list (Yang, Zhang and
Song, SIGIR 2018). No list is made: what average precision needs of it are the numbers of
nonrelevant documents above the relevant ones, and these are multinomial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy

from roundbook.statistics.score_matrix import AnyInts, Floats

# Of the grid of scores, in a bandwidth of the nonrelevant ones: with 16 no chance is wrong by more
# than 0.0001. Six bandwidths away the kernel is 0 to eight digits.
_STEPS = 16
_REACH = 6
# Of a chance: far finer than the grid makes it, far coarser than rounding errors.
_DIGITS = 9
# Distribution function of Poisson(1), to the last bit. Looking numbers up in it takes half the time
# of the generator's own method.
_POISSON_1 = np.cumsum([math.exp(-1) / math.factorial(count) for count in range(19)])
# The spread that breaks ties of equal scores at random, as a share of their size.
_TIE = 1e-6


@dataclass(frozen=True, eq=False)
class ScoreDensity:
    """Kernel density estimates of one list's scores, with Gaussian kernels.

    Attributes
    ----------
    relevant : (r,) float array
        Scores of the relevant documents.
    bandwidth : float
        Of their kernel, 0 for one document.
    start, step : float
        Of the grid below.
    above : (points,) float array
        On a grid of scores, the chance that a nonrelevant document's is greater.
    """

    relevant: Floats
    bandwidth: float
    start: float
    step: float
    above: Floats


def silverman_bandwidth(scores: Floats) -> float:
    """Return ``sd (3 n / 4)^(-1/5)``, sd with ddof 1; 0 for a single score or equal ones."""
    if scores.size < 2:
        return 0.0
    return float(scores.std(ddof=1) * (0.75 * scores.size) ** -0.2)


def score_density(scores: Floats, ranks: AnyInts) -> ScoreDensity:
    """Estimate the densities of the scores of one list's relevant and nonrelevant documents.

    Bandwidths are Silverman's (:func:`silverman_bandwidth`). Where all nonrelevant documents have
    the same score both are at least a millionth of it, so that ties are broken at random.

    Parameters
    ----------
    scores : (length,) float array
        In the order of the list.
    ranks : (r,) int array
        Of the relevant documents, from 1; not all of the list.
    """
    relevant = np.zeros(scores.size, dtype=bool)
    relevant[ranks - 1] = True
    nonrelevant = scores[~relevant]
    low, high = float(nonrelevant.min()), float(nonrelevant.max())
    bandwidth, own = silverman_bandwidth(nonrelevant), silverman_bandwidth(scores[relevant])
    if low == high:
        bandwidth = _TIE * max(abs(high), 1.0)
        own = max(own, bandwidth)
    step = bandwidth / _STEPS
    start = low - (_REACH + 1) * bandwidth
    points = math.ceil((high - low) / step) + 2 * (_REACH + 1) * _STEPS
    # Each score is shared out between the two points beside it; then the kernel is a convolution.
    at = (nonrelevant - start) / step
    left = at.astype(np.int64)
    share = at - left
    weights = np.bincount(left, 1 - share, points) + np.bincount(left + 1, share, points)
    below = np.cumsum(np.convolve(weights, _kernel(), "same")) / nonrelevant.size
    # The kernel's mass at a point lies half below it.
    below -= 0.5 * np.diff(below, prepend=0.0)
    return ScoreDensity(scores[relevant], own, start, step, 1 - below)


@cache
def _kernel() -> Floats:
    edges = np.arange(-_REACH * _STEPS, _REACH * _STEPS + 2) - 0.5
    mass = np.diff(scipy.special.ndtr(edges / _STEPS))
    return np.asarray(mass / mass.sum())


def resample_ranks(
    generator: np.random.Generator, draws: int, ranks: AnyInts, length: int, drawn: int
) -> tuple[Floats, AnyInts]:
    """Draw lists by the ranks of the relevant documents (the model BST).

    With c_i copies of the i-th relevant document, S_i copies of those above it and A_i nonrelevant
    documents above it, the sum of the precisions at relevant documents is ``sum_i c_i - A_i
    (H(S_i + c_i + A_i) - H(S_i + A_i))``, H the harmonic numbers. The c_i are Poisson(1) each
    unless they sum to more than the list; the A_i are the cumulated multinomial counts of the gaps
    between relevant documents. Takes O(draws r) time.

    Parameters
    ----------
    ranks : (r,) int array
        Of the relevant documents, from 1, ascending, at least one.
    length : int
        Documents in the list.
    drawn : int
        Documents in a drawn list, N.

    Returns
    -------
    precisions : (draws,) float array
        Sum over the relevant documents drawn of the precision at each.
    relevant : (draws,) int array
        How many these are.
    """
    copies = np.searchsorted(_POISSON_1, generator.random((draws, ranks.size)))
    relevant = copies.sum(axis=1)
    over = relevant > drawn
    if over.any():
        copies[over] = generator.multinomial(
            drawn, np.full(ranks.size, 1 / ranks.size), int(over.sum())
        )
        relevant[over] = drawn
    if length == ranks.size:
        return relevant.astype(np.float64), relevant
    # The last gap gets the rest of the counts.
    gaps = np.diff(ranks, prepend=0, append=length + 1) - 1
    above = generator.multinomial(drawn - relevant, gaps / gaps.sum())[:, :-1].cumsum(axis=1)
    harmonic = _harmonic(drawn)
    last = copies.cumsum(axis=1)
    last += above
    lost = harmonic[last]
    last -= copies
    lost -= harmonic[last]
    return relevant - np.einsum("bi,bi->b", lost, above), relevant


@cache
def _harmonic(most: int) -> Floats:
    return np.concatenate([[0.0], np.cumsum(1 / np.arange(1, most + 1))])


def resample_scores(
    generator: np.random.Generator, draws: int, density: ScoreDensity, drawn: int
) -> tuple[Floats, AnyInts]:
    """Draw lists by the densities of the scores (the model KDE).

    The chance of a nonrelevant document above a relevant one follows from the relevant one's score,
    so that the counts of nonrelevant documents between the relevant ones are multinomial.

    Parameters and results are those of :func:`resample_ranks`, but for `density`.
    """
    count = density.relevant.size
    relevant = np.minimum(generator.poisson(count, draws), drawn)
    most = max(int(relevant.max()), 1)
    scores = density.relevant[generator.integers(count, size=(draws, most))]
    scores += density.bandwidth * generator.standard_normal(scores.shape)
    order = np.arange(most)
    scores[order >= relevant[:, np.newaxis]] = -np.inf
    scores = -np.sort(-scores, axis=1)
    at = np.clip((scores - density.start) / density.step, 0, density.above.size - 1.000001)
    left = at.astype(np.int64)
    chance = density.above[left]
    chance += (at - left) * (density.above[left + 1] - chance)
    # A gap of 0 takes no random number and one of 1e-17 takes one: without rounding, processors that
    # add in another order would draw other lists.
    chance = np.maximum.accumulate(chance.clip(0, 1).round(_DIGITS), axis=1)
    gaps = np.diff(chance, prepend=0.0, append=1.0)
    above = generator.multinomial(drawn - relevant, gaps)[:, :-1].cumsum(axis=1)
    order += 1
    precisions = np.where(order <= relevant[:, np.newaxis], order / (order + above), 0.0)
    return precisions.sum(axis=1), relevant
