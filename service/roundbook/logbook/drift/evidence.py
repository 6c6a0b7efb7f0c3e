"""What a drift report says beside its assessment: on shared topics, and on recurring systems."""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress

import numpy as np
from pydantic import Field

from roundbook.errors import ImpossibleStatisticError
from roundbook.logbook.drift.assessment import RoundCounts
from roundbook.logbook.drift.compared_rounds import ComparedRound, RoundPair
from roundbook.logbook.result import Result
from roundbook.requests.plans import ALPHA, BETA
from roundbook.statistics.design import solve_topics
from roundbook.statistics.drift import shared_topics
from roundbook.statistics.drift.any_topics import RecurringAndOthers, recurring_drift
from roundbook.statistics.drift.assessment import DriftAssessment
from roundbook.statistics.significance import Outcome
from roundbook.statistics.standardisation import CENTRE, SLOPE, ZeroSd, standardise


class TopicDrift(Result):
    """The factors of a shared topic in both rounds, and tests on the runs' scores.

    `shift` is (mean_to - mean_from) / sd_from and `sd_ratio` sd_to / sd_from; None where an sd
    of 0 leaves them undefined. The tests are Welch's t on the means and Brown-Forsythe on the
    spread; `welch_p_holm` and `brown_forsythe_p_holm` are adjusted over topics, None on a topic
    that the first round ties on. `untested` has the codes of the reasons for missing outcomes; in
    reports of earlier versions it is a sentence.
    """

    topic: str
    mean_from: float
    sd_from: float
    mean_to: float
    sd_to: float
    shift: float | None
    sd_ratio: float | None
    welch_t: float | None
    welch_dof: float | None
    welch_p: float | None
    welch_p_holm: float | None
    brown_forsythe_f: float | None
    brown_forsythe_dof: float | None
    brown_forsythe_p: float | None
    brown_forsythe_p_holm: float | None
    untested: list[str] | str | None


class DriftTests(Result):
    """Tests on the standardising runs' scores, as if runs were fixed and independent.

    If the rounds have different systems, they are often significant where nothing moved. They are
    over the shared `topics` that the first round does not tie on, and in reports of earlier
    versions, where `topics` is None, over all shared ones. `welch_significant` and
    `brown_forsythe_significant` count the topics whose adjusted p value is below `alpha`.
    `paired_t` and `wilcoxon` compare the topics' means, `pearson` and `kendall` correlate them, to
    see whether topics keep their hardness.
    """

    topics: int | None = Field(default=None, exclude_if=lambda value: value is None)
    standardising_from: str
    standardising_to: str
    runs_from: int
    runs_to: int
    alpha: float
    welch_significant: int
    brown_forsythe_significant: int
    paired_t: Outcome
    wilcoxon: Outcome
    pearson: Outcome
    kendall: Outcome


class UnderFactors(Result):
    """The runs' scores on std-AB under one round's factors.

    `clipped_at_0` and `clipped_at_1` are the shares of scores beyond 0 and 1; `variance` is the
    one-way residual variance, None with one topic, and `topics_needed` the topic set size that it
    implies, None for a variance of 0 and for more than 10 million topics.
    """

    mean: float
    clipped_at_0: float
    clipped_at_1: float
    variance: float | None
    topics_needed: int | None


class Consequence(Result):
    """The later round's runs on the shared topics, by the earlier round's factors and by its own.

    `topics` counts those that are standardised by both rounds' factors, so that tied ones count
    unless `zero_sd` is ``drop``. `bias` is the mean score under the earlier factors less that under
    the later ones. `kendall_tau` is tau-b of the two rankings of the runs, None for one run or if
    all runs tie. The topic set sizes are for comparing `m` runs with a smallest difference `min_d`
    worth detecting on the std-AB scale (one-way ANOVA).
    """

    topics: int
    runs: int
    zero_sd: str
    a: float
    b: float
    earlier: UnderFactors
    later: UnderFactors
    bias: float
    kendall_tau: float | None
    m: int
    min_d: float
    alpha: float
    beta: float
    engine: str


