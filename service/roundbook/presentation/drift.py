"""Drift reports and ageing curves in words, beside the verdict: see `drift_verdict`."""

from __future__ import annotations

from typing import Any

from roundbook.logbook.drift.curve import DriftCurve
from roundbook.logbook.drift.recurring_systems import RecurringSystems
from roundbook.logbook.drift.report import DriftReport
from roundbook.logbook.drift.shared_topics import Consequence, DriftTests, UnderFactors
from roundbook.presentation.drift_verdict import (
    UNITS,
    advice,
    curve_reason,
    headline,
    intervals,
    plain,
    reason,
    signed,
)
from roundbook.statistics.design.inputs import MOST_TOPICS
from roundbook.statistics.significance.two_sample_tests import Outcome

NO_EVIDENCE = (
    "No evidence that factors moved, or that they did not: the rounds have other topics, which may"
    " be harder or easier for every system alike."
)


def sentences(report: DriftReport) -> dict[str, Any]:
    """Return the sentences about a report by their JSON keys.

    What has sentences within, as `consequence`, is there with the figures.
    """
    consequence = recurring = factors = None
    if report.consequence:
        done = report.consequence
        consequence = done.model_dump(mode="json") | {
            "kendall_tau_reason": kendall_tau_reason(done)
        }
        for side, under in (("earlier", done.earlier), ("later", done.later)):
            consequence[side]["reason"] = topics_reason(done, under)
    if report.recurring_systems:
        systems = report.recurring_systems
        recurring = systems.model_dump(mode="json") | {"reason": recurring_reason(systems)}
    if report.no_shared_topics:
        dumped = report.model_dump(mode="json", include={"no_shared_topics"})
        factors = {"note": NO_EVIDENCE} | dumped["no_shared_topics"]
    return {
        "assumed": assumed(report),
        "reason": reason(report),
        "notes": notes(report),
        "advice": advice(report),
        "consequence": consequence,
        "consequence_reason": consequence_reason(report),
        "revived": recurring,
        "unbridged": factors,
    }


def curve_sentences(curve: DriftCurve) -> dict[str, Any]:
    """Return the sentences about a curve by their JSON keys; `rounds` with the figures."""
    return {
        "assumed": assumed(curve),
        "summary": summary(curve),
        "rounds": [
            later.model_dump(mode="json", by_alias=True) | {"reason": curve_reason(curve, later)}
            for later in curve.rounds
        ],
    }


# Document collections


def undeclared(result: DriftReport | DriftCurve) -> list[str]:
    """Return the rounds with shared topics that declare no document collection."""
    return [label for label, collection in _collections(result) if collection is None]


def assumed(result: DriftReport | DriftCurve) -> str | None:
    """Return what had to be assumed of the rounds' collections; None if all declare theirs."""
    labels = [f"'{label}'" for label in undeclared(result)]
    if not labels:
        return None
    declared = {collection for _, collection in _collections(result) if collection is not None}
    where = "the same document collection"
    if len(declared) == 1:
        where = f"the document collection '{declared.pop()}' too"
    if len(labels) == 1:
        rounds = f"round {labels[0]} was"
    elif len(labels) > 3:
        rounds = f"{len(labels)} rounds were"
    else:
        rounds = f"rounds {', '.join(labels[:-1])} and {labels[-1]} were"
    return f"Assumed: {rounds} held on {where}, since none is declared."


def _collections(result: DriftReport | DriftCurve) -> list[tuple[str, str | None]]:
    """Return the rounds that share topics, with the collections they declare."""
    later = (
        [(entry.round, entry.collection) for entry in result.rounds if entry.shared_topics]
        if isinstance(result, DriftCurve)
        else [(result.to_round, result.to_collection)] * bool(result.shared_topics)
    )
    return [(result.from_round, result.from_collection), *later] if later else []


# Beside the verdict


def notes(report: DriftReport) -> list[str]:
    """Return what to know beside the verdict, a paragraph each; that it is provisional last."""
    if report.verdict == "unbridged":
        return []
    paragraphs = (
        _these_runs(report),
        _moved(report),
        _small_sds(report),
        _recurring(report),
        _margin(report),
        _provisional(report),
    )
    return [paragraph for paragraph in paragraphs if paragraph]


