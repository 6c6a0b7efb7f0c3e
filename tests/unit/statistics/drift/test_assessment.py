"""Drift of factors between rounds: check values, invariances, and where there is no interval."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.statistics.score_files import shared_topics

from roundbook.errors import ImpossibleStatisticError
from roundbook.statistics.drift.assessment import (
    SystemsLikeThese,
    TheseRuns,
    assess_drift,
    assess_recurring,
)
from roundbook.statistics.drift.jackknife import PerStatistic
from roundbook.statistics.drift.units import RunsOfRound, kin_groups, unit_labels


def labels(first, later, by):
    """Units of two rounds' runs by their teams, by kin groups, or none."""
    if by == "team":
        units = unit_labels(RunsOfRound(first.teams), RunsOfRound(later.teams))
    elif by == "kin":
        units = unit_labels(
            *(
                RunsOfRound([None] * part.scores.shape[1], kin=kin_groups(part.scores))
                for part in (first, later)
            )
        )
    else:
        return None, None
    assert units.by == by
    return units.labels_from, units.labels_to


def check(drift, shifts, ratios, dofs, verdict):
    """Compare with what an independent program printed, to six places and degrees to three."""
    plain, corrected, *shift_limits = shifts
    ratio, *ratio_limits = ratios
    systems = drift.systems_like_these
    assert [drift.shift, systems.shift] == pytest.approx([plain, corrected], abs=5.1e-7)
    assert [*systems.shift_90, *systems.shift_95] == pytest.approx(shift_limits, abs=5.1e-7)
    assert drift.sd_ratio == pytest.approx(ratio, abs=5.1e-7)
    assert [*systems.sd_ratio_90, *systems.sd_ratio_95] == pytest.approx(ratio_limits, abs=5.1e-7)
    parts = drift.variance_parts
    assert [parts.shift.dof, parts.sd_ratio.dof] == pytest.approx(dofs, abs=5.1e-4)
    assert drift.verdict == verdict


COVID = {
    (1, 2, "team"): (
        (56, 51, 31),
        (0.460911, 0.458659, 0.237174, 0.680145, 0.193859, 0.723460),
        (0.936108, 0.838875, 1.049304, 0.820673, 1.072578),
        (85.792, 77.069),
        "undecided",
    ),
    (1, 2, "kin"): (
        (57, 44, 0),
        (0.460911, 0.457176, 0.192615, 0.721736, 0.140570, 0.773782),
        (0.936108, 0.837082, 1.053064, 0.818335, 1.077189),
        (66.775, 59.551),
        "undecided",
    ),
    (1, 2, "run"): (
        (143, 136, 0),
        (0.460911, 0.460532, 0.268093, 0.652971, 0.230506, 0.690557),
        (0.936108, 0.859026, 1.021844, 0.844572, 1.039333),
        (91.460, 86.250),
        "aged",
    ),
    (1, 3, "team"): (
        (56, 31, 21),
        (0.822065, 0.817120, 0.495265, 1.138975, 0.431939, 1.202301),
        (0.994836, 0.861895, 1.166599, 0.836422, 1.202128),
        (66.444, 52.083),
        "aged",
    ),
    (1, 3, "run"): (
        (143, 79, 0),
        (0.822065, 0.821148, 0.533963, 1.108333, 0.477368, 1.164928),
        (0.994836, 0.883434, 1.127761, 0.862596, 1.155005),
        (62.674, 86.778),
        "aged",
    ),
    (2, 3, "team"): (
        (51, 31, 23),
        (0.329840, 0.329487, 0.032854, 0.626120, -0.025463, 0.684437),
        (1.047188, 0.914164, 1.214270, 0.888740, 1.249007),
        (68.420, 48.530),
        "undecided",
    ),
    (2, 3, "run"): (
        (136, 79, 0),
        (0.329840, 0.330060, 0.073456, 0.586663, 0.023292, 0.636828),
        (1.047188, 0.942071, 1.169875, 0.922479, 1.194722),
        (87.379, 136.017),
        "undecided",
    ),
}


@pytest.mark.parametrize(("old", "new", "by"), COVID)
def test_treccovid(covid, old, new, by):
    units, shifts, ratios, dofs, verdict = COVID[old, new, by]
    drift = assess_drift(
        *shared_topics(covid[old], covid[new]), *labels(covid[old], covid[new], by)
    )
    assert (drift.units_from, drift.units_to, drift.units_shared) == units
    check(drift, shifts, ratios, dofs, verdict)


