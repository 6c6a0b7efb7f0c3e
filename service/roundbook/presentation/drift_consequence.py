"""Sentences on the consequence of drift for the scores of the later round."""

from __future__ import annotations

from roundbook.logbook.drift.evidence import Consequence, UnderFactors
from roundbook.logbook.drift.report import DriftReport
from roundbook.presentation.drift_verdict import headline
from roundbook.statistics.design.inputs import sentence


def consequence_sentences(consequence: Consequence, from_round: str) -> list[str]:
    """Return the sentences on the effects of the earlier factors on scores, ranking and sizes."""
    side = "higher" if consequence.bias >= 0 else "lower"
    tau = f"cannot be said: {kendall_tau_reason(consequence)}"
    if consequence.kendall_tau is not None:
        tau = f"{consequence.kendall_tau:.3f}, where 1 is the same order."
    sides = (consequence.earlier, consequence.later)
    reasons = {topics_reason(consequence, scores) for scores in sides}
    return [
        f"By the factors of '{from_round}' they score {abs(consequence.bias):.4f} {side} on average.",
        f"Kendall's tau of the two rankings of the runs: {tau}",
        f"Topics needed: for a one-way ANOVA of {consequence.m} runs, the best and the worst of them"
        f" {consequence.min_d:g} apart on std-AB, at alpha {consequence.alpha:g} and beta"
        f" {consequence.beta:g}.",
        *sorted(text for text in reasons if text),
    ]


def brief_consequence(report: DriftReport, consequence: Consequence) -> str:
    """Return a brief paragraph on the later round's scores by the earlier round's factors."""
    earlier, later = consequence.earlier, consequence.later
    clipped = f", {earlier.clipped_at_1:.2%} clipped at 1" if earlier.clipped_at_1 else ""
    lines = [
        f"by the factors of '{report.from_round}' the {consequence.runs} runs of"
        f" '{report.to_round}' score {abs(consequence.bias):.4f}"
        f" {'higher' if consequence.bias >= 0 else 'lower'} on std-AB"
        f" ({earlier.mean:.4f} in place of {later.mean:.4f}{clipped})."
    ]
    if earlier.topics_needed is not None and later.topics_needed is not None:
        lines.append(
            f"Topics needed on std-AB (one-way ANOVA, m {consequence.m}, minD {consequence.min_d:g}):"
            f" {earlier.topics_needed} in place of {later.topics_needed}."
        )
    if consequence.kendall_tau is not None:
        lines.append(f"Kendall's tau of the two rankings: {consequence.kendall_tau:.3f}.")
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


def kendall_tau_reason(consequence: Consequence) -> str | None:
    """Return the reason why two rankings have no Kendall's tau; None where they have one."""
    if consequence.kendall_tau is not None:
        return None
    return "A ranking needs at least two runs." if consequence.runs < 2 else "All runs tie."


def topics_reason(consequence: Consequence, scores: UnderFactors) -> str | None:
    """Return the reason why no topic set size follows from the scores; None where one does."""
    if scores.topics_needed is not None:
        return None
    if scores.variance is None:
        return "A variance over topics needs at least two topics."
    if scores.variance == 0:
        return "The variance is 0: no topic set size follows from it."
    arguments = {
        "runs": consequence.m,
        "min_d": consequence.min_d,
        "variance": scores.variance,
        "alpha": consequence.alpha,
        "beta": consequence.beta,
    }
    too_many = sentence("too_many_topics", arguments).rstrip(".")
    return f"{too_many}: ask for a larger minD (`min_d`)."
