"""Measures of ranked lists, computed for all runs and topics at once from the judged documents.

Documents that are not judged, or not relevant, have a gain of 0, so that the relevant documents
and their ranks are all a measure needs. Reduced assessments are a mask over the judgments.

Throughout, ``R`` is a topic's number of relevant documents, ``g(r)`` the gain and ``J(r)`` the
relevance (0 or 1) of the document at rank ``r``, ``C(r)`` and ``cg(r)`` their sums down to ``r``,
``cg*(r)`` that of the ideal list, ``k`` the cutoff, by default the end of the list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.measures.hits import Hits, Judgments
from roundbook.statistics.measures.measure import Measure
from roundbook.statistics.score_matrix import AnyInts, Bools, Floats

# gdeval, the web track's program, takes this as the highest grade of every task.
_GDEVAL_GRADE = 4


def score_runs(
    measure: Measure, hits: Hits, judgments: Judgments, keep: Bools | None = None
) -> Floats:
    """Return the score matrix of a measure.

    Parameters
    ----------
    hits : Hits
        At least the relevant documents that runs retrieved.
    keep : (judgments,) bool array, optional
        The judgments that remain of the assessments; all by default.

    Returns
    -------
    (topics, runs) float array
        0 for a topic without relevant documents, and for a run that retrieved none.

    Raises
    ------
    ImpossibleStatisticError
        When a grade above 0 has no gain.

    Notes
    -----
    With ``B(r) = (C(r) + beta cg(r)) / (r + beta cg*(r))``, the blended ratio, ``P_r`` the chance
    ``g(r) / (max gain + 1)`` to stop at ``r``, and the highest gain of the task's scale::

        AP        sum_r J(r) C(r)/r  /  R        (denominator=min: / min(R, k))
        P@k       C(k) / k
        nDCG@k    sum_r g(r)/log2(r + 1)  /  the same of the ideal list; MSnDCG is another name
        nG@1      g(1) / g*(1)
        Q@k       sum_r J(r) B(r)  /  min(R, k)
        P+@k      mean of B over the relevant ranks down to the first of the highest grade
                  that the list has within k
        ERR@k     sum_r P_r/r prod_{s<r} (1 - P_s); without gains P_r = (2^grade - 1)/16
        nERR@k    ERR@k  /  ERR@k of the ideal list
        RBP@k     sum_r g(r)/max gain (1 - p) p^(r - 1); without gains g is 0 or 1
    """
    gain = _kept_gains(measure, judgments, keep)
    ideal = _ideal_lists(gain, judgments)
    lists = _retrieved(measure, gain, hits, judgments)
    scores = _SCORES[measure.family](measure, lists, ideal)
    return np.ascontiguousarray(scores.reshape(hits.runs, hits.topics).T)


def count_relevant(
    measure: Measure, judgments: Judgments, keep: Bools | None = None
) -> NDArray[np.intp]:
    """Return R, the number of documents of each topic that are relevant to a measure, (topics,)."""
    relevant = _kept_gains(measure, judgments, keep) > 0
    return np.bincount(judgments.topic[relevant], minlength=judgments.topics)


def _kept_gains(measure: Measure, judgments: Judgments, keep: Bools | None) -> Floats:
    grades = np.maximum(judgments.grade, 0)
    if measure.family in {"AP", "P"} or (measure.family == "RBP" and measure.gains is None):
        gain = (grades >= measure.rel).astype(np.float64)
    elif measure.gains is None:
        gain = grades.astype(np.float64)
    elif measure.gains == "exp":
        gain = np.exp2(grades) - 1
    else:
        gain = np.zeros(grades.size)
        unknown = grades > 0
        for grade, value in measure.gains:
            gain[grades == grade] = value
            unknown &= grades != grade
        if unknown.any():
            raise ImpossibleStatisticError(
                f"The assessments have grade {grades[unknown].max()}, which has no gain in"
                f" {measure.name}."
            )
    if measure.family == "ERR" and measure.gains is None and grades.max(initial=0) > _GDEVAL_GRADE:
        raise ImpossibleStatisticError(
            f"ERR without gains is for grades up to {_GDEVAL_GRADE}, and the assessments have"
            f" {grades.max()}; write the gains of all grades, as in ERR(gains=1:1,2:3)@20."
        )
    return gain if keep is None else np.where(keep, gain, 0.0)


class _Lists(NamedTuple):
    """The relevant documents of lists, in order of list and rank.

    ``cell`` is the number of the list and ``topic`` of its topic; ``position`` counts the relevant
    documents of a list from 1 on.
    """

    cells: int
    cell: AnyInts
    topic: AnyInts
    rank: AnyInts
    position: AnyInts
    gain: Floats
    grade: AnyInts

    def total(self, values: Floats | None = None) -> Floats:
        """Return the (cells,) sums of values over lists, or how many there are."""
        return np.bincount(self.cell, values, minlength=self.cells).astype(np.float64)

    def accumulated(self, combine: np.ufunc, values: Floats) -> Floats:
        """Return sums or products of values from the beginning of each list.

        In order of the list, so that equal lists have equal scores to the last bit.
        """
        result = values.copy()
        most = int(self.position.max(initial=0))
        order = np.argsort(self.position.astype(np.min_scalar_type(most)), kind="stable")
        bounds = np.searchsorted(self.position, np.arange(2, most + 2), sorter=order)
        for start, stop in pairwise(bounds):
            index = order[start:stop]
            result[index] = combine(result[index - 1], values[index])
        return result


def _retrieved(measure: Measure, gain: Floats, hits: Hits, judgments: Judgments) -> _Lists:
    relevant = gain[hits.judgment] > 0
    if measure.cutoff is not None:
        relevant &= hits.rank <= measure.cutoff
    index = np.flatnonzero(relevant)
    topic, judgment = hits.topic[index], hits.judgment[index]
    cell = hits.run[index].astype(np.intp) * hits.topics + topic
    return _Lists(
        hits.runs * hits.topics,
        cell,
        topic,
        hits.rank[index],
        _positions(cell),
        gain[judgment],
        judgments.grade[judgment],
    )


def _ideal_lists(gain: Floats, judgments: Judgments) -> _Lists:
    """Return a list of all relevant documents of each topic, by falling gain."""
    relevant = np.flatnonzero(gain > 0)
    order = relevant[np.lexsort((-gain[relevant], judgments.topic[relevant]))]
    topic = judgments.topic[order]
    rank = _positions(topic)
    return _Lists(judgments.topics, topic, topic, rank, rank, gain[order], judgments.grade[order])


def _positions(cell: AnyInts) -> NDArray[np.intp]:
    index = np.arange(cell.size)
    starts = np.append(True, cell[1:] != cell[:-1])[: cell.size]
    return index - np.maximum.accumulate(np.where(starts, index, 0)) + 1


def _per_topic(values: Floats, divisor: Floats) -> Floats:
    """Divide values of (runs x topics) cells by the topic's divisor; 0 where that is 0."""
    by_run = values.reshape(-1, divisor.size)
    return np.divide(by_run, divisor, out=np.zeros_like(by_run), where=divisor > 0).ravel()