@pytest.mark.parametrize(("old", "new", "mean"), [(1, 2, 0.4533), (1, 3, 0.8984), (2, 3, 0.3809)])
def test_mean_shift_of_treccovid(covid, old, new, mean):
    drift = assess_drift(*shared_topics(covid[old], covid[new]))
    assert drift.mean_shift == pytest.approx(mean, abs=5e-5)
    assert drift.mean_shift == pytest.approx(drift.shifts.mean())
    assert drift.median_shift == pytest.approx(np.median(drift.shifts))


def test_treccovid_without_teams_aged_from_the_first_to_the_third_round(covid):
    drift = assess_drift(*shared_topics(covid[1], covid[3]), *labels(covid[1], covid[3], "kin"))
    assert (drift.verdict, drift.why) == ("aged", "shift")
    assert drift.moved


def test_reasons_on_treccovid(covid):
    drift = assess_drift(*shared_topics(covid[1], covid[2]), *labels(covid[1], covid[2], "team"))
    assert drift.why == "shift"
    assert (drift.verdicts.shift, drift.verdicts.sd_ratio) == ("undecided", "held")
    assert drift.moved


def test_teams_that_came_again_to_treccovid(covid):
    scores, units = shared_topics(covid[1], covid[2]), labels(covid[1], covid[2], "team")
    recurring = assess_recurring(*scores, *units)
    assert recurring.shift == pytest.approx(0.35, abs=5e-3)
    assert recurring.units_from == recurring.units_to == recurring.units_shared == 31
    again = [np.isin(units[0], units[1]), np.isin(units[1], units[0])]
    alone = assess_drift(
        scores[0][:, again[0]], scores[1][:, again[1]], units[0][again[0]], units[1][again[1]]
    )
    assert recurring.systems_like_these == alone.systems_like_these
    assert recurring.needed == alone.needed


ADHOC = {
    "kin": (
        (36, 21, 0),
        (0.060849, 0.049322, -0.203768, 0.302413, -0.261219, 0.359863),
        (0.700981, 0.522104, 0.987784, 0.487382, 1.058153),
        (10.597, 14.994),
    ),
    "run": (
        (74, 78, 0),
        (0.060849, 0.053974, -0.131831, 0.239779, -0.168608, 0.276556),
        (0.700981, 0.546489, 0.891741, 0.520310, 0.936609),
        (54.276, 38.969),
    ),
}


@pytest.mark.parametrize("by", ADHOC)
def test_from_trec6_to_robust_2003(adhoc, by):
    units, shifts, ratios, dofs = ADHOC[by]
    drift = assess_drift(*shared_topics(adhoc[6], adhoc[2003]), *labels(adhoc[6], adhoc[2003], by))
    assert drift.topics_used == 15
    assert (drift.units_from, drift.units_to, drift.units_shared) == units
    check(drift, shifts, ratios, dofs, "undecided")
    assert drift.mean_shift == pytest.approx(0.0948, abs=5e-5)


def test_typed_example(typed):
    first, later = typed
    drift = assess_drift(first.scores, later.scores, *labels(first, later, "team"))
    systems, parts = drift.systems_like_these, drift.variance_parts
    assert (drift.topics_used, drift.tied_from, drift.tied_to) == (5, 1, 0)
    assert (drift.units_from, drift.units_to, drift.units_shared) == (6, 5, 2)
    assert drift.shift == pytest.approx(0.5927571272, rel=1e-9)
    assert drift.mean_shift == pytest.approx(0.5958894755, rel=1e-9)
    assert drift.sd_ratio == pytest.approx(1.098094513, rel=1e-9)
    assert drift.these_runs.shift_95 == pytest.approx((0.4361887619, 0.7493254925), rel=1e-9)
    assert systems.shift == pytest.approx(0.5677766163, rel=1e-9)
    assert systems.shift_95 == pytest.approx((-1.393531769, 2.529085001), rel=1e-9)
    assert systems.sd_ratio == pytest.approx(1.138177032, rel=1e-9)
    assert systems.sd_ratio_90 == pytest.approx((0.6117342622, 2.117662908), rel=1e-9)
    assert parts.shift.runs == pytest.approx(0.3198887139, rel=1e-9)
    assert (drift.verdict, drift.why, drift.moved) == ("undecided", "shift and sd ratio", False)
    assert math.isnan(drift.shifts[5])
    assert drift.shifts[0] == pytest.approx(
        (later.scores[0].mean() - first.scores[0].mean()) / first.scores[0].std(ddof=1)
    )
    assert drift.sd_ratios[:5] == pytest.approx(
        later.scores.std(axis=1, ddof=1)[:5] / first.scores.std(axis=1, ddof=1)[:5]
    )
    assert drift.sd_ratio_geometric == pytest.approx(math.exp(np.log(drift.sd_ratios[:5]).mean()))


