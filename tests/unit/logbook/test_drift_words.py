"""A verdict on drift in sentences: every reason that there is, and what stands beside it."""

from __future__ import annotations

import numpy as np
import pytest

from roundbook.logbook.drift.advice import _size, advise, next_commands
from roundbook.logbook.drift.assessment import assess, choose_margin
from roundbook.logbook.drift.ends import End, Fitted, find_bridges
from roundbook.logbook.drift.words import Question, headline, notes, reason
from roundbook.statistics.drift.units import kin_groups
from roundbook.statistics.drift.verdict import Size, Sizes


def end(label, scores, teams=None, systems=None, collection=None):
    """Return a round as it is loaded; by default each run is of a team of its own number."""
    scores = np.asarray(scores, dtype=float)
    runs = [f"r{i}" for i in range(scores.shape[1])]
    teams = [f"team {tag}" for tag in runs] if teams is None else list(teams)
    return End(
        fitted=Fitted(1, label, collection, 1, 1, "all", "average", 1, 1),
        topics=[f"t{j}" for j in range(scores.shape[0])],
        mean=scores.mean(axis=1),
        sd=scores.std(axis=1, ddof=1),
        scores=scores,
        runs=runs,
        systems=systems or [None] * len(runs),
        teams=teams,
        standardising=np.ones(len(runs), dtype=bool),
        kin=kin_groups(scores) if None in teams else None,
    )


class Told:
    """What is told of the drift between two rounds."""

    def __init__(self, first, later, *, margin=None, min_d=None):
        bridges = find_bridges(first, later)
        chosen, margin_from = choose_margin(margin, min_d)
        found = assess(first, later, bridges, margin=chosen, sd_ratio_margin=1.25)
        self.found, self.recurring = found.whole, found.recurring
        asked = Question(
            "task", "AP", first.fitted.round, later.fitted.round, len(bridges.before), chosen,
            margin_from, min_d or 0.1, 1.25,
        )  # fmt: skip
        self.reason = reason(self.found, asked)
        self.notes = notes(self.found, self.recurring, asked)
        self.advice = advise(self.found, asked)
        self.commands = next_commands(self.found.verdict, asked, None)

    def note(self, start):
        """Return the note that begins so."""
        (note,) = [each for each in self.notes if each.startswith(start)]
        return note


GENERATOR = np.random.default_rng(5)
TOPICS = GENERATOR.normal(0.5, 0.1, (30, 1))
SCORES = TOPICS + GENERATOR.normal(0, 0.15, (1, 12)) + GENERATOR.normal(0, 0.1, (30, 12))
OTHERS = TOPICS + GENERATOR.normal(0, 0.15, (1, 9)) + GENERATOR.normal(0, 0.1, (30, 9))
OTHER_TEAMS = [f"other {i}" for i in range(9)]


def test_held_by_the_same_systems():
    told = Told(end("a", SCORES), end("b", SCORES + GENERATOR.normal(0, 0.002, SCORES.shape)))
    assert (told.found.verdict, told.found.why) == ("held", None)
    shift_90 = told.found.systems_like_these.shift_90
    assert f"90% interval {shift_90[0]:+.3f} to {shift_90[1]:+.3f}" in told.reason
    assert "95%" not in told.reason
    assert "Both intervals lie wholly inside." in told.reason
    assert told.reason.endswith(
        "This rests on the 30 topics that both rounds share and on 12 teams of 'a' and 12 of 'b',"
        " 12 of them in both rounds."
    )
    # All teams came again, so nothing is to be told of them apart.
    assert told.recurring.verdict == "held"
    assert [note.partition(",")[0] for note in told.notes] == ["For these very runs"]
    assert told.advice.startswith("Keep the factors of 'a'")
    assert "--factors-from a" in told.commands[0].command


def test_aged():
    told = Told(end("a", SCORES), end("b", OTHERS + 1, OTHER_TEAMS))
    assert (told.found.verdict, told.found.why) == ("aged", "shift")
    low, high = told.found.systems_like_these.shift_95
    assert f"95% interval {low:+.3f} to {high:+.3f}" in told.reason
    assert "The interval of the shift lies wholly outside." in told.reason
    assert "12 teams of 'a' and 9 of 'b', none of them in both rounds." in told.reason
    assert told.advice.startswith("Refit and restate")
    wide = Told(end("a", SCORES), end("b", 4 * (SCORES - 0.5) + 0.5), margin=2)
    assert (wide.found.verdict, wide.found.why) == ("aged", "sd ratio")
    assert "The interval of the spread lies wholly outside." in wide.reason
    both = Told(end("a", SCORES), end("b", 4 * (SCORES - 0.5) + 2))
    assert both.found.why == "shift and sd ratio"
    assert "Both intervals lie wholly outside." in both.reason


