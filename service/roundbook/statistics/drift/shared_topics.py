"""Drift on shared topics: significance tests, and its effect on a later round's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.ranking import kendall_tau
from roundbook.statistics.score_matrix import Bools, Floats, checked_scores
from roundbook.statistics.significance import (
    Outcome,
    brown_forsythe_tests,
    holm_adjusted,
    kendall_test,
    paired_t_test,
    pearson_test,
    welch_tests,
    wilcoxon_test,
)
from roundbook.statistics.standardisation import CENTRE, SLOPE, ZeroSd, standardise, std_ab
from roundbook.statistics.ties import centred_rows, tied_topics
from roundbook.statistics.variance.residual import residual_variance


@dataclass(frozen=True)
class TopicTests:
    """Tests of whether the runs' scores on one topic moved between two rounds.

    Attributes
    ----------
    welch : Outcome
        Welch's t test of the later runs' mean score against the earlier runs'.
    welch_holm : float or None
        Its p value adjusted over topics; None on a topic that the earlier runs tie on.
    brown_forsythe : Outcome
        Of the spread of the runs' scores.
    brown_forsythe_holm : float or None
        Likewise.
    """

    welch: Outcome
    welch_holm: float | None
    brown_forsythe: Outcome
    brown_forsythe_holm: float | None

    # Not a test for pytest to collect.
    __test__ = False


@dataclass(frozen=True)
class DriftTests:
    """Tests of drift, topic by topic and over topics.

    Attributes
    ----------
    by_topic : tuple of TopicTests
        In the order of the topics.
    topics : int
        Topics that the earlier runs do not tie on: the tests over topics are over these.
    paired_t, wilcoxon : Outcome
        Whether the topics' mean scores moved from the earlier to the later round.
    pearson, kendall : Outcome
        Whether the topics kept their hardness: correlation of the rounds' topic means.
    runs_from, runs_to : int
        Number of runs of either round.
    """

    by_topic: tuple[TopicTests, ...]
    topics: int
    paired_t: Outcome
    wilcoxon: Outcome
    pearson: Outcome
    kendall: Outcome
    runs_from: int
    runs_to: int


def drift_tests(scores_from: ArrayLike, scores_to: ArrayLike) -> DriftTests:
    """Test on each shared topic, and over all of them, whether the scores moved.

    On each topic Welch's t test and the Brown-Forsythe test of the two sets of run scores, each
    family adjusted over topics by Holm's method. Topics that all earlier runs tie on have no factor
    that could move: they are left out of the adjustment and of the tests over topics. The runs of a
    round are not independent draws, as teams submit several alike; the tests treat them as such and
    so find too much rather than too little. Significance is not the verdict: with many runs a shift
    of no importance has a small p value, and with few a large shift has a large one (see
    :func:`roundbook.statistics.drift.assessment.assess_drift`).

    Parameters
    ----------
    scores_from : (topics, runs) array_like of float
        The earlier round's scores on the shared topics, in the measure's unit.
    scores_to : (topics, runs) array_like of float
        The later round's, same topics in the same order; other runs, of any number.

    Raises
    ------
    ImpossibleStatisticError
        If there is no topic or no run, or a cell without a finite score.

    Examples
    --------
    >>> tests = drift_tests([[0.1, 0.2, 0.3]], [[0.2, 0.4, 0.6]])
    >>> round(tests.by_topic[0].welch.statistic, 3)
    1.549
    >>> tests.paired_t.reason
    'fewer than 2 topics'
    """
    old = checked_scores(scores_from, "A test of drift")
    new = checked_scores(scores_to, "A test of drift")
    welch, spread = welch_tests(old, new), brown_forsythe_tests(old, new)
    used = ~tied_topics(old)
    mean_from, mean_to = centred_rows(old)[0][used], centred_rows(new)[0][used]
    return DriftTests(
        by_topic=tuple(
            TopicTests(*outcomes)
            for outcomes in zip(
                welch, _holm_on(used, welch), spread, _holm_on(used, spread), strict=True
            )
        ),
        topics=int(used.sum()),
        paired_t=paired_t_test(mean_from, mean_to),
        wilcoxon=wilcoxon_test(mean_from, mean_to),
        pearson=pearson_test(mean_from, mean_to),
        kendall=kendall_test(mean_from, mean_to),
        runs_from=old.shape[1],
        runs_to=new.shape[1],
    )


def _holm_on(used: Bools, tests: Sequence[Outcome]) -> tuple[float | None, ...]:
    """Return the p values of the used topics, adjusted over these; None on the others."""
    return holm_adjusted(
        [test.p_value if counts else None for test, counts in zip(tests, used, strict=True)]
    )


@dataclass(frozen=True, eq=False)
class ScoresUnderFactors:
    """Scores on std-AB under one set of factors.

    Attributes
    ----------
    mean : float
        Mean over all cells; b if the factors are the scores' own and nothing is clipped.
    clipped_at_0, clipped_at_1 : float
        Shares of cells with ``a std + b`` below 0 and above 1.
    run_means : (runs,) float array
        Mean over topics of each run.
    variance : float or None
        One-way residual variance V_E; None with fewer than two topics.
    """

    mean: float
    clipped_at_0: float
    clipped_at_1: float
    run_means: Floats
    variance: float | None


@dataclass(frozen=True, eq=False)
class DriftConsequence:
    """The same scores under the earlier and under the later factors.

    Attributes
    ----------
    earlier, later : ScoresUnderFactors
    bias : float
        ``earlier.mean - later.mean``: how much higher these runs score by the earlier factors.
    kendall_tau : float or None
        Tau-b of the two rankings of the runs by `run_means`; None with fewer than two runs, or if
        all runs tie in a ranking.
    topics, runs : int
        Size of the matrix used: all topics, or under 'drop' those with an sd above 0 in both sets
        of factors.
    """

    earlier: ScoresUnderFactors
    later: ScoresUnderFactors
    bias: float
    kendall_tau: float | None
    topics: int
    runs: int


def drift_consequence(
    scores: ArrayLike,
    earlier: tuple[ArrayLike, ArrayLike],
    later: tuple[ArrayLike, ArrayLike],
    *,
    zero_sd: ZeroSd = "average",
) -> DriftConsequence:
    """Compare a later round's runs under the earlier factors and under the later ones.

    Both are std-AB, ``clip(a std + b, 0, 1)`` with a = .15 and b = .5 (Sakai, ICTIR 2016), on the
    topics that have factors in both rounds. Had the factors not moved, the mean would be b under
    either.

    Parameters
    ----------
    scores : (topics, runs) array_like of float
        The later round's scores on the shared topics, in the measure's unit.
    earlier, later : ((topics,), (topics,)) pairs of array_like of float
        Their factors in the earlier and in the later round, means and sds in the same order; sds
        with ddof 1.
    zero_sd : {'average', 'drop'}
        What a topic with an sd of 0 gives: b for every run under the factors that have that sd,
        or nothing, as it is left out under both.

    Raises
    ------
    ImpossibleStatisticError
        If there is no topic, before or after the dropping, or no run, or if factors do not fit the
        scores or are not usable.

    Examples
    --------
    >>> earlier, later = ([0.2, 0.5], [0.1, 0.1]), ([0.3, 0.6], [0.1, 0.1])
    >>> consequence = drift_consequence([[0.2, 0.4], [0.5, 0.7]], earlier, later)
    >>> round(consequence.bias, 3), consequence.kendall_tau
    (0.15, 1.0)
    """
    matrix = checked_scores(scores, "The consequence of drift")
    first, second = (standardise(matrix, *factors, zero_sd) for factors in (earlier, later))
    used = ~(np.isnan(first[:, 0]) | np.isnan(second[:, 0]))
    if not used.any():
        raise ImpossibleStatisticError(
            "The consequence of drift needs a topic with an sd above 0 in both rounds,"
            " and none of the topics has one."
        )
    before, after = _under(first[used]), _under(second[used])
    tau = None
    if matrix.shape[1] > 1:
        tau = kendall_tau(before.run_means, after.run_means).tau_b
    return DriftConsequence(
        earlier=before,
        later=after,
        bias=before.mean - after.mean,
        kendall_tau=tau,
        topics=int(used.sum()),
        runs=matrix.shape[1],
    )


def _under(std: Floats) -> ScoresUnderFactors:
    unclipped = SLOPE * std + CENTRE
    scaled = std_ab(std)
    return ScoresUnderFactors(
        mean=float(scaled.mean()),
        clipped_at_0=float((unclipped < 0).mean()),
        clipped_at_1=float((unclipped > 1).mean()),
        run_means=scaled.mean(axis=0),
        variance=residual_variance(scaled) if len(scaled) > 1 else None,
    )
