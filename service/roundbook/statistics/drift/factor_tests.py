"""Significance tests of drift on the topics that two rounds share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.score_matrix import checked_scores
from roundbook.statistics.significance.paired_tests import (
    kendall_test,
    paired_t_test,
    pearson_test,
    wilcoxon_test,
)
from roundbook.statistics.significance.two_sample_tests import (
    Outcome,
    brown_forsythe_tests,
    holm_adjusted,
    welch_tests,
)


@dataclass(frozen=True)
class TopicTests:
    """Whether the runs' scores on one topic moved between two rounds.

    Attributes
    ----------
    welch : Outcome
        Welch's t test of the later runs' mean score against the earlier runs'.
    welch_holm : float or None
        Its p value adjusted over topics.
    brown_forsythe : Outcome
        Of the spread of the runs' scores.
    brown_forsythe_holm : float or None
        Its p value adjusted over topics.
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
    paired_t, wilcoxon : Outcome
        Whether the topics' mean scores moved from the earlier to the later round.
    pearson, kendall : Outcome
        Whether the topics kept their hardness: correlation of the rounds' topic means.
    runs_from, runs_to : int
        Number of runs of either round.
    """

    by_topic: tuple[TopicTests, ...]
    paired_t: Outcome
    wilcoxon: Outcome
    pearson: Outcome
    kendall: Outcome
    runs_from: int
    runs_to: int


def drift_tests(scores_from: ArrayLike, scores_to: ArrayLike) -> DriftTests:
    """Test on each shared topic, and over all of them, whether the scores moved.

    On each topic Welch's t test and the Brown-Forsythe test of the two sets of run scores, each
    family adjusted over topics by Holm's method. The runs of a round are not independent draws, as
    teams submit several alike; the tests treat them as such and so find too much rather than too
    little. Significance is not the verdict: with many runs a shift of no importance has a small p
    value, and with few a large shift has none (see
    :func:`roundbook.statistics.drift.assessment.assess_drift`).

    Parameters
    ----------
    scores_from : (topics, runs) array_like of float
        The earlier round's scores on the shared topics, in the measure's unit.
    scores_to : (topics, runs) array_like of float
        The later round's, same topics in the same order; other runs, of any number.

    Returns
    -------
    DriftTests
        A test that does not exist, as for want of spread, has a reason in place of numbers.

    Raises
    ------
    ImpossibleStatisticError
        If the topics differ in number, or there is no topic or no run, or a cell without a finite
        score.

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
    if len(old) != len(new):
        raise ImpossibleStatisticError(
            "A test of drift needs the same topics in both rounds: there are"
            f" {len(old)} in the earlier and {len(new)} in the later one."
        )
    welch, spread = welch_tests(old, new), brown_forsythe_tests(old, new)
    mean_from, mean_to = _means(old), _means(new)
    return DriftTests(
        by_topic=tuple(
            TopicTests(*outcomes)
            for outcomes in zip(
                welch,
                holm_adjusted([test.p_value for test in welch]),
                spread,
                holm_adjusted([test.p_value for test in spread]),
                strict=True,
            )
        ),
        paired_t=paired_t_test(mean_from, mean_to),
        wilcoxon=wilcoxon_test(mean_from, mean_to),
        pearson=pearson_test(mean_from, mean_to),
        kendall=kendall_test(mean_from, mean_to),
        runs_from=old.shape[1],
        runs_to=new.shape[1],
    )


def _means(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    # From the first run, so that a topic where all runs tie has its very score as mean.
    first = scores[:, 0]
    return np.asarray(first + (scores - first[:, np.newaxis]).mean(axis=1))