def _these_runs(report: DriftReport) -> str | None:
    these = report.these_runs
    if these is None or these.shift_95 is None:
        return None
    shift = intervals("aged", these.shift_95, these.shift_95, signed)
    ratio = intervals("aged", these.sd_ratio_95, these.sd_ratio_95, plain)
    spread = f", and the spread is {plain(report.sd_ratio)} times what it was ({ratio})"
    return (
        f"For these very runs, on topics like these, the mean moved by {signed(report.shift)}"
        f" standard deviations ({shift}){spread if these.sd_ratio_95 else ''}. That describes them,"
        " and decides nothing for other systems."
    )


def _moved(report: DriftReport) -> str | None:
    if report.verdict != "undecided" or report.needed is None or report.needed.shift is None:
        return None
    if report.moved:
        return "Something did move; whether by enough to matter is open."
    return "Whether anything moved at all, for systems like these, is open."


def _small_sds(report: DriftReport) -> str | None:
    if report.shift is None or report.mean_shift is None or report.why == "topics of small sd":
        return None
    if abs(report.mean_shift - report.shift) <= report.margin / 2:
        return None
    return (
        f"The mean of the topics' shifts, each in its own standard deviation, is"
        f" {signed(report.mean_shift)}: topics on which the runs hardly differ moved otherwise than"
        " the rest."
    )


def _recurring(report: DriftReport) -> str | None:
    units, recurring = report.units, report.recurring
    if recurring is None or units is None or units.shared == units.from_ == units.to:
        return None
    assert recurring.units is not None
    teams = f"{recurring.units.shared} {UNITS[recurring.units.by]}"
    like = recurring.systems_like_these
    figures = ""
    if like is not None and like.shift is not None:
        shift = intervals("aged", like.shift_95, like.shift_95, signed)
        ratio = intervals("aged", like.sd_ratio_95, like.sd_ratio_95, plain)
        figures = f"; a shift of {signed(like.shift)} ({shift}), a spread of"
        figures += f" {plain(like.sd_ratio)} times what it was ({ratio})"
    return (
        f"As the {teams} that came again see it: {recurring.verdict}{figures}. That is another"
        " question, since who comes again is no random choice."
    )


def _margin(report: DriftReport) -> str | None:
    if report.margin_from != "min-d":
        return None
    return (
        f"The margin of the shift is minD {report.min_d:g} / (2 x 0.15), which moves std-AB scores"
        " by half of minD. A shift cancels in differences within a round; it matters against"
        " earlier rounds only."
    )


def _provisional(report: DriftReport) -> str | None:
    if not report.provisional or report.units is None:
        return None
    number = report.units.runs_without_team
    unknown = f"the teams of {number} runs are" if number != 1 else "the team of one run is"
    instead = {
        "system": "a system that is declared counts in place of its team",
        "kin": "runs that do well and badly on the same topics are taken for one team's",
        "run": "each of these runs is taken for a team's only one",
    }[report.units.by]
    return f"Provisional: {unknown} not known, so {instead}."


# Shared topics


def tests_sentences(report: DriftReport, tests: DriftTests) -> list[str]:
    """Return what the tests say, and that the verdict is not theirs."""
    first, later = (
        f"{runs}{'' if which == 'all' else f' {which}'} runs of '{label}'"
        for runs, which, label in (
            (tests.runs_from, tests.standardising_from, report.from_round),
            (tests.runs_to, tests.standardising_to, report.to_round),
        )
    )
    return [
        f"Tests on the {first} and the {later}. They say whether anything moved, not whether it"
        " matters; the verdict does not rest on them.",
        f"- Topic by topic, the mean moved on {tests.welch_significant} of {report.shared_topics}"
        f" topics (Welch's t), the spread on {tests.brown_forsythe_significant} (Brown-Forsythe),"
        f" at p < {tests.alpha:g} after Holm's adjustment.",
        f"- Did the means move over all topics? {_outcome('Paired t', tests.paired_t)};"
        f" {_outcome('Wilcoxon W', tests.wilcoxon)}.",
        f"- Are the hard topics still the hard ones? {_outcome('Pearson', tests.pearson)};"
        f" {_outcome('Kendall', tests.kendall)}, where 1 is the same order of topics and 0 none.",
    ]