def test_undecided_says_what_would_decide():
    told = Told(end("a", SCORES), end("b", OTHERS, OTHER_TEAMS))
    assert (told.found.verdict, told.found.why) == ("undecided", "shift and sd ratio")
    assert "95% interval" in told.reason
    assert "90% interval" in told.reason
    assert "Both intervals reach over their limits, and neither lies wholly outside." in told.reason
    needed = told.found.needed
    assert told.advice.startswith(
        "For now standardise each round by its own factors, and compare no scores across the two."
        " To find out, running the same systems again in both rounds is far cheaper than any"
        " others: some 20 of them, unchanged, named in the column system of both team files. With"
        f" other teams it would take: for the shift, known to ±{needed.shift.half_width_90:.3f}"
        f" where 0.2 does not matter ({needed.shift.share_of_runs:.0%} of that is which systems"
        " took part), "
    )
    assert (
        f"for the spread, known to a factor of {needed.sd_ratio.half_width_90:.3f} where 1.25 does"
        " not matter" in told.advice
    )
    assert told.advice.endswith("(12 and 9 teams and 30 topics today.)")
    assert "Whether anything moved at all, for systems like these, is open." in told.notes


@pytest.mark.parametrize(
    ("later", "margin", "why", "words"),
    [
        (
            OTHERS,
            3,
            "sd ratio",
            "The shift is clear, as its interval lies inside; that of the spread",
        ),
        (
            SCORES + GENERATOR.normal(0.04, 0.02, (1, 12)),
            0.2,
            "shift",
            "that of the shift reaches over its limit",
        ),
    ],
)
def test_undecided_by_one_of_the_two(later, margin, why, words):
    teams = OTHER_TEAMS if later is OTHERS else None
    told = Told(end("a", SCORES), end("b", later, teams), margin=margin)
    assert (told.found.verdict, told.found.why) == ("undecided", why)
    assert words in told.reason
    assert ("for the shift, known to" in told.advice) == (why == "shift")
    assert ("for the spread, known to" in told.advice) == (why == "sd ratio")


def test_it_moved_how_far_is_open():
    told = Told(end("a", SCORES), end("b", SCORES + 0.035 + GENERATOR.normal(0, 0.02, (1, 12))))
    assert (told.found.verdict, told.found.moved) == ("undecided", True)
    assert "Something did move; whether by enough to matter is open." in told.notes
    # These are the same systems: to run them again is no news.
    assert "far cheaper" not in told.advice


def test_topics_of_small_sd():
    first, later = SCORES.copy(), SCORES.copy()
    first[0] = 0.5 + 1e-3 * (SCORES[0] - SCORES[0].mean())
    later[0] = first[0] + 0.01
    told = Told(end("a", first), end("b", later))
    assert (told.found.verdict, told.found.why) == ("undecided", "topics of small sd")
    assert f"shift in its own standard deviation is {told.found.mean_shift:+.3f}" in told.reason
    assert "look at the topics of small sd below" in told.advice
    aged = Told(end("a", first), end("b", later + 1))
    assert aged.found.verdict == "aged"
    assert f"is {aged.found.mean_shift:+.3f}" in aged.note("The mean of the topics' shifts")


