"""Sentences of drift reports, apart from the verdict, for which see `drift_verdict`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from roundbook.logbook.drift.assessment import Assessment, StandardisingRuns
from roundbook.logbook.drift.evidence import DriftTests, RecurringSystems, TopicDrift
from roundbook.logbook.drift.report import DriftCurve, DriftReport
from roundbook.logbook.variance_history import is_other_scale
from roundbook.presentation.drift_advice import (
    advice,
    consequence_reason,
    kendall_tau_reason,
    topics_reason,
)
from roundbook.presentation.drift_verdict import (
    UNITS,
    at_95,
    moved_parts,
    plain,
    reason,
    signed,
    writers,
)
from roundbook.presentation.phrases import other_pool, verdict_words
from roundbook.presentation.rounds import assumed_collection, out_of_order
from roundbook.statistics.significance import Outcome
from roundbook.statistics.t_interval import Interval

_NO_OUTCOME = {
    "fewer than 2 values for Welch's test": "Welch's test needs at least two values in each"
    " sample.",
    "fewer than 2 values for the Brown-Forsythe test": "The Brown-Forsythe test needs at least two"
    " values in each sample.",
    "no spread in either sample": "Neither sample has any spread.",
    "deviations do not vary": "The deviations from the median do not vary within either sample.",
    "fewer than 2 topics": "A paired t test needs at least two topics.",
    "same difference on every topic": "The difference is the same on every topic.",
    "no difference on any topic": "There is no difference on any topic.",
    "fewer than 3 topics": "A correlation over topics needs at least three topics.",
    "one side is constant": "The values of one side are the same on every topic.",
}
NO_EVIDENCE = (
    "No evidence that factors moved, or that they did not: the rounds have other topics, which may"
    " be harder or easier for every system alike."
)


def sentences(report: DriftReport) -> dict[str, Any]:
    """Return the sentences about a report by their JSON keys.

    Parts that contain sentences, such as `consequence`, are returned whole, with their figures.
    """
    consequence = recurring = factors = tests = None
    if (effects := report.consequence) is not None:
        consequence = effects.model_dump(mode="json")
        consequence["kendall_tau_reason"] = kendall_tau_reason(effects)
        consequence["earlier"]["reason"] = topics_reason(effects, effects.earlier)
        consequence["later"]["reason"] = topics_reason(effects, effects.later)
    if (systems := report.recurring_systems) is not None:
        recurring = systems.model_dump(mode="json", by_alias=True)
        recurring["reason"] = recurring_reason(report, systems)
    if report.no_shared_topics:
        dumped = report.model_dump(mode="json", include={"no_shared_topics"})
        factors = {"note": NO_EVIDENCE} | dumped["no_shared_topics"]
        for name in ("means", "sds"):
            _write_reasons(factors[name], ("welch", "brown_forsythe"))
    if report.tests:
        tests = report.tests.model_dump(mode="json")
        _write_reasons(tests, ("paired_t", "wilcoxon", "pearson", "kendall"))
    return {
        "assumed": assumed(report),
        "reason": reason(report),
        "notes": notes(report),
        "advice": advice(report),
        "consequence": consequence,
        "consequence_reason": consequence_reason(report),
        "revived": recurring,
        "tests": tests,
        "unbridged": factors,
        "topics": [
            topic.model_dump(mode="json") | {"untested": untested(topic)} for topic in report.topics
        ],
    }


def _write_reasons(outcomes: dict[str, Any], tests: Iterable[str]) -> None:
    """Replace the codes of reasons why tests have no outcome by sentences, in place."""
    for name in tests:
        outcomes[name]["reason"] = _no_outcome(outcomes[name]["reason"])


def undeclared(result: DriftReport | DriftCurve) -> list[str]:
    """Return the rounds with shared topics that declare no document collection."""
    return [label for label, collection in _collections(result) if collection is None]


def assumed(result: DriftReport | DriftCurve) -> str | None:
    """Return the sentence on assumed document collections; None if all rounds declare theirs."""
    return assumed_collection(_collections(result))


def _collections(result: DriftReport | DriftCurve) -> list[tuple[str, str | None]]:
    """Return the rounds that share topics, with the collections they declare."""
    if isinstance(result, DriftCurve):
        later = [(entry.round, entry.collection) for entry in result.rounds if entry.shared_topics]
    else:
        later = [(result.to_round, result.to_collection)] if result.shared_topics else []
    return [(result.from_round, result.from_collection), *later] if later else []


def notes(report: DriftReport) -> list[str]:
    """Return the notes on the verdict, a paragraph each; a provisional verdict is the last note."""
    paragraphs = [_backwards(report), choice_note(report), _other_scale(report)]
    if report.verdict != "unbridged":
        paragraphs += [
            _these_runs(report),
            _moved(report),
            _small_sds(report),
            _recurring(report),
            _margin(report),
            _provisional(report),
        ]
    return list(filter(None, paragraphs))


def brief_notes(report: DriftReport) -> list[str]:
    """Return the notes that accompany the verdict in a brief report too."""
    brief = (_backwards(report), choice_note(report), _other_scale(report), _small_sds(report))
    return list(filter(None, brief))


def _backwards(report: DriftReport) -> str | None:
    """Return the note that a round is compared with an earlier one, or not with the one held last.

    None where neither is so. Where dates contradict the order in which the rounds are recorded, the
    dates decide.
    """
    if report.out_of_order is not None:
        runs = "forwards" if report.backwards else "backwards"
        return f"{out_of_order(report.out_of_order)}: by the dates this comparison runs {runs}."
    if report.latest_not_held_last is not None:
        return (
            f"{out_of_order(report.latest_not_held_last)}: this comparison takes the round recorded"
            " last, not the one held last."
        )
    if not report.backwards:
        return None
    return (
        f"This comparison runs backwards: round '{report.from_round}' comes after"
        f" '{report.to_round}' in the task, and the question is whether its factors hold for that one."
    )


def choice_note(report: DriftReport) -> str | None:
    """Return the note that the two rounds' factors rest on runs chosen differently, or None."""
    first, later = report.standardising_from, report.standardising_to
    if report.verdict == "unbridged" or first is None or later is None:
        return None  # without shared topics nothing moved that could be due to it
    return chosen_otherwise(report.from_round, first, {report.to_round: later})