def _outcome(name: str, test: Outcome) -> str:
    if test.statistic is None or test.p_value is None:
        return f"{name} cannot be said ({(test.reason or '').rstrip('.')})"
    if test.p_value < 0.0001:
        return f"{name} {test.statistic:.3f}, p < 0.0001"
    return f"{name} {test.statistic:.3f}, p = {test.p_value:.4f}"


def consequence_sentences(done: Consequence, from_round: str) -> list[str]:
    """Return what the later round's runs gain or lose by the earlier round's factors."""
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


def consequence_reason(report: DriftReport) -> str | None:
    """Return why nothing can be said of what drift does to the scores; None where it can."""
    if report.consequence is not None:
        return None
    if report.verdict == "unbridged":
        return headline(report)
    return (
        "The consequence of drift needs a topic with an sd above 0 in both rounds, and none of the"
        " topics has one."
    )


def kendall_tau_reason(done: Consequence) -> str | None:
    """Return why two rankings have no Kendall's tau; None where they have one."""
    if done.kendall_tau is not None:
        return None
    return "A ranking needs at least two runs." if done.runs < 2 else "All runs tie."


def topics_reason(done: Consequence, under: UnderFactors) -> str | None:
    """Return why no topic set size follows from the scores; None where one does."""
    if under.topics_needed is not None:
        return None
    if under.variance is None:
        return "A variance over topics needs at least two topics."
    if under.variance == 0:
        return "The variance is 0: no topic set size follows from it."
    return (
        f"m = {done.m} runs, minD {done.min_d:g} and variance {under.variance:g} (alpha"
        f" {done.alpha:g}, beta {done.beta:g}) would take more than {MOST_TOPICS:,} topics: ask for"
        " a larger minD."
    )


# Recurring systems, the curve


def recurring_reason(recurring: RecurringSystems) -> str:
    """Return how far recurring systems moved, and what that says of drift."""
    number = len(recurring.systems) if recurring.count is None else recurring.count
    systems = "One system" if number == 1 else f"{number} systems"
    if recurring.mean_difference is None:
        round_ = f" '{recurring.tied_round}'" if recurring.tied_round else ""
        return (
            f"{systems} ran in both rounds, but no topic of round{round_} has an sd above 0, so"
            " nothing can be said of them."
        )
    interval = "no interval exists for one"
    if recurring.mean_difference_95:
        low, high = recurring.mean_difference_95
        interval = f"95% interval {low:.3f} to {high:.3f}"
    meaning = {
        "held": "they stand where they stood, so the field around them is as it was",
        "aged": "they do not stand where they stood, so a standardised score no longer means the"
        " same",
        "undecided": "whether they stand where they stood cannot be told",
    }[recurring.verdict]
    return (
        f"{systems} ran in both rounds; their mean standardised score, each by its own round's"
        f" factors, moved by {recurring.mean_difference:+.3f} sds ({interval}; up to"
        f" {recurring.margin:g} does not matter): {meaning}."
    )


def summary(curve: DriftCurve) -> str:
    """Return how many later rounds have which verdict, and where the factors first had aged."""
    labels = {
        verdict: [later.round for later in curve.rounds if later.verdict == verdict]
        for verdict in ("held", "aged", "undecided", "unbridged")
    }
    counts = ", ".join(f"{len(names)} {verdict}" for verdict, names in labels.items() if names)
    rounds = f"{len(curve.rounds)} later round{'s' if len(curve.rounds) > 1 else ''}"
    lines = [f"The factors of round '{curve.from_round}' in {rounds}: {counts}."]
    if labels["aged"]:
        lines.append(f"The first round in which they had aged is '{labels['aged'][0]}'.")
    if len(curve.rounds) > 1:
        lines.append("The verdicts are not adjusted for their number.")
    return " ".join(lines)


def curve_provisional(curve: DriftCurve) -> str | None:
    """Return behind which verdicts of a curve teams are unknown; None where behind none."""
    rounds = [f"'{later.round}'" for later in curve.rounds if later.provisional]
    if not rounds:
        return None
    which = f"of {', '.join(rounds)}" if len(rounds) < len(curve.rounds) else "here"
    return f"Provisional: teams are unknown behind the verdicts {which}; the report says more."
