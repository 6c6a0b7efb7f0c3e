"""The consequence of drift and the tests on it, read out for somebody new to them."""

from __future__ import annotations

from service.logbook.drift.consequence import Consequence
from service.logbook.drift.topics import DriftTests, Significance


def consequence_sentences(done: Consequence, from_round: str) -> list[str]:
    """Return what the later round's runs gain or lose by the earlier round's factors."""
    side = "higher" if done.bias >= 0 else "lower"
    tau = f"cannot be said: {done.kendall_tau_reason}"
    if done.kendall_tau is not None:
        tau = f"{done.kendall_tau:.3f}, where 1 is the same order."
    reasons = {under.reason for under in (done.earlier, done.later) if under.reason}
    return [
        f"By the factors of '{from_round}' they score {abs(done.bias):.4f} {side} on average.",
        f"Kendall's tau of the two rankings of the runs: {tau}",
        f"Topics needed: for a one-way ANOVA of {done.m} runs, the best and the worst of them"
        f" {done.min_d:g} apart on std-AB, at alpha {done.alpha:g} and beta {done.beta:g}.",
        *sorted(reasons),
    ]


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
