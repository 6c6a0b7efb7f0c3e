"""Sentences on what drift does to the scores of the later round."""

from __future__ import annotations

from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.drift.shared_topics import Consequence, UnderFactors
from roundbook.presentation.drift_verdict import headline
from roundbook.statistics.design.reasons import sentence


def consequence_sentences(done: Consequence, from_round: str) -> list[str]:
    """Return the sentences on the effects of the earlier factors on scores, ranking and sizes."""
    side = "higher" if done.bias >= 0 else "lower"
    tau = f"cannot be said: {kendall_tau_reason(done)}"
    if done.kendall_tau is not None:
        tau = f"{done.kendall_tau:.3f}, where 1 is the same order."
    reasons = {topics_reason(done, under) for under in (done.earlier, done.later)}
    return [
        f"By the factors of '{from_round}' they score {abs(done.bias):.4f} {side} on average.",
        f"Kendall's tau of the two rankings of the runs: {tau}",
        f"Topics needed: for a one-way ANOVA of {done.m} runs, the best and the worst of them"
        f" {done.min_d:g} apart on std-AB, at alpha {done.alpha:g} and beta {done.beta:g}.",
        *sorted(text for text in reasons if text),
    ]


def brief_consequence(report: DriftReport, done: Consequence) -> str:
    """Return a brief paragraph on the later round's scores by the earlier round's factors."""
    earlier, later = done.earlier, done.later
    clipped = f", {earlier.clipped_at_1:.2%} clipped at 1" if earlier.clipped_at_1 else ""
    lines = [
        f"by the factors of '{report.from_round}' the {done.runs} runs of '{report.to_round}' score"
        f" {abs(done.bias):.4f} {'higher' if done.bias >= 0 else 'lower'} on std-AB"
        f" ({earlier.mean:.4f} in place of {later.mean:.4f}{clipped})."
    ]
    if earlier.topics_needed is not None and later.topics_needed is not None:
        lines.append(
            f"Topics needed on std-AB (one-way ANOVA, m {done.m}, minD {done.min_d:g}):"
            f" {earlier.topics_needed} in place of {later.topics_needed}."
        )
    if done.kendall_tau is not None:
        lines.append(f"Kendall's tau of the two rankings: {done.kendall_tau:.3f}.")
    return " ".join(lines)


def consequence_reason(report: DriftReport) -> str | None:
    """Return the reason why the consequence for the scores is unknown; None if it is known."""
    if report.consequence is not None:
        return None
    if report.verdict == "unbridged":
        return headline(report)
    return (
        "The consequence of drift needs a topic with an sd above 0 in both rounds, and none of the"
        " topics has one."
    )


def kendall_tau_reason(done: Consequence) -> str | None:
    """Return the reason why two rankings have no Kendall's tau; None where they have one."""
    if done.kendall_tau is not None:
        return None
    return "A ranking needs at least two runs." if done.runs < 2 else "All runs tie."


def topics_reason(done: Consequence, under: UnderFactors) -> str | None:
    """Return the reason why no topic set size follows from the scores; None where one does."""
    if under.topics_needed is not None:
        return None
    if under.variance is None:
        return "A variance over topics needs at least two topics."
    if under.variance == 0:
        return "The variance is 0: no topic set size follows from it."
    arguments = {
        "runs": done.m,
        "min_d": done.min_d,
        "variance": under.variance,
        "alpha": done.alpha,
        "beta": done.beta,
    }
    too_many = sentence("too_many_topics", arguments).rstrip(".")
    return f"{too_many}: ask for a larger minD (`min_d`)."