def chosen_otherwise(
    label: str, runs: StandardisingRuns, later: Mapping[str, StandardisingRuns]
) -> str | None:
    """Return the note on later rounds whose runs were chosen unlike those of a first, or None."""
    others = [
        f"'{other}' on {chosen_runs(its_runs)}"
        for other, its_runs in later.items()
        if effective_choice(its_runs) != effective_choice(runs)
    ]
    if not others:
        return None
    return (
        f"The factors of '{label}' rest on {chosen_runs(runs)}, those of {', '.join(others)}: part of"
        " what moved may be that choice."
    )


def effective_choice(runs: StandardisingRuns) -> str:
    """Return how the runs behind factors were chosen; 'all' if they are all runs of the round."""
    return runs.which if runs.runs < runs.of else "all"


def chosen_runs(runs: StandardisingRuns) -> str:
    """Return the noun phrase for the runs that factors were fitted to, with their number."""
    if effective_choice(runs) == "all":
        return f"all {runs.of} runs"
    if runs.pool_now is not None:
        return other_pool(f"{runs.runs} of {runs.of} runs", runs.pool_now)
    how = {"pooled": "that contributed to the pool", "chosen": "that were named"}[runs.which]
    return f"the {runs.runs} of {runs.of} runs {how}"


def _these_runs(report: DriftReport) -> str | None:
    these = report.these_runs
    if these is None or these.shift_95 is None:
        return None
    shift, ratio = at_95(these.shift_95, signed), at_95(these.sd_ratio_95, plain)
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
        return f"{moved_parts(report).capitalize()} did move; whether by enough to matter is open."
    return "Whether anything moved at all, for systems like these, is open."


def _small_sds(report: DriftReport) -> str | None:
    """Return the note that topics of small sd moved unlike the rest; None where they did not."""
    if report.shift is None or report.mean_shift is None or report.why == "topics of small sd":
        return None
    if differ_in_scale(report):
        return None  # then the scale is the likelier reason
    if abs(report.mean_shift - report.shift) <= report.margin / 2:
        return None
    return (
        f"The mean of the topics' shifts, each in its own standard deviation, is"
        f" {signed(report.mean_shift)}: topics on which the runs hardly differ moved otherwise than"
        " the rest."
    )


def _other_scale(report: DriftReport) -> str | None:
    """Return the note that the rounds' scores may differ in scale; None where they need not."""
    if not differ_in_scale(report):
        return None
    return (
        "The spreads are so far apart that perhaps the scores of one of the rounds are on another"
        " scale (percent?). Look at them before you follow the advice."
    )


def differ_in_scale(result: Assessment) -> bool:
    """Return whether the spreads of the same runs differ as those of scores on other scales do."""
    ratio = result.sd_ratio
    return ratio is not None and ratio > 0 and is_other_scale(ratio * ratio)