def compare_topics(
    pair: RoundPair, drift: DriftAssessment
) -> tuple[DriftTests | None, list[TopicDrift]]:
    """Return tests of the standardising runs' scores over all shared topics, and on each of them.

    The topics have their recorded factors. Without a shared topic there are no tests.
    """
    if not pair.shared_first:
        return None, []
    tests = shared_topics.drift_tests(*pair.standardising_scores)
    over_topics = DriftTests(
        **vars(tests),
        standardising_from=pair.first.fitted.standardising,
        standardising_to=pair.later.fitted.standardising,
        alpha=ALPHA,
        welch_significant=_significant(test.welch_holm for test in tests.by_topic),
        brown_forsythe_significant=_significant(
            test.brown_forsythe_holm for test in tests.by_topic
        ),
    )
    return over_topics, [
        TopicDrift(
            topic=pair.first.topics[first],
            mean_from=float(pair.first.mean[first]),
            sd_from=float(pair.first.sd[first]),
            mean_to=float(pair.later.mean[later]),
            sd_to=float(pair.later.sd[later]),
            shift=None if math.isnan(shift) else float(shift),
            sd_ratio=float(sd_ratio) if sd_ratio > 0 else None,
            welch_t=test.welch.statistic,
            welch_dof=test.welch.dof,
            welch_p=test.welch.p_value,
            welch_p_holm=test.welch_holm,
            brown_forsythe_f=test.brown_forsythe.statistic,
            brown_forsythe_dof=test.brown_forsythe.dof,
            brown_forsythe_p=test.brown_forsythe.p_value,
            brown_forsythe_p_holm=test.brown_forsythe_holm,
            untested=list(filter(None, (test.welch.reason, test.brown_forsythe.reason))) or None,
        )
        for first, later, shift, sd_ratio, test in zip(
            pair.shared_first,
            pair.shared_later,
            drift.shifts,
            drift.sd_ratios,
            tests.by_topic,
            strict=True,
        )
    ]


def _significant(p_values: Iterable[float | None]) -> int:
    return sum(p_value is not None and p_value < ALPHA for p_value in p_values)


def compare_scores(pair: RoundPair, m: int, min_d: float) -> Consequence | None:
    """Standardise the later round's runs on the shared topics by both rounds' factors.

    All runs of the later round are used, not only the standardising runs. None if no shared topic
    can be standardised by both rounds' factors.
    """
    first, later = pair.first, pair.later
    # Both need the same topics, so the policy that drops topics applies to both.
    zero_sd: ZeroSd = (
        "drop" if "drop" in (first.fitted.zero_sd, later.fitted.zero_sd) else "average"
    )
    try:
        compared = shared_topics.drift_consequence(
            later.scores[pair.shared_later],
            (first.mean[pair.shared_first], first.sd[pair.shared_first]),
            (later.mean[pair.shared_later], later.sd[pair.shared_later]),
            zero_sd=zero_sd,
        )
    except ImpossibleStatisticError:
        return None
    fields = vars(compared) | {
        "earlier": _under_factors(compared.earlier, m, min_d),
        "later": _under_factors(compared.later, m, min_d),
    }
    return Consequence(
        **fields,
        zero_sd=zero_sd,
        a=SLOPE,
        b=CENTRE,
        m=m,
        min_d=min_d,
        alpha=ALPHA,
        beta=BETA,
        engine="exact",
    )


def _under_factors(scores: shared_topics.ScoresUnderFactors, m: int, min_d: float) -> UnderFactors:
    topics = None
    if scores.variance:
        with suppress(ImpossibleStatisticError):  # more topics than any design takes
            size = solve_topics(
                "anova", min_d, scores.variance, ALPHA, BETA, engine="exact", runs=m
            )
            topics = int(size.topics)
    return UnderFactors(**vars(scores), topics_needed=topics)


