"""A verdict on drift in words: why, and what to do."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from service.logbook.result import Result
from service.statistics.drift import Drift
from service.statistics.t_interval import Interval, outside


class Command(Result):
    """A command to run next, and what for."""

    purpose: str
    command: str


def headline(verdict: str, from_round: str, to_round: str) -> str:
    """Return the verdict in one sentence."""
    first, later = f"'{from_round}'", f"'{to_round}'"
    verdicts = {
        "held": f"HELD: the factors of round {first} still hold in round {later}.",
        "aged": f"AGED: the factors of round {first} no longer hold in round {later}.",
        "undecided": f"UNDECIDED: whether the factors of round {first} still hold in round"
        f" {later} cannot be told from their shared topics.",
        "unbridged": f"UNBRIDGED: rounds {first} and {later} have no usable shared topic.",
    }
    return verdicts[verdict]


def other_collection(
    from_round: str, from_collection: str | None, to_round: str, to_collection: str | None
) -> str:
    """Return why two rounds on different collections have no bridge."""
    return (
        f"Round '{from_round}' was held on the document collection '{from_collection}' and round"
        f" '{to_round}' on '{to_collection}': a topic of the same name on other documents is"
        " another topic, and no bridge."
    )


def reason(drift: Drift, from_round: str) -> str:
    """Return the figures that the verdict rests on, in sentences."""
    if drift.topics == 0:
        return "The two rounds share no topic, so no shift exists."
    if drift.mean_shift is None:
        return (
            f"On every topic the two rounds share ({drift.topics}), all runs of '{from_round}' tie:"
            " with no standard deviation above 0 there is no unit for a shift."
        )
    shared = f"the {drift.topics} topics" if drift.topics > 1 else "the one topic"
    if drift.shift_topics < drift.topics:
        shared = f"the {drift.shift_topics} usable of {drift.topics} topics"
    moved = (
        f"On {shared} that both rounds share, the mean score moved by"
        f" {_signed(drift.mean_shift)} standard deviations of round '{from_round}'"
    )
    if drift.shift_topics == 1:
        return f"{moved}; a single topic gives no interval, so nothing follows from it."
    within = _intervals(drift, drift.mean_shift_95, drift.mean_shift_90, _signed)
    said = f"{moved} ({within}), where -{drift.margin:g} to +{drift.margin:g} does not matter"
    if drift.sd_ratio is None or drift.sd_ratio_topics == 1:
        return f"{said}. Too few topics have a spread in both rounds to compare spreads."
    return (
        f"{said}. The spread of the runs is {_plain(drift.sd_ratio)} times what it was"
        f" ({_intervals(drift, drift.sd_ratio_95, drift.sd_ratio_90, _plain)}), where"
        f" {1 / drift.sd_ratio_margin:.3g} to {drift.sd_ratio_margin:g} does not matter."
        f" {_deciding(drift)}"
    )


def _deciding(drift: Drift) -> str:
    if drift.verdict == "held":
        return "Both intervals lie wholly inside."
    if drift.verdict == "undecided":
        return "The intervals are neither both inside nor is one wholly outside."
    by_mean = outside(drift.mean_shift_95, drift.margin)
    return f"The interval of the {'mean' if by_mean else 'spread'} lies wholly outside."


def _intervals(
    drift: Drift, at_95: Interval | None, at_90: Interval | None, write: Callable[[float], str]
) -> str:
    if at_95 is None or at_90 is None:
        return "too far apart for an interval"
    # Each verdict rests on one of them: held on the 90% interval, aged on the 95% one.
    shown = {"held": {90: at_90}, "aged": {95: at_95}}.get(drift.verdict, {95: at_95, 90: at_90})
    return ", ".join(
        f"{level}% interval {write(low)} to {write(high)}" for level, (low, high) in shown.items()
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}" if abs(value) < 1e6 else f"{value:+.3g}"


def _plain(value: float) -> str:
    return f"{value:.3f}" if 0.001 <= value < 1e6 else f"{value:.3g}"


def advice(verdict: str, from_round: str, to_round: str, *, other_collection: bool = False) -> str:
    """Return what to do about a verdict."""
    first, later = f"'{from_round}'", f"'{to_round}'"
    apart = "standardise each round by its own factors, and compare no scores across the two"
    if other_collection:
        return (
            f"On another collection, {apart}. Only systems that run again unchanged can link"
            " them: name these in the system column of both rounds' --teams files."
        )
    return {
        "held": f"Keep the factors of {first}: scores of {later} standardised by them may be"
        f" compared with those of {first}.",
        "aged": f"Refit and restate: standardise {later} by its own factors, and before comparing"
        f" it with {first}, restate {first} by the factors of {later} on the topics they share.",
        "undecided": "Neither keep nor refit on this evidence: more shared topics would narrow the"
        f" intervals. Until then {apart}.",
        "unbridged": f"For now {apart}; let some topics of {first} return next round.",
    }[verdict]


def commands(
    verdict: str, task: str, measure: str, from_round: str, to_round: str, assessments: str | None
) -> list[Command]:
    """Return the commands that do what is advised; `assessments` if they had to be named."""
    measured = ["--measure", measure, *(["--assessments", assessments] if assessments else [])]

    def command(purpose: str, *words: str) -> Command:
        return Command(purpose=purpose, command=shlex.join(["roundbook", *words]))

    def standardise(purpose: str, which: str, by: str | None = None) -> Command:
        source = ["--factors-from", by] if by else []
        return command(purpose, "standardise", task, which, *measured, *source)

    own = standardise(f"Standardise '{to_round}' by its own factors", to_round)
    if verdict == "held":
        return [
            standardise(
                f"Standardise '{to_round}' by the factors of '{from_round}'", to_round, from_round
            ),
            command("See the factors you keep", "factors", "show", task, from_round, *measured),
        ]
    if verdict == "aged":
        return [
            own,
            standardise(
                f"Restate '{from_round}' by the factors of '{to_round}'", from_round, to_round
            ),
            command("See the new factors", "factors", "show", task, to_round, *measured),
        ]
    return [standardise(f"Standardise '{from_round}' by its own factors", from_round), own]