def _recurring(report: DriftReport) -> str | None:
    units, recurring = report.units, report.recurring
    if recurring is None or units is None or units.shared == units.from_ == units.to:
        return None
    assert recurring.units is not None
    teams = f"{recurring.units.shared} {UNITS[recurring.units.by]}"
    like = recurring.systems_like_these
    figures = ""
    if like is not None and like.shift is not None:
        write_shift, write_ratio = writers(report.margin, report.sd_ratio_margin)
        shift, ratio = at_95(like.shift_95, write_shift), at_95(like.sd_ratio_95, write_ratio)
        figures = f"; a shift of {signed(like.shift)} ({shift}), a spread of"
        figures += f" {plain(like.sd_ratio)} times what it was ({ratio})"
    return (
        f"As the {teams} that came again see it: {verdict_words(recurring.verdict)}{figures}. That is another"
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


def _no_outcome(reason: str | None) -> str | None:
    """Return the sentence on why a test has no outcome; older saved reports hold the sentence."""
    return None if reason is None else _NO_OUTCOME.get(reason, reason)


def untested(topic: TopicDrift) -> str | None:
    """Return the sentences on why tests on a topic have no outcome; None where they have one."""
    if topic.untested is None or isinstance(topic.untested, str):
        return topic.untested
    return " ".join(_NO_OUTCOME.get(reason, reason) for reason in topic.untested)


def tests_sentences(report: DriftReport, tests: DriftTests) -> list[str]:
    """Return the sentences on the outcomes of the tests, on which the verdict does not rest."""
    first = _tested_runs(tests.runs_from, tests.standardising_from, report.standardising_from)
    later = _tested_runs(tests.runs_to, tests.standardising_to, report.standardising_to)
    return [
        f"Tests on the {first} of '{report.from_round}' and the {later} of '{report.to_round}'."
        " They take these very runs as fixed and independent: with other systems in each round they"
        " often find a move where nothing moved. The verdict does not rest on them.",
        f"- Topic by topic, the mean moved on {tests.welch_significant} of"
        f" {report.shared_topics if tests.topics is None else tests.topics}"
        f" topics (Welch's t), the spread on {tests.brown_forsythe_significant} (Brown-Forsythe),"
        f" at p < {tests.alpha:g} after Holm's adjustment.",
        f"- Did the means move over all topics? {_outcome('Paired t', tests.paired_t)};"
        f" {_outcome('Wilcoxon W', tests.wilcoxon)}.",
        f"- Are the hard topics still the hard ones? {_outcome('Pearson', tests.pearson)};"
        f" {_outcome('Kendall', tests.kendall)}, where 1 is the same order of topics and 0 none.",
    ]


def _tested_runs(number: int, choice: str, fitted: StandardisingRuns | None) -> str:
    if fitted is not None and fitted.pool_now is not None:
        return f"{other_pool(f'{number} runs', fitted.pool_now)},"
    return f"{number}{'' if choice == 'all' else f' {choice}'} runs"


def _outcome(name: str, test: Outcome) -> str:
    if test.statistic is None or test.p_value is None:
        return f"{name} cannot be said ({(_no_outcome(test.reason) or '').rstrip('.')})"
    if test.p_value < 0.0001:
        return f"{name} {test.statistic:.3f}, p < 0.0001"
    return f"{name} {test.statistic:.3f}, p = {test.p_value:.4f}"


def recurring_reason(report: DriftReport, recurring: RecurringSystems) -> str:
    """Return the sentences on how far recurring systems moved, and what follows for the factors."""
    number = len(recurring.systems) if recurring.count is None else recurring.count
    systems = "One system" if number == 1 else f"{number} systems"
    if recurring.mean_difference is None:
        round_ = f" '{recurring.tied_round}'" if recurring.tied_round else ""
        return (
            f"{systems} ran in both rounds, but no topic of round{round_} has an sd above 0, so"
            " nothing can be said of them."
        )
    moved = (
        f"{systems} ran in both rounds; their mean standardised score, each by its own round's"
        f" factors, moved by {signed(recurring.mean_difference)} sds"
        f" ({_interval(recurring.mean_difference_95, recurring.margin)}; up to"
        f" {recurring.margin:g} does not matter)"
    )
    against = ""
    if recurring.against_others is not None:
        against = (
            f"against the other runs that standardise they moved by {signed(recurring.against_others)}"
            f" ({_interval(recurring.against_others_95, recurring.margin)})"
        )
    if recurring.why == "against other runs":
        return f"{moved}, but {against}: whether they stand where they stood cannot be told."
    if recurring.why is not None:
        return f"{moved}. {_pulled(report, recurring)}"
    meaning = {
        "held": "they stand where they stood among the very runs of these two rounds; other runs"
        " might have moved them",
        "aged": "they do not stand where they stood, so a standardised score no longer means the"
        " same",
        "undecided": "whether they stand where they stood cannot be told",
    }[recurring.verdict]
    beside = f"; {against}" if recurring.verdict == "held" and against else ""
    return f"{moved}{beside}: {meaning}."


def _interval(limits: Interval | None, margin: float) -> str:
    if limits is None:
        return "no interval exists for one"
    return at_95(limits, partial(signed, margin=margin))


def _pulled(report: DriftReport, recurring: RecurringSystems) -> str:
    """Return the sentences on why recurring systems decide nothing where most runs are theirs."""
    runs, recurring_runs = recurring.standardising, recurring.of_recurring
    assert runs is not None
    assert recurring_runs is not None
    pulled = "pulls that score to 0 where they are more than half"
    if recurring.why == "all standardising runs recur":
        pulled = "makes that score 0 in both rounds whatever happened"
    return (
        "Whether they stand where they stood cannot be told: of the runs that standardise,"
        f" {recurring_runs.from_} of {runs.from_} in '{report.from_round}' and {recurring_runs.to} of"
        f" {runs.to} in '{report.to_round}' are theirs, which {pulled}. It takes as many other runs"
        " beside them in either round, or factors that were fitted on other runs alone (`runs`)."
    )