@pytest.mark.parametrize(
    ("first", "later", "why", "words"),
    [
        (
            end("a", SCORES[:4]),
            end("b", SCORES[:4]),
            "fewer than 5 topics",
            "On the 4 topics that both rounds share, the mean score of these runs moved by +0.000"
            " standard deviations of round 'a', and their spread is 1.000 times what it was."
            " Nothing follows from it for other topics: an interval needs at least 5 of them, and"
            " there are 4.",
        ),
        (
            end("a", SCORES, ["x", "y", "z"] * 4),
            end("b", SCORES),
            "fewer than 5 units in the first round",
            "an interval needs at least 5 teams in each round, and 'a' has 3.",
        ),
        (
            end("a", SCORES),
            end("b", SCORES, ["x", "y", "z"] * 4),
            "fewer than 5 units in the later round",
            "an interval needs at least 5 teams in each round, and 'b' has 3.",
        ),
        (
            end("a", SCORES),
            end("b", np.full((30, 12), 0.5)),
            "no spread in the later round",
            "their spread is 0.000 times what it was. All runs of 'b' tie on every one of them,",
        ),
        (
            end("a", np.hstack([SCORES[:, :1], np.full((30, 7), 0.5)])),
            end("b", SCORES),
            "one unit bears all spread",
            "Without one of the teams, all other runs of its round tie on every one of them",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_no_interval(first, later, why, words):
    told = Told(first, later)
    assert (told.found.verdict, told.found.why) == ("undecided", why)
    assert words in told.reason
    assert told.found.systems_like_these.shift is None
    assert "rule of thumb" in told.advice
    assert not any(note.startswith(("It moved", "No change")) for note in told.notes)


def test_unbridged():
    flat = Told(end("a", np.full((3, 4), 0.5)), end("b", SCORES[:3, :4], [None] * 4))
    assert (flat.found.verdict, flat.found.provisional, flat.notes) == ("unbridged", False, [])
    assert "On every topic the two rounds share (3), all runs of 'a' tie" in flat.reason
    apart = Told(end("a", SCORES, collection="X"), end("b", SCORES, collection="Y"))
    assert apart.reason == "The two rounds share no topic, so no shift exists."


def test_tied_topics_are_said_to_be_left_out():
    first = SCORES.copy()
    first[:2] = 0.5
    told = Told(end("a", first), end("b", first))
    assert told.found.verdict == "held"
    assert (
        "28 of the 30 topics that both rounds share (on the others all runs of 'a' tie)"
        in told.reason
    )


def test_teams_that_came_again():
    again = np.hstack([SCORES[:, :10] + 0.2, OTHERS])
    teams = [*(f"Team R{i} " for i in range(10)), *OTHER_TEAMS]
    told = Told(end("a", SCORES), end("b", again, teams))
    like = told.recurring.systems_like_these
    assert told.recurring.verdict == "aged"
    assert told.note("As the") == (
        f"As the 10 teams that came again see it: aged; a shift of {like.shift:+.3f} (95% interval"
        f" {like.shift_95[0]:+.3f} to {like.shift_95[1]:+.3f}), a spread of {like.sd_ratio:.3f}"
        f" times what it was (95% interval {like.sd_ratio_95[0]:.3f} to"
        f" {like.sd_ratio_95[1]:.3f}). That is another question, since who comes again is no"
        " random choice."
    )


def test_a_verdict_on_inferred_units_is_provisional():
    told = Told(end("a", SCORES, [None] * 12), end("b", OTHERS + 1, OTHER_TEAMS))
    assert (told.found.provisional, told.found.units.by) == (True, "kin")
    assert "inferred from the scores where no team is known." in told.reason
    assert told.note("Provisional") == (
        "Provisional: the teams of 12 runs are not known, so runs that do well and badly on the"
        " same topics are taken for one team's. To say the teams, log the same scores once more"
        " with a team file, which fills in what was unknown: roundbook log task ROUND FILE"
        " --measure AP --teams TEAMS"
    )
    first = headline("aged", "a", "b", provisional=True)
    assert first == (
        "AGED: the factors of round 'a' no longer hold in round 'b' (provisional: teams unknown)."
    )
    declared = Told(
        end("a", SCORES, [None, *OTHER_TEAMS, "x", "y"], ["bm25", *[None] * 11]),
        end("b", OTHERS + 1, OTHER_TEAMS),
    )
    assert declared.found.units.by == "system"
    assert "the team of one run is not known, so a system that is declared counts" in declared.note(
        "Provisional"
    )


def test_a_margin_from_a_difference_that_matters():
    told = Told(end("a", SCORES), end("b", SCORES), min_d=0.06)
    assert told.note("The margin").startswith("The margin of the shift is minD 0.06 / (2 x 0.15)")
    assert "where -0.2 to +0.2 does not matter" in told.reason


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (Sizes("held", None, None, None), "no realistic size (over 20 times) for HELD"),
        (
            Sizes("held", None, None, Size(1.0, 5, 6, 7)),
            "no more than today for HELD in 4 of 5 cases",
        ),
        (
            Sizes("held", None, None, Size(3.742, 210, 191, 113)),
            "3.8 times the teams and topics (210 and 191 teams, 113 topics) for HELD in 4 of 5"
            " cases",
        ),
        (
            Sizes("aged", Size(8.2, 460, 419, 30), None, Size(2.01, 117, 106, 63)),
            "8.2 times the teams (460 and 419) or 2.1 times the teams and topics (117 and 106"
            " teams, 63 topics) for AGED in 4 of 5 cases",
        ),
        (
            Sizes("aged", Size(2, 10, 12, 30), Size(3, 5, 6, 90), Size(1.5, 8, 9, 45)),
            "2.0 times the teams (10 and 12) or 3.0 times the topics (90) or 1.5 times the teams"
            " and topics (8 and 9 teams, 45 topics) for AGED in 4 of 5 cases",
        ),
    ],
)
def test_sizes_in_words(sizes, words):
    assert _size(sizes, "teams") == words
