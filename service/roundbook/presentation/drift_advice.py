"""What follows from a verdict on drift: advice, and the consequence for the later round's scores.

The advice is the next step, with the sizes that would decide an undecided verdict.
"""

from __future__ import annotations

import math

from roundbook.logbook.drift.evidence import Consequence, UnderFactors
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.names import near_name
from roundbook.logbook.same_topics import collections_differ
from roundbook.presentation.drift_verdict import UNITS, headline
from roundbook.statistics.design.inputs import sentence
from roundbook.statistics.drift.verdict import Needed, Size, Sizes, topics_suffice

_APART = "standardise each round by its own factors, and compare no scores across the two"


def advice(report: DriftReport) -> str:
    """Return the advice on a verdict, with the sizes that would decide an undecided one."""
    first, later = f"'{report.from_round}'", f"'{report.to_round}'"
    if collections_differ(report.from_collection, report.to_collection):
        near = near_collection(report)
        meant = (
            f" '{report.to_collection}' is nearly '{near}'. Did you mean {near}?" if near else ""
        )
        return (
            f"On another collection, {_APART}. Only systems that run again unchanged can link"
            " them, beside as many others: name these in the system column of both rounds' team"
            f" files (`teams`).{meant}"
        )
    if report.verdict == "undecided":
        return f"For now {_APART}. {_what_would_decide(report)}"
    renamed = ";"
    if not report.topics:
        renamed = (
            ". Where topics returned under other ids, say which (`alias_topics`) and compare again;"
            " else"
        )
    return {
        "held": f"Keep the factors of {first}: scores of {later} standardised by them may be"
        f" compared with those of {first}.",
        "aged": f"Standardise {later} by its own factors, which are fitted already. If it is the"
        f" systems that changed, not topics, documents or assessments, {first} may be compared with it"
        f" by the factors of {later}, on the topics they share; else compare no scores across the"
        " two.",
        "unbridged": f"For now {_APART}{renamed} reuse some topics of {first} in the next round.",
    }[report.verdict]


def near_collection(report: DriftReport) -> str | None:
    """Return the first round's collection if that of the later round may be a slip for it, or None."""
    first, later = report.from_collection, report.to_collection
    if first is None or later is None or not collections_differ(first, later):
        return None
    return near_name(later, [first])


def brief_advice(report: DriftReport) -> str:
    """Return the advice on a verdict, without the sizes that would decide it."""
    if report.verdict != "undecided" or report.why in _NO_MORE or _all_ran_again(report):
        return advice(report)
    return (
        f"For now {_APART}. What would decide, cheapest: some 20 of the same systems run again,"
        " unchanged, in both rounds, named in the column system of both team files (`teams`)"
        f"{_on_topics(report)}."
    )


# By the reason why a verdict is open which more systems need not change: what to look at.
_NO_MORE: dict[str | None, str] = {
    "topics of small sd": "look at the topics of small sd (`details`)",
    "no spread in the later round": "look at the scores of the later round, where all standardising runs tie",
    "scores too far apart": "look for what is wrong with the scores",
}


def _all_ran_again(report: DriftReport) -> bool:
    """Return whether all systems or teams ran in both rounds, with an interval from them."""
    units, needed = report.units, report.needed
    if units is None or needed is None or needed.shift is None:
        return False
    return units.shared == units.from_ == units.to


def _what_would_decide(report: DriftReport) -> str:
    if report.why in _NO_MORE:
        return f"More systems or topics need not decide it: {_NO_MORE[report.why]}."
    units, needed = report.units, report.needed
    if units is None or needed is None or needed.shift is None or needed.sd_ratio is None:
        return (
            "As a rule of thumb, HELD takes as many shared topics as there can be, with a hundred"
            " teams or more in each round if they bring other systems, or some 20 of the same systems"
            " run again, unchanged, in both rounds."
        )
    noun = "groups" if units.by == "kin" else UNITS[units.by]
    if _all_ran_again(report):
        intro = f"It would take of {noun} and topics like these:"
    else:
        intro = (
            "To find out, running the same systems again in both rounds is far cheaper than any"
            " others: some 20 of them, unchanged, named in the column system of both team files"
            f" (`teams`){_on_topics(report)}. With other {noun} it would take:"
        )
    sentences = []
    if report.why != "sd ratio":
        sentences.append(
            f"for the shift, known to ±{needed.shift.half_width_90:.3f} by its 90% interval where"
            f" {report.margin:.3g} does not matter{_sizes(needed.shift, noun)}"
        )
    if report.why != "shift":
        sentences.append(
            f"for the spread, known to a factor of {needed.sd_ratio.half_width_90:.3f} by its 90%"
            f" interval where {report.sd_ratio_margin:g} does not matter{_sizes(needed.sd_ratio, noun)}"
        )
    present = f"({units.from_} and {units.to} {noun} and {report.topics_used} topics today.)"
    return f"{intro} {'; '.join(sentences)}. {present}"


def _on_topics(report: DriftReport) -> str:
    """Return the clause on the topics that the same systems would have to run on."""
    parts, topics = report.variance_parts, report.topics_used
    if topics is None or parts is None or parts.shift is None or parts.sd_ratio is None:
        return ", on as many shared topics as there can be"
    shift = report.why == "sd ratio" or topics_suffice(parts.shift, topics, report.margin)
    log_margin = math.log(report.sd_ratio_margin)
    sd_ratio = report.why == "shift" or topics_suffice(parts.sd_ratio, topics, log_margin)
    if shift and sd_ratio:
        return ""
    return f", on more topics than these {topics}, which moved too unevenly"


def _sizes(needed: Needed, noun: str) -> str:
    share = ""
    if needed.share_of_runs is not None:
        share = f" ({needed.share_of_runs:.0%} of its variance comes from which systems took part)"
    # Not `if_as_measured`: sizes for the drift as estimated decide in fewer than 4 of 5 cases.
    return f"{share}, {size_sentence(needed.if_unmoved, noun)} if nothing moved"


def size_sentence(sizes: Sizes, noun: str) -> str:
    """Return the clause on the sizes that would decide; `noun` is the name of the units of runs."""
    verdict = sizes.verdict.upper()
    units, topics, both = sizes.units, sizes.topics, sizes.both
    if any(size is not None and size.factor <= 1 for size in (units, topics, both)):
        return f"no more than today for {verdict} in 4 of 5 cases"
    ways = []
    if units is not None:
        ways.append(f"{_times(units)} the {noun} ({units.units_from} and {units.units_to})")
    if topics is not None:
        ways.append(f"{_times(topics)} the topics ({topics.topics})")
    if both is not None:
        counts = f"{both.units_from} and {both.units_to} {noun}, {both.topics} topics"
        ways.append(f"{_times(both)} the {noun} and topics ({counts})")
    if not ways:
        return f"no realistic size (over 20 times) for {verdict}"
    return f"{' or '.join(ways)} for {verdict} in 4 of 5 cases"


def _times(size: Size) -> str:
    # Rounded up, as one tenth less would be too few.
    return f"{math.ceil(10 * size.factor - 1e-9) / 10:.1f} times"


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
        f" {consequence.beta:g}. That is for runs on topics of their own; where they share topics,"
        # It is the topics' hardness, which the earlier factors leave in the scores.
        " much of the difference cancels.",
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
            f" {earlier.topics_needed} in place of {later.topics_needed}, if runs have topics of"
            " their own."
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