class RecurringSystem(Result):
    """A system of both rounds: its mean standardised score (std) by the factors of each round.

    Several runs of a system in a round count by their mean.
    """

    system: str
    runs_from: list[str]
    runs_to: list[str]
    mean_from: float
    mean_to: float
    difference: float


class RecurringSystems(Result):
    """The changes of recurring systems' standardised means, in sds of each topic's runs.

    Means are over all topics of a round, shared or not, and intervals are t intervals over systems.
    `against_others` is the mean difference less that of the other standardising runs, None where a
    round has no others. `standardising` counts the standardising runs, `of_recurring` those of
    these systems. `why` is a code; see
    `roundbook.statistics.drift.any_topics.RecurringDrift`. `tied_round` is a round in which
    no topic has an sd above 0: then the `count` systems that ran in both rounds are not listed.
    """

    # The defaults are for reports saved before these keys existed.

    verdict: str
    why: str | None = None
    count: int | None = None
    tied_round: str | None = None
    mean_difference: float | None
    mean_difference_95: tuple[float, float] | None
    mean_difference_90: tuple[float, float] | None
    against_others: float | None = None
    against_others_95: tuple[float, float] | None = None
    against_others_90: tuple[float, float] | None = None
    standardising: RoundCounts | None = None
    of_recurring: RoundCounts | None = None
    margin: float
    systems: list[RecurringSystem]


def compare_recurring_systems(
    first: ComparedRound, later: ComparedRound, margin: float
) -> RecurringSystems | None:
    """Compare the systems that ran in both rounds; None where there are none.

    The margin is the largest mean difference that does not matter, in sds.
    """
    runs_first, runs_later = _runs_by_system(first), _runs_by_system(later)
    names = [name for name in runs_first if name in runs_later]
    if not names:
        return None
    # Without an sd above 0 every run would have the standardised score 0, whatever its scores.
    tied = next((entry for entry in (first, later) if not (entry.sd > 0).any()), None)
    if tied is not None:
        return RecurringSystems(
            verdict="unbridged",
            count=len(names),
            tied_round=tied.fitted.round,
            mean_difference=None,
            mean_difference_95=None,
            mean_difference_90=None,
            margin=margin,
            systems=[],
        )
    means: list[list[float]] = []
    standardising: list[RecurringAndOthers] = []
    for entry, runs in ((first, runs_first), (later, runs_later)):
        policy: ZeroSd = "drop" if entry.fitted.zero_sd == "drop" else "average"
        by_topic = standardise(entry.scores, entry.mean, entry.sd, policy)
        std = by_topic[~np.isnan(by_topic[:, 0])].mean(axis=0)
        means.append([float(std[runs[name]].mean()) for name in names])
        recurring = np.zeros(std.size, dtype=bool)
        recurring[[index for name in names for index in runs[name]]] = True
        standardising.append(
            RecurringAndOthers(
                int((entry.standardising & recurring).sum()), std[entry.standardising & ~recurring]
            )
        )
    drift = recurring_drift(means[0], means[1], *standardising, margin=margin)
    systems = [
        RecurringSystem(
            system=name,
            runs_from=[first.runs[run] for run in runs_first[name]],
            runs_to=[later.runs[run] for run in runs_later[name]],
            mean_from=mean_from,
            mean_to=mean_to,
            difference=mean_to - mean_from,
        )
        for name, mean_from, mean_to in zip(names, *means, strict=True)
    ]
    return RecurringSystems(
        **vars(drift) | {"systems": systems},
        count=len(names),
        standardising=_counts(entry.standardising.sum() for entry in (first, later)),
        of_recurring=_counts(runs.recurring for runs in standardising),
    )


def _counts(numbers: Iterable[int]) -> RoundCounts:
    from_, to = map(int, numbers)
    return RoundCounts(from_=from_, to=to)


def _runs_by_system(entry: ComparedRound) -> dict[str, list[int]]:
    runs: dict[str, list[int]] = {}
    for index, system in enumerate(entry.systems):
        if system is not None:
            runs.setdefault(system, []).append(index)
    return runs