def round_pair(seed, topics=8, runs=(14, 12), shared=5):
    """Two random rounds of some seven units each, of which some are in both."""
    rng = np.random.default_rng(seed)
    first = rng.random((topics, 1)) + rng.random((topics, runs[0]))
    later = rng.random((topics, 1)) + rng.random((topics, runs[1]))
    old, new = (np.arange(count) // 2 for count in runs)
    return first, later, old, new + old.max() + 1 - shared


def summary(drift):
    """All that is reported over topics, as numbers and words."""
    systems = drift.systems_like_these
    parts = drift.variance_parts
    sizes = [
        planned.factor
        for needed in vars(drift.needed).values()
        for case in (needed.if_unmoved, needed.if_as_measured)
        for planned in (case.units, case.topics, case.both)
        if planned is not None
    ]
    numbers = [
        *(drift.shift, drift.mean_shift, drift.median_shift),
        *(drift.sd_ratio, drift.sd_ratio_geometric),
        *drift.these_runs.shift_95,
        *drift.these_runs.sd_ratio_95,
        *(systems.shift, *systems.shift_90, *systems.shift_95),
        *(systems.sd_ratio, *systems.sd_ratio_90, *systems.sd_ratio_95),
        *vars(parts.shift).values(),
        *vars(parts.sd_ratio).values(),
        *sizes,
    ]
    words = (drift.verdict, drift.why, drift.verdicts, drift.moved)
    counts = (drift.units_from, drift.units_to, drift.units_shared, drift.topics_used)
    return numbers, words, counts


def assert_same(drift, other):
    numbers, *rest = summary(drift)
    other_numbers, *other_rest = summary(other)
    assert numbers == pytest.approx(other_numbers, rel=1e-7, abs=1e-10)
    assert rest == other_rest


@given(st.integers(0, 10**9), st.integers(0, 7), st.data())
def test_order_changes_nothing(seed, shared, data):
    first, later, old, new = round_pair(seed, shared=shared)
    topics = np.array(data.draw(st.permutations(range(8))))
    runs_old = np.array(data.draw(st.permutations(range(14))))
    runs_new = np.array(data.draw(st.permutations(range(12))))
    names = np.array(data.draw(st.permutations(range(20))))
    assert_same(
        assess_drift(first, later, old, new),
        assess_drift(
            first[topics][:, runs_old],
            later[topics][:, runs_new],
            names[old][runs_old],
            names[new][runs_new],
        ),
    )


@given(st.integers(0, 10**9), st.sampled_from([1e-30, 1e-3, 0.3, 7.0, 100.0, 1e30]))
def test_scale_changes_nothing(seed, factor):
    first, later, old, new = round_pair(seed)
    assert_same(
        assess_drift(first, later, old, new),
        assess_drift(factor * first, factor * later, old, new),
    )


@given(st.integers(0, 10**9), st.integers(-3, 3))
def test_level_changes_nothing(seed, level):
    first, later, old, new = round_pair(seed)
    assert_same(
        assess_drift(first, later, old, new), assess_drift(first + level, later + level, old, new)
    )


@given(st.integers(0, 10**9), st.sampled_from([1, 2]), st.permutations(range(14)))
def test_no_time_passed(seed, runs_a_unit, order):
    scores = round_pair(seed)[0]
    units, order = np.arange(14) // runs_a_unit, np.array(order)
    drift = assess_drift(scores, scores[:, order], units, units[order])
    systems = drift.systems_like_these
    assert (drift.verdict, drift.why, drift.moved) == ("held", None, False)
    assert systems.shift_90 == systems.shift_95 == (systems.shift, systems.shift)
    assert systems.sd_ratio_90 == systems.sd_ratio_95 == (systems.sd_ratio, systems.sd_ratio)
    assert [systems.shift, systems.sd_ratio] == pytest.approx([0, 1], abs=1e-12)
    assert drift.needed.shift.half_width_90 == 0.0
    assert drift.needed.sd_ratio.half_width_90 == 1.0
    assert drift.variance_parts.shift.dof is None


def test_the_same_scores_by_other_systems_are_no_proof():
    scores = round_pair(1)[0]
    drift = assess_drift(scores, scores)
    assert drift.shift == 0
    assert drift.systems_like_these.shift_90[1] > 0.2
    assert drift.systems_like_these.shift_90[0] < -0.2
    assert (drift.verdict, drift.why) == ("undecided", "shift")


def test_every_run_is_a_unit_by_default():
    first, later, _, _ = round_pair(2)
    drift = assess_drift(first, later)
    assert (drift.units_from, drift.units_to, drift.units_shared) == (14, 12, 0)
    assert_same(drift, assess_drift(first, later, np.arange(14), 50 + np.arange(12)))


def test_a_margin_wide_enough_holds():
    first, later, old, new = round_pair(3)
    assert assess_drift(first, later, old, new).verdict != "held"
    wide = assess_drift(first, later, old, new, margin=50, sd_ratio_margin=50)
    assert wide.verdict == "held"


def test_a_topic_of_small_sd():
    rng = np.random.default_rng(7)
    first, units = rng.random((40, 8)), np.arange(8)
    first[0] = 0.5 + 1e-4 * first[0]
    later = first.copy()
    later[0] += 0.1
    drift = assess_drift(first, later, units, units)
    assert drift.mean_shift > 1
    assert drift.shift < 0.05
    assert (drift.verdict, drift.why) == ("undecided", "topics of small sd")
    assert drift.verdicts == PerStatistic("held", "held")


def assert_no_interval(drift, why, verdict="undecided"):
    assert (drift.verdict, drift.why) == (verdict, why)
    assert drift.verdicts == PerStatistic(verdict, verdict)
    assert drift.systems_like_these == SystemsLikeThese()
    assert drift.variance_parts == drift.needed == PerStatistic(None, None)
    assert not drift.moved


def test_fewer_than_five_topics():
    first, later, old, new = round_pair(4)
    first[:4] = 0.5
    drift = assess_drift(first, later, old, new)
    assert (drift.topics_used, drift.tied_from) == (4, 4)
    assert_no_interval(drift, "fewer than 5 topics")
    assert drift.these_runs == TheseRuns()
    assert drift.shift is not None
    assert assess_drift(np.vstack([first, first[4:5] + 0.1]), np.vstack([later, later[:1]])).needed


def test_a_single_topic():
    first, later, old, new = round_pair(4, topics=1)
    drift = assess_drift(first, later, old, new)
    assert_no_interval(drift, "fewer than 5 topics")
    assert drift.shift == pytest.approx(drift.mean_shift)


def test_fewer_than_five_units():
    first, later, old, new = round_pair(5)
    drift = assess_drift(first, later, np.minimum(old, 3), new)
    assert_no_interval(drift, "fewer than 5 units in the first round")
    # The runs are fixed there, so that few units are no obstacle.
    assert drift.these_runs == assess_drift(first, later, old, new).these_runs
    drift = assess_drift(first, later, old, np.zeros(12, dtype=int))
    assert_no_interval(drift, "fewer than 5 units in the later round")
    assert drift.units_to == 1
    five = assess_drift(first, later, np.minimum(old, 4), new)
    assert five.systems_like_these.shift_95 is not None


def test_a_round_of_one_run():
    first, later, old, new = round_pair(5)
    assert_no_interval(
        assess_drift(first, later[:, :1], old, new[:1]), "fewer than 5 units in the later round"
    )
    drift = assess_drift(first[:, :1], later, old[:1], new)
    assert_no_interval(drift, "no shared topic with spread", "unbridged")


def test_ties_everywhere_in_the_later_round():
    first, later, old, new = round_pair(6)
    later[:] = 0.3
    later[:, ::2] = 0.1 + 0.2
    drift = assess_drift(first, later, old, new)
    assert_no_interval(drift, "no spread in the later round")
    assert (drift.sd_ratio, drift.sd_ratio_geometric, drift.tied_to) == (0.0, None, 8)
    assert drift.these_runs.shift_95 is not None
    assert drift.these_runs.sd_ratio_95 is None


def test_ties_everywhere_in_the_first_round():
    first, later, old, new = round_pair(6)
    drift = assess_drift(np.full_like(first, 0.3), later, old, new)
    assert_no_interval(drift, "no shared topic with spread", "unbridged")
    assert (drift.shift, drift.mean_shift, drift.median_shift, drift.sd_ratio) == (None,) * 4
    assert (drift.shifts.size, drift.topics_used, drift.tied_from) == (8, 0, 8)
    assert np.isnan(drift.shifts).all()


def test_no_shared_topic():
    drift = assess_drift(np.empty((0, 6)), np.empty((0, 7)))
    assert_no_interval(drift, "no shared topic with spread", "unbridged")
    assert (drift.shifts.size, drift.units_from, drift.units_to) == (0, 6, 7)


def test_scores_too_far_apart():
    first, later, old, new = round_pair(8)
    with np.errstate(over="ignore", invalid="ignore"):
        drift = assess_drift(first * 1e-150, later * 1e99, old, new)
    assert_no_interval(drift, "scores too far apart")


@pytest.mark.parametrize("later_round", [False, True])
def test_one_unit_that_bears_all_spread(later_round):
    first, later, old, new = round_pair(8)
    scores, units = (later, new) if later_round else (first, old)
    scores[:, units != units[0]] = 0.4
    assert_no_interval(assess_drift(first, later, old, new), "one unit bears all spread")


def test_a_topic_that_ties_in_the_later_round_alone_stays():
    first, later, old, new = round_pair(9)
    later[2] = 0.7
    drift = assess_drift(first, later, old, new)
    assert (drift.topics_used, drift.tied_to) == (8, 1)
    assert drift.sd_ratios[2] == 0
    assert drift.sd_ratio == pytest.approx(
        later.std(axis=1, ddof=1).sum() / first.std(axis=1, ddof=1).sum()
    )
    kept = np.arange(8) != 2
    assert drift.sd_ratio_geometric == pytest.approx(math.exp(np.log(drift.sd_ratios[kept]).mean()))
    assert drift.systems_like_these.sd_ratio_95 is not None


@pytest.mark.parametrize(("shared", "exists"), [(9, False), (10, True)])
def test_ten_units_must_come_again(shared, exists):
    first, later, _, _ = round_pair(10)
    old, new = np.arange(14), np.arange(12) + 14 - shared
    recurring = assess_recurring(first, later, old, new, margin=0.3, sd_ratio_margin=1.5)
    assert (recurring is not None) == exists
    if recurring:
        assert (recurring.units_from, recurring.units_shared) == (10, 10)
        by_default = assess_recurring(first, later, old, new)
        assert recurring.needed.shift != by_default.needed.shift
        assert recurring.needed.sd_ratio != by_default.needed.sd_ratio


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores_to": np.ones((7, 12))}, "same topics"),
        ({"scores_from": np.full((8, 14), np.nan)}, "finite score"),
        ({"units_to": np.arange(11)}, "one unit for each"),
        ({"units_to": None}, "one unit for each"),
        ({"margin": 0.0}, "margin of the shift"),
        ({"margin": math.inf}, "margin of the shift"),
        ({"sd_ratio_margin": 1.0}, "margin of the sd ratio"),
    ],
)
def test_bad_input(change, message):
    first, later, old, new = round_pair(11)
    given_ = {"scores_from": first, "scores_to": later, "units_from": old, "units_to": new}
    with pytest.raises(ImpossibleStatisticError, match=message):
        assess_drift(**(given_ | change))


@pytest.mark.parametrize("scale", [1e-76, 1e-78, 1e-90, 1e-120])
def test_rounds_of_very_different_scales_raise_no_error(scale):
    first, later, old, new = round_pair(8)
    with np.errstate(over="ignore", invalid="ignore"):
        drift = assess_drift(first * scale, later, old, new)
    assert drift.verdict in ("aged", "undecided")
