"""What to do about a verdict on drift: in words, in commands, and what would decide it."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from roundbook.logbook.drift.words import UNITS, Question
from roundbook.logbook.result import Result
from roundbook.statistics.drift.verdict import Needed, Size, Sizes

if TYPE_CHECKING:
    from roundbook.logbook.drift.assessment import Assessment

_APART = "standardise each round by its own factors, and compare no scores across the two"


class Command(Result):
    """A command to run next, and what for."""

    purpose: str
    command: str


def advise(found: Assessment, asked: Question, *, other_collection: bool = False) -> str:
    """Return what to do about a verdict, and what would decide where it is undecided."""
    first, later = f"'{asked.from_round}'", f"'{asked.to_round}'"
    if other_collection:
        return (
            f"On another collection, {_APART}. Only systems that run again unchanged can link"
            " them: name these in the system column of both rounds' --teams files."
        )
    if found.verdict == "undecided":
        return f"For now {_APART}. {_what_would_decide(found, asked)}"
    return {
        "held": f"Keep the factors of {first}: scores of {later} standardised by them may be"
        f" compared with those of {first}.",
        "aged": f"Refit and restate: standardise {later} by its own factors, and before comparing"
        f" it with {first}, compute the scores of {first} anew by the factors of {later} on the"
        " topics they share.",
        "unbridged": f"For now {_APART}; reuse some topics of {first} in the next round.",
    }[found.verdict]


def _what_would_decide(found: Assessment, asked: Question) -> str:
    units = found.units
    assert units is not None
    if found.why == "topics of small sd":
        return "More systems or topics need not decide it: look at the topics of small sd below."
    needed = found.needed
    if needed is None or needed.shift is None or needed.sd_ratio is None:
        return (
            "As a rule of thumb, HELD takes a hundred teams or more in each round if they bring"
            " other systems, and some twenty teams that run the same systems again in both rounds."
        )
    noun = "groups" if units.by == "kin" else UNITS[units.by]
    rerun, otherwise = "", f"It would take of {noun} and topics like these:"
    if not units.shared == units.from_ == units.to:
        rerun = (
            "To find out, running the same systems again in both rounds is far cheaper than any"
            " others: some 20 of them, unchanged, named in the column system of both team files."
            " "
        )
        otherwise = f"With other {noun} it would take:"
    sentences = []
    if found.why != "sd ratio":
        sentences.append(
            f"for the shift, known to ±{needed.shift.half_width_90:.3f} where {asked.margin:.3g}"
            f" does not matter{_share(needed.shift)}, {_sizes(needed.shift, noun)}"
        )
    if found.why != "shift":
        sentences.append(
            f"for the spread, known to a factor of {needed.sd_ratio.half_width_90:.3f} where"
            f" {asked.sd_ratio_margin:g} does not matter{_share(needed.sd_ratio)},"
            f" {_sizes(needed.sd_ratio, noun)}"
        )
    present = f"({units.from_} and {units.to} {noun} and {found.topics_used} topics today.)"
    return f"{rerun}{otherwise} {'; '.join(sentences)}. {present}"


def _share(needed: Needed) -> str:
    if needed.share_of_runs is None:
        return ""
    return f" ({needed.share_of_runs:.0%} of that is which systems took part)"


def _sizes(needed: Needed, noun: str) -> str:
    return (
        f"{_size(needed.if_unmoved, noun)} if nothing moved,"
        f" {_size(needed.if_as_measured, noun)} if the change is as estimated"
    )


def _size(sizes: Sizes, noun: str) -> str:
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
    # Rounded up, as one tenth less would not do.
    return f"{math.ceil(10 * size.factor - 1e-9) / 10:.1f} times"


def next_commands(verdict: str, asked: Question, assessments: str | None) -> list[Command]:
    """Return the commands that do what is advised; `assessments` if they had to be named."""
    task, measure, from_round, to_round = asked[:4]
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
