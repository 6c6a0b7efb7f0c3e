"""The verdict on drift in words: why, and what to know beside it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from roundbook.statistics.t_interval import Interval

if TYPE_CHECKING:
    from roundbook.logbook.drift.assessment import Assessment, MarginFrom

UNITS = {"team": "teams", "system": "teams or systems", "kin": "groups of runs", "run": "runs"}


class Question(NamedTuple):
    """What was asked of which rounds, as far as sentences tell of it."""

    task: str
    measure: str
    from_round: str
    to_round: str
    shared_topics: int
    margin: float
    margin_from: MarginFrom
    min_d: float
    sd_ratio_margin: float


def headline(
    verdict: str,
    from_round: str,
    to_round: str,
    *,
    provisional: bool = False,
    moved: bool | None = False,
) -> str:
    """Return the verdict in one sentence; `moved` is whether something moved at all."""
    first, later = f"'{from_round}'", f"'{to_round}'"
    verdicts = {
        "held": f"HELD: the factors of round {first} still hold in round {later}",
        "aged": f"AGED: the factors of round {first} no longer hold in round {later}",
        "undecided": f"UNDECIDED: whether the factors of round {first} still hold in round"
        f" {later} cannot be told from these systems and topics"
        + (", though the scores did move" if moved else ""),
        "unbridged": f"UNBRIDGED: rounds {first} and {later} have no usable shared topic",
    }
    return verdicts[verdict] + (" (provisional: teams unknown)." if provisional else ".")


def other_collection(
    from_round: str, from_collection: str | None, to_round: str, to_collection: str | None
) -> str:
    """Return why two rounds on different collections have no bridge."""
    return (
        f"Round '{from_round}' was held on the document collection '{from_collection}' and round"
        f" '{to_round}' on '{to_collection}': a topic of the same name on other documents is"
        " another topic, and no bridge."
    )


def assumed(task: str, rounds: Sequence[tuple[str, str | None]]) -> str | None:
    """Say what had to be assumed of the rounds' collections; None if all declare theirs.

    Parameters
    ----------
    rounds : sequence of (label, collection)
    """
    undeclared = [label for label, collection in rounds if collection is None]
    if not undeclared:
        return None
    declared = {collection for _, collection in rounds if collection is not None}
    where = "the same document collection"
    if len(declared) == 1:
        where = f"the document collection '{declared.pop()}' too"
    which = shlex.quote(undeclared[0]) if len(undeclared) == 1 else "ROUND"
    return (
        f"Assumed: {_rounds_were(undeclared)} held on {where}, since none is declared. Declare it"
        f" with: roundbook round set {shlex.quote(task)} {which} --collection NAME"
    )


def _rounds_were(labels: list[str]) -> str:
    if len(labels) == 1:
        return f"round '{labels[0]}' was"
    if len(labels) > 3:
        return f"{len(labels)} rounds were"
    named = [f"'{label}'" for label in labels]
    return f"rounds {', '.join(named[:-1])} and {named[-1]} were"


# Why


def reason(found: Assessment, asked: Question) -> str:
    """Return the figures that the verdict rests on, in sentences."""
    first = asked.from_round
    if found.verdict == "unbridged":
        if not asked.shared_topics:
            return "The two rounds share no topic, so no shift exists."
        return (
            f"On every topic the two rounds share ({asked.shared_topics}), all runs of '{first}'"
            " tie: with no standard deviation above 0 there is no unit for a shift."
        )
    like = found.systems_like_these
    assert like is not None
    if like.shift is None or like.sd_ratio is None:
        return (
            f"On {_topics(found, asked)}, the mean score of these runs moved by"
            f" {_signed(found.shift)} standard deviations of round '{first}', and their spread is"
            f" {_plain(found.sd_ratio)} times what it was. {_wanting(found, asked)}"
        )
    shift = _intervals(found.verdict, like.shift_95, like.shift_90, _signed)
    ratio = _intervals(found.verdict, like.sd_ratio_95, like.sd_ratio_90, _plain)
    return (
        f"For systems and topics like these, the mean score moved by {_signed(like.shift)} standard"
        f" deviations of round '{first}' ({shift}), where -{asked.margin:.3g} to"
        f" +{asked.margin:.3g} does not matter. The spread of the runs is {_plain(like.sd_ratio)}"
        f" times what it was ({ratio}), where {1 / asked.sd_ratio_margin:.3g} to"
        f" {asked.sd_ratio_margin:g} does not matter. {_deciding(found)} This rests on"
        f" {_topics(found, asked)} and on {_units(found, asked)}."
    )


def _topics(found: Assessment, asked: Question) -> str:
    used, shared = found.topics_used or 0, asked.shared_topics
    if used < shared:
        tie = f"on the others all runs of '{asked.from_round}' tie"
        return f"{used} of the {shared} topics that both rounds share ({tie})"
    return f"the {used} topics that both rounds share" if used > 1 else "the one shared topic"


def _units(found: Assessment, asked: Question) -> str:
    units = found.units
    assert units is not None
    both = f", {units.shared or 'none'} of them in both rounds"
    if units.by == "kin":
        # A group found in the scores of one round is not looked for in the other.
        both = f"{both if units.shared else ''}, inferred from the scores where no team is known"
    return (
        f"{units.from_} {UNITS[units.by]} of '{asked.from_round}' and {units.to} of"
        f" '{asked.to_round}'{both}"
    )


def _wanting(found: Assessment, asked: Question) -> str:
    """Say for want of what there is no interval."""
    units = found.units
    assert units is not None
    needs = f"an interval needs at least 5 {UNITS[units.by]} in each round, and"
    return {
        "fewer than 5 topics": "Nothing follows from it for other topics: an interval needs at"
        f" least 5 of them, and there {'are' if found.topics_used != 1 else 'is'}"
        f" {found.topics_used}.",
        "fewer than 5 units in the first round": "Nothing follows from it for other systems:"
        f" {needs} '{asked.from_round}' has {units.from_}.",
        "fewer than 5 units in the later round": "Nothing follows from it for other systems:"
        f" {needs} '{asked.to_round}' has {units.to}.",
        "no spread in the later round": f"All runs of '{asked.to_round}' tie on every one of them,"
        " which leaves no spread to compare.",
        "scores too far apart": "The scores of the two rounds are too far apart in size for any"
        " interval: look for what is wrong with them.",
    }.get(
        found.why or "",
        f"Without one of the {UNITS[units.by]}, all other runs of its round tie on every one of"
        " them: so nothing follows from it for other systems.",
    )


def _deciding(found: Assessment) -> str:
    if found.verdict == "held":
        return "Both intervals lie wholly inside."
    if found.why == "topics of small sd":
        return (
            "Both intervals lie inside, but the mean over topics of each one's shift in its own"
            f" standard deviation is {_signed(found.mean_shift)}: topics on which the runs hardly"
            " differ moved by more."
        )
    names = {"shift": "shift", "sd ratio": "spread"}
    if found.verdict == "aged":
        if found.why not in names:
            return "Both intervals lie wholly outside."
        return f"The interval of the {names[found.why]} lies wholly outside."
    if found.why not in names:
        return "Both intervals reach over their limits, and neither lies wholly outside."
    other = "spread" if found.why == "shift" else "shift"
    return (
        f"The {other} is clear, as its interval lies inside; that of the {names[found.why]} reaches"
        " over its limit."
    )


def _intervals(
    verdict: str, at_95: Interval | None, at_90: Interval | None, write: Callable[[float], str]
) -> str:
    if at_95 is None or at_90 is None:
        return "too far apart for an interval"
    # Each verdict rests on one of them: held on the 90% interval, aged on the 95% one.
    shown = {"held": {90: at_90}, "aged": {95: at_95}}.get(verdict, {95: at_95, 90: at_90})
    return ", ".join(
        f"{level}% interval {write(low)} to {write(high)}" for level, (low, high) in shown.items()
    )


def _signed(value: float | None) -> str:
    if value is None:
        return "an unknown number of"
    return f"{value:+.3f}" if abs(value) < 1e6 else f"{value:+.3g}"


def _plain(value: float | None) -> str:
    if value is None:
        return "an unknown number of"
    return f"{value:.3f}" if value == 0 or 0.001 <= value < 1e6 else f"{value:.3g}"


# Beside the verdict


def notes(found: Assessment, recurring: Assessment | None, asked: Question) -> list[str]:
    """Return what to know beside the verdict, a paragraph each."""
    if found.verdict == "unbridged":
        return []
    said = [_these_runs(found), _moved(found), _small_sds(found, asked)]
    said += [_recurring(found, recurring), _margin(asked), _provisional(found, asked)]
    return [each for each in said if each]


def _these_runs(found: Assessment) -> str | None:
    these = found.these_runs
    if these is None or these.shift_95 is None:
        return None
    shift = _intervals("aged", these.shift_95, these.shift_95, _signed)
    ratio = _intervals("aged", these.sd_ratio_95, these.sd_ratio_95, _plain)
    spread = f", and the spread is {_plain(found.sd_ratio)} times what it was ({ratio})"
    return (
        f"For these very runs, on topics like these, the mean moved by {_signed(found.shift)}"
        f" standard deviations ({shift}){spread if these.sd_ratio_95 else ''}. That describes them,"
        " and decides nothing for other systems."
    )


def _moved(found: Assessment) -> str | None:
    if found.verdict != "undecided" or found.needed is None or found.needed.shift is None:
        return None
    if found.moved:
        return "Something did move; whether by enough to matter is open."
    return "Whether anything moved at all, for systems like these, is open."


def _small_sds(found: Assessment, asked: Question) -> str | None:
    if found.shift is None or found.mean_shift is None or found.why == "topics of small sd":
        return None
    if abs(found.mean_shift - found.shift) <= asked.margin / 2:
        return None
    return (
        f"The mean of the topics' shifts, each in its own standard deviation, is"
        f" {_signed(found.mean_shift)}: topics on which the runs hardly differ moved otherwise than"
        " the rest."
    )


def _recurring(found: Assessment, recurring: Assessment | None) -> str | None:
    units = found.units
    if recurring is None or units is None or units.shared == units.from_ == units.to:
        return None
    assert recurring.units is not None
    teams = f"{recurring.units.shared} {UNITS[recurring.units.by]}"
    like = recurring.systems_like_these
    figures = ""
    if like is not None and like.shift is not None:
        shift = _intervals("aged", like.shift_95, like.shift_95, _signed)
        ratio = _intervals("aged", like.sd_ratio_95, like.sd_ratio_95, _plain)
        figures = f"; a shift of {_signed(like.shift)} ({shift}), a spread of"
        figures += f" {_plain(like.sd_ratio)} times what it was ({ratio})"
    return (
        f"As the {teams} that came again see it: {recurring.verdict}{figures}. That is another"
        " question, since who comes again is no random choice."
    )


def _margin(asked: Question) -> str | None:
    if asked.margin_from != "min-d":
        return None
    return (
        f"The margin of the shift is minD {asked.min_d:g} / (2 x 0.15), which moves std-AB scores"
        " by half of minD. A shift cancels in differences within a round; it matters against"
        " earlier rounds only."
    )


def _provisional(found: Assessment, asked: Question) -> str | None:
    if not found.provisional or found.units is None:
        return None
    number, by = found.units.runs_without_team, found.units.by
    unknown = (
        "the team of one run is not known"
        if number == 1
        else (f"the teams of {number} runs are not known")
    )
    instead = {
        "system": "a system that is declared counts in place of its team",
        "kin": "runs that do well and badly on the same topics are taken for one team's",
        "run": "each of these runs is taken for a team's only one",
    }[by]
    log = shlex.join(["roundbook", "log", asked.task, "ROUND", "FILE", "--measure", asked.measure])
    return (
        f"Provisional: {unknown}, so {instead}. To say the teams, log the same scores once more"
        f" with a team file, which fills in what was unknown: {log} --teams TEAMS"
    )
