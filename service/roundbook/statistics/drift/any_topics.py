"""Comparison of rounds on whatever topics: recurring systems, and the distributions of factors.

Recurring systems ran in both rounds. The distributions are evidence on the topics only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from roundbook.errors import ImpossibleStatisticError
from roundbook.limits import LARGEST_SCORE, SHIFT_MARGIN
from roundbook.statistics.drift.verdict import Verdict
from roundbook.statistics.score_matrix import Floats
from roundbook.statistics.significance import Outcome, brown_forsythe_tests, welch_tests
from roundbook.statistics.t_interval import Interval, inside, outside, t_interval
from roundbook.statistics.ties import centred_rows

# If a larger share of a round's standardising runs are of recurring systems, these are mostly
# compared with themselves.
LARGEST_SHARE = 0.5

WhyRecurring = Literal[
    "all standardising runs recur", "most standardising runs recur", "against other runs"
]


@dataclass(frozen=True)
class RecurringAndOthers:
    """The standardising runs of a round: those of recurring systems, and the others.

    Attributes
    ----------
    recurring : int
        How many of them are of recurring systems.
    others : (other standardising runs,) array_like of float
        Mean over topics of the standardised scores of each other one.
    """

    recurring: int
    others: ArrayLike


@dataclass(frozen=True)
class RecurringDrift:
    """The changes of the standardised means of recurring systems, with the verdict.

    Attributes
    ----------
    verdict : {'held', 'aged', 'undecided', 'unbridged'}
        See :func:`recurring_drift`.
    why : str or None
        Why it is undecided though `mean_difference` is small: "all standardising runs recur" (in
        both rounds), "most standardising runs recur" (in one), or "against other runs", of which
        `against_others` is not known well enough. Else None.
    mean_difference : float or None
        Mean of ``mean_to - mean_from``, in sds of the topics' standardising runs; None without a
        system.
    mean_difference_90, mean_difference_95 : (float, float) or None
        Its t intervals over systems; None with fewer than two.
    against_others : float or None
        The same less the change of the other standardising runs' mean; None without other ones in
        both rounds.
    against_others_90, against_others_95 : (float, float) or None
        Its intervals.
    systems : int
        Number of systems.
    margin : float
        The input.
    """

    verdict: Verdict
    why: WhyRecurring | None
    mean_difference: float | None
    mean_difference_90: Interval | None
    mean_difference_95: Interval | None
    against_others: float | None
    against_others_90: Interval | None
    against_others_95: Interval | None
    systems: int
    margin: float


def recurring_drift(
    mean_from: ArrayLike,
    mean_to: ArrayLike,
    runs_from: RecurringAndOthers,
    runs_to: RecurringAndOthers,
    *,
    margin: float = SHIFT_MARGIN,
) -> RecurringDrift:
    """Assess whether recurring systems keep their mean scores, each round by its own factors.

    A system that has not changed should keep its mean standardised score; if all recurring systems
    lose alike, the other systems have become better, and the factors of the two rounds do not mean
    the same.

    The standardising runs of a round have the mean 0 together. Where a share w of them is of
    recurring systems, their mean is ``1 - w`` of their lead over the others: with w = 1 it is 0
    whatever happens, and with w near 1 close to it. So beside ``D``, the mean over systems of
    ``d = mean_to - mean_from``, they are measured against the others alone, whose change of mean is
    ``O = mean others_to - mean others_from``. With S systems, N_A and N_B other runs, and s the
    sample sd of d (ddof 1)::

        D      +-  t(S - 1) s sqrt(1 / S)
        D - O  +-  t(S - 1) s sqrt(1 / S + (1 / N_A + 1 / N_B) / 2)

    as the noise in d is that of two means of a run, and that of O of one for each round. By two
    one-sided tests at 5% (Schuirmann 1987) the verdict is

    - ``aged`` if the 95% interval of D lies wholly outside ``[-margin, margin]``;
    - ``held`` if the 90% intervals of D and of D - O lie inside it, and at most half of the
      standardising runs of either round are of recurring systems;
    - ``unbridged`` without a system, and else ``undecided``, as with a single one or where all
      standardising runs of both rounds are of recurring systems.

    The intervals treat systems as independent, and take the topics and the other runs as they are:
    they are too narrow for other topics and for another field.

    Parameters
    ----------
    mean_from, mean_to : (systems,) array_like of float
        Mean over topics of each system's standardised scores (std, not std-AB) under its round's
        own factors, in the same order.
    runs_from, runs_to : RecurringAndOthers
        The runs that each round's factors were fitted to.
    margin : float
        Largest mean difference that does not matter, in sds; positive.

    Raises
    ------
    ImpossibleStatisticError
        If a mean is not finite, as by a very small sd.

    Examples
    --------
    >>> others = RecurringAndOthers(3, [-0.2, 0.1, -0.1, -0.1])
    >>> drift = recurring_drift([0.4, 0.1, -0.2], [0.1, -0.3, -0.5], others, others)
    >>> drift.verdict, round(drift.mean_difference, 3)
    ('undecided', -0.333)
    >>> alone = RecurringAndOthers(3, [])
    >>> drift = recurring_drift([0.3, 0.0, -0.3], [0.3, 0.0, -0.3], alone, alone)
    >>> drift.verdict, drift.why
    ('undecided', 'all standardising runs recur')
    """
    before, after = (np.asarray(means, dtype=np.float64) for means in (mean_from, mean_to))
    others_from, others_to = (
        np.asarray(runs.others, dtype=np.float64) for runs in (runs_from, runs_to)
    )
    means = (before, after, others_from, others_to)
    if not all((np.abs(values) <= LARGEST_SCORE).all() for values in means):
        raise ImpossibleStatisticError("Recurring systems need finite means, and one is not.")
    difference = t_interval(after - before)
    against = against_90 = against_95 = None
    if others_from.size and others_to.size and difference.mean is not None:
        against = difference.mean - float(others_to.mean() - others_from.mean())
        wider = math.sqrt(1 + before.size * (1 / others_from.size + 1 / others_to.size) / 2)
        against_90, against_95 = (
            _around(against, interval, wider)
            for interval in (difference.within_90, difference.within_95)
        )
    largest_share = max(
        runs.recurring / ((runs.recurring + others.size) or 1)
        for runs, others in ((runs_from, others_from), (runs_to, others_to))
    )
    verdict: Verdict = "undecided"
    why: WhyRecurring | None = None
    if difference.mean is None:
        verdict = "unbridged"
    elif not (others_from.size or others_to.size):
        why = "all standardising runs recur"
    elif outside(difference.within_95, margin):
        verdict = "aged"
    elif largest_share > LARGEST_SHARE:
        why = "most standardising runs recur"
    elif inside(difference.within_90, margin):
        if inside(against_90, margin):
            verdict = "held"
        else:
            why = "against other runs"
    return RecurringDrift(
        verdict,
        why,
        difference.mean,
        difference.within_90,
        difference.within_95,
        against,
        against_90,
        against_95,
        before.size,
        margin,
    )


def _around(centre: float, interval: Interval | None, wider: float) -> Interval | None:
    """Return an interval moved to another centre and widened by a factor."""
    if interval is None:
        return None
    half = wider * (interval[1] - interval[0]) / 2
    return centre - half, centre + half


@dataclass(frozen=True)
class FactorSpread:
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
class FactorDistributions:
    """One factor over the topics of two rounds, and tests that they look alike.

    Attributes
    ----------
    earlier, later : FactorSpread
    welch : Outcome
        Of the later topics' mean against the earlier topics'.
    brown_forsythe : Outcome
        Of their spread.
    """

    earlier: FactorSpread
    later: FactorSpread
    welch: Outcome
    brown_forsythe: Outcome


@dataclass(frozen=True)
class FactorComparison:
    """Factors of two rounds that share no topic; no evidence on whether factors hold.

    Attributes
    ----------
    means, sds : FactorDistributions
        Of the topics' mean scores, and of the sds of scores on a topic.
    """

    means: FactorDistributions
    sds: FactorDistributions


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
        Factors of all its topics, at least one, in the measure's unit; sds with ddof 1.
    mean_to, sd_to : (topics of the later round,) array_like of float
        Those of the later round.

    Examples
    --------
    >>> means = compare_factors([0.2, 0.3, 0.7], [0.1, 0.1, 0.2], [0.4, 0.8], [0.2, 0.2]).means
    >>> means.earlier.median, round(means.welch.p_value, 2)
    (0.3, 0.51)
    """
    return FactorComparison(_compare(mean_from, mean_to), _compare(sd_from, sd_to))


def _compare(earlier: ArrayLike, later: ArrayLike) -> FactorDistributions:
    first, second = (np.asarray(values, dtype=np.float64) for values in (earlier, later))
    rows = first[np.newaxis], second[np.newaxis]
    return FactorDistributions(
        _spread(first), _spread(second), welch_tests(*rows)[0], brown_forsythe_tests(*rows)[0]
    )


def _spread(values: Floats) -> FactorSpread:
    (centre,), _ = centred_rows(values[np.newaxis])
    sd = float(np.std(values - values[0], ddof=1)) if values.size > 1 else None
    quantiles = np.quantile(values, (0.0, 0.25, 0.5, 0.75, 1.0)).tolist()
    return FactorSpread(values.size, float(centre), sd, *quantiles)