def _average_precision(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    relevant = ideal.total()
    if measure.denominator == "min" and measure.cutoff:
        relevant = np.minimum(relevant, measure.cutoff)
    return _per_topic(lists.total(lists.position / lists.rank), relevant)


def _precision(measure: Measure, lists: _Lists, _: _Lists) -> Floats:
    return lists.total() / (measure.cutoff or 1)


def _discounted_gain(measure: Measure, lists: _Lists) -> Floats:
    within = lists.rank <= (measure.cutoff or inf)
    return lists.total(np.where(within, lists.gain / np.log2(lists.rank + 1.0), 0.0))


def _ndcg(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    return _per_topic(_discounted_gain(measure, lists), _discounted_gain(measure, ideal))


def _blended_ratios(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    best = np.zeros((ideal.cells, 1 + int(ideal.rank.max(initial=0))))
    best[ideal.cell, ideal.rank] = ideal.gain
    best = best.cumsum(axis=1)
    ideal_gain = best[lists.topic, np.minimum(lists.rank, best.shape[1] - 1)]
    gain = lists.accumulated(np.add, lists.gain)
    return (lists.position + measure.beta * gain) / (lists.rank + measure.beta * ideal_gain)


def _q_measure(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    relevant = np.minimum(ideal.total(), measure.cutoff or inf)
    return _per_topic(lists.total(_blended_ratios(measure, lists, ideal)), relevant)


def _p_plus(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    starts = np.flatnonzero(lists.position == 1)
    if not starts.size:
        return np.zeros(lists.cells)
    of_list = np.cumsum(lists.position == 1) - 1
    index = np.arange(lists.cell.size)
    highest = lists.grade == np.maximum.reduceat(lists.grade, starts)[of_list]
    preferred = np.minimum.reduceat(np.where(highest, index, index.size), starts)[of_list]
    within = (index <= preferred).astype(np.float64)
    count = lists.total(within)
    ratios = lists.total(within * _blended_ratios(measure, lists, ideal))
    return np.divide(ratios, count, out=ratios, where=count > 0)


def _expected_reciprocal_rank(measure: Measure, lists: _Lists, _: _Lists) -> Floats:
    if measure.gains is None:
        stop = (np.exp2(lists.grade) - 1) / 2**_GDEVAL_GRADE
    else:
        stop = lists.gain / (_highest_gain(measure) + 1)
    going_on = np.append(1.0, lists.accumulated(np.multiply, 1 - stop)[:-1])[: stop.size]
    going_on[lists.position == 1] = 1
    within = lists.rank <= (measure.cutoff or inf)
    return lists.total(np.where(within, stop * going_on / lists.rank, 0.0))


def _nerr(measure: Measure, lists: _Lists, ideal: _Lists) -> Floats:
    reached, best = (
        _expected_reciprocal_rank(measure, of_lists, ideal) for of_lists in (lists, ideal)
    )
    return _per_topic(reached, best)


def _rank_biased_precision(measure: Measure, lists: _Lists, _: _Lists) -> Floats:
    p = measure.p or 0.0
    return lists.total(lists.gain / _highest_gain(measure) * (1 - p) * p ** (lists.rank - 1.0))


def _highest_gain(measure: Measure) -> float:
    return measure.gains[-1][1] if isinstance(measure.gains, tuple) else 1.0


_SCORES: Mapping[str, Callable[[Measure, _Lists, _Lists], Floats]] = {
    "AP": _average_precision,
    "P": _precision,
    "nDCG": _ndcg,
    "MSnDCG": _ndcg,
    "nG": _ndcg,
    "Q": _q_measure,
    "P+": _p_plus,
    "nERR": _nerr,
    "ERR": _expected_reciprocal_rank,
    "RBP": _rank_biased_precision,
}
