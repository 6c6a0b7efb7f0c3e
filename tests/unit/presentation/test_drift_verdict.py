"""A verdict on drift in sentences: every reason that there is, and what stands beside it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from types import SimpleNamespace

import numpy as np
import pytest
from tests.unit.logbook.drift_rounds import drift_between, loaded

from roundbook.logbook.drift.assessment import StandardisingRuns
from roundbook.logbook.drift.kind import KIND
from roundbook.logbook.drift.report import DriftCurve, DriftReport, LaterRound
from roundbook.logbook.held_order import OutOfOrder
from roundbook.logbook.withdrawals import WithdrawnMatrix, left_out
from roundbook.presentation.drift import brief_notes, recurring_reason
from roundbook.presentation.drift_advice import advice, brief_advice, size_sentence
from roundbook.presentation.drift_curve import curve_notes
from roundbook.presentation.drift_verdict import (
    JUDGED_BY,
    brief_reason,
    headline,
    reason,
)
from roundbook.presentation.saved_drift import brief_sentence
from roundbook.statistics.drift.verdict import Size, Sizes
from roundbook_cli.drift_commands import report_text

ALL_RUNS = StandardisingRuns(which="all", runs=9, of=9)


def later_round(label, **facts):
    """Return a round of a curve, of which only what is given is out of the ordinary."""
    usual = {"verdict": "held", "collection": "news", "standardising": ALL_RUNS, "shared_topics": 9}
    return LaterRound.model_construct(round=label, **usual | facts)


def curve_of(rounds, **facts):
    """Return the curve from a round 'a' to later rounds."""
    usual = {
        "from_collection": "news",
        "standardising": ALL_RUNS,
        "out_of_order": [],
        "withdrawn": [],
    }
    return DriftCurve.model_construct(from_round="a", rounds=rounds, **usual | facts)


class Described:
    """The drift between two rounds, and what the terminal says of it."""

    def __init__(self, first, later, *, assessments=None, **asked):
        self.report = drift_between(first, later, **asked)
        self.text = report_text(self.report, assessments)
        self.reason, self.notes, self.advice = (
            self.text[key] for key in ("reason", "notes", "advice")
        )
        self.commands = [step["command"] for step in self.text["commands"]]

    def note(self, start):
        """Return the note that begins so."""
        (note,) = [note for note in self.notes if note.startswith(start)]
        return note


GENERATOR = np.random.default_rng(5)
TOPICS = GENERATOR.normal(0.5, 0.1, (30, 1))
SCORES = TOPICS + GENERATOR.normal(0, 0.15, (1, 12)) + GENERATOR.normal(0, 0.1, (30, 12))
OTHERS = TOPICS + GENERATOR.normal(0, 0.15, (1, 9)) + GENERATOR.normal(0, 0.1, (30, 9))
OTHER_TEAMS = [f"other {i}" for i in range(9)]


def test_held_by_the_same_systems():
    drift = Described(
        loaded("a", SCORES), loaded("b", SCORES + GENERATOR.normal(0, 0.002, SCORES.shape))
    )
    assert (drift.report.verdict, drift.report.why) == ("held", None)
    shift_90 = drift.report.systems_like_these.shift_90
    assert f"90% interval {shift_90[0]:+z.3f} to {shift_90[1]:+z.3f}" in drift.reason
    assert "95% interval" not in drift.reason
    assert f"Both intervals lie wholly inside. {JUDGED_BY} This rests" in drift.reason
    assert drift.reason.endswith(
        "This rests on the 30 topics that both rounds share and on 12 teams of 'a' and 12 of 'b',"
        " 12 of them in both rounds."
    )
    # All teams came again, so nothing is to be told of them apart.
    assert drift.report.recurring.verdict == "held"
    assert [note.partition(",")[0] for note in drift.notes] == ["For these very runs"]
    assert drift.advice.startswith("Keep the factors of 'a'")
    assert "--factors-from a" in drift.commands[0]


def test_aged():
    drift = Described(loaded("a", SCORES), loaded("b", OTHERS + 1, teams=OTHER_TEAMS))
    assert (drift.report.verdict, drift.report.why) == ("aged", "shift")
    low, high = drift.report.systems_like_these.shift_95
    assert f"95% interval {low:+z.3f} to {high:+z.3f}" in drift.reason
    assert "The interval of the shift lies wholly outside." in drift.reason
    assert "12 teams of 'a' and 9 of 'b', none of them in both rounds." in drift.reason
    assert drift.advice.startswith("Standardise 'b' by its own factors, which are fitted already.")
    wide = Described(loaded("a", SCORES), loaded("b", 4 * (SCORES - 0.5) + 0.5), margin=2)
    assert (wide.report.verdict, wide.report.why) == ("aged", "sd ratio")
    assert "The interval of the spread lies wholly outside." in wide.reason
    both = Described(loaded("a", SCORES), loaded("b", 4 * (SCORES - 0.5) + 2))
    assert both.report.why == "shift and sd ratio"
    assert "Both intervals lie wholly outside." in both.reason


@pytest.mark.parametrize(("unit", "noted"), [(4.9, False), (100, True), (0.01, True)])
def test_scores_on_another_scale(unit, noted):
    drift = Described(loaded("a", SCORES), loaded("b", SCORES * unit))
    assert any("are on another scale (percent?)" in note for note in drift.notes) == noted
    assert any("are on another scale" in note for note in brief_notes(drift.report)) == noted
    # Its figure is that of these very runs, which the note on them tells.
    assert not any("times what it was: perhaps" in note for note in drift.notes)


def test_topics_of_small_sd_are_not_blamed_for_another_scale():
    first, later = SCORES.copy(), SCORES.copy()
    first[0] = 0.5 + 1e-3 * (SCORES[0] - SCORES[0].mean())
    drift = Described(loaded("a", first), loaded("b", 100 * later))
    assert drift.report.why == "shift and sd ratio"
    assert abs(drift.report.mean_shift - drift.report.shift) > drift.report.margin / 2
    assert drift.note("The spreads are so far apart that perhaps the scores of one")
    for notes in (drift.notes, brief_notes(drift.report)):
        assert not any(note.startswith("The mean of the topics' shifts") for note in notes)


def test_rounds_of_a_curve_on_another_scale():
    ratios = {"b": 1.1, "c": 100.0, "d": None, "e": 0.01}
    rounds = [later_round(label, sd_ratio=ratio) for label, ratio in ratios.items()]
    assert curve_notes(curve_of(rounds)) == [
        "The spread in 'c', 'e' is so far from that in 'a' that perhaps the scores on one side are on"
        " another scale (percent?). Look at them before you follow the verdicts."
    ]
    assert curve_notes(curve_of(rounds[:1])) == []


def test_another_choice_of_runs_is_no_reason_where_no_topic_is_shared():
    pooled = StandardisingRuns(which="pooled", runs=7, of=9)
    rounds = [
        later_round("b", standardising=pooled),
        later_round("c", verdict="unbridged", standardising=pooled),
    ]
    (note,) = curve_notes(curve_of(rounds))
    assert "those of 'b' on the 7 of 9 runs that contributed to the pool: part" in note
    assert curve_notes(curve_of(rounds[1:])) == []


def test_a_saved_report_is_listed_with_the_figures_of_its_sentence():
    drift = Described(loaded("a", SCORES), loaded("b", OTHERS + 1, teams=OTHER_TEAMS))
    stored = drift.report.model_dump(mode="json", by_alias=True)
    brief, like = KIND.brief(stored), drift.report.systems_like_these
    assert (brief["shift"], brief["sd_ratio"]) == (like.shift, like.sd_ratio)
    moved = f"{like.shift:+.3f}"
    assert moved != f"{drift.report.shift:+.3f}"
    assert f"the mean score moved by {moved} " in drift.reason
    assert brief_sentence(brief) == f"a to b: aged, shift {moved}"
    # A report of an earlier version has the figures of its own runs alone.
    del stored["systems_like_these"]
    assert KIND.brief(stored)["shift"] == drift.report.shift


def test_a_comparison_that_runs_backwards_says_so():
    first, later = loaded("a", SCORES), loaded("b", OTHERS + 1, teams=OTHER_TEAMS, ordinal=2)
    forwards, backwards = Described(first, later), Described(later, first)
    assert (forwards.report.backwards, backwards.report.backwards) == (False, True)
    assert " standard deviations of round 'a' (" in brief_reason(forwards.report)
    assert " standard deviations of round 'b' (" in brief_reason(backwards.report)
    assert backwards.notes[0] == (
        "This comparison runs backwards: round 'b' comes after 'a' in the task, and the question is"
        " whether its factors hold for that one."
    )
    assert not any("backwards" in note for note in forwards.notes)


def test_limits_are_written_on_their_side_of_the_margins():
    first, later = loaded("a", SCORES), loaded("b", OTHERS, teams=OTHER_TEAMS)
    like = drift_between(first, later).systems_like_these
    limits = like.shift_90[1], like.sd_ratio_90[1]
    # Three decimals would write either upper limit on the other side of its margin.
    margins = [(limit + round(limit, 3)) / 2 for limit in limits]
    drift = Described(first, later, margin=margins[0], sd_ratio_margin=margins[1])
    written = [float(end) for end in re.findall(r"90% interval \S+ to ([+\d.]+\d)", drift.reason)]
    assert written == pytest.approx(limits, abs=0.0005)
    assert [end > margin for end, margin in zip(written, margins, strict=True)] == [
        limit > margin for limit, margin in zip(limits, margins, strict=True)
    ]


def test_the_interval_of_recurring_systems_is_written_beside_its_margin():
    recurring = SimpleNamespace(
        systems=["x", "y"],
        count=2,
        mean_difference=0.3,
        mean_difference_95=(0.2003, 0.4),
        against_others=None,
        margin=0.2,
        why=None,
        verdict="aged",
    )
    sentence = recurring_reason(SimpleNamespace(from_round="a", to_round="b"), recurring)
    assert "(95% interval +0.2003 to +0.400; up to 0.2 does not matter)" in sentence


def test_undecided_says_what_would_decide():
    drift = Described(loaded("a", SCORES), loaded("b", OTHERS, teams=OTHER_TEAMS))
    assert (drift.report.verdict, drift.report.why) == ("undecided", "shift and sd ratio")
    assert "95% interval" in drift.reason
    assert "90% interval" in drift.reason
    assert (
        "Both intervals reach over their limits, and neither lies wholly outside." in drift.reason
    )
    needed = drift.report.needed
    assert drift.advice.startswith(
        "For now standardise each round by its own factors, and compare no scores across the two."
        " To find out, running the same systems again in both rounds is far cheaper than any"
        " others: some 20 of them, unchanged, named in the column system of both team files"
        " (log --teams). With"
        f" other teams it would take: for the shift, known to ±{needed.shift.half_width_90:.3f}"
        f" by its 90% interval where 0.2 does not matter ({needed.shift.share_of_runs:.0%} of its"
        " variance comes from which systems took part), "
    )
    assert (
        f"for the spread, known to a factor of {needed.sd_ratio.half_width_90:.3f} by its 90%"
        " interval where 1.25 does not matter" in drift.advice
    )
    assert drift.advice.endswith(" if nothing moved. (12 and 9 teams and 30 topics today.)")
    # What the estimate alone would take promises what it does not keep.
    assert "as estimated" not in drift.advice
    assert "Whether anything moved at all, for systems like these, is open." in drift.notes


@pytest.mark.parametrize(
    ("sd", "margin", "words"),
    [
        (0.0, 0.5, "(`teams`)."),
        (0.2, 0.5, "(`teams`), on more topics than these 30, which moved too unevenly."),
        (0.0, 0.05, "(`teams`), on more topics than these 30, which moved too unevenly."),
    ],
)
def test_the_same_systems_decide_on_topics_that_moved_alike(sd, margin, words):
    moved = OTHERS + np.random.default_rng(1).normal(0, sd, (30, 1))
    report = drift_between(
        loaded("a", SCORES), loaded("b", moved, teams=OTHER_TEAMS), margin=margin
    )
    report = report.model_copy(update={"why": "shift"})
    assert report.verdict == "undecided"
    assert brief_advice(report).endswith(f"the column system of both team files {words}")
    assert f"both team files {words[:-1]}. With other teams it would take" in advice(report)


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
    drift = Described(loaded("a", SCORES), loaded("b", later, teams=teams), margin=margin)
    assert (drift.report.verdict, drift.report.why) == ("undecided", why)
    assert words in drift.reason
    # Either figure comes with the interval that it is judged by, at both lengths.
    like, brief = drift.report.systems_like_these, brief_reason(drift.report)
    shift, spread = (
        f"90% interval {like.shift_90[0]:+z.3f} to {like.shift_90[1]:+z.3f}",
        f"90% interval {like.sd_ratio_90[0]:.3f} to {like.sd_ratio_90[1]:.3f}",
    )
    for text in (drift.reason, brief):
        assert f"({shift if why == 'sd ratio' else spread}" in text
        assert text.count("(95% interval") == 1
        assert JUDGED_BY in text
    assert ("for the shift, known to" in drift.advice) == (why == "shift")
    assert ("for the spread, known to" in drift.advice) == (why == "sd ratio")


def test_it_moved_how_far_is_open():
    drift = Described(
        loaded("a", SCORES), loaded("b", SCORES + 0.035 + GENERATOR.normal(0, 0.02, (1, 12)))
    )
    assert (drift.report.verdict, drift.report.moved) == ("undecided", True)
    assert "The scores did move; whether by enough to matter is open." in drift.notes
    # These are the same systems: to run them again is no news.
    assert "far cheaper" not in drift.advice


def test_the_notes_on_a_curve_come_in_one_order():
    pair = OutOfOrder(
        round="c", held=date(2019, 1, 1), recorded_after="b", recorded_after_held=date(2020, 1, 1)
    )
    pooled = StandardisingRuns(which="pooled", runs=7, of=9)
    later = later_round(
        "c",
        standardising=pooled,
        sd_ratio=100.0,
        why="topics of small sd",
        provisional=True,
        collection=None,
    )
    withdrawn = WithdrawnMatrix.model_construct(
        round="d", matrix=7, revision=1, measure="AP", assessments="official", reason="misprint"
    )
    curve = curve_of([later_round("b"), later], out_of_order=[pair], withdrawn=[withdrawn])
    starts = (
        "Round 'c' was held on 2019-01-01, before",
        "Assumed: round 'c' was held on the document collection 'news' too",
        "The factors of 'a' rest on all 9 runs",
        "The spread in 'c' is so far",
        "Undecided for 'c'",
        "Provisional: teams are unknown behind the verdicts of 'c'",
        left_out(withdrawn),
    )
    notes = curve_notes(curve)
    assert len(notes) == len(starts)
    assert all(map(str.startswith, notes, starts)), notes


def test_topics_of_small_sd():
    first, later = SCORES.copy(), SCORES.copy()
    first[0] = 0.5 + 1e-3 * (SCORES[0] - SCORES[0].mean())
    later[0] = first[0] + 0.01
    drift = Described(loaded("a", first), loaded("b", later))
    assert (drift.report.verdict, drift.report.why) == ("undecided", "topics of small sd")
    assert f"shift in its own standard deviation is {drift.report.mean_shift:+.3f}" in drift.reason
    assert "look at the topics of small sd (drift --details)" in drift.advice
    rounds = [later_round("b", why=drift.report.why), later_round("c")]
    assert curve_notes(curve_of(rounds)) == [
        "Undecided for 'b', though both intervals lie inside: topics on which the runs hardly differ"
        " moved by more; the report says more."
    ]
    assert curve_notes(curve_of(rounds[1:])) == []
    aged = Described(loaded("a", first), loaded("b", later + 1))
    assert aged.report.verdict == "aged"
    assert f"is {aged.report.mean_shift:+.3f}" in aged.note("The mean of the topics' shifts")


@pytest.mark.parametrize(
    ("first", "later", "why", "words"),
    [
        (
            loaded("a", SCORES[:4]),
            loaded("b", SCORES[:4]),
            "fewer than 5 topics",
            "On the 4 topics that both rounds share, the mean score of these runs moved by +0.000"
            " standard deviations of round 'a', and their spread is 1.000 times what it was."
            " Nothing follows from it for other topics: an interval needs at least 5 of them, and"
            " there are 4.",
        ),
        (
            loaded("a", SCORES, teams=["x", "y", "z"] * 4),
            loaded("b", SCORES),
            "fewer than 5 units in the first round",
            "an interval needs at least 5 teams in each round, and 'a' has 3.",
        ),
        (
            loaded("a", SCORES),
            loaded("b", SCORES, teams=["x", "y", "z"] * 4),
            "fewer than 5 units in the later round",
            "an interval needs at least 5 teams in each round, and 'b' has 3.",
        ),
        (
            loaded("a", SCORES),
            loaded("b", np.full((30, 12), 0.5)),
            "no spread in the later round",
            "their spread is 0.000 times what it was. All standardising runs of 'b' tie on every one"
            " of them,",
        ),
        (
            loaded("a", np.hstack([SCORES[:, :1], np.full((30, 7), 0.5)])),
            loaded("b", SCORES),
            "one unit bears all spread",
            "Without one of the teams, all other standardising runs of its round tie on every one of them",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 40 else "",
)
def test_no_interval(first, later, why, words):
    drift = Described(first, later)
    assert (drift.report.verdict, drift.report.why) == ("undecided", why)
    assert words in drift.reason
    assert drift.report.systems_like_these.shift is None
    if why == "no spread in the later round":
        assert drift.advice.endswith(
            "More systems or topics need not decide it: look at the scores of the later round, where"
            " all standardising runs tie."
        )
        assert brief_advice(drift.report) == drift.advice
    else:
        assert drift.advice.endswith(
            "As a rule of thumb, HELD takes as many shared topics as there can be, with a hundred"
            " teams or more in each round if they bring other systems, or some 20 of the same systems"
            " run again, unchanged, in both rounds."
        )
        assert brief_advice(drift.report).endswith(
            "both team files (`teams`), on as many shared topics as there can be."
        )
    assert not any(note.startswith(("It moved", "No change")) for note in drift.notes)


def test_no_shared_topics():
    flat = Described(
        loaded("a", np.full((3, 4), 0.5)), loaded("b", SCORES[:3, :4], teams=[None] * 4)
    )
    assert (flat.report.verdict, flat.report.provisional, flat.notes) == ("unbridged", False, [])
    assert (
        "On every topic the two rounds share (3), all standardising runs of 'a' tie" in flat.reason
    )
    topics = [f"u{j}" for j in range(30)]
    apart = Described(loaded("a", SCORES), loaded("b", SCORES, topics))
    assert flat.advice.endswith("the two; reuse some topics of 'a' in the next round.")
    assert apart.reason == "The two rounds share no topic, so no shift exists."
    assert apart.text["consequence_reason"] == headline(apart.report)
    assert headline(apart.report) == (
        "NO SHARED TOPICS: rounds 'a' and 'b' have no usable shared topic."
    )
    assert apart.advice.endswith(
        "Where topics returned under other ids, say which (topic alias) and compare again; else"
        " reuse some topics of 'a' in the next round."
    )
    assert apart.text["unbridged"]["note"].startswith("No evidence that factors moved")
    assert apart.text["unbridged"]["means"]["welch"]["p_value"] == 1


def test_other_collections():
    other = Described(loaded("a", SCORES, collection="X"), loaded("b", SCORES, collection="Y"))
    assert other.reason.startswith(
        "Round 'a' was held on the document collection 'X' and round 'b'"
    )
    assert "Only systems that run again unchanged can link them" in other.advice
    assert "Did you mean" not in other.advice
    near = Described(
        loaded("a", SCORES, collection="CORD-19"), loaded("b", SCORES, collection="CORD19")
    )
    assert near.advice.endswith("'CORD19' is nearly 'CORD-19'. Did you mean CORD-19?")
    declared = "roundbook round set task b --collection CORD-19 --force"
    assert declared in near.commands
    assert declared not in other.commands
    assert other.text["assumed"] is None


def test_tied_topics_are_said_to_be_left_out():
    first = SCORES.copy()
    first[:2] = 0.5
    drift = Described(loaded("a", first), loaded("b", first))
    assert drift.report.verdict == "held"
    assert (
        "28 of the 30 topics that both rounds share (on the others all standardising runs of 'a' tie)"
        in drift.reason
    )


def test_teams_that_came_again():
    again = np.hstack([SCORES[:, :10] + 0.2, OTHERS])
    teams = [*(f"Team R{i} " for i in range(10)), *OTHER_TEAMS]
    drift = Described(loaded("a", SCORES), loaded("b", again, teams=teams))
    like = drift.report.recurring.systems_like_these
    assert drift.report.recurring.verdict == "aged"
    assert drift.note("As the") == (
        f"As the 10 teams that came again see it: aged; a shift of {like.shift:+.3f} (95% interval"
        f" {like.shift_95[0]:+z.3f} to {like.shift_95[1]:+z.3f}), a spread of {like.sd_ratio:.3f}"
        f" times what it was (95% interval {like.sd_ratio_95[0]:.3f} to"
        f" {like.sd_ratio_95[1]:.3f}). That is another question, since who comes again is no"
        " random choice."
    )


def test_teams_that_came_again_and_tie_on_all_topics():
    first = np.hstack([np.repeat(TOPICS, 10, axis=1), OTHERS])
    again = SCORES[:, :10]
    names = [f"Team R{i}" for i in range(10)]
    drift = Described(
        loaded("a", first, teams=[*names, *OTHER_TEAMS]), loaded("b", again, teams=names)
    )
    assert drift.report.verdict != "unbridged"
    assert drift.report.recurring.verdict == "unbridged"
    assert drift.note("As the") == (
        "As the 10 teams that came again see it: no shared topics. That is another question, since"
        " who comes again is no random choice."
    )


def test_a_verdict_on_inferred_units_is_provisional():
    drift = Described(
        loaded("a", SCORES, teams=[None] * 12), loaded("b", OTHERS + 1, teams=OTHER_TEAMS)
    )
    assert (drift.report.provisional, drift.report.units.by) == (True, "kin")
    assert "inferred from the scores where no team is known." in drift.reason
    assert drift.note("Provisional") == (
        "Provisional: the teams of 12 runs are not known, so runs that do well and badly on the"
        " same topics are taken for one team's. To say the teams, give each round's team file,"
        " which fills in what was unknown: roundbook round teams task ROUND TEAMS.csv"
    )
    assert headline(drift.report) == (
        "AGED: the factors of round 'a' no longer hold in round 'b' (provisional: teams unknown)."
    )
    declared = Described(
        loaded("a", SCORES, teams=[None, *OTHER_TEAMS, "x", "y"], systems={"r0": "bm25"}),
        loaded("b", OTHERS + 1, teams=OTHER_TEAMS),
    )
    assert declared.report.units.by == "system"
    assert "the team of one run is not known, so a system that is declared counts" in declared.note(
        "Provisional"
    )


def test_a_margin_from_a_difference_that_matters():
    drift = Described(loaded("a", SCORES), loaded("b", SCORES), min_d=0.06)
    assert drift.note("The margin").startswith("The margin of the shift is minD 0.06 / (2 x 0.15)")
    assert "where -0.2 to +0.2 does not matter" in drift.reason


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
    assert size_sentence(sizes, "teams") == words


def test_a_report_of_an_earlier_rule_has_a_reason():
    report = drift_between(loaded("a", SCORES), loaded("b", SCORES))
    gone = dict.fromkeys(("systems_like_these", "these_runs", "units", "needed", "topics_used"))
    old = report.model_copy(update=gone)
    assert reason(old) == (
        "An earlier version of Roundbook judged this, by a rule that took the runs for fixed: on the"
        " 30 topics that both rounds share, the mean of the topics' shifts, each in its own"
        " standard deviation, is +0.000."
    )
    assert report_text(old)["notes"] == []


def test_the_sentences_that_were_saved_with_a_report_stay():
    report = drift_between(loaded("a", SCORES), loaded("b", SCORES))
    saved = report.model_dump(mode="json", by_alias=True) | {"reason": "So it was.", "old": 1}
    text = report_text(DriftReport.model_validate(saved))
    assert text == report_text(report) | {"reason": "So it was."}


def test_who_ran_all_systems_again_is_not_advised_to():
    """What would decide is then more of the same, at either length of the report."""
    later = SCORES + GENERATOR.normal(0.04, 0.02, (1, 12))
    drift = Described(loaded("a", SCORES), loaded("b", later))
    units = drift.report.units
    assert (drift.report.verdict, units.shared) == ("undecided", 12)
    assert brief_advice(drift.report) == advice(drift.report)
    assert "It would take of teams and topics like these: " in drift.advice
    assert "some 20" not in drift.advice


def test_what_did_move_is_named():
    drift = Described(
        loaded("a", SCORES), loaded("b", OTHERS, teams=OTHER_TEAMS), margin=3, sd_ratio_margin=1.5
    )
    like = drift.report.systems_like_these
    for shift, ratio, moved in (
        ((-0.1, 0.3), (1.06, 1.17), "their spread"),
        ((0.1, 0.3), (0.9, 1.17), "the scores"),
        ((0.1, 0.3), (1.06, 1.17), "the scores or their spread"),
    ):
        systems = replace(like, shift_95=shift, sd_ratio_95=ratio)
        report = drift.report.model_copy(
            update={"systems_like_these": systems, "moved": True, "verdict": "undecided"}
        )
        assert f"from these systems and topics, though {moved} did move." in headline(report)
