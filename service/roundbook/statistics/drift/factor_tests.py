"""Significance tests of drift on shared topics, and comparison of rounds without shared topics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import LARGEST_SCORE
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
from roundbook.statistics.t_interval import t_interval
from roundbook.statistics.ties import centred_rows, tied_topics


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

    Returns
    -------
    DriftTests
        A test that does not exist, as without spread, has a reason in place of numbers.

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
    used = ~tied_topics(old)
    mean_from, mean_to = centred_rows(old)[0][used], centred_rows(new)[0][used]
    return DriftTests(
        by_topic=tuple(
            TopicTests(*outcomes)
            for outcomes in zip(
                welch,
                _holm_on(used, welch),
                spread,
                _holm_on(used, spread),
                strict=True,
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


@dataclass(frozen=True)
class Spread:
    """Distribution of one factor over a round's topics.

    Attributes
    ----------
    topics : int
    mean : float
    sd : float or None
        Sample sd (ddof 1); None with one topic.
    least, lower_quartile, median, upper_quartile, largest : float
        Quantiles, linearly interpolated.
    """

    topics: int
    mean: float
    sd: float | None
    least: float
    lower_quartile: float
    median: float
    upper_quartile: float
    largest: float


@dataclass(frozen=True)
class Comparison:
    """One factor over the topics of two rounds, and tests that they look alike.

    Attributes
    ----------
    earlier, later : Spread
    welch : Outcome
        Of the later topics' mean against the earlier topics'.
    brown_forsythe : Outcome
        Of their spread.
    """

    earlier: Spread
    later: Spread
    welch: Outcome
    brown_forsythe: Outcome


@dataclass(frozen=True)
class FactorComparison:
    """Factors of two rounds that share no topic; no evidence on whether factors hold.

    Attributes
    ----------
    means, sds : Comparison
        Of the topics' mean scores, and of the sds of scores on a topic.
    """

    means: Comparison
    sds: Comparison


def compare_factors(
    mean_from: ArrayLike, sd_from: ArrayLike, mean_to: ArrayLike, sd_to: ArrayLike
) -> FactorComparison:
    """Compare the distributions of factors over the topics of two rounds that share none.

    Welch's t test and the Brown-Forsythe test with topics as the sample, beside the quantiles. This
    compares the rounds' topics only: as other topics may be harder or easier for every system
    alike, a difference is no evidence on drift of factors, however significant, and no verdict on
    them.

    Parameters
    ----------
    mean_from, sd_from : (topics of the earlier round,) array_like of float
        Factors of all its topics, in the measure's unit; sds with ddof 1.
    mean_to, sd_to : (topics of the later round,) array_like of float
        Those of the later round.

    Returns
    -------
    FactorComparison
        A test that does not exist, as with a single topic, has a reason in place of numbers.

    Raises
    ------
    ImpossibleStatisticError
        If a round has no topic, its means and sds differ in number or are not finite, or an sd is
        negative.

    Examples
    --------
    >>> means = compare_factors([0.2, 0.3, 0.7], [0.1, 0.1, 0.2], [0.4, 0.8], [0.2, 0.2]).means
    >>> means.earlier.median, round(means.welch.p_value, 2)
    (0.3, 0.51)
    """
    before = _checked_factors("earlier", mean_from, sd_from)
    after = _checked_factors("later", mean_to, sd_to)
    return FactorComparison(_compare(before[0], after[0]), _compare(before[1], after[1]))


def _compare(first: Floats, second: Floats) -> Comparison:
    rows = first[np.newaxis], second[np.newaxis]
    return Comparison(
        _spread(first), _spread(second), welch_tests(*rows)[0], brown_forsythe_tests(*rows)[0]
    )


def _spread(values: Floats) -> Spread:
    centre = t_interval(values).mean
    assert centre is not None
    sd = float(np.std(values - values[0], ddof=1)) if values.size > 1 else None
    quantiles = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return Spread(values.size, centre, sd, *quantiles)


def _checked_factors(name: str, mean: ArrayLike, sd: ArrayLike) -> tuple[Floats, Floats]:
    means, sds = np.asarray(mean, dtype=np.float64), np.asarray(sd, dtype=np.float64)
    if means.ndim != 1 or means.shape != sds.shape or not means.size:
        raise ImpossibleStatisticError(
            f"A comparison of rounds needs one mean and one sd for each topic of the {name}"
            f" round, and at least one topic: the shapes are {means.shape} and {sds.shape}."
        )
    usable = (np.abs(means) <= LARGEST_SCORE) & (sds <= LARGEST_SCORE) & (sds >= 0)
    if not usable.all():
        raise ImpossibleStatisticError(
            f"A comparison of rounds needs finite factors, and the {name} round has one that is"
            " not, or a negative sd."
        )
    return means, sds
