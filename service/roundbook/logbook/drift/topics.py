"""Drift topic by topic: the factors of each bridge, and the tests on the scores behind them."""

from __future__ import annotations

import math

from roundbook.logbook.drift.ends import Bridges, End
from roundbook.logbook.result import Result
from roundbook.statistics.drift.assessment import DriftAssessment
from roundbook.statistics.drift.factor_tests import DriftTests as Tested
from roundbook.statistics.drift.factor_tests import TopicTests, drift_tests
from roundbook.statistics.significance.two_sample_tests import Outcome

ALPHA = 0.05


class Significance(Result):
    """What a two-sided test says; without a statistic, `reason` says why there is none."""

    statistic: float | None
    dof: float | None
    p_value: float | None
    reason: str | None


class TopicDrift(Result):
    """A shared topic's factors in both rounds, and the tests on the runs' scores.

    `shift` is (mean_to - mean_from) / sd_from and `sd_ratio` sd_to / sd_from; None where an sd
    of 0 leaves them undefined. The tests are Welch's t of the means and Brown-Forsythe of the
    spread; `welch_p_holm` and `brown_forsythe_p_holm` are adjusted over topics. Where one has no
    outcome, `untested` says why.
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
    untested: str | None


class DriftTests(Result):
    """Tests on the standardising runs' scores: whether anything moved, not whether it matters.

    `welch_significant` and `brown_forsythe_significant` count the topics whose adjusted p value
    is below `alpha`. `paired_t` and `wilcoxon` are of the topics' means, `pearson` and `kendall`
    correlate them: is topic hardness preserved?
    """

    standardising_from: str
    standardising_to: str
    runs_from: int
    runs_to: int
    alpha: float
    welch_significant: int
    brown_forsythe_significant: int
    paired_t: Significance
    wilcoxon: Significance
    pearson: Significance
    kendall: Significance


def significance(outcome: Outcome) -> Significance:
    """Return a test's outcome as a result."""
    return Significance(
        statistic=outcome.statistic, dof=outcome.dof, p_value=outcome.p_value, reason=outcome.reason
    )


def tests_on_bridges(old: End, before: list[int], new: End, after: list[int]) -> Tested | None:
    """Test the standardising runs' scores on the bridges; None without a bridge.

    Parameters
    ----------
    before, after : list of int
        The bridges' places among the topics of `old` and of `new`.
    """
    if not before:
        return None
    return drift_tests(old.standardising_scores(before), new.standardising_scores(after))


def over_topics(tests: Tested | None, old: End, new: End) -> DriftTests | None:
    """Return what the tests say over all bridges."""
    if tests is None:
        return None
    adjusted = [(each.welch_holm, each.brown_forsythe_holm) for each in tests.by_topic]
    return DriftTests(
        standardising_from=old.fitted.standardising,
        standardising_to=new.fitted.standardising,
        runs_from=tests.runs_from,
        runs_to=tests.runs_to,
        alpha=ALPHA,
        welch_significant=sum(p is not None and p < ALPHA for p, _ in adjusted),
        brown_forsythe_significant=sum(p is not None and p < ALPHA for _, p in adjusted),
        paired_t=significance(tests.paired_t),
        wilcoxon=significance(tests.wilcoxon),
        pearson=significance(tests.pearson),
        kendall=significance(tests.kendall),
    )


def topic_rows(
    old: End, new: End, bridges: Bridges, drift: DriftAssessment, tests: Tested | None
) -> list[TopicDrift]:
    """Return one row a bridge, with the factors as they are recorded."""
    if tests is None:
        return []
    return [
        TopicDrift(
            topic=old.topics[before],
            mean_from=float(old.mean[before]),
            sd_from=float(old.sd[before]),
            mean_to=float(new.mean[after]),
            sd_to=float(new.sd[after]),
            shift=None if math.isnan(shift) else float(shift),
            sd_ratio=float(sd_ratio) if sd_ratio > 0 else None,
            welch_t=tested.welch.statistic,
            welch_dof=tested.welch.dof,
            welch_p=tested.welch.p_value,
            welch_p_holm=tested.welch_holm,
            brown_forsythe_f=tested.brown_forsythe.statistic,
            brown_forsythe_dof=tested.brown_forsythe.dof,
            brown_forsythe_p=tested.brown_forsythe.p_value,
            brown_forsythe_p_holm=tested.brown_forsythe_holm,
            untested=_untested(tested),
        )
        for before, after, shift, sd_ratio, tested in zip(
            bridges.before,
            bridges.after,
            drift.shifts,
            drift.sd_ratios,
            tests.by_topic,
            strict=True,
        )
    ]


def _untested(tested: TopicTests) -> str | None:
    reasons = [each.reason for each in (tested.welch, tested.brown_forsythe) if each.reason]
    return " ".join(reasons) or None


def tests_sentences(
    tests: DriftTests, from_round: str, to_round: str, shared_topics: int
) -> list[str]:
    """Return what the tests say, and that the verdict is not theirs."""
    who = [
        f"{runs}{'' if which == 'all' else f' {which}'} runs of '{label}'"
        for runs, which, label in (
            (tests.runs_from, tests.standardising_from, from_round),
            (tests.runs_to, tests.standardising_to, to_round),
        )
    ]
    return [
        f"Tests on the {who[0]} and the {who[1]}. They say whether anything moved, not whether it"
        " matters; the verdict does not rest on them.",
        f"- Topic by topic, the mean moved on {tests.welch_significant} of {shared_topics} topics"
        f" (Welch's t), the spread on {tests.brown_forsythe_significant} (Brown-Forsythe), at p <"
        f" {tests.alpha:g} after Holm's adjustment.",
        f"- Did the means move over all topics? {_said('Paired t', tests.paired_t)};"
        f" {_said('Wilcoxon W', tests.wilcoxon)}.",
        f"- Are the hard topics still the hard ones? {_said('Pearson', tests.pearson)};"
        f" {_said('Kendall', tests.kendall)}, where 1 is the same order of topics and 0 none.",
    ]


def _said(name: str, test: Significance) -> str:
    if test.statistic is None or test.p_value is None:
        return f"{name} cannot be said ({(test.reason or '').rstrip('.')})"
    if test.p_value < 0.0001:
        return f"{name} {test.statistic:.3f}, p < 0.0001"
    return f"{name} {test.statistic:.3f}, p = {test.p_value:.4f}"
